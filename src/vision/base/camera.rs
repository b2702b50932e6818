//! Where the camera stands over the board: a pinhole with radial distortion.

use super::error::VisionError;
use super::least_squares::solve;
use crate::rules::sentence;

/// A place on the board that was seen at a place of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// The place, in tile sides from the upper left corner of cell (0, 0).
    pub board: (f32, f32),
    /// How far it lies below the top of the wall, in tile sides.
    pub depth: f32,
    /// Where it was seen, in pixels of the frame.
    pub frame: (f32, f32),
    /// How much it counts.
    pub weight: f32,
}

/// A camera over the board.
///
/// Board coordinates are tile sides: x right, y down, depth downwards into the
/// table, all measured from the upper left corner of cell (0, 0) at the height
/// of the top of the wall. The principal point is the middle of the frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    size: (u32, u32),
    focal: f64,
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
    distortion: [f64; 2],
}

/// The focal length that is assumed where the picture does not tell, in widths
/// of the frame's longer side: between common webcams and phones.
const USUAL_FOCAL: f64 = 0.8;
/// How far (natural logarithm) a camera's focal length may be from the usual.
const FOCAL_SPREAD: f64 = 0.3;
/// How strong radial distortion usually is.
const DISTORTION_SPREAD: [f64; 2] = [0.08, 0.04];
/// Free parameters: focal length, turn, place, distortion.
pub(crate) const PARAMETERS: usize = 9;

impl Pose {
    /// The pose from a homography that takes board places (tile sides) at the
    /// top of the wall to pixels of a frame of `size`; `None` for a homography
    /// that no camera above the table can have (mirrored, or behind the camera).
    pub fn from_homography(h: &[[f64; 3]; 3], size: (u32, u32)) -> Option<Pose> {
        let (cx, cy) = centre(size);
        let focal = focal_of(h, size);
        let mut columns = [[0.0; 3]; 3];
        for (j, column) in columns.iter_mut().enumerate() {
            *column = [(h[0][j] - cx * h[2][j]) / focal, (h[1][j] - cy * h[2][j]) / focal, h[2][j]];
        }
        let scale = (norm(&columns[0]) * norm(&columns[1])).sqrt();
        let scale = if columns[2][2] < 0.0 { -scale } else { scale };
        if !scale.is_finite() || scale.abs() < 1e-12 {
            return None;
        }
        for column in &mut columns {
            column.iter_mut().for_each(|v| *v /= scale);
        }
        let [a, b, translation] = columns;
        // The two axes are made orthogonal about their bisector.
        let (a, b) = (unit(&a)?, unit(&b)?);
        let sum = unit(&[a[0] + b[0], a[1] + b[1], a[2] + b[2]])?;
        let difference = unit(&[a[0] - b[0], a[1] - b[1], a[2] - b[2]])?;
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let x: [f64; 3] = std::array::from_fn(|i| (sum[i] + difference[i]) * half);
        let y: [f64; 3] = std::array::from_fn(|i| (sum[i] - difference[i]) * half);
        let z = cross(&x, &y);
        // From above, the axis into the table points away from the camera.
        if z[2] <= 0.0 || translation[2] <= 0.0 {
            return None;
        }
        let rotation = std::array::from_fn(|i| [x[i], y[i], z[i]]);
        Some(Pose { size, focal, rotation, translation, distortion: [0.0; 2] })
    }

