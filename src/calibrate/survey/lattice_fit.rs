//! Fits a wall's outline, on whole tile sides, and a camera to the border of a
//! region.

use opencv::core::{Mat, MatTraitConst, MatTraitConstManual};

use super::contour::{Border, area};
use crate::rules::castle::validate::{CORNER_TOWERS, WALL_CELLS};
use crate::rules::{Corner, Wall};
use crate::vision::base::camera::{Pose, Sighting};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Point};

/// When a border is an outline on whole tile sides. Lengths are tile sides.
struct Outlines {
    /// Least and largest width and height.
    sizes: std::ops::RangeInclusive<u32>,
    /// Largest distance of a drawn corner from where the lines of its two sides meet, as a
    /// share of the border's reach from its middle: sides are straight.
    straight: f64,
    /// Largest distance of a corner from a whole number, before lens and height are
    /// accounted for.
    rough: f64,
    /// Largest median error of a fit to a border that was found,
    found: f32,
    /// and to one whose corners somebody pointed at, some pixels off.
    pointed: f32,
    /// Rounds of a fit.
    rounds: u32,
}

const OUTLINES: Outlines =
    Outlines { sizes: 5..=16, straight: 0.08, rough: 0.33, found: 0.05, pointed: 0.2, rounds: 8 };

/// Where the border is measured along a side.
struct Stations {
    /// How many a side has.
    count: usize,
    /// Where the first lies and how far it is to the last, as shares of the side: towers
    /// stand at its ends.
    from: f32,
    span: f32,
    /// Pixels of the border, the nearest to a line across, whose mean is taken.
    nearest: usize,
    /// Largest distance of the nearest from that line, pixels of the coarse picture.
    reach: f64,
}

const STATIONS: Stations = Stations { count: 11, from: 0.08, span: 0.84, nearest: 5, reach: 3.0 };

/// An outline with the camera that sees it.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The outline's rows, `#` a cell.
    pub outline: Vec<String>,
    /// Its corners, clockwise, in the order of the border's.
    pub corners: Vec<(i32, i32)>,
    /// The camera.
    pub pose: Pose,
    /// The median distance of the border from where it should be, tile sides.
    pub error: f32,
}

impl Fit {
    /// Where the border runs for a side of the outline, in the order of walking.
    pub fn ends(&self, side: usize) -> ((f32, f32), (f32, f32)) {
        let at = |i: usize| {
            self.corners.get(i % self.corners.len().max(1)).map_or((0.0, 0.0), |c| (c.0 as f32, c.1 as f32))
        };
        (at(side), at(side + 1))
    }

    /// The direction out of the interior on a side.
    pub fn outwards(&self, side: usize) -> (f32, f32) {
        let ((ax, ay), (bx, by)) = self.ends(side);
        // Clockwise with y down: outside is to the left of the walk.
        ((by - ay).signum() * f32::from(by != ay), -(bx - ax).signum() * f32::from(bx != ax))
    }

    /// The wall without a track, towers or start spaces.
    pub fn bare_wall(&self) -> Wall {
        Wall {
            name: String::new(),
            note: String::new(),
            outline: self.outline.clone(),
            towers: Vec::new(),
            thickness: 0.5,
            track: Vec::new(),
            starts: Vec::new(),
        }
    }

    /// The walk round the border.
    pub fn ring(&self) -> Vec<Corner> {
        self.bare_wall().ring()
    }
}

/// The outlines of 76 cells that a border can be, the best first; no two alike.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn fits(border: &Border, size: (u32, u32)) -> Result<Vec<Fit>, VisionError> {
    let Some(flat) = flattened(border)? else { return Ok(Vec::new()) };
    let mut found: Vec<Fit> = Vec::new();
    for cols in OUTLINES.sizes {
        for rows in OUTLINES.sizes {
            let (Some(x), Some(y)) = (rounded(&flat, 0, f64::from(cols)), rounded(&flat, 1, f64::from(rows)))
            else {
                continue;
            };
            let corners: Vec<(i32, i32)> = x.into_iter().zip(y).collect();
            if !walkable(&corners) || found.iter().any(|f| same_turned(&f.corners, &corners)) {
                continue;
            }
            if let Some(fit) = fitted(border, &corners, size)? {
                found.push(fit);
            }
        }
    }
    found.sort_by(|a, b| a.error.total_cmp(&b.error));
    Ok(found)
}

