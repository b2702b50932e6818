//! Finds the board again after the camera was moved: by the tiles that were named before and are now.

use std::collections::BTreeMap;

use super::drawing::Placed;
use crate::observation::turned;
use crate::rules::Cell;
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Quad};

/// So many tiles must be named alike for it to be the same board. Set by hand: with fewer, another board
/// of the same deck may agree by chance.
pub(super) const LEAST: usize = 4;
/// They must be this share of the tiles that were named before: of a few beside one another it is not
/// seen well where the rest of the table lies,
const OF_ALL: f32 = 0.5;
/// and this share of the cells that were named both before and now.
const AGREE: f32 = 0.6;
/// No other way to lay the one board on the other may have more than this share of them.
const RUNNER_UP: f32 = 0.5;

/// A tile that was named: its cell, its place in the picture, its place in the deck and its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    pub cell: Cell,
    pub quad: Quad,
    pub tile: (usize, u8),
}

/// How the board lies in the picture now, as against before.
#[derive(Debug)]
pub(super) struct Moved {
    /// By so many quarters the cells and the tiles are turned clockwise.
    quarters: u8,
    /// From the picture before to the one now, pixels.
    map: Homography,
    /// How many tiles are named alike.
    pub(super) alike: usize,
}

impl Moved {
    /// How the tiles of one picture came to lie as they do in another; `None` where too few are named
    /// alike.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub(super) fn between(then: &[Named], now: &[Named]) -> Result<Option<Moved>, VisionError> {
        let mut votes: BTreeMap<(u8, (i32, i32)), usize> = BTreeMap::new();
        for old in then {
            for new in now.iter().filter(|new| new.tile.0 == old.tile.0) {
                let quarters = (new.tile.1 + 4 - old.tile.1 % 4) % 4;
                *votes.entry((quarters, offset(old.cell, new.cell, quarters))).or_default() += 1;
            }
        }
        let Some((&(quarters, by), &most)) = votes.iter().max_by_key(|(_, count)| **count) else {
            return Ok(None);
        };
        let others = votes.iter().filter(|(lie, _)| **lie != (quarters, by)).map(|(_, count)| *count);
        let runner_up = others.max().unwrap_or(0);
        let pairs: Vec<(&Named, &Named)> = then
            .iter()
            .flat_map(|old| now.iter().map(move |new| (old, new)))
            .filter(|(old, new)| offset(old.cell, new.cell, quarters) == by)
            .collect();
        let is_same_board = most >= LEAST
            && most as f32 >= OF_ALL * then.len() as f32
            && most as f32 >= AGREE * pairs.len() as f32
            && runner_up as f32 <= RUNNER_UP * most as f32;
        if !is_same_board {
            return Ok(None);
        }
        let alike = |(old, new): &&(&Named, &Named)| {
            old.tile.0 == new.tile.0 && (old.tile.1 + quarters) % 4 == new.tile.1 % 4
        };
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for (old, new) in pairs.iter().filter(alike) {
            from.extend(first_corner(&old.quad, quarters).0);
            to.extend(new.quad.0);
        }
        let map = Homography::fit(&from, &to)?;
        Ok(map.map(|map| Moved { quarters, map, alike: most }))
    }

    /// From the picture before to the one now, pixels.
    pub(super) fn map(&self) -> &Homography {
        &self.map
    }

    /// A cell with its place in the picture, as it is now; `None` beyond what has a number.
    pub(super) fn placed(&self, (cell, corners): &Placed) -> Option<Placed> {
        let quad = first_corner(&Quad(*corners), self.quarters).through(&self.map);
        Some((self.cell(*cell)?, quad.0))
    }

    /// A cell with the tile that lies there, as it is now; `None` beyond what has a number.
    pub(super) fn lain(&self, cell: Cell, (tile, turn): (usize, u8)) -> Option<(Cell, (usize, u8))> {
        Some((self.cell(cell)?, (tile, (turn + self.quarters) % 4)))
    }

    fn cell(&self, cell: Cell) -> Option<Cell> {
        let (col, row) = turned((i32::from(cell.col), i32::from(cell.row)), self.quarters);
        Some(Cell::new(i8::try_from(col).ok()?, i8::try_from(row).ok()?))
    }
}

