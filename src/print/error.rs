//! Why a set cannot be printed.

use thiserror::Error;

/// Why a set cannot be printed.
#[derive(Debug, Error)]
pub enum PrintError {
    /// A tile's face is not known, so that it cannot be drawn.
    #[error("tile `{0}` has no face to be drawn by; write it into the deck")]
    NoFace(String),
    /// A picture could not be packed.
    #[error("a picture cannot be packed for the page: {0}")]
    Picture(#[from] image::ImageError),
    /// A part of the wall does not fit the paper.
    #[error("a piece of the wall does not fit the paper; choose larger paper")]
    TooLarge,
}
