//! Single tiles found anywhere in a photo by local features of the deck's
//! references: where the search for the grid starts.

use image::RgbImage;
use opencv::calib3d;
use opencv::core::{KeyPoint, Mat, Point2f, Vector};
use opencv::features2d::{BFMatcher, SIFT};
use opencv::prelude::*;

use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Point, Quad, distance};
use crate::vision::base::photo;

/// A tile-shaped place in a photo that looks like a tile of the deck. The place
/// is to be trusted more than the name: tiles share their ornaments.
#[derive(Clone, Debug, PartialEq)]
pub struct Seed {
    /// The tile that it was found by, by its place in the deck.
    pub tile: usize,
    /// Where the tile's corners are, from the reference's upper left on.
    pub quad: Quad,
    /// How many features agree.
    pub support: usize,
}

/// The local features of a deck's references.
pub struct TileFeatures {
    points: Vec<TilePoint>,
    descriptors: Mat,
}

/// A feature of a reference, in tile sides.
#[derive(Clone, Copy)]
struct TilePoint {
    tile: usize,
    at: Point,
    size: f64,
    angle: f64,
}

/// A feature of the photo that says where a tile would lie.
struct Vote {
    reference: usize,
    photo: usize,
    centre: Point,
    side: f64,
    angle: f64,
}

/// How features are sought and matched, and which make a seed.
struct Search {
    /// Side to which references are brought, pixels.
    reference_px: i32,
    /// Most features of a photo, and of a reference. More take longer and more memory.
    photo_features: i32,
    reference_features: i32,
    /// Features of references that each of the photo's is matched with.
    neighbours: i32,
    /// Root-SIFT distance above which two features have nothing in common.
    farthest: f32,
    /// Fewest features that make a seed.
    support: usize,
}

const SEARCH: Search = Search {
    reference_px: 96,
    photo_features: 9000,
    reference_features: 160,
    neighbours: 3,
    farthest: 0.75,
    support: 5,
};

impl TileFeatures {
    /// Learns the references, upright and cut to their edges.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn new(references: &[RgbImage]) -> Result<TileFeatures, VisionError> {
        let mut points = Vec::new();
        let mut descriptors = Mat::default();
        for (tile, reference) in references.iter().enumerate() {
            let small = photo::resized(&photo::to_mat(reference)?, SEARCH.reference_px, SEARCH.reference_px)?;
            let (keypoints, found) = features(&photo::spread_grey(&small)?, SEARCH.reference_features)?;
            if found.rows() > 0 {
                descriptors.push_back(&found)?;
            }
            let px = f64::from(SEARCH.reference_px);
            points.extend(keypoints.iter().map(|k| TilePoint {
                tile,
                at: [(f64::from(k.pt().x) + 0.5) / px, (f64::from(k.pt().y) + 0.5) / px],
                size: f64::from(k.size()) / px,
                angle: f64::from(k.angle()).to_radians(),
            }));
        }
        Ok(TileFeatures { points, descriptors })
    }

    /// Finds tile-shaped places in a grey photo, the best supported first; no
    /// two have nearly the same middle.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn find(&self, grey: &Mat) -> Result<Vec<Seed>, VisionError> {
        let (keypoints, descriptors) = features(grey, SEARCH.photo_features)?;
        if keypoints.is_empty() || self.points.is_empty() {
            return Ok(Vec::new());
        }
        let votes = self.votes(&keypoints, &descriptors)?;
        let mut seeds = Vec::new();
        for votes in &votes {
            for cluster in clusters(votes) {
                let cluster: Vec<&Vote> = cluster.into_iter().map(|i| &votes[i]).collect();
                seeds.extend(self.seed(&cluster, &keypoints)?);
            }
        }
        seeds.sort_by(|a, b| b.support.cmp(&a.support).then(a.tile.cmp(&b.tile)));
        let mut kept: Vec<Seed> = Vec::new();
        for seed in seeds {
            let centre = seed.quad.centre();
            if kept.iter().all(|k| distance(k.quad.centre(), centre) > 0.4 * k.quad.side()) {
                kept.push(seed);
            }
        }
        Ok(kept)
    }

    /// For each tile, what the photo's features say of where it lies.
    fn votes(&self, keypoints: &Vector<KeyPoint>, descriptors: &Mat) -> Result<Vec<Vec<Vote>>, VisionError> {
        let tiles = self.points.iter().map(|p| p.tile + 1).max().unwrap_or(0);
        let mut votes: Vec<Vec<Vote>> = (0..tiles).map(|_| Vec::new()).collect();
        let matcher = BFMatcher::create(opencv::core::NORM_L2, false)?;
        let mut matches = Vector::<Vector<opencv::core::DMatch>>::new();
        matcher.knn_train_match_def(descriptors, &self.descriptors, &mut matches, SEARCH.neighbours)?;
        for neighbours in &matches {
            for m in neighbours.iter().filter(|m| m.distance < SEARCH.farthest) {
                let (photo, reference) = (m.query_idx as usize, m.train_idx as usize);
                let Some(point) = self.points.get(reference) else { continue };
                let key = keypoints.get(photo)?;
                let side = f64::from(key.size()) / point.size;
                let angle = f64::from(key.angle()).to_radians() - point.angle;
                let (sin, cos) = angle.sin_cos();
                let to_middle = [(0.5 - point.at[0]) * side, (0.5 - point.at[1]) * side];
                let centre = [
                    f64::from(key.pt().x) + cos * to_middle[0] - sin * to_middle[1],
                    f64::from(key.pt().y) + sin * to_middle[0] + cos * to_middle[1],
                ];
                votes[point.tile].push(Vote { reference, photo, centre, side, angle });
            }
        }
        for votes in &mut votes {
            votes.sort_by(|a, b| a.centre[0].total_cmp(&b.centre[0]));
        }
        Ok(votes)
    }

    /// The affine map that most votes of a cluster agree on, as a seed.
    fn seed(&self, cluster: &[&Vote], keypoints: &Vector<KeyPoint>) -> Result<Option<Seed>, VisionError> {
        let Some(first) = cluster.first() else { return Ok(None) };
        let mut from = Vector::<Point2f>::new();
        let mut to = Vector::<Point2f>::new();
        for vote in cluster {
            let at = self.points[vote.reference].at;
            from.push(Point2f::new(at[0] as f32, at[1] as f32));
            to.push(keypoints.get(vote.photo)?.pt());
        }
        let mut inliers = Mat::default();
        let tolerance = (0.04 * first.side).max(1.5);
        let affine =
            calib3d::estimate_affine_2d(&from, &to, &mut inliers, calib3d::RANSAC, tolerance, 300, 0.99, 5)?;
        if affine.rows() != 2 {
            return Ok(None);
        }
        let m = affine.data_typed::<f64>()?;
        let [a, b, c, d, e, f] = std::array::from_fn(|i| m.get(i).copied().unwrap_or(f64::NAN));
        let at = |p: Point| [a * p[0] + b * p[1] + c, d * p[0] + e * p[1] + f];
        let quad = Quad([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(at));
        let mut agreeing: Vec<usize> = cluster
            .iter()
            .zip(inliers.data_bytes()?)
            .filter(|(_, ok)| **ok != 0)
            .map(|(v, _)| v.photo)
            .collect();
        agreeing.sort_unstable();
        agreeing.dedup();
        let support = agreeing.len();
        let sound =
            support >= SEARCH.support && quad.is_tile_like() && (quad.side() / first.side).ln().abs() < 0.4;
        Ok(sound.then_some(Seed { tile: self.points[first.reference].tile, quad, support }))
    }
}

