//! Names and other words of people: refused where they are said, shown plainly
//! where a record holds them; and texts of which not every byte can be read.

use std::sync::LazyLock;

use assert_cmd::Command;
use castellan::library;
use castellan::record::{EventKind, Game, Header, Log, TextHeader, Transcript, play_random_with};
use castellan::rules::castle::Policy;
use castellan::rules::plain::{LONGEST_NAME, check_name};
use castellan::rules::{Deck, Player, Wall};
use castellan::table::GameFile;
use predicates::prelude::*;
use proptest::prelude::*;

use crate::decks::house_wall;
use crate::headers;

static HOUSE: LazyLock<(Wall, Deck)> = LazyLock::new(|| (house_wall(), library::deck("house").unwrap().deck));

fn header(players: [&str; 2]) -> Header {
    Header { colours: ["blue", "yellow"].map(str::to_owned).to_vec(), ..headers::header(&players) }
}

/// A game between Ada and Ben, played out.
static GAME: LazyLock<Game> = LazyLock::new(|| {
    play_random_with(header(["Ada", "Ben"]), &HOUSE.0, &HOUSE.1, 11, Policy::Greedy).unwrap()
});

/// That game under another header.
fn game(header: Header) -> Game {
    Log { header, ..Log::read(&GAME.to_log()).unwrap() }.replay(&HOUSE.0, &HOUSE.1).unwrap()
}

fn facts(game: &Game) -> Vec<EventKind> {
    game.facts().into_iter().map(|(_, kind)| kind).collect()
}

fn castellan(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.args(arguments);
    command
}

