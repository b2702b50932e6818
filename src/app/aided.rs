//! The aids of a live game as they are shown: what is lit, and what is counted of it.

use crate::rules::Cell;
use crate::table::Aids;

/// The aids of a live game.
#[derive(Clone, Debug, Default)]
pub struct ShownAids {
    /// The aids as the game stands.
    pub now: Aids,
    /// How many events the game had then: with others it stands otherwise.
    pub events: usize,
    /// The tile whose cells are lit, by its place among those that are left.
    pub tile: Option<usize>,
    /// The cell of which it is asked what fits there.
    pub cell: Option<Cell>,
    /// Whether the pictures in the window are those of the tiles that are left.
    pub drawn: bool,
}

impl ShownAids {
    /// The cells that are lit.
    pub fn lit(&self) -> Vec<Cell> {
        self.tile.map_or_else(|| self.cell.into_iter().collect(), |tile| self.now.cells_of(tile))
    }

    /// How many tiles are left.
    pub fn count(&self) -> u32 {
        self.now.left.iter().map(|(_, count)| count).sum()
    }

    /// How many of them fit in the place of which it is asked, or in how many places the tile fits
    /// that is lit.
    pub fn fitting(&self) -> usize {
        let Aids { left, fits, .. } = &self.now;
        match (self.cell, self.tile) {
            (Some(cell), _) => {
                fits.get(&cell).into_iter().flatten().map(|index| left[*index].1 as usize).sum()
            }
            (None, Some(tile)) => self.now.cells_of(tile).len(),
            (None, None) => 0,
        }
    }
}
