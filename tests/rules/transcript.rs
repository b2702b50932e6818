//! The record as text: written, read back and played, it is the same game; and
//! one turn accounted for.

use castellan::library;
use castellan::record::{EventKind, Game, Header, Transcript, play_random_with};
use castellan::rules::castle::{Policy, random_wall_tiles};
use castellan::rules::{Cell, Deck, Player, Wall};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::decks::house_wall;
use crate::headers;

fn house() -> (Wall, Deck) {
    (house_wall(), library::deck("house").unwrap().deck)
}

fn header(edition: Option<&str>, seed: u64) -> Header {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    Header {
        edition: edition.map(str::to_owned),
        colours: ["blue", "yellow"].map(str::to_owned).to_vec(),
        neutral: None,
        starts: Player((seed % 2) as u8),
        wall_tiles: random_wall_tiles(&house_wall().towers, &mut rng),
        ..headers::header(&["Ada of the Hill", "Ben"])
    }
}

fn facts(game: &Game) -> Vec<EventKind> {
    game.facts().into_iter().map(|(_, kind)| kind).collect()
}

fn read_back(game: &Game, wall: &Wall, deck: &Deck) -> Game {
    let text = game.to_text();
    let read = Transcript::read(&text).unwrap().play(wall, deck).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(read.header(), game.header());
    assert_eq!(facts(&read), facts(game));
    assert_eq!(read.sheet(), game.sheet());
    assert_eq!(read.to_text(), text);
    read
}

#[test]
fn a_record_as_text_reads_back() {
    let (wall, deck) = house();
    let editions =
        [None, Some("rgg-2003 +pickup_after_all_moves"), Some("zamek-2020 2=2 3=3 9=9 8=8 5=4 6=5 7=6")];
    for seed in 0..12 {
        let edition = editions[seed as usize % editions.len()];
        let policy = if seed % 2 == 0 { Policy::Greedy } else { Policy::Random };
        let game = play_random_with(header(edition, seed), &wall, &deck, seed, policy).unwrap();
        let text = read_back(&game, &wall, &deck).to_text();
        assert!(text.contains("# turn") || text.contains("  # 1, "), "{text}");
        for score in game.sheet().turns.iter().flat_map(|t| &t.scores).chain(&game.sheet().finals) {
            assert!(text.contains(&score.sentence), "{} is missing in\n{text}", score.sentence);
        }
    }
}

#[test]
fn waivers_and_corrections_are_in_the_text() {
    let (wall, deck) = house();
    let mut game = Game::new(header(None, 0), &wall, &deck).unwrap();
    for text in ["! lay h01 E6", "end", "lay h02 F6", "undo", "lay h05 E5", "end"] {
        game.enter_text(text, 1.0).unwrap();
    }
    let text = game.to_text();
    assert!(text.contains("! lay h01 E6; end  # 1, Ada"), "{text}");
    assert!(text.contains("let it stand") && text.contains("(CA-18)"), "{text}");
    assert!(!text.contains("h02"), "{text}");
    let read = read_back(&game, &wall, &deck);
    assert_eq!(read.events().iter().filter(|e| !e.waived.is_empty()).count(), 1);
}

#[test]
fn lines_that_are_no_record_are_named() {
    let (wall, deck) = house();
    for (text, words) in [
        ("player A\nplayer B\nplayer C\n", "line 3: write the line as `player NAME"),
        ("deck\n", "line 1: write the line as `deck NAME`"),
        ("tower 12 is 3\n", "line 1: write the line as `tower 12 holds 3`"),
        ("starts Nobody\n", "nobody named `Nobody` plays"),
        ("deck house\n\n# a note\nmove h01\n", "line 4: `move` is no move"),
        ("lay h01 A1\n", "line 1: the cell is outside the wall (CA-30)"),
        ("edition old\nlay h01 A1\n", "no edition is named `old`"),
        ("undo\n", "line 1: there is no move to take back"),
    ] {
        let error =
            Transcript::read(text).and_then(|t| t.play(&wall, &deck).map(|_| ())).unwrap_err().to_string();
        assert!(error.starts_with(words) && !error.contains('\n'), "{error}");
    }
}

