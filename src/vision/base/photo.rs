//! Pictures in and out of OpenCV: loading, pyramids, straightened crops.

use std::path::Path;

use image::RgbImage;
use opencv::core::{Mat, MatTraitConst, MatTraitConstManual, Scalar, Size, ToInputArray, Vec3b};
use opencv::imgproc;

use super::error::VisionError;
use super::geometry::{Homography, Quad};
use super::mat::mat_of;
use crate::picture::{self, Limits};

/// Opens a photo, a JPEG or PNG file, turned the way its camera was held.
///
/// # Errors
/// [`VisionError::Picture`] names the file.
pub fn open(path: &Path) -> Result<RgbImage, VisionError> {
    open_within(path, &Limits::PHOTO)
}

/// Opens a tile's reference picture.
///
/// # Errors
/// [`VisionError::Picture`] names the file.
pub fn open_tile(path: &Path) -> Result<RgbImage, VisionError> {
    open_within(path, &Limits::TILE)
}

fn open_within(path: &Path, limits: &Limits) -> Result<RgbImage, VisionError> {
    picture::open(path, limits).map_err(|e| VisionError::Picture(e, path.to_owned()))
}

/// A picture after so many clockwise quarter turns.
pub fn quarter_turned(picture: &RgbImage, quarters: u8) -> RgbImage {
    match quarters % 4 {
        0 => picture.clone(),
        1 => image::imageops::rotate90(picture),
        2 => image::imageops::rotate180(picture),
        _ => image::imageops::rotate270(picture),
    }
}

/// A copy of a picture as an OpenCV matrix, channels red, green, blue.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn to_mat(picture: &RgbImage) -> Result<Mat, VisionError> {
    let bytes: &[u8] = picture.as_raw();
    let flat = Mat::new_rows_cols_with_data(picture.height() as i32, picture.width() as i32 * 3, bytes)?;
    Ok(flat.reshape(3, 0)?.try_clone()?)
}

/// A copy of an 8-bit matrix with three channels as a picture.
///
/// # Errors
/// [`VisionError::OpenCv`] when the matrix is of another kind.
pub fn to_picture(mat: &Mat) -> Result<RgbImage, VisionError> {
    let bytes: &[Vec3b] = mat.data_typed()?;
    let bytes = bytes.iter().flat_map(|pixel| pixel.0).collect();
    RgbImage::from_raw(mat.cols() as u32, mat.rows() as u32, bytes)
        .ok_or_else(|| VisionError::Recogniser("a matrix of odd size".to_owned()))
}

/// A picture softened by a Gaussian of this standard deviation, pixels.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn softened(mat: &Mat, deviation: f64) -> Result<Mat, VisionError> {
    let mut out = Mat::default();
    imgproc::gaussian_blur_def(mat, &mut out, Size::new(0, 0), deviation)?;
    Ok(out)
}

/// The mean colours, levels of 255, of squares of `by` pixels a side, row by row, and how many there
/// are in a row. What is left over at the right and below is in none.
pub fn block_means(picture: &RgbImage, by: u32) -> (Vec<[f32; 3]>, u32) {
    let by = by.max(1);
    let (across, down) = ((picture.width() / by).max(1), (picture.height() / by).max(1));
    let raw = picture.as_raw();
    let mean = |x: u32, y: u32| {
        let (mut sum, mut count) = ([0_u32; 3], 0);
        for row in (y * by)..((y + 1) * by).min(picture.height()) {
            let from = (row * picture.width() + x * by) as usize * 3;
            let pixels = by.min(picture.width() - x * by) as usize;
            for pixel in raw[from..from + 3 * pixels].chunks_exact(3) {
                sum.iter_mut().zip(pixel).for_each(|(s, v)| *s += u32::from(*v));
                count += 1;
            }
        }
        sum.map(|s| s as f32 / (count.max(1)) as f32)
    };
    let means = (0..down).flat_map(|y| (0..across).map(move |x| (x, y))).map(|(x, y)| mean(x, y)).collect();
    (means, across)
}

/// Makes a picture smaller or larger.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn resized(
    mat: &(impl MatTraitConst + ToInputArray),
    width: i32,
    height: i32,
) -> Result<Mat, VisionError> {
    let mut out = Mat::default();
    let way = if width < mat.cols() { imgproc::INTER_AREA } else { imgproc::INTER_LINEAR };
    imgproc::resize(mat, &mut out, Size::new(width.max(1), height.max(1)), 0.0, 0.0, way)?;
    Ok(out)
}

/// A picture of which no side is longer than so many pixels.
///
/// # Errors
/// [`VisionError::OpenCv`] for an empty picture.
pub fn at_most(picture: &RgbImage, most: u32) -> Result<RgbImage, VisionError> {
    let (width, height) = picture.dimensions();
    let longest = width.max(height);
    if longest <= most {
        return Ok(picture.clone());
    }
    let scaled = |side: u32| (u64::from(side) * u64::from(most) / u64::from(longest)) as i32;
    to_picture(&resized(&mat_of(picture)?, scaled(width), scaled(height))?)
}

