//! The grid that tiles on a table form, from single tiles found anywhere.

use std::collections::BTreeMap;

use super::seeds::Seed;
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Point, Quad, distance};

/// A grid of tiles in a picture. Hand-laid tiles lie off any perfect grid, and
/// lenses bend it: where a cell is comes from the map and from how far its
/// measured neighbours lie off.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// From grid to pixels: cell (col, row) is the unit square with its upper
    /// left corner there.
    map: Homography,
    /// Where the corners of measured cells are.
    measured: BTreeMap<(i32, i32), Quad>,
    /// Whether it stays where it is, wherever cells are measured to be.
    held: bool,
}

/// How far a corner may be off where the grid has it, in tile sides.
const OFF: f64 = 0.22;
/// From how many of the best seeds a grid is tried.
const STARTS: usize = 24;
/// How many cells away a measured cell still tells how far a cell lies off.
const REACH: f64 = 2.5;

impl Lattice {
    /// The grid that holds most of the seeds; `None` without seeds. Its up is
    /// the one of its four directions that is closest to the picture's up, and
    /// its cell (0, 0) is any.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn from_seeds(seeds: &[Seed]) -> Result<Option<Lattice>, VisionError> {
        let mut best: Option<(usize, Lattice)> = None;
        let mut tried = vec![false; seeds.len()];
        for _ in 0..STARTS {
            let Some(start) = tried.iter().position(|t| !t) else { break };
            tried[start] = true;
            let grown = grow(seeds, start)?;
            let score: usize = grown.members.iter().map(|i| seeds[*i].support.min(30)).sum();
            if grown.members.len() > 1 {
                for i in &grown.members {
                    tried[*i] = true;
                }
            }
            if best.as_ref().is_none_or(|b| score > b.0) {
                best = Some((score, grown.lattice));
            }
        }
        Ok(best.map(|b| b.1))
    }

    /// A grid with this map and nothing measured.
    pub fn from_map(map: Homography) -> Lattice {
        Lattice { map, measured: BTreeMap::new(), held: false }
    }

    /// A grid that stays where this map has it until it is let go; these of its cells are known.
    pub fn held(map: Homography, cells: impl Iterator<Item = (i32, i32)>) -> Lattice {
        let measured = cells.map(|c| (c, map.cell(f64::from(c.0), f64::from(c.1)))).collect();
        Lattice { map, measured, held: true }
    }

    /// Lets a grid follow what is measured again.
    pub fn let_go(&mut self) {
        self.held = false;
    }

    /// A grid whose cell (0, 0) is known to be there, the picture's up its own.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn from_quad(quad: &Quad) -> Result<Lattice, VisionError> {
        let quad = quad.upright();
        let mut lattice = Lattice::from_map(Homography::from_unit_square(&quad));
        lattice.measure((0, 0), quad);
        lattice.refit()?;
        Ok(lattice)
    }

    /// From grid to pixels: cell (col, row) is the unit square with its upper
    /// left corner there.
    pub fn map(&self) -> &Homography {
        &self.map
    }

    /// The measured cells, as (col, row).
    pub fn cells(&self) -> impl Iterator<Item = (i32, i32)> {
        self.measured.keys().copied()
    }

    /// Where a cell is: as measured, else where the map has it, moved as its
    /// measured neighbours lie off the map. `None` beyond the horizon.
    pub fn quad(&self, cell: (i32, i32)) -> Option<Quad> {
        if let Some(quad) = self.measured.get(&cell) {
            return Some(*quad);
        }
        let at = |c: (i32, i32)| self.map.cell(f64::from(c.0), f64::from(c.1));
        let known = self.measured.keys().next().copied().unwrap_or((0, 0));
        let corner = [f64::from(cell.0), f64::from(cell.1)];
        if !self.map.same_side(corner, [f64::from(known.0), f64::from(known.1)]) {
            return None;
        }
        let plain = at(cell);
        let mut corners = plain.0;
        for (k, corner) in corners.iter_mut().enumerate() {
            let grid =
                [f64::from(cell.0) + [0.0, 1.0, 1.0, 0.0][k], f64::from(cell.1) + [0.0, 0.0, 1.0, 1.0][k]];
            let mut sum = [0.0, 0.0];
            let mut weights = 0.15;
            for (other, quad) in &self.measured {
                let gap = distance(
                    [f64::from(other.0) + 0.5, f64::from(other.1) + 0.5],
                    [f64::from(cell.0) + 0.5, f64::from(cell.1) + 0.5],
                );
                if gap > REACH {
                    continue;
                }
                let there = at(*other);
                for j in 0..4 {
                    let g = [
                        f64::from(other.0) + [0.0, 1.0, 1.0, 0.0][j],
                        f64::from(other.1) + [0.0, 0.0, 1.0, 1.0][j],
                    ];
                    let weight = (-distance(g, grid).powi(2) / 0.8).exp();
                    sum[0] += weight * (quad.0[j][0] - there.0[j][0]);
                    sum[1] += weight * (quad.0[j][1] - there.0[j][1]);
                    weights += weight;
                }
            }
            corner[0] += sum[0] / weights;
            corner[1] += sum[1] / weights;
        }
        let quad = Quad(corners);
        quad.is_tile_like().then_some(quad)
    }

    /// Notes where a cell was measured to be; of a held grid that it is known.
    pub fn measure(&mut self, cell: (i32, i32), quad: Quad) {
        let quad = if self.held { self.map.cell(f64::from(cell.0), f64::from(cell.1)) } else { quad };
        self.measured.insert(cell, quad);
    }

    /// Forgets a measured cell.
    pub fn forget(&mut self, cell: (i32, i32)) {
        self.measured.remove(&cell);
    }

    /// Fits the map to the measured cells, unless it is held.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn refit(&mut self) -> Result<(), VisionError> {
        if self.held {
            return Ok(());
        }
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for ((col, row), quad) in &self.measured {
            for k in 0..4 {
                from.push([
                    f64::from(*col) + [0.0, 1.0, 1.0, 0.0][k],
                    f64::from(*row) + [0.0, 0.0, 1.0, 1.0][k],
                ]);
                to.push(quad.0[k]);
            }
        }
        let map = if self.measured.len() < 3 { affine_fit(&from, &to) } else { Homography::fit(&from, &to)? };
        if let Some(map) = map {
            self.map = map;
        }
        Ok(())
    }

    /// How far measured corners lie off the map, in tile sides: the median.
    pub fn roughness(&self) -> f64 {
        let mut off: Vec<f64> = self
            .measured
            .iter()
            .map(|(c, quad)| {
                self.map.cell(f64::from(c.0), f64::from(c.1)).corner_distance(quad) / quad.side()
            })
            .collect();
        off.sort_by(f64::total_cmp);
        off.get(off.len() / 2).copied().unwrap_or(0.0)
    }
}