/// Every turn of a game adds up: the totals before, the scores, the totals after.
#[test]
fn every_turn_is_accounted_for() {
    let (wall, deck) = house();
    for seed in 0..6 {
        let game = play_random_with(header(None, seed), &wall, &deck, seed, Policy::Random).unwrap();
        let turns = game.position().turn() - 1;
        assert!(game.account(0).is_none() && game.account(turns + 2).is_none());
        for turn in 1..=turns {
            let account = game.account(turn).unwrap();
            for player in [Player(0), Player(1)] {
                let made: u32 = account
                    .scores
                    .iter()
                    .filter(|s| s.players.contains(&player))
                    .map(castellan::rules::Score::points)
                    .sum();
                let [before, after] =
                    [&account.before, &account.after].map(|m| m.players[player.index()].total);
                assert_eq!(before + made, after, "turn {turn}");
            }
            if turn > 1 {
                assert_eq!(account.before, game.account(turn - 1).unwrap().after);
            }
            let lines = account.to_lines();
            assert!(lines.iter().all(|l| !l.contains('\n')));
            assert!(account.reasons.iter().all(|r| r.rule.starts_with("CA-")), "{:?}", account.reasons);
        }
    }
}

/// A small game typed in: what the account of its last turn gives as reasons.
fn reasons(tiles: &[(&str, &str)], outline: &str, moves: &str) -> Vec<String> {
    let game = typed(tiles, outline, &[], None, moves);
    let account = game.account(game.position().turn() - 1).unwrap();
    account.reasons.iter().map(|r| format!("{} ({})", r.sentence, r.rule)).collect()
}

