//! Reads colours of a photo between pixels, and finds how wide a wall is.

use image::RgbImage;

use super::lattice_fit::Fit;

/// How the width of a wall is measured. Lengths are tile sides.
struct Measure {
    /// Least and largest width of a wall.
    widths: (f32, f32),
    /// The width where no outer edge is seen.
    usual: f32,
    /// Step across.
    step: f32,
    /// Length of the pieces that a side is measured in, each by itself.
    piece: f32,
    /// What is left out at each end of a side, where towers stand; of a short side the
    /// second, as a share of its length.
    ends: (f32, f32),
    /// Lines across a piece whose mean is taken.
    lines: usize,
    /// Least strength of the outer edge, as a share of the strongest line. Smaller takes
    /// what lies beside the wall for its edge, larger the print inside of it.
    last: f32,
}

const MEASURE: Measure = Measure {
    widths: (0.3, 0.95),
    usual: 0.5,
    step: 0.005,
    piece: 0.33,
    ends: (0.8, 0.3),
    lines: 12,
    last: 0.6,
};

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
    let count = ((MEASURE.widths.1 - MEASURE.widths.0) / MEASURE.step) as usize;
    let mut sum = vec![0.0; count];
    for side in 0..fit.corners.len() {
        let ((ax, ay), (bx, by)) = fit.ends(side);
        let length = (bx - ax).abs() + (by - ay).abs();
        let ends = MEASURE.ends.0.min(MEASURE.ends.1 * length);
        let pieces = ((length - 2.0 * ends) / MEASURE.piece).round().max(1.0);
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
        .find(|i| value(*i) > MEASURE.last * top && value(*i) >= value(i - 1) && value(*i) >= value(i + 1));
    last.map_or(MEASURE.usual, |i| MEASURE.widths.0 + i as f32 * MEASURE.step)
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
        let d = MEASURE.widths.0 + (i as f32 - 2.0) * MEASURE.step;
        let mut sum = [0.0; 3];
        for line in 0..MEASURE.lines {
            let (x, y) = at((line as f32 + 0.5) / MEASURE.lines as f32);
            let colour = sampler.at(fit.pose.project(x + d * out.0, y + d * out.1, 0.0))?;
            sum.iter_mut().zip(colour).for_each(|(s, c)| *s += c / MEASURE.lines as f32);
        }
        means.push(sum);
    }
    let step = |w: &[[f32; 3]]| (0..3).map(|k| (w[4][k] - w[0][k]).powi(2)).sum::<f32>().sqrt();
    Some(means.windows(5).map(step).collect())
}
