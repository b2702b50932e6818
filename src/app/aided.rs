//! The aids of a live game as they are shown: what is lit, and what is said of it.

use crate::rules::{Cell, cell_name};
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

    /// What is said above the tiles that are left.
    pub fn heading(&self) -> String {
        let Aids { left, fits, .. } = &self.now;
        let all: u32 = left.iter().map(|(_, count)| count).sum();
        let tiles = |count: u32| if count == 1 { "1 tile".to_owned() } else { format!("{count} tiles") };
        match (self.cell, self.tile) {
            (Some(cell), _) => {
                let fitting: u32 = fits.get(&cell).into_iter().flatten().map(|index| left[*index].1).sum();
                format!("{} of {all} fit in {}", tiles(fitting), cell_name(cell))
            }
            (None, Some(tile)) => match self.now.cells_of(tile).len() {
                0 => "it fits nowhere now".to_owned(),
                1 => "it fits in 1 place".to_owned(),
                n => format!("it fits in {n} places"),
            },
            (None, None) => format!("{} left; touch a place to see what fits there", tiles(all)),
        }
    }
}
