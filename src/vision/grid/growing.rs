//! The tiles that lie on a grid: grown cell by cell from the certain ones.

use std::collections::{BTreeMap, BTreeSet};

use opencv::prelude::MatTraitConst;

use super::found_tile::{FoundTile, PERHAPS};
use super::kept::Kept;
use super::lattice::Lattice;
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Quad};
use crate::vision::base::photo::Pyramid;
use crate::vision::base::quads::OffTable;
use crate::vision::tiles::align::Fit;
use crate::vision::tiles::recogniser::Comparison;
use crate::vision::tiles::refine::{ALIKE, MAYBE, Refiner};

/// Share of a cell that must not have the table's colours for something to lie there.
const STANDS_OUT: f64 = 0.8;

/// How far, in weighted Lab, its colour must be from that of the table beyond its free sides: the
/// table in a lamp's light has no colour of the picture's rim, and no edge either. In 16 films'
/// first pictures bare tables have 0.9 to 6.5 where they are off the rim's colours, tiles 33 and more.
const CONTRAST: f32 = 8.0;
/// The same beyond each of its free sides, for what has colours that are at the picture's rim, too, as a
/// dark tile on a white table before a dark floor.
const CLEAR_CONTRAST: f32 = 25.0;

/// What looks other than the bare table did is the table all the same where its colours are those of
/// the picture's rim but for this share, and nearer than this to those beyond its free sides: in a film
/// of a wooden table whose exposure drifts bare cells have no share and 1.2 to 1.5.
const OFF: f64 = 0.1;
const SAME: f32 = 2.0;

/// The same as [`ALIKE`] where nothing else is seen than the bare table was: in two rendered films such
/// cells have up to 0.62, a tile of the table's own colours 0.68 and more.
const ALIKE_THOUGH_BARE: f32 = 0.65;

/// Share of a cell that must be in the picture for it to be seen that something lies there.
const SEEN: f64 = 0.4;

/// Which tiles belong to a board.
struct Membership {
    /// Tiles from which on a board tells what else lies on its grid.
    telling: usize,
    /// Largest distance of a corner from its place on the grid, tile sides. Larger takes in
    /// loose tiles.
    on_grid: f64,
    /// Most cells from a tile of the board to such a group.
    apart: i32,
    /// The most cells that are looked at, so that nothing runs away.
    most: usize,
}

const MEMBERSHIP: Membership = Membership { telling: 4, on_grid: 0.1, apart: 2, most: 2000 };

impl Refiner<'_> {
    /// Looks at cells: where the best tile fits, and how well; what is `kept` of them is not looked at
    /// again. `None` for cells out of the picture.
    ///
    /// # Errors
    /// [`VisionError`] when crops can't be cut or compared.
    pub fn look(
        &self,
        photo: &Pyramid,
        lattice: &Lattice,
        cells: &[(i32, i32)],
        kept: &mut Kept,
    ) -> Result<Vec<Option<FoundTile>>, VisionError> {
        let quads: Vec<Option<Quad>> =
            cells.iter().map(|c| lattice.quad(*c).filter(|q| is_inside(q, photo))).collect();
        let before: Vec<Option<FoundTile>> = quads.iter().map(|q| kept.at(q.as_ref()?)).collect();
        let unknown: Vec<Quad> =
            quads.iter().zip(&before).filter(|(_, tile)| tile.is_none()).filter_map(|(q, _)| *q).collect();
        let first = self.compared(photo, &unknown)?;
        let cells: Vec<(Quad, &Comparison)> =
            unknown.iter().copied().zip(first.iter().map(|f| &f.1)).collect();
        let fits = self.fits(photo, &cells)?;
        let lain: Vec<Quad> = fits.iter().map(|f| f.quad).collect();
        let mut found = fits.into_iter().zip(self.compared(photo, &lain)?).zip(&unknown).map(
            |((Fit { quad, likeness }, (crop, comparison)), from)| {
                let tile = FoundTile { quad, crop, comparison, likeness, stands_out: false, as_table: false };
                kept.note(from, &tile);
                tile
            },
        );
        let all = quads.iter().zip(before);
        Ok(all.map(|(quad, before)| before.or_else(|| quad.and_then(|_| found.next()))).collect())
    }
}

