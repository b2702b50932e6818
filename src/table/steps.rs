//! What players do in a step between two turns, as it is seen: a knight that leaves a besieged
//! city, a follower that comes from a quarter or is sent into one, the count that moves. What cannot
//! be told is asked.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::compare::Difference;
use super::doubts::{DoubtChoice, Problem};
use super::places::SeenDone;
use super::saying::{Asks, Saying};
use super::scribe::Scribe;
use crate::record::{EventKind, to_fact};
use crate::rules::{
    FeatureView, GamePosition, Move, Phase, Player, SegmentAt, Sentence, cell_name, sentence,
};

/// The most that is offered to choose from.
pub(super) const CHOICES: usize = 9;
/// After the last tile a step is taken as over when nothing has happened for so many times the
/// patience.
const LAST_CALM: f64 = 2.0;
/// A question of a step that nobody answers holds the record up for so many times the patience: it is
/// told then, and nothing is taken to have been done.
const UNANSWERED: f64 = 6.0;

impl Scribe {
    /// Goes on to the step that follows the running turn, where there is one and the next tile
    /// lies; in a step records what was seen to be done, or asks. Whether something was recorded.
    pub(super) fn take_step(
        &mut self,
        difference: &Difference,
        problems: &mut Vec<(Problem, Sentence)>,
    ) -> bool {
        let lies = !difference.new.is_empty();
        match self.position().phase() {
            Phase::Follower => {
                // Only where figures may leave a place is there something to see before the next tile.
                let may_see = lies || !self.position().named_places().is_empty();
                let after = self.after_turn().filter(|after| may_see && after.phase() == Phase::Step);
                after.is_some_and(|after| lies || self.has_left_a_place(after)) && self.end_turn()
            }
            Phase::Step => {
                let mut later = self.position().boxed();
                let passed = later.play(&Move::Pass { player: later.actor() }).is_ok();
                let is_last = self.is_last();
                let over = lies || is_last || self.is_scored() || passed && self.has_left_a_place(later);
                let since = difference.new.iter().map(|new| new.since).reduce(f64::min);
                let since = since.or(self.calm_since.filter(|_| is_last)).unwrap_or(self.now);
                self.do_step(over, since, problems)
            }
            _ => false,
        }
    }

    /// Whether no tile is left that could come next, and nothing has happened for a while.
    fn is_last(&self) -> bool {
        self.position().tiles_left() == 0 && self.is_calm(LAST_CALM * self.patience.before_doubt)
    }

    /// Whether nothing has happened for so many seconds.
    fn is_calm(&self, seconds: f64) -> bool {
        self.calm_since.is_some_and(|since| self.now - since >= seconds)
    }

    /// Whether a follower has gone home from what the newest tile completed, in a step before that is
    /// scored: the players have scored it.
    fn is_scored(&self) -> bool {
        let position = self.position();
        let redeploys = |m: &Move| matches!(m, Move::Redeploy { .. });
        let Some(cell) = position.last_cell().filter(|_| position.legal_moves(&[]).iter().any(redeploys))
        else {
            return false;
        };
        let around = position.features_around(cell);
        let completed = around.iter().filter(|f| f.is_complete()).flat_map(|f| f.segments.iter().copied());
        let completed: Vec<SegmentAt> = completed.collect();
        position.followers().iter().any(|f| {
            let at = SegmentAt { cell: f.cell, segment: f.segment };
            completed.contains(&at) && self.has_gone(f.player, at)
        })
    }

