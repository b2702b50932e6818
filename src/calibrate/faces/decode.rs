//! From what the network says of each port to the likeliest face that can be
//! printed.
//!
//! Halves of sides are cut into areas that don't cross one another, middles into
//! lines; an area does not run across a line. All such faces are weighed: a face's
//! likelihood is the product of what is said of the kind of each area, of each pair of
//! ports being joined or not, of each line, and in the classic game of the cloister. There
//! roads end at crossings, cities and cloisters (BA-15), which is the prior. The likeliest
//! face is proposed. The posterior of each of its parts is the sum of those of all faces that
//! have it.

use std::sync::LazyLock;

use super::proposal::{Doubt, FaceProposal, Matter, SURE};
use crate::rules::{Attribute, Attributes, Face, Game, Kind, Port, PortSet, Segment, Side};
use crate::vision::faces::{Evidence, MARKS};

/// What counts beside what the network says.
struct Weights {
    /// Weight of the log-likelihood of a pair of ports: pairs of one tile speak of the same
    /// thing, so each counts less.
    pair: f32,
    /// Nats that it costs that an area runs across a line.
    crossing: f32,
    /// Nats added to what is said of each mark: the network sees too many markets and too
    /// few fountains. Set on decks that the studio makes up, of the seeds 5000 to 5023.
    marks: [f32; MARKS],
    /// Nats that it costs in the classic game that three or more roads are one, and
    junction: f32,
    /// that a cloister stands where three or more roads leave. Both are the log odds in the
    /// game's base and expansions (0 and 1 of 13 such tiles, one more counted) less those in the
    /// training art (120 and 62 of 265).
    crowded: f32,
    /// Nats that it costs in the classic game that a road ends at neither crossing, city nor
    /// cloister: none of 25 tiles where one or two roads end shows that, one more counted.
    blind: f32,
}

const WEIGHTS: Weights = Weights {
    pair: 0.5,
    crossing: 5.0,
    marks: [-1.5, 1.5, 0.0, 0.0, 0.0],
    junction: 2.4,
    crowded: 1.4,
    blind: 3.3,
};

/// Faces with a smaller posterior are left out of the sums.
const NEGLIGIBLE: f32 = 1e-6;

// The marks, as the network numbers them.
const MARKET: usize = 0;
const FOUNTAIN: usize = 1;
const SQUARE: usize = 2;
const PENNANT: usize = 3;
const CLOISTER: usize = 4;

/// Halves are numbered 0 to 7 clockwise; a mask has a bit for each.
type Mask = u8;

/// All ways to cut eight halves into areas of which no two cross.
static AREAS: LazyLock<Vec<Vec<Mask>>> = LazyLock::new(|| {
    let mut all = Vec::new();
    grow(&mut Vec::new(), 0, &mut all);
    all.retain(|areas| areas.iter().enumerate().all(|(i, a)| areas[i + 1..].iter().all(|b| !cross(*a, *b))));
    all
});

fn grow(areas: &mut Vec<Mask>, half: u32, all: &mut Vec<Vec<Mask>>) {
    if half == 8 {
        all.push(areas.clone());
        return;
    }
    for i in 0..areas.len() {
        areas[i] |= 1 << half;
        grow(areas, half + 1, all);
        areas[i] &= !(1 << half);
    }
    areas.push(1 << half);
    grow(areas, half + 1, all);
    areas.pop();
}

/// Whether two areas cross, seen round the tile.
fn cross(a: Mask, b: Mask) -> bool {
    let mut changes = 0;
    let mut last = None;
    for half in (0..8).chain(0..8) {
        let of = if a >> half & 1 == 1 {
            0
        } else if b >> half & 1 == 1 {
            1
        } else {
            continue;
        };
        changes += usize::from(last.is_some_and(|l| l != of));
        last = Some(of);
    }
    changes > 4
}

fn port_of(half: usize) -> Port {
    let side = Side::from_index(half / 2);
    if half.is_multiple_of(2) { Port::left(side) } else { Port::right(side) }
}

fn ports_of(mask: Mask) -> PortSet {
    (0..8).filter(|h| mask >> h & 1 == 1).map(port_of).collect()
}

