//! What would bring a total to where its player's marker stands: offered, and taken unasked
//! only where an open doubt offers the same.

use super::line::{Line, Outline, Turn};
use super::recorded::rewritten;
use super::search::{HOPELESS, Other, Weigher};
use super::state::Recalled;
use crate::record::EventKind;
use crate::rules::{Cell, GamePosition, Move, Player, Sentence, cell_name, sentence};
use crate::table::doubts::{DoubtChoice, Problem};
use crate::table::markers::Elsewhere;
use crate::table::saying::Saying;
use crate::table::scribe::Scribe;

/// So many turns back from when it was seen is looked for a turn that was another: a follower
/// is put down long before it scores.
const LATEST: usize = 24;
/// A marker may be moved so many turns late, two that were played in one look among them.
const LATE: usize = 3;
/// The most that is offered, beside the record's own.
const CHOICES: usize = 3;
/// How sure a turn counts that a marker and what was seen agree on.
const BOTH: f32 = 0.95;
/// What several markers say may be so many times less likely by what was seen than what is hopeless
/// by that alone: a colour that was misread, say.
const AGAINST_SIGHT: f32 = 2.0;

impl Scribe {
    /// Says which markers stand elsewhere than the record has them, with what one turn may
    /// have been otherwise so that they do not.
    pub(crate) fn doubt_markers(&mut self, elsewhere: &[Elsewhere], problems: &mut Vec<(Problem, Sentence)>) {
        if self.take_order_of(elsewhere) {
            return;
        }
        for marker in elsewhere {
            let problem =
                if marker.sure { Problem::Marker(marker.player) } else { Problem::Hint(marker.player) };
            if !marker.sure && !self.doubts.is_unsure() {
                continue;
            }
            let events = self.game.events().len();
            let mut sentence = marker.sentence(&self.game);
            if !self.doubts.offers(problem, &sentence, events) {
                let choices = self.as_marked(marker, elsewhere);
                self.doubts.offer(problem, &sentence, events, choices);
            }
            // Of several scores one after another moves a marker.
            let waits = |t: f64| self.now - t < self.patience.before_doubt;
            let stands = marker.rests && (!marker.sure || !self.doubts.since(problem).is_none_or(waits));
            if stands
                && let Some((cell, kinds)) = self.said_by_both(problem, marker.sure)
                && self.write(&kinds, BOTH)
            {
                tracing::debug!(?marker, cell = %cell_name(cell), "a marker says what is in doubt");
                self.histories.settle(cell);
                self.doubts.forget(&[cell]);
                problems.retain(|(problem, _)| problem.cell() != Some(cell));
                continue;
            }
            if !marker.sure {
                continue;
            }
            let explained: Vec<Sentence> =
                self.doubts.choices(problem).iter().skip(1).map(|c| self.words(&c.says)).collect();
            if !explained.is_empty() {
                sentence = sentence!("{}; it would be right with {}", sentence, Sentence::either(explained));
            }
            problems.push((problem, sentence));
        }
    }

    /// The one thing that both brings a total to where its marker stands and is offered by an
    /// open doubt about what was seen in a cell: two witnesses that know nothing of each other.
    /// Or the only thing that brings it there, in a turn that nobody saw, where the marker is surely
    /// read.
    fn said_by_both(&self, problem: Problem, sure: bool) -> Option<(Cell, Vec<EventKind>)> {
        if let ([_, only], true) = (self.doubts.choices(problem), sure) {
            let mut cells = only.kinds.iter().flat_map(|kind| self.game.cells_of(kind));
            if let Some(cell) = cells.next().filter(|cell| self.doubts.is_unseen(*cell))
                && cells.all(|other| other == cell)
            {
                return Some((cell, only.kinds.clone()));
            }
        }
        let mut both = self.doubts.choices(problem).iter().skip(1).filter_map(|choice| {
            let cell = self.doubts.unsure_of(&choice.kinds)?;
            Some((cell, choice.kinds.clone()))
        });
        both.next().filter(|_| both.next().is_none())
    }