/// What is added to a turned cell to make it another.
fn offset(from: Cell, to: Cell, quarters: u8) -> (i32, i32) {
    let (col, row) = turned((i32::from(from.col), i32::from(from.row)), quarters);
    (i32::from(to.col) - col, i32::from(to.row) - row)
}

/// A cell's corners, beginning with the one that is its upper left corner once it is turned clockwise.
fn first_corner(quad: &Quad, quarters: u8) -> Quad {
    quad.starting_at(usize::from((4 - quarters % 4) % 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board of nine tiles, all of them different.
    fn board() -> Vec<Named> {
        let at = |i: usize| {
            let (col, row) = ((i % 3) as i8 - 1, (i / 3) as i8);
            let (x, y) = (300.0 + 50.0 * f64::from(col), 200.0 + 50.0 * f64::from(row));
            let quad = Quad([[x, y], [x + 50.0, y], [x + 50.0, y + 50.0], [x, y + 50.0]]);
            Named { cell: Cell::new(col, row), quad, tile: (i, (i % 4) as u8) }
        };
        (0..9).map(at).collect()
    }

    /// The board as a camera sees it that was moved, turned by quarters, its cells numbered anew.
    fn seen(board: &[Named], quarters: u8, map: &Homography) -> Vec<Named> {
        let again = |named: &Named| {
            let (col, row) = turned((i32::from(named.cell.col), i32::from(named.cell.row)), quarters);
            let cell = Cell::new(col as i8 + 5, row as i8 + 7);
            let quad = first_corner(&named.quad, quarters).through(map);
            Named { cell, quad, tile: (named.tile.0, (named.tile.1 + quarters) % 4) }
        };
        board.iter().map(again).collect()
    }

    const TURN: Homography = Homography([0.9, -0.2, 60.0, 0.25, 1.0, -30.0, 1e-4, -5e-5, 1.0]);

    #[test]
    fn the_same_board_is_found_from_elsewhere_and_wrong_names_do_not_hide_it() {
        let then = board();
        for quarters in 0..4 {
            let mut now = seen(&then, quarters, &TURN);
            now[4].tile = (17, 0);
            now[8].tile = (0, 3);
            let moved = Moved::between(&then, &now[1..]).unwrap().unwrap();
            assert_eq!(moved.quarters, quarters);
            let (cell, corners) = moved.placed(&(then[0].cell, then[0].quad.0)).unwrap();
            assert!(Quad(corners).corner_distance(&now[0].quad) < 0.5, "{corners:?}");
            assert_eq!(offset(cell, now[0].cell, 0), (5, 7));
            assert_eq!(moved.lain(then[0].cell, (0, 3)), Some((cell, (0, (3 + quarters) % 4))));
        }
    }

    #[test]
    fn another_board_is_not_taken_for_it() {
        let then = board();
        let now = seen(&then, 0, &TURN);
        assert!(Moved::between(&then[..5], &now[..3]).unwrap().is_none(), "too few");
        assert!(Moved::between(&then, &now[..4]).unwrap().is_none(), "too few of nine");
        let mut other = now.clone();
        for (i, named) in other.iter_mut().enumerate().skip(5) {
            named.tile = (20 + i, 0);
        }
        assert!(Moved::between(&then, &other).unwrap().is_none(), "most cells have other tiles");
        let mut alike = then.clone();
        alike.iter_mut().for_each(|named| named.tile = (0, 0));
        assert!(Moved::between(&alike, &alike).unwrap().is_none(), "it may lie in many ways");
        assert!(Moved::between(&[], &now).unwrap().is_none());
    }
}
