//! Games that play themselves, for demonstrations, tests and benchmarks.

use rand::Rng;
use rand::seq::SliceRandom;

use super::board::Place;
use super::position::Position;
use crate::{FigureKind, Move, Phase, Placement, SegmentAt};

/// Plays a game of random legal moves to its end, and calls `note` with every move before
/// it is played. Two times in three a follower is put where one may be.
pub fn play_out(position: &mut Position, rng: &mut impl Rng, mut note: impl FnMut(&Position, &Move)) {
    let mut bag: Vec<u16> = (0..position.tiles())
        .flat_map(|tile| std::iter::repeat_n(tile as u16, position.remaining(tile) as usize))
        .collect();
    bag.shuffle(rng);
    let mut fitting = Vec::new();
    let mut claims: Vec<Move> = Vec::new();
    position.make_room();
    while position.phase() != Phase::Over {
        let player = position.to_move();
        let Some(tile) = draw(position, &mut bag) else { return };
        let ways = position.fitting(tile, &mut fitting);
        let way = if ways > 0 { rng.random_range(0..ways as usize) as u32 } else { 0 };
        let Some((square, rotation)) = position.nth_fitting(&fitting, way) else {
            note(position, &Move::Discard { player, tile });
            position.begin();
            position.discard(tile);
            continue;
        };
        let cell = position.cell(square);
        note(position, &Move::Lay { player, placement: Placement { tile, cell, rotation } });
        position.begin();
        position.lay(tile, square, rotation);
        if position.active != 0 {
            claim_of_modules(position, rng, &mut claims, &mut note);
        } else if let Some(segment) = random_claim(position, rng) {
            note(position, &Move::follower(player, SegmentAt { cell, segment }));
            position.begin();
            position.claim(player, (position.laid.len() - 1) as Place, segment, FigureKind::FOLLOWER);
        }
        note(position, &Move::End { player });
        position.begin();
        position.finish_turn();
        while position.phase() == Phase::Step {
            let moves = position.legal_moves(&[]);
            let played = &moves[rng.random_range(0..moves.len())];
            note(position, played);
            position.happen(played);
        }
    }
}

/// The next tile of the bag that may be drawn.
fn draw(position: &Position, bag: &mut Vec<u16>) -> Option<usize> {
    if position.active == 0 {
        return bag.pop().map(usize::from);
    }
    let next = bag.iter().rposition(|tile| position.may_draw(usize::from(*tile)))?;
    Some(usize::from(bag.remove(next)))
}

/// Two times in three any figure where one may be put, by the rules of the modules.
fn claim_of_modules(
    position: &mut Position,
    rng: &mut impl Rng,
    claims: &mut Vec<Move>,
    note: &mut impl FnMut(&Position, &Move),
) {
    if rng.random_range(0..3) == 0 {
        return;
    }
    claims.clear();
    position.add_claims(claims);
    if !claims.is_empty() {
        let played = claims.swap_remove(rng.random_range(0..claims.len()));
        note(position, &played);
        position.happen(&played);
    }
}

/// Two times in three a follower on any segment that may be claimed.
fn random_claim(position: &Position, rng: &mut impl Rng) -> Option<u8> {
    if position.supply(position.to_move()) == 0 || rng.random_range(0..3) == 0 {
        return None;
    }
    let mut free = [0u8; 32];
    let mut count = 0;
    let last = position.laid.len() - 1;
    for (segment, node) in position.nodes(last as Place).enumerate() {
        let feature = position.features.of(node);
        if !feature.is_claimed() && crate::Role::on(feature.kind).is_some() {
            free[count] = segment as u8;
            count += 1;
        }
    }
    (count > 0).then(|| free[rng.random_range(0..count)])
}
