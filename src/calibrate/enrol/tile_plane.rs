//! The plane that tiles of one size lie in, seen at a slant.

use crate::vision::base::geometry::{Homography, Point, Quad, distance};

/// Scale of the robust loss, tile sides: larger residuals count less and less.
const ROUGH: f64 = 0.03;
/// Shortest and longest focal length that is tried, in longer sides of the picture: those
/// of wide-angle and tele lenses of phones.
const FOCAL: (f64, f64) = (0.5, 3.0);
const FOCAL_STEPS: u32 = 12;
/// Numbers that say where a plane is: skew and size, then its horizon.
const NUMBERS: usize = 5;

/// Places about the middle of a picture, its width being 1: they keep the numbers of a
/// plane of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    middle: Point,
    width: f64,
}

impl Frame {
    /// Of a picture of so many pixels.
    pub(super) fn of(width: i32, height: i32) -> Frame {
        Frame { middle: [f64::from(width) / 2.0, f64::from(height) / 2.0], width: f64::from(width.max(1)) }
    }

    /// The place of a pixel.
    pub(super) fn place(&self, p: Point) -> Point {
        [(p[0] - self.middle[0]) / self.width, (p[1] - self.middle[1]) / self.width]
    }

    /// A quad of pixels as one of places.
    pub(super) fn placed(&self, q: &Quad) -> Quad {
        Quad(q.0.map(|p| self.place(p)))
    }

    /// A quad of places as one of pixels.
    pub(super) fn seen(&self, q: &Quad) -> Quad {
        Quad(q.0.map(|p| [p[0] * self.width + self.middle[0], p[1] * self.width + self.middle[1]]))
    }
}

/// A map of picture places to the table's, in which every tile is a square of
/// side 1; known up to where the table's origin is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TilePlane([f64; NUMBERS]);

impl TilePlane {
    /// The plane in which this quad is a square.
    pub fn of_quad(quad: &Quad) -> TilePlane {
        let k = 1.0 / quad.side().max(1e-9);
        TilePlane([k, 0.0, k, 0.0, 0.0]).fitted(std::slice::from_ref(quad), 25)
    }

    /// The plane's map, picture to table.
    pub fn map(&self) -> Homography {
        let [a, b, c, g, h] = self.0;
        Homography([a, b, 0.0, 0.0, c, 0.0, g, h, 1.0])
    }

    /// How far a quad is from a square of side 1, in sides: the worst of what
    /// its sides lack.
    pub fn misfit(&self, quad: &Quad) -> f64 {
        residuals(&self.map(), quad).iter().fold(0.0, |worst, r| worst.max(r.abs()))
    }

    /// How far the plane is from any that a camera sees, as the logarithm of how much
    /// longer one direction on the table would have to be than another. The camera
    /// looks at the place (0, 0) of the picture; `longest` is the picture's longer side.
    pub fn warped(&self, longest: f64) -> f64 {
        let Some(Homography(m)) = self.map().inverse() else { return f64::INFINITY };
        let [u, v] = [[m[0], m[3], m[6]], [m[1], m[4], m[7]]];
        let seen = |focal: f64| {
            let dot =
                |a: &[f64; 3], b: &[f64; 3]| (a[0] * b[0] + a[1] * b[1]) / (focal * focal) + a[2] * b[2];
            let (uu, vv, uv) = (dot(&u, &u), dot(&v, &v), dot(&u, &v));
            // The longest and shortest of all directions, squared.
            let (mean, apart) = ((uu + vv) / 2.0, ((uu - vv) / 2.0).hypot(uv));
            ((mean + apart) / (mean - apart).max(1e-12)).ln() / 2.0
        };
        (0..=FOCAL_STEPS)
            .map(|i| f64::from(i) / f64::from(FOCAL_STEPS))
            .map(|t| longest * FOCAL.0 * (FOCAL.1 / FOCAL.0).powf(t))
            .map(seen)
            .fold(f64::INFINITY, f64::min)
    }

