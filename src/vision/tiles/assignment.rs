//! Names the tiles of a whole board at once: each tile is used as often as the
//! deck has it, and what meets at a seam should agree.

use std::collections::{BTreeMap, HashMap};

use super::recogniser::Comparison;
use crate::observation::CellState;
use crate::rules::{Cell, Deck, Face, Game, Kind, Port, Rotation, Side};

/// A cell in which a tile lies, to be named.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// Where it is.
    pub cell: Cell,
    /// How its crop compares with the deck's tiles, in the deck's order.
    pub comparison: &'a Comparison,
    /// Prior that a visible tile lies here, 0 to 1. Lower makes leaving the cell unnamed
    /// cheaper, so that it yields copies that others want.
    pub trust: f32,
    /// The tile that was last clearly seen here and its turn, where nothing says that it is
    /// gone.
    pub before: Option<(usize, u8)>,
}

/// What is known beside the comparisons.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    /// Cost in nats of a seam at which two known faces don't agree. A soft rule: players
    /// do break it. Higher lets neighbours overrule what a crop shows.
    pub seam: f64,
    /// Cost in nats of leaving a cell unnamed: a reading with a lower log posterior is
    /// unknown. Higher names more, and more of it wrongly.
    pub unknown: f64,
    /// For each tile of the deck, the group of prints that look the same; the
    /// confidence of a reading is that of its group. Empty: each is its own.
    pub look_alikes: Vec<usize>,
    /// Prior in nats for the tile that was seen in the cell before: tiles stay where they
    /// are. Higher names more of those that figures hide, and takes longer to see that
    /// another tile lies there.
    pub stays: f64,
}

impl Default for Constraints {
    fn default() -> Constraints {
        Constraints { seam: 2.0, unknown: 9.0, look_alikes: Vec::new(), stays: 3.0 }
    }
}

/// A named tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// [`CellState::Tile`] or [`CellState::Unknown`].
    pub state: CellState,
    /// The tile, by its place in the deck; `None` when unknown.
    pub tile: Option<usize>,
    /// Clockwise quarter turns.
    pub rotation: u8,
    /// How sure tile (or one that looks the same) and rotation are: 0 to 1.
    pub confidence: f32,
    /// How sure it is what the rules see there, this face lying this way round,
    /// whichever print of it and however turned: 0 to 1.
    pub face_confidence: f32,
    /// Other readings with their confidences, best first.
    pub alternatives: Vec<(usize, u8, f32)>,
}

/// How a board is settled, beside what [`Constraints`] say.
struct Settings {
    /// Most readings that are told beside the chosen one.
    alternatives: usize,
    /// Least confidence of a reading that is told beside it.
    worth: f32,
    /// Least face confidence of a named cell; below, it is unknown.
    doubtful: f32,
    /// Most nats by which the log posterior of a print is behind that of another print of
    /// its face: prints that are meant to be equal differ by chance. Smaller swaps prints
    /// of one face more freely, which costs the rules nothing.
    same_face: f64,
    /// Lower bound on trust, so that its logarithm stays finite.
    least_trust: f32,
    /// Most rounds in which the seams are looked at again; each must gain.
    rounds: usize,
}

const SETTINGS: Settings =
    Settings { alternatives: 3, worth: 0.01, doubtful: 0.2, same_face: 6.0, least_trust: 0.01, rounds: 6 };

