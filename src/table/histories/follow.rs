//! The record is made the likeliest history; what others have otherwise is doubted.

use std::collections::BTreeSet;

use super::evidence::Piece;
use super::line::Turn;
use super::order::{Order, Slot, Standing, orders};
use super::recorded::{claimed, laid, rewritten};
use super::search::{HOPELESS, History, Other, search, shares};
use super::shifted::{first_shifted, shift};
use super::state::{CHOICES, CLEARED, Guessed, Recalled, SETTLED};
use crate::record::{Change, Edit, EventKind, Source};
use crate::rules::{
    Cell, Move, Phase, Player, Role, Rotation, SegmentAt, Sentence, Side, cell_name, sentence,
};
use crate::table::compare::Difference;
use crate::table::doubts::{DoubtChoice, Problem, listed, read_as};
use crate::table::placing::NewTile;
use crate::table::saying::{Asks, Saying, SegmentView};
use crate::table::scribe::{Scribe, apply};

/// What histories with this share of all agree on is taken at once.
const SURE: f32 = 0.8;
/// A figure on the newest tile of which they agree with this share on the segment is recorded
/// once it has stayed for as long as a completed feature has to be calm: what is found out later
/// corrects it.
const LIKELY: f32 = 0.55;
/// Orders of several new tiles are looked for again after so many seconds.
const AGAIN: f64 = 1.0;
/// By so much a history must be likelier than the record to change an earlier turn, in
/// logarithms.
const MARGIN: f32 = 1.0;
/// And for so many times the seconds that a reading must span.
const STAYS: f64 = 2.5;
/// So many orders of turns that came at once are kept.
const ORDERS: usize = 7;
/// Followers that were scored may stay this many times the patience before
/// anybody is reminded.
const LINGER: f64 = 15.0;

/// Of what the likeliest history has otherwise, that on which nearly all agree, if it alone makes a history:
/// what is unsure of one turn holds up nothing that is sure of another.
fn agreed<'a>(recalled: &Recalled, found: &'a [History]) -> Option<&'a History> {
    let best = found.first().filter(|best| best.other.len() > 1)?;
    let is_sure = |(i, turn): &&(usize, Turn)| {
        let own = recalled.line.turn(*i);
        own.is_some_and(|own| shares(found, *i, own).first().is_some_and(|s| s.0 == *turn && s.1 >= SURE))
    };
    let sure: Other = best.other.iter().filter(is_sure).cloned().collect();
    found.iter().find(|history| !sure.is_empty() && history.other == sure)
}

