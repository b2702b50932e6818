//! What is kept from look to look to weigh histories by.

use std::collections::BTreeSet;

use super::evidence::Evidence;
use super::faces::Faces;
use super::line::{Line, Turn};
use super::recorded::{Recorded, turns};
use super::sight::Sight;
use super::weights::Weights;
use crate::record::{EventKind, Game};
use crate::rules::{Cell, Deck};
use crate::table::doubts::Problem;
use crate::table::steady::Patience;

/// What does not fit, with the sentence for it.
type Unfit = (Problem, String);

/// What is kept from look to look to weigh histories by.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    pub evidence: Evidence,
    faces: Faces,
    weights: Weights,
    /// Where people said which tile lies, and which figure stands or that none does.
    tiles: BTreeSet<Cell>,
    figures: BTreeSet<Cell>,
    recalled: Option<Recalled>,
    /// By how many events the record was recalled.
    events: usize,
    /// When histories were weighed last, with how many events, and what did not fit then.
    pub weighed: Option<(f64, usize, Vec<Unfit>)>,
    /// When orders of new tiles were looked for last, of which cells, and what did not fit.
    pub tried: Option<(f64, Vec<Cell>, Vec<Unfit>)>,
    /// How the likeliest history differs from the record, and since when.
    pub pending: Option<(Vec<(usize, Turn)>, f64)>,
}

/// The record as a history.
#[derive(Debug)]
pub(crate) struct Recalled {
    pub line: Line,
    pub recorded: Vec<Recorded>,
    /// Whether the last turn has ended.
    pub ended: bool,
}

impl Histories {
    pub(crate) fn new(deck: &Deck) -> Histories {
        Histories { faces: Faces::new(deck), events: usize::MAX, ..Histories::default() }
    }

    pub(crate) fn sight(&self, patience: Patience, now: f64) -> Sight<'_> {
        Sight { evidence: &self.evidence, faces: &self.faces, weights: &self.weights, patience, now }
    }

    /// The record as a history, as it is now; to be given back by [`Histories::keep`].
    pub(crate) fn recall(&mut self, game: &Game) -> Option<Recalled> {
        if self.events == game.events().len() {
            return self.recalled.take();
        }
        self.events = game.events().len();
        let line = self.recalled.take().map(|r| r.line);
        let recorded = turns(game)?;
        let mut line = line.unwrap_or_else(|| Line::new(game.start_position(), game.names().clone()));
        let ended = recorded.last().is_some_and(|t| t.end.is_some());
        let turns: Vec<Turn> = recorded.iter().map(|r| r.turn.clone()).collect();
        line.become_like(&turns, ended).then_some(Recalled { line, recorded, ended })
    }

    pub(crate) fn keep(&mut self, recalled: Recalled) {
        self.recalled = Some(recalled);
    }

    /// Takes note of what people entered: `was` is the fact that it is about.
    pub(crate) fn told(&mut self, kind: &EventKind, was: Option<&EventKind>) {
        match kind {
            EventKind::TilePlaced { cell, .. } => drop(self.tiles.insert(*cell)),
            EventKind::FollowerPlaced { cell, .. } => drop(self.figures.insert(*cell)),
            EventKind::Inserted { fact, .. } => self.told(fact, None),
            EventKind::Correction { instead, .. } => {
                if let Some(kind) = instead {
                    self.told(kind, None);
                }
                if let Some(EventKind::FollowerPlaced { cell, .. }) = was {
                    self.figures.insert(*cell);
                }
            }
            _ => {}
        }
    }

    /// Whether people said which tile lies in a cell, and which figure stands there.
    pub(crate) fn is_told(&self, cell: Cell) -> (bool, bool) {
        (self.tiles.contains(&cell), self.figures.contains(&cell))
    }

    /// People have said what lies and stands in a cell.
    pub(crate) fn settle(&mut self, cell: Cell) {
        self.tiles.insert(cell);
        self.figures.insert(cell);
    }

    /// What people said of a cell holds no more: its tile is gone.
    pub(crate) fn forget(&mut self, cell: Cell) {
        self.tiles.remove(&cell);
        self.figures.remove(&cell);
    }
}
