//! What the texts leave open, and tables decide.

use serde::{Deserialize, Serialize};

/// Readings of the rules that differ between texts. The defaults are those of the
/// publisher today.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Switches {
    /// Six may play (BA-01).
    pub six_players: bool,
    /// Who draws a tile that fits nowhere loses the turn, instead of drawing again
    /// (BA-10).
    pub unplaceable_loses_turn: bool,
    /// A completed city of two tiles scores 1 point for each tile and pennant, not 2
    /// (BA-17).
    pub tiny_city_scores_two: bool,
    /// A field scores for open cities too (BA-28).
    pub open_cities_feed_fields: bool,
    /// Players hold three tiles, play one and draw one (BA-33).
    pub hand_of_three: bool,
}

/// A switch as people name and read it.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The name in records and on the command line: that of the field.
    pub name: &'static str,
    /// The rule it belongs to.
    pub rule: &'static str,
    on: &'static str,
    off: &'static str,
    field: fn(&mut Switches) -> &mut bool,
}

impl Switch {
    /// All switches.
    pub const ALL: [Switch; 5] = [
        Switch {
            name: "six_players",
            rule: "BA-01",
            on: "six may play",
            off: "five may play at most",
            field: |s| &mut s.six_players,
        },
        Switch {
            name: "unplaceable_loses_turn",
            rule: "BA-10",
            on: "who draws a tile that fits nowhere loses the turn",
            off: "who draws a tile that fits nowhere draws again",
            field: |s| &mut s.unplaceable_loses_turn,
        },
        Switch {
            name: "tiny_city_scores_two",
            rule: "BA-17",
            on: "a completed city of two tiles scores 1 point a tile",
            off: "a completed city of two tiles scores 2 points a tile, like any other",
            field: |s| &mut s.tiny_city_scores_two,
        },
        Switch {
            name: "open_cities_feed_fields",
            rule: "BA-28",
            on: "a field scores for every city that it touches",
            off: "a field scores for completed cities only",
            field: |s| &mut s.open_cities_feed_fields,
        },
        Switch {
            name: "hand_of_three",
            rule: "BA-33",
            on: "players hold three tiles",
            off: "a tile is drawn and laid at once",
            field: |s| &mut s.hand_of_three,
        },
    ];

    /// The switch with this name.
    pub fn named(name: &str) -> Option<Switch> {
        Switch::ALL.into_iter().find(|s| s.name == name)
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
    pub fn says(&self, on: bool) -> String {
        format!("{} ({})", if on { self.on } else { self.off }, self.rule)
    }
}
