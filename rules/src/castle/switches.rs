//! What the texts leave open, and editions decide.

use serde::{Deserialize, Serialize};

use crate::{Sentence, sentence};

/// Readings of the rules that differ between texts or editions. The defaults
/// are the readings of the 2003 game in German.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSwitches {
    /// A start space's edge is a tile edge for the matching of paths, not plain
    /// wall (CA-25).
    pub start_space_is_tile: bool,
    /// A tower or house that is open only towards empty spaces that it surrounds is
    /// complete (CA-55).
    pub ring_is_closed: bool,
    /// A keep moves only when its player laid the tile that completed the house
    /// (CA-64).
    pub keep_needs_own_completion: bool,
    /// A start space counts in the size of the house under a keep (CA-68).
    pub start_space_counts_for_keep: bool,
    /// Wall tile 4 counts 2 points a tile on an incomplete path with a fountain
    /// (CA-88).
    pub wall4_fountain: bool,
    /// Both wall tiles 4 count on the open path with the most tiles, not on the one
    /// worth most; they differ where a fountain counts (CA-91).
    pub both_fours_on_largest: bool,
    /// Both wall tiles 8 make a keep 4 tiles larger, not 2 (CA-95).
    pub both_eights_add: bool,
    /// Wall tile 8 does nothing for a player whose keep stands on no house
    /// (CA-95).
    pub eight_needs_keep: bool,
    /// What wall tiles 2 and 3 add is part of one move of the marker, not a move
    /// of its own (CA-98).
    pub doubled_score_is_one_move: bool,
    /// Wall tiles are taken only where a marker stands after all moves of the
    /// turn (CA-100).
    pub pickup_after_all_moves: bool,
    /// A start space counts as a tile for wall tiles 4 to 6 (CA-101).
    pub start_space_counts_when_open: bool,
    /// Empty spaces that touch only at a corner are one area (CA-117).
    pub corners_connect_empty_area: bool,
    /// Start spaces with no tile against them count with the empty area that
    /// they border (CA-118).
    pub count_free_start_spaces: bool,
    /// Which empty area is the largest is told with the free start spaces that count
    /// with it, not by its empty spaces first (CA-118).
    pub free_start_spaces_choose_area: bool,
}

impl Default for RuleSwitches {
    fn default() -> RuleSwitches {
        RuleSwitches {
            start_space_is_tile: true,
            ring_is_closed: false,
            keep_needs_own_completion: false,
            start_space_counts_for_keep: true,
            wall4_fountain: false,
            both_fours_on_largest: true,
            both_eights_add: true,
            eight_needs_keep: true,
            doubled_score_is_one_move: true,
            pickup_after_all_moves: false,
            start_space_counts_when_open: true,
            corners_connect_empty_area: false,
            count_free_start_spaces: true,
            free_start_spaces_choose_area: false,
        }
    }
}

/// A switch as people name and read it.
#[derive(Clone, Copy, Debug)]
pub struct RuleSwitch {
    /// Its name, that of the field of [`RuleSwitches`].
    pub name: &'static str,
    /// The rule in doubt.
    pub rule: &'static str,
    on: fn() -> Sentence,
    off: fn() -> Sentence,
    field: fn(&mut RuleSwitches) -> &mut bool,
}

