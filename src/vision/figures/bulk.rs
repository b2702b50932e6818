//! How much room figures take up, and what they hide of the board behind them.

use super::board::{Board, Standing};
use super::shape;
use crate::observation::Figure;
use crate::pieces::{PlayerPieces, Size};
use crate::rules::Cell;

/// A follower is taken for one that lies from this probability on.
const LIES: f32 = 0.5;
/// How much farther than its bulk a figure may hide what is behind it: the parts of another make
/// stick out.
const STICKS_OUT: f32 = 1.2;
/// Nearer to a cell's border than this, tile sides, a figure may stand on the next cell: a foot is
/// read that far off.
const BORDER: f32 = 0.15;

/// How far round the line from its foot to its top a figure reaches, and how high it is,
/// tile sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bulk {
    pub round: f32,
    pub high: f32,
}

const STANDING: Bulk = Bulk { round: 0.2, high: 0.36 };
const LYING: Bulk = Bulk { round: 0.26, high: 0.12 };
const KEEP: Bulk = Bulk { round: 0.36, high: 0.5 };

impl Bulk {
    /// The distance, in how far the figure reaches, of a place so far from its foot (tile
    /// sides) from the line that it stands along; `lean` is how far a thing above the board
    /// appears from its foot, both per tile side.
    pub fn off(&self, (dx, dy): (f32, f32), lean: (f32, f32)) -> f32 {
        let (lx, ly) = (lean.0 * self.high, lean.1 * self.high);
        let t = ((dx * lx + dy * ly) / (lx * lx + ly * ly).max(1e-6)).clamp(0.0, 1.0);
        (dx - lx * t).hypot(dy - ly * t) / self.round
    }
}

/// How far figures of each kind reach: as usual, or as much more or less as the players'
/// pieces are larger or smaller than those of the usual make.
pub(super) struct Bulks {
    pub standing: Bulk,
    pub lying: Bulk,
    pub keep: Bulk,
}

impl Bulks {
    pub fn of(pieces: &[PlayerPieces]) -> Bulks {
        let scaled = |bulk: Bulk, usual: (f32, f32, f32), of: fn(&PlayerPieces) -> Size| {
            let (length, width, height) = usual;
            let (wide, high) = shape::scale(pieces, Size { length, width, height }, of);
            Bulk { round: bulk.round * wide, high: bulk.high * high }
        };
        Bulks {
            standing: scaled(STANDING, (0.3, 0.2, 0.36), |p| p.standing),
            lying: scaled(LYING, (0.36, 0.3, 0.2), |p| p.lying),
            keep: scaled(KEEP, (0.52, 0.52, 0.5), |p| p.keep),
        }
    }
}

/// What the figures on a board hide of it.
#[derive(Clone, Debug, Default)]
pub struct Silhouettes {
    bodies: Vec<Body>,
}

/// Where a figure has its foot, tile sides, and how far it reaches and leans.
#[derive(Clone, Debug)]
struct Body {
    foot: (f32, f32),
    bulk: Bulk,
    lean: (f32, f32),
}

impl Silhouettes {
    /// The silhouettes of figures that were found on a board.
    pub fn of(board: &Board<'_>, figures: &[Standing]) -> Silhouettes {
        let bulks = Bulks::of(board.pieces);
        let body = |standing: &Standing| {
            let Standing { cell, figure, .. } = standing;
            let bulk = match figure.figure {
                Figure::Keep => bulks.keep,
                Figure::Follower if figure.lying.is_some_and(|lying| lying > LIES) => bulks.lying,
                Figure::Follower | Figure::Neutral => bulks.standing,
            };
            let foot = (f32::from(cell.col) + figure.x, f32::from(cell.row) + figure.y);
            Body { foot, bulk, lean: board.lean(foot, bulk.high) }
        };
        Silhouettes { bodies: figures.iter().map(body).collect() }
    }

    /// Whether a figure that stands beside a cell may hide a place of it, tile sides.
    pub fn hide(&self, cell: Cell, (x, y): (f32, f32)) -> bool {
        self.beside(cell)
            .any(|Body { foot, bulk, lean }| bulk.off((x - foot.0, y - foot.1), *lean) < STICKS_OUT)
    }

    /// Whether a figure that stands beside a cell may hide any of it.
    pub fn reach(&self, cell: Cell) -> bool {
        const STEPS: u8 = 6;
        let at = |from: i8, i: u8| f32::from(from) + (f32::from(i) + 0.5) / f32::from(STEPS);
        (0..STEPS * STEPS).any(|i| self.hide(cell, (at(cell.col, i % STEPS), at(cell.row, i / STEPS))))
    }

    /// The figures that do not stand well within a cell.
    fn beside(&self, cell: Cell) -> impl Iterator<Item = &Body> {
        self.bodies.iter().filter(move |body| {
            let within = |v: f32, from: i8| {
                let v = v - f32::from(from);
                v.min(1.0 - v)
            };
            within(body.foot.0, cell.col).min(within(body.foot.1, cell.row)) < BORDER
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_hides_what_is_behind_it() {
        let keep = Bulk { round: 0.3, high: 0.5 };
        let body = Body { foot: (4.5, 6.7), bulk: keep, lean: (0.0, 0.8) };
        let silhouettes = Silhouettes { bodies: vec![body] };
        let (own, behind) = (Cell::new(4, 6), Cell::new(4, 7));
        assert!(silhouettes.reach(behind) && !silhouettes.reach(own) && !silhouettes.reach(Cell::new(4, 8)));
        assert!(silhouettes.hide(behind, (4.5, 7.2)), "where its top is seen");
        assert!(!silhouettes.hide(behind, (4.5, 7.8)), "beyond its top");
        assert!(!silhouettes.hide(behind, (4.95, 7.2)), "beside it");
    }
}