/// What is known of the table that tiles lie on.
pub struct Table<'a> {
    /// Its colours.
    pub off_table: &'a OffTable,
    /// Whether something else is seen in a quad than the bare table was, where that is known.
    pub seen: &'a dyn Fn(&Quad) -> Option<bool>,
    /// Whether a tile that was named lay in a quad when it was seen last.
    pub lain: &'a dyn Fn(&Quad) -> bool,
}

impl Table<'_> {
    /// Of the free cells beside tiles those in which something lies that runs out of the picture.
    pub fn cut_off(
        &self,
        photo: &Pyramid,
        lattice: &Lattice,
        found: &BTreeSet<(i32, i32)>,
    ) -> Vec<(i32, i32)> {
        let beside: BTreeSet<(i32, i32)> =
            found.iter().flat_map(|c| neighbours(*c)).filter(|c| !found.contains(c)).collect();
        let mut cut = Vec::new();
        for cell in beside {
            let Some(quad) = lattice.quad(cell).filter(|q| !is_inside(q, photo)) else { continue };
            let free = neighbours(cell).map(|c| !found.contains(&c) && is_in_sight(lattice, c, photo));
            // Its own colours may be among those of the picture's rim.
            let contrast = self.off_table.contrast(&quad, free);
            let lies = match (self.seen)(&quad) {
                Some(true) => contrast.is_none_or(|contrast| contrast >= SAME),
                Some(false) => false,
                None => contrast.is_some_and(|contrast| contrast >= CONTRAST),
            };
            if lies && share_inside(&quad, photo) >= SEEN {
                cut.push(cell);
            }
        }
        cut
    }

    /// Whether something that is not the table lies in a quad; beyond its `free` sides there is
    /// table.
    fn is_hidden(&self, quad: &Quad, free: [bool; 4]) -> Result<bool, VisionError> {
        let by_colours = || -> Result<bool, VisionError> {
            let ends = || self.off_table.least_contrast(quad, free);
            Ok(ends().is_some_and(|contrast| contrast >= CLEAR_CONTRAST)
                || self.off_table.share(quad)? >= STANDS_OUT
                    && self.off_table.contrast(quad, free).is_none_or(|contrast| contrast >= CONTRAST))
        };
        match ((self.seen)(quad), (self.lain)(quad)) {
            (Some(true), true) | (None, true) => Ok(true),
            // Another light, or the grain of wood that the camera sees a little beside.
            (Some(true), false) => Ok(self.off_table.share(quad)? >= OFF
                || self.off_table.contrast(quad, free).is_none_or(|contrast| contrast >= SAME)),
            (Some(false), false) => Ok(false),
            // Taken away, or a tile that looks like the table in a shadow.
            (Some(false), true) | (None, false) => by_colours(),
        }
    }

    /// Whether what is seen in a quad has its colours, as they are beyond the quad's `free` sides.
    fn has_its_colours(&self, quad: &Quad, free: [bool; 4]) -> bool {
        self.off_table.contrast(quad, free).is_some_and(|contrast| contrast < CONTRAST)
    }

    /// Whether it is known to be bare in a quad.
    fn is_bare(&self, quad: &Quad) -> bool {
        (self.seen)(quad) == Some(false) && !(self.lain)(quad)
    }
}

/// The share of a quad that is in the picture.
fn share_inside(quad: &Quad, photo: &Pyramid) -> f64 {
    const STEPS: u32 = 10;
    let place = Homography::from_unit_square(quad);
    let (w, h) = (f64::from(photo.full().cols()), f64::from(photo.full().rows()));
    let part = |k: u32| (f64::from(k) + 0.5) / f64::from(STEPS);
    let inside = (0..STEPS * STEPS)
        .map(|i| place.apply([part(i % STEPS), part(i / STEPS)]))
        .filter(|p| (0.0..w).contains(&p[0]) && (0.0..h).contains(&p[1]))
        .count();
    inside as f64 / f64::from(STEPS * STEPS)
}

/// Whether the part of a cell that is told from what lies beside it is in the picture.
fn is_in_sight(lattice: &Lattice, cell: (i32, i32), photo: &Pyramid) -> bool {
    lattice.quad(cell).is_some_and(|quad| share_inside(&quad, photo) >= SEEN)
}

