//! What a matcher is, and what it says of a crop.

use image::RgbImage;

use crate::vision::base::error::VisionError;

/// How a crop compares with every tile of a gallery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// For each tile of the gallery and each clockwise quarter turn of it, how
    /// well it fits: higher is better, comparable within one crop only. The
    /// scale is that of a logarithm of a likelihood: a soft-max over all of them
    /// gives what the crop alone says.
    pub scores: Vec<[f32; 4]>,
    /// How surely a tile lies there: 0 to 1.
    pub occupied: f32,
    /// How surely something hides it: 0 to 1.
    pub covered: f32,
    /// For each tile, where its best pose lies off the crop's middle, in cell
    /// sides (right, down); empty where a matcher does not say.
    pub shift: Vec<(f32, f32)>,
}

impl Comparison {
    /// All readings with their scores: the tile's place in the gallery and its
    /// clockwise quarter turns.
    fn readings(&self) -> impl Iterator<Item = (usize, u8, f32)> {
        let tiles = self.scores.iter().enumerate();
        tiles.flat_map(|(tile, turns)| (0..4).zip(turns).map(move |(turn, score)| (tile, turn, *score)))
    }

    /// The likeliest readings with their scores, best first, at most so many.
    pub fn likeliest(&self, most: usize) -> Vec<(usize, u8, f32)> {
        let mut readings: Vec<(usize, u8, f32)> = self.readings().filter(|r| r.2.is_finite()).collect();
        readings.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        readings.truncate(most);
        readings
    }

    /// The likeliest reading: the tile's place in the gallery and its clockwise
    /// quarter turns.
    pub fn best(&self) -> Option<(usize, u8)> {
        self.readings().max_by(|a, b| a.2.total_cmp(&b.2)).map(|(tile, turn, _)| (tile, turn))
    }

    /// The score of the likeliest reading; less than any number when there is
    /// none.
    pub fn highest(&self) -> f32 {
        self.scores.iter().flatten().copied().fold(f32::NEG_INFINITY, f32::max)
    }

    /// How likely it is that a tile lies there in full view, 0 to 1.
    pub fn in_view(&self) -> f32 {
        self.occupied - self.covered
    }

    /// Posterior of the likeliest reading: its part of a softmax over all, 0 to 1.
    pub fn posterior(&self) -> f32 {
        let best = self.highest();
        let total: f32 = self.scores.iter().flatten().map(|s| (s - best).exp()).sum();
        if total > 0.0 { 1.0 / total } else { 0.0 }
    }
}

/// A way to compare crops with reference pictures.
pub trait Matcher: Send + Sync {
    /// Its name in tables.
    fn name(&self) -> &str;
    /// Learns the references, upright pictures of
    /// [`CELL_PX`](crate::vision::base::crop::CELL_PX) a side, one a tile.
    ///
    /// # Errors
    /// When the model can't be run.
    fn enrol(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError>;
}

/// References that crops are compared with.
pub trait Gallery: Send + Sync {
    /// Compares crops of [`CROP_PX`](crate::vision::base::crop::CROP_PX) a side with every
    /// reference; one answer a crop, in their order.
    ///
    /// # Errors
    /// When the model can't be run.
    fn compare(&self, crops: &[RgbImage]) -> Result<Vec<Comparison>, VisionError>;
    /// What the same matcher learns from other pictures of the references.
    ///
    /// # Errors
    /// When the model can't be run.
    fn learned_from(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError>;
}
