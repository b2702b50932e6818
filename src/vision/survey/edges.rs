//! Measures the wall's upper edges: the camera to a hundredth of a tile side, how
//! high the wall stands and how wide it is.

use image::RgbImage;

use super::super::VisionError;
use super::super::pose::{Pose, Sighting};
use super::contour::Border;
use super::lattice_fit::{Fit, settle};

/// Heights that are tried, tile sides.
const HEIGHT_STEP: f32 = 0.02;
/// How far from a first fit edges are looked for, tile sides.
const REACH: f32 = 0.06;
/// An edge so far from where it should be counts for a third, tile sides.
const NEAR: f32 = 0.008;
const HEIGHT_MOST: f32 = 0.26;
/// Widths that a wall may have, tile sides.
const WIDTHS: (f32, f32) = (0.3, 0.95);
/// The outer edge is so strong at least, next to the strongest line there is.
const LAST: f32 = 0.75;
/// The length of the pieces that sides are measured in, tile sides.
const PIECE: f32 = 0.33;
/// Lines across a piece.
const LINES: usize = 12;

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

/// A piece of a side of the outline.
#[derive(Clone, Copy, Debug)]
struct Piece {
    side: usize,
    from: (f32, f32),
    to: (f32, f32),
    out: (f32, f32),
}

impl Piece {
    fn middle(&self) -> (f32, f32) {
        ((self.from.0 + self.to.0) / 2.0, (self.from.1 + self.to.1) / 2.0)
    }
}

/// All sides in pieces; their ends are left out, where towers stand.
fn pieces(fit: &Fit, ends: f32) -> Vec<Piece> {
    let mut all = Vec::new();
    for side in 0..fit.corners.len() {
        let ((ax, ay), (bx, by)) = fit.ends(side);
        let length = (bx - ax).abs() + (by - ay).abs();
        let ends = ends.min(0.3 * length);
        let count = ((length - 2.0 * ends) / PIECE).round().max(1.0);
        let at = |t: f32| (ax + (bx - ax) * t / length, ay + (by - ay) * t / length);
        for i in 0..count as usize {
            let step = (length - 2.0 * ends) / count;
            let from = ends + i as f32 * step;
            all.push(Piece { side, from: at(from), to: at(from + step), out: fit.outwards(side) });
        }
    }
    all
}

/// How strongly the colour changes across a piece, at each step outwards from
/// `low`; colours are averaged along the piece.
fn changes(
    sampler: &Sampler,
    pose: &Pose,
    piece: &Piece,
    low: f32,
    step: f32,
    count: usize,
) -> Option<Vec<f32>> {
    let mut means = Vec::with_capacity(count + 2);
    for i in 0..count + 2 {
        let d = low + (i as f32 - 1.0) * step;
        let mut sum = [0.0; 3];
        for line in 0..LINES {
            let t = (line as f32 + 0.5) / LINES as f32;
            let x = piece.from.0 + t * (piece.to.0 - piece.from.0) + d * piece.out.0;
            let y = piece.from.1 + t * (piece.to.1 - piece.from.1) + d * piece.out.1;
            let colour = sampler.at(pose.project(x, y, 0.0))?;
            for (s, c) in sum.iter_mut().zip(colour) {
                *s += c / LINES as f32;
            }
        }
        means.push(sum);
    }
    Some(
        (0..count)
            .map(|i| {
                let (a, b) = (means[i], means[i + 2]);
                (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt()
            })
            .collect(),
    )
}

/// A fit to the wall's upper edge.
#[derive(Clone, Debug)]
pub struct Raised {
    /// The outline and the camera.
    pub fit: Fit,
    /// How high the wall stands over the table, tile sides, roughly.
    pub height: f32,
    /// How the picture bears it out.
    pub quality: Quality,
}

/// How a fit is borne out by the picture.
#[derive(Clone, Copy, Debug)]
pub struct Quality {
    /// How strong the edges are that lie where the fit says, next to the
    /// strongest near them: 0 to 1, the mean of all pieces.
    pub borne: f32,
    /// The median distance of the edges from the fit, tile sides.
    pub error: f32,
}

/// Finds how high the wall stands over the table, tile sides, and moves the fit
/// from where the inside was seen to end to the wall's upper edge.
///
/// Under the upper edge there may be the lower one, and beyond it lines of
/// print. Only the upper edge is one plane all round: where the inner face is
/// hidden it is the first edge, elsewhere the second.
///
/// # Errors
/// [`VisionError`] from the fitting.
pub fn raise(fit: &Fit, border: &Border, photo: &RgbImage) -> Result<Raised, VisionError> {
    let sampler = Sampler::new(photo);
    let mut from = fit.clone();
    let mut best: Option<Raised> = None;
    for i in 0..=(HEIGHT_MOST / HEIGHT_STEP) as usize {
        let height = i as f32 * HEIGHT_STEP;
        settle(&mut from, border, height, 2)?;
        let mut trial = from.clone();
        sharpen(&mut trial, &sampler, REACH)?;
        let quality = borne_out(&trial, &sampler);
        tracing::debug!(height, first = from.error, ?quality, "height");
        if best.as_ref().is_none_or(|b| quality.borne > b.quality.borne) {
            best = Some(Raised { fit: trial, height, quality });
        }
    }
    if let Some(first) = &best {
        let mut fit = first.fit.clone();
        sharpen(&mut fit, &sampler, REACH / 2.0)?;
        let quality = borne_out(&fit, &sampler);
        if quality.borne > first.quality.borne {
            best = Some(Raised { fit, height: first.height, quality });
        }
    }
    Ok(best.unwrap_or(Raised { fit: fit.clone(), height: 0.0, quality: Quality { borne: 0.0, error: 1.0 } }))
}

/// The strongest edge near each piece: the piece, how far outwards of the fit it
/// is, how strong, and the strongest edge in a wider stretch.
fn strongest(fit: &Fit, sampler: &Sampler, reach: f32, ends: f32) -> Vec<(Piece, f32, f32)> {
    let px = fit.pose.tile_px(fit.pose.aim().0, fit.pose.aim().1).max(8.0);
    let step = (0.5 / px).clamp(0.002, 0.02);
    let count = (2.0 * reach / step) as usize + 1;
    let mut found = Vec::new();
    for piece in pieces(fit, ends) {
        let Some(g) = changes(sampler, &fit.pose, &piece, -reach, step, count) else { continue };
        let Some((at, strength)) = g.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)) else {
            continue;
        };
        if at == 0 || at + 1 == g.len() {
            continue;
        }
        let bend = g[at - 1] - 2.0 * g[at] + g[at + 1];
        let part = if bend < -1e-6 { 0.5 * (g[at - 1] - g[at + 1]) / bend } else { 0.0 };
        found.push((piece, -reach + (at as f32 + part) * step, strength));
    }
    found
}

