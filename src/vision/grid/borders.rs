//! Moves a grid so that it ends where the tiles on it end: where a print is burnt out or plain, the
//! board's border against the table tells better where its cells are.
//!
//! Places along the free sides are sought along their normals, as in C. Harris, "Tracking with rigid
//! models" (1992), and the grid is moved by the homography that suits most of them.

use std::collections::BTreeSet;

use super::growing::neighbours;
use crate::vision::base::geometry::{Homography, Point};
use crate::vision::base::least_squares::solve;
use crate::vision::base::quads::Slopes;

/// How borders are sought. All is set by hand, and was tried on films that were looked at
/// (`docs/games-suite.md`, those of a larger table).
struct Settings {
    /// How far from where it is expected a border is sought in each round, tile sides.
    reaches: [f64; 4],
    /// Places that are looked at along a side, and where the first and the last lie, as shares of
    /// it: corners are rounded off.
    places: u32,
    along: (f64, f64),
    /// A place that lies so far from the border that all suit, tile sides, weighs half: a
    /// follower or the table's grain was taken for it.
    outlier: f64,
    /// How often places are weighed.
    rounds: usize,
    /// Share of a full edge from which on there is a border.
    edge: f32,
    /// Least share of the places at which there must be one.
    found: f64,
    /// Standard deviation of where a place is found, tile sides: that of one of the four or so on
    /// a side of which each tells something of its own, for all its places.
    noise: f64,
    /// Standard deviations of how far the grid lies off, and of how much larger it is a side on, as
    /// shares of a side: without reason nothing moves or tilts.
    moves: f64,
    tilts: f64,
}

const SETTINGS: Settings = Settings {
    reaches: [0.2, 0.15, 0.1, 0.06],
    places: 20,
    along: (0.1, 0.9),
    outlier: 0.05,
    rounds: 4,
    edge: 0.5,
    found: 0.6,
    noise: 0.067,
    moves: 0.2,
    tilts: 0.02,
};

/// A grid's map (from grid to pixels) moved so that the free sides of the occupied `cells` lie on
/// edges of a picture that has `scale` pixels for one of the map's; `edge` is a full edge in it.
/// `None` where too little of the border is seen.
pub fn aligned(
    map: &Homography,
    cells: &BTreeSet<(i32, i32)>,
    slopes: &Slopes,
    edge: f32,
    scale: f64,
) -> Option<Homography> {
    let scaled = |map: &Homography, by: f64| {
        Homography(std::array::from_fn(|i| if i < 6 { map.0[i] * by } else { map.0[i] }))
    };
    let mut map = scaled(map, scale);
    for reach in SETTINGS.reaches {
        map = moved(&map, cells, slopes, edge, reach)?;
    }
    Some(scaled(&map, 1.0 / scale))
}

/// A place on a free side: where it is, the side's outward normal, and how far along it the border
/// was found, with its weight.
struct Place {
    at: Point,
    normal: Point,
    off: f64,
    weight: f64,
}

fn moved(
    map: &Homography,
    cells: &BTreeSet<(i32, i32)>,
    slopes: &Slopes,
    edge: f32,
    reach: f64,
) -> Option<Homography> {
    let mut places = Vec::new();
    let (mut sought, mut side) = (0_u32, 0.0);
    for cell in cells {
        let quad = map.cell(f64::from(cell.0), f64::from(cell.1));
        side += quad.side() / cells.len() as f64;
        for (i, _) in neighbours(*cell).iter().enumerate().filter(|(_, other)| !cells.contains(other)) {
            let (a, b) = (quad.0[i], quad.0[(i + 1) % 4]);
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            let length = dx.hypot(dy).max(1e-9);
            let normal = [dy / length, -dx / length];
            sought += SETTINGS.places;
            for k in 0..SETTINGS.places {
                let (from, to) = SETTINGS.along;
                let t = from + (to - from) * f64::from(k) / f64::from(SETTINGS.places - 1);
                let at = [a[0] + t * dx, a[1] + t * dy];
                let found = border(slopes, at, normal, reach * length, edge);
                places.extend(found.map(|(off, weight)| Place { at, normal, off, weight }));
            }
        }
    }
    if (places.len() as f64) < SETTINGS.found * f64::from(sought) || places.is_empty() {
        return None;
    }
    let count = places.len() as f64;
    let middle: Point = [0, 1].map(|axis| places.iter().map(|p| p.at[axis]).sum::<f64>() / count);
    let mut shift: Option<[f64; 8]> = None;
    // Each round weighs down what lies off the border that the round before found.
    for _ in 0..SETTINGS.rounds {
        let (mut a, mut b) = ([[0.0; 8]; 8], [0.0; 8]);
        for (i, row) in a.iter_mut().enumerate() {
            row[i] = (SETTINGS.noise / if i < 6 { SETTINGS.moves } else { SETTINGS.tilts }).powi(2);
        }
        for place in &places {
            let (row, off) = (place.row(middle, side), place.off / side);
            let left =
                shift.map_or(0.0, |shift| off - row.iter().zip(shift).map(|(r, s)| r * s).sum::<f64>());
            let far = left.abs() / SETTINGS.outlier;
            let weight = place.weight / (1.0 + far * far);
            for i in 0..8 {
                for j in 0..8 {
                    a[i][j] += weight * row[i] * row[j];
                }
                b[i] += weight * row[i] * off;
            }
        }
        shift = Some(solve(a, b)?);
    }
    let [a, b, c, d, e, f, g, h] = shift?;
    let moved = Homography([1.0 + a, b, c, d, 1.0 + e, f, -g, -h, 1.0]);
    let [x, y] = middle;
    let to_sides = Homography([1.0 / side, 0.0, -x / side, 0.0, 1.0 / side, -y / side, 0.0, 0.0, 1.0]);
    let to_pixels = Homography([side, 0.0, x, 0.0, side, y, 0.0, 0.0, 1.0]);
    Some(to_pixels.after(&moved.after(&to_sides.after(map))))
}

