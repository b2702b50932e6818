//! What a new tile is: the camera's readings held against the rules.

use super::steady::{Candidate, SteadyFigure};
use crate::observation::Figure;
use crate::rules::{Cell, FaceMap, Player};
use crate::rules::{GamePosition, Illegality, Move, Placement, SegmentAt, Side};

use super::standing::nearest_segments;

/// A reading this sure is believed against the rules.
const CONFIDENT: f32 = 0.6;
/// A legal reading less sure than this is not believed without being said.
const FAIR: f32 = 0.3;
/// A legal reading is taken for an illegal one if it is at least this fraction
/// as likely.
const FAIR_SHARE: f32 = 0.25;
/// Two readings nearer to each other than this are not told apart.
const CLOSE: f32 = 0.85;
/// How far a follower may stand from the segment that it is meant for, in tile
/// sides: printed tiles differ from the canonical layout.
pub(super) const REACH: f32 = 0.14;
/// The most new tiles at once whose order is looked for.
const MANY: usize = 5;

/// A tile where the record has none.
#[derive(Clone, Debug)]
pub(super) struct NewTile {
    pub cell: Cell,
    pub candidates: Vec<Candidate>,
    pub figures: Vec<SteadyFigure>,
    pub since: f64,
}

/// What a new tile is held to be.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// This one.
    Clear(Candidate),
    /// This one, though the rules are against it and nothing else is likely.
    Against(Candidate, Vec<Illegality>),
    /// One of these legal ones, best first.
    Unclear(Vec<Candidate>),
    /// Nothing that is read can lie there; the reasons are those against the
    /// best reading.
    Nothing(Vec<Illegality>),
}

/// Chooses among the readings of a cell for the player to move.
pub(super) fn choose(position: &dyn GamePosition, cell: Cell, candidates: &[Candidate]) -> Choice {
    let judge = |c: &Candidate| {
        let tile = position.tile_index(&c.tile)?;
        let placement = Placement { tile, cell, rotation: c.rotation };
        Some(position.illegalities(&Move::Lay { player: position.to_move(), placement }))
    };
    let judged: Vec<(&Candidate, Vec<Illegality>)> =
        candidates.iter().filter_map(|c| Some((c, judge(c)?))).collect();
    let Some((top, against)) = judged.first() else { return Choice::Nothing(Vec::new()) };
    let legal: Vec<Candidate> =
        judged.iter().filter(|(_, why)| why.is_empty()).map(|(c, _)| (*c).clone()).collect();
    if let [best, rest @ ..] = &legal[..] {
        let sure = best.confidence >= FAIR && best.confidence >= FAIR_SHARE * top.confidence;
        let alone = rest.first().is_none_or(|r| r.confidence < CLOSE * best.confidence);
        if sure && (alone || best.confidence >= CONFIDENT) {
            return Choice::Clear(best.clone());
        }
    }
    let touches = Side::ALL.into_iter().any(|side| position.tile_at(cell.neighbour(side)).is_some());
    let broken_at_the_table = against
        .iter()
        .all(|i| ["CA-21", "CA-22", "CA-25"].contains(&i.rule) || (i.rule == "BA-08" && touches));
    if !against.is_empty() && broken_at_the_table && top.confidence >= CONFIDENT {
        return Choice::Against((*top).clone(), against.clone());
    }
    if legal.is_empty() { Choice::Nothing(against.clone()) } else { Choice::Unclear(legal) }
}

/// The segment that a follower was put on, with a confidence from 0 to 1: the
/// nearest of those that it may be put on, if one is in reach.
pub(super) fn claim(
    position: &dyn GamePosition,
    layouts: &[Option<FaceMap>],
    cell: Cell,
    figure: &SteadyFigure,
) -> Option<(SegmentAt, f32)> {
    let (tile, rotation) = position.tile_at(cell)?;
    let layout = layouts.get(tile)?.as_ref()?;
    let claims = position.claims();
    let (segment, distance) = nearest_segments(layout, rotation, figure.x, figure.y)
        .into_iter()
        .find(|(segment, distance)| *distance <= REACH && claims.iter().any(|c| c.0 == *segment))?;
    let confidence = figure.confidence * (1.0 - 0.5 * distance / REACH);
    Some((SegmentAt { cell, segment }, confidence.clamp(0.0, 1.0)))
}