impl Scribe {
    /// Takes new tiles for the turns to come.
    pub(crate) fn take_new(
        &mut self,
        difference: &Difference,
        problems: &mut Vec<(Problem, Sentence)>,
    ) -> bool {
        let new = &difference.new;
        if new.is_empty() {
            return false;
        }
        let Some(position) = self.waiting_for_tile() else { return false };
        let patience = self.patience;
        let cells: Vec<Cell> = new.iter().map(|n| n.cell).collect();
        if let Some((t, tried, said)) = &self.histories.tried
            && *tried == cells
            && patience.readings > 1
            && !self.histories.hasty
            && self.now - t + 1e-6 < AGAIN
        {
            problems.extend(said.iter().cloned());
            return false;
        }
        let known = problems.len();
        let sight = self.histories.sight(patience, self.now);
        let slots: Vec<Slot> = new
            .iter()
            .map(|n| Slot {
                cell: n.cell,
                since: sight.evidence.of(n.cell).and_then(|s| s.since).unwrap_or(n.since),
                guess: self.histories.hasty || self.now - n.since >= patience.before_doubt,
            })
            .collect();
        let found = orders(&*position, self.game.names(), &sight, &slots);
        let Some(best) = found.first().cloned() else { return false };
        let touches = |cell: Cell| {
            Side::ALL.into_iter().any(|side| {
                let beside = cell.neighbour(side);
                position.tile_at(beside).is_some() || best.turns.iter().any(|t| t.cell == beside)
            })
        };
        let aside: Vec<&NewTile> = best.aside.iter().filter_map(|i| new.get(*i)).collect();
        let tiles = agreement(&found, |o| {
            let mut all: Vec<_> = o.turns.iter().map(|t| (t.cell, t.tile, t.rotation)).collect();
            all.sort();
            all
        });
        let outcome = agreement(&found, |o| {
            let mut figures: Vec<_> =
                o.turns.iter().filter_map(|t| Some((t.cell, t.player, t.claim?.0))).collect();
            figures.sort();
            let cells: BTreeSet<Cell> = o.turns.iter().map(|t| t.cell).collect();
            // Which segment is weighed once the tile lies.
            if new.len() == 1 {
                (cells, Vec::new(), Standing::default())
            } else {
                (cells, figures, o.standing.clone())
            }
        });
        let explained = aside.iter().all(|n| !touches(n.cell));
        let sure =
            tiles >= SURE && outcome >= SURE && best.broken == 0 && best.guessed.is_empty() && explained;
        for n in &aside {
            problems.push((Problem::Tile(n.cell), self.unexplained(&*position, n)));
        }
        if aside.len() > 1 && best.turns.is_empty() && aside.iter().any(|n| touches(n.cell)) {
            let cells: Vec<Cell> = aside.iter().map(|n| n.cell).collect();
            let sentence = sentence!(
                "tiles in {} are not in the record and fit no order of turns yet; leave them in view, enter \
                 them by hand or take them away",
                listed(&cells)
            );
            problems.push((Problem::Step, sentence));
        }
        let oldest = best.turns.iter().filter_map(|t| new.iter().find(|n| n.cell == t.cell));
        let oldest = oldest.map(|n| n.since).fold(f64::INFINITY, f64::min);
        // Which tiles lie there is sure, in which order they came and whose figures stand there is
        // not: the other orders are kept, so nothing is lost by a guess.
        let named = tiles >= SURE && best.broken == 0 && best.guessed.is_empty() && explained;
        let wait = if named { patience.settle } else { patience.before_doubt };
        let waits = !sure && !self.histories.hasty && self.now - oldest < wait;
        if best.turns.is_empty() || waits {
            let said = problems.get(known..).unwrap_or_default().to_vec();
            self.histories.tried = Some((self.now, cells, said));
            return false;
        }
        self.histories.tried = None;
        let done = self.lay_order(new, &best);
        if done && best.turns.len() > 1 {
            self.remember_orders(&found);
        }
        done
    }

    /// Keeps the other orders in which turns may have been made, until it is known which.
    fn remember_orders(&mut self, found: &[Order]) {
        let Some(best) = found.first().filter(|best| !self.histories.is_guessed(&best.turns)) else { return };
        let whose = |order: &Order| {
            let mut all: Vec<(Cell, Player)> = order.turns.iter().map(|t| (t.cell, t.player)).collect();
            all.sort();
            (all, order.standing.clone())
        };
        let mut orders: Vec<Vec<Turn>> = vec![best.turns.clone()];
        let cells = |turns: &[Turn]| turns.iter().map(|t| t.cell).collect::<Vec<Cell>>();
        for order in found.iter().filter(|o| o.aside == best.aside && o.score >= best.score - HOPELESS) {
            let known = orders.iter().any(|turns| cells(turns) == cells(&order.turns));
            if !known && whose(order) != whose(best) && orders.len() < ORDERS {
                orders.push(order.turns.clone());
            }
        }
        if orders.len() < 2 {
            return;
        }
        let names: Vec<String> = best.turns.iter().map(|t| cell_name(t.cell)).collect();
        let sentence = sentence!(
            "several tiles came at once; they are taken to be laid in the order {}, which is a guess; correct \
             it if it was another",
            names.join(", ")
        );
        self.histories.guess(Guessed { orders, sentence });
    }

