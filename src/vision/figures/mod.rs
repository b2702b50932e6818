//! Sees followers and keeps: what stands on a tile in a player's colour and is
//! not printed on it.

mod board;
mod bulk;
mod by_colour;
mod by_network;
mod evidence;
mod expected;
mod network;
mod paint;
mod patches;
mod separable;
mod shape;
mod sizes;
mod strangers;
mod track;
mod way;

pub use board::{BOARD_PX, Board, Ground, SeenSize, Standing};
pub use bulk::Silhouettes;
pub use network::FigureNetwork;
pub use separable::separable;
pub use sizes::Sizes;
pub use strangers::Strangers;
pub use track::Track;
pub use way::Way;

use crate::rules::Cell;
use crate::vision::base::error::VisionError;

/// Finds the figures. `colours` are the players', sRGB; `grounds` what each
/// cell holds, without the cells that are hidden.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails, [`VisionError::Recogniser`] when the
/// network does not run.
pub fn find(
    way: &Way,
    board: &Board<'_>,
    grounds: &[(Cell, Ground<'_>)],
    colours: &[[u8; 3]],
) -> Result<Vec<Standing>, VisionError> {
    match way {
        Way::Network(network) => by_network::find(network, board, grounds, colours),
        Way::Colours => by_colour::find(board, grounds, colours),
    }
}
