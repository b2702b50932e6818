//! What the texts leave open, and tables decide.

use serde::{Deserialize, Serialize};

use super::module::Module;
use super::modules::{self, ModuleSwitches};
use crate::vocabulary::{joined, total};
use crate::{Sentence, sentence};

/// Readings of the rules that differ between texts. The defaults are those of the
/// publisher today.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Switches {
    /// Six may play (BA-01).
    pub six_players: bool,
    /// A lap of the score track has 51 spaces, not 50 points (BA-04).
    pub lap_of_51_spaces: bool,
    /// Who draws a tile that fits nowhere loses the turn, instead of drawing again
    /// (BA-10).
    pub unplaceable_loses_turn: bool,
    /// A road that runs in a ring is never complete (BA-15).
    pub ring_roads_stay_open: bool,
    /// A completed city of two tiles scores 1 point for each tile and pennant, not 2
    /// (BA-17).
    pub tiny_city_scores_two: bool,
    /// A field scores for open cities too (BA-28).
    pub open_cities_feed_fields: bool,
    /// Players hold three tiles, play one and draw one (BA-33).
    pub hand_of_three: bool,
    /// Those of the modules, by [`Switch`].
    pub modules: ModuleSwitches,
}

/// A switch as people name and read it.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The name in records and on the command line.
    pub name: &'static str,
    /// The rule it belongs to.
    pub rule: &'static str,
    on: fn() -> Sentence,
    off: fn() -> Sentence,
    field: fn(&mut Switches) -> &mut bool,
}

/// The switches of the base game.
const BASE: [Switch; 7] = [
    Switch::new(
        "six_players",
        "BA-01",
        || sentence!("six may play"),
        || sentence!("five may play at most, six with Inns & Cathedrals: the texts say so"),
        |s| &mut s.six_players,
    ),
    Switch::new(
        "lap_of_51_spaces",
        "BA-04",
        || sentence!("a lap of the score track is 51 spaces, so that 51 points end on the first"),
        || {
            sentence!(
                "a lap of the score track is 50 points, so that its last space is the first of the next lap: the text only counts the spaces, the cards for laps count fifties"
            )
        },
        |s| &mut s.lap_of_51_spaces,
    ),
    Switch::new(
        "unplaceable_loses_turn",
        "BA-10",
        || sentence!("who draws a tile that fits nowhere loses the turn"),
        || {
            sentence!(
                "who draws a tile that fits nowhere draws again: one text and the publisher say so, another lets the turn be lost"
            )
        },
        |s| &mut s.unplaceable_loses_turn,
    ),
    Switch::new(
        "ring_roads_stay_open",
        "BA-15",
        || sentence!("a road that runs in a ring is never complete"),
        || sentence!("a road that runs in a ring is complete, since it has no open end: the text is silent"),
        |s| &mut s.ring_roads_stay_open,
    ),
    Switch::new(
        "tiny_city_scores_two",
        "BA-17",
        || sentence!("a completed city of two tiles scores 1 point a tile"),
        || {
            sentence!(
                "a completed city of two tiles scores 2 points a tile, like any other: the text knows no exception, older rules do"
            )
        },
        |s| &mut s.tiny_city_scores_two,
    ),
    Switch::new(
        "open_cities_feed_fields",
        "BA-28",
        || sentence!("a field scores for every city that it touches"),
        || {
            sentence!(
                "a field scores for completed cities only: the text is silent, the publisher's rules say so"
            )
        },
        |s| &mut s.open_cities_feed_fields,
    ),
    Switch::new(
        "hand_of_three",
        "BA-33",
        || sentence!("players hold three tiles"),
        || sentence!("a tile is drawn and laid at once: a hand of three is a variant"),
        |s| &mut s.hand_of_three,
    ),
];

/// How many switches there are.
const COUNT: usize = BASE.len() + total(&modules::SWITCHES);

impl Switch {
    /// All switches, those of the base game first.
    pub const ALL: [Switch; COUNT] = {
        let of_modules: [Switch; total(&modules::SWITCHES)] = joined(&modules::SWITCHES);
        joined(&[&BASE, &of_modules])
    };

    /// A switch: its name, its rule, what holds with it on and off, in sentences without a
    /// full stop, and where it stands.
    pub(super) const fn new(
        name: &'static str,
        rule: &'static str,
        on: fn() -> Sentence,
        off: fn() -> Sentence,
        field: fn(&mut Switches) -> &mut bool,
    ) -> Switch {
        Switch { name, rule, on, off, field }
    }

    /// The switch with this name.
    pub fn named(name: &str) -> Option<Switch> {
        Switch::ALL.into_iter().find(|s| s.name == name)
    }

    /// The switches of the base game, then those of the modules that come with these sets.
    pub fn of(sets: &[String]) -> impl Iterator<Item = Switch> {
        let has = |module: &&dyn Module| sets.iter().any(|set| set == module.set());
        let of_modules =
            modules::MODULES.iter().zip(modules::SWITCHES).filter(move |(module, _)| has(module));
        BASE.into_iter().chain(of_modules.flat_map(|(_, switches)| switches.iter().copied()))
    }

    /// Whether it is on.
    pub fn get(&self, mut switches: Switches) -> bool {
        *(self.field)(&mut switches)
    }

    /// Turns it on or off.
    pub fn set(&self, switches: &mut Switches, on: bool) {
        *(self.field)(switches) = on;
    }

    /// What holds with it on or off, in a sentence without a full stop.
    pub fn means(&self, on: bool) -> Sentence {
        if on { (self.on)() } else { (self.off)() }
    }

    /// The same with the rule.
    pub fn says(&self, on: bool) -> String {
        format!("{} ({})", self.means(on), self.rule)
    }
}