    /// Records the turns of an order.
    fn lay_order(&mut self, new: &[NewTile], order: &Order) -> bool {
        let mut done = false;
        for turn in &order.turns {
            // What was done in a step between two turns is told or asked before the next is recorded.
            if done && self.after_turn().is_some_and(|after| after.phase() == Phase::Step) {
                break;
            }
            let first = self.game.events().len();
            let kind = laid(self.position(), turn);
            let share = new
                .iter()
                .find(|n| n.cell == turn.cell)
                .and_then(|n| {
                    let id = self.position().tile_id(turn.tile)?;
                    n.candidates.iter().find(|c| c.tile == id && c.rotation == turn.rotation)
                })
                .map_or(0.1, |c| c.confidence);
            if apply(&mut self.game, kind, share, self.now).is_err() {
                self.take_notice(first);
                break;
            }
            done = true;
            // What people said there was of another tile.
            self.histories.forget(turn.cell);
            self.taken_back.clear();
            self.confidences.insert(turn.cell, share);
            self.calm_since = Some(self.now);
            if order.turns.len() > 1
                && let Some(kind) = claimed(self.position(), turn)
            {
                let _ = apply(&mut self.game, kind, share, self.now);
            }
            self.take_notice(first);
        }
        let lies = |cell: &&Cell| self.position().tile_at(**cell).is_some();
        let guessed: Vec<Cell> = order.guessed.iter().filter(lies).copied().collect();
        for cell in &guessed {
            let sentence = sentence!(
                "the tile in {} cannot be read and is taken for {}, which fits there; say which it is",
                *cell,
                self.tile_id(*cell)
            );
            self.doubt_now(sentence, *cell, Asks::NewTile);
        }
        done
    }

    fn unexplained(&self, position: &dyn crate::rules::GamePosition, new: &NewTile) -> Sentence {
        use crate::rules::Placement;
        let top = new.candidates.first();
        let why = top.and_then(|top| {
            let tile = position.tile_index(&top.tile)?;
            let placement = Placement { tile, cell: new.cell, rotation: top.rotation };
            let lay = Move::Lay { player: position.to_move(), placement };
            position.illegalities(&lay).into_iter().next().map(|why| why.named(self.game.names()))
        });
        match (top, why) {
            (Some(top), Some(why)) => sentence!(
                "the tile in {} reads as {}, but {}; say what it is, or move it",
                new.cell,
                read_as(top),
                Sentence::from(&why)
            ),
            _ => sentence!("the tile in {} cannot be named; say which it is", new.cell),
        }
    }

    /// Holds the record against the other histories: whether it was changed.
    pub(crate) fn weigh(&mut self, problems: &mut Vec<(Problem, Sentence)>) -> bool {
        if let Some((t, events, said)) = &self.histories.weighed
            && *events == self.game.events().len()
            && !self.histories.hasty
            && self.now - t + 1e-6 < self.patience.seconds
        {
            problems.extend(said.iter().cloned());
            return false;
        }
        let known = problems.len();
        let Some(mut recalled) = self.histories.recall(&self.game) else { return false };
        let sight = self.histories.sight(self.patience, self.now);
        let told = |cell| self.histories.is_told(cell);
        let Recalled { line, outlines, ended, recorded } = &mut recalled;
        let guesses = self.histories.guesses(recorded, &sight);
        let mut orders: Vec<Other> = guesses.iter().flat_map(|(.., others)| others.iter().cloned()).collect();
        let swaps = self.histories.swaps(recorded, &sight);
        let unread = self.histories.unread(recorded, &sight, self.position().players());
        for other in swaps.into_iter().chain(unread) {
            if !orders.contains(&other) {
                orders.push(other);
            }
        }
        orders.extend(self.histories.shifts(recorded, &sight, self.position().players()));
        orders.extend(self.histories.voids(recorded, &sight, self.position()));
        // Whose figure it is that people have said stands there, they have said too.
        let keeps = |turn: &Turn| {
            let own = recorded.iter().map(|r| &r.turn).find(|own| own.cell == turn.cell);
            let said = own.filter(|own| own.claim.is_some() && told(own.cell).1);
            said.is_none_or(|own| (own.player, own.claim) == (turn.player, turn.claim))
        };
        orders.retain(|order| order.iter().all(|(_, turn)| keeps(turn)));
        let found = search(line, outlines, &sight, *ended, &orders, told);
        let done = self.make_likeliest(&recalled, &found);
        if !done {
            // Which turn came when is one question, what was done in each another.
            let (same, moved): (Vec<History>, Vec<History>) =
                found.into_iter().partition(|h| !moves(&recalled, &h.other));
            // Whether one was none is a third.
            let (voided, same): (Vec<History>, Vec<History>) =
                same.into_iter().partition(|h| h.other.iter().any(|o| o.1.void));
            // And who laid all turns from one on a fourth.
            let (shifted, same): (Vec<History>, Vec<History>) =
                same.into_iter().partition(|h| shift(&recalled, &h.other).is_some());
            self.doubt_orders(&mut recalled, &same, &moved, problems);
            self.doubt_voids(&mut recalled, &voided, &same, problems);
            self.doubt_shifts(&mut recalled, &shifted, &same, problems);
            self.doubt_what_differs(&mut recalled, &same, problems);
            self.doubt_what_is_broken(problems);
            self.doubt_figures(&recalled, problems);
            let said = problems.get(known..).unwrap_or_default().to_vec();
            self.histories.weighed = Some((self.now, self.game.events().len(), said));
        }
        self.histories.keep(recalled);
        done
    }

