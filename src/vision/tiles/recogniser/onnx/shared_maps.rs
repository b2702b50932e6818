//! References as maps that can be passed on without their pictures.

use image::RgbImage;
use ndarray::{Array3, ArrayView3, ShapeError};

use super::{OnnxMatcher, SEARCH};
use crate::vision::base::error::VisionError;
use crate::vision::tiles::recogniser::maps::{MapGallery, REFERENCE_SHAPE, reference_maps};
use crate::vision::tiles::recogniser::matcher::Gallery;

/// Descriptors have length one; a byte holds a number of -1 to 1.
const STEPS: f32 = 127.0;
/// Rotations of a reference.
const TURNS: usize = 4;
/// Numbers of a map, a byte each.
const MAP_BYTES: usize = REFERENCE_SHAPE.0 * REFERENCE_SHAPE.1 * REFERENCE_SHAPE.2;
/// Bytes of a reference's maps.
const BYTES: usize = TURNS * MAP_BYTES;

impl OnnxMatcher {
    /// Tells models apart: maps of one mean nothing to another.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The maps of references, as bytes, one entry a reference. Their pictures can't be had
    /// back from them.
    ///
    /// # Errors
    /// When the model can't be run.
    pub fn maps(&self, references: &[RgbImage]) -> Result<Vec<Vec<u8>>, VisionError> {
        let maps = reference_maps(self.network.as_ref(), references)?;
        let byte = |v: &f32| ((v * STEPS).round().clamp(-STEPS, STEPS) as i8).to_ne_bytes()[0];
        Ok(maps.chunks(TURNS).map(|tile| tile.iter().flatten().map(byte).collect()).collect())
    }

    /// A gallery of references of which only the maps are known.
    ///
    /// # Errors
    /// [`VisionError::Recogniser`] when a map has not the size of one.
    pub fn gallery(&self, maps: &[Vec<u8>]) -> Result<Box<dyn Gallery>, VisionError> {
        if let Some(odd) = maps.iter().find(|m| m.len() != BYTES) {
            return Err(VisionError::Recogniser(format!("a map has {} bytes, not {BYTES}", odd.len())));
        }
        let number = |b: &u8| f32::from(i8::from_ne_bytes([*b])) / STEPS;
        let maps: Result<Vec<Array3<f32>>, ShapeError> = maps
            .iter()
            .flat_map(|tile| tile.chunks_exact(MAP_BYTES))
            .map(|turn| Ok(ArrayView3::from_shape(REFERENCE_SHAPE, turn)?.map(number)))
            .collect();
        let maps = maps.map_err(|e| VisionError::Recogniser(e.to_string()))?;
        Ok(Box::new(MapGallery::of_maps(self.network.clone(), SEARCH, maps)))
    }
}
