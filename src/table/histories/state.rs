//! What is kept from look to look to weigh histories by.

use std::collections::BTreeSet;

use super::evidence::{Evidence, Piece};
use super::faces::Faces;
use super::line::{Line, Turn};
use super::order::claims;
use super::recorded::{Recorded, rewritten, turns};
use super::search::{self, Other, Outlines};
use super::sight::Sight;
use super::weights::Weights;
use crate::record::{EventKind, Game};
use crate::rules::{Cell, Deck, FaceMap, FigureKind, Move, Player, Sentence};
use crate::table::doubts::{DoubtChoice, Problem};
use crate::table::saying::Saying;
use crate::table::steady::Patience;

/// A figure that reads as a player's with less than this is another's.
pub(super) const STRANGE: f32 = 0.3;
/// Turns so far apart may have changed places.
const SWAPPED: usize = 6;
/// And so many seconds.
const TOGETHER: f64 = 20.0;

/// What histories agree on with this share is not doubted.
pub(super) const SETTLED: f32 = 0.88;
/// What was doubted is settled with this share: a doubt does not come and go.
pub(super) const CLEARED: f32 = 0.95;
/// The most that is offered to choose from.
pub(super) const CHOICES: usize = 4;

/// What does not fit, with the sentence for it.
type Unfit = (Problem, Sentence);

/// What is kept from look to look to weigh histories by.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    pub evidence: Evidence,
    faces: Faces,
    weights: Weights,
    /// The kinds of figures that the players have, followers first.
    kinds: Vec<FigureKind>,
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
    pub pending: Option<(Other, f64)>,
    /// Whether nothing more will be seen: what is likeliest is taken at once.
    pub hasty: bool,
    /// Turns that came at once, in an order that was guessed.
    guessed: Vec<Guessed>,
    /// With how many events it was last tried whether markers tell of an order of turns.
    pub orders_tried: usize,
}

/// Turns that came at once, in an order that was guessed.
#[derive(Debug)]
pub(crate) struct Guessed {
    /// The orders that they may have been laid in.
    pub orders: Vec<Vec<Turn>>,
    /// What is said of it.
    pub sentence: Sentence,
}

impl Guessed {
    /// The index of the first of them in a record.
    fn first(&self, recorded: &[Recorded]) -> Option<usize> {
        let order = self.orders.first()?;
        recorded.iter().position(|r| order.iter().any(|turn| turn.cell == r.turn.cell))
    }
}

/// The record as a history.
#[derive(Debug)]
pub(crate) struct Recalled {
    pub line: Line,
    pub recorded: Vec<Recorded>,
    /// Whether the last turn has ended.
    pub ended: bool,
    /// What is known to follow from other histories.
    pub outlines: Outlines,
}

impl Recalled {
    /// The turns of the record with others in the place of some.
    pub(super) fn with(&self, other: &[(usize, Turn)]) -> Vec<Turn> {
        search::with(self.recorded.iter().map(|r| r.turn.clone()).collect(), other)
    }

    /// What is offered to choose from: the record as it is, in the words `own`, and others of which
    /// each says something else and can have happened, the first ones.
    pub(super) fn choices(
        &mut self,
        own: Vec<Saying>,
        others: impl IntoIterator<Item = (Vec<Saying>, Other)>,
    ) -> Vec<DoubtChoice> {
        let mut choices = vec![DoubtChoice { says: own, kinds: Vec::new() }];
        for (says, other) in others {
            if choices.len() == CHOICES {
                break;
            }
            let is_new = choices.iter().all(|c| c.says != says);
            if is_new && self.line.become_like(&self.with(&other), self.ended) {
                let kinds = rewritten(self.line.position(), &self.recorded, &other);
                choices.push(DoubtChoice { says, kinds });
            }
        }
        self.line.become_like(&self.with(&[]), self.ended);
        choices
    }
}