    /// Writes what the likeliest history has otherwise, once it has stayed.
    fn make_likeliest(&mut self, recalled: &Recalled, found: &[History]) -> bool {
        let (Some(best), Some(own)) = (found.first(), found.iter().find(|h| h.other.is_empty())) else {
            return false;
        };
        if best.other.is_empty() {
            self.histories.pending = None;
            return false;
        }
        let best = agreed(recalled, found).unwrap_or(best);
        let last = recalled.recorded.len() - 1;
        let newest = best.other.iter().all(|(i, _)| *i == last);
        let pending = self.histories.pending.take().filter(|(other, _)| *other == best.other);
        let since = pending.map_or(self.now, |(_, since)| since);
        self.histories.pending = Some((best.other.clone(), since));
        let share = best
            .other
            .iter()
            .filter_map(|(i, _)| shares(found, *i, recalled.line.turn(*i)?).first().map(|s| s.1))
            .fold(1.0, f32::min);
        let stayed = self.now - since + 1e-6;
        let wait = match (newest, share >= SURE) {
            _ if self.histories.hasty => 0.0,
            (true, true) => 0.0,
            (true, false) if share >= LIKELY => self.patience.settle,
            (false, true) => STAYS * self.patience.seconds,
            (_, false) => self.patience.before_doubt,
        };
        if stayed < wait || (!newest && best.score < own.score + MARGIN) {
            return false;
        }
        let turns = recalled.with(&best.other);
        let mut line = recalled.line.clone();
        if !line.become_like(&turns, recalled.ended) {
            return false;
        }
        // What is seen on a tile for a moment, as a hand that leaves it, breaks no rule.
        let breaks = newest && line.broken() > recalled.line.broken();
        if breaks && !self.histories.hasty && stayed < self.patience.before_doubt {
            return false;
        }
        let kinds = rewritten(line.position(), &recalled.recorded, &best.other);
        self.histories.pending = None;
        let done = self.write(&kinds, share);
        if done {
            // What was doubted of these turns is weighed anew.
            let cells: Vec<Cell> = best.other.iter().map(|(_, turn)| turn.cell).collect();
            self.doubts.settle(&cells);
            for (_, turn) in best.other.iter().filter(|(_, turn)| turn.void) {
                self.histories.forget(turn.cell);
                self.confidences.remove(&turn.cell);
            }
            let again = best.other.iter().find_map(|(i, turn)| {
                let (before, was) = (recalled.recorded.get(i.checked_sub(1)?)?, recalled.recorded.get(*i)?);
                let turns = recalled.with(&best.other);
                let now = turns.get(i - 1).filter(|before| !before.void)?.player;
                (now == turn.player && before.turn.player != was.turn.player).then_some((now, turn.cell))
            });
            // Where nothing can have given a turn, it is said that it is against the rules.
            if let Some((player, cell)) = again.filter(|_| self.has_prizes()) {
                let sentence = sentence!(
                    "{} laid two tiles in a row, the second in {}; say whether wall tile {} gave the turn",
                    self.name(player),
                    cell,
                    self.position().prize_word(1)
                );
                self.doubt_with(sentence, cell, Asks::WhoLaid, self.second_in_a_row(player, cell));
            }
        }
        done
    }

    /// Whether something with a number lies on the score track, or somebody has some of it.
    fn has_prizes(&self) -> bool {
        let position = self.position();
        let held = || (0..position.players() as u8).any(|p| !position.prizes(Player(p)).is_empty());
        !position.prizes_on_track().is_empty() || held()
    }

