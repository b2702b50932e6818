//! Moves a cell's corners so that the picture there fits a tile's reference: Lucas and
//! Kanade's alignment in its inverse compositional form, coarse to fine.

use std::sync::OnceLock;

use image::{Rgb, RgbImage};

use crate::vision::base::colour::{distance, lab_of_linear, linear_of_byte, shades};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Point, Quad};
use crate::vision::base::photo::Pyramid;

/// The side of the pictures that are compared, without margin.
const PX: u32 = 64;
/// Margin of the crop, so that it may move.
const MARGIN: u32 = 12;
/// The crop's side.
const WIDE: usize = (PX + 2 * MARGIN) as usize;
/// Standard deviations of the blurs in which greys are aligned, one after the other, pixels:
/// the first decides how far off a tile may lie, the second how exactly it is found.
const SIGMAS: [f32; 2] = [3.0, 1.2];
/// Blocks a side into which the likeness is split.
const BLOCKS: usize = 4;

/// How crops are aligned, and how alike they are then. `figure`, `rim` and `in_sight` are
/// guesses, tried on one rendered film of a classic game.
struct Settings {
    /// Standard deviation of the blur in which colours are compared, pixels.
    colour_sigma: f32,
    /// Share of the blocks, the best ones, that make the likeness: a follower or a finger
    /// hides some.
    kept: f32,
    /// Most steps at each blur.
    steps: usize,
    /// A step that moves no part by more, pixels at the cell's rim, is the last.
    settled: f32,
    /// Largest difference of a pixel that counts, in standard deviations: against occlusion.
    outlier: f32,
    /// Largest move, turn or stretch, as a share of a side.
    most: f32,
    /// Least standard deviation of grey, levels of 255, of a picture that can be aligned.
    structure: f32,
    /// Distance of colours up to which a pixel may be of a figure, in the units of
    /// [`crate::vision::base::colour::distance`]. Larger takes more of the print for figures.
    figure: f32,
    /// What is so near to a figure's pixel is of its rim or its shadow, pixels.
    rim: usize,
    /// Share of a block, and of all blocks, that must be in sight for its likeness to tell.
    in_sight: f32,
}

const SETTINGS: Settings = Settings {
    colour_sigma: 1.0,
    kept: 0.75,
    steps: 12,
    settled: 1e-3,
    outlier: 1.5,
    most: 0.2,
    structure: 0.3,
    figure: 14.0,
    rim: 3,
    in_sight: 0.5,
};

/// A cell's corners as they fit a reference best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The corners.
    pub quad: Quad,
    /// How alike crop and reference are after light is evened out: -1 to 1.
    pub likeness: f32,
}

/// The references of a deck, made ready for fitting as they are first needed.
pub struct Templates {
    references: Vec<RgbImage>,
    ready: Vec<OnceLock<Option<Template>>>,
}

impl Templates {
    /// Of upright references.
    pub fn new(references: Vec<RgbImage>) -> Templates {
        let ready = references.iter().map(|_| OnceLock::new()).collect();
        Templates { references, ready }
    }

    /// The upright picture of a tile, by its place in the deck.
    pub fn reference(&self, tile: usize) -> Option<&RgbImage> {
        self.references.get(tile)
    }

    /// A tile made ready; `None` where there is no such tile or its picture has no
    /// structure.
    pub fn get(&self, tile: usize) -> Option<&Template> {
        let (reference, ready) = (self.reference(tile)?, self.ready.get(tile)?);
        ready.get_or_init(|| Template::new(reference)).as_ref()
    }
}

/// A reference made ready for fitting, upright.
pub struct Template {
    /// Red, green and blue, smoothed, for the likeness.
    colours: [Vec<f32>; 3],
    /// Coarse first.
    scales: [Scale; SIGMAS.len()],
}

/// Grey at one smoothing, zero mean and unit spread.
struct Scale {
    grey: Vec<f32>,
    /// How the grey rises to the right and downwards, by the pixel. With a pixel's place they make the
    /// steepest descent of the six affine parameters.
    slopes: [Vec<f32>; 2],
    inverse: [[f64; 6]; 6],
}

