//! Lays a reference picture over a crop: where it fits best, and which parts of
//! the crop it explains.

use std::ops::Range;

use image::{RgbImage, imageops};
use ndarray::Array2;
use opencv::core::{Mat, no_array};
use opencv::imgproc;

use crate::vision::base::crop::{CELL_PX, CROP_PX};
use crate::vision::base::error::VisionError;
use crate::vision::base::mat::{mat_of, peak};
use crate::vision::base::photo::quarter_turned;

/// Both pictures are compared at this share of their size.
const SHRINK: u32 = 2;
/// Blocks a side in which the fit is judged on its own.
const BLOCKS: u32 = 4;
/// How the fit of a reference is judged block by block.
struct Judging {
    /// Least standard deviation (levels of 255, flattened) of a block of the reference that
    /// tells anything.
    flat: f32,
    /// How far a pixel's neighbourhood reaches, pixels: light that changes over more is
    /// taken out.
    reach: u32,
    /// Levels of variation that count as noise: plain places stay plain.
    still: f32,
    /// Normalised correlation from which on a block is explained.
    alike: f32,
}

const JUDGING: Judging = Judging { flat: 5.0, reach: 4, still: 10.0, alike: 0.5 };

/// The references of a deck in their four rotations, made ready to be laid over
/// crops.
pub struct Overlays {
    pictures: Vec<[RgbImage; 4]>,
}

/// How a reference lies over a crop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlay {
    /// How far the tile lies off the crop's middle, in tile sides.
    pub shift: (f32, f32),
    /// The normalised correlation of the whole tile there, -1 to 1.
    pub fit: f32,
    /// The share of the telling blocks that correlate on their own.
    pub explained: f32,
}

impl Overlays {
    /// Learns upright references of [`CELL_PX`] a side.
    pub fn new(references: &[RgbImage]) -> Overlays {
        let small = |picture: &RgbImage| {
            let side = CELL_PX / SHRINK;
            flattened(&imageops::thumbnail(picture, side, side))
        };
        let pictures = references
            .iter()
            .map(|r| std::array::from_fn(|turn| small(&quarter_turned(r, turn as u8))))
            .collect();
        Overlays { pictures }
    }

    /// Lays a reference, turned, over a crop of [`CROP_PX`] a side; `None` for a
    /// tile that is not there.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn lay(&self, crop: &RgbImage, tile: usize, rotation: u8) -> Result<Option<Overlay>, VisionError> {
        let Some(reference) = self.pictures.get(tile).and_then(|p| p.get(usize::from(rotation))) else {
            return Ok(None);
        };
        let (wide, narrow) = (CROP_PX / SHRINK, CELL_PX / SHRINK);
        let seen = flattened(&imageops::thumbnail(crop, wide, wide));
        let mut response = Mat::default();
        imgproc::match_template(
            &mat_of(&seen)?,
            &mat_of(reference)?,
            &mut response,
            imgproc::TM_CCOEFF_NORMED,
            &no_array(),
        )?;
        let (fit, x, y) = peak(&response)?;
        let middle = (wide - narrow) as f32 / 2.0;
        let place = |v: f32| (v.round().max(0.0) as u32).min(wide - narrow);
        let (left, top) = (place(x), place(y));
        let block = narrow / BLOCKS;
        let (mut telling, mut alike) = (0_u32, 0_u32);
        for by in 0..BLOCKS {
            for bx in 0..BLOCKS {
                let pairs = (0..block * block).map(|i| {
                    let (px, py) = (bx * block + i % block, by * block + i / block);
                    (reference.get_pixel(px, py).0, seen.get_pixel(px + left, py + top).0)
                });
                if let Some(correlation) = correlation(pairs) {
                    telling += 1;
                    alike += u32::from(correlation > JUDGING.alike);
                }
            }
        }
        let explained = if telling == 0 { 0.0 } else { alike as f32 / telling as f32 };
        let shift = ((x - middle) / narrow as f32, (y - middle) / narrow as f32);
        Ok(Some(Overlay { shift, fit, explained }))
    }
}

