//! Corrections, insertions, and what the record keeps of them.

use castellan::record::{EventKind, Game, Header, Log, Recorder, Source};
use castellan::rules::castle::{Move, Phase, SegmentAt};
use castellan::rules::{Cell, Deck, Player, Role, Side, StartSpace, Tile, TrackPoint, Wall};

use crate::headers;

/// A wall of one row of six cells with start spaces at both ends, and pieces of
/// path: ends, middles, middles with a fountain, and courts.
pub fn parts() -> (Wall, Deck) {
    let start =
        |col, side, face: &str| StartSpace { cell: Cell::new(col, 0), side, face: face.parse().unwrap() };
    let wall = Wall {
        name: "row".to_owned(),
        note: String::new(),
        outline: vec!["######".to_owned()],
        towers: vec![(0, 1), (2, 3), (6, 7)],
        thickness: 0.5,
        track: vec![TrackPoint { x: 0.0, y: 0.0 }; 100],
        starts: vec![start(0, Side::West, "court e"), start(5, Side::East, "court w")],
    };
    let tile = |id: &str, count, face: &str| Tile {
        id: id.to_owned(),
        face: face.parse().ok(),
        doubts: Vec::new(),
        count,
    };
    let deck = Deck::new(
        "row",
        castellan::rules::Game::Castle,
        vec![
            tile("end", 4, "path e"),
            tile("mid", 4, "path w-e"),
            tile("well", 2, "path w-e +fountain"),
            tile("court", 4, "court n-e-s-w +market"),
        ],
    );
    (wall, deck)
}

fn header() -> Header {
    Header {
        deck: "row".to_owned(),
        wall: Some("row".to_owned()),
        colours: ["white", "black"].map(str::to_owned).to_vec(),
        ..headers::header(&["White", "Black"])
    }
}

fn fact(game: &Game, text: &str) -> EventKind {
    let position = game.position();
    match position.read_move(text).unwrap() {
        Move::Lay { player, placement } => EventKind::TilePlaced {
            player,
            tile: position.tile_id(placement.tile).unwrap().to_owned(),
            cell: placement.cell,
            rotation: placement.rotation,
        },
        Move::Claim { player, at, .. } => EventKind::follower(player, at, Role::HERALD),
        Move::End { player } => EventKind::TurnEnded { player, turn: position.turn() },
        Move::Show { space, number } => EventKind::WallTileShown { tower: space, number },
        Move::Stop => EventKind::PlayStopped,
        other => panic!("{other:?}"),
    }
}

fn play(game: &mut Game, moves: &str) {
    for text in moves.split(';') {
        let kind = fact(game, text);
        game.apply(kind, Source::Hand, 1.0, 1.0).unwrap();
    }
}

/// White's path over four tiles, completed by Black; the turns end by themselves
/// when the next tile is laid.
fn played() -> Game {
    let (wall, deck) = parts();
    let mut game = Game::new(header(), &wall, &deck).unwrap();
    play(&mut game, "lay end A1; herald; lay mid B1; lay mid C1; lay end D1 2; end");
    game
}

fn seq_of(game: &Game, wanted: impl Fn(&EventKind) -> bool) -> u64 {
    game.events().iter().find(|e| wanted(&e.kind)).unwrap().seq
}

fn tile_in(cell: Cell) -> impl Fn(&EventKind) -> bool {
    move |kind| matches!(kind, EventKind::TilePlaced { cell: c, .. } if *c == cell)
}

#[test]
fn a_correction_says_what_it_changes() {
    let mut game = played();
    assert_eq!(game.position().total(Player(0)), 4);
    let wrong = seq_of(&game, tile_in(Cell::new(1, 0)));
    let instead = EventKind::TilePlaced {
        player: Player(1),
        tile: "well".to_owned(),
        cell: Cell::new(1, 0),
        rotation: Default::default(),
    };
    let before = game.events().to_vec();
    let events = game
        .apply(
            EventKind::Correction { replaces: wrong, instead: Some(Box::new(instead)) },
            Source::Hand,
            1.0,
            9.0,
        )
        .unwrap();
    let EventKind::Recomputed { changes, totals } = &events[1].kind else { panic!("{events:?}") };
    assert_eq!(changes, &["White's path in turn 4: 4 → 8"]);
    assert_eq!(totals, &[8, 0]);
    assert_eq!(game.position().total(Player(0)), 8);
    assert_eq!(game.events()[..before.len()], before, "nothing is deleted");
    assert_eq!(game.scores().len(), 1);

    // Taking the correction back is a correction too.
    let EventKind::TilePlaced { .. } = before[wrong as usize - 1].kind else { panic!() };
    let back = EventKind::Correction {
        replaces: events[0].seq,
        instead: Some(Box::new(before[wrong as usize - 1].kind.clone())),
    };
    let events = game.apply(back, Source::Hand, 1.0, 10.0).unwrap();
    let EventKind::Recomputed { changes, .. } = &events[1].kind else { panic!("{events:?}") };
    assert_eq!(changes, &["White's path in turn 4: 8 → 4"]);
    let (wall, deck) = parts();
    let log = Log::read(&game.to_log()).unwrap();
    let read = log.clone().replay(&wall, &deck).unwrap();
    assert_eq!(read.events(), game.events());
    assert_eq!(read.sheet(), game.sheet());
    assert_eq!(castellan::record::check(&log, &wall, &deck).unwrap(), []);
}