/// A cell of a photo with what is round it, made ready to be fitted.
pub struct Window {
    quad: Quad,
    /// Red, green and blue, smoothed.
    colours: [Vec<f32>; 3],
    /// Grey, smoothed as the templates' scales are.
    greys: [Vec<f32>; SIGMAS.len()],
    /// 1 where figures may hide the tile, else 0; `None` where that is not asked.
    hidden: Option<Vec<f32>>,
    crop: RgbImage,
}

impl Window {
    /// The cell with these corners.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn new(photo: &Pyramid, quad: &Quad) -> Result<Window, VisionError> {
        let crop = photo.crop(quad, PX, MARGIN)?;
        let grey = grey(&crop);
        Ok(Window {
            quad: *quad,
            colours: channels(&crop).map(|c| blurred(&c, WIDE, SETTINGS.colour_sigma)),
            greys: SIGMAS.map(|sigma| blurred(&grey, WIDE, sigma)),
            hidden: None,
            crop,
        })
    }

    /// The same, to be compared without what has one of these colours, sRGB, in whatever
    /// shade: figures stand there.
    pub fn without(mut self, colours: &[[u8; 3]]) -> Window {
        let shades: Vec<[f32; 3]> = colours.iter().flat_map(|c| shades(*c, [1.0; 3])).collect();
        let is_figures = |p: &Rgb<u8>| {
            let seen = lab_of_linear(p.0.map(linear_of_byte));
            shades.iter().any(|shade| distance(*shade, seen) < SETTINGS.figure)
        };
        let figures: Vec<bool> = self.crop.pixels().map(is_figures).collect();
        let mut hidden = vec![0.0; WIDE * WIDE];
        for at in (0..WIDE * WIDE).filter(|at| figures[*at]) {
            let (x, y) = (at % WIDE, at / WIDE);
            let near = |v: usize| v.saturating_sub(SETTINGS.rim)..(v + SETTINGS.rim + 1).min(WIDE);
            for row in near(y) {
                hidden[row * WIDE..][near(x)].fill(1.0);
            }
        }
        self.hidden = Some(hidden);
        self
    }
}

impl Template {
    /// Prepares an upright reference; `None` for a picture without any structure.
    pub fn new(reference: &RgbImage) -> Option<Template> {
        let resized;
        let upright = if reference.dimensions() == (PX, PX) {
            reference
        } else {
            resized = image::imageops::resize(reference, PX, PX, image::imageops::FilterType::Triangle);
            &resized
        };
        let n = PX as usize;
        let grey = grey(upright);
        let [coarse, fine] = SIGMAS.map(|sigma| Scale::new(blurred(&grey, n, sigma)));
        Some(Template {
            colours: channels(upright).map(|c| blurred(&c, n, SETTINGS.colour_sigma)),
            scales: [coarse?, fine?],
        })
    }

    /// Fits the corners of a cell in which the tile lies after so many clockwise
    /// quarter turns, with small moves, turns and stretches (at most about a fifth
    /// of a side). Where no fit is found, the corners stay.
    pub fn fit(&self, window: &Window, rotation: u8) -> Fit {
        let mut pose = Pose::default();
        for (scale, source) in self.scales.iter().zip(&window.greys) {
            let mut moved = pose;
            for _ in 0..SETTINGS.steps {
                let step = scale.step(source, &moved, rotation);
                let Some(next) = step.and_then(|s| moved.after_undoing(&s).map(|p| (p, s))) else { break };
                moved = next.0;
                if next.1.iter().all(|v| v.abs() < SETTINGS.settled) {
                    break;
                }
            }
            if moved.is_small() {
                pose = moved;
            }
        }
        let still = self.likeness(window, &Pose::default(), rotation);
        let stays = Fit { quad: window.quad, likeness: still };
        let fitted = self.likeness(window, &pose, rotation);
        if fitted <= still {
            return stays;
        }
        let map = Homography::from_unit_square(&window.quad);
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let moved = Quad(corners.map(|p: Point| map.apply(pose.unit(p, rotation))));
        if moved.is_tile_like() { Fit { quad: moved, likeness: fitted } } else { stays }
    }