    /// What a player's second tile in a row may be.
    fn second_in_a_row(&self, player: Player, cell: Cell) -> Vec<DoubtChoice> {
        let laid = self.game.turns().into_iter().find_map(|turn| {
            let lay = turn.facts.iter().find(|(_, kind)| {
                matches!(kind, EventKind::TilePlaced { player: p, cell: c, .. } if (*p, *c) == (player, cell))
            });
            lay.map(|(seq, _)| (turn.turn, *seq))
        });
        let Some((turn, before)) = laid else { return Vec::new() };
        let used = EventKind::WallTileUsed { player, number: 1, on: None };
        let mut choices = vec![
            DoubtChoice {
                says: vec![Saying::Laid(player.index()), Saying::WithoutWallTile],
                kinds: Vec::new(),
            },
            DoubtChoice {
                says: vec![Saying::GaveTurn(self.position().prize_word(1))],
                kinds: vec![EventKind::Inserted { before, fact: Box::new(used) }],
            },
        ];
        for whose in self.game.players().filter(|p| *p != player) {
            let kinds = self.game.corrections(&Change::Turn(turn, vec![Edit::Player(whose)])).ok();
            let says = vec![Saying::Laid(whose.index())];
            choices.extend(kinds.map(|kinds| DoubtChoice { says, kinds }));
        }
        choices
    }

    /// Records facts that belong together; whether they can all have happened.
    pub(crate) fn write(&mut self, kinds: &[EventKind], confidence: f32) -> bool {
        let Ok(tried) = self.game.with_together(kinds, Source::Camera, confidence, self.now) else {
            return false;
        };
        if tried.conflicts().len() > self.game.conflicts().len() {
            return false;
        }
        let first = self.game.events().len();
        self.game = tried;
        self.take_notice(first);
        true
    }

    /// Says which orders of turns are a guess, as long as others are not hopeless.
    fn doubt_orders(
        &mut self,
        recalled: &mut Recalled,
        same: &[History],
        moved: &[History],
        problems: &mut Vec<(Problem, Sentence)>,
    ) {
        let best = same.iter().chain(moved).map(|h| h.score).fold(f32::NEG_INFINITY, f32::max);
        let weight = |h: &History| (h.score - best).exp();
        let all: f32 = same.iter().chain(moved).map(weight).sum();
        let sight = self.histories.sight(self.patience, self.now);
        let guesses: Vec<(usize, Sentence, Vec<Other>)> = self
            .histories
            .guesses(&recalled.recorded, &sight)
            .into_iter()
            .map(|(first, guessed, others)| (first, guessed.sentence.clone(), others))
            .collect();
        for (first, sentence, others) in guesses {
            let Some(own) = recalled.recorded.get(first) else { continue };
            let problem = Problem::Order(own.turn.cell);
            let other = |h: &&History| {
                let lies =
                    |(i, turn): &(usize, Turn)| h.other.iter().any(|o| o.0 == *i && o.1.cell == turn.cell);
                others.iter().any(|o| o.iter().all(lies))
            };
            let mut others_of: Vec<&History> = moved.iter().filter(other).collect();
            others_of.sort_by(|a, b| b.score.total_cmp(&a.score));
            let those: f32 = others_of.iter().map(|h| weight(h)).sum();
            let share = those / all;
            let least = if self.doubts.is_said(problem) { CLEARED } else { SETTLED };
            if 1.0 - share >= least {
                continue;
            }
            let events = self.game.events().len();
            if !self.doubts.offers(problem, &sentence, events) {
                let in_order = |turns: &[Turn]| {
                    let n = others.iter().flatten().map(|o| o.0).max().unwrap_or(first);
                    Saying::Order(turns.iter().take(n + 1).skip(first).map(|t| t.cell).collect())
                };
                let own = recalled.with(&[]);
                let others = others_of.iter().map(|h| {
                    let mut says = vec![in_order(&recalled.with(&h.other))];
                    for (_, turn) in &h.other {
                        let was = own.iter().find(|t| t.cell == turn.cell);
                        if was.is_some_and(|was| was.claim != turn.claim) {
                            says.push(Saying::At(turn.cell));
                            says.extend(self.turn_says(turn, turn));
                        }
                    }
                    (says, h.other.clone())
                });
                let others: Vec<(Vec<Saying>, Other)> = others.collect();
                let choices = recalled.choices(vec![in_order(&own)], others);
                self.doubts.offer(problem, &sentence, events, choices);
            }
            problems.push((problem, sentence));
        }
    }