/// Recorded turns in another order, where they differ, by their index from `first` on. What
/// stands on a tile stays with it, if the same player laid it. `None` where other tiles were
/// recorded since.
fn reordered(own: &[&Turn], order: &[Turn], first: usize, sight: &Sight<'_>) -> Option<Other> {
    let mut other = Vec::new();
    for (i, (turn, was)) in order.iter().zip(own).enumerate() {
        let lies = own.iter().find(|t| t.cell == turn.cell)?;
        if lies.cell == was.cell {
            continue;
        }
        let mut now = Turn {
            before: was.before.clone(),
            extra: was.extra,
            after: was.after.clone(),
            claim: lies.claim,
            player: was.player,
            ..(*lies).clone()
        };
        if lies.player != was.player {
            now.claim = likeliest_claim(sight, &now);
        }
        other.push((first + i, now));
    }
    Some(other)
}

/// Recorded turns in another order, where they differ, as [`reordered`], but each laid by the
/// player whose turn it was if nobody laid twice.
fn in_turn(own: &[&Turn], order: &[Turn], first: usize, players: usize, sight: &Sight<'_>) -> Other {
    let Some(starts) = own.first().map(|turn| turn.player.index()) else { return Vec::new() };
    let again = |played: &Move| matches!(played, Move::Use { number: 1, .. });
    let mut other = Vec::new();
    for (i, (turn, was)) in order.iter().zip(own).enumerate() {
        let player = Player(((starts + i) % players.max(1)) as u8);
        let mut now = Turn {
            before: was.before.clone(),
            extra: None,
            after: was.after.iter().filter(|m| !again(m)).cloned().collect(),
            player,
            ..turn.clone()
        };
        if turn.player != player {
            now.claim = likeliest_claim(sight, &now);
        }
        if now != **was {
            other.push((first + i, now));
        }
    }
    other
}

/// What figure most likely stands on a turn's tile as its player's, if any.
pub(super) fn likeliest_claim(sight: &Sight<'_>, turn: &Turn) -> Option<(u8, FigureKind)> {
    let claims = claims(sight, turn.cell, turn.player, turn.tile, turn.rotation);
    claims.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).and_then(|c| c.0)
}

impl Histories {
    pub(crate) fn new(deck: &Deck, layouts: &[Option<FaceMap>], kinds: Vec<FigureKind>) -> Histories {
        Histories { faces: Faces::new(deck, layouts), kinds, events: usize::MAX, ..Histories::default() }
    }

    /// Has figures' places read by other layouts.
    pub(crate) fn lay_out(&mut self, deck: &Deck, layouts: &[Option<FaceMap>]) {
        self.faces = Faces::new(deck, layouts);
    }