struct Grown {
    lattice: Lattice,
    members: Vec<usize>,
}

/// Grows a grid from one seed over all that fit it, the near ones first.
fn grow(seeds: &[Seed], start: usize) -> Result<Grown, VisionError> {
    let mut lattice = Lattice::from_quad(&seeds[start].quad)?;
    let mut members: BTreeMap<(i32, i32), usize> = BTreeMap::from([((0, 0), start)]);
    loop {
        let back = lattice.map.inverse();
        let Some(back) = back else { break };
        let reach = if members.len() < 4 { 1 } else { 2 };
        let mut joined = false;
        for (i, seed) in seeds.iter().enumerate() {
            if members.values().any(|m| *m == i) {
                continue;
            }
            let middle = back.apply(seed.quad.centre());
            if !middle.iter().all(|v| v.is_finite() && v.abs() < 120.0) {
                continue;
            }
            let cell = (middle[0].floor() as i32, middle[1].floor() as i32);
            let near = members.keys().any(|c| (c.0 - cell.0).abs().max((c.1 - cell.1).abs()) <= reach);
            if !near {
                continue;
            }
            let Some(expected) = lattice.quad(cell) else { continue };
            let Some(quad) = fitting(&seed.quad, &expected) else { continue };
            match members.get(&cell) {
                Some(_) => {}
                None => {
                    members.insert(cell, i);
                    lattice.measure(cell, quad);
                    joined = true;
                }
            }
        }
        if !joined {
            break;
        }
        lattice.refit()?;
        let off: Vec<(i32, i32)> = members
            .keys()
            .copied()
            .filter(|c| {
                let there = lattice.map.cell(f64::from(c.0), f64::from(c.1));
                lattice.measured.get(c).is_none_or(|q| there.corner_distance(q) > 1.5 * OFF * q.side())
            })
            .collect();
        if off.len() * 4 < members.len() {
            for cell in off {
                lattice.forget(cell);
                members.remove(&cell);
            }
            lattice.refit()?;
        }
        if members.len() >= seeds.len() {
            break;
        }
    }
    Ok(Grown { lattice, members: members.into_values().collect() })
}

/// The seed's corners in the order of the cell that it may fill; `None` when it
/// does not fit there.
fn fitting(seed: &Quad, expected: &Quad) -> Option<Quad> {
    (0..4).map(|k| seed.starting_at(k)).find(|q| q.corner_distance(expected) < OFF * expected.side())
}

