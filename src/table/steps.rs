//! What players do in a step between two turns, as it is seen: a knight that leaves a besieged
//! city. What cannot be seen is asked.

use super::compare::Difference;
use super::doubts::{DoubtChoice, Problem};
use super::saying::Saying;
use super::scribe::Scribe;
use crate::record::{EventKind, to_fact};
use crate::rules::{GamePosition, Move, Phase, Player, SegmentAt, Sentence, cell_name, sentence};

/// The most that is offered to choose from.
const CHOICES: usize = 9;

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
            Phase::Follower if lies => {
                self.after_turn().is_some_and(|after| after.phase() == Phase::Step) && self.end_turn()
            }
            Phase::Step => self.do_step(lies, problems),
            _ => false,
        }
    }

    fn do_step(&mut self, next_lies: bool, problems: &mut Vec<(Problem, Sentence)>) -> bool {
        let position = self.position();
        let moves = position.legal_moves(&[]);
        let seen: Vec<&Move> = moves.iter().filter(|played| self.was_done(played)).collect();
        let passes = Move::Pass { player: position.actor() };
        let done = match seen[..] {
            [one] => Some(one),
            [] if next_lies && moves.iter().all(|m| *m == passes || can_be_seen(m)) => Some(&passes),
            _ => None,
        };
        if let Some(kind) = done.and_then(|done| to_fact(position, done)) {
            return self.record(kind, 0.9);
        }
        next_lies && self.ask_step(&moves, &passes, problems)
    }

    /// Asks what was done in the step that is open. Whether the players have left the question:
    /// then nothing was done in it.
    fn ask_step(&mut self, moves: &[Move], passes: &Move, problems: &mut Vec<(Problem, Sentence)>) -> bool {
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
            let choices = moves.iter().filter_map(choice).take(CHOICES).collect();
            self.doubts.offer(Problem::Asked, &sentence, events, choices);
        }
        problems.push((Problem::Asked, sentence));
        false
    }

    /// What a move of a step is.
    fn step_says(&self, position: &dyn GamePosition, played: &Move, kind: &EventKind) -> Saying {
        let place = |at: SegmentAt| position.place_name(at).map(str::to_owned);
        match played {
            Move::Pass { .. } => Saying::No,
            Move::Claim { at, figure, .. } => Saying::FigureAt(*figure, place(*at)),
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

/// Whether a camera sees that a move of a step is done.
fn can_be_seen(played: &Move) -> bool {
    matches!(played, Move::Return { .. })
}
