//! Local features with a geometric check: SIFT points, a similarity by RANSAC.

use std::f64::consts::FRAC_PI_2;

use image::RgbImage;
use image::imageops::{self, FilterType};
use opencv::calib3d;
use opencv::core::{DMatch, KeyPoint, Mat, NORM_L2, Point2f, Vec3b, Vector, no_array};
use opencv::features2d::{BFMatcher, SIFT};
use opencv::imgproc;
use opencv::prelude::*;
use rayon::prelude::*;

use super::maps::{check_crops, upright};
use super::matcher::{Comparison, Gallery, Matcher};
use super::texture::texture_share;
use crate::vision::base::crop::{CELL_PX, CROP_PX};
use crate::vision::base::error::VisionError;

/// Pictures are enlarged before points are looked for: tiles are small.
const ENLARGED: u32 = 3;
/// Points of a picture at most.
const MOST: i32 = 150;
/// A match counts when the second best is farther by this.
const RATIO: f32 = 0.85;
/// RANSAC's tolerance, enlarged pixels.
const TOLERANCE_PX: f64 = 8.0;
/// A pose counts when it is off a quarter turn by less, radians.
const TILT: f64 = 0.35;
/// Nats a point that agrees.
const SCALE: f32 = 0.5;

/// Counts the SIFT points that agree on where the tile lies and how it is turned.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalFeatureMatcher;

struct Points {
    places: Vec<Point2f>,
    descriptors: Mat,
}

struct PointSets {
    references: Vec<Points>,
}

impl Matcher for LocalFeatureMatcher {
    fn name(&self) -> &str {
        "local features"
    }

    fn enrol(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError> {
        let references: Result<Vec<Points>, VisionError> =
            references.iter().map(|r| points(&upright(r))).collect();
        Ok(Box::new(PointSets { references: references? }))
    }
}

impl Gallery for PointSets {
    fn compare(&self, crops: &[RgbImage]) -> Result<Vec<Comparison>, VisionError> {
        check_crops(crops)?;
        crops
            .par_iter()
            .map(|crop| {
                let seen = points(crop)?;
                let scores: Result<Vec<[f32; 4]>, VisionError> =
                    self.references.iter().map(|reference| agreeing(reference, &seen)).collect();
                Ok(Comparison { scores: scores?, occupied: texture_share(crop), ..Comparison::default() })
            })
            .collect()
    }

    fn learned_from(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError> {
        LocalFeatureMatcher.enrol(references)
    }
}

fn points(picture: &RgbImage) -> Result<Points, VisionError> {
    let side = picture.width() * ENLARGED;
    let large = imageops::resize(picture, side, side, FilterType::CatmullRom);
    let rgb = Mat::new_rows_cols_with_bytes::<Vec3b>(side as i32, side as i32, large.as_raw())?;
    let mut grey = Mat::default();
    imgproc::cvt_color_def(&rgb, &mut grey, imgproc::COLOR_RGB2GRAY)?;
    let mut found: Vector<KeyPoint> = Vector::new();
    let mut descriptors = Mat::default();
    SIFT::create(MOST, 3, 0.02, 10.0, 1.6)?.detect_and_compute_def(
        &grey,
        &no_array(),
        &mut found,
        &mut descriptors,
    )?;
    Ok(Points { places: found.iter().map(|p| p.pt()).collect(), descriptors })
}

/// Points that agree on a pose, as a score of the quarter turn next to it.
fn agreeing(reference: &Points, seen: &Points) -> Result<[f32; 4], VisionError> {
    let mut scores = [0.0; 4];
    if reference.places.len() < 2 || seen.places.len() < 3 {
        return Ok(scores);
    }
    let mut matches: Vector<Vector<DMatch>> = Vector::new();
    BFMatcher::new(NORM_L2, false)?.knn_train_match_def(
        &seen.descriptors,
        &reference.descriptors,
        &mut matches,
        2,
    )?;
    let (mut from, mut to): (Vector<Point2f>, Vector<Point2f>) = (Vector::new(), Vector::new());
    for pair in &matches {
        if let (Ok(best), Ok(second)) = (pair.get(0), pair.get(1)) {
            let a = reference.places.get(best.train_idx as usize);
            let b = seen.places.get(best.query_idx as usize);
            if let (true, Some(a), Some(b)) = (best.distance < RATIO * second.distance, a, b) {
                from.push(*a);
                to.push(*b);
            }
        }
    }
    if from.len() < 3 {
        return Ok(scores);
    }
    let mut agree = Mat::default();
    let pose = calib3d::estimate_affine_partial_2d(
        &from,
        &to,
        &mut agree,
        calib3d::RANSAC,
        TOLERANCE_PX,
        500,
        0.99,
        5,
    )?;
    if pose.empty() {
        return Ok(scores);
    }
    let (cos, sin) = (*pose.at_2d::<f64>(0, 0)?, *pose.at_2d::<f64>(1, 0)?);
    let angle = sin.atan2(cos);
    let turns = (angle / FRAC_PI_2).round();
    let size = cos.hypot(sin);
    if (angle - turns * FRAC_PI_2).abs() > TILT || !(0.75..1.33).contains(&size) {
        return Ok(scores);
    }
    let half = f64::from(CELL_PX * ENLARGED) / 2.0;
    let middle = f64::from(CROP_PX * ENLARGED) / 2.0;
    let x = cos * half - sin * half + *pose.at_2d::<f64>(0, 2)?;
    let y = sin * half + cos * half + *pose.at_2d::<f64>(1, 2)?;
    if (x - middle).hypot(y - middle) < 0.25 * f64::from(CELL_PX * ENLARGED) {
        let inliers = opencv::core::count_non_zero(&agree)?;
        scores[turns.rem_euclid(4.0) as usize % 4] = SCALE * inliers as f32;
    }
    Ok(scores)
}
