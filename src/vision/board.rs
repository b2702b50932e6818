//! The tiles that lie on a grid: grown cell by cell from the certain ones.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use opencv::prelude::MatTraitConst;

use super::VisionError;
use super::geometry::Quad;
use super::judge::{Judge, MAYBE};
use super::lattice::Lattice;
use super::photo::Pyramid;
use super::recogniser::{CELL_PX, CROP_PX, Comparison};

/// A cell in which a tile lies.
#[derive(Clone, Debug)]
pub struct FoundTile {
    /// Its corners in the photo.
    pub quad: Quad,
    /// How it compares with the deck's tiles.
    pub comparison: Comparison,
    /// How alike it is to the tile that fits best: -1 to 1.
    pub likeness: f32,
}

/// From this likeness on, a tile of the deck lies there.
pub const ALIKE: f32 = 0.62;
/// The most cells that are looked at, so that nothing runs away.
const MOST: usize = 2000;

impl Judge<'_> {
    /// Looks at cells: where the best tile fits, and how well. `None` for cells
    /// out of the picture.
    ///
    /// # Errors
    /// [`VisionError`] when crops can't be cut or compared.
    pub fn look(
        &self,
        photo: &Pyramid,
        lattice: &Lattice,
        cells: &[(i32, i32)],
    ) -> Result<Vec<Option<FoundTile>>, VisionError> {
        let quads: Vec<Option<Quad>> =
            cells.iter().map(|c| lattice.quad(*c).filter(|q| is_inside(q, photo))).collect();
        let margin = (CROP_PX - CELL_PX) / 2;
        let known: Vec<Quad> = quads.iter().flatten().copied().collect();
        let crops = known.iter().map(|q| photo.crop(q, CELL_PX, margin)).collect::<Result<Vec<_>, _>>()?;
        let first = self.gallery.compare(&crops)?;
        let fits = known
            .par_iter()
            .zip(&first)
            .map(|(quad, comparison)| self.fit(photo, quad, comparison))
            .collect::<Result<Vec<_>, _>>()?;
        let crops =
            fits.iter().map(|f| photo.crop(&f.quad, CELL_PX, margin)).collect::<Result<Vec<_>, _>>()?;
        let second = self.gallery.compare(&crops)?;
        let mut found = fits.into_iter().zip(second).map(|(fit, comparison)| FoundTile {
            quad: fit.quad,
            comparison,
            likeness: fit.likeness,
        });
        Ok(quads.iter().map(|q| q.and_then(|_| found.next())).collect())
    }
}

/// Whether nearly all of a quad is in the picture.
fn is_inside(quad: &Quad, photo: &Pyramid) -> bool {
    let slack = 0.06 * quad.side();
    let (w, h) = (f64::from(photo.full().cols()), f64::from(photo.full().rows()));
    quad.0.iter().all(|p| p[0] > -slack && p[1] > -slack && p[0] < w + slack && p[1] < h + slack)
}

/// The tiles on a grid, from its measured cells outwards; the grid is measured
/// anew on the way. What lies apart from the largest group of touching tiles
/// is left out.
///
/// # Errors
/// [`VisionError`] when crops can't be cut or compared.
pub fn grow(
    photo: &Pyramid,
    lattice: &mut Lattice,
    judge: &Judge<'_>,
) -> Result<BTreeMap<(i32, i32), FoundTile>, VisionError> {
    let mut found: BTreeMap<(i32, i32), FoundTile> = BTreeMap::new();
    let mut seen: BTreeSet<(i32, i32)> = BTreeSet::new();
    let mut next: Vec<(i32, i32)> = lattice.cells().collect();
    while !next.is_empty() && seen.len() < MOST {
        seen.extend(&next);
        for (cell, tile) in next.iter().zip(judge.look(photo, lattice, &next)?) {
            tracing::debug!(?cell, likeness = tile.as_ref().map(|t| t.likeness), "looked");
            match tile {
                Some(tile) if tile.likeness >= MAYBE => {
                    if tile.likeness >= ALIKE {
                        lattice.measure(*cell, tile.quad);
                    }
                    found.insert(*cell, tile);
                }
                _ => lattice.forget(*cell),
            }
        }
        if found.is_empty() {
            break;
        }
        lattice.refit()?;
        let around: BTreeSet<(i32, i32)> =
            found.keys().flat_map(|c| neighbours(*c)).filter(|c| !seen.contains(c)).collect();
        next = around.into_iter().collect();
    }
    let kept = largest_group(&found);
    found.retain(|cell, _| kept.contains(cell));
    Ok(found)
}

fn neighbours(cell: (i32, i32)) -> [(i32, i32); 4] {
    [(cell.0, cell.1 - 1), (cell.0 + 1, cell.1), (cell.0, cell.1 + 1), (cell.0 - 1, cell.1)]
}

fn largest_group(found: &BTreeMap<(i32, i32), FoundTile>) -> BTreeSet<(i32, i32)> {
    let mut best = BTreeSet::new();
    let mut left: BTreeSet<(i32, i32)> = found.keys().copied().collect();
    while let Some(start) = left.pop_first() {
        let mut group = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(cell) = open.pop() {
            for near in neighbours(cell) {
                if left.remove(&near) {
                    group.insert(near);
                    open.push(near);
                }
            }
        }
        if group.len() > best.len() {
            best = group;
        }
    }
    best
}
