//! Faces of a game whose tiles are known: each tile gets the known face that is nearest
//! to what is seen of it, no face more often than the game has it.

use super::decode::{cut_weight, line_weight, mark_weight};
use super::proposal::{Doubt, FaceProposal, Matter, SURE};
use crate::rules::{Attribute, Deck, Face, Game, Kind, Port, PortSet, Rotation};
use crate::vision::faces::Evidence;

/// Nats that it costs to name a tile by a face of which the game has no more.
const SPENT: f32 = 8.0;
/// Temperature of the softmax that makes confidences of log-likelihoods: what is said of the
/// ports of one tile is not independent. Smaller is surer. The likeliest of 1 to 20 for 24
/// scans of an older printing of the classic game (0.34 nats a tile, with 1 it is 0.60); 72
/// scans of a newer one, looked at too, have 0.26 (with 1, 0.31).
const TEMPERATURE: f32 = 4.0;

/// A known face, turned, with how well it fits what is seen.
#[derive(Clone, Debug)]
struct Fit {
    /// The known tile, by its index in the game's deck.
    tile: usize,
    rotation: Rotation,
    /// Log-likelihood, in nats.
    weight: f32,
}

/// Proposes a known face for each tile. Each known tile is given out as often as it is in
/// the game's deck, for each tile that is seen once; the assignment is the likeliest that
/// swapping two tiles' faces cannot better.
pub(super) fn propose(evidence: &[Evidence], known: &Deck, game: Game) -> Vec<FaceProposal> {
    let fits: Vec<Vec<Fit>> = evidence.iter().map(|seen| fits(seen, known, game)).collect();
    let chosen = assign(&fits, known);
    fits.iter().zip(chosen).map(|(fits, chosen)| proposal(fits, chosen, known)).collect()
}

/// How well each known tile fits, in its best turn; the best first.
fn fits(seen: &Evidence, known: &Deck, game: Game) -> Vec<Fit> {
    let mut all: Vec<Fit> = Vec::new();
    for (tile, face) in known.tiles.iter().enumerate().filter_map(|(i, t)| Some((i, t.face.as_ref()?))) {
        let turned = Rotation::ALL.map(|rotation| Fit {
            tile,
            rotation,
            weight: weight(seen, &face.turned(rotation), game),
        });
        all.extend(turned.into_iter().reduce(|a, b| if b.weight > a.weight { b } else { a }));
    }
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    all
}

/// The log-likelihood of a face, up to what all faces share.
fn weight(seen: &Evidence, face: &Face, game: Game) -> f32 {
    let lines: Vec<u8> = of_kind(face, true).map(|(_, ports)| sides(ports)).collect();
    let areas: Vec<(Kind, PortSet)> = of_kind(face, false).collect();
    line_weight(seen, &lines, game) + cut_weight(seen, &areas, game) + mark_weight(seen, face)
}

fn of_kind(face: &Face, line: bool) -> impl Iterator<Item = (Kind, PortSet)> {
    let of = move |kind: Kind| kind.is_line() == line && kind != Kind::CLOISTER;
    face.segments().iter().filter(move |s| of(s.kind)).map(|s| (s.kind, s.ports))
}

fn sides(ports: PortSet) -> u8 {
    ports.iter().fold(0, |bits, port| bits | 1 << port.side().index())
}

/// Gives every tile a known one: the likeliest first, then pairs are swapped while that
/// makes all of it likelier. Returns indices into each tile's fits.
fn assign(fits: &[Vec<Fit>], known: &Deck) -> Vec<usize> {
    let mut left: Vec<u32> = known.tiles.iter().map(|t| t.count).collect();
    let margin = |fits: &[Fit]| match fits {
        [first, second, ..] => first.weight - second.weight,
        _ => 0.0,
    };
    let mut order: Vec<usize> = (0..fits.len()).collect();
    order.sort_by(|a, b| margin(&fits[*b]).total_cmp(&margin(&fits[*a])));
    let mut chosen = vec![0; fits.len()];
    for tile in order {
        let cost = |fit: &Fit| fit.weight - if left[fit.tile] == 0 { SPENT } else { 0.0 };
        let best = fits[tile].iter().enumerate().max_by(|a, b| cost(a.1).total_cmp(&cost(b.1)));
        let Some((at, fit)) = best else { continue };
        left[fit.tile] = left[fit.tile].saturating_sub(1);
        chosen[tile] = at;
    }
    let of = |tile: usize, kind: usize| fits[tile].iter().position(|fit| fit.tile == kind);
    let mut better = true;
    while std::mem::take(&mut better) {
        for a in 0..fits.len() {
            for b in a + 1..fits.len() {
                let (Some(fit_a), Some(fit_b)) = (fits[a].get(chosen[a]), fits[b].get(chosen[b])) else {
                    continue;
                };
                let (Some(to_a), Some(to_b)) = (of(a, fit_b.tile), of(b, fit_a.tile)) else { continue };
                let now = fit_a.weight + fit_b.weight;
                if fits[a][to_a].weight + fits[b][to_b].weight > now + 1e-3 {
                    (chosen[a], chosen[b]) = (to_a, to_b);
                    better = true;
                }
            }
        }
    }
    chosen
}

