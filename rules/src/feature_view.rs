//! A feature as it lies on the table, for people to look at.

use serde::{Deserialize, Serialize};

use crate::{Attribute, Attributes, Cell, Kind, Player, SegmentAt, StandingFollower};

/// What a feature ends at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// The wall that the game is played inside.
    Wall,
    /// Something printed on its tile that splits it, such as a square of The Castle.
    Printed(Attribute),
    /// Something within its own tile.
    Within,
    /// A feature of another kind on the tile beside it.
    Beside(Kind),
    /// A side of a tile with nothing there.
    Bare,
    /// An empty space that it surrounds, in games where that closes it (CA-55).
    Ring,
    /// Nothing: it runs in a ring, which is never complete here (BA-15).
    Endless,
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
    /// How many start spaces of a wall are part of it.
    pub start_spaces: u32,
    /// The empty cells that it runs into; none: it is complete, unless it is
    /// [`Boundary::Endless`], though not every kind scores for that (CA-104).
    pub open: Vec<Cell>,
    /// What it ends at where it does not go on, each once; nothing for a line that
    /// closes in a loop, and in games where all sides must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Boundary>,
    /// The followers on it.
    pub followers: Vec<StandingFollower>,
    /// What is printed on it.
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    pub attributes: Attributes,
    /// Cells with another feature of its kind that touches it at a corner only, for kinds
    /// that players could take for one then, such as houses of The Castle (CA-37).
    pub at_corners: Vec<Cell>,
}

impl FeatureView {
    /// Whether nothing can be added to it and it counts as complete.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty() && !self.bounds.contains(&Boundary::Endless)
    }

    /// How many followers, and other figures, a player has on it.
    pub fn count(&self, player: Player) -> u32 {
        self.followers.iter().filter(|f| f.player == player).count() as u32
    }

    /// What a player's figures on it weigh in a majority.
    pub fn weight(&self, player: Player) -> u32 {
        let theirs = self.followers.iter().filter(|f| f.player == player);
        theirs.map(|f| u32::from(f.figure.weight())).sum()
    }
}
