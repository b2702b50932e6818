//! Normalised cross-correlation: template matching as everyone would begin.

use image::RgbImage;
use opencv::core::{self, CV_32F, CV_32FC3, Mat, MatTraitConst, Point, Size, Vec3b};
use opencv::imgproc;
use rayon::prelude::*;

use super::maps::{check_crops, rotations_with_margin};
use super::matcher::{Comparison, Gallery, Matcher};
use super::texture::texture_share;
use crate::vision::base::crop::{CELL_PX, MARGIN_PX};
use crate::vision::base::error::VisionError;

/// How pictures are correlated.
struct Settings {
    /// Standard deviation of the blur that is taken for the light, and subtracted, pixels.
    /// Smaller takes large shapes away with it.
    light_px: f64,
    /// Nats a unit of correlation: how a difference of correlations counts in a softmax.
    nats: f32,
}

const SETTINGS: Settings = Settings { light_px: 8.0, nats: 60.0 };

/// Compares pictures in Lab, light taken away, at all shifts within the margin,
/// pixel by pixel.
#[derive(Clone, Copy, Debug, Default)]
pub struct NccMatcher;

struct Templates {
    references: Vec<Mat>,
}

impl Matcher for NccMatcher {
    fn name(&self) -> &str {
        "ncc"
    }

    fn enrol(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError> {
        let margin = MARGIN_PX as i32;
        let cell = core::Rect::new(margin, margin, CELL_PX as i32, CELL_PX as i32);
        let mut templates = Vec::with_capacity(4 * references.len());
        for picture in references.iter().flat_map(rotations_with_margin) {
            templates.push(Mat::roi(&detail(&picture)?, cell)?.try_clone()?);
        }
        Ok(Box::new(Templates { references: templates }))
    }
}

impl Gallery for Templates {
    fn compare(&self, crops: &[RgbImage]) -> Result<Vec<Comparison>, VisionError> {
        check_crops(crops)?;
        crops.par_iter().map(|crop| self.compare_one(crop)).collect()
    }

    fn learned_from(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError> {
        NccMatcher.enrol(references)
    }
}

impl Templates {
    fn compare_one(&self, crop: &RgbImage) -> Result<Comparison, VisionError> {
        let picture = detail(crop)?;
        let middle = MARGIN_PX as f32;
        let mut answer = Comparison { occupied: texture_share(crop), ..Comparison::default() };
        for turns in self.references.chunks_exact(4) {
            let mut scores = [0.0; 4];
            let mut best = (f64::NEG_INFINITY, Point::default());
            for (score, reference) in scores.iter_mut().zip(turns) {
                let mut map = Mat::default();
                imgproc::match_template_def(&picture, reference, &mut map, imgproc::TM_CCOEFF_NORMED)?;
                let (mut top, mut at) = (0.0, Point::default());
                core::min_max_loc(&map, None, Some(&mut top), None, Some(&mut at), &core::no_array())?;
                *score = SETTINGS.nats * top as f32;
                if top > best.0 {
                    best = (top, at);
                }
            }
            answer.scores.push(scores);
            let sides = |px: i32| (px as f32 - middle) / CELL_PX as f32;
            answer.shift.push((sides(best.1.x), sides(best.1.y)));
        }
        Ok(answer)
    }
}

/// The picture in Lab, less its own blur.
fn detail(picture: &RgbImage) -> Result<Mat, VisionError> {
    let rgb = Mat::new_rows_cols_with_bytes::<Vec3b>(
        picture.height() as i32,
        picture.width() as i32,
        picture.as_raw(),
    )?;
    let mut scaled = Mat::default();
    rgb.convert_to(&mut scaled, CV_32F, 1.0 / 255.0, 0.0)?;
    let mut lab = Mat::default();
    imgproc::cvt_color_def(&scaled, &mut lab, imgproc::COLOR_RGB2Lab)?;
    let mut light = Mat::default();
    imgproc::gaussian_blur_def(&lab, &mut light, Size::new(0, 0), SETTINGS.light_px)?;
    let mut detail = Mat::default();
    core::subtract(&lab, &light, &mut detail, &core::no_array(), CV_32FC3)?;
    Ok(detail)
}
