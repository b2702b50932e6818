//! What the board would look like without figures: the references of the tiles that lie
//! there, in the frame's light.

use image::{RgbImage, imageops};
use opencv::core::{BORDER_REPLICATE, Mat, Point, Scalar, Size};
use opencv::imgproc;
use opencv::prelude::*;
use rayon::prelude::*;

use super::board::{BOARD_PX, Ground};
use crate::rules::Cell;
use crate::vision::base::colour::linear_of_byte;
use crate::vision::base::error::VisionError;
use crate::vision::base::mat::mat_of;
use crate::vision::base::photo::quarter_turned;
use crate::vision::tiles::colour_model::Cast;

/// What the board would look like without figures.
pub(super) struct Expected {
    /// The references, in the light that each tile shows by itself and, where it
    /// is known, in the light of all; black where nothing is known.
    pub pictures: Vec<RgbImage>,
    /// Where it is known what lies there, row by row.
    pub known: Vec<bool>,
    /// The light on the tiles, of the light in which the references were taken.
    pub light: [f32; 3],
}

/// A picture without its finest grain.
///
/// # Errors
/// [`VisionError::OpenCv`] when the operation fails.
pub(super) fn smoothed(picture: &RgbImage) -> Result<RgbImage, VisionError> {
    let mut soft = Mat::default();
    imgproc::gaussian_blur(&mat_of(picture)?, &mut soft, Size::new(0, 0), 0.8, 0.8, BORDER_REPLICATE)?;
    let raw = soft.data_bytes()?.to_vec();
    Ok(RgbImage::from_raw(picture.width(), picture.height(), raw).unwrap_or_default())
}

