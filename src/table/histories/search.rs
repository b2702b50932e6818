//! The likeliest histories: those that differ from one in a few turns.

use super::line::{Line, Turn};
use super::sight::Sight;
use crate::rules::Cell;

/// How many histories are kept from round to round.
const WIDTH: usize = 6;
/// How many turns of a history may differ from the first.
const ROUNDS: usize = 3;
/// The most histories that are held against what was seen.
const MOST: usize = 160;
/// A history that is so much less likely than the best is hopeless, in logarithms.
pub(crate) const HOPELESS: f32 = 8.0;

/// A history by what it has otherwise than the first, with the logarithm of its likelihood.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// Turns by their index.
    pub other: Vec<(usize, Turn)>,
    pub score: f32,
}

/// The likeliest histories beside one, with it, best first. `told` says of a cell whether
/// people entered its tile and its figure.
pub(crate) fn search(
    line: &mut Line,
    sight: &Sight<'_>,
    ended: bool,
    told: impl Fn(Cell) -> (bool, bool),
) -> Vec<History> {
    let base: Vec<Turn> = line.turns().cloned().collect();
    let first = History { other: Vec::new(), score: sight.score(line) };
    let options: Vec<(usize, Turn)> = base
        .iter()
        .enumerate()
        .flat_map(|(i, turn)| {
            let others = sight.others(turn, line.position(), line.breaches(i) > 0, told(turn.cell));
            others.into_iter().map(move |other| (i, other))
        })
        .collect();
    let mut all = vec![first];
    if options.is_empty() {
        return all;
    }
    let mut kept = vec![0];
    for _ in 0..ROUNDS {
        let from = all.len();
        for start in &kept {
            let known = all[*start].other.clone();
            // Newest turns first: they are the cheapest to play anew.
            for (i, turn) in options.iter().rev() {
                if all.len() >= MOST || known.iter().any(|(at, _)| at == i) {
                    continue;
                }
                let mut other = known.clone();
                other.push((*i, turn.clone()));
                other.sort_by_key(|(i, _)| *i);
                if all.iter().any(|h| h.other == other) {
                    continue;
                }
                let mut turns = base.clone();
                for (i, turn) in &other {
                    turns[*i] = turn.clone();
                }
                if line.become_like(&turns, ended) {
                    all.push(History { other, score: sight.score(line) });
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