/// The least-squares affine map.
fn affine_fit(from: &[Point], to: &[Point]) -> Option<Homography> {
    let n = from.len() as f64;
    if from.len() < 3 {
        return None;
    }
    let mean = |list: &[Point]| {
        let s = list.iter().fold([0.0, 0.0], |s, p| [s[0] + p[0], s[1] + p[1]]);
        [s[0] / n, s[1] / n]
    };
    let (mf, mt) = (mean(from), mean(to));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    let mut cross = [0.0; 4];
    for (f, t) in from.iter().zip(to) {
        let (x, y) = (f[0] - mf[0], f[1] - mf[1]);
        let (u, v) = (t[0] - mt[0], t[1] - mt[1]);
        xx += x * x;
        xy += x * y;
        yy += y * y;
        cross[0] += x * u;
        cross[1] += y * u;
        cross[2] += x * v;
        cross[3] += y * v;
    }
    let det = xx * yy - xy * xy;
    if det.abs() < 1e-9 {
        return None;
    }
    let a = (cross[0] * yy - cross[1] * xy) / det;
    let b = (cross[1] * xx - cross[0] * xy) / det;
    let c = (cross[2] * yy - cross[3] * xy) / det;
    let d = (cross[3] * xx - cross[2] * xy) / det;
    Some(Homography([
        a,
        b,
        mt[0] - a * mf[0] - b * mf[1],
        c,
        d,
        mt[1] - c * mf[0] - d * mf[1],
        0.0,
        0.0,
        1.0,
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slanted grid of which each cell lies a little off, as by hand.
    fn seeds(cells: &[(i32, i32)], turn: usize) -> (Homography, Vec<Seed>) {
        let map = Homography::from_unit_square(&Quad([
            [300.0, 200.0],
            [395.0, 215.0],
            [385.0, 305.0],
            [288.0, 290.0],
        ]));
        let seeds = cells
            .iter()
            .enumerate()
            .map(|(i, c)| {
                let wobble = [((i * 7) % 5) as f64 - 2.0, ((i * 3) % 5) as f64 - 2.0];
                let quad = map.cell(f64::from(c.0), f64::from(c.1)).shifted(wobble);
                Seed { tile: i, quad: quad.starting_at((i + turn) % 4), support: 20 + i % 7 }
            })
            .collect();
        (map, seeds)
    }

    #[test]
    fn a_board_with_a_hole_and_loose_tiles_gives_its_own_grid() {
        let mut cells: Vec<(i32, i32)> = (0..5)
            .flat_map(|r| (0..6).map(move |c| (c, r)))
            .filter(|c| *c != (2, 2) && *c != (3, 2))
            .collect();
        cells.retain(|c| *c != (0, 0));
        let (map, mut all) = seeds(&cells, 0);
        for k in 0..3 {
            let quad = Quad([[0.0, 0.0], [70.0, 40.0], [30.0, 110.0], [-40.0, 70.0]])
                .shifted([80.0 + 130.0 * f64::from(k), 800.0]);
            all.push(Seed { tile: 0, quad, support: 60 });
        }
        all.sort_by_key(|s| std::cmp::Reverse(s.support));
        let lattice = Lattice::from_seeds(&all).unwrap().unwrap();
        assert_eq!(lattice.cells().count(), cells.len());
        for cell in lattice.cells() {
            let quad = lattice.quad(cell).unwrap();
            assert!(quad.upright() == quad, "up is the picture's up");
        }
        let hole = map.cell(2.0, 2.0);
        let near = lattice
            .cells()
            .flat_map(|c| [(c.0 + 1, c.1), (c.0, c.1 + 1)])
            .any(|c| lattice.quad(c).is_some_and(|q| q.corner_distance(&hole) < 6.0));
        assert!(near, "the hole is where the grid says");
        assert!(lattice.roughness() < 0.06, "{}", lattice.roughness());
    }

    #[test]
    fn a_held_grid_stays_until_it_is_let_go() {
        let square = Quad([[100.0, 100.0], [140.0, 100.0], [140.0, 140.0], [100.0, 140.0]]);
        let mut lattice = Lattice::held(Homography::from_unit_square(&square), [(0, 0)].into_iter());
        let off = square.shifted([5.0, 3.0]);
        lattice.measure((0, 0), off);
        lattice.refit().unwrap();
        assert!(lattice.quad((0, 0)).unwrap().corner_distance(&square) < 1e-9);
        assert!(lattice.quad((1, 0)).unwrap().corner_distance(&square.shifted([40.0, 0.0])) < 1e-9);
        lattice.let_go();
        lattice.measure((0, 0), off);
        lattice.refit().unwrap();
        assert!(lattice.quad((0, 0)).unwrap().corner_distance(&off) < 1e-9);
        assert!(lattice.quad((1, 0)).unwrap().corner_distance(&off.shifted([40.0, 0.0])) < 1.0);
    }

    #[test]
    fn one_tile_is_a_grid_and_none_is_not() {
        let (_, one) = seeds(&[(0, 0)], 2);
        assert_eq!(Lattice::from_seeds(&one).unwrap().unwrap().cells().count(), 1);
        assert!(Lattice::from_seeds(&[]).unwrap().is_none());
    }
}
