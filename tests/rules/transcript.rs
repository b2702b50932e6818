//! The record as text: written, read back and played, it is the same game; and
//! one turn accounted for.

use castellan::library;
use castellan::record::{EventKind, Game, Header, Transcript, play_random_with};
use castellan::rules::castle::{Policy, random_wall_tiles};
use castellan::rules::{Cell, Deck, Player, Wall};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::decks::house_wall;

fn house() -> (Wall, Deck) {
    (house_wall(), library::deck("house").unwrap().deck)
}

fn header(edition: Option<&str>, seed: u64) -> Header {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    Header {
        format: "castellan".to_owned(),
        version: 1,
        game: castellan::rules::Game::Castle,
        deck: "house".to_owned(),
        wall: Some("house".to_owned()),
        edition: edition.map(str::to_owned),
        players: vec!["Ada of the Hill".to_owned(), "Ben".to_owned()],
        colours: vec!["blue".to_owned(), "yellow".to_owned()],
        starts: Player((seed % 2) as u8),
        wall_tiles: random_wall_tiles(&house_wall().towers, &mut rng),
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
                    .filter(|s| s.player == Some(player))
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
    let mut game = Game::new(header, &wall, &deck).unwrap();
    for text in moves.split(';') {
        game.enter_text(text, 0.0).unwrap();
    }
    let account = game.account(game.position().turn() - 1).unwrap();
    account.reasons.iter().map(|r| format!("{} ({})", r.sentence, r.rule)).collect()
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
        ["the tower in A1, B1, C1 has 1 knight of each player: equal numbers score for nobody (CA-57)"]
    );
    // Completed by the other player; the marker passes a tower and stops on one.
    assert_eq!(
        reasons(&tiles, "###", "lay l A1; knight; end; lay m B1; end; lay c C1; undo; lay r C1; end"),
        [
            "White's marker passes tower 3/4 and stops on 6: no wall tile from it (CA-71)",
            "White's marker stops on 6, which is tower 6/7 (CA-70)"
        ]
    );
    let other = reasons(&tiles, "##", "lay l A1; knight; end; lay r B1; end");
    assert_eq!(
        other,
        [
            "Black completed the tower in A1, B1, but White has the knight: the majority scores, not who completes (CA-50)",
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
    assert_eq!(keep, ["White's keep stays: a house of 1 is not larger than one of 1 (CA-63)"]);
    let long = [("p", "path e"), ("m", "path w-e"), ("q", "path w"), ("c", "court n")];
    let passed = reasons(
        &long,
        "#####",
        "lay p A1; herald; end; lay m B1; end; lay m C1; end; lay m D1; end; lay q E1; end",
    );
    assert_eq!(passed, ["White's marker passes tower 3/4 and stops on 5: no wall tile from it (CA-71)"]);
}