/// The lines of a tile: masks of sides that each joins, and whether they end at a
/// square.
#[derive(Clone, Debug)]
struct Lines {
    groups: Vec<u8>,
    square: bool,
}

impl Lines {
    fn all() -> Vec<Lines> {
        let mut all = Vec::new();
        for present in 0..16_u8 {
            let sides: Vec<u8> = (0..4).filter(|s| present >> s & 1 == 1).collect();
            let mut ways = vec![Vec::<u8>::new()];
            for side in &sides {
                ways = ways
                    .into_iter()
                    .flat_map(|groups| {
                        let joined = (0..groups.len()).map(|i| {
                            let mut groups = groups.clone();
                            groups[i] |= 1 << side;
                            groups
                        });
                        let mut alone = groups.clone();
                        alone.push(1 << side);
                        joined.chain([alone]).collect::<Vec<_>>()
                    })
                    .collect();
            }
            for groups in ways.into_iter().filter(|g| *g != [0b0101, 0b1010]) {
                if groups.len() == sides.len() && sides.len() > 1 {
                    all.push(Lines { groups: groups.clone(), square: true });
                }
                all.push(Lines { groups, square: false });
            }
        }
        all
    }

    /// Nats that these roads cost in the classic game, with a cloister or without, where the tile
    /// has no city with the probability `open`.
    fn toll(&self, cloister: bool, open: f32) -> f32 {
        let joins = |least: u32| self.groups.iter().filter(|g| g.count_ones() >= least).count();
        let mut nats = if joins(3) > 0 { WEIGHTS.junction } else { 0.0 };
        if cloister && self.groups.iter().map(|g| g.count_ones()).sum::<u32>() > 2 {
            nats += WEIGHTS.crowded;
        }
        // Three that end make a crossing.
        let ending = joins(1) - joins(2);
        if !cloister && (1..3).contains(&ending) {
            nats -= (1.0 - open * (1.0 - (-WEIGHTS.blind).exp())).ln();
        }
        nats
    }

    /// Whether an area lies on both sides of a line.
    fn crossed_by(&self, area: Mask) -> bool {
        let cut = |sides: u8| {
            let mut pieces = 0_u8;
            let mut piece = 0;
            for half in 0..8 {
                // A line leaves between the halves of a side.
                if half % 2 == 1 && sides >> (half / 2) & 1 == 1 {
                    piece += 1;
                }
                if area >> half & 1 == 1 {
                    pieces |= 1 << (piece % sides.count_ones().max(1));
                }
            }
            sides.count_ones() > 1 && pieces.count_ones() > 1
        };
        if self.square {
            cut(self.groups.iter().fold(0, |a, b| a | b))
        } else {
            self.groups.iter().any(|g| cut(*g))
        }
    }
}

static LINES: LazyLock<Vec<Lines>> = LazyLock::new(Lines::all);

fn log_sigmoid(x: f32) -> f32 {
    -(-x).exp().ln_1p().max(-x)
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The kinds of areas that a game has, as the network numbers them.
fn kinds(game: Game) -> &'static [(usize, Kind)] {
    match game {
        Game::Castle => &[(0, Kind::COURT), (1, Kind::HOUSE), (2, Kind::TOWER)],
        Game::Classic => &[(0, Kind::FIELD), (3, Kind::CITY)],
    }
}

/// Log posteriors of a game's kinds at each half.
fn kind_posteriors(evidence: &Evidence, game: Game) -> [Vec<f32>; 8] {
    std::array::from_fn(|h| {
        let said = &evidence.kinds[port_of(h).index()];
        let top = kinds(game).iter().map(|(k, _)| said[*k]).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = kinds(game).iter().map(|(k, _)| (said[*k] - top).exp()).sum();
        kinds(game).iter().map(|(k, _)| said[*k] - top - sum.ln()).collect()
    })
}

/// Of each mask of halves, as one area: the log-likelihood in nats, and the kinds' posteriors.
struct Area {
    weight: f32,
    posteriors: Vec<f32>,
}

