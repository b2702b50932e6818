//! What can go wrong in vision.

use std::path::PathBuf;

use thiserror::Error;

use crate::picture::PictureError;
use crate::rules::{Sentence, Term, sentence};

/// Why a picture could not be read. Each is one sentence for people that says
/// what to do.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum VisionError {
    /// The file is not a picture, or cannot be opened.
    Picture(PictureError, PathBuf),
    /// No tile of the deck is in the picture.
    NoTiles(String),
    /// The surveyed wall is not in the frame; the sentence says what to do.
    NoWall(Sentence),
    /// A tile of the deck has no reference picture.
    NoReference(String),
    /// The deck has no tile to look for.
    EmptyDeck(String),
    /// The players' colours can't be told apart; the sentence says which.
    Colours(Sentence),
    /// The model file is missing or is not a model that fits.
    Model(String, PathBuf),
    /// The recogniser failed while it ran.
    Recogniser(String),
    /// An image operation failed.
    OpenCv(#[from] opencv::Error),
}

impl From<&VisionError> for Sentence {
    fn from(error: &VisionError) -> Sentence {
        match error {
            VisionError::Picture(error, path) => sentence!(
                "the picture cannot be read, {}: {}",
                Sentence::from(error),
                Term::same(path.display())
            ),
            VisionError::NoTiles(deck) => sentence!(
                "no tiles of deck `{}` were found in this photo; take it from above with the whole board in \
                 view, or name the deck that lies there",
                deck
            ),
            VisionError::NoWall(sentence) | VisionError::Colours(sentence) => sentence.clone(),
            VisionError::NoReference(tile) => sentence!(
                "tile `{}` has no reference picture; enrol the deck again with `castellan enrol`",
                tile
            ),
            VisionError::EmptyDeck(deck) => {
                sentence!("the deck `{}` has no tiles; enrol some with `castellan enrol`", deck)
            }
            VisionError::Model(why, path) => {
                sentence!("the model cannot be used, {}: {}", why, Term::same(path.display()))
            }
            VisionError::Recogniser(why) => sentence!("the recogniser failed: {}", why),
            VisionError::OpenCv(error) => sentence!("an image operation failed: {}", Term::same(error)),
        }
    }
}
