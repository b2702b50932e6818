//! How soft a photo is against the deck's pictures: references are compared with
//! it best when they are as soft.

use image::RgbImage;
use ndarray::{ArrayView1, s};
use opencv::core::{BORDER_REFLECT_101, CV_32F, Mat, Size};
use opencv::imgproc;
use opencv::prelude::*;

use crate::vision::base::crop::{CELL_PX, CROP_PX};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::median;
use crate::vision::base::mat::array_of;
use crate::vision::base::photo;

/// How the blur of a photo is measured. Lengths are pixels of a cell of [`CELL_PX`].
struct Measure {
    /// Step between the blurs that are tried, and their number. Half a step is too little to
    /// soften references by.
    step: f32,
    steps: usize,
    /// Standard deviations of the two blurs between which fine detail lies, and coarse.
    fine: (f64, f64),
    coarse: (f64, f64),
    /// Pixels at a cell's rim that tell nothing: tiles lie a little beside.
    rim: isize,
    /// Tiles that must be known, and how many are asked at most. More take longer.
    enough: usize,
    asked: usize,
}

const MEASURE: Measure =
    Measure { step: 0.5, steps: 10, fine: (0.8, 1.6), coarse: (3.2, 5.6), rim: 8, enough: 3, asked: 16 };

/// A crop of [`CROP_PX`] a side that is known to show a tile.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The crop.
    pub crop: &'a RgbImage,
    /// How far the tile lies off its middle, in tile sides.
    pub shift: (f32, f32),
    /// The tile, by its place in the deck.
    pub tile: usize,
}

/// The blur that makes references as soft as the photo, as a Gaussian's standard
/// deviation in pixels of a cell of [`CELL_PX`]; `None` where too few tiles are
/// known. `references` are the deck's upright pictures of [`CELL_PX`] a side; a
/// photo that is sharper gives 0.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails.
pub fn measured(known: &[Known<'_>], references: &[RgbImage]) -> Result<Option<f32>, VisionError> {
    let every = known.len().div_ceil(MEASURE.asked).max(1);
    let mut blurs = Vec::new();
    for tile in known.iter().step_by(every) {
        let seen = contrast(&grey(&cell(tile.crop, tile.shift))?, 0.0)?;
        let Some(reference) = references.get(tile.tile) else { continue };
        let reference = grey(reference)?;
        let mut sharper = contrast(&reference, 0.0)?;
        let mut blur = MEASURE.step * MEASURE.steps as f32;
        for step in 1..=MEASURE.steps {
            if seen >= sharper {
                blur = MEASURE.step * (step - 1) as f32;
                break;
            }
            let softer = contrast(&reference, f64::from(MEASURE.step) * step as f64)?;
            if seen > softer {
                blur = MEASURE.step * (step as f32 - (seen - softer) / (sharper - softer));
                break;
            }
            sharper = softer;
        }
        blurs.push(blur);
    }
    if blurs.len() < MEASURE.enough {
        return Ok(None);
    }
    tracing::debug!(?blurs, "softness");
    Ok(Some(median(&mut blurs)))
}

/// References softened by a blur.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails.
pub fn softened(references: &[RgbImage], blur: f32) -> Result<Vec<RgbImage>, VisionError> {
    if blur < MEASURE.step / 2.0 {
        return Ok(references.to_vec());
    }
    references
        .iter()
        .map(|reference| {
            let sigma = f64::from(blur) * f64::from(reference.width()) / f64::from(CELL_PX);
            photo::to_picture(&blurred(&photo::to_mat(reference)?, sigma)?)
        })
        .collect()
}

/// The cell that a tile lies in, cut from a crop.
fn cell(crop: &RgbImage, shift: (f32, f32)) -> RgbImage {
    let room = (CROP_PX - CELL_PX) as f32;
    let at = |s: f32| (room / 2.0 + s * CELL_PX as f32).round().clamp(0.0, room) as u32;
    image::imageops::crop_imm(crop, at(shift.0), at(shift.1), CELL_PX, CELL_PX).to_image()
}

fn grey(picture: &RgbImage) -> Result<Mat, VisionError> {
    let mut grey = Mat::default();
    imgproc::cvt_color_def(&photo::to_mat(picture)?, &mut grey, imgproc::COLOR_BGR2GRAY)?;
    let mut numbers = Mat::default();
    grey.convert_to(&mut numbers, CV_32F, 1.0, 0.0)?;
    Ok(numbers)
}

fn blurred(picture: &Mat, sigma: f64) -> Result<Mat, VisionError> {
    let mut soft = Mat::default();
    imgproc::gaussian_blur(picture, &mut soft, Size::new(0, 0), sigma, sigma, BORDER_REFLECT_101)?;
    Ok(soft)
}

/// The logarithm of fine over coarse detail after a blur.
fn contrast(grey: &Mat, blur: f64) -> Result<f32, VisionError> {
    let energy = |(fine, coarse): (f64, f64)| -> Result<f64, VisionError> {
        let (a, b) = (blurred(grey, fine.hypot(blur))?, blurred(grey, coarse.hypot(blur))?);
        let rim = MEASURE.rim;
        let inner = s![rim..-rim, rim..-rim];
        let (a, b) = (array_of::<f32>(&a)?, array_of::<f32>(&b)?);
        let (a, b) = (a.slice(inner), b.slice(inner));
        let of_row = |(a, b): (ArrayView1<'_, f32>, ArrayView1<'_, f32>)| {
            a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>()
        };
        Ok(a.rows().into_iter().zip(b.rows()).map(of_row).sum())
    };
    Ok(((energy(MEASURE.fine)? + 1.0) / (energy(MEASURE.coarse)? + 1.0)).ln() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::base::crop::MARGIN_PX;

    fn print(seed: u32) -> RgbImage {
        RgbImage::from_fn(CELL_PX, CELL_PX, |x, y| {
            let noise = (x / 3 * 7919 + y / 3 * 104_729 + seed).wrapping_mul(2_654_435_761) >> 24;
            image::Rgb([noise as u8, (noise / 2 + 60) as u8, 90])
        })
    }

    fn crop(print: &RgbImage, shift: (i64, i64)) -> RgbImage {
        let margin = i64::from(MARGIN_PX);
        let mut crop = RgbImage::from_pixel(CROP_PX, CROP_PX, image::Rgb([120, 110, 90]));
        image::imageops::replace(&mut crop, print, margin + shift.0, margin + shift.1);
        crop
    }

    #[test]
    fn the_blur_of_a_photo_is_measured_in_any_light() {
        let prints: Vec<RgbImage> = (0..5).map(print).collect();
        for blur in [0.0, 1.0, 2.0, 3.0] {
            let mut crops: Vec<RgbImage> =
                softened(&prints, blur).unwrap().iter().map(|p| crop(p, (2, -1))).collect();
            for pixel in crops.iter_mut().flat_map(|c| c.pixels_mut()) {
                pixel.0 = pixel.0.map(|v| v / 2 + 10);
            }
            let side = CELL_PX as f32;
            let known: Vec<Known<'_>> = crops
                .iter()
                .enumerate()
                .map(|(tile, crop)| Known { crop, shift: (2.0 / side, -1.0 / side), tile })
                .collect();
            let found = measured(&known, &prints).unwrap().unwrap();
            assert!((found - blur).abs() < 0.3, "{blur}: {found}");
        }
    }

    #[test]
    fn too_few_tiles_tell_nothing() {
        let crop = crop(&print(1), (0, 0));
        let known = Known { crop: &crop, shift: (0.0, 0.0), tile: 0 };
        assert_eq!(measured(&[known, known], &[print(1)]).unwrap(), None);
    }
}