/// Whether nearly all of a quad is in the picture.
fn is_inside(quad: &Quad, photo: &Pyramid) -> bool {
    let slack = 0.06 * quad.side();
    let (w, h) = (f64::from(photo.full().cols()), f64::from(photo.full().rows()));
    quad.0.iter().all(|p| p[0] > -slack && p[1] > -slack && p[0] < w + slack && p[1] < h + slack)
}

/// The tiles on a grid, from its measured cells outwards; the grid is measured
/// anew on the way. Tiles that lie loose beside the board are left out. What is like no tile but
/// lies at most two cells from one that is, and is not the table, is taken in, so that nothing beyond it
/// is lost. What is `kept` of cells is not looked at again.
///
/// # Errors
/// [`VisionError`] when crops can't be cut or compared.
pub fn grow(
    photo: &Pyramid,
    lattice: &mut Lattice,
    refiner: &Refiner<'_>,
    table: &Table<'_>,
    kept: &mut Kept,
) -> Result<BTreeMap<(i32, i32), FoundTile>, VisionError> {
    let mut found: BTreeMap<(i32, i32), FoundTile> = BTreeMap::new();
    let mut seen: BTreeSet<(i32, i32)> = BTreeSet::new();
    let mut next: Vec<(i32, i32)> = lattice.cells().collect();
    let mut outstanding: Vec<((i32, i32), Quad, bool)> = Vec::new();
    while !next.is_empty() && seen.len() < MEMBERSHIP.most {
        seen.extend(&next);
        let mut failed: Vec<(i32, i32)> = Vec::new();
        for (cell, tile) in next.iter().zip(refiner.look(photo, lattice, &next, kept)?) {
            let is_bare = tile.as_ref().is_some_and(|t| table.is_bare(&t.quad));
            tracing::debug!(?cell, likeness = tile.as_ref().map(|t| t.likeness), is_bare, "looked");
            let free = neighbours(*cell).map(|c| !found.contains_key(&c));
            match tile {
                Some(tile) if tile.likeness >= if is_bare { ALIKE_THOUGH_BARE } else { ALIKE } => {
                    lattice.measure(*cell, tile.quad);
                    found.insert(*cell, tile);
                }
                Some(mut tile) if tile.likeness >= PERHAPS && !is_bare => {
                    tile.stands_out = table.is_hidden(&tile.quad, free)?;
                    tile.as_table = table.has_its_colours(&tile.quad, free);
                    // It was named there: tiles of a row that creep off the grid are followed.
                    if tile.likeness >= MAYBE && (table.lain)(&tile.quad) {
                        lattice.measure(*cell, tile.quad);
                    }
                    found.insert(*cell, tile);
                }
                _ => {
                    lattice.forget(*cell);
                    failed.push(*cell);
                }
            }
        }
        // What is beside them is known now.
        for cell in failed {
            let free = neighbours(cell).map(|c| !found.contains_key(&c));
            if leads_to(&found, cell, table.lain)
                && let Some(quad) = lattice.quad(cell).filter(|q| is_inside(q, photo))
                && table.is_hidden(&quad, free)?
            {
                outstanding.push((cell, quad, table.has_its_colours(&quad, free)));
            }
        }
        if found.is_empty() {
            break;
        }
        let quads: Vec<Quad> = outstanding.iter().map(|(_, quad, _)| *quad).collect();
        let compared = refiner.compared(photo, &quads)?;
        for ((cell, quad, as_table), (crop, comparison)) in outstanding.drain(..).zip(compared) {
            tracing::debug!(?cell, ?quad, as_table, "stands out");
            let (likeness, stands_out) = (PERHAPS, true);
            found.insert(cell, FoundTile { quad, crop, comparison, likeness, stands_out, as_table });
        }
        lattice.refit()?;
        let around: BTreeSet<(i32, i32)> =
            found.keys().flat_map(|c| neighbours(*c)).filter(|c| !seen.contains(c)).collect();
        next = around.into_iter().collect();
    }
    let board = of_the_board(&found, lattice, |_, tile| (table.lain)(&tile.quad));
    found.retain(|cell, _| board.contains(cell));
    Ok(found)
}

