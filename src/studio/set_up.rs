//! The players' own pieces, put into the empty wall to be photographed before the first game.

use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::pieces::PieceKind;
use super::pieces::Pieces;
use super::random_scene::{ArrangedFigure, Board};
use super::scene::StandingWall;
use super::sets::random_wall;
use super::style::Style;
use super::wall_art::draw_wall;
use crate::rules::Cell;

/// Pieces lie at least so many cells apart, along a row or a column.
const APART: u8 = 2;

/// The wall of a board with nothing in it but a follower that stands, one that lies and the
/// keep of each player, none beside the wall and about a hand's breadth apart. There are
/// fewer where the wall has no room for them.
pub fn set_up(board: &Board, seed: u64) -> Board {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let cells = board.wall.as_ref().map(|standing| standing.wall.cells()).unwrap_or_default();
    let players = board.colours.len() as u8;
    let kinds = [(PieceKind::Follower, false), (PieceKind::Follower, true), (PieceKind::Keep, false)];
    let wanted: Vec<(u8, PieceKind, bool)> =
        (0..players).flat_map(|p| kinds.map(|(figure, lying)| (p, figure, lying))).collect();
    // Not every order of free cells leaves room for all.
    const TRIES: usize = 200;
    let mut taken: Vec<Cell> = Vec::new();
    for _ in 0..TRIES {
        let mut free: Vec<Cell> = cells.iter().copied().filter(|cell| is_inner(*cell, &cells)).collect();
        free.shuffle(&mut rng);
        let mut places: Vec<Cell> = Vec::new();
        for cell in free {
            if places.iter().all(|p| p.col.abs_diff(cell.col).max(p.row.abs_diff(cell.row)) >= APART) {
                places.push(cell);
            }
        }
        places.truncate(wanted.len());
        if places.len() > taken.len() {
            taken = places;
        }
        if taken.len() == wanted.len() {
            break;
        }
    }
    let figures: Vec<ArrangedFigure> = wanted
        .into_iter()
        .zip(taken)
        .map(|((player, figure, lying), cell)| {
            let mut place = || rng.random_range(0.35..0.65);
            (figure, player, cell, None, (place(), place()), lying)
        })
        .collect();
    Board {
        wall: board.wall.clone(),
        colours: board.colours.clone(),
        pieces: board.pieces,
        figures,
        ..Board::default()
    }
}

/// Pieces of a make and size made up, of these paints (sRGB), as [`set_up`] puts them into a
/// wall that is made up too.
pub fn random_set_up(colours: &[[u8; 3]], seed: u64) -> Board {
    const PX_PER_TILE: u32 = 96;
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let wall = random_wall(rng.random());
    let drawn = draw_wall(&wall, &Style::random(rng.random()), PX_PER_TILE);
    let standing = StandingWall {
        wall,
        picture: drawn.image,
        px_per_tile: PX_PER_TILE as f32,
        origin_px: drawn.origin_px,
        height: rng.random_range(0.04..0.2),
    };
    let board = Board {
        wall: Some(Arc::new(standing)),
        colours: colours.to_vec(),
        pieces: Pieces::random(rng.random()),
        ..Board::default()
    };
    set_up(&board, rng.random())
}

/// Whether the four cells beside a cell are inside the wall too.
fn is_inner(cell: Cell, cells: &[Cell]) -> bool {
    let beside = |dc: i8, dr: i8| cells.contains(&Cell::new(cell.col + dc, cell.row + dr));
    beside(1, 0) && beside(-1, 0) && beside(0, 1) && beside(0, -1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_pieces_lie_apart_inside_the_wall() {
        for seed in 0..5 {
            let pieces = random_set_up(&[[200, 30, 30], [30, 60, 200]], seed);
            assert_eq!(pieces.figures.len(), 6);
            assert_eq!(pieces.figures.iter().filter(|f| f.0 == PieceKind::Keep).count(), 2);
            assert_eq!(pieces.figures.iter().filter(|f| f.5 && f.1 == 1).count(), 1);
            for (i, a) in pieces.figures.iter().enumerate() {
                for b in &pieces.figures[..i] {
                    assert!(a.2.col.abs_diff(b.2.col).max(a.2.row.abs_diff(b.2.row)) >= APART);
                }
            }
        }
        assert!(set_up(&Board::default(), 1).figures.is_empty());
    }
}