    pub(crate) fn sight(&self, patience: Patience, now: f64) -> Sight<'_> {
        Sight {
            evidence: &self.evidence,
            faces: &self.faces,
            weights: &self.weights,
            kinds: &self.kinds,
            patience,
            now,
            packing: self.evidence.is_packed_up(&patience, now),
        }
    }

    /// The record as a history, as it is now; to be given back by [`Histories::keep`].
    pub(crate) fn recall(&mut self, game: &Game) -> Option<Recalled> {
        if self.events == game.events().len() {
            return self.recalled.take();
        }
        self.events = game.events().len();
        let known = self.recalled.take();
        let recorded = turns(game)?;
        let ended = recorded.last().is_some_and(|t| t.end.is_some());
        let turns: Vec<Turn> = recorded.iter().map(|r| r.turn.clone()).collect();
        let (mut line, outlines) = match known {
            Some(known) => {
                let same = known.ended == ended && known.line.turns().eq(&turns);
                (known.line, if same { known.outlines } else { Outlines::default() })
            }
            None => (Line::new(game.start_position(), game.names().clone()), Outlines::default()),
        };
        line.become_like(&turns, ended).then_some(Recalled { line, recorded, ended, outlines })
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

    /// Whether what lay in a cell is seen no more although no hand took it away; `moved` tells
    /// whether it may lie elsewhere by now, or nothing new does.
    pub(crate) fn is_lost(&self, cell: Cell, moved: bool) -> bool {
        self.evidence.of(cell).is_some_and(|seen| seen.is_lost(moved))
    }

    /// Turns came at once, in an order that was guessed.
    pub(crate) fn guess(&mut self, guessed: Guessed) {
        self.guessed.push(guessed);
    }

    /// Whether the order of these turns is a part of one that was guessed before.
    pub(crate) fn is_guessed(&self, turns: &[Turn]) -> bool {
        self.guessed.iter().filter_map(|guessed| guessed.orders.first()).any(|order| {
            turns.iter().all(|turn| order.iter().any(|own| (own.cell, own.tile) == (turn.cell, turn.tile)))
        })
    }

    /// The orders that were guessed and are not settled, each with the index of its first turn and how
    /// other ones would have the turns of a record otherwise.
    pub(crate) fn guesses(
        &self,
        recorded: &[Recorded],
        sight: &Sight<'_>,
    ) -> Vec<(usize, &Guessed, Vec<Other>)> {
        let others = |guessed: &'_ Guessed| {
            let first = guessed.first(recorded)?;
            let turns = recorded.get(first..first + guessed.orders.first()?.len())?;
            let own: Vec<&Turn> = turns.iter().map(|r| &r.turn).collect();
            let others = guessed.orders.iter().filter_map(|order| reordered(&own, order, first, sight));
            Some((first, others.filter(|other| !other.is_empty()).collect()))
        };
        let with_others = |guessed| others(guessed).map(|(first, others)| (first, guessed, others));
        self.guessed.iter().filter_map(with_others).collect()
    }

    /// Turns that may have changed places with others near them, by whose figures stand on
    /// their tiles: how the record would be otherwise.
    pub(crate) fn swaps(&self, recorded: &[Recorded], sight: &Sight<'_>) -> Vec<Other> {
        let mut swaps = Vec::new();
        // From when to when a tile can have been laid.
        let came = |r: &Recorded| sight.evidence.of(r.turn.cell)?.came();
        for (i, one) in recorded.iter().enumerate() {
            let Some(seen) = sight.evidence.of(one.turn.cell) else { continue };
            let of_other = sight.pieces(seen).find(|p| p.is_of(one.turn.player.0) < STRANGE);
            let Some(whose) = of_other.map(Piece::player) else { continue };
            let near = recorded.iter().enumerate().take(i + SWAPPED + 1).skip(i.saturating_sub(SWAPPED));
            for (j, other) in near {
                let apart = came(one).zip(came(other));
                let apart = apart.map_or(f64::INFINITY, |(a, b)| (a.0 - b.1).max(b.0 - a.1));
                if other.turn.player.0 != whose || apart > TOGETHER {
                    continue;
                }
                let (first, last) = (i.min(j), i.max(j));
                let own: Vec<&Turn> = recorded[first..=last].iter().map(|r| &r.turn).collect();
                let mut order: Vec<Turn> = own.iter().map(|t| (*t).clone()).collect();
                order.swap(0, last - first);
                swaps.extend(reordered(&own, &order, first, sight));
            }
        }
        swaps
    }

    /// Tiles that could not be read for long when they were laid, each laid before the first tile
    /// that came since: how the record would be otherwise, and with the players one after another
    /// from there on.
    pub(crate) fn unread(&self, recorded: &[Recorded], sight: &Sight<'_>, players: usize) -> Vec<Other> {
        let earlier = |(i, late): (usize, &Recorded)| {
            let first = recorded[..i].iter().position(|r| sight.lay_unread(late.turn.cell, r.turn.cell))?;
            let own: Vec<&Turn> = recorded[first..].iter().map(|r| &r.turn).collect();
            let mut order: Vec<Turn> = own.iter().map(|t| (*t).clone()).collect();
            order[..=i - first].rotate_right(1);
            let in_turn = in_turn(&own, &order, first, players, sight);
            Some([reordered(&own, &order, first, sight)?, in_turn])
        };
        let all = recorded.iter().enumerate().filter_map(earlier).flatten();
        all.filter(|other| !other.is_empty()).collect()
    }

    /// People have said in which order tiles were laid of which this was said.
    pub(crate) fn settle_order(&mut self, sentence: &Sentence) {
        self.guessed.retain(|guessed| guessed.sentence != *sentence);
    }

    /// The cells of which people have said what lies there, and what stands there.
    pub(crate) fn all_told(&self) -> (BTreeSet<Cell>, BTreeSet<Cell>) {
        (self.tiles.clone(), self.figures.clone())
    }

    /// Only of these cells people have said so.
    pub(crate) fn tell_again(&mut self, told: (BTreeSet<Cell>, BTreeSet<Cell>)) {
        (self.tiles, self.figures) = told;
    }

    /// It is known what stands in a cell.
    pub(crate) fn settle_figure(&mut self, cell: Cell) {
        self.figures.insert(cell);
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