    /// A camera with the usual focal length that sees the board place `middle`
    /// at pixel `at`, `distance` tile sides away. The board is turned clockwise
    /// by `turned` as seen, then its far side leans away by `-tilt.0` and its right
    /// side by `-tilt.1`; radians.
    pub fn looking(
        size: (u32, u32),
        turned: f64,
        tilt: (f64, f64),
        middle: (f32, f32),
        at: (f64, f64),
        distance: f64,
    ) -> Pose {
        let focal = USUAL_FOCAL * f64::from(size.0.max(size.1));
        let (cx, cy) = centre(size);
        let (lean, about) = (turn(&[tilt.0, -tilt.1, 0.0]), turn(&[0.0, 0.0, turned]));
        let rotation: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| lean[i][k] * about[k][j]).sum()));
        let ray = [(at.0 - cx) / focal, (at.1 - cy) / focal, 1.0];
        let m = [f64::from(middle.0), f64::from(middle.1), 0.0];
        let translation =
            std::array::from_fn(|i| ray[i] * distance - (0..3).map(|j| rotation[i][j] * m[j]).sum::<f64>());
        Pose { size, focal, rotation, translation, distortion: [0.0; 2] }
    }

    /// The size of the frames that it is for, in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// The same camera for frames scaled to another size.
    #[must_use]
    pub fn scaled(&self, size: (u32, u32)) -> Pose {
        let scale = f64::from(size.0.max(size.1)) / f64::from(self.size.0.max(self.size.1));
        Pose { size, focal: self.focal * scale, ..self.clone() }
    }

    /// The pixel at which a board place is seen, pixel centres at whole numbers.
    pub fn project(&self, x: f32, y: f32, depth: f32) -> (f32, f32) {
        let (u, v) = self.project_exact([x, y, depth].map(f64::from));
        (u as f32, v as f32)
    }

    /// The board place at the height of the top of the wall that is seen at a pixel; `None` where
    /// the pixel shows none, or lies where the lens's distortion is not known.
    pub fn on_board(&self, pixel: (f32, f32)) -> Option<(f32, f32)> {
        /// Rounds of Newton's method, and the distance at which a place is found, pixels.
        const ROUNDS: usize = 30;
        const FOUND: f64 = 1e-2;
        /// Step of the numeric derivative, tile sides.
        const STEP: f64 = 1e-3;
        let goal = [f64::from(pixel.0), f64::from(pixel.1)];
        let (x, y) = self.aim();
        let mut at = [f64::from(x), f64::from(y)];
        for _ in 0..ROUNDS {
            let seen = |x: f64, y: f64| {
                let (u, v) = self.project_exact([x, y, 0.0]);
                [u - goal[0], v - goal[1]]
            };
            let off = seen(at[0], at[1]);
            if off[0].hypot(off[1]) < FOUND {
                return Some((at[0] as f32, at[1] as f32));
            }
            let (right, down) = (seen(at[0] + STEP, at[1]), seen(at[0], at[1] + STEP));
            let [a, c] = [(right[0] - off[0]) / STEP, (right[1] - off[1]) / STEP];
            let [b, d] = [(down[0] - off[0]) / STEP, (down[1] - off[1]) / STEP];
            let det = a * d - b * c;
            if !det.is_normal() {
                return None;
            }
            at[0] -= (d * off[0] - b * off[1]) / det;
            at[1] -= (a * off[1] - c * off[0]) / det;
        }
        None
    }

    /// Where the camera stands over the board: x, y and height above the top of
    /// the wall, in tile sides.
    pub fn camera(&self) -> (f32, f32, f32) {
        let c: [f64; 3] =
            std::array::from_fn(|j| -(0..3).map(|i| self.rotation[i][j] * self.translation[i]).sum::<f64>());
        (c[0] as f32, c[1] as f32, -c[2] as f32)
    }

    /// Where the middle of the frame lies on the board, tile sides.
    pub fn aim(&self) -> (f32, f32) {
        let axis = self.rotation[2];
        let (x, y, above) = self.camera();
        // Along the optical axis down to the plane of the wall's top.
        let k = f64::from(above) / axis[2].max(0.05);
        (x + (axis[0] * k) as f32, y + (axis[1] * k) as f32)
    }

    /// Where on the plane at `depth` a thing appears to lie that stands at a
    /// place of that plane and is `height` tile sides above it.
    pub fn lean(&self, x: f32, y: f32, depth: f32, height: f32) -> (f32, f32) {
        let (cx, cy, above) = self.camera();
        let k = height / (above + depth - height).max(1e-3);
        (x + (x - cx) * k, y + (y - cy) * k)
    }

    /// The length of a tile side in pixels, where the board place lies.
    pub fn tile_px(&self, x: f32, y: f32) -> f32 {
        let (a, b, c) =
            (self.project(x, y, 0.0), self.project(x + 0.1, y, 0.0), self.project(x, y + 0.1, 0.0));
        let area = (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
        area.abs().sqrt() * 10.0
    }

    /// Fits the camera to sightings, starting from this one; sightings that
    /// don't agree with the others lose their weight. With `rigid` only the
    /// camera's place and turn change.
    ///
    /// # Errors
    /// [`VisionError::NoWall`] with fewer than six sightings.
    pub fn fitted(&self, sightings: &[Sighting], rigid: bool) -> Result<Pose, VisionError> {
        if sightings.len() < 6 {
            return Err(VisionError::NoWall(sentence!(
                "too little of the castle wall is in sight; clear the view"
            )));
        }
        let noise = 0.3 * f64::from(self.size.0.max(self.size.1)) / 1280.0;
        let mut pose = self.clone();
        let mut damping = 1e-3;
        let mut spread = pose.spread(sightings).max(noise);
        let mut cost = pose.cost(sightings, spread, noise);
        for _ in 0..25 {
            let Some(step) = pose.step(sightings, spread, noise, damping, rigid) else { break };
            let next = pose.moved(&step);
            let next_cost = next.cost(sightings, spread, noise);
            if next_cost < cost {
                let gain = (cost - next_cost) / cost.max(1e-12);
                pose = next;
                spread = pose.spread(sightings).max(noise);
                cost = pose.cost(sightings, spread, noise);
                damping = (damping * 0.3).max(1e-9);
                if gain < 1e-6 {
                    break;
                }
            } else {
                damping *= 8.0;
                if damping > 1e6 {
                    break;
                }
            }
        }
        Ok(pose)
    }

    /// How far the sightings are from where this camera would see them, pixels.
    pub fn errors(&self, sightings: &[Sighting]) -> Vec<f32> {
        sightings
            .iter()
            .map(|s| {
                let (u, v) = self.project(s.board.0, s.board.1, s.depth);
                (u - s.frame.0).hypot(v - s.frame.1)
            })
            .collect()
    }

    /// A robust standard deviation of the sightings' errors along one axis.
    fn spread(&self, sightings: &[Sighting]) -> f64 {
        let mut errors = self.errors(sightings);
        errors.sort_by(f32::total_cmp);
        // The median of a two-dimensional normal error is 1.177 deviations.
        errors.get(errors.len() / 2).map_or(0.0, |&m| f64::from(m) / 1.177)
    }

    /// Tukey's loss over all sightings, with what is known of cameras.
    fn cost(&self, sightings: &[Sighting], spread: f64, noise: f64) -> f64 {
        let limit = LIMIT * spread;
        let seen: f64 = self
            .errors(sightings)
            .iter()
            .zip(sightings)
            .map(|(&e, s)| {
                let r = (f64::from(e) / limit).min(1.0);
                f64::from(s.weight) * limit * limit * (1.0 - (1.0 - r * r).powi(3)) / 3.0
            })
            .sum();
        let known: f64 = self.known().iter().map(|(_, value, deviation)| (value / deviation).powi(2)).sum();
        seen / (noise * noise) + known
    }

    /// What is known of cameras: parameter, how far off the usual, deviation.
    pub(crate) fn known(&self) -> [(usize, f64, f64); 3] {
        let usual = USUAL_FOCAL * f64::from(self.size.0.max(self.size.1));
        [
            (0, (self.focal / usual).ln(), FOCAL_SPREAD),
            (7, self.distortion[0], DISTORTION_SPREAD[0]),
            (8, self.distortion[1], DISTORTION_SPREAD[1]),
        ]
    }

    /// A damped Gauss-Newton step of the parameters.
    fn step(
        &self,
        sightings: &[Sighting],
        spread: f64,
        noise: f64,
        damping: f64,
        rigid: bool,
    ) -> Option<[f64; PARAMETERS]> {
        const NUDGE: f64 = 1e-5;
        let nudged: Vec<Pose> = (0..PARAMETERS)
            .map(|p| {
                let mut delta = [0.0; PARAMETERS];
                delta[p] = NUDGE;
                self.moved(&delta)
            })
            .collect();
        let mut a = [[0.0; PARAMETERS]; PARAMETERS];
        let mut b = [0.0; PARAMETERS];
        let limit = LIMIT * spread;
        for s in sightings {
            let place = [s.board.0, s.board.1, s.depth].map(f64::from);
            let at = |pose: &Pose| pose.project_exact(place);
            let (u, v) = at(self);
            let (du, dv) = (f64::from(s.frame.0) - u, f64::from(s.frame.1) - v);
            let r = du.hypot(dv) / limit;
            if r >= 1.0 {
                continue;
            }
            let weight = f64::from(s.weight) * (1.0 - r * r).powi(2) / (noise * noise);
            let mut ju = [0.0; PARAMETERS];
            let mut jv = [0.0; PARAMETERS];
            for (p, pose) in nudged.iter().enumerate() {
                let (nu, nv) = at(pose);
                (ju[p], jv[p]) = ((nu - u) / NUDGE, (nv - v) / NUDGE);
            }
            for i in 0..PARAMETERS {
                b[i] += weight * (ju[i] * du + jv[i] * dv);
                for j in 0..PARAMETERS {
                    a[i][j] += weight * (ju[i] * ju[j] + jv[i] * jv[j]);
                }
            }
        }
        for (p, value, deviation) in self.known() {
            a[p][p] += 1.0 / (deviation * deviation);
            b[p] -= value / (deviation * deviation);
        }
        for (i, row) in a.iter_mut().enumerate() {
            row[i] *= 1.0 + damping;
            if rigid && matches!(i, 0 | 7 | 8) {
                row.fill(0.0);
                row[i] = 1.0;
                b[i] = 0.0;
            }
        }
        solve(a, b)
    }

    /// [`Pose::project`], exactly.
    pub(crate) fn project_exact(&self, p: [f64; 3]) -> (f64, f64) {
        let c: [f64; 3] = std::array::from_fn(|i| {
            (0..3).map(|j| self.rotation[i][j] * p[j]).sum::<f64>() + self.translation[i]
        });
        let z = c[2].max(1e-6);
        let (u, v) = (c[0] / z, c[1] / z);
        let r2 = u * u + v * v;
        let bend = 1.0 + r2 * (self.distortion[0] + r2 * self.distortion[1]);
        let (cx, cy) = centre(self.size);
        (self.focal * u * bend + cx, self.focal * v * bend + cy)
    }

    /// The camera after a step of the parameters.
    pub(crate) fn moved(&self, step: &[f64; PARAMETERS]) -> Pose {
        let turn = turn(&[step[1], step[2], step[3]]);
        Pose {
            size: self.size,
            focal: self.focal * step[0].clamp(-1.0, 1.0).exp(),
            rotation: std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..3).map(|k| turn[i][k] * self.rotation[k][j]).sum())
            }),
            translation: std::array::from_fn(|i| self.translation[i] + step[4 + i]),
            distortion: [self.distortion[0] + step[7], self.distortion[1] + step[8]],
        }
    }
}

