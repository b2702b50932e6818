//! What can go wrong in vision.

use std::path::PathBuf;

use thiserror::Error;

use crate::picture::PictureError;
use crate::rules::Sentence;

/// Why a picture could not be read. Each is one sentence for people that says
/// what to do.
#[derive(Debug, Error)]
pub enum VisionError {
    /// The file is not a picture, or cannot be opened.
    #[error("the picture cannot be read, {0}: {1}")]
    Picture(PictureError, PathBuf),
    /// No tile of the deck is in the picture.
    #[error(
        "no tiles of deck `{0}` were found in this photo; take it from above with the whole board in view, or name the deck that lies there"
    )]
    NoTiles(String),
    /// The surveyed wall is not in the frame; the sentence says what to do.
    #[error("{0}")]
    NoWall(Sentence),
    /// A tile of the deck has no reference picture.
    #[error("tile `{0}` has no reference picture; enrol the deck again with `castellan enrol`")]
    NoReference(String),
    /// The deck has no tile to look for.
    #[error("the deck `{0}` has no tiles; enrol some with `castellan enrol`")]
    EmptyDeck(String),
    /// The players' colours can't be told apart; the sentence says which.
    #[error("{0}")]
    Colours(String),
    /// The model file is missing or is not a model that fits.
    #[error("the model cannot be used, {0}: {1}")]
    Model(String, PathBuf),
    /// The recogniser failed while it ran.
    #[error("the recogniser failed: {0}")]
    Recogniser(String),
    /// An image operation failed.
    #[error("an image operation failed: {0}")]
    OpenCv(#[from] opencv::Error),
}
