//! A game that people enter and no camera sees: where figures may be put, and what the camera
//! has left open.

use super::session::Session;
use super::show::{cell_view, follower_view};
use super::view::{CellView, FigureView};
use crate::observation::Figure;
use crate::rules::{FigureKind, Move, Phase, SegmentAt};

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
    /// Where the player to move may put a figure now, in the order of the tile's segments; none
    /// while no tile of this turn lies.
    pub fn places(&self) -> Vec<PlaceView> {
        let position = self.game().position();
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
        for (segment, role) in position.claims() {
            for figure in position.figures() {
                let at = SegmentAt { cell, segment };
                let played = Move::Claim { player, at, figure };
                if !position.illegalities(&played).is_empty() {
                    continue;
                }
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
        }
        places
    }

    /// The camera is not asked any more: what only it could settle is not waited for.
    pub fn without_camera(&mut self) {
        self.no_board = None;
        self.hand = false;
        self.go_on();
    }
}