/// Groups votes that agree in middle, size and turn; each vote is in at most
/// one group, the largest groups come first. `votes` are sorted by their
/// middle's x.
fn clusters(votes: &[Vote]) -> Vec<Vec<usize>> {
    let agree = |a: &Vote, b: &Vote| {
        let turn = (a.angle - b.angle).rem_euclid(std::f64::consts::TAU);
        distance(a.centre, b.centre) < 0.22 * a.side
            && turn.min(std::f64::consts::TAU - turn) < 0.35
            && (a.side / b.side).ln().abs() < 0.35
    };
    let mut groups: Vec<Vec<usize>> = votes
        .iter()
        .enumerate()
        .map(|(i, vote)| {
            let reach = 0.22 * vote.side;
            let start = votes.partition_point(|v| v.centre[0] < vote.centre[0] - reach);
            let mut group = vec![i];
            for (j, other) in votes.iter().enumerate().skip(start) {
                if other.centre[0] > vote.centre[0] + reach {
                    break;
                }
                if j != i && agree(vote, other) {
                    group.push(j);
                }
            }
            group
        })
        .filter(|g| g.len() >= SEARCH.support)
        .collect();
    groups.sort_by_key(|g| std::cmp::Reverse(g.len()));
    let mut used = vec![false; votes.len()];
    let mut out = Vec::new();
    for group in groups {
        let free: Vec<usize> = group.into_iter().filter(|i| !used[*i]).collect();
        if free.len() < SEARCH.support {
            continue;
        }
        for i in &free {
            used[*i] = true;
        }
        out.push(free);
    }
    out
}

/// SIFT features with root-SIFT descriptors.
fn features(grey: &Mat, most: i32) -> Result<(Vector<KeyPoint>, Mat), VisionError> {
    let mut sift = SIFT::create(most, 3, 0.02, 10.0, 1.6)?;
    let mut keypoints = Vector::new();
    let mut descriptors = Mat::default();
    sift.detect_and_compute_def(grey, &Mat::default(), &mut keypoints, &mut descriptors)?;
    let width = descriptors.cols().max(1) as usize;
    if descriptors.rows() > 0 {
        for row in descriptors.data_typed_mut::<f32>()?.chunks_mut(width) {
            let sum = row.iter().sum::<f32>().max(1e-6);
            for value in row {
                *value = (*value / sum).sqrt();
            }
        }
    }
    Ok((keypoints, descriptors))
}
