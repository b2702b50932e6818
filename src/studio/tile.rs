//! Draws a tile.

use image::{Rgb, RgbImage};

use super::style::Style;
use crate::rules::{Face, FaceMap};

/// Draws the upright tile, cut to its edges, `size_px` pixels a side. Tiles of
/// one face differ in small things by `variant`; the same arguments give the
/// same picture.
pub fn draw_tile(face: &Face, variant: u64, style: &Style, size_px: u32) -> RgbImage {
    let map = FaceMap::new(face);
    RgbImage::from_fn(size_px, size_px, |x, y| {
        let at = |v: u32| (v as f32 + 0.5) / size_px as f32;
        let speck = (u64::from(x) * 31 + u64::from(y) * 17 + variant * 7) % 5;
        let colour = map
            .segment_at(at(x), at(y))
            .and_then(|i| face.segments().get(i))
            .map_or(style.ink, |s| style.colour(s.kind));
        Rgb(colour.map(|c| c.saturating_add(speck as u8 * 3)))
    })
}
