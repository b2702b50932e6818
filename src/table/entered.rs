//! A game that people enter and no camera sees: where figures may be put, and what the camera
//! has left open.

use super::session::Session;
use super::show::{cell_view, follower_view};
use super::view::{CellView, FigureView};
use crate::observation::Figure;
use crate::rules::{FigureKind, Move, Phase, SegmentAt};

/// The most moves of a step that are offered: a key each.
const MOST_STEPS: usize = 9;

/// A place for a figure on the tile of this turn.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceView {
    /// The move that puts it there.
    pub played: Move,
    /// What it would be there: `knight on the tower (north)`.
    pub words: String,
    /// Where its foot would be.
    pub foot: FigureView,
    /// The tile with the figure on it.
    pub cell: CellView,
}

impl Session {
    /// Where the player to move may put a figure now, in the order of the tile's segments, or
    /// what may be done in a step; none while no tile of this turn lies.
    pub fn places(&self) -> Vec<PlaceView> {
        let position = self.game().position();
        if position.phase() == Phase::Step {
            return self.step_places();
        }
        let (Phase::Follower, Some(cell)) = (position.phase(), position.last_cell()) else {
            return Vec::new();
        };
        let player = position.to_move();
        let Some(((tile, rotation), view)) =
            position.tile_at(cell).zip(cell_view(self.game(), &self.anchors, cell))
        else {
            return Vec::new();
        };
        let mut places = Vec::new();
        let mut claims: Vec<(u8, FigureKind)> = position
            .legal_moves(&[])
            .into_iter()
            .filter_map(|played| match played {
                Move::Claim { at, figure, .. } if at.cell == cell => Some((at.segment, figure)),
                _ => None,
            })
            .collect();
        claims.sort_by_key(|(segment, _)| *segment);
        for (segment, figure) in claims {
            let at = SegmentAt { cell, segment };
            let Some(role) = position.role_at(at) else { continue };
            let played = Move::Claim { player, at, figure };
            let place = self.scribe.place_words(tile, rotation, segment);
            let role = position.role_word(role);
            let words = if figure == FigureKind::FOLLOWER {
                format!("{role} on the {place}")
            } else {
                format!("{} as {role} on the {place}", figure.word())
            };
            let foot = follower_view(&self.anchors, (tile, rotation), player, segment);
            let mut cell = view.clone();
            cell.figures.retain(|f| f.figure != Figure::Keep);
            cell.figures.push(foot);
            places.push(PlaceView { played, words, foot, cell });
        }
        places
    }

    /// What may be done in a step after the turn's tile and figure, as it is typed; to do nothing
    /// comes first.
    fn step_places(&self) -> Vec<PlaceView> {
        let position = self.game().position();
        let mut moves = position.legal_moves(&[]);
        moves.rotate_right(1);
        let view = |played: Move| {
            let at = match played {
                Move::Claim { at, .. } | Move::Return { at, .. } => at,
                Move::Redeploy { to, .. } | Move::MoveNeutral { to, .. } => to,
                _ => SegmentAt { cell: position.last_cell()?, segment: 0 },
            };
            let lies = position.tile_at(at.cell)?;
            let foot = follower_view(&self.anchors, lies, position.actor(), at.segment);
            let cell = cell_view(self.game(), &self.anchors, at.cell)?;
            Some(PlaceView { words: position.write_move(&played), played, foot, cell })
        };
        moves.into_iter().take(MOST_STEPS).filter_map(view).collect()
    }

    /// The camera is not asked any more: what only it could settle is not waited for.
    pub fn without_camera(&mut self) {
        self.no_board = None;
        self.hand = false;
        self.go_on();
    }
}