    /// The likeness of the colours over the best blocks of what is in sight; -1 where that is
    /// too little.
    fn likeness(&self, window: &Window, pose: &Pose, rotation: u8) -> f32 {
        let n = PX as usize;
        let block = n / BLOCKS;
        let warped: Vec<Vec<f32>> = window.colours.iter().map(|c| pose.warp(c, rotation)).collect();
        // 1 where the tile is in sight, else 0.
        let seen: Vec<f32> = match &window.hidden {
            None => vec![1.0; n * n],
            Some(hidden) => {
                let is_seen = |hidden: f32| if hidden < 0.5 { 1.0 } else { 0.0 };
                pose.warp(hidden, rotation).into_iter().map(is_seen).collect()
            }
        };
        let in_all = total(&seen, |v| v);
        if in_all < SETTINGS.in_sight * (n * n) as f32 {
            return -1.0;
        }
        let mut all = Vec::with_capacity(BLOCKS * BLOCKS);
        let spread = |values: &[f32]| {
            let weighed: Vec<f32> = values.iter().zip(&seen).map(|(v, seen)| v * seen).collect();
            let mean = total(&weighed, |v| v) / in_all;
            let apart = values.iter().zip(&seen).map(|(v, seen)| (v - mean) * (v - mean) * seen);
            (total(&apart.collect::<Vec<f32>>(), |v| v) / in_all).sqrt()
        };
        let floors: Vec<(f32, f32)> =
            (0..3).map(|c| (spread(&warped[c]), spread(&self.colours[c]))).collect();
        for by in 0..BLOCKS {
            for bx in 0..BLOCKS {
                let rows = || (by * block..(by + 1) * block).map(|y| y * n + bx * block);
                let count: f32 = rows().map(|row| total(&seen[row..row + block], |v| v)).sum();
                if count < SETTINGS.in_sight * (block * block) as f32 {
                    continue;
                }
                let (mut cross, mut aa, mut bb) = (0.0_f32, 0.0_f32, 0.0_f32);
                for (c, warped) in warped.iter().enumerate() {
                    let (ga, gb) = (1.0 / (floors[c].0 + 2.0), 1.0 / (floors[c].1 + 2.0));
                    let mut sums = [[0.0_f32; LANES]; 5];
                    for from in rows().flat_map(|row| (row..row + block).step_by(LANES)) {
                        let part = from..from + LANES;
                        let (seen, warped) = (&seen[part.clone()], &warped[part.clone()]);
                        let own = &self.colours[c][part];
                        for i in 0..LANES {
                            let (a, b) = (warped[i] * ga * seen[i], own[i] * gb * seen[i]);
                            sums[0][i] += a;
                            sums[1][i] += b;
                            sums[2][i] += a * a;
                            sums[3][i] += b * b;
                            sums[4][i] += a * b;
                        }
                    }
                    let sums = sums.map(|lanes| lanes.iter().sum::<f32>());
                    cross += sums[4] / count - sums[0] * sums[1] / (count * count);
                    aa += sums[2] / count - (sums[0] / count).powi(2);
                    bb += sums[3] / count - (sums[1] / count).powi(2);
                }
                all.push(cross / ((aa + 0.02).sqrt() * (bb + 0.02).sqrt()));
            }
        }
        if (all.len() as f32) < SETTINGS.in_sight * (BLOCKS * BLOCKS) as f32 {
            return -1.0;
        }
        all.sort_by(|a, b| b.total_cmp(a));
        let kept = ((all.len() as f32 * SETTINGS.kept) as usize).max(1);
        all[..kept].iter().sum::<f32>() / kept as f32
    }
}

