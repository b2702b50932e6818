//! Local features of a wall's picture, and the cameras over it that those of a
//! frame agree on.

use opencv::calib3d;
use opencv::core::{KeyPoint, Mat, Point2f, Ptr, Vector};
use opencv::features2d::{ORB, ORB_ScoreType, SIFT};
use opencv::prelude::*;

use crate::vision::base::camera::{Pose, Sighting};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::median;
use crate::vision::base::nearest::{Descriptors, Nearest, Neighbourhood};

/// Which matches of features count, and which agree on where the wall lies.
struct Matching {
    /// Largest distance of a match's descriptor from its feature's, as a share of that of
    /// the next best. Higher keeps more matches and more wrong ones.
    ratio: f32,
    /// Least number of matches that agree on a pose.
    enough: usize,
    /// Matches that agree differ by no more: in the turn, degrees,
    turn: f32,
    /// in the natural logarithm of the scale,
    scale: f32,
    /// and in the place, as a share of the distance
    spread: f32,
    /// and in tile sides. A slant changes all of them.
    slack: f32,
}

const MATCHING: Matching =
    Matching { ratio: 0.85, enough: 8, turn: 30.0, scale: 0.6, spread: 0.3, slack: 0.5 };

/// How features are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// ORB.
    Fast,
    /// SIFT, which takes ten times as long.
    Strong,
}

impl Kind {
    /// Lowe's ratio test: whether the nearest is clearly nearer than the next.
    fn tells_apart(self, nearest: &Nearest) -> bool {
        let (first, second) = (nearest.squared.0 as f32, nearest.squared.1 as f32);
        // Hamming's distance is a square already.
        let ratio = if self == Kind::Fast { MATCHING.ratio } else { MATCHING.ratio * MATCHING.ratio };
        first < ratio * second
    }
}

/// The features of a wall's picture.
pub(crate) struct WallFeatures {
    kind: Kind,
    /// Places and sizes in tile sides.
    points: Vec<Point>,
    descriptors: Neighbourhood,
}

/// A feature point.
#[derive(Clone, Copy, Debug)]
struct Point {
    x: f32,
    y: f32,
    /// Across what it was described by.
    size: f32,
    /// Which way it points, degrees.
    angle: f32,
}

/// A feature of the wall that was found in the frame.
#[derive(Clone, Copy, Debug)]
struct Match {
    /// In tile sides.
    wall: Point,
    /// In pixels.
    frame: Point,
}

impl Match {
    /// How far the wall is turned clockwise, degrees.
    fn turn(&self) -> f32 {
        (self.frame.angle - self.wall.angle).rem_euclid(360.0)
    }

    /// Pixels a tile side.
    fn scale(&self) -> f32 {
        self.frame.size / self.wall.size.max(1e-6)
    }

    /// Whether another match sees the wall in about the same place.
    fn agrees(&self, other: &Match) -> bool {
        let (sin, cos) = self.turn().to_radians().sin_cos();
        let scale = self.scale();
        let (dx, dy) = (other.wall.x - self.wall.x, other.wall.y - self.wall.y);
        let there =
            (self.frame.x + scale * (cos * dx - sin * dy), self.frame.y + scale * (sin * dx + cos * dy));
        let off = (other.frame.x - there.0).hypot(other.frame.y - there.1) / scale;
        apart(self.turn(), other.turn()) < MATCHING.turn
            && (other.scale() / scale).ln().abs() < MATCHING.scale
            && off < MATCHING.slack + MATCHING.spread * dx.hypot(dy)
    }
}

