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

/// Factor by which pictures are enlarged before points are looked for: tiles are small.
const ENLARGED: u32 = 3;

/// Which points SIFT (Lowe 2004) finds in a picture; see OpenCV's `SIFT::create`.
struct Detector {
    /// Most points, the strongest.
    most: i32,
    /// Layers an octave.
    layers: i32,
    /// Least contrast of a point. Smaller finds points in fainter print, and in noise.
    contrast: f64,
    /// Largest ratio of the two curvatures: what has more is an edge, along which a point
    /// has no place.
    edge: f64,
    /// Standard deviation of the blur at which the first octave begins, enlarged pixels.
    sigma: f64,
}

const DETECTOR: Detector = Detector { most: 150, layers: 3, contrast: 0.02, edge: 10.0, sigma: 1.6 };

/// When points that match agree on a pose.
struct Agreement {
    /// Largest distance of the nearest descriptor, as a share of that of the second nearest
    /// (Lowe's ratio test). Larger lets more true and more false matches through.
    ratio: f32,
    /// RANSAC: largest reprojection error, enlarged pixels, and most rounds.
    tolerance_px: f64,
    rounds: usize,
    /// RANSAC: confidence at which it ends.
    confidence: f64,
    /// RANSAC: rounds of refinement on all that agree.
    refined: usize,
    /// Largest distance of the turn from a quarter turn, radians.
    tilt: f64,
    /// Least and largest scale.
    scales: std::ops::Range<f64>,
    /// Largest distance of the tile's middle from the crop's, cell sides.
    off: f64,
    /// Nats a point that agrees.
    nats: f32,
}

const AGREEMENT: Agreement = Agreement {
    ratio: 0.85,
    tolerance_px: 8.0,
    rounds: 500,
    confidence: 0.99,
    refined: 5,
    tilt: 0.35,
    scales: 0.75..1.33,
    off: 0.25,
    nats: 0.5,
};

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
    let Detector { most, layers, contrast, edge, sigma } = DETECTOR;
    SIFT::create(most, layers, contrast, edge, sigma)?.detect_and_compute_def(
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
            if let (true, Some(a), Some(b)) = (best.distance < AGREEMENT.ratio * second.distance, a, b) {
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
        AGREEMENT.tolerance_px,
        AGREEMENT.rounds,
        AGREEMENT.confidence,
        AGREEMENT.refined,
    )?;
    if pose.empty() {
        return Ok(scores);
    }
    let (cos, sin) = (*pose.at_2d::<f64>(0, 0)?, *pose.at_2d::<f64>(1, 0)?);
    let angle = sin.atan2(cos);
    let turns = (angle / FRAC_PI_2).round();
    let size = cos.hypot(sin);
    if (angle - turns * FRAC_PI_2).abs() > AGREEMENT.tilt || !AGREEMENT.scales.contains(&size) {
        return Ok(scores);
    }
    let half = f64::from(CELL_PX * ENLARGED) / 2.0;
    let middle = f64::from(CROP_PX * ENLARGED) / 2.0;
    let x = cos * half - sin * half + *pose.at_2d::<f64>(0, 2)?;
    let y = sin * half + cos * half + *pose.at_2d::<f64>(1, 2)?;
    if (x - middle).hypot(y - middle) < AGREEMENT.off * f64::from(CELL_PX * ENLARGED) {
        let inliers = opencv::core::count_non_zero(&agree)?;
        scores[turns.rem_euclid(4.0) as usize % 4] = AGREEMENT.nats * inliers as f32;
    }
    Ok(scores)
}
