//! What a live table knew of a film and when, held against what was played.

use super::games_report::{Counts, GameRow};
use super::out::talk;
use crate::record::{EventKind, Game, Match, align, align_scores, are_one_feature};
use crate::rules::{Cell, Deck, Rotation, Score};
use crate::studio::{Hazard, Script};
use crate::table::{Session, Status};

/// What is recorded so long after it could be seen is right at once, seconds of the film: the
/// table's patience with a completed feature, and as long again for a hand in between.
const AT_ONCE: f64 = 6.0;

/// What the table knew at a time.
pub(super) struct Known {
    pub t: f64,
    facts: Vec<EventKind>,
    scores: Vec<Score>,
    /// What is asked: the cell, `None` where the question is of no cell.
    pub doubts: Vec<Option<Cell>>,
}

impl Known {
    pub(super) fn of(session: &Session, t: f64) -> Known {
        let game = session.game();
        let mut doubts: Vec<Option<Cell>> = session.doubts().into_iter().map(|d| d.cell).collect();
        if matches!(session.status(), Status::OutOfStep(_) | Status::TilesGone(_) | Status::NoBoard(_)) {
            doubts.push(None);
        }
        Known {
            t,
            facts: game.facts().into_iter().map(|(_, kind)| kind).collect(),
            scores: game.scores().iter().map(|s| s.score.clone()).collect(),
            doubts,
        }
    }

    /// Whether something is asked that may be about some cells.
    fn doubts_of(&self, cells: &[Cell]) -> bool {
        self.doubts.iter().any(|d| d.is_none_or(|cell| cells.contains(&cell)))
    }
}

/// What was counted in turns with the same hazards.
pub(super) type UnderHazards = (Vec<Hazard>, Counts);

/// Holds what the table knew against what was played.
pub(super) struct Judge<'a> {
    pub script: &'a Script,
    pub truth: &'a Game,
    pub deck: &'a Deck,
    pub known: &'a [Known],
    /// Whether what was not right at once is told on stderr.
    pub details: bool,
    /// Seconds from when a tile could be seen to its turn in the record.
    pub delays: Vec<f64>,
}