impl WallFeatures {
    /// Of the wall's picture where the mask is set; `origin` is its pixel at the
    /// upper left of the first cell, `px_per_tile` its resolution.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub(crate) fn new(
        kind: Kind,
        gray: &Mat,
        mask: &Mat,
        origin: (f32, f32),
        px_per_tile: f32,
    ) -> Result<WallFeatures, VisionError> {
        let (points, descriptors) = detect(kind, gray, mask)?;
        let on_board = |p: Point| Point {
            x: (p.x + 0.5 - origin.0) / px_per_tile,
            y: (p.y + 0.5 - origin.1) / px_per_tile,
            size: p.size / px_per_tile,
            ..p
        };
        let descriptors = Neighbourhood::new(&descriptors);
        Ok(WallFeatures { kind, points: points.into_iter().map(on_board).collect(), descriptors })
    }

    /// The cameras over the wall that matches with a gray frame speak for: that of
    /// all which agree on a turn, and that of the largest group which agrees on one
    /// place.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub(crate) fn poses(&self, frame: &Mat) -> Result<Vec<Pose>, VisionError> {
        let matches = self.matches(frame)?;
        let turned = of_common_turn(&matches);
        let group = of_common_place(&turned);
        tracing::debug!(
            kind = ?self.kind,
            matches = matches.len(),
            turned = turned.len(),
            group = group.len(),
            "features"
        );
        let size = (frame.cols() as u32, frame.rows() as u32);
        let all = pose(&turned, size)?;
        Ok(all.into_iter().chain(near_pose(&group, size)).collect())
    }

    fn matches(&self, frame: &Mat) -> Result<Vec<Match>, VisionError> {
        let (points, descriptors) = detect(self.kind, frame, &Mat::default())?;
        if points.len() < MATCHING.enough || self.points.len() < MATCHING.enough {
            return Ok(Vec::new());
        }
        let nearest = self.descriptors.of(&descriptors);
        let told_apart = nearest.iter().zip(points).filter(|(nearest, _)| self.kind.tells_apart(nearest));
        Ok(told_apart
            .filter_map(|(n, frame)| Some(Match { wall: *self.points.get(n.index)?, frame }))
            .collect())
    }
}

/// The matches whose turn is near to what most say.
fn of_common_turn(matches: &[Match]) -> Vec<Match> {
    let near = |turn: f32, reach: f32| matches.iter().filter(move |m| apart(turn, m.turn()) < reach);
    let common = (0..72).map(|i| i as f32 * 5.0).max_by_key(|t| near(*t, MATCHING.turn / 2.0).count());
    common.map(|turn| near(turn, MATCHING.turn).copied().collect()).unwrap_or_default()
}

/// The largest group of matches that agree with one of them on where the wall lies.
/// Each alone tells place, turn and size.
fn of_common_place(matches: &[Match]) -> Vec<Match> {
    let agreeing = |m: &Match| matches.iter().filter(|other| m.agrees(other)).copied().collect();
    matches.iter().map(agreeing).max_by_key(Vec::len).unwrap_or_default()
}

/// How far two directions are apart, degrees.
fn apart(a: f32, b: f32) -> f32 {
    let d = (a - b).rem_euclid(360.0);
    d.min(360.0 - d)
}

/// The usual camera that sees a group of matches, however narrow, beginning with one
/// straight above.
fn near_pose(group: &[Match], size: (u32, u32)) -> Option<Pose> {
    if group.len() < MATCHING.enough {
        return None;
    }
    let middle = |of: fn(&Match) -> f32| median(&mut group.iter().map(of).collect::<Vec<f32>>());
    let place = (middle(|m| m.wall.x), middle(|m| m.wall.y));
    let at = (middle(|m| m.frame.x), middle(|m| m.frame.y));
    let first = group.first()?;
    let turn = group.iter().map(|m| (m.turn() - first.turn() + 540.0).rem_euclid(360.0) - 180.0);
    let turn = first.turn() + median(&mut turn.collect::<Vec<f32>>());
    let scale = middle(Match::scale);
    let sightings: Vec<Sighting> = group
        .iter()
        .map(|m| Sighting {
            board: (m.wall.x, m.wall.y),
            depth: 0.0,
            frame: (m.frame.x, m.frame.y),
            weight: 1.0,
        })
        .collect();
    let at = (f64::from(at.0), f64::from(at.1));
    let start = Pose::looking(size, f64::from(turn.to_radians()), (0.0, 0.0), place, at, 1.0);
    let distance = f64::from(start.tile_px(place.0, place.1) / scale);
    let start = Pose::looking(size, f64::from(turn.to_radians()), (0.0, 0.0), place, at, distance);
    start.fitted(&sightings, false).ok()
}