/// Whether a cell in which nothing like a tile is found may hold one all the same: beside it lies what surely
/// is a tile, or what stands out and lies beside one. So is a tile that was named when its place was seen
/// last (`lain`), however little it looks like its print by now.
fn leads_to(found: &BTreeMap<(i32, i32), FoundTile>, cell: (i32, i32), lain: impl Fn(&Quad) -> bool) -> bool {
    let is_sure =
        |c: &(i32, i32)| found.get(c).is_some_and(|t| t.likeness >= ALIKE || t.stands_out && lain(&t.quad));
    let is_out = |c: &(i32, i32)| found.get(c).is_some_and(|t| t.stands_out);
    let beside = |c: (i32, i32)| neighbours(c).into_iter();
    beside(cell).any(|c| is_sure(&c)) || beside(cell).any(|c| is_out(&c) && beside(c).any(|c| is_sure(&c)))
}

/// The cells that belong to the board: the largest group of touching tiles and,
/// beside a board of some size, groups near to it that lie on its grid or lay there before
/// (`lain`), as where a hand hides what is between. Loose tiles lie on no grid.
pub fn of_the_board(
    found: &BTreeMap<(i32, i32), FoundTile>,
    lattice: &Lattice,
    lain: impl Fn((i32, i32), &FoundTile) -> bool,
) -> BTreeSet<(i32, i32)> {
    let mut groups = groups(found);
    groups.sort_by_key(|g| std::cmp::Reverse(g.len()));
    let mut rest = groups.into_iter();
    let mut kept = rest.next().unwrap_or_default();
    if kept.len() < MEMBERSHIP.telling {
        return kept;
    }
    let on_grid = |group: &BTreeSet<(i32, i32)>| {
        group.iter().all(|c| {
            let there = lattice.map().cell(f64::from(c.0), f64::from(c.1));
            found.get(c).is_some_and(|t| {
                let on_grid = there.corner_distance(&t.quad) < MEMBERSHIP.on_grid * t.quad.side();
                t.likeness >= ALIKE && on_grid || lain(*c, t)
            })
        })
    };
    let mut apart: Vec<BTreeSet<(i32, i32)>> = rest.filter(on_grid).collect();
    let near = |group: &BTreeSet<(i32, i32)>, kept: &BTreeSet<(i32, i32)>| {
        group
            .iter()
            .any(|a| kept.iter().any(|b| (a.0 - b.0).abs().max((a.1 - b.1).abs()) <= MEMBERSHIP.apart))
    };
    while let Some(i) = apart.iter().position(|g| near(g, &kept)) {
        kept.extend(apart.remove(i));
    }
    kept
}

/// The cells above, right, below and left of one, as a quad's sides follow one another.
pub(super) fn neighbours(cell: (i32, i32)) -> [(i32, i32); 4] {
    [(cell.0, cell.1 - 1), (cell.0 + 1, cell.1), (cell.0, cell.1 + 1), (cell.0 - 1, cell.1)]
}

/// The groups of tiles that touch.
fn groups(found: &BTreeMap<(i32, i32), FoundTile>) -> Vec<BTreeSet<(i32, i32)>> {
    let mut all = Vec::new();
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
        all.push(group);
    }
    all
}

#[cfg(test)]
mod tests {
    use image::RgbImage;

    use super::*;
    use crate::vision::base::geometry::Homography;

    #[test]
    fn what_looks_as_the_bare_table_did_is_bare_and_what_does_not_is_hidden() {
        // A lamp's spot, which has other colours than the picture's rim.
        let picture = RgbImage::from_fn(200, 120, |x, y| {
            let spot = (80..120).contains(&x) && (40..80).contains(&y);
            let tile = (140..180).contains(&x) && (40..80).contains(&y);
            image::Rgb(match (spot, tile) {
                (true, _) => [230, 210, 150],
                (_, true) => [132 + (x % 3) as u8, 94, 60],
                _ => [120 + (x % 3) as u8, 90, 60],
            })
        });
        let off_table = OffTable::new(&crate::vision::base::photo::to_mat(&picture).unwrap()).unwrap();
        let at = |x: f64| Quad([[x, 40.0], [x + 40.0, 40.0], [x + 40.0, 80.0], [x, 80.0]]);
        let hidden_where = |known: Option<bool>, lay: bool, x: f64| {
            let (seen, lain) = (|_: &Quad| known, |_: &Quad| lay);
            let table = Table { off_table: &off_table, seen: &seen, lain: &lain };
            (table.is_hidden(&at(x), [true; 4]).unwrap(), table.is_bare(&at(x)))
        };
        let hidden = |known, x| hidden_where(known, false, x);
        assert_eq!(hidden(None, 80.0), (true, false), "its colours tell where nothing else does");
        assert_eq!(hidden(None, 20.0), (false, false));
        assert_eq!(hidden(Some(false), 80.0), (false, true), "it was seen to look so");
        assert_eq!(hidden(Some(true), 140.0), (true, false), "a tile of nearly the table's colour");
        assert_eq!(hidden(Some(true), 20.0), (false, false), "the table in another light");
        assert_eq!(hidden_where(None, true, 20.0), (true, false), "a tile lay there");
        assert_eq!(hidden_where(Some(false), true, 20.0), (false, false), "it was taken away");
        assert_eq!(hidden_where(Some(false), true, 80.0), (true, false), "it looks like a shadow");
    }

