//! The likeliest histories: those that differ from one in a few turns, or in the order of
//! turns that was guessed.

use super::line::{Line, Outline, Turn};
use super::sight::{Sight, Told};
use crate::rules::{Cell, Phase};

/// How many histories are kept from round to round.
const WIDTH: usize = 6;
/// How many turns of a history may differ from the first.
const ROUNDS: usize = 3;
/// The most histories that are held against what was seen, for each kind of figures that the
/// players have.
const MOST: usize = 160;
/// A history that is so much less likely than the best is hopeless, in logarithms.
pub(crate) const HOPELESS: f32 = 8.0;
/// The most histories of which it is remembered what followed from them.
const REMEMBERED: usize = 1200;

/// Turns that a history has otherwise than another, by their index, in order.
pub(crate) type Other = Vec<(usize, Turn)>;

/// Turns with others in the place of some.
pub(super) fn with(mut turns: Vec<Turn>, other: &[(usize, Turn)]) -> Vec<Turn> {
    for (i, turn) in other {
        if let Some(own) = turns.get_mut(*i) {
            own.clone_from(turn);
        }
    }
    turns
}

/// A history by what it has otherwise than the first, with the logarithm of its likelihood.
#[derive(Clone, Debug)]
pub(crate) struct History {
    pub other: Other,
    pub score: f32,
}

/// What followed by the rules from histories that differ from one: none where such a
/// history cannot have happened.
#[derive(Debug, Default)]
pub(crate) struct Outlines(Vec<(Other, Option<Outline>)>);

impl Outlines {
    /// What follows from a history; `line` plays the first.
    fn of(&mut self, line: &mut Line, base: &[Turn], ended: bool, other: &Other) -> Option<Outline> {
        if let Some((_, known)) = self.0.iter().find(|(known, _)| known == other) {
            return known.clone();
        }
        let outline = line.become_like(&with(base.to_vec(), other), ended).then(|| line.outline());
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        self.0.push((other.clone(), outline.clone()));
        outline
    }
}

/// The likeliest histories beside one, with it, best first. `told` says of a cell whether
/// people entered its tile and its figure; `orders` are other orders of turns that were
/// guessed.
pub(crate) fn search(
    line: &mut Line,
    outlines: &mut Outlines,
    sight: &Sight<'_>,
    ended: bool,
    orders: &[Other],
    told: impl Fn(Cell) -> (bool, bool),
) -> Vec<History> {
    let base: Vec<Turn> = line.turns().cloned().collect();
    let own = line.outline();
    let over = line.position().phase() == Phase::Over;
    let single = base.iter().enumerate().flat_map(|(i, turn)| {
        let broken = own.breaches.get(i).is_some_and(|b| *b > 0);
        let next = sight.next_laid(turn.cell, base.iter().map(|t| t.cell));
        let next = next.or(Some(sight.now).filter(|_| over));
        let others = sight.others(turn, line.position(), broken, told(turn.cell), next);
        others.into_iter().map(move |other| vec![(i, other)])
    });
    // In another order a follower of another player may have been hidden.
    let hidden = |other: &Other| {
        let mut all = Vec::new();
        for (at, (_, turn)) in
            other.iter().enumerate().filter(|(_, (_, turn))| !turn.void && !told(turn.cell).1)
        {
            let next = sight.next_laid(turn.cell, base.iter().map(|t| t.cell));
            for claim in next.map_or_else(Vec::new, |next| sight.hidden(turn, line.position(), next)) {
                let mut other = other.clone();
                other[at].1.claim = Some(claim);
                all.push(other);
            }
        }
        all
    };
    let orders = orders.iter().flat_map(|other| std::iter::once(other.clone()).chain(hidden(other)));
    let options: Vec<Other> = single.chain(orders).collect();
    let position = line.position().boxed();
    let weigher = Weigher::new(sight, &base, &own, &*position);
    let mut all = vec![History { other: Vec::new(), score: weigher.score(&Vec::new(), &own) }];
    if options.is_empty() {
        return all;
    }
    let mut kept = vec![0];
    for _ in 0..ROUNDS {
        let from = all.len();
        for start in &kept {
            let known = all[*start].other.clone();
            // Newest turns first: they are the cheapest to play anew.
            for option in options.iter().rev() {
                let changed = |(i, _): &(usize, Turn)| known.iter().any(|(at, _)| at == i);
                if all.len() >= MOST * sight.kinds.len() || option.iter().any(changed) {
                    continue;
                }
                let mut other = known.clone();
                other.extend(option.iter().cloned());
                other.sort_by_key(|(i, _)| *i);
                if all.iter().any(|h| h.other == other) {
                    continue;
                }
                if let Some(outline) = outlines.of(line, &base, ended, &other) {
                    let score = weigher.score(&other, &outline);
                    all.push(History { other, score });
                }
            }
        }
        if all.len() == from {
            break;
        }
        let best = all.iter().map(|h| h.score).fold(f32::NEG_INFINITY, f32::max);
        let mut order: Vec<usize> = (from..all.len()).collect();
        order.sort_by(|a, b| all[*b].score.total_cmp(&all[*a].score));
        order.retain(|i| all[*i].score >= best - HOPELESS);
        order.truncate(WIDTH);
        if order.is_empty() {
            break;
        }
        kept = order;
    }
    line.become_like(&base, ended);
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.other.len().cmp(&b.other.len())));
    all
}