    /// `over` says whether the players have gone on, `since` since when there is nothing more to come.
    fn do_step(&mut self, over: bool, since: f64, problems: &mut Vec<(Problem, Sentence)>) -> bool {
        let position = self.position();
        let moves = position.legal_moves(&[]);
        let passes = Move::Pass { player: position.actor() };
        let seen = self.seen_done(&moves, over);
        tracing::debug!(self.now, since, over, moves = moves.len(), ?seen, "step");
        // After the last picture nothing more comes that could tell.
        let hasty = self.histories.hasty;
        let left = if let SeenDone::Left(places) = &seen { places.clone() } else { Vec::new() };
        let done = match seen {
            SeenDone::Done(played) => Some(played),
            SeenDone::Nothing if over => Some(passes.clone()),
            SeenDone::Nothing => return false,
            // What covers the places goes away, or the players have left them so.
            SeenDone::NotYet if !hasty && self.now - since < self.patience.before_doubt => return false,
            SeenDone::NotYet | SeenDone::Left(_) | SeenDone::Unclear => None,
        };
        if let Some((played, kind)) = done.and_then(|done| Some((done.clone(), to_fact(position, &done)?))) {
            let recorded = self.record(kind, 0.9);
            if let (true, Move::Redeploy { to, .. }) = (recorded, played) {
                // No turn put it there.
                self.histories.settle_figure(to.cell);
            }
            return recorded;
        }
        if over && (hasty || self.now - since >= UNANSWERED * self.patience.before_doubt) {
            return self.leave_step(&passes);
        }
        // A figure that went away and does not come is asked about while the players are still there.
        let asks = over || !left.is_empty() && self.is_calm(self.patience.settle);
        asks && self.ask_step(&moves, &left, &passes, problems)
    }

    /// Which of the moves of a step is seen to have been made.
    fn seen_done(&self, moves: &[Move], over: bool) -> SeenDone {
        let returns = |m: &&Move| matches!(m, Move::Return { .. });
        if !moves.iter().any(|m| returns(&m)) {
            return self.done_in_places(moves, over);
        }
        let seen: Vec<&Move> = moves.iter().filter(|played| self.was_done(played)).collect();
        let all = moves.iter().all(|m| returns(&m) || matches!(m, Move::Pass { .. }));
        match seen[..] {
            [one] => SeenDone::Done(one.clone()),
            [] if all => SeenDone::Nothing,
            _ => SeenDone::Unclear,
        }
    }

    /// Asks what was done in the step that is open, in which figures are seen to have left some places.
    /// Whether the players have left the question: then nothing was done in it.
    fn ask_step(
        &mut self,
        moves: &[Move],
        left: &[SegmentAt],
        passes: &Move,
        problems: &mut Vec<(Problem, Sentence)>,
    ) -> bool {
        let position = self.position();
        let Some(question) = position.step_question(self.game.names()) else { return false };
        // Each step is another question.
        let cell = position.last_cell().map(cell_name).unwrap_or_default();
        let sentence =
            sentence!("{} The record waits for the answer, since the tile in {} was laid", question, cell);
        if self.doubts.is_left(Problem::Asked, &sentence) {
            return to_fact(position, passes).is_some_and(|kind| self.record(kind, 0.5));
        }
        let events = self.game.events().len();
        if !self.doubts.offers(Problem::Asked, &sentence, events) {
            let choice = |played: &Move| {
                let kind = to_fact(position, played)?;
                Some(DoubtChoice { says: vec![self.step_says(position, played, &kind)], kinds: vec![kind] })
            };
            let mut choices: Vec<DoubtChoice> =
                choices(position, moves, left).into_iter().filter_map(choice).collect();
            // Two features of a tile may reach the same sides: the number of the segment tells them apart.
            let says: Vec<Vec<Saying>> = choices.iter().map(|choice| choice.says.clone()).collect();
            for choice in &mut choices {
                if says.iter().filter(|other| **other == choice.says).count() > 1 {
                    let told = choice.kinds.iter().map(|kind| Saying::Told(self.game.describe(kind)));
                    choice.says = told.collect();
                }
            }
            self.doubts.offer(Problem::Asked, &sentence, events, choices);
        }
        problems.push((Problem::Asked, sentence));
        false
    }

    /// Takes it that nothing was done in the steps before the end is scored, where no tile is left that could
    /// come: nobody is there to say any more.
    pub(super) fn leave_last_steps(&mut self) {
        while self.position().tiles_left() == 0 && self.position().phase() == Phase::Step {
            let passes = Move::Pass { player: self.position().actor() };
            if !self.leave_step(&passes) {
                break;
            }
        }
    }