/// Sightings farther off than so many deviations don't count.
const LIMIT: f64 = 4.0;

fn centre(size: (u32, u32)) -> (f64, f64) {
    ((f64::from(size.0) - 1.0) / 2.0, (f64::from(size.1) - 1.0) / 2.0)
}

/// The focal length that makes the homography's axes orthogonal and equally
/// long, drawn to the usual one as far as the tilt leaves it open.
fn focal_of(h: &[[f64; 3]; 3], size: (u32, u32)) -> f64 {
    let side = f64::from(size.0.max(size.1));
    let (cx, cy) = centre(size);
    let column = |j: usize| [(h[0][j] - cx * h[2][j]) / side, (h[1][j] - cy * h[2][j]) / side, h[2][j]];
    let (a, b) = (column(0), column(1));
    let scale = a[0].hypot(a[1]).hypot(b[0].hypot(b[1])).powi(2).max(1e-12);
    let mismatch = |focal: f64| {
        let f2 = focal * focal;
        let dot = (a[0] * b[0] + a[1] * b[1] + f2 * a[2] * b[2]) / scale;
        let lengths = (a[0].powi(2) + a[1].powi(2) - b[0].powi(2) - b[1].powi(2)
            + f2 * (a[2].powi(2) - b[2].powi(2)))
            / scale;
        (dot * dot + lengths * lengths) / 1e-5 + ((focal / USUAL_FOCAL).ln() / FOCAL_SPREAD).powi(2)
    };
    (0..=60)
        .map(|i| 0.4 * (f64::from(i) * 0.035).exp())
        .min_by(|x, y| mismatch(*x).total_cmp(&mismatch(*y)))
        .unwrap_or(USUAL_FOCAL)
        * side
}