/// New tiles in the order in which they must have been laid, and whether that
/// is the only order.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// Indices of the new tiles, with what each is held to be.
    pub tiles: Vec<(usize, Candidate)>,
    /// No other order gives other scores, and every tile is clear.
    pub certain: bool,
}

/// Finds an order for several new tiles: players alternate, each tile is legal
/// when its turn comes, and a follower on it is its player's. The position must
/// wait for a tile.
pub(super) fn order(
    position: &dyn GamePosition,
    layouts: &[Option<FaceMap>],
    new: &[NewTile],
) -> Option<Order> {
    if new.len() > MANY {
        return None;
    }
    let mut search = Search { layouts, new, found: Vec::new(), path: Vec::new(), unclear: 0 };
    let mut position = position.boxed();
    search.descend(&mut *position);
    search.found.sort_by_key(|f| f.unclear);
    let best = search.found.first()?.clone();
    let same = search.found.iter().all(|f| f.outcome == best.outcome && f.unclear >= best.unclear);
    Some(Order { tiles: best.tiles, certain: same && best.unclear == 0 })
}

struct Search<'a> {
    layouts: &'a [Option<FaceMap>],
    new: &'a [NewTile],
    found: Vec<Found>,
    path: Vec<(usize, Candidate)>,
    unclear: u32,
}

#[derive(Clone)]
struct Found {
    tiles: Vec<(usize, Candidate)>,
    unclear: u32,
    outcome: Outcome,
}

/// What an order leads to: totals, and who laid what where.
type Outcome = (Vec<u32>, Vec<(Cell, Player, String)>);

impl Search<'_> {
    fn descend(&mut self, position: &mut dyn GamePosition) {
        if self.path.len() == self.new.len() {
            let mut laid: Vec<_> =
                self.path.iter().map(|(i, c)| (self.new[*i].cell, Player(0), c.tile.clone())).collect();
            laid.sort();
            let totals = Player::first(position.players()).map(|p| position.total(p)).collect();
            let outcome = (totals, laid);
            self.found.push(Found { tiles: self.path.clone(), unclear: self.unclear, outcome });
            return;
        }
        let mover = position.to_move();
        for index in 0..self.new.len() {
            if self.path.iter().any(|(i, _)| *i == index) {
                continue;
            }
            let new = &self.new[index];
            let mut colours = new.figures.iter().filter(|f| f.figure == Figure::Follower).map(|f| f.player);
            if colours.any(|p| p != mover.0) {
                continue;
            }
            let (candidate, unclear) = match choose(position, new.cell, &new.candidates) {
                Choice::Clear(candidate) => (candidate, 0),
                Choice::Unclear(candidates) => match candidates.into_iter().next() {
                    Some(candidate) => (candidate, 1),
                    None => continue,
                },
                Choice::Against(..) | Choice::Nothing(_) => continue,
            };
            let Some(tile) = position.tile_index(&candidate.tile) else { continue };
            let placement = Placement { tile, cell: new.cell, rotation: candidate.rotation };
            if position.play(&Move::Lay { player: mover, placement }).is_err() {
                continue;
            }
            let mut moves = 1;
            let follower = new.figures.iter().find(|f| f.figure == Figure::Follower);
            if let Some((at, _)) = follower.and_then(|f| claim(position, self.layouts, new.cell, f))
                && position.play(&Move::follower(mover, at)).is_ok()
            {
                moves += 1;
            }
            if position.play(&Move::End { player: mover }).is_ok() {
                moves += 1;
            }
            self.path.push((index, candidate));
            self.unclear += unclear;
            self.descend(position);
            self.unclear -= unclear;
            self.path.pop();
            for _ in 0..moves {
                position.undo();
            }
        }
    }
}