/// Weighs histories that differ from one in few turns: only what differs is weighed anew.
pub(crate) struct Weigher<'a> {
    sight: &'a Sight<'a>,
    base: Told<'a>,
    turns: Vec<f32>,
}

impl<'a> Weigher<'a> {
    pub(crate) fn new(
        sight: &'a Sight<'a>,
        base: &'a [Turn],
        outline: &'a Outline,
        position: &'a dyn crate::rules::GamePosition,
    ) -> Weigher<'a> {
        let base = Told { turns: base.iter().collect(), outline, position };
        let turns = (0..base.turns.len()).map(|i| sight.turn(&base, i)).collect();
        Weigher { sight, base, turns }
    }

    pub(crate) fn score(&self, other: &Other, outline: &Outline) -> f32 {
        let mut turns = self.base.turns.clone();
        for (i, turn) in other {
            if let Some(own) = turns.get_mut(*i) {
                *own = turn;
            }
        }
        let told = Told { turns, outline, position: self.base.position };
        let own = self.base.outline;
        // A turn counts otherwise where it is another, something else came of it, or the
        // tiles that end its time were laid elsewhere.
        let moved = other.iter().any(|(i, t)| self.base.turns.get(*i).is_some_and(|own| own.cell != t.cell));
        let voided = other.iter().any(|(_, t)| t.void);
        let keep_differs = |i: usize| {
            told.turns.get(i).is_some_and(|turn| !own.keeps_in(turn.cell).eq(outline.keeps_in(turn.cell)))
        };
        let same = |i: usize| {
            !moved
                && !voided
                && own.breaches.get(i) == outline.breaches.get(i)
                && own.home.get(i) == outline.home.get(i)
                && (own.keeps == outline.keeps || !keep_differs(i))
                && other.iter().all(|(at, _)| *at != i)
        };
        let turn = |i: usize| match self.turns.get(i).filter(|_| same(i)) {
            Some(known) => *known,
            None => self.sight.turn(&told, i),
        };
        let sum: f32 = (0..told.turns.len()).map(turn).sum();
        sum + self.sight.order(told.turns.iter().filter(|t| !t.void).map(|t| t.cell))
    }
}

/// The share that some histories have of them and all others.
pub(super) fn share_of<'a>(those: impl Iterator<Item = &'a History> + Clone, others: &'a [History]) -> f32 {
    let best = those.clone().chain(others).map(|h| h.score).fold(f32::NEG_INFINITY, f32::max);
    let weight = |h: &History| (h.score - best).exp();
    let own: f32 = those.map(weight).sum();
    own / (own + others.iter().map(weight).sum::<f32>())
}

/// The shares of all histories that turn `i` has so and so; `own` is the turn of the first.
/// Likeliest first.
pub(crate) fn shares(histories: &[History], i: usize, own: &Turn) -> Vec<(Turn, f32)> {
    let best = histories.first().map_or(0.0, |h| h.score);
    let mut shares: Vec<(Turn, f32)> = Vec::new();
    let mut all = 0.0;
    for history in histories {
        let weight = (history.score - best).exp();
        all += weight;
        let turn = history.other.iter().find(|(at, _)| *at == i).map_or(own, |(_, turn)| turn);
        match shares.iter_mut().find(|(known, _)| known == turn) {
            Some((_, share)) => *share += weight,
            None => shares.push((turn.clone(), weight)),
        }
    }
    for (_, share) in &mut shares {
        *share /= all;
    }
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}
