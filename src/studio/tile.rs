//! Draws a tile.

use image::RgbImage;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use tiny_skia::{Pixmap, Transform};

use super::brush::Brush;
use super::finish::finish;
use super::layout::{Layout, Wobble};
use super::paint::Surfaces;
use super::props::{Props, is_ground, stands};
use super::style::{Style, lit};
use crate::rules::Face;

/// The most pixels a side that are drawn.
const MOST_PX: u32 = 4096;

/// Draws the upright tile, cut to its edges, `size_px` pixels a side (1 to
/// 4096). Tiles of one face differ in small things by `variant`; the same
/// arguments give the same picture. Paths meet the border at the middles of
/// sides and areas at corners and middles, so that neighbours line up.
pub fn draw_tile(face: &Face, variant: u64, style: &Style, size_px: u32) -> RgbImage {
    let size = size_px.clamp(1, MOST_PX);
    let mut rng = Pcg64Mcg::seed_from_u64(variant ^ u64::from(style.seed) << 20);
    let variant = (variant as u32).wrapping_mul(0x9E37_79B1) ^ (variant >> 32) as u32;
    let wobble =
        Wobble { amount: style.wobble, path_half_width: style.path_half_width, seed: style.seed ^ variant };
    let layout = Layout::new(face, wobble);
    let pixel = 1.0 / size as f32;
    let surfaces = Surfaces { face, layout: &layout, style, variant, pixel };
    let Some(mut map) = Pixmap::new(size, size) else { return RgbImage::new(size, size) };
    for (i, p) in map.data_mut().chunks_exact_mut(4).enumerate() {
        let at = |v: usize| (v as f32 + 0.5) * pixel;
        let colour = surfaces.colour(at(i % size as usize), at(i / size as usize));
        for (to, c) in p.iter_mut().zip(colour) {
            *to = (c.clamp(0.0, 1.0) * 255.0).round() as u8;
        }
        p[3] = 255;
    }
    let scale = Transform::from_scale(size as f32, size as f32);
    let mut brush = Brush::new(&mut map, scale);
    for border in &layout.borders {
        let visible = border.points.split(|(x, y)| layout.square_depth(*x, *y, style.square_corners) > 0.0);
        for points in visible.filter(|p| p.len() > 1) {
            draw_border(&mut brush, face, style, border.between, points);
        }
    }
    Props { face, layout: &layout, style, rng: &mut rng, brush, taken: Vec::new() }.draw();
    finish(&mut map, style, variant);
    let rgb = map.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    RgbImage::from_raw(size, size, rgb).unwrap_or_else(|| RgbImage::new(size, size))
}

/// A line of ink where something stands up, a fainter one along paths, a hedge
/// between two parts of open ground.
fn draw_border(brush: &mut Brush, face: &Face, style: &Style, (a, b): (u8, u8), points: &[(f32, f32)]) {
    let (ink, width) = (style.palette.ink, style.ink_width);
    if stands(face, a) || stands(face, b) {
        brush.line(points, ink, 0.9, width);
    } else if is_ground(face, a) && is_ground(face, b) {
        brush.line(points, ink, 0.75, 0.034 + 1.2 * width);
        brush.line(points, style.palette.leaf, 1.0, 0.034);
        brush.line(points, lit(style.palette.leaf, 1.25), 0.8, 0.012);
    } else {
        brush.line(points, ink, 0.45, 0.6 * width);
    }
}