/// The border's corners in a frame where its sides are parallel to the axes,
/// beginning with a side along x.
fn flattened(border: &Border) -> Result<Option<Vec<Point>>, VisionError> {
    let n = border.corners.len();
    let middle = mean(&border.corners);
    let reach = border.corners.iter().map(|c| (c[0] - middle[0]).hypot(c[1] - middle[1])).fold(1.0, f64::max);
    let scaled = |p: &Point| [(p[0] - middle[0]) / reach, (p[1] - middle[1]) / reach];
    let lines: Vec<[f64; 3]> =
        border.sides.iter().map(|s| line(&s.iter().map(scaled).collect::<Vec<_>>())).collect();
    let corners: Option<Vec<Point>> = (0..n).map(|i| meeting(&lines[(i + n - 1) % n], &lines[i])).collect();
    let Some(corners) = corners else { return Ok(None) };
    if (0..n).any(|i| {
        let drawn = scaled(&border.corners[i]);
        (drawn[0] - corners[i][0]).hypot(drawn[1] - corners[i][1]) > OUTLINES.straight
    }) {
        return Ok(None);
    }
    // Of a side that somebody drew the direction is as exact as the side is long.
    let weighed: Vec<[f64; 3]> = (0..n)
        .map(|i| {
            let (a, b) = (border.corners[i], border.corners[(i + 1) % n]);
            let weight = if border.is_pointed { (a[0] - b[0]).hypot(a[1] - b[1]) / reach } else { 1.0 };
            lines[i].map(|v| v * weight)
        })
        .collect();
    let family = |odd: usize| vanishing(weighed.iter().skip(odd).step_by(2));
    let (v, w) = (family(0)?, family(1)?);
    let to_scaled = Homography([v[0], w[0], 0.0, v[1], w[1], 0.0, v[2], w[2], 1.0]);
    let Some(back) = to_scaled.inverse() else { return Ok(None) };
    if corners.iter().any(|c| !back.same_side(*c, [0.0, 0.0])) {
        return Ok(None);
    }
    let mut flat: Vec<Point> = corners.iter().map(|c| back.apply(*c)).collect();
    if area(&flat) < 0.0 {
        flat.iter_mut().for_each(|p| p[0] = -p[0]);
    }
    Ok(Some(flat))
}

fn mean(points: &[Point]) -> Point {
    let n = points.len().max(1) as f64;
    [points.iter().map(|p| p[0]).sum::<f64>() / n, points.iter().map(|p| p[1]).sum::<f64>() / n]
}

/// The line through points, least squares of the distances, the farthest quarter
/// left out in a second round: a x + b y + c = 0 with a² + b² = 1.
fn line(points: &[Point]) -> [f64; 3] {
    let through = |points: &[Point]| {
        let m = mean(points);
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for p in points {
            let (dx, dy) = (p[0] - m[0], p[1] - m[1]);
            (xx, xy, yy) = (xx + dx * dx, xy + dx * dy, yy + dy * dy);
        }
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        let (a, b) = (-angle.sin(), angle.cos());
        [a, b, -(a * m[0] + b * m[1])]
    };
    let first = through(points);
    let far = |p: &Point| (first[0] * p[0] + first[1] * p[1] + first[2]).abs();
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| far(p).total_cmp(&far(q)));
    sorted.truncate((sorted.len() * 3 / 4).max(2));
    through(&sorted)
}

fn meeting(a: &[f64; 3], b: &[f64; 3]) -> Option<Point> {
    let det = a[0] * b[1] - b[0] * a[1];
    (det.abs() > 0.1).then(|| [(a[1] * b[2] - b[1] * a[2]) / det, (a[2] * b[0] - b[2] * a[0]) / det])
}

/// Where lines meet, in homogeneous coordinates.
fn vanishing<'a>(lines: impl Iterator<Item = &'a [f64; 3]>) -> Result<[f64; 3], VisionError> {
    let mut sum = [0.0; 9];
    for l in lines {
        for i in 0..3 {
            for j in 0..3 {
                sum[3 * i + j] += l[i] * l[j];
            }
        }
    }
    let m = Mat::new_rows_cols_with_data(3, 3, &sum)?;
    let (mut values, mut vectors) = (Mat::default(), Mat::default());
    opencv::core::eigen(&m, &mut values, &mut vectors)?;
    let row = vectors.row(2)?.try_clone()?;
    let data = row.data_typed::<f64>()?;
    Ok(std::array::from_fn(|i| data.get(i).copied().unwrap_or(0.0)))
}