fn norm(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn unit(v: &[f64; 3]) -> Option<[f64; 3]> {
    let n = norm(v);
    (n.is_finite() && n > 1e-9).then(|| v.map(|x| x / n))
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The rotation about a vector by its length (Rodrigues).
fn turn(v: &[f64; 3]) -> [[f64; 3]; 3] {
    let angle = norm(v);
    let Some([x, y, z]) = unit(v).filter(|_| angle > 1e-12) else {
        return [[1.0, -v[2], v[1]], [v[2], 1.0, -v[0]], [-v[1], v[0], 1.0]];
    };
    let (s, c) = angle.sin_cos();
    let t = 1.0 - c;
    [
        [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
        [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
        [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilted() -> Pose {
        Pose {
            size: (1280, 720),
            focal: 1100.0,
            rotation: turn(&[0.35, 0.1, 0.6]),
            translation: [-1.0, -6.0, 20.0],
            distortion: [-0.08, 0.02],
        }
    }

    fn sightings(pose: &Pose) -> Vec<Sighting> {
        (0..60)
            .map(|i| {
                let board = ((i % 10) as f32, (i / 10) as f32 * 1.7);
                Sighting { board, depth: 0.0, frame: pose.project(board.0, board.1, 0.0), weight: 1.0 }
            })
            .collect()
    }

    #[test]
    fn a_fit_finds_the_camera_again() {
        let truth = tilted();
        let mut start = truth.moved(&[0.1, 0.02, -0.02, 0.03, 0.2, 0.2, -1.0, 0.0, 0.0]);
        start.distortion = [0.0; 2];
        let mut seen = sightings(&truth);
        seen[7].frame.0 += 40.0;
        seen[23].frame.1 -= 25.0;
        let found = start.fitted(&seen, false).unwrap();
        for (x, y) in [(0.0, 0.0), (9.0, 0.0), (9.0, 10.0), (0.0, 10.0), (4.5, 5.0)] {
            let (a, b) = (truth.project(x, y, 0.0), found.project(x, y, 0.0));
            assert!((a.0 - b.0).hypot(a.1 - b.1) < 0.3, "{a:?} {b:?}");
            let (a, b) = (truth.project(x, y, 0.2), found.project(x, y, 0.2));
            assert!((a.0 - b.0).hypot(a.1 - b.1) < 1.0, "below: {a:?} {b:?}");
        }
    }

    #[test]
    fn a_place_is_found_by_its_pixel() {
        let pose = tilted();
        for (x, y) in [(0.0, 0.0), (9.0, 0.5), (4.5, 5.0), (-0.7, 11.2)] {
            let (a, b) = pose.on_board(pose.project(x, y, 0.0)).unwrap();
            assert!((a - x).hypot(b - y) < 1e-3, "{a} {b} for {x} {y}");
        }
        assert_eq!(pose.on_board((f32::NAN, 0.0)), None);
    }

    #[test]
    fn a_mirrored_homography_is_no_camera() {
        let plain = [[50.0, 0.0, 200.0], [0.0, 50.0, 100.0], [0.0, 0.0, 1.0]];
        let pose = Pose::from_homography(&plain, (1280, 720)).unwrap();
        let (u, v) = pose.project(2.0, 3.0, 0.0);
        assert!((u - 300.0).abs() < 0.1 && (v - 250.0).abs() < 0.1, "{u} {v}");
        let mirrored = [[-50.0, 0.0, 700.0], [0.0, 50.0, 100.0], [0.0, 0.0, 1.0]];
        assert!(Pose::from_homography(&mirrored, (1280, 720)).is_none());
    }

    #[test]
    fn high_things_lean_away_from_the_camera() {
        let pose = tilted();
        let (cx, cy, above) = pose.camera();
        assert!(above > 5.0);
        let (x, y) = pose.lean(cx + 4.0, cy, 0.0, 0.4);
        assert!(x > cx + 4.02 && (y - cy).abs() < 1e-4);
        let seen = pose.project(x, y, 0.0);
        let real = pose.project(cx + 4.0, cy, -0.4);
        assert!((seen.0 - real.0).hypot(seen.1 - real.1) < 0.1);
    }
}
