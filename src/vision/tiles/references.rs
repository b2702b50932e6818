//! The deck's pictures, as soft as the photo that they are compared with.

use image::RgbImage;

use super::align::Templates;
use super::blur::{self, softened};
use super::colour_model::Prints;
use super::overlay::Overlays;
use super::recogniser::Gallery;
use super::refine::Refiner;
use crate::vision::base::error::VisionError;

/// Difference of the photo's blur from the pictures' above which they are softened anew,
/// pixels of a cell.
const SLACK: f32 = 0.4;

/// A deck's upright pictures in all forms that cells are compared with.
pub struct Pictures {
    /// As they were enrolled.
    sharp: Vec<RgbImage>,
    /// How far they are softened, pixels of a cell.
    blur: f32,
    /// What the matcher learned from them.
    pub gallery: Box<dyn Gallery>,
    /// Softened, to be fitted to cells.
    pub templates: Templates,
    /// To be laid over crops.
    pub overlays: Overlays,
    /// To learn the light from.
    pub prints: Prints,
}

impl Pictures {
    /// Pictures as they were enrolled; `gallery` holds the same.
    pub fn new(gallery: Box<dyn Gallery>, references: &[RgbImage]) -> Pictures {
        Pictures {
            sharp: references.to_vec(),
            blur: 0.0,
            gallery,
            overlays: Overlays::new(references),
            prints: Prints::new(references),
            templates: Templates::new(references.to_vec()),
        }
    }

    /// What fits them to cells.
    pub fn refiner(&self) -> Refiner<'_> {
        Refiner { templates: &self.templates, gallery: self.gallery.as_ref(), colours: &[] }
    }

    /// Makes them as soft as a photo in which tiles are known; whether that
    /// changed them.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`], or the matcher's own.
    pub fn soften(&mut self, known: &[blur::Known<'_>]) -> Result<bool, VisionError> {
        let Some(blur) = blur::measured(known, &self.sharp)?.filter(|b| (b - self.blur).abs() > SLACK) else {
            return Ok(false);
        };
        tracing::debug!(blur, before = self.blur, "softened");
        let references = softened(&self.sharp, blur)?;
        self.gallery = self.gallery.learned_from(&references)?;
        self.overlays = Overlays::new(&references);
        self.prints = Prints::new(&references);
        self.templates = Templates::new(references);
        self.blur = blur;
        Ok(true)
    }
}
