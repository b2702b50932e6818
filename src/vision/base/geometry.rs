//! Points, quadrilaterals and homographies of the picture plane.

use opencv::calib3d;
use opencv::core::{Mat, MatTraitConst, MatTraitConstManual, Point2d, Vector};

use super::error::VisionError;

/// A point, pixels right and down; the middle of the first pixel is (0, 0).
pub type Point = [f64; 2];

/// How far apart two points are.
pub fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The corners of a cell in a picture: upper left, upper right, lower right,
/// lower left as the grid lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quad(pub [Point; 4]);

impl Quad {
    /// The mean of its corners.
    pub fn centre(&self) -> Point {
        let sum = self.0.iter().fold([0.0, 0.0], |s, p| [s[0] + p[0], s[1] + p[1]]);
        [sum[0] / 4.0, sum[1] / 4.0]
    }

    /// The mean length of its sides.
    pub fn side(&self) -> f64 {
        (0..4).map(|i| distance(self.0[i], self.0[(i + 1) % 4])).sum::<f64>() / 4.0
    }

    /// The area; negative when the corners run anticlockwise (a mirrored tile).
    pub fn area(&self) -> f64 {
        (0..4)
            .map(|i| {
                let (a, b) = (self.0[i], self.0[(i + 1) % 4]);
                (a[0] * b[1] - b[0] * a[1]) / 2.0
            })
            .sum()
    }

    /// Whether it could be a square tile seen at a slant: convex, clockwise,
    /// no side much longer than another, no corner too sharp.
    pub fn is_tile_like(&self) -> bool {
        let sides: Vec<f64> = (0..4).map(|i| distance(self.0[i], self.0[(i + 1) % 4])).collect();
        let (min, max) = sides.iter().fold((f64::MAX, 0.0_f64), |(a, b), s| (a.min(*s), b.max(*s)));
        if min < 4.0 || max > 3.0 * min {
            return false;
        }
        (0..4).all(|i| {
            let (a, b, c) = (self.0[(i + 3) % 4], self.0[i], self.0[(i + 1) % 4]);
            let (u, v) = ([a[0] - b[0], a[1] - b[1]], [c[0] - b[0], c[1] - b[1]]);
            let sine = (v[0] * u[1] - v[1] * u[0]) / (u[0].hypot(u[1]) * v[0].hypot(v[1]));
            sine > 0.5
        })
    }

    /// How far apart the middles of its diagonals are, in sides: 0 for a parallelogram, little for a tile
    /// that is small in the picture.
    pub fn skew(&self) -> f64 {
        let middle = |a: Point, b: Point| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
        let [a, b, c, d] = self.0;
        distance(middle(a, c), middle(b, d)) / self.side().max(1e-9)
    }

    /// The same corners, beginning with a later one.
    #[must_use]
    pub fn starting_at(&self, corner: usize) -> Quad {
        Quad(std::array::from_fn(|i| self.0[(i + corner) % 4]))
    }

    /// The quad with its corners in the order that lets its up be closest to
    /// the picture's up.
    #[must_use]
    pub fn upright(&self) -> Quad {
        let up = |q: &Quad| (q.0[3][1] + q.0[2][1]) - (q.0[0][1] + q.0[1][1]);
        (0..4)
            .map(|k| self.starting_at(k))
            .max_by(|a, b| (up(a) / a.side()).total_cmp(&(up(b) / b.side())))
            .unwrap_or(*self)
    }

    /// Moved so that each corner goes by its own step.
    #[must_use]
    pub fn shifted(&self, by: Point) -> Quad {
        Quad(self.0.map(|p| [p[0] + by[0], p[1] + by[1]]))
    }

    /// All coordinates multiplied.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Quad {
        Quad(self.0.map(|p| [p[0] * by, p[1] * by]))
    }

    /// As many times as large, about the same middle.
    #[must_use]
    pub fn grown(&self, times: f64) -> Quad {
        let m = self.centre();
        Quad(self.0.map(|p| [m[0] + times * (p[0] - m[0]), m[1] + times * (p[1] - m[1])]))
    }

    /// As a map shows it.
    #[must_use]
    pub fn through(&self, map: &Homography) -> Quad {
        Quad(self.0.map(|p| map.apply(p)))
    }

    /// The largest distance between corners of the same place.
    pub fn corner_distance(&self, other: &Quad) -> f64 {
        (0..4).map(|i| distance(self.0[i], other.0[i])).fold(0.0, f64::max)
    }

    /// Whether a point lies inside.
    pub fn contains(&self, p: Point) -> bool {
        (0..4).all(|i| {
            let (a, b) = (self.0[i], self.0[(i + 1) % 4]);
            (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= 0.0
        })
    }
}

/// A projective map of the plane, row by row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Homography(pub [f64; 9]);

impl Homography {
    /// Where a point goes.
    pub fn apply(&self, p: Point) -> Point {
        let h = &self.0;
        let w = h[6] * p[0] + h[7] * p[1] + h[8];
        let w = if w.abs() < 1e-12 { 1e-12 } else { w };
        [(h[0] * p[0] + h[1] * p[1] + h[2]) / w, (h[3] * p[0] + h[4] * p[1] + h[5]) / w]
    }

    /// Whether a point lies on the side of the horizon where the map is
    /// meaningful, given one that does.
    pub fn same_side(&self, p: Point, known: Point) -> bool {
        let w = |p: Point| self.0[6] * p[0] + self.0[7] * p[1] + self.0[8];
        w(p) * w(known) > 0.0 && w(p).abs() > 0.05 * w(known).abs()
    }

