//! What must hold for every game: undo restores, replay equals live, totals are
//! the sums of their items.

use castellan::record::{EventKind, Game, Log, Recorder, play_random};
use castellan::rules::castle::{
    Move, Names, Placement, Policy, Position, SegmentAt, play_out, random_wall_tiles,
};
use castellan::rules::{Cell, Deck, GamePosition, Player, Rotation, Wall};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::decks::{house_wall, random_deck};

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
fn visible(p: &dyn GamePosition) -> String {
    let players: Vec<Player> = (0..p.players()).map(|w| Player(w as u8)).collect();
    let tiles: Vec<_> = p.cells().into_iter().map(|c| p.tile_at(c)).collect();
    let legal: Vec<_> = (0..p.tiles()).map(|t| (p.remaining(t), p.placements(t).len())).collect();
    format!(
        "{:?} {:?} {} {tiles:?} {:?} {:?} {legal:?} {:?} {:?}",
        p.to_move(),
        p.phase(),
        p.turn(),
        p.followers(),
        p.claims(),
        players.iter().map(|w| (p.total(*w), p.supply(*w), p.largest(*w), p.prizes(*w))).collect::<Vec<_>>(),
        p.final_totals(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

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

    /// Any move whatever, at any time: what cannot have happened changes nothing,
    /// what can is taken back whole.
    #[test]
    fn no_move_panics_and_every_one_is_undone(seed in any::<u64>(), moves in prop::collection::vec(any_move(), 1..60)) {
        let (mut position, played) = game(seed);
        let mut rest = played.into_iter();
        for (strange, wait) in &moves {
            for played in rest.by_ref().take(*wait) {
                let _ = position.play(&played);
            }
            let before = visible(&position);
            let legal = position.illegalities(strange).is_empty();
            prop_assert_eq!(position.clone().play(strange).is_ok(), legal);
            match position.play_anyway(strange) {
                Ok((outcomes, _)) => {
                    for outcome in &outcomes {
                        for i in 0..outcome.scored.len() {
                            prop_assert!(position.explain(outcome, i, &Names::default()).is_some());
                        }
                    }
                    position.order_options();
                    let after = visible(&position);
                    prop_assert!(position.undo());
                    prop_assert_eq!(visible(&position), before);
                    position.play_anyway(strange).unwrap();
                    prop_assert_eq!(visible(&position), after);
                }
                Err(refusal) => {
                    prop_assert!(!refusal.illegalities.is_empty());
                    prop_assert_eq!(visible(&position), before);
                }
            }
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
                .filter(|s| s.players.contains(&Player(i as u8)))
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

/// Any move, and how many moves of the game to play before it.
fn any_move() -> impl Strategy<Value = (Move, usize)> {
    let player = (0..3u8).prop_map(Player);
    let at = (0..9i8, 0..10i8, 0..5u8)
        .prop_map(|(col, row, segment)| SegmentAt { cell: Cell::new(col, row), segment });
    let lay =
        (player.clone(), 0..62usize, 0..9i8, 0..10i8, 0..4u8).prop_map(|(player, tile, col, row, turns)| {
            let placement = Placement { tile, cell: Cell::new(col, row), rotation: Rotation::new(turns) };
            Move::Lay { player, placement }
        });
    let played =
        prop_oneof![
            lay,
            (player.clone(), at.clone()).prop_map(|(player, at)| Move::follower(player, at)),
            (player.clone(), 0..62usize).prop_map(|(player, tile)| Move::Discard { player, tile }),
            (player.clone(), 0..11u8, prop::option::of(at.clone()))
                .prop_map(|(player, number, on)| Move::Use { player, number, on }),
            (0..101u8, 0..11u8).prop_map(|(space, number)| Move::Show { space, number }),
            (player.clone(), prop::collection::vec(at, 0..12))
                .prop_map(|(player, features)| Move::Order { player, features }),
            player.prop_map(|player| Move::End { player }),
            Just(Move::Stop),
        ];
    (played, 0..9usize)
}

fn recorded(tiles: usize, seed: u64) -> (String, Wall, Deck, Game) {
    let wall = house_wall();
    let deck = random_deck(tiles, &mut Pcg64Mcg::seed_from_u64(seed));
    let live = play_random(&wall, &deck, seed, Policy::Random).unwrap();
    (live.to_log(), wall, deck, live)
}