    /// Where the markers of several players stand as they would if two turns in a row were the
    /// other way round, and no other two, takes those so: each player's points are the other's.
    /// Whether it did.
    fn take_order_of(&mut self, elsewhere: &[Elsewhere]) -> bool {
        let sure: Vec<&Elsewhere> = elsewhere.iter().filter(|m| m.sure).collect();
        let events = self.game.events().len();
        let tried = self.histories.orders_tried == events;
        if sure.len() < 2 || tried || !sure.iter().all(|m| m.rests) {
            return false;
        }
        self.histories.orders_tried = events;
        let Some(mut recalled) = self.histories.recall(&self.game) else { return false };
        let base = recalled.with(&[]);
        let sight = self.histories.sight(self.patience, self.now);
        let Recalled { line, recorded, ended, .. } = &mut recalled;
        let own = line.outline();
        let (position, totals) = (line.position().boxed(), totals(line.position()));
        let weigher = Weigher::new(&sight, &base, &own, &*position);
        let least = weigher.score(&Vec::new(), &own) - AGAINST_SIGHT * HOPELESS;
        let agrees = |now: &[u32]| {
            now.iter().zip(&totals).enumerate().all(|(player, (now, was))| {
                match sure.iter().find(|m| m.player.index() == player) {
                    Some(marker) => (now % position.track()) as u8 == marker.would,
                    None => now == was,
                }
            })
        };
        let until = sure.iter().map(|m| m.turns).max().unwrap_or(0).min(base.len());
        let mut found: Vec<Other> = Vec::new();
        for i in until.saturating_sub(LATEST)..until.saturating_sub(1) {
            let told = |turn: &Turn| self.histories.is_told(turn.cell) != (false, false);
            let Some(other) = swapped(&base, i).filter(|other| !other.iter().any(|(_, turn)| told(turn)))
            else {
                continue;
            };
            let mut turns = base.clone();
            turns.splice(i..=i + 1, other.iter().map(|o| o.1.clone()));
            if !line.become_like(&turns, *ended) {
                continue;
            }
            let outline = line.outline();
            if comes_to(line, &outline, &own, agrees) && weigher.score(&other, &outline) >= least {
                found.push(other);
            }
        }
        line.become_like(&base, *ended);
        let kinds = match &found[..] {
            [only] => Some(rewritten(line.position(), recorded, only)),
            _ => None,
        };
        let cells: Vec<Cell> = found.iter().flatten().map(|(_, turn)| turn.cell).collect();
        self.histories.keep(recalled);
        let taken = kinds.is_some_and(|kinds| self.write(&kinds, BOTH));
        if taken {
            tracing::debug!(?cells, "markers say that two turns were the other way round");
            for cell in &cells {
                self.histories.settle(*cell);
            }
            self.doubts.forget(&cells);
        }
        taken
    }

    /// The record as it is, and with one of its latest turns otherwise so that a marker
    /// stands right, likeliest first by what was seen.
    fn as_marked(&mut self, marker: &Elsewhere, elsewhere: &[Elsewhere]) -> Vec<DoubtChoice> {
        let Some(mut recalled) = self.histories.recall(&self.game) else { return Vec::new() };
        let found = self.agreeing(&mut recalled, marker, elsewhere);
        let mut choices = vec![DoubtChoice { says: vec![Saying::AsRecorded], kinds: Vec::new() }];
        for other in found.into_iter().take(CHOICES) {
            let turns = recalled.with(&other);
            if !recalled.line.become_like(&turns, recalled.ended) {
                continue;
            }
            let mut says = Vec::new();
            for (i, turn) in &other {
                if let Some(own) = recalled.recorded.get(*i) {
                    says.extend(self.turn_says(turn, &own.turn));
                    says.push(Saying::In(turn.cell));
                }
            }
            let kinds = rewritten(recalled.line.position(), &recalled.recorded, &other);
            choices.push(DoubtChoice { says, kinds });
        }
        let own = recalled.with(&[]);
        recalled.line.become_like(&own, recalled.ended);
        self.histories.keep(recalled);
        choices
    }