    #[test]
    fn a_tile_that_has_the_colours_of_the_rim_stands_out_where_it_ends_on_all_its_free_sides() {
        // A dark tile on a white table that ends before a dark floor; the floor is most of the rim.
        let picture = RgbImage::from_fn(320, 200, |x, y| {
            let on_table = (40..240).contains(&x) && y < 170;
            let tile = (80..120).contains(&x) && (60..100).contains(&y);
            image::Rgb(if on_table && !tile { [210, 208, 212] } else { [40, 70 + (x % 3) as u8, 45] })
        });
        let off_table = OffTable::new(&crate::vision::base::photo::to_mat(&picture).unwrap()).unwrap();
        let (seen, lain) = (|_: &Quad| None, |_: &Quad| false);
        let table = Table { off_table: &off_table, seen: &seen, lain: &lain };
        let at = |x: f64, y: f64| Quad([[x, y], [x + 40.0, y], [x + 40.0, y + 40.0], [x, y + 40.0]]);
        assert!(off_table.share(&at(80.0, 60.0)).unwrap() < STANDS_OUT, "its colours are the floor's");
        assert!(table.is_hidden(&at(80.0, 60.0), [true; 4]).unwrap());
        assert!(!table.is_hidden(&at(120.0, 60.0), [true, true, true, false]).unwrap(), "bare");
        assert!(!table.is_hidden(&at(220.0, 60.0), [true; 4]).unwrap(), "the table's border");
        assert!(!table.is_hidden(&at(260.0, 60.0), [true; 4]).unwrap(), "the floor");
    }

    #[test]
    fn what_runs_out_of_the_picture_is_told_where_something_lies_in_it() {
        // A tile of 40 pixels at the lower rim, one that shows a quarter at the right, and table.
        let picture = RgbImage::from_fn(220, 120, |x, y| {
            let tile = (60..100).contains(&x) && (50..120).contains(&y) || x >= 210 && (10..50).contains(&y);
            image::Rgb(if tile { [230, 210, 150] } else { [120 + (x % 3) as u8, 90, 60] })
        });
        let photo = Pyramid::new(&picture).unwrap();
        let off_table = OffTable::new(&crate::vision::base::photo::to_mat(&picture).unwrap()).unwrap();
        let lattice = Lattice::from_map(Homography::from_unit_square(&Quad([
            [60.0, 50.0],
            [100.0, 50.0],
            [100.0, 90.0],
            [60.0, 90.0],
        ])));
        let cut_off = |found: &[(i32, i32)], seen: Option<bool>| {
            let (seen, lain) = (|_: &Quad| seen, |_: &Quad| false);
            let table = Table { off_table: &off_table, seen: &seen, lain: &lain };
            table.cut_off(&photo, &lattice, &found.iter().copied().collect())
        };
        assert_eq!(cut_off(&[(0, 0)], None), [(0, 1)], "three quarters of it are seen");
        assert_eq!(cut_off(&[(0, 0)], Some(false)), [], "the bare table looked so");
        assert_eq!(cut_off(&[(3, 0)], None), [], "bare table runs out of it, too");
        assert_eq!(cut_off(&[(0, 0), (0, 1)], None), []);
        assert_eq!(cut_off(&[(2, -1)], None), [], "too little of it is seen");
    }