impl Scale {
    fn new(grey: Vec<f32>) -> Option<Scale> {
        let n = PX as usize;
        let grey = standard(grey)?;
        let mut slopes = [vec![0.0; n * n], vec![0.0; n * n]];
        let mut hessian = [[0.0_f64; 6]; 6];
        for y in 1..n - 1 {
            for x in 1..n - 1 {
                let gx = (grey[y * n + x + 1] - grey[y * n + x - 1]) / 2.0;
                let gy = (grey[(y + 1) * n + x] - grey[(y - 1) * n + x]) / 2.0;
                let (u, v) = (centred(x), centred(y));
                let d = [gx * u, gx * v, gx, gy * u, gy * v, gy];
                (slopes[0][y * n + x], slopes[1][y * n + x]) = (gx, gy);
                for (i, row) in hessian.iter_mut().enumerate() {
                    for (j, value) in row.iter_mut().enumerate() {
                        *value += f64::from(d[i]) * f64::from(d[j]);
                    }
                }
            }
        }
        Some(Scale { grey, slopes, inverse: inverse(hessian)? })
    }

    /// One Gauss-Newton step of the inverse compositional fit.
    fn step(&self, source: &[f32], pose: &Pose, rotation: u8) -> Option<[f32; 6]> {
        const N: usize = PX as usize;
        let warped = standard(pose.warp(source, rotation))?;
        let mut sum = [0.0_f64; 6];
        let rows = warped.chunks_exact(N).zip(self.grey.chunks_exact(N));
        let slopes = self.slopes[0].chunks_exact(N).zip(self.slopes[1].chunks_exact(N));
        for (y, ((warped, grey), (gx, gy))) in rows.zip(slopes).enumerate() {
            // Of both slopes: by how far right a pixel is, and as they are.
            let mut sums = [[0.0_f32; LANES]; 4];
            for from in (0..N).step_by(LANES) {
                let part = from..from + LANES;
                let (warped, grey) = (&warped[part.clone()], &grey[part.clone()]);
                let (gx, gy) = (&gx[part.clone()], &gy[part]);
                for i in 0..LANES {
                    let error = (warped[i] - grey[i]).clamp(-SETTINGS.outlier, SETTINGS.outlier);
                    let (ex, ey, u) = (error * gx[i], error * gy[i], centred(from + i));
                    sums[0][i] += ex * u;
                    sums[1][i] += ex;
                    sums[2][i] += ey * u;
                    sums[3][i] += ey;
                }
            }
            let [xu, x, yu, y_only] = sums.map(|lanes| lanes.iter().sum::<f32>());
            let v = centred(y);
            for (sum, of_row) in sum.iter_mut().zip([xu, x * v, x, yu, y_only * v, y_only]) {
                *sum += f64::from(of_row);
            }
        }
        let step = std::array::from_fn(|i| (0..6).map(|j| self.inverse[i][j] * sum[j]).sum::<f64>() as f32);
        step.iter().all(|v: &f32| v.is_finite()).then_some(step)
    }
}

/// From the reference's pixels, seen from its middle, to the crop's: x' =
/// (1 + a) x + b y + c, y' = d x + (1 + e) y + f, where a, b, d, e are given
/// for half a side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pose([f32; 6]);

const HALF: f32 = PX as f32 / 2.0;

/// 2²³: a number of this size has no fraction. Added to a small one it rounds that to a whole number, which then
/// stands in the lowest bits; unlike a conversion, this is done for several at once.
const WHOLE: f32 = 8_388_608.0;

/// So many numbers are computed with at once.
const LANES: usize = 8;

/// A pixel's column or row seen from the middle, in half sides.
fn centred(at: usize) -> f32 {
    (at as f32 + 0.5 - HALF) / HALF
}

impl Pose {
    fn matrix(&self) -> [f32; 6] {
        let p = &self.0;
        [1.0 + p[0] / HALF, p[1] / HALF, p[2], p[3] / HALF, 1.0 + p[4] / HALF, p[5]]
    }