/// Words that stand in the way: of the notation, of a line, of a name, of numbers.
fn word() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "",
        " ",
        "1",
        "2",
        "#",
        "# 1, Ada",
        "; undo",
        "\"Ada\"",
        "'",
        "player 2",
        "Ada\nundo",
        "\r\n",
        "\u{1b}[2J",
        "\u{feff}",
        "\u{2028}",
        "\u{85}lay h01 E6",
        "…",
        "starts 2",
        "  blanks  ",
        "a  b",
        "\u{202e}",
        "! lay",
        "\0",
    ]);
    prop_oneof![
        3 => odd.prop_map(str::to_owned),
        3 => ".{0,12}",
        1 => any::<String>(),
        1 => (prop::sample::select(vec!["x", "ß", "\n", "張"]), 38_usize..44).prop_map(|(s, n)| s.repeat(n)),
        1 => Just("long ".repeat(20_000)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        rng_seed: proptest::test_runner::RngSeed::Fixed(15),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_a_header_holds_its_text_reads_back_as_the_same_game(
        players in prop::array::uniform2(word()),
        colours in prop::collection::vec(word(), 0..4),
        deck in word(),
        wall in word(),
        starts in 0_u8..2,
    ) {
        let names = [players[0].as_str(), players[1].as_str()];
        let mut header = Header { colours, deck, wall: Some(wall), ..header(names) };
        header.starts = Player(starts);
        // Who began is not who began the game that was played out.
        let mut game = Game::new(header, &HOUSE.0, &HOUSE.1).unwrap();
        for text in ["! lay h02 E6; end", "! lay h05 E5"].iter().flat_map(|l| castellan::record::moves_in(l)) {
            game.enter_text(text, 0.0).unwrap();
        }
        let text = game.to_text();
        prop_assert!(!text.chars().any(|c| c != '\n' && castellan::rules::plain::is_control(c)));
        prop_assert!(text.lines().all(|l| l.len() < 40_000));
        let read = Transcript::read(&text).unwrap().play(&HOUSE.0, &HOUSE.1).unwrap();
        prop_assert_eq!(facts(&read), facts(&game));
        prop_assert_eq!(read.sheet(), game.sheet());
        prop_assert_eq!(read.header().starts, game.header().starts);
        prop_assert_eq!(&read.header().players[..], game.names().all());
        let again = Transcript::read(&read.to_text()).unwrap().play(&HOUSE.0, &HOUSE.1).unwrap();
        prop_assert_eq!((again.header(), again.to_text()), (read.header(), read.to_text()));
        // Proper names are not changed, and those that are shown are proper.
        for (name, shown) in players.iter().zip(game.names().all()) {
            prop_assert!(check_name(name).is_err() || name.trim() == shown);
            prop_assert!(check_name(shown).is_ok());
        }
    }
}

#[test]
fn a_record_with_names_that_would_be_refused_is_scored_and_stays_as_it_is() {
    let odd = header(["A\nda\u{1b}[2J", &"B".repeat(65_536)]);
    let game = game(odd.clone());
    assert_eq!(game.header(), &odd);
    assert_eq!(game.names().all(), ["A da�[2J".to_owned(), "B".repeat(LONGEST_NAME - 1) + "…"]);
    assert_eq!(game.sheet().tallies, GAME.sheet().tallies);
    assert!(game.to_log().starts_with(&serde_json::to_string(&odd).unwrap()));
    // Its sentences were written with the names that they had then.
    let log = game.to_log().replace("Ada", "A\\nda\\u001b[2J");
    let log = Log::read(&log).unwrap();
    assert_eq!(castellan::record::check(&log, &HOUSE.0, &HOUSE.1).unwrap(), []);
}

#[test]
fn names_are_refused_where_they_are_said() {
    let long = "B".repeat(41);
    for (name, words) in [(long.as_str(), "not 41"), ("", "not 0"), ("A\u{1b}b", "no control characters")] {
        let said = GameFile { players: vec![name.to_owned(), "Ben".to_owned()], ..GameFile::default() };
        let error = said.header().unwrap_err().to_string();
        assert!(error.starts_with("a name has ") && error.contains(words), "{error}");
        let error = TextHeader::default().take(&format!("player {name}")).unwrap_err().to_string();
        assert!(error.starts_with("a name has ") && error.contains(words), "{error}");
        let error = Transcript::read(&format!("deck house\nplayer {name}\n")).unwrap_err().to_string();
        assert!(error.starts_with("line 2: a name has "), "{error}");
        castellan(&["score", "-"])
            .write_stdin(format!("player {name}\nplayer Ben\n"))
            .assert()
            .code(3)
            .stderr(predicate::str::starts_with("line 1: a name has ").and(predicate::str::contains(words)));
    }
    for line in ["deck a\u{7}b", "wall a\u{7}b", "edition a\u{7}b", "colour a\u{7}b", "starts a\u{7}b"] {
        let error = TextHeader::default().take(line).unwrap_err().to_string();
        assert!(error.contains("no control characters; leave out `\\u{7}`"), "{error}");
    }
}

/// The text of the game, bytes, with something put in before a line.
fn with(line: &str, before: &[u8]) -> Vec<u8> {
    let text = GAME.to_text();
    let at = text.find(line).unwrap_or_else(|| panic!("{line} is not in\n{text}"));
    [&text.as_bytes()[..at], before, &text.as_bytes()[at..]].concat()
}

/// A move line of the text.
fn a_move() -> String {
    GAME.to_text().lines().filter(|l| l.starts_with("lay ")).nth(4).unwrap().to_owned()
}

#[test]
fn a_bad_byte_costs_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    let path = file.to_str().unwrap();
    let whole = castellan(&["score", "--json", "-"]).write_stdin(GAME.to_log()).output().unwrap().stdout;
    let typed = GAME.to_text();
    let typed = castellan(&["score", "-"]).write_stdin(typed).output().unwrap().stdout;
    let line = typed_line(&a_move());
    let long = [b"# ".to_vec(), b"x".repeat(1 << 20), b"\n".to_vec()].concat();
    for (bytes, words) in [
        (with(&a_move(), b"\xff\xfe\n"), format!("line {line} is not UTF-8 and is left out")),
        (with(&a_move(), b"# Zo\xeb\n"), format!("the comment in line {line} is not UTF-8")),
        (with(&a_move(), &long), format!("line {line} is longer than 64 kB and is left out")),
    ] {
        castellan(&["score", "-"])
            .write_stdin(bytes.clone())
            .assert()
            .code(3)
            .stderr(predicate::str::starts_with(words.clone()))
            .stdout(typed.clone());
        std::fs::write(&file, bytes).unwrap();
        castellan(&["score", "--json", path])
            .assert()
            .code(3)
            .stderr(predicate::str::starts_with(words.clone()))
            .stdout(whole.clone());
        castellan(&["check", path]).assert().code(3).stdout(predicate::str::contains(words));
    }
    // A name of which a byte is wrong stays a name, and nobody takes the other's place.
    let text = GAME.to_text().replace("Ada", "Zo\u{eb}");
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
    std::fs::write(&file, latin).unwrap();
    let output = castellan(&["score", "--json", path]).assert().code(3).get_output().stdout.clone();
    let names = String::from_utf8(whole).unwrap().replace("Ada", "Zo\u{fffd}");
    assert_eq!(String::from_utf8(output).unwrap(), names);
}

