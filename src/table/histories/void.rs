//! What was recorded as a turn may have been none: a hole between tiles read as one for a while, or what a
//! hand left did for a moment.

use super::line::Turn;
use super::recorded::Recorded;
use super::search::{History, Other, share_of};
use super::sight::Sight;
use super::state::{CLEARED, Histories, Recalled, SETTLED, likeliest_claim};
use crate::rules::{Cell, GamePosition, Player, Sentence, sentence};
use crate::table::doubts::Problem;
use crate::table::saying::Saying;
use crate::table::scribe::Scribe;

impl Histories {
    /// How the record would be if a turn was none that seems to have laid nothing: the later
    /// turns are those of the players before, all or up to the first that was out of turn, or are left.
    /// What people entered was one.
    pub(crate) fn voids(
        &self,
        recorded: &[Recorded],
        sight: &Sight<'_>,
        position: &dyn GamePosition,
    ) -> Vec<Other> {
        let players = position.players();
        let before = |player: Player| Player(((player.index() + players - 1) % players.max(1)) as u8);
        let mut all = Vec::new();
        for (i, r) in recorded.iter().enumerate().take(recorded.len().saturating_sub(1)) {
            if !sight.laid_nothing(&r.turn, position) || self.is_told(r.turn.cell) != (false, false) {
                continue;
            }
            let void = vec![(i, Turn { void: true, ..r.turn.clone() })];
            let moved = |(at, r): (usize, &Recorded)| {
                let player = before(r.turn.player);
                let mut now = Turn { player, extra: r.turn.extra.map(before), ..r.turn.clone() };
                now.claim = likeliest_claim(sight, &now);
                (at, now)
            };
            let later = || recorded.iter().enumerate().skip(i + 1);
            let in_turn =
                |(at, r): &(usize, &Recorded)| recorded[at - 1].turn.player == before(r.turn.player);
            let until = later().find(|turn| !in_turn(turn)).map(|(at, _)| at);
            for end in until.into_iter().filter(|at| *at > i + 1).chain([recorded.len()]) {
                all.push(void.iter().cloned().chain(later().take(end - i - 1).map(moved)).collect());
            }
            all.push(void);
        }
        all
    }
}

impl Scribe {
    /// Asks whether a turn was one, where histories in which it was none are not hopeless. `rest` are those
    /// in which all turns were.
    pub(super) fn doubt_voids(
        &mut self,
        recalled: &mut Recalled,
        voided: &[History],
        rest: &[History],
        problems: &mut Vec<(Problem, Sentence)>,
    ) {
        let of = |h: &History| h.other.iter().find(|(_, turn)| turn.void).map(|(i, turn)| (*i, turn.cell));
        let mut asked: Vec<(usize, Cell)> = voided.iter().filter_map(of).collect();
        asked.sort_unstable();
        asked.dedup();
        for (i, cell) in asked {
            let those: Vec<&History> = voided.iter().filter(|h| of(h) == Some((i, cell))).collect();
            let share = share_of(those.iter().copied(), rest);
            let problem = Problem::Void(cell);
            if 1.0 - share >= if self.doubts.is_said(problem) { CLEARED } else { SETTLED } {
                continue;
            }
            let Some(own) = recalled.recorded.get(i) else { continue };
            let (number, player) = (own.number, own.turn.player);
            let sentence = sentence!(
                "the tile in {} looks like the bare table; say whether turn {} laid it",
                cell,
                number
            );
            let events = self.game.events().len();
            if !self.doubts.offers(problem, &sentence, events) {
                let others = those.iter().map(|history| {
                    let mut says = vec![Saying::NotHappened(number)];
                    if history.other.len() > 1 {
                        says.push(Saying::InTurn);
                    }
                    (says, history.other.clone())
                });
                let others: Vec<(Vec<Saying>, Other)> = others.collect();
                let choices = recalled.choices(vec![Saying::Laid(player.index())], others);
                self.doubts.offer(problem, &sentence, events, choices);
            }
            problems.push((problem, sentence));
        }
    }
}