    fn agreeing(&self, recalled: &mut Recalled, marker: &Elsewhere, elsewhere: &[Elsewhere]) -> Vec<Other> {
        let base = recalled.with(&[]);
        let Recalled { line, ended, .. } = recalled;
        let own = line.outline();
        let (position, totals) = (line.position().boxed(), totals(line.position()));
        let sight = self.histories.sight(self.patience, self.now);
        let weigher = Weigher::new(&sight, &base, &own, &*position);
        // Others' totals stay, or come to where their markers stand.
        let agrees = |now: &[u32]| {
            now.iter().zip(&totals).enumerate().all(|(player, (now, was))| {
                let space = (now % position.track()) as u8;
                let others = elsewhere.iter().find(|m| m.sure && m.player.index() == player);
                match (marker.player.index() == player).then_some(marker).or(others) {
                    Some(other) if other.player == marker.player || now != was => space == other.would,
                    _ => now == was,
                }
            })
        };
        let mut found: Vec<(f32, Other)> = Vec::new();
        let until = marker.turns.min(base.len());
        // By then nothing had been counted that the marker did not follow.
        let right = marker.agreed.saturating_sub(LATE).min(until);
        let then =
            if line.become_like(&base[..right], true) { self::totals(line.position()) } else { Vec::new() };
        for i in (until.saturating_sub(LATEST)..until).rev() {
            let told = base.get(i).is_some_and(|turn| self.histories.is_told(turn.cell).1);
            for turn in as_the_rules_allow(line, &base, i, told) {
                let other = vec![(i, turn)];
                let mut turns = base.clone();
                turns.splice(i..=i, other.iter().map(|o| o.1.clone()));
                if i < right
                    && (!line.become_like(&turns[..right], true) || self::totals(line.position()) != then)
                {
                    continue;
                }
                if !line.become_like(&turns, *ended) {
                    continue;
                }
                let outline = line.outline();
                if comes_to(line, &outline, &own, agrees) {
                    found.push((weigher.score(&other, &outline), other));
                }
            }
        }
        line.become_like(&base, *ended);
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|f| f.1).collect()
    }
}

/// The turn with this index and the next the other way round, each laid by the other's player.
fn swapped(base: &[Turn], i: usize) -> Option<Other> {
    let (first, second) = (base.get(i)?, base.get(i + 1)?);
    let plain = |turn: &Turn| turn.before.is_empty() && turn.after.is_empty() && turn.extra.is_none();
    let apart = first.player != second.player && plain(first) && plain(second);
    apart.then(|| {
        vec![
            (i, Turn { player: first.player, ..second.clone() }),
            (i + 1, Turn { player: second.player, ..first.clone() }),
        ]
    })
}

fn totals(position: &dyn GamePosition) -> Vec<u32> {
    (0..position.players()).map(|player| position.total(Player(player as u8))).collect()
}

/// Whether a history breaks no more rules than the record's own does, and its totals agree, now or
/// once the running turn has ended.
fn comes_to(line: &Line, outline: &Outline, own: &Outline, agrees: impl Fn(&[u32]) -> bool) -> bool {
    outline.broken() <= own.broken() && (agrees(&totals(line.position())) || agrees(&totals_at_end(line)))
}

/// The totals once the running turn has ended.
fn totals_at_end(line: &Line) -> Vec<u32> {
    let mut line = line.clone();
    line.end();
    totals(line.position())
}

/// A turn with any other figure on its tile, or with a wall tile used, that the rules allow.
fn as_the_rules_allow(line: &mut Line, base: &[Turn], i: usize, told: bool) -> Vec<Turn> {
    let (Some(own), Some(until)) = (base.get(i), base.get(..=i)) else { return Vec::new() };
    let mut all = Vec::new();
    // The first number gives another turn, which is seen.
    let used = |played: &Move| matches!(played, Move::Use { player, number, .. } if *player == own.player && *number > 1);
    let uses = if line.become_like(until, false) { line.position().legal_moves(&[]) } else { Vec::new() };
    for played in uses.into_iter().filter(used) {
        all.push(Turn { after: [own.after.as_slice(), &[played]].concat(), ..own.clone() });
    }
    if told {
        return all;
    }
    let mut bare = until.to_vec();
    if let Some(last) = bare.last_mut() {
        (last.claim, last.after) = (None, Vec::new());
    }
    let claims = if line.become_like(&bare, false) { line.position().legal_moves(&[]) } else { Vec::new() };
    let claims = claims.into_iter().filter_map(|played| match played {
        Move::Claim { at, figure, .. } if at.cell == own.cell => Some(Some((at.segment, figure))),
        _ => None,
    });
    all.extend(claims.chain([None]).map(|claim| Turn { claim, ..own.clone() }));
    all.retain(|turn| turn != own);
    all
}