fn weigh_areas(evidence: &Evidence, game: Game) -> Vec<Area> {
    let posteriors = kind_posteriors(evidence, game);
    (0..=255_u8)
        .map(|mask| {
            let halves: Vec<usize> = (0..8).filter(|h| mask >> h & 1 == 1).collect();
            let sums: Vec<f32> =
                (0..kinds(game).len()).map(|k| halves.iter().map(|h| posteriors[*h][k]).sum()).collect();
            let top = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let powers: Vec<f32> = sums.iter().map(|s| (s - top).exp()).collect();
            let total: f32 = powers.iter().sum();
            let mut weight = top + total.ln();
            for (i, a) in halves.iter().enumerate() {
                for b in &halves[i + 1..] {
                    weight += WEIGHTS.pair * evidence.joins[port_of(*a).index()][port_of(*b).index()];
                }
            }
            Area { weight, posteriors: powers.iter().map(|p| p / total).collect() }
        })
        .collect()
}

fn weigh_lines(evidence: &Evidence, lines: &Lines, game: Game) -> f32 {
    let held = lines.groups.iter().fold(0, |a, b| a | b);
    let mut weight = 0.0;
    for side in 0..4 {
        let said = evidence.lines[side];
        weight += log_sigmoid(if held >> side & 1 == 1 { said } else { -said });
    }
    let mut pairs = 0.0;
    for a in 0..4 {
        for b in a + 1..4 {
            if held >> a & held >> b & 1 == 1 {
                let joined = lines.groups.iter().any(|g| g >> a & g >> b & 1 == 1);
                let said = evidence.joins[3 * a + 1][3 * b + 1];
                pairs += log_sigmoid(if joined { said } else { -said });
            }
        }
    }
    weight += WEIGHTS.pair * pairs;
    if game == Game::Castle && held.count_ones() > 1 {
        let said = mean((0..4).filter(|s| held >> s & 1 == 1).map(|s| evidence.marks[SQUARE][3 * s + 1]));
        weight += log_sigmoid(if lines.square { said } else { -said });
    } else if lines.square {
        return f32::NEG_INFINITY;
    }
    weight
}

/// The log-likelihood of a face's lines: the sides that each joins.
pub(super) fn line_weight(evidence: &Evidence, groups: &[u8], game: Game) -> f32 {
    weigh_lines(evidence, &Lines { groups: groups.to_vec(), square: false }, game)
}

/// The log-likelihood of a face's areas, of kinds that are known.
pub(super) fn cut_weight(evidence: &Evidence, areas: &[(Kind, PortSet)], game: Game) -> f32 {
    let posteriors = kind_posteriors(evidence, game);
    let mut weight = 0.0;
    for (kind, ports) in areas {
        // The network was taught no such kind; its halves look like a city's.
        let looks = if *kind == Kind::CARCASSONNE { Kind::CITY } else { *kind };
        let Some(k) = kinds(game).iter().position(|(_, other)| *other == looks) else {
            return f32::NEG_INFINITY;
        };
        let halves: Vec<usize> = (0..8).filter(|h| ports.contains(port_of(*h))).collect();
        weight += halves.iter().map(|h| posteriors[*h][k]).sum::<f32>();
        for (i, a) in halves.iter().enumerate() {
            for b in &halves[i + 1..] {
                weight += WEIGHTS.pair * evidence.joins[port_of(*a).index()][port_of(*b).index()];
            }
        }
    }
    weight
}

/// The log-likelihood of a face's pennants and of its cloister.
pub(super) fn mark_weight(evidence: &Evidence, face: &Face) -> f32 {
    let signed = |said: f32, is: bool| log_sigmoid(if is { said } else { -said });
    let mut weight = 0.0;
    for city in face.segments().iter().filter(|s| s.kind == Kind::CITY) {
        let said =
            mean(city.ports.iter().map(|p| evidence.marks[PENNANT][p.index()])) + WEIGHTS.marks[PENNANT];
        weight += signed(said, city.attributes.has(Attribute::PENNANT));
    }
    let cloister = face.segments().iter().any(|s| s.kind == Kind::CLOISTER);
    weight + signed(mean(evidence.marks[CLOISTER].iter().copied()), cloister)
}

fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, n) = values.fold((0.0, 0.0_f32), |(s, n), v| (s + v, n + 1.0));
    sum / n.max(1.0)
}

/// Posteriors of the parts of a face.
struct Posteriors {
    /// Of each area (mask of halves).
    areas: Vec<f32>,
    /// Of each way lines can run.
    lines: Vec<f32>,
    /// Of a cloister.
    cloister: f32,
}

/// The likeliest parts of a face.
#[derive(Clone, Copy)]
struct Parts<'a> {
    cut: &'a [Mask],
    lines: &'a Lines,
    cloister: bool,
}

pub(super) fn decode(evidence: &Evidence, game: Game) -> FaceProposal {
    let areas = weigh_areas(evidence, game);
    let sum_of = |cut: &[Mask], of: &dyn Fn(&Area) -> f32| -> f32 {
        cut.iter().map(|a| of(&areas[usize::from(*a)])).sum()
    };
    let cuts: Vec<f32> = AREAS.iter().map(|cut| sum_of(cut, &|a| a.weight)).collect();
    // How likely all areas of a cut are open ground.
    let open: Vec<f32> = AREAS.iter().map(|cut| sum_of(cut, &|a| a.posteriors[0].ln()).exp()).collect();
    let said = mean(evidence.marks[CLOISTER].iter().copied());
    let cloisters = match game {
        Game::Castle => vec![(false, 0.0)],
        Game::Classic => vec![(false, log_sigmoid(-said)), (true, log_sigmoid(said))],
    };
    let line_weights: Vec<f32> = LINES.iter().map(|l| weigh_lines(evidence, l, game)).collect();
    let mut best = (f32::NEG_INFINITY, Parts { cut: &AREAS[0], lines: &LINES[0], cloister: false });
    let mut weights = Vec::with_capacity(cloisters.len() * AREAS.len() * LINES.len());
    for (lines, line_weight) in LINES.iter().zip(&line_weights) {
        let toll: Vec<f32> =
            (0..=255).map(|area| if lines.crossed_by(area) { WEIGHTS.crossing } else { 0.0 }).collect();
        for (c, cut) in AREAS.iter().enumerate() {
            let crossings: f32 = cut.iter().map(|a| toll[usize::from(*a)]).sum();
            for (cloister, said) in &cloisters {
                let rules = if game == Game::Classic { lines.toll(*cloister, open[c]) } else { 0.0 };
                let weight = line_weight + cuts[c] + said - crossings - rules;
                if weight > best.0 {
                    best = (weight, Parts { cut, lines, cloister: *cloister });
                }
                weights.push(weight);
            }
        }
    }
    let mut posteriors = Posteriors { areas: vec![0.0; 256], lines: vec![0.0; LINES.len()], cloister: 0.0 };
    let total: f32 = weights.iter().map(|w| (w - best.0).exp()).sum();
    for (i, weight) in weights.iter().enumerate() {
        let posterior = (weight - best.0).exp() / total;
        if posterior > NEGLIGIBLE {
            let (at, cloister) = (i / cloisters.len(), cloisters[i % cloisters.len()].0);
            posteriors.lines[at / AREAS.len()] += posterior;
            for area in &AREAS[at % AREAS.len()] {
                posteriors.areas[usize::from(*area)] += posterior;
            }
            posteriors.cloister += if cloister { posterior } else { 0.0 };
        }
    }
    propose(evidence, game, best.1, &areas, &posteriors, 1.0 / total)
}

