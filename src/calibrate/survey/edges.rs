//! Reads colours of a photo between pixels, and finds how wide a wall is.

use image::RgbImage;

use super::lattice_fit::Fit;

/// Widths that a wall may have, tile sides.
const WIDTHS: (f32, f32) = (0.3, 0.95);
/// The outer edge is so strong at least, next to the strongest line there is.
const LAST: f32 = 0.6;
/// The length of the pieces that sides are measured in, and what is left out at
/// their ends, where towers stand; tile sides.
const PIECE: f32 = 0.33;
const ENDS: f32 = 0.8;
/// Lines across a piece.
const LINES: usize = 12;
/// The step across, tile sides.
const STEP: f32 = 0.005;

/// The colours of a photo at places between pixels.
pub struct Sampler<'a> {
    picture: &'a RgbImage,
}

impl<'a> Sampler<'a> {
    /// Over a photo, not copied.
    pub fn new(picture: &'a RgbImage) -> Sampler<'a> {
        Sampler { picture }
    }

    /// The colour at a pixel place, 0 to 255; `None` outside.
    pub fn at(&self, (u, v): (f32, f32)) -> Option<[f32; 3]> {
        let (w, h) = self.picture.dimensions();
        if !(u >= 0.0 && v >= 0.0 && u < w as f32 - 1.0 && v < h as f32 - 1.0) {
            return None;
        }
        let (x, y) = (u as usize, v as usize);
        let (a, b) = (u - x as f32, v - y as f32);
        let raw = self.picture.as_raw();
        let start = 3 * (y * w as usize + x);
        let below = start + 3 * w as usize;
        let (top, bottom) = (raw.get(start..start + 6)?, raw.get(below..below + 6)?);
        let part = |i: usize| {
            let upper = f32::from(top[i]) * (1.0 - a) + f32::from(top[i + 3]) * a;
            let lower = f32::from(bottom[i]) * (1.0 - a) + f32::from(bottom[i + 3]) * a;
            upper * (1.0 - b) + lower * b
        };
        Some([part(0), part(1), part(2)])
    }
}

/// How wide the wall is, in tile sides, by its outer upper edge.
pub fn width(fit: &Fit, photo: &RgbImage) -> f32 {
    let sampler = Sampler::new(photo);
    let count = ((WIDTHS.1 - WIDTHS.0) / STEP) as usize;
    let mut sum = vec![0.0; count];
    for side in 0..fit.corners.len() {
        let ((ax, ay), (bx, by)) = fit.ends(side);
        let length = (bx - ax).abs() + (by - ay).abs();
        let ends = ENDS.min(0.3 * length);
        let pieces = ((length - 2.0 * ends) / PIECE).round().max(1.0);
        for i in 0..pieces as usize {
            let part = |k: f32| (ends + (i as f32 + k) / pieces * (length - 2.0 * ends)) / length;
            let at = |k: f32| (ax + (bx - ax) * part(k), ay + (by - ay) * part(k));
            let Some(changes) = changes(&sampler, fit, at, fit.outwards(side), count) else { continue };
            let top = changes.iter().copied().fold(1e-3, f32::max);
            sum.iter_mut().zip(&changes).for_each(|(s, v)| *s += v / top);
        }
    }
    tracing::debug!(?sum, "width");
    // Lines of print along the edge can be as strong as the edge; it is the last.
    let top = sum.iter().copied().fold(0.0, f32::max);
    let value = |i: usize| sum.get(i).copied().unwrap_or(0.0);
    let last = (1..sum.len())
        .rev()
        .find(|i| value(*i) > LAST * top && value(*i) >= value(i - 1) && value(*i) >= value(i + 1));
    last.map_or(0.5, |i| WIDTHS.0 + i as f32 * STEP)
}

/// How strongly the colour changes across a piece at each width; `at` says where
/// a part of the piece lies.
fn changes(
    sampler: &Sampler,
    fit: &Fit,
    at: impl Fn(f32) -> (f32, f32),
    out: (f32, f32),
    count: usize,
) -> Option<Vec<f32>> {
    let mut means = Vec::with_capacity(count + 4);
    for i in 0..count + 4 {
        let d = WIDTHS.0 + (i as f32 - 2.0) * STEP;
        let mut sum = [0.0; 3];
        for line in 0..LINES {
            let (x, y) = at((line as f32 + 0.5) / LINES as f32);
            let colour = sampler.at(fit.pose.project(x + d * out.0, y + d * out.1, 0.0))?;
            sum.iter_mut().zip(colour).for_each(|(s, c)| *s += c / LINES as f32);
        }
        means.push(sum);
    }
    let step = |w: &[[f32; 3]]| (0..3).map(|k| (w[4][k] - w[0][k]).powi(2)).sum::<f32>().sqrt();
    Some(means.windows(5).map(step).collect())
}