/// One coordinate of the corners, spread over so many tile sides and rounded;
/// `None` when some corner is far from a whole number.
fn rounded(flat: &[Point], axis: usize, span: f64) -> Option<Vec<i32>> {
    let values: Vec<f64> = flat.iter().map(|p| p[axis]).collect();
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    if !(high - low).is_normal() {
        return None;
    }
    let mut scaled: Vec<f64> = values.iter().map(|v| (v - low) / (high - low) * span).collect();
    for _ in 0..3 {
        let n = scaled.len() as f64;
        let (mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0);
        for v in &scaled {
            let r = v.round();
            (sx, sy, sxx, sxy) = (sx + v, sy + r, sxx + v * v, sxy + v * r);
        }
        let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx).max(1e-9);
        let offset = (sy - slope * sx) / n;
        scaled.iter_mut().for_each(|v| *v = slope * *v + offset);
    }
    if scaled.iter().any(|v| (v - v.round()).abs() > OUTLINES.rough) {
        return None;
    }
    let whole: Vec<i32> = scaled.iter().map(|v| v.round() as i32).collect();
    let least = whole.iter().copied().min()?;
    Some(whole.into_iter().map(|v| v - least).collect())
}

/// Whether corners are those of a closed walk along the axes round 76 cells.
fn walkable(corners: &[(i32, i32)]) -> bool {
    let straight = corners
        .iter()
        .zip(corners.iter().cycle().skip(1))
        .enumerate()
        .all(|(i, (a, b))| if i % 2 == 0 { a.1 == b.1 && a.0 != b.0 } else { a.0 == b.0 && a.1 != b.1 });
    let points: Vec<Point> = corners.iter().map(|c| [f64::from(c.0), f64::from(c.1)]).collect();
    straight && (area(&points) - WALL_CELLS as f64).abs() < 1e-6
}

fn quarter_turned(corners: &[(i32, i32)], quarters: u8) -> Vec<(i32, i32)> {
    (0..quarters).fold(corners.to_vec(), |all, _| {
        let high = all.iter().map(|c| c.1).max().unwrap_or(0);
        all.iter().map(|c| (high - c.1, c.0)).collect()
    })
}

fn same_turned(a: &[(i32, i32)], b: &[(i32, i32)]) -> bool {
    (0..4).any(|q| quarter_turned(b, q) == a)
}

/// The cells that corners enclose, as rows of an outline.
fn outline_of(corners: &[(i32, i32)]) -> Option<Vec<String>> {
    let cols = corners.iter().map(|c| c.0).max()?;
    let rows = corners.iter().map(|c| c.1).max()?;
    let inside = |x: i32, y: i32| {
        let crossed = corners
            .iter()
            .zip(corners.iter().cycle().skip(1))
            .filter(|(a, b)| a.0 == b.0 && a.0 <= x && a.1.min(b.1) <= y && y < a.1.max(b.1));
        crossed.count() % 2 == 1
    };
    Some((0..rows).map(|y| (0..cols).map(|x| if inside(x, y) { '#' } else { '.' }).collect()).collect())
}