fn propose(
    evidence: &Evidence,
    game: Game,
    Parts { cut, lines, cloister }: Parts<'_>,
    areas: &[Area],
    posteriors: &Posteriors,
    posterior: f32,
) -> FaceProposal {
    let mut doubts = Vec::new();
    let mut confidence = posterior;
    let mut doubt = |matter: Matter, sure: f32| {
        if sure < SURE {
            doubts.push(Doubt { matter, sure });
        }
    };
    // A mark is there if the mean logit of its segment's ports, corrected, is above 0.
    let mut marks_sure = 1.0;
    let mut marked = |mark: usize, name: &'static str, ports: PortSet| {
        let said = mean(ports.iter().map(|p| evidence.marks[mark][p.index()])) + WEIGHTS.marks[mark];
        let is = said > 0.0;
        let sure = sigmoid(said.abs());
        marks_sure *= sure;
        if let Some(port) = ports.iter().next() {
            doubt(Matter::Mark(port, name, is), sure);
        }
        is
    };
    let mut segments = Vec::new();
    let line = if game == Game::Castle { Kind::PATH } else { Kind::ROAD };
    for group in &lines.groups {
        let ports: PortSet =
            Side::ALL.into_iter().filter(|s| group >> s.index() & 1 == 1).map(Port::middle).collect();
        let fountain = game == Game::Castle && !lines.square && marked(FOUNTAIN, "fountain", ports);
        let attributes = Attributes::NONE
            .with(Attribute::FOUNTAIN, u8::from(fountain))
            .with(Attribute::SQUARE, u8::from(lines.square));
        segments.push(Segment { kind: line, ports, attributes });
    }
    for mask in cut {
        let area = &areas[usize::from(*mask)];
        let ports = ports_of(*mask);
        let (at, likely) = area
            .posteriors
            .iter()
            .copied()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or_default();
        confidence *= likely;
        let kind = kinds(game)[at].1;
        let attributes = match kind {
            Kind::COURT => {
                Attributes::NONE.with(Attribute::MARKET, u8::from(marked(MARKET, "market", ports)))
            }
            Kind::CITY => {
                Attributes::NONE.with(Attribute::PENNANT, u8::from(marked(PENNANT, "pennant", ports)))
            }
            _ => Attributes::NONE,
        };
        segments.push(Segment { kind, ports, attributes });
    }
    confidence *= marks_sure;
    if game == Game::Classic {
        doubt(
            Matter::Cloister(cloister),
            if cloister { posteriors.cloister } else { 1.0 - posteriors.cloister },
        );
        if cloister {
            segments.push(Segment {
                kind: Kind::CLOISTER,
                ports: PortSet::EMPTY,
                attributes: Attributes::default(),
            });
        }
    }
    for side in 0..4 {
        let has = |l: &Lines| l.groups.iter().any(|g| g >> side & 1 == 1);
        let is = has(lines);
        let sure = LINES.iter().zip(&posteriors.lines).filter(|(l, _)| has(l) == is).map(|(_, s)| s).sum();
        doubt(Matter::Line(Side::from_index(side), is), sure);
    }
    for a in 0..4 {
        for b in a + 1..4 {
            let joins = |l: &Lines| l.groups.iter().any(|g| g >> a & g >> b & 1 == 1);
            let there = |l: &Lines| {
                l.groups.iter().any(|g| g >> a & 1 == 1) && l.groups.iter().any(|g| g >> b & 1 == 1)
            };
            let is = joins(lines);
            if there(lines) {
                let sum = |f: &dyn Fn(&Lines) -> bool| -> f32 {
                    LINES.iter().zip(&posteriors.lines).filter(|(l, _)| f(l)).map(|(_, s)| s).sum()
                };
                let both = sum(&there).max(1e-6);
                let sure = sum(&|l| there(l) && joins(l) == is) / both;
                let (p, q) = (Port::middle(Side::from_index(a)), Port::middle(Side::from_index(b)));
                doubt(Matter::Joined(p, q, is), sure);
            }
        }
    }
    for h in 0..8 {
        let mut likely = vec![0.0; kinds(game).len()];
        for (mask, posterior) in posteriors.areas.iter().enumerate().filter(|(m, _)| m >> h & 1 == 1) {
            for (k, s) in areas[mask].posteriors.iter().enumerate() {
                likely[k] += posterior * s;
            }
        }
        let own = segments.iter().find(|s| s.ports.contains(port_of(h))).map(|s| s.kind);
        let mut order: Vec<usize> = (0..likely.len()).collect();
        order.sort_by(|a, b| likely[*b].total_cmp(&likely[*a]));
        let name = |k: usize| kinds(game)[k].1;
        if let Some(kind) = own
            && let Some(other) = order.iter().find(|k| name(**k) != kind)
            && let Some(this) = order.iter().find(|k| name(**k) == kind)
        {
            doubt(Matter::Kind(port_of(h), kind, name(*other)), likely[*this]);
        }
    }
    for (a, b) in pairs_to_ask(cut) {
        let joined = |m: usize| m >> a & m >> b & 1 == 1;
        let is = cut.iter().any(|m| joined(usize::from(*m)));
        let together: f32 =
            posteriors.areas.iter().enumerate().filter(|(m, _)| joined(*m)).map(|(_, s)| s).sum();
        doubt(Matter::Joined(port_of(a), port_of(b), is), if is { together } else { 1.0 - together });
    }
    segments.sort_by_key(|s| (s.ports.is_empty(), !s.kind.is_line(), s.ports.iter().next().map(Port::index)));
    doubts.sort_by(|a, b| a.sure.total_cmp(&b.sure));
    let face = Face::new(segments).unwrap_or_default();
    FaceProposal { face, doubts, confidence }
}

