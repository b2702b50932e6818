//! Whole records of games that played themselves.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::event::{EventKind, Header, Source, VERSION};
use super::fold;
use super::game::{Game, RecordError};
use crate::rules::castle::{Policy, random_wall_tiles};
use crate::rules::{self, Deck, Move, Phase, Player, Role, Wall, castle, classic};

/// Seconds that a turn takes in the record of a game that played itself.
const SECONDS_A_TURN: f64 = 20.0;

/// A whole record of a game that plays itself. The same seed gives the same
/// game.
///
/// # Errors
/// [`RecordError`] when the wall and the deck cannot be played with.
pub fn play_random(wall: &Wall, deck: &Deck, seed: u64, policy: Policy) -> Result<Game, RecordError> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: rules::Game::Castle,
        deck: deck.name.clone(),
        wall: Some(wall.name.clone()),
        edition: None,
        players: ["White", "Black"].map(str::to_owned).to_vec(),
        colours: ["white", "black"].map(str::to_owned).to_vec(),
        neutral: None,
        starts: Player((seed % 2) as u8),
        wall_tiles: random_wall_tiles(&wall.towers, &mut rng),
    };
    play_random_with(header, wall, deck, seed, policy)
}

/// As [`play_random`], under a header of one's own, of any game; the classic game is
/// always played at random.
///
/// # Errors
/// As [`play_random`].
pub fn play_random_with<'a>(
    header: Header,
    wall: impl Into<Option<&'a Wall>>,
    deck: &Deck,
    seed: u64,
    policy: Policy,
) -> Result<Game, RecordError> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut game = Game::new(header, wall, deck)?;
    let mut facts = Vec::new();
    let start = game.start_position();
    if let Some(start) = start.as_any().downcast_ref::<castle::Position>() {
        castle::play_out(&mut start.clone(), policy, &mut rng, |position, played| {
            facts.extend(fold::to_fact(position, played));
        });
    } else if let Some(start) = start.as_any().downcast_ref::<classic::Position>() {
        classic::play_out(&mut start.clone(), &mut rng, |position, played| {
            facts.extend(fold::to_fact(position, played));
        });
    }
    record_at_pace(&mut game, facts)?;
    Ok(game)
}

/// How often a player of [`play_eventful`] puts a follower where one may be, and makes a move of a
/// step that may be passed.
const CLAIMS: f64 = 0.5;
const ACTS: f64 = 0.8;
/// Of so many places for a tile the one with most tiles round it is taken: boards of people are more
/// compact than those of chance.
const LOOKED_AT: usize = 6;

/// So many turns of a game in which much is done between turns, where a module has such steps:
/// players lay tiles that open one, keep followers for it off the fields, and seldom pass. The same
/// seed gives the same game.
///
/// # Errors
/// As [`play_random`].
pub fn play_eventful<'a>(
    header: Header,
    wall: impl Into<Option<&'a Wall>>,
    deck: &Deck,
    seed: u64,
    turns: usize,
) -> Result<Game, RecordError> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut game = Game::new(header, wall, deck)?;
    let mut position = game.start_position();
    let mut facts = Vec::new();
    let mut play = |position: &mut Box<dyn rules::GamePosition>, played: &Move| {
        let fact = fold::to_fact(&**position, played);
        let done = position.play(played).is_ok();
        facts.extend(fact.filter(|_| done));
        done
    };
    let all =
        (0..position.tiles()).flat_map(|tile| std::iter::repeat_n(tile, position.remaining(tile) as usize));
    let mut bag: Vec<usize> = all.collect();
    bag.shuffle(&mut rng);
    for _ in 0..turns {
        let may_come = |tile: &usize| !position.legal_moves(&[*tile]).is_empty();
        let Some(next) = bag.iter().rposition(may_come) else { break };
        let lays = position.legal_moves(&[bag.remove(next)]);
        let opens = |lay: &&Move| {
            let mut after = position.boxed();
            let end = Move::End { player: after.to_move() };
            after.play(lay).is_ok() && after.play(&end).is_ok() && after.phase() == Phase::Step
        };
        let beside = |lay: &&Move| match lay {
            Move::Lay { placement, .. } => {
                let at = placement.cell;
                let rows = (-1..=1).flat_map(|row| (-1..=1).map(move |col| (col, row)));
                let near = rows.filter_map(|(col, row)| {
                    Some(rules::Cell::new(at.col.checked_add(col)?, at.row.checked_add(row)?))
                });
                near.filter(|cell| position.tile_at(*cell).is_some()).count()
            }
            _ => 0,
        };
        let lay = lays.iter().find(opens);
        let lay = lay.or_else(|| lays.choose_multiple(&mut rng, LOOKED_AT).max_by_key(beside)).cloned();
        if !lay.is_some_and(|lay| play(&mut position, &lay)) {
            break;
        }
        if position.phase() != Phase::Follower {
            continue;
        }
        let claims = position.legal_moves(&[]);
        let kept_for_steps = |m: &&Move| match m {
            Move::Claim { at, .. } => position.role_at(*at) != Some(Role::FARMER),
            _ => false,
        };
        let claims: Vec<&Move> = claims.iter().filter(kept_for_steps).collect();
        if let Some(claim) = claims.choose(&mut rng).filter(|_| rng.random_bool(CLAIMS)) {
            play(&mut position, claim);
        }
        let player = position.to_move();
        play(&mut position, &Move::End { player });
        while position.phase() == Phase::Step {
            let passes = !rng.random_bool(ACTS);
            let moves = position.legal_moves(&[]);
            let wanted: Vec<&Move> =
                moves.iter().filter(|m| matches!(m, Move::Pass { .. }) == passes).collect();
            let Some(mut one) = wanted.choose(&mut rng).copied().or(moves.first()) else { break };
            // Nobody puts a figure where another stands while there is room beside it.
            let is_taken = |m: &&Move| match m {
                Move::Redeploy { to, .. } => {
                    position.followers().iter().any(|f| (f.cell, f.segment) == (to.cell, to.segment))
                }
                _ => false,
            };
            if is_taken(&one) {
                let free: Vec<&Move> = wanted.iter().copied().filter(|m| !is_taken(m)).collect();
                one = free.choose(&mut rng).copied().unwrap_or(one);
            }
            if !play(&mut position, one) {
                break;
            }
        }
    }
    record_at_pace(&mut game, facts)?;
    Ok(game)
}

/// Records facts of a game, at the pace of a game that plays itself.
fn record_at_pace(game: &mut Game, facts: Vec<EventKind>) -> Result<(), RecordError> {
    let mut t = 0.0;
    for fact in facts {
        if matches!(fact, EventKind::TurnEnded { .. }) {
            t = (t / SECONDS_A_TURN).floor() * SECONDS_A_TURN + SECONDS_A_TURN;
        } else {
            t += 2.0;
        }
        game.apply(fact, Source::Table, 1.0, t)?;
    }
    Ok(())
}
