//! Sees followers and keeps: what stands on a tile in a player's colour and is
//! not printed on it.

mod board;
mod finding;
mod patches;
mod strangers;

pub use board::{BOARD_PX, Board, Ground, Standing};
pub use finding::{find, separable};
pub use strangers::Strangers;
