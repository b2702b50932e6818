//! The wall's inner border as a closed walk of corners and straight runs.

use super::wall::Wall;
use crate::{Cell, Side};

/// A corner of the wall's inner border and the straight run that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// Where it lies, in tile sides from the upper left of cell (0, 0).
    pub x: i8,
    /// Where it lies, downwards.
    pub y: i8,
    /// Whether the interior is a quarter here (else it is three quarters).
    pub convex: bool,
    /// On which side of its interior cells the run after the corner lies.
    pub side: Side,
    /// How many tile sides long the run after the corner is.
    pub length: u8,
}

impl Corner {
    /// The step along the run after the corner, clockwise round the interior.
    pub const fn direction(&self) -> (i8, i8) {
        Side::from_index(self.side.index() + 1).step()
    }

    /// The interior cells along the run after the corner, in walking order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (dx, dy) = self.direction();
        let (col, row) = match self.side {
            Side::North => (self.x, self.y),
            Side::East => (self.x - 1, self.y),
            Side::South => (self.x - 1, self.y - 1),
            Side::West => (self.x, self.y - 1),
        };
        (0..self.length as i8).map(move |i| Cell::new(col + dx * i, row + dy * i))
    }
}

impl Wall {
    /// The inner border, clockwise, beginning at the upper left corner of the
    /// uppermost, then leftmost cell. Empty without cells. Holes and parts that
    /// do not hang together with that cell by a side are not walked.
    pub fn ring(&self) -> Vec<Corner> {
        let Some(&first) = self.cells().first() else { return Vec::new() };
        let start = (first, Side::North);
        let (mut cell, mut side) = start;
        let mut corners = Vec::new();
        let mut length = 0_u8;
        let mut turn = (first.col, first.row, true, side);
        let most = 4 * Wall::MAX_SIDE * Wall::MAX_SIDE;
        for _ in 0..most {
            length = length.saturating_add(1);
            let along = Side::from_index(side.index() + 1);
            let ahead = cell.neighbour(along);
            let outside = ahead.neighbour(side);
            let (ex, ey) = end(cell, side);
            let next = if self.contains(ahead) && self.contains(outside) {
                Some((outside, Side::from_index(side.index() + 3), false))
            } else if self.contains(ahead) {
                cell = ahead;
                None
            } else {
                Some((cell, along, true))
            };
            if let Some((next_cell, next_side, convex)) = next {
                corners.push(Corner { x: turn.0, y: turn.1, convex: turn.2, side: turn.3, length });
                (cell, side, length) = (next_cell, next_side, 0);
                turn = (ex, ey, convex, side);
            }
            if (cell, side) == start {
                break;
            }
        }
        corners
    }
}

/// The vertex at the clockwise end of a cell's side.
const fn end(cell: Cell, side: Side) -> (i8, i8) {
    match side {
        Side::North => (cell.col + 1, cell.row),
        Side::East => (cell.col + 1, cell.row + 1),
        Side::South => (cell.col, cell.row + 1),
        Side::West => (cell.col, cell.row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(outline: &[&str]) -> Wall {
        Wall {
            name: "test".into(),
            note: String::new(),
            outline: outline.iter().map(|l| (*l).to_owned()).collect(),
            towers: Vec::new(),
            thickness: 0.5,
            track: Vec::new(),
            starts: Vec::new(),
        }
    }

    #[test]
    fn a_ring_closes_and_its_corners_differ_by_four() {
        for (outline, corners) in [
            (vec!["#"], 4),
            (vec!["##.", "###"], 6),
            (vec!["###", "#.#"], 8),
            (vec![".#.", "###", ".#."], 12),
        ] {
            let wall = wall(&outline);
            let ring = wall.ring();
            assert_eq!(ring.len(), corners, "{outline:?}");
            let convex = ring.iter().filter(|c| c.convex).count();
            assert_eq!(2 * convex, ring.len() + 4);
            for (a, b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
                let (dx, dy) = a.direction();
                let length = a.length as i8;
                assert_eq!((a.x + dx * length, a.y + dy * length), (b.x, b.y));
                assert!(a.cells().all(|c| wall.contains(c) && !wall.contains(c.neighbour(a.side))));
            }
        }
    }

    #[test]
    fn no_cells_no_ring() {
        assert!(wall(&["..", ""]).ring().is_empty());
    }
}