    /// The plane in which these quads are best squares of side 1, starting from
    /// this one (Levenberg and Marquardt's way, rough quads counting less).
    #[must_use]
    pub fn fitted(self, quads: &[Quad], rounds: usize) -> TilePlane {
        let all = |plane: &TilePlane| -> Vec<f64> {
            let map = plane.map();
            quads.iter().flat_map(|q| residuals(&map, q)).collect()
        };
        let mut best = self;
        let mut now = all(&best);
        let mut damping = 1e-3;
        for _ in 0..rounds {
            let weights: Vec<f64> = now.iter().map(|r| 1.0 / (r.abs() / ROUGH).max(1.0)).collect();
            let slopes: Vec<Vec<f64>> = (0..NUMBERS)
                .map(|k| {
                    let step = 1e-5 * best.0[k].abs().max(1.0);
                    let mut moved = best;
                    moved.0[k] += step;
                    all(&moved).iter().zip(&now).map(|(m, n)| (m - n) / step).collect()
                })
                .collect();
            let mut normal = [[0.0; NUMBERS + 1]; NUMBERS];
            for (i, row) in normal.iter_mut().enumerate() {
                for (j, slope) in slopes.iter().enumerate() {
                    row[j] = sum3(&slopes[i], slope, &weights);
                }
                row[i] += damping * (row[i] + 1e-12);
                row[NUMBERS] = -sum3(&slopes[i], &now, &weights);
            }
            let Some(step) = solved(normal) else { break };
            let next = TilePlane(std::array::from_fn(|k| best.0[k] + step[k]));
            let then = all(&next);
            if sum3(&then, &then, &weights) < sum3(&now, &now, &weights) {
                (best, now, damping) = (next, then, f64::max(damping / 4.0, 1e-9));
            } else {
                damping *= 6.0;
            }
        }
        best
    }
}

fn sum3(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
    a.iter().zip(b).zip(c).map(|((a, b), c)| a * b * c).sum()
}

/// What a quad lacks of being a square of side 1 on the table.
fn residuals(map: &Homography, quad: &Quad) -> [f64; 6] {
    let depth = |p: Point| map.0[6] * p[0] + map.0[7] * p[1] + map.0[8];
    if quad.0.iter().any(|p| depth(*p) < 0.05) {
        return [10.0; 6];
    }
    let at = quad.0.map(|p| map.apply(p));
    let side = |i: usize| {
        let (p, q) = (at[i], at[(i + 1) % 4]);
        [q[0] - p[0], q[1] - p[1]]
    };
    let [e, f, g] = [side(0), side(1), side(2)];
    [
        e[0] + g[0],
        e[1] + g[1],
        f[0] + e[1],
        f[1] - e[0],
        distance(at[0], at[1]) - 1.0,
        distance(at[1], at[2]) - 1.0,
    ]
}

/// Solves linear equations, the right side in the last column.
fn solved(mut rows: [[f64; NUMBERS + 1]; NUMBERS]) -> Option<[f64; NUMBERS]> {
    for col in 0..NUMBERS {
        let pivot = (col..NUMBERS).max_by(|a, b| rows[*a][col].abs().total_cmp(&rows[*b][col].abs()))?;
        rows.swap(col, pivot);
        let first = rows[col];
        if first[col].is_nan() || first[col].abs() <= 1e-18 {
            return None;
        }
        for (i, row) in rows.iter_mut().enumerate() {
            if i != col {
                let share = row[col] / first[col];
                for (value, above) in row.iter_mut().zip(first) {
                    *value -= share * above;
                }
            }
        }
    }
    Some(std::array::from_fn(|i| rows[i][NUMBERS] / rows[i][i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plane_of_slanted_squares_is_found() {
        let view = Homography([0.09, 0.02, -0.1, -0.01, 0.07, -0.05, 0.02, 0.12, 1.0]);
        let square = |x: f64, y: f64, turn: f64| {
            let (s, c) = turn.sin_cos();
            Quad(
                [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]
                    .map(|[u, v]| view.apply([x + c * u - s * v, y + s * u + c * v])),
            )
        };
        let quads = [square(0.0, 0.0, 0.3), square(1.6, 0.2, 1.0), square(0.3, 1.7, 0.1)];
        let plane = TilePlane::of_quad(&quads[0]).fitted(&quads, 30);
        for quad in &quads {
            assert!(plane.misfit(quad) < 1e-3, "{}", plane.misfit(quad));
        }
        assert!(plane.misfit(&square(3.0, 2.0, 0.7)) < 0.01);
        // No camera makes a square of a block of tiles that is longer than wide.
        let block = |high: f64| Quad([[-0.2, -0.15], [0.2, -0.15], [0.2, high], [-0.2, high]]);
        assert!(TilePlane::of_quad(&block(0.15)).warped(1.0) > 0.25);
        assert!(TilePlane::of_quad(&block(0.25)).warped(1.0) < 0.01);
        let small = quads[0].scaled(0.7);
        assert!(plane.misfit(&small) > 0.1);
    }
}
