//! A tile that is found in a cell of the grid.

use image::RgbImage;

use crate::vision::base::geometry::Quad;
use crate::vision::tiles::recogniser::Comparison;
use crate::vision::tiles::refine::ALIKE;

/// From this likeness on, a tile of the deck may lie there, most of it hidden or plain: colours
/// tell. In one rendered film tiles under followers have 0.43 and more, bare tables up to 0.46.
pub const PERHAPS: f32 = 0.36;

/// Posterior above which a name is sure enough to tell of the light and to be kept: wrong names would colour
/// all others.
pub const SURELY: f32 = 0.9;

/// A cell in which a tile lies.
#[derive(Clone, Debug)]
pub struct FoundTile {
    /// Its corners in the photo.
    pub quad: Quad,
    /// Of [`CROP_PX`](crate::vision::base::crop::CROP_PX) a side.
    pub crop: RgbImage,
    /// How it compares with the deck's tiles.
    pub comparison: Comparison,
    /// How alike it is to the tile that fits best: -1 to 1.
    pub likeness: f32,
    /// Whether it is taken in though it is like no tile, because the table is not seen there: a
    /// tile that is plain, pale or hidden by figures.
    pub stands_out: bool,
    /// Whether what is little like a tile has the colours of the table beyond its free sides, as a hole
    /// between tiles has.
    pub as_table: bool,
}

impl FoundTile {
    /// Whether a tile of the deck lies there and its name is sure.
    pub fn is_surely_named(&self) -> bool {
        self.likeness >= ALIKE && self.comparison.posterior() > SURELY
    }
}