impl Judge<'_> {
    /// Fills the row's counts and gives those of each turn with its hazards.
    pub(super) fn turns(&mut self, row: &mut GameRow) -> Vec<UnderHazards> {
        let played: Vec<EventKind> = self.truth.facts().into_iter().map(|(_, kind)| kind).collect();
        let Some(last) = self.known.last() else { return Vec::new() };
        let alike = |a: (&str, Rotation), b: (&str, Rotation)| shows_same(self.deck, a, b);
        let are_one = |a, b| are_one_feature(self.truth.position(), a, b);
        let end = align(&played, &last.facts, alike, are_one);
        let at_end = |i: usize| end.played[i].is_some_and(|m| m.0 == Match::Right);
        let mut by: Vec<UnderHazards> = self
            .script
            .turns
            .iter()
            .map(|t| (t.hazards.clone(), Counts { turns: 1, ..Counts::default() }))
            .collect();
        let mut turn = 0;
        // What is done between two turns is known when the next tile lies.
        let mut between = false;
        for (i, fact) in played.iter().enumerate() {
            // What is done after the last turn is known when the players pack up.
            let after_last = turn >= by.len();
            let at = turn.min(by.len().saturating_sub(1));
            let Some((times, (_, counts))) = self.script.turns.get(at).zip(by.get_mut(at)) else { break };
            let next_tile = if after_last { Some(self.script.packed_up - AT_ONCE) } else { times.tile };
            let (t, cell, events) = match fact {
                EventKind::TurnEnded { .. } => {
                    (turn, between) = (turn + 1, true);
                    continue;
                }
                EventKind::TilePlaced { cell, .. } => {
                    between = false;
                    (times.tile, *cell, &mut counts.tiles)
                }
                EventKind::FollowerPlaced { cell, .. } if between => (next_tile, *cell, &mut counts.figures),
                EventKind::FollowerPlaced { cell, .. } => (times.follower, *cell, &mut counts.figures),
                EventKind::FigureReturned { at: to, .. }
                | EventKind::FigureMoved { to, .. }
                | EventKind::NeutralMoved { to, .. } => (next_tile, to.cell, &mut counts.figures),
                _ => continue,
            };
            let seen_at = t.unwrap_or(times.over);
            let known = self.at(seen_at + AT_ONCE);
            let right = known.is_some_and(|k| {
                align(&played, &k.facts, alike, are_one).played[i].is_some_and(|m| m.0 == Match::Right)
            });
            let doubted = known.is_some_and(|k| k.doubts_of(&[cell]));
            events.take(right, doubted, at_end(i));
            if self.details && !right {
                let what = self.truth.wording().sentence(fact);
                talk!(
                    "{}, turn {}: not at once: {what}{}",
                    row.name,
                    turn + 1,
                    if doubted { " (doubted)" } else { "" }
                );
            }
            if matches!(fact, EventKind::TilePlaced { .. }) {
                let first = self
                    .known
                    .iter()
                    .find(|k| k.facts.iter().any(|f| same_tile(f, fact, &alike)))
                    .filter(|k| k.t < f64::MAX);
                self.delays.extend(first.map(|k| (k.t - seen_at).max(0.0)));
            }
        }
        self.scores(row, &mut by);
        for (_, counts) in &by {
            row.counts.add(counts);
        }
        row.counts.tiles.false_ones = end.false_tiles.len() as u32;
        row.counts.figures.false_ones = end.false_figures.len() as u32;
        by
    }

    /// Scores of the turns; the final scoring follows from the facts and is in the totals.
    fn scores(&self, row: &mut GameRow, by: &mut [(Vec<Hazard>, Counts)]) {
        let played: Vec<Score> = self.truth.scores().iter().map(|s| s.score.clone()).collect();
        let Some(last) = self.known.last() else { return };
        let (end, false_ones) = align_scores(&played, &last.scores);
        row.counts.scores.false_ones = false_ones.len() as u32;
        for (i, score) in self.truth.scores().iter().enumerate() {
            let turn = (score.turn as usize).saturating_sub(1);
            let Some((times, (_, counts))) = self.script.turns.get(turn).zip(by.get_mut(turn)) else {
                continue;
            };
            let known = self.at((times.over + AT_ONCE).min(self.script.packed_up));
            let right = known.is_some_and(|k| align_scores(&played, &k.scores).0[i] == Match::Right);
            let doubted = known.is_some_and(|k| k.doubts_of(&score.score.cells));
            counts.scores.take(right, doubted, end[i] == Match::Right);
            if self.details && !right {
                talk!(
                    "{}, turn {}: not at once: {}{}",
                    row.name,
                    score.turn,
                    score.score.sentence,
                    if doubted { " (doubted)" } else { "" }
                );
            }
        }
    }

    /// What the table knew at a time.
    fn at(&self, t: f64) -> Option<&Known> {
        self.known.iter().rev().find(|k| k.t <= t)
    }
}

fn same_tile(
    recorded: &EventKind,
    played: &EventKind,
    alike: &impl Fn((&str, Rotation), (&str, Rotation)) -> bool,
) -> bool {
    match (recorded, played) {
        (
            EventKind::TilePlaced { tile: a, cell: at, rotation: r, .. },
            EventKind::TilePlaced { tile: b, cell, rotation, .. },
        ) => at == cell && alike((a, *r), (b, *rotation)),
        _ => false,
    }
}

/// Whether two tiles, turned, show the same to the rules.
pub(super) fn shows_same(deck: &Deck, a: (&str, Rotation), b: (&str, Rotation)) -> bool {
    let face = |(id, turn): (&str, Rotation)| {
        let tile = deck.tiles.iter().find(|t| t.id == id)?;
        Some(tile.face.as_ref()?.turned(turn).ordered())
    };
    a == b || face(a).is_some_and(|a| Some(a) == face(b))
}

/// 0 of nothing.
pub(super) fn quantile(of: &mut [f64], share: f64) -> f64 {
    of.sort_by(f64::total_cmp);
    let last = of.len().saturating_sub(1);
    of.get((last as f64 * share).round() as usize).copied().unwrap_or(0.0)
}
