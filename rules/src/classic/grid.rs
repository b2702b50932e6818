//! The grid on which tiles lie, in blocks that are there once something lies in them, so that
//! a position stays small however far its tiles can reach.

use crate::Cell;

/// No place in the list of squares where a tile may be laid.
pub(super) const NOWHERE: u16 = u16::MAX;
/// No tile lies there.
pub(super) const EMPTY: u8 = 0;

/// Columns of the grid, and its rows.
const WIDTH: u16 = 256;
/// The column, and the row, of the first tile.
const MIDDLE: i16 = WIDTH as i16 / 2;
/// Columns of a block, and its rows.
const BLOCK: u16 = 16;
/// Blocks in a row of the grid.
const BLOCKS: u16 = WIDTH / BLOCK;

/// A square of the grid, by its number: rows from the top, columns from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Square(u16);

impl Square {
    /// The square of a cell.
    pub fn of(cell: Cell) -> Square {
        let at = |place: i8| (i16::from(place) + MIDDLE) as u16;
        Square(at(cell.row) * WIDTH + at(cell.col))
    }

    /// Its cell.
    pub fn cell(self) -> Cell {
        let place = |at: u16| (at as i16 - MIDDLE) as i8;
        Cell::new(place(self.0 % WIDTH), place(self.0 / WIDTH))
    }

    /// The squares beside it: north, east, south, west. Tiles keep away from the border of
    /// the grid, so that none lies outside.
    pub fn beside(self) -> [Square; 4] {
        [self.0 - WIDTH, self.0 + 1, self.0 + WIDTH, self.0 - 1].map(Square)
    }

    /// The eight squares round it.
    pub fn around(self) -> [Square; 8] {
        let (above, below) = (self.0 - WIDTH, self.0 + WIDTH);
        [above - 1, above, above + 1, self.0 - 1, self.0 + 1, below - 1, below, below + 1].map(Square)
    }

    /// The number of its block, and its own in the block.
    fn in_block(self) -> (usize, usize) {
        let (row, col) = (self.0 / WIDTH, self.0 % WIDTH);
        let block = row / BLOCK * BLOCKS + col / BLOCK;
        (usize::from(block), usize::from(row % BLOCK * BLOCK + col % BLOCK))
    }
}

/// What is known of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ground {
    /// The place of the tile on it plus one, or [`EMPTY`].
    pub place: u8,
    /// Where it stands in the list of squares that may be laid on, or [`NOWHERE`].
    pub free: u16,
}

/// A square on which nothing lies, and beside which nothing lies.
const BARE: Ground = Ground { place: EMPTY, free: NOWHERE };

type Block = [Ground; (BLOCK * BLOCK) as usize];

/// All squares.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Where each block stands in the list. The first in the list is bare and stands for
    /// all that are.
    places: [u16; (BLOCKS * BLOCKS) as usize],
    blocks: Vec<Block>,
}

impl Default for Grid {
    fn default() -> Grid {
        Grid { places: [0; (BLOCKS * BLOCKS) as usize], blocks: vec![[BARE; (BLOCK * BLOCK) as usize]] }
    }
}

impl Grid {
    /// What is known of a square.
    #[inline]
    pub fn at(&self, square: Square) -> Ground {
        let (block, square) = square.in_block();
        self.blocks[usize::from(self.places[block])][square]
    }

    /// The same, to be changed.
    #[inline]
    pub fn at_mut(&mut self, square: Square) -> &mut Ground {
        let (block, square) = square.in_block();
        if self.places[block] == 0 {
            self.places[block] = self.blocks.len() as u16;
            self.blocks.push([BARE; (BLOCK * BLOCK) as usize]);
        }
        &mut self.blocks[usize::from(self.places[block])][square]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_has_its_cell_and_its_neighbours() {
        for cell in [Cell::new(0, 0), Cell::new(-126, 126), Cell::new(15, -16), Cell::new(126, -126)] {
            let square = Square::of(cell);
            assert_eq!(square.cell(), cell);
            let steps = [(0, -1), (1, 0), (0, 1), (-1, 0)];
            let beside = steps.map(|(col, row)| Cell::new(cell.col + col, cell.row + row));
            assert_eq!(square.beside().map(Square::cell), beside);
            let near = |c: Cell| c.col.abs_diff(cell.col).max(c.row.abs_diff(cell.row)) == 1;
            assert!(square.around().into_iter().all(|s| near(s.cell())));
        }
    }

    #[test]
    fn what_is_put_on_a_square_is_there_and_nowhere_else() {
        let mut grid = Grid::default();
        let all = || (-127..=127).flat_map(|row| (-127..=127).map(move |col| Cell::new(col, row)));
        let mut place = 0;
        for cell in all().filter(|c| (i16::from(c.col) * 7 + i16::from(c.row)) % 41 == 0) {
            place = place % 200 + 1;
            assert_eq!(grid.at(Square::of(cell)), BARE);
            grid.at_mut(Square::of(cell)).place = place;
        }
        let laid = all().filter(|c| grid.at(Square::of(*c)).place != EMPTY).count();
        assert_eq!(laid, all().filter(|c| (i16::from(c.col) * 7 + i16::from(c.row)) % 41 == 0).count());
    }
}