    fn is_small(&self) -> bool {
        let p = &self.0;
        p[2].hypot(p[5]) < SETTINGS.most * PX as f32
            && [p[0], p[1], p[3], p[4]].iter().all(|v| v.abs() < SETTINGS.most * HALF)
    }

    /// This pose after the undoing of a step.
    fn after_undoing(&self, step: &[f32; 6]) -> Option<Pose> {
        let s = Pose(*step).matrix();
        let det = s[0] * s[4] - s[1] * s[3];
        if det.abs() < 0.1 {
            return None;
        }
        let i = [s[4] / det, -s[1] / det, -s[3] / det, s[0] / det];
        let back = [-(i[0] * s[2] + i[1] * s[5]), -(i[2] * s[2] + i[3] * s[5])];
        let m = self.matrix();
        let a = m[0] * i[0] + m[1] * i[2];
        let b = m[0] * i[1] + m[1] * i[3];
        let d = m[3] * i[0] + m[4] * i[2];
        let e = m[3] * i[1] + m[4] * i[3];
        let c = m[0] * back[0] + m[1] * back[1] + m[2];
        let f = m[3] * back[0] + m[4] * back[1] + m[5];
        Some(Pose([(a - 1.0) * HALF, b * HALF, c, d * HALF, (e - 1.0) * HALF, f]))
    }

    /// From the reference's pixels to the crop's where the tile lies after so many
    /// clockwise quarter turns.
    fn turned(&self, rotation: u8) -> [f32; 6] {
        (0..rotation % 4).fold(self.matrix(), |[a, b, c, d, e, f], _| [-d, -e, -f, a, b, c])
    }

    /// The crop's pixels at the reference's places.
    fn warp(&self, source: &[f32], rotation: u8) -> Vec<f32> {
        const N: usize = PX as usize;
        let m = self.turned(rotation);
        let (middle, last) = (WIDE as f32 / 2.0 - 0.5, WIDE as f32 - 1.001);
        let mut out = vec![0.0; N * N];
        // Where each pixel of a row lies: the place of the one to its upper left, and how far it is from that.
        let (mut places, mut right, mut down) = ([0_u32; N], [0.0_f32; N], [0.0_f32; N]);
        for (y, row) in out.chunks_exact_mut(N).enumerate() {
            let v = y as f32 + 0.5 - HALF;
            let (x0, y0) = (m[1] * v + m[2] + middle, m[4] * v + m[5] + middle);
            for (x, ((place, right), down)) in places.iter_mut().zip(&mut right).zip(&mut down).enumerate() {
                let u = x as f32 + 0.5 - HALF;
                let (sx, sy) = ((m[0] * u + x0).clamp(0.0, last), (m[3] * u + y0).clamp(0.0, last));
                let (wx, wy) = ((sx - 0.5).max(0.0) + WHOLE, (sy - 0.5).max(0.0) + WHOLE);
                (*right, *down) = (sx - (wx - WHOLE), sy - (wy - WHOLE));
                *place = (wy.to_bits() & 0xff) * WIDE as u32 + (wx.to_bits() & 0xff);
            }
            for (((pixel, place), right), down) in row.iter_mut().zip(&places).zip(&right).zip(&down) {
                let four = &source[*place as usize..][..WIDE + 2];
                let upper = four[0] + (four[1] - four[0]) * right;
                let lower = four[WIDE] + (four[WIDE + 1] - four[WIDE]) * right;
                *pixel = upper + (lower - upper) * down;
            }
        }
        out
    }

    /// Where a point of the cell, in sides from its upper left, is moved to when
    /// the tile in it lies after so many clockwise quarter turns.
    fn unit(&self, p: Point, rotation: u8) -> Point {
        let m = self.turned(rotation).map(f64::from);
        let px = f64::from(PX);
        let (u, v) = (0..rotation % 4).fold(((p[0] - 0.5) * px, (p[1] - 0.5) * px), |(u, v), _| (v, -u));
        [(m[0] * u + m[1] * v + m[2]) / px + 0.5, (m[3] * u + m[4] * v + m[5]) / px + 0.5]
    }
}