    /// Says where histories that are not hopeless differ from the record.
    fn doubt_what_differs(
        &mut self,
        recalled: &mut Recalled,
        found: &[History],
        problems: &mut Vec<(Problem, Sentence)>,
    ) {
        let shifted = first_shifted(recalled, problems);
        let differing: BTreeSet<usize> = found.iter().flat_map(|h| h.other.iter().map(|o| o.0)).collect();
        for i in differing {
            let Some(own) = recalled.line.turn(i).cloned() else { continue };
            if shifted.is_some_and(|first| first <= i) {
                continue;
            }
            let all = shares(found, i, &own);
            let held = all.iter().find(|s| s.0 == own).map_or(0.0, |s| s.1);
            let open = self.doubts.is_said(Problem::Unsure(own.cell));
            if held >= if open { CLEARED } else { SETTLED } {
                continue;
            }
            let others: Vec<&Turn> =
                all.iter().map(|s| &s.0).filter(|t| **t != own).take(CHOICES - 1).collect();
            let cell = own.cell;
            let words = |turn: &Turn| self.words(&self.turn_says(turn, &own));
            let sentence = sentence!(
                "in {} it is {}; it may be {}; say which",
                cell,
                words(&own),
                Sentence::either(others.iter().map(|t| words(t)))
            );
            let problem = Problem::Unsure(cell);
            if !self.doubts.offers(problem, &sentence, self.game.events().len()) {
                let others = others.into_iter();
                let others = others.map(|turn| (self.turn_says(turn, &own), vec![(i, turn.clone())]));
                let choices = recalled.choices(self.turn_says(&own, &own), others);
                self.doubts.offer(problem, &sentence, self.game.events().len(), choices);
            }
            problems.push((problem, sentence));
        }
    }

    /// A turn, by what it has otherwise than another.
    pub(super) fn turn_says(&self, turn: &Turn, own: &Turn) -> Vec<Saying> {
        let mut says = Vec::new();
        if (turn.tile, turn.rotation) != (own.tile, own.rotation) {
            let tile = self.position().tile_id(turn.tile).unwrap_or_default();
            says.push(Saying::Tile(tile.to_owned(), turn.rotation));
        }
        let player = turn.player.index();
        says.push(match turn.claim {
            None if turn.player != own.player => Saying::TurnWithout(player),
            None => Saying::NoFollower,
            Some((segment, figure)) => {
                Saying::Figure(figure, player, self.segment_view(turn.tile, turn.rotation, segment))
            }
        });
        says.extend(turn.after.iter().skip(own.after.len()).filter_map(|played| match played {
            Move::Use { number, .. } => Some(Saying::Used(self.position().prize_word(*number))),
            _ => None,
        }));
        says
    }

    /// A segment of a tile as it lies, in the edition's words with the sides that it reaches.
    pub(crate) fn segment_view(&self, tile: usize, rotation: Rotation, segment: u8) -> SegmentView {
        let face = self.deck.tiles.get(tile).and_then(|t| t.face.as_ref());
        let segment = face.and_then(|f| f.turned(rotation).segments().get(usize::from(segment)).copied());
        segment.map_or_else(SegmentView::default, |segment| {
            let on = |side: &Side| segment.ports.iter().any(|p| p.side() == *side);
            let sides = Side::ALL.into_iter().filter(on).collect();
            SegmentView { kind: self.position().kind_word(segment.kind), sides }
        })
    }

    /// Says which recorded turns are against the rules.
    fn doubt_what_is_broken(&self, problems: &mut Vec<(Problem, Sentence)>) {
        if self.game.broken().is_empty() {
            return;
        }
        for (seq, kind) in self.game.facts() {
            let why: Vec<Sentence> =
                self.game.broken().iter().filter(|b| b.0 == seq).map(|b| Sentence::from(&b.1)).collect();
            let cell = match &kind {
                EventKind::TilePlaced { cell, .. } | EventKind::FollowerPlaced { cell, .. } => *cell,
                _ => continue,
            };
            let told = self.histories.is_told(cell);
            if why.is_empty() || told.0 || told.1 {
                continue;
            }
            let sentence = sentence!(
                "{}, but {}; correct it if it was misread",
                self.game.wording().told(&kind),
                Sentence::both(why)
            );
            problems.push((Problem::Against(cell), sentence));
        }
    }