/// A small game typed in, with wall tiles on the towers 3/4 and 6/7.
fn typed(
    tiles: &[(&str, &str)],
    outline: &str,
    wall_tiles: &[(u8, u8)],
    edition: Option<&str>,
    moves: &str,
) -> Game {
    let mut wall = house_wall();
    wall.outline = outline.split('/').map(str::to_owned).collect();
    wall.towers = vec![(0, 1), (3, 4), (6, 7)];
    wall.starts.truncate(1);
    wall.starts[0].cell = Cell::new(0, 0);
    wall.starts[0].side = castellan::rules::Side::West;
    wall.starts[0].face = "court e".parse().unwrap();
    let mut deck = house().1;
    deck.tiles = tiles
        .iter()
        .map(|(id, face)| castellan::rules::Tile {
            id: (*id).to_owned(),
            face: Some(face.parse().unwrap()),
            doubts: Vec::new(),
            count: 9,
        })
        .collect();
    let mut header = header(None, 0);
    header.players = vec!["White".to_owned(), "Black".to_owned()];
    header.wall_tiles = wall_tiles.iter().copied().collect();
    header.edition = edition.map(str::to_owned);
    let mut game = Game::new(header, &wall, &deck).unwrap();
    for text in moves.split(';') {
        game.enter_text(text, 0.0).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    game
}

#[test]
fn the_account_says_why_the_other_reading_is_wrong() {
    let tiles = [
        ("l", "tower e"),
        ("m", "tower w-e"),
        ("r", "tower w"),
        ("p", "path e"),
        ("q", "path w"),
        ("h", "house n"),
        ("c", "court n-e-s-w"),
    ];
    // A tie.
    assert_eq!(
        reasons(&tiles, "#####", "lay l A1; knight; end; lay c B1; undo; lay m B1; end"),
        ["the tower in A1, B1 is still open towards C1: it scores nothing yet (CA-52)"]
    );
    assert_eq!(
        reasons(&tiles, "###", "lay l A1; knight; end; ! lay r C1; knight; end; lay m B1; end"),
        [
            "the tower in A1, B1, C1 is complete: it is closed all round, with no empty space inside (CA-52)",
            "the tower in A1, B1, C1 has 1 knight of each player: equal numbers score for nobody (CA-57)"
        ]
    );
    // Completed by the other player; the marker passes a tower and stops on one.
    assert_eq!(
        reasons(&tiles, "###", "lay l A1; knight; end; lay m B1; end; lay c C1; undo; lay r C1; end"),
        [
            "the tower in A1, B1, C1 is complete: it is closed all round, with no empty space inside (CA-52)",
            "White has 1 knight on the tower in A1, B1, C1, Black none: White scores it (CA-49)",
            "the tower in A1, B1, C1 counts 2 points a tile, and it has 3 castle tiles (CA-53)",
            "White's marker passes tower 3/4 and stops on 6: no wall tile from it (CA-71)",
            "White's marker stops on 6, which is tower 6/7 (CA-70)"
        ]
    );
    let other = reasons(&tiles, "##", "lay l A1; knight; end; lay r B1; end");
    assert_eq!(
        other[1..],
        [
            "White has 1 knight on the tower in A1, B1, Black none: White scores it (CA-49)",
            "Black completed the tower in A1, B1, but White has the knight: the majority scores, not who completes (CA-50)",
            "the tower in A1, B1 counts 2 points a tile, and it has 2 castle tiles (CA-53)",
            "White's marker stops on 4, which is tower 3/4 (CA-70)"
        ]
    );
    let nobody = reasons(&tiles, "##", "lay p A1; end; lay q B1; end");
    assert_eq!(
        nobody,
        [
            "the path in A1, B1 is complete, and nobody has a herald on it: nobody scores, now or later (CA-51)"
        ]
    );
    let keep = reasons(&tiles, "###", "lay h A1; squire; end; lay c B1; end; lay h C1; squire; end");
    assert_eq!(
        keep,
        [
            "the house in C1 is complete: it borders on the castle wall and has no empty space inside (CA-58)",
            "White has 1 squire on the house in C1, Black none: White scores it (CA-49)",
            "the house in C1 counts 1 point a tile, and it has 1 castle tile (CA-59)",
            "White's keep stays: a house of 1 is not larger than one of 1 (CA-63)"
        ]
    );
    let long = [("p", "path e"), ("m", "path w-e"), ("q", "path w"), ("c", "court n")];
    let passed = reasons(
        &long,
        "#####",
        "lay p A1; herald; end; lay m B1; end; lay m C1; end; lay m D1; end; lay q E1; end",
    );
    assert_eq!(
        passed,
        [
            "the path in A1, B1, C1, D1, E1 is complete: all its ends have come to a building within its tile (CA-41)",
            "White has 1 herald on the path in A1, B1, C1, D1, E1, Black none: White scores it (CA-49)",
            "the path in A1, B1, C1, D1, E1 counts 1 point a tile, and it has 5 castle tiles (CA-42)",
            "White's marker passes tower 3/4 and stops on 5: no wall tile from it (CA-71)"
        ]
    );
}

/// Wall tiles 2 and 3, a wall tile that is gone, and the size of a house by another
/// reading have their reasons.
#[test]
fn the_account_says_what_wall_tiles_do() {
    let tiles = [
        ("l", "tower e"),
        ("r", "tower w"),
        ("h", "house n"),
        ("c", "court n-e-s-w"),
        ("p", "path n +square"),
    ];
    // Two towers of two tiles: to 4 for the 2 on tower 3/4, then doubled.
    let game = typed(
        &tiles,
        "####/#...",
        &[(3, 2)],
        None,
        "lay l A1; knight; end; lay r B1; end; lay l C1; knight; end; lay c A2; end; lay r D1; use 2; end",
    );
    let account = game.account(5).unwrap();
    let found: Vec<String> = account.reasons.iter().map(|r| format!("{} ({})", r.sentence, r.rule)).collect();
    assert!(
        found.contains(&"wall tile 2 doubles the tower in C1, D1: 4 points a tile (CA-83)".to_owned()),
        "{found:?}"
    );
    // Both 2s on one tower.
    let fountains = [("f", "path n +fountain"), ("t", "tower n"), ("c", "court n-e-s-w")];
    let won = "lay f A1; herald; end; lay c A2; end; lay f B1; herald; end; lay c B2; end; lay f C1; herald; end; lay c C2; end; ";
    let moves = format!("{won}lay t D1; knight; use 2; use 2; end");
    let game = typed(&fountains, "####/####", &[(3, 2), (6, 2)], None, &moves);
    let last = game.account(7).unwrap().reasons.into_iter().find(|r| r.rule == "CA-87").unwrap();
    assert_eq!(
        last.sentence.to_string(),
        "both wall tiles 2 on one tower count it three times, not four: 6 points a tile"
    );
    // Both players come to tower 3/4.
    let game = typed(
        &tiles,
        "####",
        &[],
        None,
        "lay l A1; knight; end; lay r B1; end; lay l C1; end; lay r D1; knight; end",
    );
    let account = game.account(4).unwrap();
    let gone = account.reasons.last().unwrap();
    assert_eq!(
        (gone.rule.as_str(), gone.sentence.to_string().as_str()),
        ("CA-74", "Black's marker stops on 4, which is tower 3/4: its wall tile is gone already")
    );
}

/// A path that closes in a loop, one between squares, and a marker that stops on a
/// tower only on its way.
#[test]
fn the_account_says_how_a_path_ends() {
    let tiles = [("k", "path e-s"), ("s", "path e +square"), ("c", "court n-e-s-w")];
    let why = |outline: &str, moves: &str| {
        let found = reasons(&tiles, outline, moves);
        found.iter().find(|r| r.ends_with("(CA-41)")).unwrap_or_else(|| panic!("{found:?}")).clone()
    };
    assert_eq!(
        why("##/##", "lay k A1; herald; end; lay k B1 1; end; lay k B2 2; end; lay k A2 3; end"),
        "the path in A1, B1, A2, B2 is complete: it closes in a loop (CA-41)"
    );
    assert_eq!(
        why("##", "lay s A1; herald; end; lay s B1 2; end"),
        "the path in A1, B1 is complete: all its ends have come to a square (CA-41)"
    );
    // A marker that stops on a tower only on its way.
    let tiles = [("l", "tower e"), ("m", "tower w; path n"), ("c", "court n-e-s-w")];
    let moves = "lay l A1; knight; end; lay c A2; end; lay m B1; herald; order B1 0, B1 1; end";
    let game = typed(&tiles, "##/##", &[], Some("hig-2003 +pickup_after_all_moves"), moves);
    let last = game.account(3).unwrap().reasons.pop().unwrap();
    assert_eq!(
        (last.rule.as_str(), last.sentence.to_string().as_str()),
        (
            "CA-100",
            "White's marker stops on 4, which is tower 3/4, but only on the way: here a wall tile is taken where the last move ends"
        )
    );
}

/// By the reading that closes a ring, its account names the empty space; by the
/// other, it is open towards it.
#[test]
fn the_account_of_a_ring_says_what_it_surrounds() {
    let tiles = [("k", "tower e-s"), ("t", "tower w-e-s")];
    let moves = "lay k A1; knight; end; lay t B1; end; lay k C1 1; end; lay t C2 1; end; \
                 lay k C3 2; end; lay t B3 2; end; lay k A3 3; end; lay t A2 3; end";
    for (edition, words) in [
        ("hig-2003", "is still open towards B2: it scores nothing yet"),
        ("hig-2003 +ring_is_closed", "is complete: it borders on an empty space that it surrounds"),
    ] {
        let game = typed(&tiles, "###/###/###", &[], Some(edition), moves);
        let account = game.account(8).unwrap();
        let first = account.reasons.first().map(|r| r.sentence.to_string()).unwrap_or_default();
        assert!(first.contains(words), "{edition}: {first}");
        assert_eq!(account.scores.len(), usize::from(edition.contains('+')));
    }
}

/// The last turn is accounted for with the final scoring.
#[test]
fn the_account_of_the_last_turn_says_why_the_final_scoring_is_so() {
    let tiles =
        [("l", "tower e"), ("c", "court n-e-s-w"), ("k", "court n"), ("s", "house n"), ("p", "path e")];
    let game = typed(
        &tiles,
        "#####/#....",
        &[],
        None,
        "lay s A1; squire; end; lay l B1; knight; end; lay c A2; merchant; end; lay c C1; undo; stop",
    );
    let account = game.account(4).unwrap();
    let found: Vec<String> =
        account.final_reasons.iter().map(|r| format!("{} ({})", r.sentence, r.rule)).collect();
    assert_eq!(
        found,
        [
            "the wall tiles still on the wall leave it before the final scoring: no marker takes one now (CA-112)",
            "White has the keep on 1 tile, Black has no keep: White scores the largest empty area (CA-120)",
            "the tower in B1 was never completed: it scores nothing without wall tile 5 (CA-114)",
            "the court in A2 has no market: it scores nothing (CA-106)",
            "White has 4 points to 0 and wins (CA-121)"
        ]
    );
    let lines = account.to_lines().join("\n");
    assert!(lines.contains("final scoring:\n  White +3: "), "{lines}");
    assert!(game.account(3).unwrap().final_reasons.is_empty());
}

/// By the reading that leaves start spaces out, the keep's reason counts as the keep does.
#[test]
fn the_reason_for_a_keep_counts_as_the_keep_does() {
    let mut wall = house_wall();
    wall.outline = vec!["######".to_owned()];
    wall.towers = vec![(0, 1)];
    wall.starts.truncate(2);
    for (start, (col, side, face)) in wall
        .starts
        .iter_mut()
        .zip([(0, castellan::rules::Side::West, "court e"), (5, castellan::rules::Side::East, "house w")])
    {
        start.cell = Cell::new(col, 0);
        start.side = side;
        start.face = face.parse().unwrap();
    }
    let mut deck = house().1;
    deck.tiles = [("l", "house e"), ("m", "house w-e"), ("r", "house w")]
        .iter()
        .map(|(id, face)| castellan::rules::Tile {
            id: (*id).to_owned(),
            face: Some(face.parse().unwrap()),
            doubts: Vec::new(),
            count: 9,
        })
        .collect();
    for (edition, sentence) in [
        ("hig-2003 -start_space_counts_for_keep", "a house of 3 is not larger than one of 3"),
        ("hig-2003", "a house of 4 is larger than one of 3"),
    ] {
        let mut header = header(Some(edition), 0);
        header.wall_tiles.clear();
        let mut game = Game::new(header, &wall, &deck).unwrap();
        let moves = "lay l A1; squire; end; lay m B1; end; lay r C1; end; lay l D1; end; lay m E1; squire; end; lay m F1; end";
        for text in moves.split(';') {
            game.enter_text(text, 0.0).unwrap_or_else(|e| panic!("{text}: {e}"));
        }
        let account = game.account(6).unwrap();
        assert!(
            account.reasons.iter().any(|r| r.sentence.to_string().ends_with(sentence)),
            "{edition}: {:?}",
            account.reasons
        );
    }
}

/// Wall tiles are said by what is printed on them; what can't lie on a tower is refused.
#[test]
fn wall_tiles_in_the_header_are_held_against_the_rules() {
    let (wall, deck) = house();
    let low: Vec<u8> = wall.towers.iter().map(|t| t.0).filter(|low| *low != 0).collect();
    let three: String = low.iter().take(3).map(|low| format!("tower {low} holds 3\n")).collect();
    for (text, words) in [
        (format!("tower {} holds 3\n", low[0] + 1), "as its lower space; choose one of "),
        ("tower 0 holds 2\n".to_owned(), "no wall tile lies on tower 0/1 (CA-07)"),
        (format!("tower {} holds 77\n", low[0]), "line 1: wall tiles are numbered from 1 to 9 (CA-04)"),
        (three, "line 3: two other towers hold a 3 already"),
        (format!("edition zamek-2020\ntower {} holds 8\n", low[0]), "what wall tile 8 does in this edition"),
    ] {
        let error =
            Transcript::read(&text).and_then(|t| t.play(&wall, &deck).map(|_| ())).unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
    // A log is held against the same rules.
    for tiles in [
        vec![(low[0] + 1, 3)],
        vec![(0, 3)],
        vec![(low[0], 77)],
        low.iter().take(3).map(|l| (*l, 3)).collect(),
    ] {
        let mut header = header(None, 0);
        header.wall_tiles = tiles.into_iter().collect();
        assert!(Game::new(header, &wall, &deck).is_err());
    }
    // The 4 of 2020 is the 7 of 2003, in the header as in moves.
    let text = format!("edition zamek-2020\ntower {} holds 4\ntower {} holds 8 of 2003\n", low[0], low[1]);
    let read = Transcript::read(&text).unwrap();
    assert_eq!(read.header.wall_tiles, [(low[0], 7), (low[1], 8)].into());
    let mut game = read.play(&wall, &deck).unwrap();
    game.enter_text(&format!("show {} 4", low[2]), 0.0).unwrap();
    game.enter_text(&format!("show {} 8 of 2003", low[3]), 0.0).unwrap();
    game.enter_text("stop", 0.0).unwrap();
    read_back(&game, &wall, &deck);
}

/// What is typed wrongly is answered with what to type.
#[test]
fn answers_say_what_to_type() {
    let tiles = [("t", "tower n; tower s; path e"), ("c", "court n-e-s-w"), ("q", "path n; court e-s-w")];
    let said = |moves: &str, text: &str| {
        typed(&tiles, "###/###", &[(3, 1)], None, moves).enter_text(text, 0.0).unwrap_err().to_string()
    };
    for (moves, text, words) in [
        ("", "lay t", "write it as `lay TILE CELL TURNS`, such as `lay h07 D5 1`"),
        ("", "use", "write it as `use NUMBER`"),
        ("", "knight", "no tile was laid in this turn; lay one"),
        ("lay t A1", "knight C2", "no tile lies in C2"),
        ("lay t A1", "knight Z9", "outside the wall is Z9"),
        ("lay t A1", "knight", "choose `knight A1 0` (north) or `knight A1 1` (south)"),
        ("lay t A1", "knight 2", "no segment 2 for a knight; choose `knight A1 0` (north)"),
        (
            "lay t A1",
            "squire",
            "nothing for a squire; choose `knight A1 0` (north) or `knight A1 1` (south) or `herald A1 2` (east)",
        ),
        ("lay t A1", "Cid: knight 0", "`Cid` is no player's number; write `1:` or `2:`"),
    ] {
        let moves = if moves.is_empty() { "undo-nothing" } else { moves };
        let found = match moves {
            "undo-nothing" => {
                typed(&tiles, "###/###", &[], None, "show 3 1").enter_text(text, 0.0).unwrap_err().to_string()
            }
            moves => said(moves, text),
        };
        assert!(found.contains(words), "{text}: {found}");
    }
    // Who is named moves.
    let mut game = typed(&tiles, "###/###", &[], None, "lay t A1");
    game.enter_text("white: knight 0", 0.0).unwrap();
    assert!(game.enter_text("Black: end", 0.0).unwrap_err().to_string().contains("CA-17"));
    // The other player holds the wall tile that was just won.
    let three = [("p", "path n +fountain"), ("q", "path n"), ("c", "court n-e-s-w")];
    let mut game = typed(
        &three,
        "###/###",
        &[(3, 1)],
        None,
        "lay p A1; herald; end; lay c A2; end; lay q B1; herald; end",
    );
    let found = game.enter_text("use 1", 0.0).unwrap_err().to_string();
    assert_eq!(found, "Black holds no wall tile 1, White does; write `1: use 1` if White uses it (CA-79)");
    game.enter_text("1: use 1", 0.0).unwrap();
    // The table may say that one was used that the count has missed; at the end there is
    // nothing to score one by.
    let mut game = typed(&three, "###/###", &[(3, 1)], None, "lay p A1; herald; end; lay c A2; end");
    game.enter_text("! 2: use 1", 0.0).unwrap();
    game.enter_text("2: lay q B1", 0.0).unwrap();
    assert!(game.enter_text("! 2: use 9", 0.0).unwrap_err().to_string().contains("holds no wall tile 9"));
}