fn channels(picture: &RgbImage) -> [Vec<f32>; 3] {
    std::array::from_fn(|c| picture.as_raw().iter().skip(c).step_by(3).map(|v| f32::from(*v)).collect())
}

fn grey(picture: &RgbImage) -> Vec<f32> {
    picture
        .as_raw()
        .chunks_exact(3)
        .map(|p| 0.3 * f32::from(p[0]) + 0.59 * f32::from(p[1]) + 0.11 * f32::from(p[2]))
        .collect()
}

/// Zero mean, unit spread; `None` where there is no structure.
fn standard(mut values: Vec<f32>) -> Option<Vec<f32>> {
    let count = values.len() as f32;
    let mean = total(&values, |v| v) / count;
    let spread = (total(&values, |v| (v - mean) * (v - mean)) / count).sqrt();
    if spread < SETTINGS.structure {
        return None;
    }
    for v in &mut values {
        *v = (*v - mean) / spread;
    }
    Some(values)
}

/// The sum of what is made of each value.
fn total(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    let parts = values.chunks_exact(LANES);
    let rest: f32 = parts.remainder().iter().map(|v| of(*v)).sum();
    for part in parts {
        for (sum, v) in sums.iter_mut().zip(part) {
            *sum += of(*v);
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// A square picture smoothed by a Gaussian.
fn blurred(values: &[f32], wide: usize, sigma: f32) -> Vec<f32> {
    let reach = (2.5 * sigma).ceil() as isize;
    let kernel: Vec<f32> = (-reach..=reach).map(|i| (-(i as f32 / sigma).powi(2) / 2.0).exp()).collect();
    let total: f32 = kernel.iter().sum();
    let kernel: Vec<f32> = kernel.iter().map(|k| k / total).collect();
    let last = wide as isize - 1;
    let mut rows = vec![0.0; wide * wide];
    for y in 0..wide {
        let line = &values[y * wide..(y + 1) * wide];
        for x in 0..wide {
            rows[y * wide + x] = kernel
                .iter()
                .enumerate()
                .map(|(k, w)| w * line[(x as isize + k as isize - reach).clamp(0, last) as usize])
                .sum();
        }
    }
    let mut out = vec![0.0; wide * wide];
    for y in 0..wide {
        for (k, w) in kernel.iter().enumerate() {
            let from = (y as isize + k as isize - reach).clamp(0, last) as usize * wide;
            for x in 0..wide {
                out[y * wide + x] += w * rows[from + x];
            }
        }
    }
    out
}

/// The inverse of a symmetric matrix by Gauss-Jordan; `None` when it has none.
fn inverse(mut m: [[f64; 6]; 6]) -> Option<[[f64; 6]; 6]> {
    let mut out: [[f64; 6]; 6] =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let scale = (0..6).map(|i| m[i][i]).fold(0.0, f64::max);
    for col in 0..6 {
        let pivot = (col..6).max_by(|a, b| m[*a][col].abs().total_cmp(&m[*b][col].abs()))?;
        if m[pivot][col].abs() < 1e-9 * scale.max(1e-9) {
            return None;
        }
        m.swap(col, pivot);
        out.swap(col, pivot);
        let by = m[col][col];
        for j in 0..6 {
            m[col][j] /= by;
            out[col][j] /= by;
        }
        for row in 0..6 {
            if row != col {
                let factor = m[row][col];
                for j in 0..6 {
                    m[row][j] -= factor * m[col][j];
                    out[row][j] -= factor * out[col][j];
                }
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn art(seed: u32) -> RgbImage {
        RgbImage::from_fn(64, 64, |x, y| {
            let s = f64::from(seed);
            let (x, y) = (f64::from(x), f64::from(y));
            let wave = |a: f64, b: f64| (127.0 + 90.0 * ((x * a + s).sin() * (y * b + 2.0 * s).cos())) as u8;
            image::Rgb([wave(0.17, 0.11), wave(0.09, 0.23), wave(0.21, 0.07)])
        })
    }

    fn scene(tile: &RgbImage) -> RgbImage {
        let mut scene = RgbImage::from_pixel(200, 200, image::Rgb([200, 195, 190]));
        image::imageops::overlay(&mut scene, tile, 70, 60);
        scene
    }

    #[test]
    fn a_shifted_cell_is_moved_onto_its_tile() {
        let photo = Pyramid::new(&scene(&art(1))).unwrap();
        let truth = Quad([[69.5, 59.5], [133.5, 59.5], [133.5, 123.5], [69.5, 123.5]]);
        let start = Quad([[73.5, 56.5], [138.5, 57.5], [136.5, 121.5], [72.5, 120.5]]);
        let window = Window::new(&photo, &start).unwrap();
        let fit = Template::new(&art(1)).unwrap().fit(&window, 0);
        assert!(fit.quad.corner_distance(&truth) < 1.5, "{:?}", fit.quad);
        assert!(fit.likeness > 0.95, "{}", fit.likeness);
        let other = Template::new(&art(9)).unwrap().fit(&window, 0);
        assert!(other.likeness < fit.likeness - 0.3, "{}", other.likeness);
    }

    #[test]
    fn a_tile_under_a_figure_is_known_by_what_is_in_sight() {
        // A plain tile with a road along its south side, and blue things over the middle of it.
        let tile = RgbImage::from_fn(64, 64, |x, y| {
            let grain = ((x / 3 * 7 + y / 3 * 13) % 11 * 3) as u8;
            if y > 46 { Rgb([235 - grain, 230, 205]) } else { Rgb([70, 190 + grain, 60 + grain]) }
        });
        let mut covered = scene(&tile);
        for (left, top) in [(80, 64), (100, 78), (84, 88)] {
            let figure = RgbImage::from_pixel(24, 20, Rgb([20, 50, 110]));
            image::imageops::overlay(&mut covered, &figure, left, top);
        }
        let photo = Pyramid::new(&covered).unwrap();
        let place = Quad([[69.5, 59.5], [133.5, 59.5], [133.5, 123.5], [69.5, 123.5]]);
        let template = Template::new(&tile).unwrap();
        let plain = template.fit(&Window::new(&photo, &place).unwrap(), 0).likeness;
        let without =
            |colour| template.fit(&Window::new(&photo, &place).unwrap().without(&[colour]), 0).likeness;
        assert!(without([30, 84, 170]) > plain + 0.1, "{} {plain}", without([30, 84, 170]));
        // Nothing of another player's colour is there, and where nothing is in sight nothing tells.
        assert!((without([200, 30, 40]) - plain).abs() < 1e-3);
        assert_eq!(without([70, 190, 60]), -1.0);
    }

    #[test]
    fn a_turned_reference_fits_only_its_own_turn() {
        let photo = Pyramid::new(&scene(&image::imageops::rotate90(&art(2)))).unwrap();
        let truth = Quad([[69.5, 59.5], [133.5, 59.5], [133.5, 123.5], [69.5, 123.5]]);
        let window = Window::new(&photo, &truth.shifted([4.0, -2.0])).unwrap();
        let template = Template::new(&art(2)).unwrap();
        let fit = |rotation| template.fit(&window, rotation);
        assert!(fit(1).likeness > 0.9);
        assert!(fit(1).quad.corner_distance(&truth) < 1.0, "{:?}", fit(1).quad);
        assert!(fit(1).likeness > fit(0).likeness + 0.2 && fit(1).likeness > fit(3).likeness + 0.2);
    }

    #[test]
    fn nothing_to_see_is_no_template() {
        assert!(Template::new(&RgbImage::from_pixel(64, 64, image::Rgb([9, 9, 9]))).is_none());
    }
}
