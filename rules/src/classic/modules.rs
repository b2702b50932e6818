//! The list of the modules: the one place of the classic game that knows them by name.

use serde::{Deserialize, Serialize};

use super::module::Module;
use super::switches::Switch;
use super::{cathars, count, inns, king, river, traders};
use crate::vocabulary::Vocabulary;

/// All modules, in the order in which they are asked.
pub(super) static MODULES: [&dyn Module; 6] =
    [&river::River, &inns::Inns, &traders::Traders, &king::King, &cathars::Cathars, &count::Count];

/// The words of the modules.
pub(crate) const VOCABULARIES: [Vocabulary; 6] = [
    river::VOCABULARY,
    inns::VOCABULARY,
    traders::VOCABULARY,
    king::VOCABULARY,
    cathars::VOCABULARY,
    count::VOCABULARY,
];

/// The tiles of sets, each with its name in the names of decks and its title, in the order in
/// which they follow one another; the start tile is that of the last that has one.
pub(super) const SETS: [(&str, &str, &str); 7] = [
    ("river", "The River", include_str!("../../classic/river.toml")),
    ("inns", "Inns & Cathedrals", include_str!("../../classic/inns.toml")),
    ("traders", "Traders & Builders", include_str!("../../classic/traders.toml")),
    ("king", "King & Robber Baron", include_str!("../../classic/king.toml")),
    ("cathars", "The Cathars", include_str!("../../classic/cathars.toml")),
    ("count", "The Count, city of 12 tiles", include_str!("../../classic/count.toml")),
    ("count15", "The Count, city in one piece", include_str!("../../classic/count15.toml")),
];

/// The switches of the modules.
pub(super) const SWITCHES: [&[Switch]; 6] = [
    &river::SWITCHES,
    &inns::SWITCHES,
    &traders::SWITCHES,
    &king::SWITCHES,
    &cathars::SWITCHES,
    &count::SWITCHES,
];

/// Readings of the rules of the modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModuleSwitches {
    pub(super) river: river::Switches,
    pub(super) inns: inns::Switches,
    pub(super) traders: traders::Switches,
    pub(super) king: king::Switches,
    pub(super) cathars: cathars::Switches,
    pub(super) count: count::Switches,
}

/// What the modules keep of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ModuleStates {
    pub river: river::State,
    pub traders: traders::State,
    pub king: king::State,
    pub cathars: cathars::State,
    pub count: count::State,
}

/// The sets that go with the base game: the name by which a deck's name has them
/// (`classic+river`), and the title, in the order in which they follow one another.
pub fn sets() -> impl Iterator<Item = (&'static str, &'static str)> {
    SETS.iter().map(|(name, title, _)| (*name, *title))
}