/// Fits the camera to the edges near the fit.
fn sharpen(fit: &mut Fit, sampler: &Sampler, reach: f32) -> Result<(), VisionError> {
    for reach in [1.0, 0.8, 0.6, 0.45].map(|k| k * reach) {
        let sightings: Vec<Sighting> = strongest(fit, sampler, reach, 0.2)
            .into_iter()
            .filter(|(_, _, strength)| *strength > 4.0)
            .map(|(piece, d, _)| {
                let (x, y) = piece.middle();
                let frame = fit.pose.project(x + d * piece.out.0, y + d * piece.out.1, 0.0);
                Sighting { board: (x, y), depth: 0.0, frame, weight: 1.0 }
            })
            .collect();
        if sightings.len() < 20 {
            break;
        }
        fit.pose = fit.pose.fitted(&sightings, false)?;
    }
    Ok(())
}

fn borne_out(fit: &Fit, sampler: &Sampler) -> Quality {
    let all = pieces(fit, 0.2).len().max(1) as f32;
    let near = strongest(fit, sampler, 0.03, 0.2);
    let wide = strongest(fit, sampler, 0.12, 0.2);
    let mut borne = 0.0;
    let mut errors: Vec<f32> = Vec::new();
    for (piece, d, strength) in &near {
        let top = wide
            .iter()
            .find(|w| w.0.from == piece.from && w.0.side == piece.side)
            .map_or(*strength, |w| w.2.max(*strength))
            .max(6.0);
        borne += (strength / top).sqrt() * (-(d / NEAR).powi(2)).exp();
        errors.push(d.abs());
    }
    errors.sort_by(f32::total_cmp);
    Quality { borne: borne / all, error: errors.get(errors.len() / 2).copied().unwrap_or(1.0) }
}

/// How wide the wall is, in tile sides, by its outer upper edge.
pub fn width(fit: &Fit, photo: &RgbImage) -> f32 {
    let sampler = Sampler::new(photo);
    let step = 0.01;
    let count = ((WIDTHS.1 - WIDTHS.0) / step) as usize;
    let mut sum = vec![0.0; count];
    for piece in pieces(fit, 0.8) {
        let Some(g) = changes(&sampler, &fit.pose, &piece, WIDTHS.0, step, count) else { continue };
        let top = g.iter().copied().fold(1e-3, f32::max);
        for (s, v) in sum.iter_mut().zip(&g) {
            *s += v / top;
        }
    }
    tracing::debug!(?sum, "width");
    // Lines of print along the edge can be as strong as the edge; it is the last.
    let top = sum.iter().copied().fold(0.0, f32::max);
    let value = |i: usize| sum.get(i).copied().unwrap_or(0.0);
    let last = (1..sum.len())
        .rev()
        .find(|i| value(*i) > LAST * top && value(*i) >= value(i - 1) && value(*i) >= value(i + 1));
    last.map_or(0.5, |i| WIDTHS.0 + i as f32 * step)
}
