//! A feature as it lies on the table, for people to look at.

use serde::{Deserialize, Serialize};

use crate::{Cell, Kind, Player, SegmentAt, StandingFollower};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// What a feature ends at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// The wall.
    Wall,
    /// A square that splits it.
    Square,
    /// Something within its own tile.
    Within,
    /// A feature of another kind on the tile beside it.
    Beside(Kind),
    /// A side of a tile with nothing there.
    Bare,
    /// An empty space that it surrounds, by the reading that closes such rings (CA-55).
    Ring,
}

/// A feature, its followers and where it is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureView {
    /// Its kind.
    pub kind: Kind,
    /// Its segments on tiles, in reading order of the cells.
    pub segments: Vec<SegmentAt>,
    /// The cells of its tiles, each once, in reading order.
    pub cells: Vec<Cell>,
    /// How many start spaces are part of it.
    pub start_spaces: u32,
    /// The empty cells that it runs into; none: it is complete, though not every
    /// kind scores for that (CA-104).
    pub open: Vec<Cell>,
    /// What it ends at where it does not go on, each once; nothing for a path that
    /// closes in a loop, and in games where all sides must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Boundary>,
    /// The followers on it.
    pub followers: Vec<StandingFollower>,
    /// Whether a fountain is on it.
    pub fountain: bool,
    /// The markets on it.
    pub markets: u32,
    /// The pennants in it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pennants: u32,
    /// Cells with a house or tower like this one that touches it at a corner
    /// only (CA-37).
    pub at_corners: Vec<Cell>,
}

impl FeatureView {
    /// How many followers a player has on it.
    pub fn count(&self, player: Player) -> u32 {
        self.followers.iter().filter(|f| f.player == player).count() as u32
    }
}
