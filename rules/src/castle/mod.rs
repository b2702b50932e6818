//! Carcassonne: The Castle.
//!
//! [`Position`] is a position with undo; [`Move`] is what players do. The rules
//! say why a move is not legal ([`Position::illegalities`]), and a move that
//! happened all the same can be played anyway. Rule ids (`CA-42`) are those of
//! the project's rule list.

mod board;
mod closed;
mod edition;
mod explain;
mod final_scoring;
mod finished;
mod house;
mod legality;
mod notation;
mod play;
mod position;
mod switches;
mod turn;
pub mod validate;
mod view;

use serde::{Deserialize, Serialize};

pub use board::SetupError;
pub use edition::{Edition, EditionError, EditionSwitch, Words};
pub use explain::Names;
pub use final_scoring::winners;
pub use finished::{FinishedTable, TableError, TableReading};
pub use house::{HOUSE_DECK, HOUSE_WALL, house_set};
pub use legality::{Illegality, Refusal};
pub use notation::{NotationError, cell_from_name, cell_name};
pub use play::{Policy, play_out, random_wall_tiles};
pub use position::{FOLLOWERS, Holder, Keep, Phase, Position, WALL_TILE_KINDS};
pub use switches::{RuleSwitch, RuleSwitches};
pub use turn::{OrderOption, Outcome, Pickup, Scored};
pub use view::{Boundary, FeatureView};

use super::{Cell, Player, Rotation};

/// A segment of the tile in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentAt {
    /// The cell.
    pub cell: Cell,
    /// The segment's index in the tile's face.
    pub segment: u8,
}

/// Where and how a tile is laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// The tile's index in the deck.
    pub tile: usize,
    /// The cell.
    pub cell: Cell,
    /// How it is turned.
    pub rotation: Rotation,
}

/// What players do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// A tile is laid.
    Lay {
        /// By whom.
        player: Player,
        /// Which, where and how.
        placement: Placement,
    },
    /// A follower is put on a segment.
    Claim {
        /// Whose.
        player: Player,
        /// Where.
        at: SegmentAt,
    },
    /// A tile that fits nowhere leaves the game (CA-27).
    Discard {
        /// Who had drawn it.
        player: Player,
        /// Its index in the deck.
        tile: usize,
    },
    /// A wall tile is used (CA-78 to CA-98).
    Use {
        /// By whom.
        player: Player,
        /// Its number.
        number: u8,
        /// For 2 to 7: a segment of the feature meant; without it, the one on
        /// which it is worth most.
        on: Option<SegmentAt>,
    },
    /// The number of a wall tile becomes known.
    Show {
        /// The lower track space of its tower.
        tower: u8,
        /// Its number.
        number: u8,
    },
    /// The player to move says in which order completed features are scored
    /// (CA-73).
    Order {
        /// Who.
        player: Player,
        /// A segment of each that someone scores, in order, the player's own first.
        features: Vec<SegmentAt>,
    },
    /// The turn is over: what was completed is scored.
    End {
        /// Whose turn.
        player: Player,
    },
    /// The players stop here; the final scoring follows.
    Stop,
}