/// What is proposed for a tile: the chosen face, how likely it is among all known ones,
/// and where the likeliest other differs from it.
fn proposal(fits: &[Fit], chosen: usize, known: &Deck) -> FaceProposal {
    let face_of = |fit: &Fit| {
        let face = known.tiles[fit.tile].face.clone().unwrap_or_default();
        face.turned(fit.rotation)
    };
    let Some(fit) = fits.get(chosen) else {
        return FaceProposal { face: Face::default(), doubts: Vec::new(), confidence: 0.0 };
    };
    let likelihood = |fit: &Fit| ((fit.weight - fits[0].weight) / TEMPERATURE).exp();
    let confidence = likelihood(fit) / fits.iter().map(likelihood).sum::<f32>();
    let face = face_of(fit);
    let other = fits.iter().enumerate().find(|(i, _)| *i != chosen).map(|(_, other)| face_of(other));
    let doubts = match other {
        Some(other) if confidence < SURE => differences(&face, &other, confidence),
        _ => Vec::new(),
    };
    FaceProposal { face, doubts, confidence }
}

/// Where two faces differ, as doubts about the first.
fn differences(face: &Face, other: &Face, sure: f32) -> Vec<Doubt> {
    let segment = |face: &Face, port: Port| face.at(port).map(|i| face.segments()[i]);
    let mut doubts = Vec::new();
    for port in Port::ALL {
        let matter = match (segment(face, port), segment(other, port)) {
            (a, b) if port.is_middle() && a.is_some() != b.is_some() => {
                Some(Matter::Line(port.side(), a.is_some()))
            }
            (Some(a), Some(b)) if a.kind != b.kind => Some(Matter::Kind(port, a.kind, b.kind)),
            (Some(a), Some(b)) => {
                let counts = |what: Attribute| (a.attributes.count(what), b.attributes.count(what));
                let other = Attribute::ALL.into_iter().find(|what| counts(*what).0 != counts(*what).1);
                other.map(|what| Matter::Mark(port, what.name(), counts(what).0 > 0))
            }
            _ => None,
        };
        doubts.extend(matter.map(|matter| Doubt { matter, sure }));
    }
    let cloister = |face: &Face| face.segments().iter().any(|s| s.kind == Kind::CLOISTER);
    if cloister(face) != cloister(other) {
        doubts.push(Doubt { matter: Matter::Cloister(cloister(face)), sure });
    }
    let joined = |face: &Face, a: Port, b: Port| face.at(a).is_some() && face.at(a) == face.at(b);
    if doubts.is_empty() {
        let pairs = Port::ALL.iter().flat_map(|a| Port::ALL.iter().map(move |b| (*a, *b)));
        let parted =
            pairs.filter(|(a, b)| a < b).find(|(a, b)| joined(face, *a, *b) != joined(other, *a, *b));
        doubts.extend(parted.map(|(a, b)| Doubt { matter: Matter::Joined(a, b, joined(face, a, b)), sure }));
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(tile: usize, weight: f32) -> Fit {
        Fit { tile, rotation: Rotation::new(0), weight }
    }

    #[test]
    fn a_face_is_given_out_as_often_as_the_game_has_it() {
        let mut known = crate::rules::classic::base_deck();
        known.tiles.truncate(2);
        known.tiles.iter_mut().for_each(|t| t.count = 1);
        // Both look like the first, the second tile more so: the first takes what is left.
        let fits = vec![vec![fit(0, -1.0), fit(1, -2.0)], vec![fit(0, -1.0), fit(1, -6.0)]];
        assert_eq!(assign(&fits, &known), [1, 0]);
        // Far too unlike: the face is given out once more.
        let fits = vec![vec![fit(0, -1.0), fit(1, -20.0)], vec![fit(0, -1.0), fit(1, -30.0)]];
        assert_eq!(assign(&fits, &known), [0, 0]);
    }

    #[test]
    fn a_face_that_is_little_likelier_than_the_next_is_in_doubt() {
        let known = crate::rules::classic::base_deck();
        let of_margin = |nats: f32| proposal(&[fit(0, 0.0), fit(1, -nats)], 0, &known);
        let (near, far) = (of_margin(TEMPERATURE * 1.5), of_margin(TEMPERATURE * 5.0));
        assert!(near.confidence > 0.5 && near.confidence < SURE && !near.doubts.is_empty(), "{near:?}");
        assert!(far.confidence > SURE && far.doubts.is_empty(), "{far:?}");
    }

    #[test]
    fn doubts_say_where_the_next_face_differs() {
        let face = |text: &str| text.parse::<Face>().unwrap();
        let said = |a: &str, b: &str| -> Vec<String> {
            differences(&face(a), &face(b), 0.5).iter().map(ToString::to_string).collect()
        };
        let pennants = said("city n-w +pennant; field e-s", "city n-w; field e-s");
        assert!(pennants[0].contains("may have no pennant"), "{pennants:?}");
        assert_eq!(said("city n; city w; field e-s", "city n-w; field e-s").len(), 1);
        // What the network was never taught.
        let inns = said("road s-w; field n-e", "road s-w +inn; field n-e");
        assert!(inns.iter().any(|doubt| doubt.contains("may have an inn")), "{inns:?}");
        let goods = said("city n-w +wine; field e-s", "city n-w +grain; field e-s");
        assert!(goods[0].contains("may have"), "{goods:?}");
        let road = said("road s; cloister; field n-e-s-w", "cloister; field n-e-s-w");
        assert!(road[0].contains("may have no path or road"), "{road:?}");
    }
}