    /// The map back; `None` when there is none.
    pub fn inverse(&self) -> Option<Homography> {
        let h = &self.0;
        let c = [
            h[4] * h[8] - h[5] * h[7],
            h[2] * h[7] - h[1] * h[8],
            h[1] * h[5] - h[2] * h[4],
            h[5] * h[6] - h[3] * h[8],
            h[0] * h[8] - h[2] * h[6],
            h[2] * h[3] - h[0] * h[5],
            h[3] * h[7] - h[4] * h[6],
            h[1] * h[6] - h[0] * h[7],
            h[0] * h[4] - h[1] * h[3],
        ];
        let det = h[0] * c[0] + h[1] * c[3] + h[2] * c[6];
        (det.is_finite() && det.abs() > 1e-12).then(|| Homography(c.map(|v| v / det)))
    }

    /// First `other`, then this.
    #[must_use]
    pub fn after(&self, other: &Homography) -> Homography {
        Homography(std::array::from_fn(|i| {
            (0..3).map(|k| self.0[i / 3 * 3 + k] * other.0[k * 3 + i % 3]).sum()
        }))
    }

    /// The map of the unit square (upper left (0, 0), lower right (1, 1)) onto
    /// a quad.
    pub fn from_unit_square(quad: &Quad) -> Homography {
        let [a, b, c, d] = quad.0;
        let (dx1, dx2, dx3) = (b[0] - c[0], d[0] - c[0], a[0] - b[0] + c[0] - d[0]);
        let (dy1, dy2, dy3) = (b[1] - c[1], d[1] - c[1], a[1] - b[1] + c[1] - d[1]);
        let det = dx1 * dy2 - dx2 * dy1;
        let (g, h) = if det.abs() < 1e-12 {
            (0.0, 0.0)
        } else {
            ((dx3 * dy2 - dx2 * dy3) / det, (dx1 * dy3 - dx3 * dy1) / det)
        };
        Homography([
            b[0] - a[0] + g * b[0],
            d[0] - a[0] + h * d[0],
            a[0],
            b[1] - a[1] + g * b[1],
            d[1] - a[1] + h * d[1],
            a[1],
            g,
            h,
            1.0,
        ])
    }

    /// Where a cell of the grid lies: the square of side 1 with its upper left
    /// corner at (col, row).
    pub fn cell(&self, col: f64, row: f64) -> Quad {
        Quad([[col, row], [col + 1.0, row], [col + 1.0, row + 1.0], [col, row + 1.0]].map(|p| self.apply(p)))
    }

    /// The least-squares map of one list of points onto another; `None` when
    /// there are fewer than four or they lie on a line.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn fit(from: &[Point], to: &[Point]) -> Result<Option<Homography>, VisionError> {
        if from.len() < 4 || from.len() != to.len() {
            return Ok(None);
        }
        let points =
            |list: &[Point]| list.iter().map(|p| Point2d::new(p[0], p[1])).collect::<Vector<Point2d>>();
        let mut mask = Mat::default();
        let h = calib3d::find_homography(&points(from), &points(to), &mut mask, 0, 3.0)?;
        if h.rows() != 3 || h.cols() != 3 {
            return Ok(None);
        }
        let values = h.data_typed::<f64>()?;
        let found = Homography(std::array::from_fn(|i| values.get(i).copied().unwrap_or(f64::NAN)));
        Ok(found.0.iter().all(|v| v.is_finite()).then_some(found))
    }
}

/// The median, the upper of the two middle values; 0 for no values. They are left in
/// another order.
pub(crate) fn median(values: &mut [f32]) -> f32 {
    let middle = values.len() / 2;
    if values.is_empty() {
        return 0.0;
    }
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUAD: Quad = Quad([[10.0, 12.0], [60.0, 20.0], [70.0, 75.0], [5.0, 60.0]]);

    #[test]
    fn the_unit_square_goes_to_the_quad_and_back() {
        let h = Homography::from_unit_square(&QUAD);
        assert!(h.cell(0.0, 0.0).corner_distance(&QUAD) < 1e-9);
        let back = h.inverse().unwrap();
        for p in [[0.3, 0.7], [1.5, -0.2]] {
            assert!(distance(back.apply(h.apply(p)), p) < 1e-9);
        }
        let identity = h.after(&back);
        assert!(distance(identity.apply([3.0, 4.0]), [3.0, 4.0]) < 1e-6);
    }

    #[test]
    fn a_fit_finds_the_map_of_its_points() {
        let h = Homography::from_unit_square(&QUAD);
        let from: Vec<Point> = (0..12).map(|i| [f64::from(i % 4) / 2.0, f64::from(i / 4) / 3.0]).collect();
        let to: Vec<Point> = from.iter().map(|p| h.apply(*p)).collect();
        let found = Homography::fit(&from, &to).unwrap().unwrap();
        assert!(distance(found.apply([2.0, 2.0]), h.apply([2.0, 2.0])) < 1e-3);
        assert_eq!(Homography::fit(&from[..3], &to[..3]).unwrap(), None);
    }

    #[test]
    fn a_parallelogram_has_no_skew_and_a_quad_with_a_corner_beside_it_has() {
        let even = Quad([[10.0, 12.0], [60.0, 20.0], [55.0, 70.0], [5.0, 62.0]]);
        assert!(even.skew() < 1e-9);
        let mut beside = even;
        beside.0[0][1] -= 20.0;
        assert!((beside.skew() - 10.0 / beside.side()).abs() < 1e-9);
    }

    #[test]
    fn upright_begins_at_the_upper_left() {
        assert_eq!(QUAD.starting_at(3).upright(), QUAD);
        assert!(QUAD.is_tile_like());
        let mirrored = Quad([QUAD.0[1], QUAD.0[0], QUAD.0[3], QUAD.0[2]]);
        assert!(!mirrored.is_tile_like());
        assert!(QUAD.contains([30.0, 40.0]) && !QUAD.contains([0.0, 0.0]));
    }
}
