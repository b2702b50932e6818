//! Reads a table inside a surveyed wall.

use image::RgbImage;

use super::recogniser::Gallery;
use super::{SurveyedWall, VisionError};
use crate::observation::Observation;
use crate::rules::Deck;

/// Reads frames of a table with a wall.
pub struct CastleReader {
    /// The tiles that may lie in the wall.
    pub deck: Deck,
    /// Their references, in the deck's order.
    pub gallery: Box<dyn Gallery>,
    /// The wall.
    pub wall: SurveyedWall,
    /// The players' figure colours, sRGB.
    pub colours: Vec<[u8; 3]>,
}

impl CastleReader {
    /// Makes ready to read; `gallery` holds the deck's tiles in their order.
    ///
    /// # Errors
    /// When the wall's picture has nothing to find it by.
    pub fn new(
        deck: Deck,
        gallery: Box<dyn Gallery>,
        wall: SurveyedWall,
        colours: Vec<[u8; 3]>,
    ) -> Result<CastleReader, VisionError> {
        Ok(CastleReader { deck, gallery, wall, colours })
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// [`VisionError::NoWall`] when the wall is not in the frame.
    pub fn read(&mut self, _frame: &RgbImage) -> Result<Observation, VisionError> {
        Err(VisionError::NoWall("reading inside a wall is not possible yet".to_owned()))
    }
}