    #[test]
    fn a_hole_between_tiles_has_the_colours_of_the_table_and_a_tile_has_not() {
        // Two tiles of 40 pixels with a hole between them on wood with a grain.
        let picture = RgbImage::from_fn(220, 120, |x, y| {
            let tile = (40..80).contains(&y) && ((40..80).contains(&x) || (120..160).contains(&x));
            image::Rgb(if tile { [110, 160, 90] } else { [150 + (y % 9) as u8, 100, 60] })
        });
        let off_table = OffTable::new(&crate::vision::base::photo::to_mat(&picture).unwrap()).unwrap();
        let square = |left: f64| Quad([[left, 40.0], [left + 40.0, 40.0], [left + 40.0, 80.0], [left, 80.0]]);
        let (seen, lain) = (|_: &Quad| None, |_: &Quad| false);
        let table = Table { off_table: &off_table, seen: &seen, lain: &lain };
        assert!(table.has_its_colours(&square(80.0), [true, false, true, false]));
        assert!(!table.has_its_colours(&square(40.0), [true, false, true, true]));
        assert!(!table.has_its_colours(&square(80.0), [false; 4]), "no side tells of the table");
    }

    #[test]
    fn a_row_of_tiles_that_look_little_like_their_prints_leads_on_where_they_were_named() {
        let square = Quad([[300.0, 200.0], [360.0, 200.0], [360.0, 260.0], [300.0, 260.0]]);
        let lattice = Lattice::from_map(Homography::from_unit_square(&square));
        let tile = |(col, likeness): (i32, f32)| {
            let (crop, comparison) = (RgbImage::default(), Comparison::default());
            let quad = lattice.quad((col, 0)).unwrap();
            (
                (col, 0),
                FoundTile { quad, crop, comparison, likeness, stands_out: likeness < ALIKE, as_table: false },
            )
        };
        let found: BTreeMap<(i32, i32), FoundTile> =
            [0.8, 0.4, 0.4].into_iter().zip(0..).map(|(l, c)| tile((c, l))).collect();
        let left = |found: &BTreeMap<(i32, i32), FoundTile>, named: bool| leads_to(found, (3, 0), |_| named);
        assert!(!left(&found, false), "the sure one is three cells away");
        assert!(left(&found, true));
        assert!(leads_to(&found, (1, 1), |_| false) && !leads_to(&found, (2, 1), |_| false));
    }

    #[test]
    fn a_group_apart_belongs_to_the_board_when_it_lies_on_its_grid() {
        let square = Quad([[300.0, 200.0], [360.0, 200.0], [360.0, 260.0], [300.0, 260.0]]);
        let lattice = Lattice::from_map(Homography::from_unit_square(&square));
        let tile = |cell: (i32, i32), off: f64| {
            let quad = lattice.quad(cell).unwrap().shifted([off * 60.0, 0.0]);
            let (crop, comparison) = (RgbImage::default(), Comparison::default());
            (cell, FoundTile { quad, crop, comparison, likeness: 0.9, stands_out: false, as_table: false })
        };
        let board = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)];
        let with_lain = |cells: &[((i32, i32), f64)], lain: &[(i32, i32)]| -> Vec<(i32, i32)> {
            let all = board.iter().map(|c| (*c, 0.03)).chain(cells.iter().copied());
            let found: BTreeMap<(i32, i32), FoundTile> = all.map(|(c, off)| tile(c, off)).collect();
            let kept = of_the_board(&found, &lattice, |cell, _| lain.contains(&cell));
            kept.into_iter().filter(|c| !board.contains(c)).collect()
        };
        let with = |cells: &[((i32, i32), f64)]| with_lain(cells, &[]);
        assert_eq!(with(&[((4, 0), 0.04), ((6, 1), 0.04)]), [(4, 0), (6, 1)], "one leads to the next");
        assert_eq!(with(&[((4, 0), 0.2)]), [], "a loose tile");
        assert_eq!(with(&[((5, 0), 0.02)]), [], "too far");
        assert_eq!(with_lain(&[((4, 0), 0.2)], &[(4, 0)]), [(4, 0)], "it lay there before");
        assert_eq!(with_lain(&[((4, 0), 0.2), ((5, 0), 0.2)], &[(4, 0)]), [], "one of it did not");
    }
}
