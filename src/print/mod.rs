//! A set on paper, at true size: tiles, wall pieces and wall tiles, goods and cards as a PDF.

mod error;
mod pages;
mod pdf;
mod wall_pieces;
mod words;

pub use error::PrintError;
pub use pages::{Contents, TILE_MM, printed_set};
pub use pdf::Paper;
