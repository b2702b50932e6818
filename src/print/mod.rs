//! A set on paper, at true size: tiles, wall pieces and wall tiles as a PDF.

mod error;
mod pages;
mod pdf;
mod wall_pieces;

pub use error::PrintError;
pub use pages::{TILE_MM, printed_set};
pub use pdf::Paper;