    /// Takes it that nothing was done in a step of which nobody said what was, and says so.
    fn leave_step(&mut self, passes: &Move) -> bool {
        let position = self.position();
        let question = position.step_question(self.game.names());
        let Some(cell) = position.last_cell() else { return false };
        let fact = to_fact(position, passes);
        let done = fact.is_some_and(|kind| self.record(kind, 0.5));
        if let (true, Some(question)) = (done, question) {
            let sentence =
                sentence!("{} Nobody said, and it is taken as no; correct it if it was not", question);
            self.doubt_now(sentence, cell, Asks::Said);
        }
        done
    }

    /// What a move of a step is.
    fn step_says(&self, position: &dyn GamePosition, played: &Move, kind: &EventKind) -> Saying {
        let place = |at: SegmentAt| position.place_name(at).map(str::to_owned);
        match played {
            Move::Pass { .. } => Saying::No,
            Move::Claim { at, figure, .. } => Saying::FigureAt(*figure, place(*at)),
            Move::Redeploy { from, to, figure, .. } => {
                let lies = position.tile_at(to.cell);
                let on = lies.map(|(tile, rotation)| self.segment_view(tile, rotation, to.segment));
                let from = place(*from).unwrap_or_else(|| cell_name(from.cell));
                Saying::FigureTo(*figure, from, on.unwrap_or_default(), to.cell)
            }
            Move::MoveNeutral { to, .. } => {
                Saying::Told(place(*to).map_or_else(|| sentence!("there"), |place| Sentence::word(&place)))
            }
            _ => Saying::Told(self.game.wording().told(kind)),
        }
    }

    /// Whether a move of a step was seen to be done.
    fn was_done(&self, played: &Move) -> bool {
        match played {
            Move::Return { player, at, .. } => self.has_gone(*player, *at),
            _ => false,
        }
    }

    /// Whether a player's figure that the record has on a tile was seen there and is gone.
    fn has_gone(&self, player: Player, at: SegmentAt) -> bool {
        let sight = self.histories.sight(self.patience, self.now);
        let Some(seen) = sight.evidence.of(at.cell) else { return false };
        let own: Vec<_> = sight.pieces(seen).filter(|piece| piece.player() == player.0).collect();
        !own.is_empty() && own.iter().all(|piece| piece.is_gone(&self.patience))
    }
}

/// The moves of a step that are offered to choose from. A figure may go to each tile of a feature, which
/// is all one to the rules: each feature is offered once. Those of figures that are seen to have left
/// their place come first, of them those to large features; that nothing was done is always offered.
pub(super) fn choices<'m>(
    position: &dyn GamePosition,
    moves: &'m [Move],
    left: &[SegmentAt],
) -> Vec<&'m Move> {
    let mut features: Vec<FeatureView> = Vec::new();
    let mut offered = BTreeSet::new();
    let mut choices: Vec<((bool, Reverse<usize>), &Move)> = Vec::new();
    for played in moves {
        let Move::Redeploy { player, from, to, figure } = played else {
            choices.push(((false, Reverse(usize::MAX)), played));
            continue;
        };
        let holds = |f: &FeatureView| f.segments.contains(to);
        let feature = features.iter().position(holds).or_else(|| {
            features.push(position.features_around(to.cell).into_iter().find(holds)?);
            Some(features.len() - 1)
        });
        let Some(feature) = feature.filter(|f| offered.insert((*player, *from, *f, *figure))) else {
            continue;
        };
        choices.push(((!left.contains(from), Reverse(features[feature].cells.len())), played));
    }
    choices.sort_by_key(|choice| choice.0);
    let (passes, done): (Vec<&Move>, Vec<&Move>) =
        choices.into_iter().map(|choice| choice.1).partition(|m| matches!(m, Move::Pass { .. }));
    done.into_iter().take(CHOICES - passes.len()).chain(passes).collect()
}
