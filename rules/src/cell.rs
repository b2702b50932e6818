//! The cells of the grid on which tiles lie.

use serde::{Deserialize, Serialize};

use super::port::Side;

/// A cell of the tile grid; col grows right (east), row grows down (south).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(i8, i8)", into = "(i8, i8)")]
pub struct Cell {
    /// Column.
    pub col: i8,
    /// Row.
    pub row: i8,
}

impl Cell {
    /// The cell in this column and row.
    pub const fn new(col: i8, row: i8) -> Cell {
        Cell { col, row }
    }

    /// The neighbour on a side.
    pub const fn neighbour(self, side: Side) -> Cell {
        let (dx, dy) = side.step();
        Cell { col: self.col.saturating_add(dx), row: self.row.saturating_add(dy) }
    }
}

impl From<(i8, i8)> for Cell {
    fn from((col, row): (i8, i8)) -> Cell {
        Cell { col, row }
    }
}

impl From<Cell> for (i8, i8) {
    fn from(cell: Cell) -> (i8, i8) {
        (cell.col, cell.row)
    }
}