/// The camera that most matches agree on exactly.
fn pose(matches: &[Match], size: (u32, u32)) -> Result<Option<Pose>, VisionError> {
    if matches.len() < MATCHING.enough {
        return Ok(None);
    }
    let from: Vector<Point2f> = matches.iter().map(|m| Point2f::new(m.wall.x, m.wall.y)).collect();
    let to: Vector<Point2f> = matches.iter().map(|m| Point2f::new(m.frame.x, m.frame.y)).collect();
    let mut inliers = Mat::default();
    let h = calib3d::find_homography_ext(&from, &to, calib3d::USAC_MAGSAC, 3.0, &mut inliers, 3000, 0.999)?;
    if h.empty() {
        return Ok(None);
    }
    let mut rows = [[0.0; 3]; 3];
    for (i, row) in rows.iter_mut().enumerate() {
        for (j, v) in row.iter_mut().enumerate() {
            *v = *h.at_2d::<f64>(i as i32, j as i32)?;
        }
    }
    let count = opencv::core::count_non_zero(&inliers)? as usize;
    tracing::debug!(inliers = count, of = matches.len(), "homography");
    Ok((count >= MATCHING.enough).then(|| Pose::from_homography(&rows, size)).flatten())
}

/// Feature points in pixels, and their descriptors.
fn detect(kind: Kind, gray: &Mat, mask: &Mat) -> Result<(Vec<Point>, Descriptors), VisionError> {
    let mut points: Vector<KeyPoint> = Vector::new();
    let mut descriptors = Mat::default();
    let descriptors = match kind {
        Kind::Fast => {
            let mut orb: Ptr<ORB> = ORB::create(2500, 1.2, 6, 16, 0, 2, ORB_ScoreType::FAST_SCORE, 31, 8)?;
            orb.detect_and_compute(gray, mask, &mut points, &mut descriptors, false)?;
            Descriptors::of_bits(&descriptors)?
        }
        Kind::Strong => {
            let mut sift: Ptr<SIFT> = SIFT::create(4000, 3, 0.02, 12.0, 1.4)?;
            sift.detect_and_compute(gray, mask, &mut points, &mut descriptors, false)?;
            Descriptors::of_sift(&descriptors)?
        }
    };
    let point = |p: KeyPoint| Point { x: p.pt().x, y: p.pt().y, size: p.size(), angle: p.angle() };
    Ok((points.iter().map(point).collect(), descriptors))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A feature at a place of the wall, seen by a camera.
    fn seen(pose: &Pose, (x, y): (f32, f32), scale: f32) -> Match {
        let at = pose.project(x, y, 0.0);
        let beside = pose.project(x + 0.1, y, 0.0);
        let angle = (beside.1 - at.1).atan2(beside.0 - at.0).to_degrees();
        Match {
            wall: Point { x, y, size: 0.2, angle: 0.0 },
            frame: Point { x: at.0, y: at.1, size: 0.2 * scale, angle },
        }
    }

    #[test]
    fn a_few_matches_along_one_side_are_enough_among_many_wrong_ones() {
        let size = (1280, 720);
        let truth = Pose::looking(size, 0.5, (0.4, -0.1), (3.0, 8.0), (320.0, 250.0), 20.0);
        let right: Vec<Match> = (0..10)
            .map(|i| (i as f32 * 0.9, 8.2 + 0.3 * (i % 3) as f32))
            .map(|(x, y)| seen(&truth, (x, y), truth.tile_px(x, y)))
            .collect();
        let wrong = (0..60_u32).map(|i| {
            let roll = |k: u32| (i * k % 97) as f32 / 97.0;
            let mut m = seen(&truth, (9.0 * roll(31), 10.0 * roll(17)), 20.0 + 60.0 * roll(53));
            (m.frame.x, m.frame.y) = (1280.0 * roll(71), 720.0 * roll(41));
            m
        });
        let all: Vec<Match> = right.iter().copied().chain(wrong).collect();
        let group = of_common_place(&of_common_turn(&all));
        assert!(right.iter().filter(|r| group.iter().any(|g| g.wall.x == r.wall.x)).count() >= 8);
        let found = near_pose(&group, size).unwrap();
        for place in [(0.0, 8.0), (4.0, 6.0), (8.0, 9.0)] {
            let (a, b) = (truth.project(place.0, place.1, 0.0), found.project(place.0, place.1, 0.0));
            let off = (a.0 - b.0).hypot(a.1 - b.1) / truth.tile_px(place.0, place.1);
            assert!(off < 0.25, "{place:?} is off by {off}");
        }
    }

    #[test]
    fn nothing_in_common_leads_nowhere() {
        assert!(of_common_place(&[]).is_empty());
        assert!(of_common_turn(&[]).is_empty());
        assert!(near_pose(&[], (640, 480)).is_none());
    }
}