impl RuleSwitch {
    /// All switches, in the order of their rules.
    pub const ALL: [RuleSwitch; 14] = [
        RuleSwitch {
            name: "start_space_is_tile",
            rule: "CA-25",
            on: || sentence!("a path must be continued at a start space as at a tile"),
            off: || sentence!("a start space is plain wall for the continuing of paths"),
            field: |s| &mut s.start_space_is_tile,
        },
        RuleSwitch {
            name: "ring_is_closed",
            rule: "CA-55",
            on: || sentence!("a tower or house round an empty space is complete while the space is empty"),
            off: || sentence!("a tower or house round an empty space is open until the space is filled"),
            field: |s| &mut s.ring_is_closed,
        },
        RuleSwitch {
            name: "keep_needs_own_completion",
            rule: "CA-64",
            on: || sentence!("a keep moves only onto a house that its player completed"),
            off: || {
                sentence!("a keep moves onto a larger house that its player scores, whoever completed it")
            },
            field: |s| &mut s.keep_needs_own_completion,
        },
        RuleSwitch {
            name: "start_space_counts_for_keep",
            rule: "CA-68",
            on: || sentence!("a start space counts in the size of the house under a keep"),
            off: || sentence!("only castle tiles count in the size of the house under a keep"),
            field: |s| &mut s.start_space_counts_for_keep,
        },
        RuleSwitch {
            name: "wall4_fountain",
            rule: "CA-88",
            on: || sentence!("an open path with a fountain counts 2 points a tile"),
            off: || sentence!("an open path counts 1 point a tile, with a fountain too"),
            field: |s| &mut s.wall4_fountain,
        },
        RuleSwitch {
            name: "both_fours_on_largest",
            rule: "CA-91",
            on: || sentence!("two wall tiles for an open path count on the one with the most tiles"),
            off: || sentence!("two wall tiles for an open path count on the one worth most"),
            field: |s| &mut s.both_fours_on_largest,
        },
        RuleSwitch {
            name: "both_eights_add",
            rule: "CA-95",
            on: || sentence!("two wall tiles that enlarge the keep add 4"),
            off: || sentence!("two wall tiles that enlarge the keep add 2"),
            field: |s| &mut s.both_eights_add,
        },
        RuleSwitch {
            name: "eight_needs_keep",
            rule: "CA-95",
            on: || sentence!("the wall tile that enlarges the keep does nothing without a keep"),
            off: || sentence!("the wall tile that enlarges the keep counts 2 without a keep too"),
            field: |s| &mut s.eight_needs_keep,
        },
        RuleSwitch {
            name: "doubled_score_is_one_move",
            rule: "CA-98",
            on: || sentence!("a doubled score is one move of the marker"),
            off: || sentence!("what a wall tile doubles is a move of its own"),
            field: |s| &mut s.doubled_score_is_one_move,
        },
        RuleSwitch {
            name: "pickup_after_all_moves",
            rule: "CA-100",
            on: || sentence!("a wall tile is taken only where the marker stands after all moves of the turn"),
            off: || sentence!("a wall tile is taken after each move that ends on its tower"),
            field: |s| &mut s.pickup_after_all_moves,
        },
        RuleSwitch {
            name: "start_space_counts_when_open",
            rule: "CA-101",
            on: || sentence!("a start space counts as a tile of a feature left open"),
            off: || sentence!("only castle tiles count of a feature left open"),
            field: |s| &mut s.start_space_counts_when_open,
        },
        RuleSwitch {
            name: "corners_connect_empty_area",
            rule: "CA-117",
            on: || sentence!("empty spaces that touch at a corner are one area"),
            off: || sentence!("empty spaces must touch with a whole side to be one area"),
            field: |s| &mut s.corners_connect_empty_area,
        },
        RuleSwitch {
            name: "count_free_start_spaces",
            rule: "CA-118",
            on: || sentence!("start spaces with no tile against them count with the empty area"),
            off: || sentence!("start spaces do not count with the empty area"),
            field: |s| &mut s.count_free_start_spaces,
        },
        RuleSwitch {
            name: "free_start_spaces_choose_area",
            rule: "CA-118",
            on: || sentence!("the largest empty area is told with its free start spaces"),
            off: || {
                sentence!(
                    "the largest empty area is told by its empty spaces, of equal ones by the free start spaces"
                )
            },
            field: |s| &mut s.free_start_spaces_choose_area,
        },
    ];

    /// The switch with this name.
    pub fn named(name: &str) -> Option<RuleSwitch> {
        RuleSwitch::ALL.into_iter().find(|s| s.name == name)
    }

    /// Whether it is on.
    pub fn get(&self, mut switches: RuleSwitches) -> bool {
        *(self.field)(&mut switches)
    }

    /// Turns it on or off.
    pub fn set(&self, switches: &mut RuleSwitches, on: bool) {
        *(self.field)(switches) = on;
    }

    /// What holds when it is on or off, in a sentence without a full stop.
    pub fn means(&self, on: bool) -> Sentence {
        if on { (self.on)() } else { (self.off)() }
    }

    /// What holds when it is on or off, with the rule.
    pub fn says(&self, on: bool) -> String {
        format!("{} ({})", self.means(on), self.rule)
    }
}

impl RuleSwitches {
    /// What holds here and not there, a sentence a switch.
    pub fn differing(self, from: RuleSwitches) -> Vec<String> {
        RuleSwitch::ALL.iter().filter(|s| s.get(self) != s.get(from)).map(|s| s.says(s.get(self))).collect()
    }
}
