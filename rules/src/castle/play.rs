//! Games that play themselves, for demonstrations, tests and benchmarks.

use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::SliceRandom;

use super::Phase;
use super::board::Place;
use super::{Move, Placement, Position, SegmentAt, WALL_TILE_KINDS};
use crate::{Attribute, Kind, Player, Rotation};

/// How a game plays itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Any legal placement, any legal follower or none.
    Random,
    /// The placement and follower after which things look best for the mover:
    /// points made, features begun and kept, markets, wall tiles.
    Greedy,
}

/// Lays a random choice of the eighteen wall tiles on a wall's towers (CA-07):
/// the lower track space of each to the number of its wall tile.
pub fn random_wall_tiles(towers: &[(u8, u8)], rng: &mut impl Rng) -> BTreeMap<u8, u8> {
    let mut bag: Vec<u8> = (1..=WALL_TILE_KINDS).flat_map(|n| [n, n]).collect();
    bag.shuffle(rng);
    towers.iter().map(|t| t.0).filter(|low| *low != 0).zip(bag).collect()
}

/// Plays a game from its start to its end, tiles drawn at random, and calls
/// `note` with every move before it is played.
pub fn play_out(
    position: &mut Position,
    policy: Policy,
    rng: &mut impl Rng,
    mut note: impl FnMut(&Position, &Move),
) {
    let mut bag: Vec<u16> = (0..position.tiles())
        .flat_map(|tile| std::iter::repeat_n(tile as u16, position.remaining(tile) as usize))
        .collect();
    bag.shuffle(rng);
    let mut placements: Vec<(Place, Rotation)> = Vec::with_capacity(512);
    while position.phase() != Phase::Over {
        let player = position.to_move();
        if let Some(tower_number) = extra_turn(position, player) {
            let used = Move::Use { player, number: tower_number, on: None };
            note(position, &used);
            position.begin();
            position.use_wall_tile(player, tower_number, None);
        }
        let Some(tile) = bag.pop() else { return };
        let tile = usize::from(tile);
        placements.clear();
        position.each_placement(tile, |place, rotation| placements.push((place, rotation)));
        if placements.is_empty() {
            note(position, &Move::Discard { player, tile });
            position.begin();
            position.discard(tile);
            continue;
        }
        let (at, segment) = match policy {
            Policy::Random => (rng.random_range(0..placements.len()), None),
            Policy::Greedy => best(position, tile, &placements, rng),
        };
        let (place, rotation) = placements[at];
        let placement = Placement { tile, cell: position.cell_of(place), rotation };
        note(position, &Move::Lay { player, placement });
        position.begin();
        position.lay(tile, place, rotation);
        let segment = match policy {
            Policy::Random => random_claim(position, rng),
            Policy::Greedy => segment,
        };
        if let Some(segment) = segment {
            note(position, &Move::follower(player, SegmentAt { cell: placement.cell, segment }));
            position.begin();
            position.claim(player, place, segment);
        }
        for number in [2, 3] {
            while position.can_double(player, number) {
                note(position, &Move::Use { player, number, on: None });
                position.begin();
                position.use_wall_tile(player, number, None);
            }
        }
        note(position, &Move::End { player });
        position.begin();
        position.finish_turn();
    }
}

/// Wall tile 1, if the player to move holds it and a tile is left for the turn
/// that it gives.
fn extra_turn(position: &Position, player: Player) -> Option<u8> {
    (position.tiles_left() > 1 && position.holds(player, 1)).then_some(1)
}

/// Two times in three a follower on any segment that may be claimed.
fn random_claim(position: &Position, rng: &mut impl Rng) -> Option<u8> {
    if position.supply(position.to_move()) == 0 || rng.random_range(0..3) == 0 {
        return None;
    }
    let mut free = [0u8; 32];
    let mut count = 0;
    for (segment, node) in position.nodes(position.state.last).enumerate() {
        let root = position.features.root(node);
        if !position.features.of(root).is_claimed() && !position.is_old_ring(root) {
            free[count] = segment as u8;
            count += 1;
        }
    }
    (count > 0).then(|| free[rng.random_range(0..count)])
}

/// The placement, by index, and the claim that look best; near ties are broken
/// at random.
fn best(
    position: &mut Position,
    tile: usize,
    placements: &[(Place, Rotation)],
    rng: &mut impl Rng,
) -> (usize, Option<u8>) {
    let player = position.to_move();
    let mut best = (f32::NEG_INFINITY, 0, None);
    for (index, &(place, rotation)) in placements.iter().enumerate() {
        position.begin();
        position.lay(tile, place, rotation);
        let claims = position.claims();
        for segment in std::iter::once(None).chain(claims.iter().map(|c| Some(c.0))) {
            position.begin();
            if let Some(segment) = segment {
                position.claim(player, place, segment);
            }
            position.finish_turn();
            let value = outlook(position, player) + rng.random_range(0.0..0.3);
            if value > best.0 {
                best = (value, index, segment);
            }
            position.undo();
        }
        position.undo();
    }
    (best.1, best.2)
}

/// How good a position looks for a player, in points.
fn outlook(position: &Position, player: Player) -> f32 {
    let mut value = 0.0;
    for side in [player, player.opponent()] {
        let sign = if side == player { 1.0 } else { -1.0 };
        value += sign * position.total(side) as f32;
        value += sign * 3.0 * position.wall_tiles(side).len() as f32;
        value += sign * position.keep(side).map_or(0.0, |k| k.size as f32);
        // A follower that stands is one less for the turns to come.
        value -= sign * 1.5 * (1.0 - f32::from(position.supply(side)) / 6.0) * 6.0;
    }
    for (_, feature) in position.features.roots() {
        let Some(owner) = feature.majority() else { continue };
        let sign = if owner == player.index() { 1.0 } else { -1.0 };
        let worth = if feature.kind == Kind::COURT {
            1.0 + 3.0 * f32::from(feature.attributes.count(Attribute::MARKET))
        } else {
            let full = (feature.places.len() * super::turn::points_each(feature)) as f32;
            (full + 2.0) / (1.0 + 0.25 * f32::from(feature.open))
        };
        value += sign * worth;
    }
    value
}