    /// Says which figures are on the table that the record has not, and which scored ones
    /// have long been forgotten there.
    fn doubt_figures(&self, recalled: &Recalled, problems: &mut Vec<(Problem, Sentence)>) {
        let sight = self.histories.sight(self.patience, self.now);
        let shifted = first_shifted(recalled, problems);
        for (cell, seen) in sight.evidence.cells() {
            let Some(i) = recalled.line.turns().position(|t| t.cell == cell) else { continue };
            let Some(turn) = recalled.line.turn(i) else { continue };
            if turn.claim.is_some() || sight.evidence.of(cell).is_none() {
                let scored = recalled.line.home(i).is_some();
                let lingers = sight.pieces(seen).any(|p| !p.is_gone(&self.patience));
                let since = self.lingering.iter().find(|l| (l.0, l.1) == (turn.player, cell)).map(|l| l.2);
                if scored
                    && lingers
                    && since.is_some_and(|t| self.now - t >= LINGER * self.patience.before_doubt)
                {
                    let sentence = sentence!(
                        "{}'s follower in {} has been scored; take it home",
                        self.name(turn.player),
                        cell
                    );
                    problems.push((Problem::Lingering(cell, turn.player), sentence));
                }
                continue;
            }
            let told = self.histories.is_told(cell).1;
            // One that went home when something on its tile was scored was none of a hand's.
            let scored = || {
                let around = self.position().features_around(cell);
                around.iter().any(|f| f.is_complete() && f.segments.iter().any(|at| at.cell == cell))
            };
            let stands = |p: &&Piece| {
                let told_of = || self.doubts.is_told(Problem::Follower(cell, Player(p.player())));
                !told && (!p.is_gone(&self.patience) || (told_of() && scored()))
            };
            let is_said = |p: &Piece| self.doubts.is_said(Problem::Follower(cell, Player(p.player())));
            let is_asked = |p: &&Piece| sight.is_no_sign(p) || is_said(p);
            for piece in sight.pieces(seen).filter(stands).filter(is_asked) {
                let player = Player(piece.player());
                let noted = problems.iter().any(|p| p.0 == Problem::Unsure(cell))
                    || player != turn.player && shifted.is_some_and(|first| first <= i);
                let running = i + 1 == recalled.line.len() && self.histories.pending.is_some();
                if player.index() < self.position().players()
                    && !noted
                    && !running
                    && !self.is_keep(cell, piece)
                {
                    let sentence = sentence!(
                        "{}, where the record has none; say where it is meant, or take it away",
                        self.stands(player, cell)
                    );
                    problems.push((Problem::Follower(cell, player), sentence));
                }
            }
        }
    }

    /// Whether a figure taken for a follower may be its player's keep.
    fn is_keep(&self, cell: Cell, piece: &Piece) -> bool {
        let Some((tile, rotation)) = self.position().tile_at(cell) else { return false };
        let sight = self.histories.sight(self.patience, self.now);
        let places = sight.places(piece, tile, rotation);
        let nearest = places.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let role = nearest.and_then(|(segment, _)| self.position().role_at(SegmentAt { cell, segment }));
        role == Some(Role::SQUIRE) && self.position().largest(Player(piece.player())).is_some()
    }
}

/// Whether another history has tiles in other turns.
fn moves(recalled: &Recalled, other: &Other) -> bool {
    other.iter().any(|(i, turn)| recalled.recorded.get(*i).is_some_and(|own| own.turn.cell != turn.cell))
}

/// The share of all orders that are like the likeliest.
fn agreement<K: PartialEq>(found: &[Order], key: impl Fn(&Order) -> K) -> f32 {
    let Some(best) = found.first() else { return 0.0 };
    let weight = |o: &Order| (o.score - best.score).exp();
    let own = key(best);
    let same: f32 = found.iter().filter(|o| key(o) == own).map(weight).sum();
    same / found.iter().map(weight).sum::<f32>()
}
