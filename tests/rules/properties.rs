//! What must hold for every game: the engine agrees with a scorer that works
//! everything out anew, undo restores, replay equals live, totals are the sums
//! of their items.

use std::collections::{BTreeMap, BTreeSet};

use castellan::record::{EventKind, Game, Log, Recorder, play_random};
use castellan::rules::castle::{Move, Phase, Policy, Position, play_out, random_wall_tiles};
use castellan::rules::{Deck, Kind, Player, Rotation, Wall};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::decks::{house_wall, random_deck};
use crate::reference::{Board, Place};

/// Every move of a random game, and the position that it starts from.
fn game(seed: u64) -> (Position, Vec<Move>) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let wall = house_wall();
    let deck = random_deck(60, &mut rng);
    let start =
        Position::new(&wall, &deck).unwrap().with_wall_tiles(&random_wall_tiles(&wall.towers, &mut rng));
    let mut moves = Vec::new();
    play_out(&mut start.clone(), Policy::Random, &mut rng, |_, m| moves.push(m.clone()));
    (start, moves)
}

/// What can be seen of a position.
fn visible(p: &Position) -> String {
    let players = [Player(0), Player(1)];
    let tiles: Vec<_> = p.cells().iter().map(|c| p.tile_at(*c)).collect();
    let legal: Vec<_> = (0..p.tiles()).map(|t| (p.remaining(t), p.placements(t).len())).collect();
    format!(
        "{:?} {:?} {} {tiles:?} {:?} {:?} {legal:?} {:?} {:?}",
        p.to_move(),
        p.phase(),
        p.turn(),
        p.followers(),
        p.claims(),
        players.map(|w| (p.total(w), p.supply(w), p.keep(w), p.wall_tiles(w))),
        p.final_totals(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// CA-18 to CA-31, CA-41 to CA-61, CA-102 to CA-107: legal placements,
    /// completed features, points, majorities and courts agree with flood fill.
    #[test]
    fn the_engine_agrees_with_a_scorer_from_scratch(seed in any::<u64>()) {
        let (mut position, moves) = game(seed);
        let wall = house_wall();
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let deck = random_deck(60, &mut rng);
        let face = |tile: usize, rotation: Rotation| deck.tiles[tile].face.as_ref().unwrap().turned(rotation);
        let mut board = Board { wall: &wall, tiles: BTreeMap::new() };
        let mut last = None;
        for played in &moves {
            match *played {
                Move::Lay { placement, .. } => {
                    let mut expected = Vec::new();
                    for cell in wall.cells() {
                        for rotation in Rotation::ALL {
                            if board.may_lie(cell, &face(placement.tile, rotation)) {
                                expected.push((cell, rotation));
                            }
                        }
                    }
                    let mut legal: Vec<_> =
                        position.placements(placement.tile).iter().map(|p| (p.cell, p.rotation)).collect();
                    legal.sort_unstable();
                    expected.sort_unstable();
                    prop_assert_eq!(legal, expected);
                    board.tiles.insert(placement.cell, face(placement.tile, placement.rotation));
                    last = Some(placement.cell);
                }
                Move::End { player } => {
                    let expected = expected_scores(&board, &position, last.unwrap());
                    let before = [position.total(Player(0)), position.total(Player(1))];
                    let outcomes = position.play(played).unwrap();
                    let mut found: Vec<_> = outcomes[0]
                        .scored
                        .iter()
                        .map(|s| (s.feature.kind, s.player.map(|p| p.0), s.tiles, s.points(), s.doubles))
                        .collect();
                    found.sort_unstable();
                    let plain: Vec<_> = found
                        .iter()
                        .map(|f| (f.0, f.1, f.2, f.3 / (1 + f.4)))
                        .collect();
                    prop_assert_eq!(plain, expected);
                    for p in [Player(0), Player(1)] {
                        let made: u32 =
                            found.iter().filter(|f| f.1 == Some(p.0)).map(|f| f.3).sum();
                        prop_assert_eq!(position.total(p), before[p.index()] + made);
                    }
                    prop_assert_eq!(outcomes[0].player, player);
                    continue;
                }
                _ => {}
            }
            position.play(played).unwrap();
        }
        prop_assert_eq!(position.phase(), Phase::Over);
    }

    #[test]
    fn undo_restores_every_position(seed in any::<u64>()) {
        let (mut position, moves) = game(seed);
        let mut before = Vec::new();
        for played in &moves {
            before.push(visible(&position));
            position.play(played).unwrap();
        }
        while let Some(expected) = before.pop() {
            prop_assert!(position.undo());
            prop_assert_eq!(visible(&position), expected);
        }
        prop_assert!(!position.undo());
        for played in &moves {
            position.play(played).unwrap();
        }
    }

    /// The record read back and replayed is the game; totals are the sums of the
    /// items; what is written needs no engine to be read.
    #[test]
    fn replay_equals_live_and_totals_equal_items(seed in any::<u64>()) {
        let wall = house_wall();
        let deck = random_deck(60, &mut Pcg64Mcg::seed_from_u64(seed));
        let live = play_random(&wall, &deck, seed, Policy::Random).unwrap();
        let read = Log::read(&live.to_log()).unwrap();
        prop_assert_eq!(&read.torn, &None);
        prop_assert_eq!(&read.events[..], live.events());
        let replayed = read.replay(&wall, &deck).unwrap();
        prop_assert_eq!(visible(replayed.position()), visible(live.position()));
        prop_assert_eq!(replayed.events(), live.events());
        let sheet = live.sheet();
        for (i, tally) in sheet.tallies.iter().enumerate() {
            let items: u32 = sheet
                .turns
                .iter()
                .flat_map(|t| &t.scores)
                .chain(&sheet.finals)
                .filter(|s| s.player == Some(Player(i as u8)))
                .flat_map(|s| &s.items)
                .map(|item| item.count * item.each)
                .sum();
            prop_assert_eq!(tally.total, items);
            prop_assert_eq!(tally.total, live.position().final_totals()[i]);
            prop_assert_eq!(tally.total, tally.by_category.values().sum::<u32>());
        }
        let mut totals = [0, 0];
        for event in live.events() {
            if let EventKind::MarkerMoved { player, total, to, .. } = event.kind {
                totals[player.index()] = total;
                prop_assert_eq!(u32::from(to), total % 100);
            }
        }
        prop_assert_eq!(totals.to_vec(), sheet.tallies.iter().map(|t| t.total).collect::<Vec<_>>());
    }

    /// A game that is cut off and resumed goes on as if nothing had happened.
    #[test]
    fn a_torn_record_resumes(seed in any::<u64>(), cut in 0.0..1.0f64) {
        let (text, wall, deck, live) = recorded(60, seed);
        let header = text.find('\n').unwrap() + 1;
        let cut = header + ((text.len() - header) as f64 * cut) as usize;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.jsonl");
        std::fs::write(&path, &text.as_bytes()[..cut]).unwrap();
        let mut recorder = Recorder::resume(&path, &wall, &deck).unwrap();
        let kept = recorder.game().events().len();
        prop_assert_eq!(recorder.game().events(), &live.events()[..kept]);
        for event in live.events()[kept..].iter().filter(|e| e.kind.is_fact()) {
            recorder.apply(event.kind.clone(), event.source, event.confidence, event.t, false).unwrap();
        }
        prop_assert_eq!(recorder.game().events(), live.events());
        prop_assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

fn recorded(tiles: usize, seed: u64) -> (String, Wall, Deck, Game) {
    let wall = house_wall();
    let deck = random_deck(tiles, &mut Pcg64Mcg::seed_from_u64(seed));
    let live = play_random(&wall, &deck, seed, Policy::Random).unwrap();
    (live.to_log(), wall, deck, live)
}

/// Cut off at every byte, a record is read up to its last whole line, and what
/// is missing after the last fact is derived anew.
#[test]
fn a_record_torn_at_every_byte_is_read() {
    let (text, wall, deck, live) = recorded(8, 7);
    let header = text.find('\n').unwrap() + 1;
    for cut in header..text.len() {
        let log = Log::from_bytes(&text.as_bytes()[..cut]).unwrap();
        let whole = text[..cut].matches('\n').count() - 1;
        // A last line that lacks nothing but its line end is whole.
        let complete = text.as_bytes()[cut] == b'\n' && log.events.len() == whole + 1;
        assert!(log.events.len() == whole || complete, "at byte {cut}");
        assert_eq!(log.torn.is_some(), log.whole < cut, "at byte {cut}");
        assert_eq!(log.events[..], live.events()[..log.events.len()]);
        let read = Log::from_bytes(&text.as_bytes()[..cut]).unwrap().replay(&wall, &deck).unwrap();
        assert_eq!(read.events(), &live.events()[..read.events().len()], "at byte {cut}");
    }
}

/// The completed and claimed features of the turn by flood fill: kind, who
/// scores, tiles and points.
fn expected_scores(
    board: &Board,
    position: &Position,
    last: castellan::rules::Cell,
) -> Vec<(Kind, Option<u8>, u32, u32)> {
    let mut seen: BTreeSet<(Place, usize)> = BTreeSet::new();
    let mut scores = Vec::new();
    let followers = position.followers();
    for follower in &followers {
        let at = (Place::Tile(follower.cell), follower.segment as usize);
        if seen.contains(&at) {
            continue;
        }
        let found = board.feature(at.0, at.1);
        seen.extend(&found.segments);
        if found.open > 0 || found.kind == Kind::Court {
            continue;
        }
        assert!(
            found.places.contains(&Place::Tile(last))
                || found.places.iter().any(|p| matches!(p, Place::Tile(c) | Place::Start(c, _)
                    if castellan::rules::Side::ALL.iter().any(|s| c.neighbour(*s) == last || *c == last))),
            "a completed feature lies at the last tile"
        );
        let mut counts = [0, 0];
        for other in &followers {
            if found.segments.contains(&(Place::Tile(other.cell), other.segment as usize)) {
                counts[other.player.index()] += 1;
            }
        }
        let player = match counts[0].cmp(&counts[1]) {
            std::cmp::Ordering::Greater => Some(0),
            std::cmp::Ordering::Less => Some(1),
            std::cmp::Ordering::Equal => None,
        };
        scores.push((found.kind, player, found.places.len() as u32, found.points()));
    }
    scores.sort_unstable();
    scores
}
