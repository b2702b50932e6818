//! What the texts leave open, and editions decide.

use serde::{Deserialize, Serialize};

/// Readings of the rules that differ between texts or editions. The defaults
/// are the English and German readings of the 2003 game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSwitches {
    /// A start space's edge is a tile edge for the matching of paths, not plain
    /// wall (CA-25).
    pub start_space_is_tile: bool,
    /// A keep moves only when its player laid the tile that completed the house
    /// (CA-64).
    pub keep_needs_own_completion: bool,
    /// Wall tile 4 counts 2 points a tile on an incomplete path with a fountain
    /// (CA-88).
    pub wall4_fountain: bool,
    /// Start spaces with no tile against them count with the empty area that
    /// they border (CA-118).
    pub count_free_start_spaces: bool,
    /// Wall tiles are taken only where a marker stands after all moves of the
    /// turn (CA-100).
    pub pickup_after_all_moves: bool,
}

impl Default for RuleSwitches {
    fn default() -> RuleSwitches {
        RuleSwitches {
            start_space_is_tile: true,
            keep_needs_own_completion: false,
            wall4_fountain: false,
            count_free_start_spaces: true,
            pickup_after_all_moves: false,
        }
    }
}