fn typed_line(line: &str) -> usize {
    GAME.to_text().lines().position(|l| l == line).unwrap() + 1
}

#[test]
fn a_line_of_moves_that_is_lost_is_said_and_the_others_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    std::fs::write(&file, with(&a_move(), b"\xff")).unwrap();
    castellan(&["score", file.to_str().unwrap()])
        .assert()
        .code(3)
        .stdout(predicate::str::contains("total"))
        .stderr(predicate::str::contains("is not UTF-8 and is left out"))
        .stderr(predicate::str::contains("the scores after a line that is left out may be wrong"));
}

#[test]
fn a_byte_order_mark_is_taken_off() {
    let folder = tempfile::tempdir().unwrap();
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let whole = castellan(&["score", "--json", "-"]).write_stdin(GAME.to_log()).output().unwrap().stdout;
    for text in [GAME.to_log(), GAME.to_text()] {
        castellan(&["score", "--json", "-"])
            .write_stdin(marked(&text))
            .assert()
            .code(0)
            .stdout(whole.clone());
        castellan(&["score", "-"])
            .write_stdin(marked(&text))
            .assert()
            .code(0)
            .stdout(predicate::str::contains("\ntotal "))
            .stderr(predicate::str::contains("line 1").not());
        let file = folder.path().join("record");
        std::fs::write(&file, marked(&text)).unwrap();
        let path = file.to_str().unwrap();
        castellan(&["score", "--json", path]).assert().code(0).stdout(whole.clone());
        castellan(&["check", path]).assert().code(0);
        castellan(&["check", "-"]).write_stdin(marked(&text)).assert().code(0);
    }
    let deck = library::deck("house").unwrap().deck.to_toml();
    castellan(&["check", "-"]).write_stdin(marked(&deck)).assert().code(0);
    castellan(&["check", "-"])
        .write_stdin(
            deck.replacen("name = \"", "name = \"Zo\u{eb}", 1).chars().map(|c| c as u8).collect::<Vec<u8>>(),
        )
        .assert()
        .code(1)
        .stderr(predicate::str::contains("is not UTF-8; save the file as UTF-8"));
}

#[test]
fn a_table_with_a_bad_line_is_scored_without_it() {
    let table = b"\xef\xbb\xbflay h01 E6\n1: po\xffnts 3\n1: points 97\n2: points 80\n";
    castellan(&["score", "--table", "-"])
        .write_stdin(&table[..])
        .assert()
        .code(3)
        .stdout(predicate::str::contains("total 97 to 80"))
        .stderr("line 2 is not UTF-8 and is left out; save the text as UTF-8\n");
}
