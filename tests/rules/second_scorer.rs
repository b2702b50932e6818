//! The engine against the scorer that works everything out anew.

use castellan::library;
use castellan::rules::castle::{Move, Names, Phase, Policy, Position, play_out, random_wall_tiles};
use castellan::rules::{Player, Rotation, Score};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::decks::{house_wall, random_deck};
use crate::reference::{Ledger, Line, Place};

/// Random games that are compared, and how many of them with
/// `CASTELLAN_LONG_TESTS=1`.
const GAMES: u64 = 300;
const LONG_GAMES: u64 = 10_000;

/// Plays a random game on the house deck or on one of wild faces, and holds every
/// legal placement, every legal claim, every score, every wall tile taken and the
/// whole final scoring against the ledger. Returns how many scores were compared.
fn compare(seed: u64) -> usize {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let wall = house_wall();
    let deck =
        if seed.is_multiple_of(2) { library::deck("house").unwrap().deck } else { random_deck(60, &mut rng) };
    let wall_tiles = random_wall_tiles(&wall.towers, &mut rng);
    let start = Position::new(&wall, &deck).unwrap().with_wall_tiles(&wall_tiles);
    let mut moves = Vec::new();
    play_out(&mut start.clone(), Policy::Random, &mut rng, |_, m| moves.push(m.clone()));

    let face = |tile: usize, rotation: Rotation| deck.tiles[tile].face.as_ref().unwrap().turned(rotation);
    let mut position = start;
    let mut ledger = Ledger::new(&wall, wall_tiles);
    let mut compared = 0;
    for played in &moves {
        match *played {
            Move::Lay { placement, .. } => {
                let turned = Rotation::ALL.map(|r| face(placement.tile, r));
                let mut expected = Vec::new();
                for cell in wall.cells() {
                    for rotation in Rotation::ALL {
                        if ledger.board.may_lie(cell, &turned[rotation.quarters() as usize]) {
                            expected.push((cell, rotation));
                        }
                    }
                }
                let mut legal: Vec<_> =
                    position.placements(placement.tile).iter().map(|p| (p.cell, p.rotation)).collect();
                legal.sort_unstable();
                expected.sort_unstable();
                assert_eq!(legal, expected, "seed {seed}");
                ledger.lay(placement.cell, face(placement.tile, placement.rotation));
                position.play(played).unwrap();
                let claims: Vec<u8> = position.claims().iter().map(|c| c.0).collect();
                assert_eq!(claims, ledger.free_segments(position.to_move().0), "seed {seed}");
                continue;
            }
            Move::Claim { player, at, .. } => {
                ledger.followers.push((player.0, Place::Tile(at.cell), usize::from(at.segment)));
            }
            Move::Use { player, number, .. } => {
                let held = &mut ledger.wall_tiles[player.index()];
                held.remove(held.iter().position(|n| *n == number).unwrap());
                if number > 1 {
                    ledger.used.push(number);
                }
            }
            Move::End { player } => {
                for option in position.order_options() {
                    let order = Move::Order { player, features: option.order };
                    assert_eq!(position.illegalities(&order), [], "seed {seed}");
                }
                let outcomes = position.play(played).unwrap();
                let found: Vec<Line> = outcomes[0]
                    .scored
                    .iter()
                    .map(|s| (s.feature.kind, s.player.map(|p| p.0), s.tiles, s.points()))
                    .collect();
                let (lines, taken) = ledger.end(player.0, &found);
                let picked: Vec<(u8, u8)> =
                    outcomes[0].pickups.iter().map(|p| (p.player.0, p.tower)).collect();
                assert_eq!(picked, taken, "seed {seed}");
                compared += lines.len() + taken.len();
                for p in [Player(0), Player(1)] {
                    assert_eq!(position.total(p), ledger.totals[p.index()], "seed {seed}");
                    assert_eq!(
                        position.keep(p).map_or(0, |k| k.size),
                        ledger.keeps[p.index()],
                        "seed {seed}"
                    );
                    let mut held: Vec<u8> =
                        position.wall_tiles(p).into_iter().filter_map(|(_, number)| number).collect();
                    held.sort_unstable();
                    ledger.wall_tiles[p.index()].sort_unstable();
                    assert_eq!(held, ledger.wall_tiles[p.index()], "seed {seed}");
                    let standing = ledger.followers.iter().filter(|s| s.0 == p.0).count();
                    assert_eq!(usize::from(position.supply(p)), 6 - standing, "seed {seed}");
                }
                continue;
            }
            _ => {}
        }
        position.play(played).unwrap();
    }
    assert_eq!(position.phase(), Phase::Over, "seed {seed}");
    let finals = position.final_scores(&Names::default());
    let of = |category: &str| -> Vec<(Option<u8>, u32)> {
        let line = |s: &Score| (s.players.first().map(|p| p.0), s.points());
        let mut lines: Vec<_> = finals.iter().filter(|s| s.category == category).map(line).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(of("keep"), ledger.final_keep().into_iter().collect::<Vec<_>>(), "seed {seed}");
    assert_eq!(of("court"), ledger.final_courts(), "seed {seed}");
    for number in [4, 5, 6, 7, 9] {
        let category = format!("wall tile {number}");
        assert_eq!(of(&category), ledger.final_wall_tiles(number), "seed {seed}, {category}");
        compared += of(&category).len();
    }
    compared + of("keep").len() + of("court").len()
}

/// CA-18 to CA-31, CA-40a, CA-41 to CA-76, CA-83 to CA-120: legal moves, completed
/// features, points, majorities, keeps, wall tiles taken and the final scoring agree.
#[test]
fn the_engine_agrees_with_a_scorer_from_scratch() {
    let long = std::env::var("CASTELLAN_LONG_TESTS").is_ok_and(|v| v == "1");
    let games = if long { LONG_GAMES } else { GAMES };
    let compared: usize = (0..games).map(compare).sum();
    println!("{games} games, {compared} scores agree");
    assert!(compared as u64 > 10 * games, "too few scores: {compared} in {games} games");
}
