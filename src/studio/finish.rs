//! The last pass over a drawing: the manner of the style, and grain.

use tiny_skia::Pixmap;

use super::noise::{self, hash, step};
use super::style::{Manner, Rgb, Style, lit, luma, mix};

/// Turns a painted tile into the style's manner. Pixels keep their alpha; the
/// picture is a tile side wide for the size of strokes.
pub(super) fn finish(map: &mut Pixmap, style: &Style, variant: u32) {
    let side = map.width();
    finish_scaled(map, style, variant, side);
}

/// As [`finish`], for a picture in which a tile side is `side` pixels.
pub(super) fn finish_scaled(map: &mut Pixmap, style: &Style, variant: u32, side: u32) {
    let seed = style.seed ^ variant.wrapping_mul(3);
    let width = map.width() as usize;
    let scale = 1.0 / side.max(1) as f32;
    for (i, p) in map.data_mut().chunks_exact_mut(4).enumerate() {
        if p[3] == 0 {
            continue;
        }
        let (px, py) = (i % width, i / width);
        let (x, y) = (px as f32 * scale, py as f32 * scale);
        let alpha = f32::from(p[3]) / 255.0;
        let own: Rgb = [p[0], p[1], p[2]].map(|c| f32::from(c) / 255.0 / alpha);
        let mut c = match style.manner {
            Manner::Painted | Manner::Flat => own,
            Manner::Engraved => engraved(own, style, x, y, seed),
            Manner::Washed => washed(own, style, x, y, seed),
            Manner::Crayon => crayon(own, style, x, y, seed),
        };
        let speck = hash(px as i32, py as i32, seed) - 0.5;
        let coarse = hash((x * 190.0) as i32, (y * 190.0) as i32, seed ^ 0x9) - 0.5;
        c = c.map(|v| v + style.grain * (0.05 * speck + 0.05 * coarse));
        for (to, v) in p.iter_mut().zip(c) {
            *to = (v.clamp(0.0, 1.0) * alpha * 255.0).round() as u8;
        }
    }
}

fn engraved(own: Rgb, style: &Style, x: f32, y: f32, seed: u32) -> Rgb {
    let dark = 1.0 - luma(own);
    let bend = 0.25 * noise::value(5.0 * x, 5.0 * y, seed);
    let line = |u: f32, v: f32, every: f32| ((u + v) / every + bend).rem_euclid(1.0);
    let hatch = |f: f32, share: f32| 1.0 - step(share - 0.12, share + 0.12, (2.0 * f - 1.0).abs());
    let mut ink = hatch(line(x, 0.7 * y, 0.026), dark * 0.8);
    if dark > 0.55 {
        ink = ink.max(hatch(line(-0.7 * x, y, 0.026), (dark - 0.45) * 1.2));
    }
    let tinted = mix(style.palette.paper, own, 0.55);
    mix(tinted, style.palette.ink, 0.7 * ink)
}

fn washed(own: Rgb, style: &Style, x: f32, y: f32, seed: u32) -> Rgb {
    let pool = 0.5 + 0.5 * noise::mottle(6.0 * x, 6.0 * y, seed);
    let paper = 0.5 + 0.5 * noise::value(90.0 * x, 90.0 * y, seed ^ 0x21);
    let thin = mix(style.palette.paper, own, 0.45 + 0.35 * pool);
    lit(thin, 0.94 + 0.1 * paper)
}

fn crayon(own: Rgb, style: &Style, x: f32, y: f32, seed: u32) -> Rgb {
    let stroke = noise::value(24.0 * (x + y), 80.0 * (x - y), seed);
    let tooth = noise::value(120.0 * x, 120.0 * y, seed ^ 0x42);
    mix(own, style.palette.paper, 0.55 * step(0.0, 0.9, 0.7 * stroke + 0.5 * tooth))
}