/// Lays the references into the picture's light.
pub(super) fn expected(
    board: &RgbImage,
    first: Cell,
    cast: Option<&Cast>,
    grounds: &[(Cell, Ground<'_>)],
) -> Expected {
    let (width, height) = board.dimensions();
    let mut pictures = vec![RgbImage::new(width, height); if cast.is_some() { 2 } else { 1 }];
    let mut known = vec![false; (width * height) as usize];
    let mut ratios: [Vec<f32>; 3] = Default::default();
    let px = BOARD_PX as i32;
    let places: Vec<(u32, u32, &(Cell, Ground<'_>))> = grounds
        .iter()
        .filter_map(|of| {
            let left = u32::try_from((i32::from(of.0.col) - i32::from(first.col)) * px).ok()?;
            let top = u32::try_from((i32::from(of.0.row) - i32::from(first.row)) * px).ok()?;
            (left + BOARD_PX <= width && top + BOARD_PX <= height).then_some((left, top, of))
        })
        .collect();
    let lying: Vec<Lying> = places
        .par_iter()
        .map(|(left, top, (cell, ground))| {
            let seen = imageops::crop_imm(board, *left, *top, BOARD_PX, BOARD_PX).to_image();
            lying(&seen, *cell, ground, cast)
        })
        .collect();
    for ((left, top, _), Lying { lit, ratios: own }) in places.into_iter().zip(lying) {
        for (ratios, own) in ratios.iter_mut().zip(own) {
            ratios.extend(own);
        }
        // The table looks the same in every light.
        for (picture, lit) in pictures.iter_mut().zip(lit.iter().cycle()) {
            imageops::replace(picture, lit, i64::from(left), i64::from(top));
        }
        for y in top..top + BOARD_PX {
            let row = (y * width + left) as usize;
            known[row..row + BOARD_PX as usize].fill(true);
        }
    }
    let light = ratios.map(|mut r| {
        r.sort_by(f32::total_cmp);
        r.get(r.len() / 2).copied().unwrap_or(1.0)
    });
    Expected { pictures, known, light }
}

/// What a cell would look like without figures.
struct Lying {
    /// By itself and, where it is known, in the light of all; the table once.
    lit: Vec<RgbImage>,
    /// By colour: how bright it is beside the reference; none for the table.
    ratios: [Option<f32>; 3],
}

fn lying(seen: &RgbImage, cell: Cell, ground: &Ground<'_>, cast: Option<&Cast>) -> Lying {
    match ground {
        Ground::Tile(reference, turn, shift) => {
            let turned = quarter_turned(reference, *turn);
            let side = turned.width() as f32;
            let moved = RgbImage::from_fn(BOARD_PX, BOARD_PX, |x, y| {
                let at = |v: u32, s: f32| {
                    let v = ((v as f32 + 0.5) / BOARD_PX as f32 - s) * side;
                    v.clamp(0.0, side - 1.0) as u32
                };
                *turned.get_pixel(at(x, shift.0), at(y, shift.1))
            });
            let ratios = std::array::from_fn(|c| {
                let mean = |p: &RgbImage| -> f32 { p.pixels().map(|p| linear_of_byte(p.0[c])).sum() };
                let print = mean(&moved);
                (print > 1.0).then(|| mean(seen) / print)
            });
            let mut lit = vec![in_light_of(&moved, seen, |_| true)];
            lit.extend(cast.map(|c| in_light_of(&c.over(&moved, cell), seen, |_| true)));
            Lying { lit, ratios }
        }
        Ground::Table => {
            let middle: [u8; 3] = std::array::from_fn(|c| {
                let mut values: Vec<u8> = seen.pixels().map(|p| p.0[c]).collect();
                let half = values.len() / 2;
                *values.select_nth_unstable(half).1
            });
            let lit = vec![RgbImage::from_pixel(BOARD_PX, BOARD_PX, image::Rgb(middle))];
            Lying { lit, ratios: [None; 3] }
        }
    }
}

/// A reference with the gain and offset of each colour that make most of it
/// equal to what is seen, by the pixels that `counts`, row by row.
pub(super) fn in_light_of(reference: &RgbImage, seen: &RgbImage, counts: impl Fn(usize) -> bool) -> RgbImage {
    let mut fits = [(1.0_f32, 0.0_f32); 3];
    let pixels = |picture: &RgbImage| -> Vec<[f32; 3]> {
        picture.as_raw().as_chunks().0.iter().map(|p: &[u8; 3]| p.map(f32::from)).collect()
    };
    let pairs: Vec<([f32; 3], [f32; 3])> = pixels(reference).into_iter().zip(pixels(seen)).collect();
    let mut weights: Vec<f32> = (0..pairs.len()).map(|at| if counts(at) { 1.0 } else { 0.0 }).collect();
    for _ in 0..4 {
        let mut n = 1e-3;
        let [mut sum_x, mut sum_y, mut sum_xx, mut sum_xy] = [[0.0; 3]; 4];
        for ((a, b), w) in pairs.iter().zip(&weights) {
            n += w;
            for c in 0..3 {
                sum_x[c] += w * a[c];
                sum_y[c] += w * b[c];
                sum_xx[c] += w * a[c] * a[c];
                sum_xy[c] += w * a[c] * b[c];
            }
        }
        for (c, fit) in fits.iter_mut().enumerate() {
            let (x, y, xx, xy) = (sum_x[c], sum_y[c], sum_xx[c], sum_xy[c]);
            // A flat reference tells no gain: it is drawn to the ratio of means.
            let prior = 60.0 * n;
            let (mx, my) = (x / n, y / n);
            let usual = my / mx.max(8.0);
            let gain = ((xy - n * mx * my + prior * usual) / (xx - n * mx * mx + prior)).clamp(0.1, 3.0);
            *fit = (gain, my - gain * mx);
        }
        for ((a, b), w) in pairs.iter().zip(weights.iter_mut()).filter(|(_, w)| **w > 0.0) {
            let off = |c: usize| (fits[c].0 * a[c] + fits[c].1 - b[c]).abs();
            *w = 1.0 / (1.0 + (off(0).max(off(1)).max(off(2)) / 14.0).powi(4));
        }
    }
    let mut lit = reference.clone();
    for pixel in lit.pixels_mut() {
        for (c, v) in pixel.0.iter_mut().enumerate() {
            *v = (fits[c].0 * f32::from(*v) + fits[c].1).round().clamp(0.0, 255.0) as u8;
        }
    }
    lit
}

/// The darkest and the brightest that each pixel may be when the tile lies a
/// little off.
pub(super) fn ranges(picture: &RgbImage) -> Result<(Vec<u8>, Vec<u8>), VisionError> {
    let source = mat_of(picture)?;
    let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_RECT, Size::new(5, 5))?;
    let (mut low, mut high) = (Mat::default(), Mat::default());
    let anchor = Point::new(-1, -1);
    let border = Scalar::all(f64::MAX);
    imgproc::erode(&source, &mut low, &kernel, anchor, 1, opencv::core::BORDER_REPLICATE, border)?;
    imgproc::dilate(&source, &mut high, &kernel, anchor, 1, opencv::core::BORDER_REPLICATE, border)?;
    Ok((low.data_bytes()?.to_vec(), high.data_bytes()?.to_vec()))
}

/// The colour of the table in the empty cells, linear.
pub(super) fn table_colour(
    expected: &RgbImage,
    first: Cell,
    grounds: &[(Cell, Ground<'_>)],
) -> Option<[f32; 3]> {
    let px = BOARD_PX as i32;
    let colours: Vec<[u8; 3]> = grounds
        .iter()
        .filter(|(_, g)| matches!(g, Ground::Table))
        .filter_map(|(cell, _)| {
            let x = (i32::from(cell.col) - i32::from(first.col)) * px + px / 2;
            let y = (i32::from(cell.row) - i32::from(first.row)) * px + px / 2;
            expected.get_pixel_checked(u32::try_from(x).ok()?, u32::try_from(y).ok()?).map(|p| p.0)
        })
        .collect();
    let middle = |c: usize| {
        let mut values: Vec<u8> = colours.iter().map(|v| v[c]).collect();
        values.sort_unstable();
        values.get(values.len() / 2).map(|v| linear_of_byte(*v))
    };
    Some([middle(0)?, middle(1)?, middle(2)?])
}