/// The picture without light and shadow: every pixel's difference from the mean
/// of its neighbourhood, as a share of how much that varies; 128 is none.
fn flattened(picture: &RgbImage) -> RgbImage {
    let (width, height) = picture.dimensions();
    let sums = Sums::new(picture);
    RgbImage::from_fn(width, height, |x, y| {
        let across = x.saturating_sub(JUDGING.reach)..(x + JUDGING.reach + 1).min(width);
        let down = y.saturating_sub(JUDGING.reach)..(y + JUDGING.reach + 1).min(height);
        let n = (across.len() * down.len()) as f32;
        let [sum @ .., squares] = sums.over(across, down).map(|sum| sum as f32);
        let mean = sum.map(|s| s / n);
        let variance = squares / n - mean.iter().map(|m| m * m).sum::<f32>();
        let scale = 40.0 / (variance.max(0.0).sqrt() + JUDGING.still);
        let here = picture.get_pixel(x, y).0;
        image::Rgb(std::array::from_fn(|c| {
            (128.0 + (f32::from(here[c]) - mean[c]) * scale).clamp(0.0, 255.0) as u8
        }))
    })
}

/// A picture's integral image: of each colour, and of the squares of all.
struct Sums {
    /// Sums over what is above and left of a pixel, with one row and column more than the
    /// picture.
    upper_left: Array2<[u32; 4]>,
}

impl Sums {
    fn new(picture: &RgbImage) -> Sums {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let mut upper_left = Array2::from_elem((height + 1, width + 1), [0; 4]);
        for (y, row) in picture.rows().enumerate() {
            let mut so_far = [0; 4];
            for (x, pixel) in row.enumerate() {
                let [r, g, b] = pixel.0.map(u32::from);
                for (sum, v) in so_far.iter_mut().zip([r, g, b, r * r + g * g + b * b]) {
                    *sum += v;
                }
                let above: [u32; 4] = upper_left[[y, x + 1]];
                upper_left[[y + 1, x + 1]] = std::array::from_fn(|i| above[i] + so_far[i]);
            }
        }
        Sums { upper_left }
    }

    /// The sums over a rectangle: red, green, blue and the squares.
    fn over(&self, across: Range<u32>, down: Range<u32>) -> [u32; 4] {
        let at = |x: u32, y: u32| self.upper_left[[y as usize, x as usize]];
        let (whole, corner) = (at(across.end, down.end), at(across.start, down.start));
        let (left, above) = (at(across.start, down.end), at(across.end, down.start));
        std::array::from_fn(|i| whole[i] + corner[i] - left[i] - above[i])
    }
}

/// The normalised correlation of pairs of colours; `None` where the first have
/// no contrast.
fn correlation(pairs: impl Iterator<Item = ([u8; 3], [u8; 3])>) -> Option<f32> {
    let (mut n, mut a, mut b, mut aa, mut bb, mut ab) = (0.0, [0.0; 3], [0.0; 3], 0.0, 0.0, 0.0);
    for (x, y) in pairs {
        n += 1.0;
        for c in 0..3 {
            let (x, y) = (f32::from(x[c]), f32::from(y[c]));
            (a[c], b[c]) = (a[c] + x, b[c] + y);
            (aa, bb, ab) = (aa + x * x, bb + y * y, ab + x * y);
        }
    }
    let product = |p: &[f32; 3], q: &[f32; 3]| (0..3).map(|c| p[c] * q[c]).sum::<f32>() / n;
    let (va, vb) = (aa - product(&a, &a), bb - product(&b, &b));
    if va < JUDGING.flat * JUDGING.flat * n {
        return None;
    }
    Some((ab - product(&a, &b)) / (va * vb.max(n)).sqrt())
}