/// Grey levels, spread so that the darkest and brightest hundredth of the
/// pixels are black and white: a dim photo gives the same features as a bright
/// one.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn spread_grey(rgb: &Mat) -> Result<Mat, VisionError> {
    let mut grey = Mat::default();
    imgproc::cvt_color_def(rgb, &mut grey, imgproc::COLOR_RGB2GRAY)?;
    let mut histogram = [0u32; 256];
    for value in grey.data_bytes()? {
        histogram[usize::from(*value)] += 1;
    }
    let total: u32 = histogram.iter().sum();
    let level = |share: u32| {
        let mut sum = 0;
        histogram.iter().position(|n| {
            sum += n;
            sum > total / 100 * share
        })
    };
    let low = level(1).unwrap_or(0) as f64;
    let high = level(99).unwrap_or(255) as f64;
    let gain = 255.0 / (high - low).max(16.0);
    let mut out = Mat::default();
    grey.convert_to(&mut out, opencv::core::CV_8U, gain, -low * gain)?;
    Ok(out)
}

/// A photo in full and at halved sizes, from which straightened crops are cut
/// without jagged edges.
pub struct Pyramid {
    levels: Vec<Mat>,
}

impl Pyramid {
    /// Halves the picture until its longer side is under 500 pixels.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn new(picture: &RgbImage) -> Result<Pyramid, VisionError> {
        let mut levels = vec![to_mat(picture)?];
        while let Some(last) = levels.last().filter(|m| m.cols().max(m.rows()) >= 1000) {
            let half = resized(last, last.cols() / 2, last.rows() / 2)?;
            levels.push(half);
        }
        Ok(Pyramid { levels })
    }

    /// The full picture.
    pub fn full(&self) -> &Mat {
        &self.levels[0]
    }

    /// Straightens a quad of the full picture to a square of `cell_px` with a
    /// margin all round.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn crop(&self, quad: &Quad, cell_px: u32, margin_px: u32) -> Result<RgbImage, VisionError> {
        let mut level = 0;
        let mut side = quad.side();
        while side >= 2.0 * f64::from(cell_px) && level + 1 < self.levels.len() {
            side /= 2.0;
            level += 1;
        }
        let source = &self.levels[level];
        let by = [
            f64::from(source.cols()) / f64::from(self.full().cols()),
            f64::from(source.rows()) / f64::from(self.full().rows()),
        ];
        let quad = Quad(quad.0.map(|p| [(p[0] + 0.5) * by[0] - 0.5, (p[1] + 0.5) * by[1] - 0.5]));
        let px = f64::from(cell_px);
        let offset = (0.5 - f64::from(margin_px)) / px;
        let to_unit = Homography([1.0 / px, 0.0, offset, 0.0, 1.0 / px, offset, 0.0, 0.0, 1.0]);
        let map = Homography::from_unit_square(&quad).after(&to_unit);
        let size = (cell_px + 2 * margin_px) as i32;
        let mut out = Mat::default();
        imgproc::warp_perspective(
            source,
            &mut out,
            &Mat::new_rows_cols_with_data(3, 3, &map.0)?,
            Size::new(size, size),
            imgproc::INTER_LINEAR | imgproc::WARP_INVERSE_MAP,
            opencv::core::BORDER_REPLICATE,
            Scalar::default(),
        )?;
        to_picture(&out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| image::Rgb([(x % 256) as u8, (y % 256) as u8, 7]))
    }

    #[test]
    fn a_picture_survives_the_way_to_a_matrix_and_back() {
        let picture = gradient(37, 21);
        assert_eq!(to_picture(&to_mat(&picture).unwrap()).unwrap(), picture);
    }

    #[test]
    fn a_crop_shows_what_the_quad_holds() {
        let pyramid = Pyramid::new(&gradient(200, 200)).unwrap();
        let quad = Quad([[49.5, 29.5], [113.5, 29.5], [113.5, 93.5], [49.5, 93.5]]);
        let crop = pyramid.crop(&quad, 64, 8).unwrap();
        assert_eq!(crop.dimensions(), (80, 80));
        assert_eq!(crop.get_pixel(8, 8).0, [50, 30, 7]);
        assert_eq!(crop.get_pixel(0, 79).0, [42, 101, 7]);
    }

    #[test]
    fn what_is_no_picture_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("note.jpg");
        std::fs::write(&path, "not a picture").unwrap();
        let sentence = open(&path).unwrap_err().to_string();
        assert!(sentence.contains("note.jpg") && !sentence.contains('\n'), "{sentence}");
        assert!(open(&dir.path().join("none.png")).is_err());
    }
}