impl Place {
    /// How far it moves along its normal, in sides, for each parameter of a small projective move
    /// about `middle`.
    fn row(&self, middle: Point, side: f64) -> [f64; 8] {
        let [u, v] = [(self.at[0] - middle[0]) / side, (self.at[1] - middle[1]) / side];
        let [x, y] = self.normal;
        let out = x * u + y * v;
        [x * u, x * v, x, y * u, y * v, y, u * out, v * out]
    }
}

/// How far along the normal, pixels, and how plainly, 0 to 1, the steepest edge within reach lies.
fn border(slopes: &Slopes, at: Point, normal: Point, reach: f64, edge: f32) -> Option<(f64, f64)> {
    const STEP: f64 = 0.5;
    let steps = (reach / STEP).ceil() as i32;
    let steep = |step: i32| {
        let off = f64::from(step) * STEP;
        slopes.along([at[0] + off * normal[0], at[1] + off * normal[1]], normal)
    };
    let (best, height) = (-steps..=steps)
        .map(|i| (i, steep(i)))
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.abs().cmp(&a.0.abs())))?;
    if height < SETTINGS.edge * edge {
        return None;
    }
    let near = (best - 3..=best + 3).map(|i| (f64::from(i) * STEP, f64::from(steep(i)).powi(2)));
    let (sum, weights) = near.fold((0.0, 0.0), |(s, w), (off, weight)| (s + off * weight, w + weight));
    Some((sum / weights, f64::from((height / edge).min(1.0))))
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;
    use crate::vision::base::geometry::Quad;
    use crate::vision::base::photo;

    /// A table with three pale tiles in an L, slanted, and a follower across a side.
    fn table(map: &Homography) -> RgbImage {
        let back = map.inverse().unwrap();
        RgbImage::from_fn(300, 240, |x, y| {
            let [u, v] = back.apply([f64::from(x), f64::from(y)]);
            let cell = (u.floor() as i32, v.floor() as i32);
            let grain = ((x * 13 + y * 57) % 7) as u8;
            if (142..154).contains(&x) && (70..92).contains(&y) {
                Rgb([180, 20, 20])
            } else if [(0, 0), (1, 0), (0, 1)].contains(&cell) {
                Rgb([240, 235, 220])
            } else {
                Rgb([120 + grain, 90, 60])
            }
        })
    }

    #[test]
    fn a_grid_that_lies_off_is_moved_to_where_the_tiles_end() {
        let truth = Homography::from_unit_square(&Quad([
            [100.0, 80.0],
            [138.0, 84.0],
            [135.0, 121.0],
            [98.0, 118.0],
        ]));
        let slopes = Slopes::new(&photo::to_mat(&table(&truth)).unwrap()).unwrap();
        let off = Homography::from_unit_square(&Quad([
            [103.0, 77.0],
            [143.0, 80.0],
            [138.0, 122.0],
            [97.0, 117.0],
        ]));
        let largest = |map: &Homography, cell: (f64, f64)| {
            let (a, b) = (map.cell(cell.0, cell.1), truth.cell(cell.0, cell.1));
            a.0.iter().zip(b.0).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max)
        };
        assert!(largest(&off, (0.0, 1.0)) > 4.0);
        let cells = BTreeSet::from([(0, 0), (1, 0), (0, 1)]);
        let edge = slopes.edge_level();
        let found = aligned(&off, &cells, &slopes, edge, 1.0).unwrap();
        for cell in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)] {
            assert!(largest(&found, cell) < 1.5, "{cell:?}: {}", largest(&found, cell));
        }
        // Places are given in a picture twice as large.
        let twice = Homography([2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]);
        let large = Homography(std::array::from_fn(|i| off.0[i] * twice.0[i]));
        let of_smaller = aligned(&large, &cells, &slopes, edge, 0.5).unwrap();
        let (a, b) = (of_smaller.cell(0.0, 0.0).0[2], found.cell(0.0, 0.0).0[2]);
        assert!((a[0] / 2.0 - b[0]).hypot(a[1] / 2.0 - b[1]) < 0.01);
        // Nothing lies where it is sought.
        let beside =
            Homography::from_unit_square(&Quad([[220.0, 20.0], [258.0, 20.0], [258.0, 58.0], [220.0, 58.0]]));
        assert!(aligned(&beside, &BTreeSet::from([(0, 0)]), &slopes, edge, 1.0).is_none());
    }
}
