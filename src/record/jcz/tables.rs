//! Colours, sets, rules and figures by the names of the other program, and why something cannot
//! be read or saved.

use thiserror::Error;

use crate::record::game::RecordError;
use crate::rules::FigureKind;

/// The colours of JCloisterZone's slots, in order.
pub(super) const COLOURS: [&str; 9] =
    ["red", "blue", "yellow", "green", "orange", "purple", "pink", "white", "black"];
/// Rules of sets that are not played here; without their set they change nothing.
pub(super) const IDLE_RULES: [&str; 15] = [
    "princess-action",
    "fairy-placement",
    "dragon-move",
    "wagon-move",
    "barn-placement",
    "bazaar-no-auction",
    "hill-tiebreaker",
    "gq11-pig-herd",
    "tunnelize-other-expansions",
    "more-tunnel-tokens",
    "festival-return",
    "keep-monasteries",
    "labyrinth-variant",
    "little-buildings-scoring",
    "clock-move",
];

/// A set of the other program.
pub(super) struct JczSet {
    /// Its name since version 5.
    pub name: &'static str,
    /// Its name before.
    pub expansion: &'static str,
    /// Ours, of its tiles and its rules.
    pub ours: &'static str,
    /// The elements that make up its rules, with how many of each, or just there.
    pub elements: &'static [(&'static str, Option<u64>)],
}

/// The sets that are played here.
pub(super) const SETS: [JczSet; 6] = [
    JczSet { name: "river/1:1", expansion: "RIVER", ours: "river", elements: &[("river", None)] },
    JczSet {
        name: "inns-and-cathedrals:1",
        expansion: "INNS_AND_CATHEDRALS",
        ours: "inns",
        elements: &[("big-follower", Some(1)), ("inn", None), ("cathedral", None)],
    },
    JczSet {
        name: "traders-and-builders:1",
        expansion: "TRADERS_AND_BUILDERS",
        ours: "traders",
        elements: &[("builder", Some(1)), ("pig", Some(1)), ("traders", None)],
    },
    JczSet {
        name: "king-and-robber:1",
        expansion: "KING_AND_ROBBER_BARON",
        ours: "king",
        elements: &[("king", None), ("robber", None)],
    },
    JczSet {
        name: "siege/cathars",
        expansion: "CATHARS",
        ours: "cathars",
        elements: &[("siege", None), ("escape", None)],
    },
    JczSet { name: "count", expansion: "COUNT", ours: "count", elements: &[("count", Some(1))] },
];

/// A rule of the other program that is a switch here.
pub(super) struct JczRule {
    pub name: &'static str,
    /// The set whose rule it is; of the base game without one.
    pub set: &'static str,
    /// Its value where the switch is on, and where it is off.
    pub on: &'static str,
    pub off: &'static str,
    pub switch: &'static str,
    /// Whether the switch is on where the file does not say.
    pub unsaid: bool,
}

/// The rules that are switches here. Where a file says nothing the other program takes a
/// value of its own.
pub(super) const RULES: [JczRule; 5] = [
    JczRule {
        name: "tiny-city-scoring",
        set: "",
        on: "2",
        off: "4",
        switch: "tiny_city_scores_two",
        unsaid: false,
    },
    JczRule {
        name: "espace-variant",
        set: "cathars",
        on: "any-tile",
        off: "siege-tile",
        switch: "escape_by_any_tile",
        unsaid: true,
    },
    JczRule {
        name: "coc-final-scoring",
        set: "count",
        on: "market-only",
        off: "any-district",
        switch: "only_the_market_at_the_end",
        unsaid: true,
    },
    JczRule {
        name: "count-move",
        set: "count",
        on: "clockwise",
        off: "by-player",
        switch: "count_goes_clockwise",
        unsaid: false,
    },
    JczRule {
        name: "count-move",
        set: "count",
        on: "follow-meeple",
        off: "by-player",
        switch: "count_follows_the_follower",
        unsaid: false,
    },
];

/// Switches that change nothing of what a saved game holds: who may play and where markers
/// stand.
pub(super) const UNSAID_SWITCHES: [&str; 2] = ["six_players", "lap_of_51_spaces"];

/// The kinds of figures in ids such as `0.small.3`.
pub(super) const FIGURES: [(&str, FigureKind); 4] = [
    ("small", FigureKind::FOLLOWER),
    ("big", FigureKind::BIG_FOLLOWER),
    ("builder", FigureKind::BUILDER),
    ("pig", FigureKind::PIG),
];

/// The version that is written.
pub(super) const APP_VERSION: &str = "5.7.0";

/// Why a text is not a saved game that can be played here, or a game cannot be saved so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JczError {
    /// Not JSON, or not of the form.
    #[error("the file is not a saved game of JCloisterZone: {0}")]
    Form(String),
    /// Sets, figures or rules that are not played here.
    #[error("the saved game has what is not played here yet: {0}")]
    Unknown(String),
    /// A message that cannot be played.
    #[error("message {0} of the saved game cannot be played: {1}")]
    Message(usize, String),
    /// The game cannot be begun.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The game is of another kind, or played by rules that the other program has not.
    #[error("the game cannot be saved for JCloisterZone: {0}")]
    Unsaved(String),
}
