//! From some turn on other players may have laid than the record has it.

use super::line::Turn;
use super::recorded::Recorded;
use super::search::{History, Other, share_of};
use super::sight::Sight;
use super::state::{CLEARED, Histories, Recalled, SETTLED, STRANGE, likeliest_claim};
use crate::rules::{Cell, Move, Player, Sentence, sentence};
use crate::table::doubts::Problem;
use crate::table::saying::Saying;
use crate::table::scribe::Scribe;

/// So many turns are tried as the one from which on others laid.
const SHIFTS: usize = 3;
/// So many turns of other players in one history are a shift: of one turn alone it is asked what was
/// done in it.
const SHIFT: usize = 2;

impl Histories {
    /// How the record would be if from some turn on other players had laid: as one laid twice in a
    /// row, a turn was not seen, or what was taken for one was none. Offered from those turns on from
    /// which more figures are surely theirs than the turn's.
    pub(crate) fn shifts(&self, recorded: &[Recorded], sight: &Sight<'_>, players: usize) -> Vec<Other> {
        // Whose figure surely stands on the tile of a turn.
        let whose = |r: &Recorded| -> Option<Player> {
            let seen = sight.evidence.of(r.turn.cell)?;
            let surely = sight.pieces(seen).find(|p| p.is_of(p.player()) > 1.0 - STRANGE)?;
            Some(Player(surely.player()))
        };
        let figures: Vec<Option<Player>> = recorded.iter().map(whose).collect();
        let mut all = Vec::new();
        for by in 1..players {
            let shifted = |player: Player| Player(((player.index() + by) % players) as u8);
            // For each turn how many more figures from it on are the other player's than not.
            let mut strange = 0;
            let mut starts: Vec<(i32, usize)> = Vec::new();
            for (i, turn) in recorded.iter().enumerate().skip(1).rev() {
                strange += match figures[i] {
                    Some(figure) if figure == turn.turn.player => -1,
                    Some(figure) if figure == shifted(turn.turn.player) => 1,
                    _ => 0,
                };
                if strange > 0 {
                    starts.push((strange, i));
                }
            }
            // Of those that explain as many, the latest: nothing tells of the turns before.
            starts.sort_by_key(|(strange, i)| (-strange, std::cmp::Reverse(*i)));
            starts.dedup_by_key(|(strange, _)| *strange);
            for (_, first) in starts.into_iter().take(SHIFTS) {
                let again = recorded.iter().enumerate().skip(first).map(|(i, r)| {
                    let player = shifted(r.turn.player);
                    let mut now = Turn { player, extra: r.turn.extra.map(shifted), ..r.turn.clone() };
                    now.claim = likeliest_claim(sight, &now);
                    (i, now)
                });
                let again: Other = again.collect();
                // With what gives another turn, or against the rules.
                if by + 1 == players {
                    let before = recorded[first - 1].turn.clone();
                    let mut after = before.after.clone();
                    after.push(Move::Use { player: before.player, number: 1, on: None });
                    let used = std::iter::once((first - 1, Turn { after, ..before }));
                    all.push(used.chain(again.clone()).collect());
                }
                all.push(again);
            }
        }
        all
    }
}

/// The turn of a history from which on other players laid, with its index; `None` where the history
/// is no shift.
pub(super) fn shift<'a>(recalled: &Recalled, other: &'a Other) -> Option<&'a (usize, Turn)> {
    let is_other = |(i, turn): &&(usize, Turn)| {
        recalled
            .recorded
            .get(*i)
            .is_some_and(|own| own.turn.cell == turn.cell && own.turn.player != turn.player)
    };
    let mut others = other.iter().filter(is_other);
    let first = others.next()?;
    (others.count() + 1 >= SHIFT).then_some(first)
}

impl Scribe {
    /// Asks who laid from a turn on, where histories in which others did are not hopeless: one
    /// question for all those turns. `rest` are the other histories.
    pub(super) fn doubt_shifts(
        &mut self,
        recalled: &mut Recalled,
        shifted: &[History],
        rest: &[History],
        problems: &mut Vec<(Problem, Sentence)>,
    ) {
        let share = share_of(shifted.iter(), rest);
        let of = |h: &History| shift(recalled, &h.other).map(|(i, turn)| (*i, turn.cell, turn.player));
        let starts: Vec<(usize, Cell, Player)> = shifted.iter().filter_map(of).collect();
        // What is asked stays where it is.
        let asked = starts.iter().find(|s| self.doubts.is_said(Problem::Shift(s.1)));
        let Some(&(first, cell, _)) = asked.or(starts.first()) else { return };
        let problem = Problem::Shift(cell);
        let least = if self.doubts.is_said(problem) { CLEARED } else { SETTLED };
        if 1.0 - share >= least {
            return;
        }
        let own = recalled.recorded[first].turn.player;
        let sentence = sentence!(
            "{} laid the tile in {} by the record, but followers on it and on later tiles are not of those who \
             laid them; say who laid it",
            self.name(own),
            cell
        );
        let events = self.game.events().len();
        if !self.doubts.offers(problem, &sentence, events) {
            let others = shifted.iter().zip(&starts).filter(|(_, start)| start.1 == cell);
            let others = others.map(|(history, start)| {
                let mut says = vec![Saying::Laid(start.2.index()), Saying::InTurn];
                let gave = |(i, turn): &(usize, Turn)| {
                    *i + 1 == first && turn.after.len() > recalled.recorded[*i].turn.after.len()
                };
                if history.other.iter().any(gave) {
                    says.push(Saying::GaveTurn(self.position().prize_word(1)));
                }
                (says, history.other.clone())
            });
            let others: Vec<(Vec<Saying>, Other)> = others.collect();
            let choices = recalled.choices(vec![Saying::Laid(own.index())], others);
            self.doubts.offer(problem, &sentence, events, choices);
        }
        problems.push((problem, sentence));
    }
}

/// The index of the first turn that a question about who laid from some turn on is about, if one is
/// among what does not fit: figures on its tile and on later ones are explained by that.
pub(super) fn first_shifted(recalled: &Recalled, problems: &[(Problem, Sentence)]) -> Option<usize> {
    let asked = problems.iter().find_map(|p| match p.0 {
        Problem::Shift(cell) => Some(cell),
        _ => None,
    })?;
    recalled.recorded.iter().position(|r| r.turn.cell == asked)
}