/// Names the tiles, one answer a site, in their order. The sum of all scores
/// less the cost of disagreeing seams is made as large as it can be found.
pub fn settle(sites: &[Site<'_>], deck: &Deck, constraints: &Constraints) -> Vec<Settled> {
    let tiles = deck.tiles.len();
    let faces = Faces::new(deck);
    let plain: Vec<Vec<[f64; 4]>> =
        sites.iter().map(|s| faces.levelled(log_posteriors(s, tiles, constraints.stays))).collect();
    let pooled: Vec<Vec<[f64; 4]>> = plain.iter().map(|scores| faces.pooled(scores)).collect();
    let mut scores = plain.clone();
    let unknown: Vec<f64> = sites
        .iter()
        .map(|s| constraints.unknown + f64::from(s.trust.clamp(SETTINGS.least_trust, 1.0)).ln())
        .collect();
    let mut named = assign(&pooled, deck, &unknown);
    let seams = Seams::new(sites, deck);
    if constraints.seam > 0.0 && seams.any() {
        let value = |named: &Assignment| seams.value(&pooled, &named.chosen, &unknown, constraints.seam);
        let mut best = value(&named);
        let mut rounds = 0..SETTINGS.rounds;
        loop {
            let judged = seams.judged(&pooled, &named.chosen, constraints.seam);
            let trial = assign(&judged, deck, &unknown);
            let worth = value(&trial);
            if worth <= best + 1e-9 || rounds.next().is_none() {
                named.prices = trial.prices;
                break;
            }
            best = worth;
            named = trial;
        }
        scores = seams.judged(&plain, &named.chosen, constraints.seam);
    }
    named
        .chosen
        .iter()
        .zip(&scores)
        .map(|(chosen, scores)| {
            let chosen = chosen.map(|chosen| faces.likeliest_turn(chosen, scores));
            told(chosen, scores, &named.prices, &faces, constraints)
        })
        .collect()
}

/// The log posterior of each reading, by a softmax over all; what is no number counts as
/// hopeless.
fn log_posteriors(site: &Site<'_>, tiles: usize, stays: f64) -> Vec<[f64; 4]> {
    let hopeless = -1e3;
    let mut scores: Vec<[f64; 4]> = (0..tiles)
        .map(|t| {
            let given = site.comparison.scores.get(t).copied().unwrap_or([f32::NEG_INFINITY; 4]);
            given.map(|s| if s.is_finite() { f64::from(s) } else { hopeless })
        })
        .collect();
    let before = site.before.and_then(|(tile, turn)| scores.get_mut(tile)?.get_mut(usize::from(turn)));
    if let Some(score) = before {
        *score += stays;
    }
    let best = scores.iter().flatten().copied().fold(hopeless, f64::max);
    let total: f64 = scores.iter().flatten().map(|s| likelihood(s - best)).sum();
    for s in scores.iter_mut().flatten() {
        *s -= best + total.ln();
    }
    scores
}

/// The exponential of what is not above 0, of what is far below without the time
/// that an underflow takes.
fn likelihood(nats: f64) -> f64 {
    if nats < -100.0 { 0.0 } else { nats.exp() }
}

/// A choice for each site, and what a tile is worth to the others.
struct Assignment {
    chosen: Vec<Option<(usize, u8)>>,
    prices: Vec<f64>,
}

fn best_rotation(scores: &[f64; 4]) -> (u8, f64) {
    (0..4u8).map(|r| (r, scores[r as usize])).fold((0, f64::MIN), |a, b| if b.1 > a.1 { b } else { a })
}

/// `unknown` is what it costs to leave each site unnamed.
fn assign(scores: &[Vec<[f64; 4]>], deck: &Deck, unknown: &[f64]) -> Assignment {
    let copies: Vec<usize> = deck
        .tiles
        .iter()
        .enumerate()
        .flat_map(|(t, tile)| std::iter::repeat_n(t, (tile.count as usize).min(scores.len())))
        .collect();
    let cost: Vec<Vec<f64>> = scores
        .iter()
        .map(|site| {
            let best: Vec<f64> = site.iter().map(|s| best_rotation(s).1).collect();
            copies.iter().map(|t| -best[*t]).collect()
        })
        .collect();
    let (columns, potentials) = cheapest(&cost, unknown);
    let mut prices = vec![0.0_f64; deck.tiles.len()];
    for (potential, tile) in potentials.iter().zip(&copies) {
        prices[*tile] = prices[*tile].max(-potential);
    }
    let chosen = columns
        .iter()
        .zip(scores)
        .map(|(column, site)| {
            let tile = *copies.get((*column)?)?;
            Some((tile, best_rotation(&site[tile]).0))
        })
        .collect();
    Assignment { chosen, prices }
}

/// The assignment of rows to a column of their own, or for what is in `without` to
/// none, with the least total cost (Hungarian method by shortest augmenting paths),
/// and the columns' potentials: what it would save the others to have one more of a
/// column is its potential's negative.
fn cheapest(cost: &[Vec<f64>], without: &[f64]) -> (Vec<Option<usize>>, Vec<f64>) {
    let columns = cost.first().map_or(0, Vec::len);
    let (mut rows_worth, mut potentials) = (vec![0.0; cost.len()], vec![0.0; columns]);
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for row in 0..cost.len() {
        // How far each column is, and from which one (none: from the row itself).
        let mut far = vec![f64::INFINITY; columns];
        let mut way: Vec<Option<usize>> = vec![None; columns];
        let mut reached: Vec<(usize, f64)> = Vec::new();
        let mut open: Vec<usize> = (0..columns).collect();
        // The nearest end: a row that goes without, by the column it had.
        let (mut end, mut nearest) = (None, f64::INFINITY);
        let (mut from, mut by, mut walked) = (row, None, 0.0);
        let last = loop {
            let alone = walked + without[from] - rows_worth[from];
            if alone < nearest {
                (end, nearest) = (by, alone);
            }
            let (mut next, mut least) = (None, nearest);
            for (place, c) in open.iter().enumerate() {
                let there = walked + cost[from][*c] - rows_worth[from] - potentials[*c];
                if there < far[*c] {
                    far[*c] = there;
                    way[*c] = by;
                }
                if far[*c] < least {
                    (next, least) = (Some(place), far[*c]);
                }
            }
            let Some(place) = next else {
                walked = nearest;
                break end;
            };
            let column = open.swap_remove(place);
            walked = least;
            let Some(taken) = row_of[column] else {
                break Some(column);
            };
            reached.push((column, walked));
            (from, by) = (taken, Some(column));
        };
        rows_worth[row] += walked;
        for (column, far) in reached {
            if let Some(taken) = row_of[column] {
                rows_worth[taken] += walked - far;
            }
            potentials[column] -= walked - far;
        }
        // Each column on the way goes to the row of the one before.
        let mut at = last;
        while let Some(column) = at {
            at = way[column];
            row_of[column] = at.map_or(Some(row), |before| row_of[before]);
        }
    }
    let mut column_of = vec![None; cost.len()];
    for (column, row) in row_of.iter().enumerate() {
        if let Some(row) = row {
            column_of[*row] = Some(column);
        }
    }
    (column_of, potentials)
}

/// What meets at the seams between sites.
struct Seams {
    /// For each tile and rotation what each side shows, [`Side::ALL`] in order; `None`
    /// while the tile's face is unknown.
    edges: Vec<Option<[[Edge; 4]; 4]>>,
    /// For each site, its neighbours: side and index.
    neighbours: Vec<Vec<(Side, usize)>>,
}

/// The kinds at the left half, the middle and the right half of a side; in the Castle
/// game only the middles must agree.
type Edge = [Option<Kind>; 3];

impl Seams {
    fn new(sites: &[Site<'_>], deck: &Deck) -> Seams {
        let at: BTreeMap<Cell, usize> = sites.iter().enumerate().map(|(i, s)| (s.cell, i)).collect();
        let known = deck.tiles.iter().any(|t| t.face.is_some());
        let neighbours = sites
            .iter()
            .map(|site| {
                Side::ALL
                    .into_iter()
                    .filter(|_| known)
                    .filter_map(|side| at.get(&site.cell.neighbour(side)).map(|i| (side, *i)))
                    .collect()
            })
            .collect();
        let edge = |face: &Face, quarters: u8, side: Side| {
            [Port::left(side), Port::middle(side), Port::right(side)].map(|port| {
                if deck.game == Game::Castle && !port.is_middle() {
                    return None;
                }
                let port = port.turned(Rotation::new(quarters).inverse());
                face.at(port).and_then(|i| face.segments().get(i)).map(|s| s.kind)
            })
        };
        let turns = |face: &Face| [0, 1, 2, 3].map(|r| Side::ALL.map(|side| edge(face, r, side)));
        let edges = deck.tiles.iter().map(|tile| tile.face.as_ref().map(turns)).collect();
        Seams { edges, neighbours }
    }

    fn any(&self) -> bool {
        self.neighbours.iter().any(|n| !n.is_empty())
    }

    fn edge(&self, (tile, rotation): (usize, u8), side: Side) -> Option<Edge> {
        let turns = self.edges.get(tile)?.as_ref()?;
        Some(turns[usize::from(rotation % 4)][side.index()])
    }

    /// Whether two tiles agree where the second lies on this side of the
    /// first; unknown faces agree with all.
    fn agree(&self, a: (usize, u8), side: Side, b: (usize, u8)) -> bool {
        match (self.edge(a, side), self.wanted(side, b)) {
            (Some(shown), Some(wanted)) => shown == wanted,
            _ => true,
        }
    }

    /// What a tile must show on a side to agree with the other that lies there.
    fn wanted(&self, side: Side, other: (usize, u8)) -> Option<Edge> {
        let [left, middle, right] = self.edge(other, side.opposite())?;
        Some([right, middle, left])
    }

    /// The scores with the cost of disagreeing with the neighbours as chosen.
    fn judged(
        &self,
        scores: &[Vec<[f64; 4]>],
        chosen: &[Option<(usize, u8)>],
        cost: f64,
    ) -> Vec<Vec<[f64; 4]>> {
        let mut judged = scores.to_vec();
        for (site, neighbours) in judged.iter_mut().zip(&self.neighbours) {
            for (side, other) in neighbours {
                let Some(other) = chosen.get(*other).copied().flatten() else { continue };
                let Some(wanted) = self.wanted(*side, other) else { continue };
                for (scores, edges) in site.iter_mut().zip(&self.edges) {
                    let Some(edges) = edges else { continue };
                    for (score, edges) in scores.iter_mut().zip(edges) {
                        if edges[side.index()] != wanted {
                            *score -= cost;
                        }
                    }
                }
            }
        }
        judged
    }

    /// What a choice for all sites is worth.
    fn value(
        &self,
        scores: &[Vec<[f64; 4]>],
        chosen: &[Option<(usize, u8)>],
        unknown: &[f64],
        seam: f64,
    ) -> f64 {
        let mut sum = 0.0;
        for (i, choice) in chosen.iter().enumerate() {
            let Some((tile, rotation)) = *choice else {
                sum -= unknown[i];
                continue;
            };
            sum += scores[i][tile][rotation as usize];
            for (side, other) in &self.neighbours[i] {
                if let Some(other) = chosen.get(*other).copied().flatten()
                    && !self.agree((tile, rotation), *side, other)
                {
                    sum -= seam / 2.0;
                }
            }
        }
        sum
    }
}

/// For each tile and rotation a number that those share which show the rules the
/// same.
struct Faces(Vec<[usize; 4]>);

impl Faces {
    fn new(deck: &Deck) -> Faces {
        let mut numbers: HashMap<Face, usize> = HashMap::new();
        let mut last = 0;
        let mut number = |face: Option<Face>| {
            last += 1;
            face.map_or(last, |face| *numbers.entry(face).or_insert(last))
        };
        let turned = |face: &Face, quarters: u8| face.turned(Rotation::new(quarters)).ordered();
        let rows = deck.tiles.iter().map(|tile| {
            std::array::from_fn(|r| number(tile.face.as_ref().map(|face| turned(face, r as u8))))
        });
        Faces(rows.collect())
    }

    /// Log posteriors of which none is far behind that of another print of the same face
    /// lying the same way: prints that are meant to be equal differ by chance.
    fn levelled(&self, mut posteriors: Vec<[f64; 4]>) -> Vec<[f64; 4]> {
        let each = || self.0.iter().flatten();
        let mut best = vec![f64::NEG_INFINITY; each().max().map_or(0, |last| last + 1)];
        for (number, posterior) in each().zip(posteriors.iter().flatten()) {
            best[*number] = best[*number].max(*posterior);
        }
        for (number, posterior) in each().zip(posteriors.iter_mut().flatten()) {
            *posterior = posterior.max(best[*number] - SETTINGS.same_face);
        }
        posteriors
    }

    /// For each tile and rotation the log posterior of all its turns that show the same.
    fn pooled(&self, posteriors: &[[f64; 4]]) -> Vec<[f64; 4]> {
        let turns = |(numbers, posteriors): (&[usize; 4], &[f64; 4])| {
            if (1..4).all(|r| !numbers[..r].contains(&numbers[r])) {
                return *posteriors;
            }
            let best = posteriors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let likelihoods = posteriors.map(|s| likelihood(s - best));
            std::array::from_fn(|r| {
                let same = numbers.iter().zip(&likelihoods).filter(|(n, _)| **n == numbers[r]);
                posteriors[r].max(best + same.map(|(_, l)| l).sum::<f64>().ln())
            })
        };
        self.0.iter().zip(posteriors).map(turns).collect()
    }

    /// The turn with the largest posterior among those of a tile that show the same.
    fn likeliest_turn(&self, (tile, rotation): (usize, u8), posteriors: &[[f64; 4]]) -> (usize, u8) {
        let posterior = |r: &u8| posteriors[tile][usize::from(*r)];
        let same = (0..4).filter(|r| self.same((tile, rotation), (tile, *r)));
        (tile, same.max_by(|a, b| posterior(a).total_cmp(&posterior(b))).unwrap_or(rotation))
    }

    fn same(&self, a: (usize, u8), b: (usize, u8)) -> bool {
        let number = |(tile, rotation): (usize, u8)| Some(self.0.get(tile)?[usize::from(rotation % 4)]);
        number(a).is_some() && number(a) == number(b)
    }
}

/// A choice with its confidence: the posterior of its look-alikes among all
/// readings of the crop, each less what its tile is worth elsewhere.
fn told(
    chosen: Option<(usize, u8)>,
    scores: &[[f64; 4]],
    prices: &[f64],
    faces: &Faces,
    constraints: &Constraints,
) -> Settled {
    let group = |t: usize| constraints.look_alikes.get(t).copied().unwrap_or(t);
    let readings: Vec<(usize, u8, f64)> = scores
        .iter()
        .enumerate()
        .flat_map(|(t, s)| (0..4u8).map(move |r| (t, r, s[r as usize] - prices[t])))
        .collect();
    let best = readings.iter().map(|r| r.2).max_by(f64::total_cmp).unwrap_or(0.0);
    let total: f64 = readings.iter().map(|r| likelihood(r.2 - best)).sum();
    let posterior = |value: f64| (likelihood(value - best) / total) as f32;
    let alike = |a: (usize, u8), b: (usize, u8)| a == b || (group(a.0) == group(b.0) && a.1 == b.1);
    let sum = |is: &dyn Fn((usize, u8)) -> bool| {
        readings.iter().filter(|r| is((r.0, r.1))).map(|r| posterior(r.2)).sum::<f32>().min(1.0)
    };
    let confidence = chosen.map_or(0.0, |c| sum(&|r| alike(c, r)));
    let face_confidence = chosen.map_or(0.0, |c| sum(&|r| alike(c, r) || faces.same(c, r)));
    let sure = chosen.filter(|_| face_confidence >= SETTINGS.doubtful);
    let other = |r: &&(usize, u8, f64)| sure != Some((r.0, r.1)) && posterior(r.2) >= SETTINGS.worth;
    let mut others: Vec<(usize, u8, f64)> = readings.iter().filter(other).copied().collect();
    others.sort_by(|a, b| b.2.total_cmp(&a.2));
    let alternatives =
        others.iter().take(SETTINGS.alternatives).map(|r| (r.0, r.1, posterior(r.2))).collect();
    Settled {
        state: if sure.is_some() { CellState::Tile } else { CellState::Unknown },
        tile: sure.map(|c| c.0),
        rotation: sure.map_or(0, |c| c.1),
        confidence,
        face_confidence,
        alternatives,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Tile;

    fn deck(faces: &[(&str, u32)]) -> Deck {
        let tiles = faces
            .iter()
            .enumerate()
            .map(|(i, (face, count))| Tile {
                id: format!("t{i}"),
                face: face.parse().ok(),
                doubts: Vec::new(),
                count: *count,
            })
            .collect();
        Deck::new("d", Game::Classic, tiles)
    }

    fn comparison(scores: &[[f32; 4]]) -> Comparison {
        Comparison { scores: scores.to_vec(), ..Comparison::default() }
    }

    fn run(deck: &Deck, cells: &[((i8, i8), Comparison)]) -> Vec<Settled> {
        let sites: Vec<Site<'_>> = cells
            .iter()
            .map(|((col, row), c)| Site {
                cell: Cell::new(*col, *row),
                comparison: c,
                trust: 1.0,
                before: None,
            })
            .collect();
        settle(&sites, deck, &Constraints::default())
    }

    #[test]
    fn a_tile_is_used_as_often_as_the_deck_has_it() {
        let two = deck(&[("", 1), ("", 1)]);
        let cells = [
            ((0, 0), comparison(&[[5.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0]])),
            ((3, 3), comparison(&[[6.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])),
        ];
        let named = run(&two, &cells);
        assert_eq!((named[0].tile, named[1].tile), (Some(1), Some(0)));
        let pair = deck(&[("", 2), ("", 1)]);
        let named = run(&pair, &cells);
        assert_eq!((named[0].tile, named[1].tile), (Some(0), Some(0)));
    }

    #[test]
    fn a_tile_too_many_is_unknown_and_the_least_sure_one_is_it() {
        let one = deck(&[("", 1)]);
        let sure = comparison(&[[9.0, 0.0, 0.0, 0.0]]);
        let unsure = comparison(&[[0.4, 0.3, 0.2, 0.1]]);
        let named = run(&one, &[((0, 0), unsure), ((1, 0), sure)]);
        assert_eq!((named[0].tile, named[0].state), (None, CellState::Unknown));
        assert_eq!((named[1].tile, named[1].state), (Some(0), CellState::Tile));
        assert!(named[1].confidence > 0.99);
    }

    #[test]
    fn what_may_be_no_tile_gives_way_to_one_that_is() {
        let one = deck(&[("", 1)]);
        let (hand, tile) = (comparison(&[[9.0, 0.0, 0.0, 0.0]]), comparison(&[[3.0, 0.0, 0.0, 0.0]]));
        let named = |trust| {
            let site =
                |col, comparison, trust| Site { cell: Cell::new(col, 0), comparison, trust, before: None };
            settle(&[site(0, &hand, trust), site(5, &tile, 1.0)], &one, &Constraints::default())
        };
        let states = |trust| named(trust).iter().map(|n| n.state).collect::<Vec<_>>();
        assert_eq!(states(1.0), [CellState::Tile, CellState::Unknown]);
        assert_eq!(states(0.1), [CellState::Unknown, CellState::Tile]);
    }

    #[test]
    fn a_plain_tile_counts_by_all_its_turns() {
        let faces = deck(&[("city n-e-s-w", 1), ("city n-e; field s-w", 1)]);
        let first = comparison(&[[3.0, 3.0, 3.1, 3.0], [4.0, 0.0, 0.0, 0.0]]);
        let second = comparison(&[[0.0; 4], [2.5, 0.0, 0.0, 0.0]]);
        let named = run(&faces, &[((0, 0), first), ((5, 0), second)]);
        assert_eq!((named[0].tile, named[0].rotation), (Some(0), 2));
        assert_eq!(named[1].tile, Some(1));
    }

    #[test]
    fn prints_of_one_face_stand_in_for_each_other() {
        let faces = ["field n-e-s-w; cloister", "field n-e-s-w; cloister", "city n-e-s-w"];
        let twins = deck(&faces.map(|f| (f, 1)));
        let first = comparison(&[[30.0, 0.0, 0.0, 0.0], [16.0, 0.0, 0.0, 0.0], [0.0; 4]]);
        let cells = [((0, 0), first.clone()), ((5, 5), first.clone())];
        let named = run(&twins, &cells);
        assert!(named.iter().all(|n| n.state == CellState::Tile && n.face_confidence > 0.99));
        assert_ne!(named[0].tile, named[1].tile);
        let others = deck(&[(faces[0], 1), (faces[2], 1), (faces[2], 1)]);
        let named = run(&others, &cells);
        assert_eq!(named.iter().filter(|n| n.state == CellState::Unknown).count(), 1);
    }

    #[test]
    fn roads_that_meet_decide_a_close_call() {
        let faces = deck(&[
            ("road e-w; field n-er-wl; field s-el-wr", 1),
            ("field n-e-s-w", 1),
            ("road e-w; field n-er-wl; field s-el-wr", 1),
        ]);
        let cells = [
            ((0, 0), comparison(&[[9.0, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4]])),
            ((1, 0), comparison(&[[0.0; 4], [5.0, 0.0, 0.0, 0.0], [4.5, 0.0, 0.0, 0.0]])),
        ];
        let named = run(&faces, &cells);
        assert_eq!(named[1].tile, Some(2));
        let far = [cells[0].clone(), ((5, 0), cells[1].1.clone())];
        assert_eq!(run(&faces, &far)[1].tile, Some(1));
    }

    #[test]
    fn confidence_follows_the_margin_and_twins_share_it() {
        let three = deck(&[("", 1), ("", 1), ("", 1)]);
        let close = comparison(&[[3.0, 0.0, 0.0, 0.0], [2.8, 0.0, 0.0, 0.0], [0.0; 4]]);
        let clear = comparison(&[[9.0, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4]]);
        let sites = |c| [Site { cell: Cell::new(0, 0), comparison: c, trust: 1.0, before: None }];
        let told = |c, k: &Constraints| settle(&sites(c), &three, k).remove(0);
        let plain = Constraints::default();
        let (a, b) = (told(&close, &plain), told(&clear, &plain));
        assert!(a.confidence < 0.6 && b.confidence > 0.95);
        assert_eq!(a.alternatives[0].0, 1);
        let twins = Constraints { look_alikes: vec![0, 0, 2], ..plain };
        assert!(told(&close, &twins).confidence > 0.75);
    }

    #[test]
    fn what_the_rules_see_is_sure_where_only_the_turn_is_open() {
        let whole = deck(&[("city n-e-s-w", 1), ("city n-e; field s-w", 1)]);
        let turns = [((0, 0), comparison(&[[9.0, 9.1, 9.0, 9.0], [0.0; 4]]))];
        let named = run(&whole, &turns);
        assert!(named[0].confidence < 0.3 && named[0].face_confidence > 0.99);
        assert_eq!((named[0].tile, named[0].rotation), (Some(0), 1));
        let turns = [((0, 0), comparison(&[[0.0; 4], [9.0, 9.1, 9.0, 9.0]]))];
        let named = run(&whole, &turns);
        assert_eq!(named[0].confidence, named[0].face_confidence);
    }

    #[test]
    fn odd_input_is_survived() {
        assert!(run(&deck(&[("", 1)]), &[]).is_empty());
        let named =
            run(&deck(&[("", 1)]), &[((0, 0), comparison(&[[f32::NAN; 4]])), ((1, 0), comparison(&[]))]);
        assert_eq!(named.len(), 2);
        let none = run(&deck(&[]), &[((0, 0), comparison(&[]))]);
        assert_eq!(none[0].state, CellState::Unknown);
    }

    proptest::proptest! {
        #[test]
        fn the_cheapest_assignment_is_the_cheapest(
            cost in proptest::collection::vec(proptest::collection::vec(0.0..10.0f64, 3), 4),
            without in proptest::collection::vec(0.0..10.0f64, 4),
        ) {
            let price = |row: usize, column: Option<usize>| column.map_or(without[row], |c| cost[row][c]);
            let (columns, potentials) = cheapest(&cost, &without);
            let total: f64 = columns.iter().enumerate().map(|(r, c)| price(r, *c)).sum();
            let mut least = f64::MAX;
            for code in 0..256usize {
                let pick = [0, 2, 4, 6].map(|bits| Some(code >> bits & 3).filter(|c| *c < 3));
                if (0..4).all(|i| pick[i].is_none() || !pick[..i].contains(&pick[i])) {
                    least = least.min((0..4).map(|r| price(r, pick[r])).sum());
                }
            }
            proptest::prop_assert!((total - least).abs() < 1e-9);
            // Each row has what is best for it at these prices.
            for (row, column) in columns.iter().enumerate() {
                let paid = |c: Option<usize>| price(row, c) - c.map_or(0.0, |c| potentials[c]);
                let best = (0..3).map(|c| paid(Some(c))).fold(paid(None), f64::min);
                proptest::prop_assert!((paid(*column) - best).abs() < 1e-9);
            }
        }
    }
}