#[test]
fn a_follower_that_was_missed_is_inserted() {
    let (wall, deck) = parts();
    let mut game = Game::new(header(), &wall, &deck).unwrap();
    play(&mut game, "lay end A1; lay mid B1; lay mid C1; lay end D1 2; end");
    assert_eq!(game.position().total(Player(0)), 0);
    let first_end = seq_of(&game, |k| matches!(k, EventKind::TurnEnded { .. }));
    let at = SegmentAt { cell: Cell::new(0, 0), segment: 0 };
    let follower = EventKind::follower(Player(0), at, Role::HERALD);
    let insertion = EventKind::Inserted { before: first_end, fact: Box::new(follower) };
    let events = game.apply(insertion, Source::Hand, 1.0, 9.0).unwrap();
    let EventKind::Recomputed { changes, totals } = &events[1].kind else { panic!("{events:?}") };
    assert_eq!(changes, &["White's path in turn 4: nothing → 4"]);
    assert_eq!(totals, &[4, 0]);
    // What was inserted can be corrected like any other fact.
    let seq = events[0].seq;
    let undo = EventKind::Correction { replaces: seq, instead: None };
    game.apply(undo, Source::Hand, 1.0, 9.0).unwrap();
    assert_eq!(game.position().total(Player(0)), 0);
    assert!(game.facts().iter().all(|(s, _)| *s != seq));
}

#[test]
fn facts_that_no_longer_fit_are_left_out_and_named() {
    let mut game = played();
    let first = seq_of(&game, tile_in(Cell::new(0, 0)));
    let events = game
        .apply(
            EventKind::Correction {
                replaces: first,
                instead: Some(Box::new(EventKind::TilePlaced {
                    player: Player(0),
                    tile: "court".to_owned(),
                    cell: Cell::new(5, 0),
                    rotation: Default::default(),
                })),
            },
            Source::Hand,
            1.0,
            9.0,
        )
        .unwrap();
    assert!(!game.conflicts().is_empty());
    let doubts = events.iter().filter(|e| matches!(e.kind, EventKind::Doubt { .. })).count();
    assert_eq!(doubts, game.conflicts().len());
    assert_eq!(game.position().total(Player(0)), 0);
}

#[test]
fn corrections_that_cannot_be_are_refused_and_change_nothing() {
    let mut game = played();
    let before = game.clone();
    let tile = |cell, tile: &str| {
        Box::new(EventKind::TilePlaced {
            player: Player(1),
            tile: tile.to_owned(),
            cell,
            rotation: Default::default(),
        })
    };
    let second = seq_of(&game, tile_in(Cell::new(1, 0)));
    let corrections = [
        // Not a fact.
        EventKind::Correction { replaces: 99, instead: None },
        // Outside the wall, on another tile, an unknown tile, against the rules.
        EventKind::Correction { replaces: second, instead: Some(tile(Cell::new(9, 9), "mid")) },
        EventKind::Correction { replaces: second, instead: Some(tile(Cell::new(0, 0), "mid")) },
        EventKind::Correction { replaces: second, instead: Some(tile(Cell::new(1, 0), "nothing")) },
        EventKind::Correction { replaces: second, instead: Some(tile(Cell::new(1, 0), "court")) },
        EventKind::Correction {
            replaces: second,
            instead: Some(Box::new(EventKind::Correction { replaces: 1, instead: None })),
        },
        // Derived events are no facts.
        EventKind::MarkerMoved { player: Player(0), from: 0, to: 5, total: 5 },
    ];
    for kind in corrections {
        assert!(game.apply(kind.clone(), Source::Hand, 1.0, 9.0).is_err(), "{kind:?}");
        assert_eq!(game.events(), before.events());
        assert_eq!(game.sheet(), before.sheet());
    }
    // What is only against the rules can have happened.
    let kind = EventKind::Correction { replaces: second, instead: Some(tile(Cell::new(1, 0), "court")) };
    let events = game.apply_anyway(kind, Source::Hand, 1.0, 9.0).unwrap();
    assert_eq!(events[0].waived, ["CA-22"]);
}

#[test]
fn a_wall_tile_shown_after_the_end_changes_the_end() {
    let mut game = played();
    play(&mut game, "lay end E1; herald; lay end F1 2; end");
    // White has 4 and 2: the marker came to 6, where a wall tile lies.
    assert_eq!(game.position().prizes(Player(0)), [(6, None)]);
    play(&mut game, "stop");
    assert_eq!(game.position().phase(), Phase::Over);
    let total = game.sheet().tallies[0].total;
    assert!(game.events().iter().any(|e| matches!(e.kind, EventKind::Doubt { .. })));
    let shown = fact(&game, "show 6 9");
    let events = game.apply(shown, Source::Hand, 1.0, 9.0).unwrap();
    let EventKind::GameEnded { tallies, winners } = &events.last().unwrap().kind else {
        panic!("{events:?}")
    };
    assert_eq!(tallies[0].total, total + 5);
    assert_eq!(winners, &[Player(0)]);
    assert_eq!(game.sheet().tallies, *tallies);
}

#[test]
fn a_log_is_not_overwritten_and_a_foreign_file_is_refused() {
    let (wall, deck) = parts();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    drop(Recorder::create(&path, header(), &wall, &deck).unwrap());
    assert!(Recorder::create(&path, header(), &wall, &deck).is_err());
    for text in ["", "hello\n", "{}\n", "[1]\n", "{\"format\":\"other\"}\n"] {
        std::fs::write(&path, text).unwrap();
        let error = Recorder::resume(&path, &wall, &deck).unwrap_err().to_string();
        assert!(error.contains("header") && !error.contains('\n'), "{error}");
    }
    let text = played().to_log();
    let newer = text.replacen("\"version\":2", "\"version\":3", 1);
    assert!(Log::read(&newer).unwrap_err().to_string().contains("version 3"));
    let broken = text.replacen("tile_placed", "tile_eaten", 1);
    let lost = Log::read(&broken).unwrap().lost[0].sentence().to_string();
    assert!(lost.starts_with("line 2 of the record cannot be read"), "{lost}");
}
