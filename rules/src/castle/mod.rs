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
mod final_reasons;
mod final_scoring;
mod finished;
mod game;
mod house;
mod legality;
mod notation;
mod play;
mod position;
mod reasons;
mod ring;
mod switches;
mod turn;
pub mod validate;
mod view;
mod vocabulary;
mod wall;

pub use board::SetupError;
pub(crate) use edition::table_rules;
pub use edition::{Edition, EditionError, EditionSwitch, Words};
pub use finished::{FinishedTable, TableError, TableReading};
pub use game::begin;
pub use house::{HOUSE_DECK, HOUSE_WALL, house_set};
pub use notation::NotationError;
pub use play::{Policy, play_out, random_wall_tiles};
pub use position::{FOLLOWERS, Holder, Keep, Position, WALL_TILE_KINDS};
pub use ring::Corner;
pub use switches::{RuleSwitch, RuleSwitches};
pub use turn::{OrderOption, Outcome, Pickup, Scored};
pub(crate) use vocabulary::VOCABULARY;
pub use wall::{StartSpace, TrackPoint, Wall, WallError};

pub use crate::{
    Boundary, FeatureView, Illegality, Move, Names, Phase, Placement, Refusal, SegmentAt, cell_from_name,
    cell_name, winners,
};
