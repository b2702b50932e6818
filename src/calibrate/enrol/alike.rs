//! Which tiles of a deck look alike: the same tile photographed twice, or prints
//! that differ in little.

use image::{RgbImage, imageops};

use crate::vision::base::crop::{CELL_PX, CROP_PX, MARGIN_PX};
use crate::vision::base::error::VisionError;
use crate::vision::tiles::overlay::Overlays;
use crate::vision::tiles::recogniser::Matcher;

/// Least score of a tile against another, as a share of its score against itself, for the
/// two to be compared more closely.
const NEAR: f32 = 0.8;

/// Two tiles that look alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The earlier tile's index.
    pub first: usize,
    /// The later one's.
    pub second: usize,
    /// Clockwise quarter turns of the first that make it look like the second.
    pub turn: u8,
    /// The score of one under the other's name as a share of the score under its
    /// own: 1 would be the same picture.
    pub score: f32,
    /// The correlation of the two pictures laid over one another, -1 to 1.
    pub fit: f32,
}

/// Pairs of pictures (upright, cut to their edges, any size) that look alike,
/// the most alike first.
///
/// # Errors
/// The matcher's own, or [`VisionError::OpenCv`].
pub fn pairs(pictures: &[RgbImage], matcher: &dyn Matcher) -> Result<Vec<Pair>, VisionError> {
    if pictures.is_empty() {
        return Ok(Vec::new());
    }
    let upright: Vec<RgbImage> = pictures.iter().map(cell_of).collect();
    let crops: Vec<RgbImage> = upright.iter().map(with_margin).collect();
    let seen = matcher.enrol(&upright)?.compare(&crops)?;
    let overlays = Overlays::new(&upright);
    let mut found = Vec::new();
    for second in 0..upright.len() {
        for first in 0..second {
            let own = seen[second].scores[second][0].min(seen[first].scores[first][0]).max(1e-3);
            let turn = (0..4_usize)
                .max_by(|a, b| seen[second].scores[first][*a].total_cmp(&seen[second].scores[first][*b]))
                .unwrap_or(0);
            let back = (4 - turn) % 4;
            let score = seen[second].scores[first][turn].max(seen[first].scores[second][back]) / own;
            if score < NEAR {
                continue;
            }
            let fit = overlays.lay(&crops[second], first, turn as u8)?.map_or(0.0, |o| o.fit);
            found.push(Pair { first, second, turn: turn as u8, score, fit });
        }
    }
    found.sort_by(|a, b| {
        (b.score + b.fit).total_cmp(&(a.score + a.fit)).then((a.first, a.second).cmp(&(b.first, b.second)))
    });
    Ok(found)
}

fn cell_of(picture: &RgbImage) -> RgbImage {
    imageops::resize(picture, CELL_PX, CELL_PX, imageops::FilterType::Triangle)
}

/// A crop of a tile that is cut to its edges.
pub(super) fn crop_of(picture: &RgbImage) -> RgbImage {
    with_margin(&cell_of(picture))
}

/// A crop of which only the cell is known: its edge is drawn out.
fn with_margin(cell: &RgbImage) -> RgbImage {
    let inside = |v: u32| v.saturating_sub(MARGIN_PX).min(CELL_PX - 1);
    RgbImage::from_fn(CROP_PX, CROP_PX, |x, y| *cell.get_pixel(inside(x), inside(y)))
}