fn fitted(border: &Border, corners: &[(i32, i32)], size: (u32, u32)) -> Result<Option<Fit>, VisionError> {
    let n = corners.len();
    let lines: Vec<[f64; 3]> = border.sides.iter().map(|s| line(s)).collect();
    let seen: Option<Vec<Point>> = (0..n).map(|i| meeting(&lines[(i + n - 1) % n], &lines[i])).collect();
    let Some(seen) = seen else { return Ok(None) };
    // Of the four ways to turn the outline, the one whose up is most upwards.
    type Turned = (f64, Vec<(i32, i32)>, Homography);
    let mut best: Option<Turned> = None;
    for quarters in 0..4 {
        let turned = quarter_turned(corners, quarters);
        let board: Vec<Point> = turned.iter().map(|c| [f64::from(c.0), f64::from(c.1)]).collect();
        let Some(h) = Homography::fit(&board, &seen)? else { continue };
        let m = mean(&board);
        let (a, b) = (h.apply(m), h.apply([m[0], m[1] - 0.5]));
        let up = (a[1] - b[1]) / (a[0] - b[0]).hypot(a[1] - b[1]).max(1e-9);
        if best.as_ref().is_none_or(|(u, _, _)| up > *u) {
            best = Some((up, turned, h));
        }
    }
    let Some((_, corners, h)) = best else { return Ok(None) };
    let Some(outline) = outline_of(&corners) else { return Ok(None) };
    let matrix = [[h.0[0], h.0[1], h.0[2]], [h.0[3], h.0[4], h.0[5]], [h.0[6], h.0[7], h.0[8]]];
    let Some(pose) = Pose::from_homography(&matrix, size) else { return Ok(None) };
    let mut fit = Fit { outline, corners, pose, error: 1.0 };
    if fit.ring().len() != CORNER_TOWERS {
        return Ok(None);
    }
    settle(&mut fit, border, 0.0, OUTLINES.rounds)?;
    Ok((fit.error < if border.is_pointed { OUTLINES.pointed } else { OUTLINES.found }).then_some(fit))
}

/// Improves a fit to its border. Where the inner face of the wall can be seen,
/// the border lies `height` tile sides below the wall's top.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn settle(fit: &mut Fit, border: &Border, height: f32, rounds: u32) -> Result<(), VisionError> {
    for _ in 0..rounds {
        let sightings = seen_along(fit, border, height);
        fit.pose = fit.pose.fitted(&sightings, false)?;
        let sightings = seen_along(fit, border, height);
        let mut errors: Vec<f32> = fit
            .pose
            .errors(&sightings)
            .iter()
            .zip(&sightings)
            .map(|(e, s)| e / fit.pose.tile_px(s.board.0, s.board.1).max(1.0))
            .collect();
        errors.sort_by(f32::total_cmp);
        fit.error = errors.get(errors.len() / 2).copied().unwrap_or(1.0);
    }
    Ok(())
}

/// Whether the inner face of a side of the wall can be seen.
pub fn face_seen(fit: &Fit, side: usize) -> bool {
    let (cx, cy, _) = fit.pose.camera();
    let ((x, y), _) = fit.ends(side);
    let (ox, oy) = fit.outwards(side);
    (x - cx) * ox + (y - cy) * oy > 0.0
}

/// Places along the outline, each seen at the nearest point of the border: only
/// how far off it is across the side is measured.
fn seen_along(fit: &Fit, border: &Border, height: f32) -> Vec<Sighting> {
    let mut sightings = Vec::new();
    for (side, pixels) in border.sides.iter().enumerate() {
        let ((ax, ay), (bx, by)) = fit.ends(side);
        let (ox, oy) = fit.outwards(side);
        let depth = if face_seen(fit, side) { height } else { 0.0 };
        for i in 0..STATIONS.count {
            let t = STATIONS.from + STATIONS.span * i as f32 / (STATIONS.count - 1) as f32;
            let board = (ax + t * (bx - ax), ay + t * (by - ay));
            let (u, v) = fit.pose.project(board.0, board.1, depth);
            let (pu, pv) = fit.pose.project(board.0 + 0.1 * ox, board.1 + 0.1 * oy, depth);
            let (nu, nv) = (f64::from(pu - u), f64::from(pv - v));
            let length = nu.hypot(nv).max(1e-6);
            let (nu, nv) = (nu / length, nv / length);
            // The border's pixels on either side of the line across.
            let mut close: Vec<(f64, f64)> = pixels
                .iter()
                .map(|p| {
                    let (du, dv) = (p[0] - f64::from(u), p[1] - f64::from(v));
                    ((du * nv - dv * nu).abs(), du * nu + dv * nv)
                })
                .collect();
            close.sort_by(|a, b| a.0.total_cmp(&b.0));
            close.truncate(STATIONS.nearest);
            let Some(nearest) = close.first() else { continue };
            if nearest.0 > STATIONS.reach * border.grain {
                continue;
            }
            let off = close.iter().map(|c| c.1).sum::<f64>() / close.len() as f64;
            sightings.push(Sighting {
                board,
                depth,
                frame: ((f64::from(u) + off * nu) as f32, (f64::from(v) + off * nv) as f32),
                weight: 1.0,
            });
        }
    }
    sightings
}