/// Pairs of halves that say all about what is joined: neighbours round the tile,
/// and the first halves of the runs that areas fall into.
fn pairs_to_ask(cut: &[Mask]) -> Vec<(usize, usize)> {
    let area = |half: usize| cut.iter().position(|m| m >> (half % 8) & 1 == 1);
    let mut pairs: Vec<(usize, usize)> = (0..8).map(|h| (h, (h + 1) % 8)).collect();
    let starts: Vec<usize> = (0..8).filter(|h| area(*h) != area(h + 7)).collect();
    for (i, a) in starts.iter().enumerate() {
        pairs.extend(starts[i + 1..].iter().map(|b| (*a, *b)).filter(|(a, b)| b - a > 1 && b - a < 7));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evidence that says a face, `nats` sure of everything.
    fn said(face: &Face, nats: f32) -> Evidence {
        let mut evidence = Evidence::NONE;
        let sign = |is: bool| if is { nats } else { -nats };
        for port in Port::ALL {
            let own = face.at(port);
            for other in Port::ALL {
                evidence.joins[port.index()][other.index()] = sign(own.is_some() && own == face.at(other));
            }
            let segment = own.map(|i| face.segments()[i]);
            let at = port.index();
            if port.is_middle() {
                evidence.lines[at / 3] = sign(segment.is_some());
            } else if let Some(segment) = segment {
                for (k, kind) in kinds(Game::Castle).iter().chain(kinds(Game::Classic)) {
                    if segment.kind == *kind {
                        evidence.kinds[at][*k] = nats;
                    }
                }
            }
            let attributes = segment.map(|s| s.attributes).unwrap_or_default();
            evidence.marks[MARKET][at] = sign(attributes.has(Attribute::MARKET));
            evidence.marks[FOUNTAIN][at] = sign(attributes.has(Attribute::FOUNTAIN));
            evidence.marks[SQUARE][at] = sign(attributes.has(Attribute::SQUARE));
            evidence.marks[PENNANT][at] = sign(attributes.has(Attribute::PENNANT));
            evidence.marks[CLOISTER][at] = sign(face.segments().iter().any(|s| s.kind == Kind::CLOISTER));
        }
        evidence
    }

    fn same(a: &Face, b: &Face) -> bool {
        a.segments().len() == b.segments().len() && a.segments().iter().all(|s| b.segments().contains(s))
    }

    #[test]
    fn what_is_said_clearly_is_proposed_without_doubt() {
        for (game, text) in [
            (Game::Castle, "tower n-el-wr; path e-s +fountain; court er-sl +market; court sr-wl"),
            (
                Game::Castle,
                "path n +square; path e +square; path s +square; house nr-el; court nl-w-sr; court er-sl",
            ),
            (Game::Castle, "path w; house n-wr; tower e-s-wl"),
            (Game::Castle, "house n-s; court e +market; court w"),
            (Game::Classic, "city n-s +pennant; field e; field w"),
            (Game::Classic, "cloister; road s; field n-e-s-w"),
            (Game::Classic, "city n; road e-w; field el-wr; field er-s-wl"),
        ] {
            let face: Face = text.parse().unwrap();
            let proposal = decode(&said(&face, 8.0), game);
            assert!(same(&proposal.face, &face), "{text}: {}", proposal.face);
            assert!(proposal.doubts.is_empty(), "{text}: {:?}", proposal.doubts);
            assert!(proposal.confidence > 0.9, "{text}: {}", proposal.confidence);
        }
    }

    /// In the classic game a road ends at a crossing, a city or a cloister.
    #[test]
    fn what_is_left_open_follows_from_where_roads_may_end() {
        let joins = |evidence: &mut Evidence, nats: f32| {
            for (a, b) in [(1, 4), (1, 7), (1, 10), (4, 7), (4, 10), (7, 10)] {
                (evidence.joins[a][b], evidence.joins[b][a]) = (nats, nats);
            }
        };
        let crossing: Face =
            "road e; road s; road w; field n-el-wr; field er-sl; field sr-wl".parse().unwrap();
        let mut evidence = said(&crossing, 8.0);
        joins(&mut evidence, 0.5);
        let proposal = decode(&evidence, Game::Classic);
        assert!(same(&proposal.face, &crossing), "{}", proposal.face);
        let through: Face = "road e-w; field n-el-wr; field er-s-wl".parse().unwrap();
        let mut evidence = said(&through, 8.0);
        joins(&mut evidence, -0.5);
        let proposal = decode(&evidence, Game::Classic);
        assert!(same(&proposal.face, &through), "{}", proposal.face);
        let cloister: Face = "cloister; road s; field n-e-s-w".parse().unwrap();
        let mut evidence = said(&cloister, 8.0);
        evidence.marks[CLOISTER] = [-0.5; 12];
        let proposal = decode(&evidence, Game::Classic);
        assert!(same(&proposal.face, &cloister), "{}", proposal.face);
        assert!(proposal.doubts.iter().any(|d| d.matter == Matter::Cloister(true)));
        // A road may end at a city.
        let gate: Face = "city n; road s; field e-sl-w-sr".parse().unwrap();
        let mut evidence = said(&gate, 8.0);
        evidence.marks[CLOISTER] = [-2.0; 12];
        let proposal = decode(&evidence, Game::Classic);
        assert!(same(&proposal.face, &gate), "{}", proposal.face);
    }

    #[test]
    fn one_voice_against_many_is_overruled_and_doubted() {
        let face: Face = "path n-s; court nr-e-sl; house nl-w-sr".parse().unwrap();
        let mut evidence = said(&face, 3.0);
        let nr = Port::from_name("nr").unwrap();
        evidence.kinds[nr.index()] = [0.0, 1.0, 0.0, 0.0];
        let proposal = decode(&evidence, Game::Castle);
        assert!(same(&proposal.face, &face), "{}", proposal.face);
        assert!(proposal.doubts.iter().all(|d| d.sure < SURE));
        assert!(proposal.confidence < 0.9);
    }

    #[test]
    fn whatever_is_said_the_face_is_whole() {
        let mut state = 1_u32;
        let mut any = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 22) as f32 - 2.0
        };
        for _ in 0..20 {
            let mut evidence = Evidence::NONE;
            for p in 0..12 {
                evidence.kinds[p] = std::array::from_fn(|_| 3.0 * any());
                evidence.joins[p] = std::array::from_fn(|_| 3.0 * any());
            }
            evidence.lines = std::array::from_fn(|_| 3.0 * any());
            for mark in &mut evidence.marks {
                *mark = std::array::from_fn(|_| 3.0 * any());
            }
            for game in [Game::Castle, Game::Classic] {
                let proposal = decode(&evidence, game);
                let halves = Port::ALL.into_iter().filter(|p| !p.is_middle());
                assert!(halves.clone().all(|p| proposal.face.at(p).is_some()), "{}", proposal.face);
                assert_eq!(proposal.face.to_string().parse::<Face>().unwrap(), proposal.face);
            }
        }
    }

    #[test]
    fn there_are_1430_ways_to_cut_the_halves() {
        assert_eq!(AREAS.len(), 1430);
        let through = Lines { groups: vec![0b0101], square: false };
        assert!(through.crossed_by(0b0000_0011));
        assert!(!through.crossed_by(0b0000_1110));
    }
}
