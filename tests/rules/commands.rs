//! `castellan score` and `castellan check`.

use assert_cmd::Command;
use castellan::library;
use castellan::record::{EventKind, Game, Sheet, Source, Transcript, TurnAccount, play_random};
use castellan::rules::castle::Policy;
use predicates::prelude::*;

use crate::decks::house_wall;

fn castellan() -> Command {
    Command::cargo_bin("castellan").unwrap()
}

fn game() -> Game {
    play_random(&house_wall(), &library::deck("house").unwrap().deck, 5, Policy::Greedy).unwrap()
}

#[test]
fn score_prints_every_score_and_the_totals() {
    let game = game();
    let sheet = game.sheet();
    let output = castellan().args(["score", "-"]).write_stdin(game.to_log()).assert().code(0);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for score in sheet.turns.iter().flat_map(|t| &t.scores).chain(&sheet.finals) {
        assert!(text.contains(&score.sentence), "{text}");
    }
    let total = text.lines().find(|l| l.starts_with("total")).unwrap();
    let totals: Vec<u32> = total.split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect();
    assert_eq!(totals, [sheet.tallies[0].total, sheet.tallies[1].total]);

    let json = castellan().args(["score", "--json", "-"]).write_stdin(game.to_log()).assert().code(0);
    let read: Sheet = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!(read, sheet);
}

#[test]
fn score_accounts_for_one_turn() {
    let game = game();
    let turn = game.scores()[0].turn;
    let run = |more: &[&str]| {
        let number = turn.to_string();
        let mut args = vec!["score", "-", "--turn", &number];
        args.extend(more);
        let assert = castellan().args(args).write_stdin(game.to_log()).assert().code(0);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let text = run(&[]);
    for words in
        [" lays ", &game.scores()[0].score.sentence, "before:", "because:", "after:", "followers left"]
    {
        assert!(text.contains(words), "{words} in {text}");
    }
    let read: TurnAccount = serde_json::from_str(&run(&["--json"])).unwrap();
    assert_eq!((read.turn, &read.scores[0]), (turn, &game.scores()[0].score));
    castellan()
        .args(["score", "-", "--turn", "200"])
        .write_stdin(game.to_log())
        .assert()
        .code(1)
        .stderr(predicate::str::contains("turn 200 was not played"));
}

#[test]
fn a_record_as_text_is_scored_and_checked_as_its_log() {
    let game = game();
    let assert = castellan().args(["score", "-", "--text"]).write_stdin(game.to_log()).assert().code(0);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert_eq!(text, game.to_text());
    let assert = castellan().args(["score", "-", "--json"]).write_stdin(text.clone()).assert().code(0);
    let read: Sheet = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(read, game.sheet());
    castellan()
        .args(["check", "-"])
        .write_stdin(text)
        .assert()
        .code(0)
        .stderr(predicate::str::contains("in order"));
}

#[test]
fn the_edition_and_what_differs_stand_on_the_sheet() {
    let args = ["score", "-", "--edition", "rgg-2003 +corners_connect_empty_area"];
    castellan()
        .args(args)
        .write_stdin(game().to_log())
        .assert()
        .code(0)
        .stdout(predicate::str::starts_with("The Castle, Rio Grande Games 2003\n"))
        .stdout(predicate::str::contains("2 points a tile (CA-88): only the English rules"))
        .stdout(predicate::str::contains(
            "at this table, not in the edition, empty spaces that touch at a corner",
        ));
    castellan()
        .args(["score", "-", "--edition", "first"])
        .write_stdin(game().to_log())
        .assert()
        .code(1)
        .stderr(predicate::str::contains("choose hig-2003, rgg-2003, zamek-2020"));
}

#[test]
fn moves_typed_in_are_scored_as_they_come() {
    let game = game();
    let first = game.scores()[0].turn;
    let text = game.to_text();
    // The game up to its first score, with mistakes among the moves.
    let mut typed = String::from("player Ada\nplayer Ben\ndeck\n");
    let moves: Vec<&str> = text.lines().filter(|l| l.contains("  # ")).take(first as usize).collect();
    typed += &text
        .lines()
        .filter(|l| l.starts_with("starts") || l.starts_with("tower"))
        .fold(String::new(), |all, line| all + &line.replace("White", "Ada").replace("Black", "Ben") + "\n");
    typed += "lay h01 A1\nhello\n";
    typed += &moves.join("\n");
    let assert = castellan().args(["score", "-"]).write_stdin(typed).assert().code(3);
    let output = assert.get_output();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let sentence = game.scores()[0].score.sentence.replace("White", "Ada").replace("Black", "Ben");
    assert!(out.starts_with("Die Burg, Hans im Glück 2003\n") && out.contains(&sentence), "{out}");
    assert!(out.contains("the game goes on"), "{out}");
    let answers: Vec<&str> = err.lines().collect();
    assert_eq!(answers.len(), 3, "{err}");
    assert!(answers[0].starts_with("line 3: write the line as `deck NAME`"), "{err}");
    assert!(answers[1].contains("`lay h01 A1`: the cell is outside the wall (CA-30)"), "{err}");
    assert!(answers[2].contains("`hello`: `hello` is no move; write lay,"), "{err}");
}

/// After the end, what a wall tile changes is printed with the final scores; what
/// `undo` takes back is named; a turn that has not ended is no secret.
#[test]
fn what_changes_the_final_scoring_is_told() {
    let tell = |typed: &str| {
        let assert = castellan().args(["score", "-"]).write_stdin(typed.to_owned()).assert();
        let output = assert.get_output();
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let game = play_random(&house_wall(), &library::deck("house").unwrap().deck, 5, Policy::Greedy).unwrap();
    // The wall tiles are unknown until someone says them at the end.
    let text = game.to_text();
    let mut typed: Vec<&str> =
        text.lines().filter(|l| !l.starts_with("tower") && !l.contains("use 1")).collect();
    let (wall, deck) = (house_wall(), library::deck("house").unwrap().deck);
    let told = Transcript::read(&typed.join("\n")).unwrap().play(&wall, &deck).unwrap();
    let held = told.position().prizes(castellan::rules::Player(0));
    let tower = held.iter().find(|t| t.1.is_none()).expect("an unknown wall tile is held").0;
    let show = format!("show {tower} 9");
    typed.push(&show);
    typed.push("undo");
    let (out, err) = tell(&typed.join("\n"));
    assert!(
        out.contains("\nnew      White +5 ") && out.contains("wall tile 9: 5 points for White"),
        "{out}\n{err}"
    );
    assert!(
        out.contains(&format!("taken back: the wall tile of tower {tower}/{} is a 9", tower + 1)),
        "{out}"
    );
    let (out, err) = tell("! lay h01 E6");
    assert!(
        out.contains("the game goes on") && err.contains("White's turn has not ended; `end` scores it"),
        "{err}"
    );
}

#[test]
fn a_finished_table_is_scored_without_its_history() {
    let table = "lay h01 E6  # one tile\n1: points 97\n2: points 80\n1: holds 9 ?\n";
    castellan()
        .args(["score", "-", "--table"])
        .write_stdin(table)
        .assert()
        .code(3)
        .stdout(predicate::str::contains("player 1 +5: wall tile 9: 5 points for player 1"))
        .stdout(predicate::str::contains("total 102 to 80"))
        .stdout(predicate::str::contains("doubt: player 1 holds 1 wall tile whose number"))
        .stdout(predicate::str::contains("cannot be told from a table: who scored the largest house"));
    castellan()
        .args(["score", "-", "--table"])
        .write_stdin("lay h01 A1\n")
        .assert()
        .code(1)
        .stderr(predicate::str::contains("line 1: the cell is outside the wall (CA-30)"));
}

#[test]
fn check_of_a_record_in_order_says_nothing() {
    castellan()
        .args(["check", "-"])
        .write_stdin(game().to_log())
        .assert()
        .code(0)
        .stdout("")
        .stderr(predicate::str::contains("in order"));
}

/// What is said of a score may change from version to version, what was counted may not.
#[test]
fn a_record_with_other_sentences_is_in_order() {
    let text = game().to_log();
    let said = text.replace(" points for ", " points go to ");
    assert_ne!(said, text);
    let in_order = predicate::str::contains("in order");
    castellan().args(["check", "-"]).write_stdin(said.clone()).assert().code(0).stderr(in_order);
    // Lines that are lost are found by what stands beside them all the same.
    let mut lines: Vec<&str> = said.lines().collect();
    let lost = lines.iter().position(|l| l.contains("follower_placed")).unwrap();
    lines[lost] = "{";
    castellan()
        .args(["check", "-"])
        .write_stdin(lines.join("\n") + "\n")
        .assert()
        .code(3)
        .stdout(predicate::str::contains("by all that follows it said that"));
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/house-game/expected.jsonl");
    castellan().args(["check", old]).assert().code(0).stderr(predicate::str::contains("in order"));
}

#[test]
fn check_finds_what_is_wrong_in_a_record() {
    let text = game().to_log();
    // A score that does not follow from the facts.
    let forged = text.replacen("\"points\":", "\"points\":1", 1);
    castellan()
        .args(["check", "-"])
        .write_stdin(forged)
        .assert()
        .code(3)
        .stdout(predicate::str::contains("feature_scored, does not follow from the facts"));
    // Cut off.
    castellan()
        .args(["check", "-"])
        .write_stdin(text[..text.len() - 30].to_owned())
        .assert()
        .code(3)
        .stdout(predicate::str::contains("was cut off"));
    // A move against the rules that the table let stand.
    let header = game().header().clone();
    let deck = library::deck("house").unwrap().deck;
    let wall = house_wall();
    let mut waived = Game::new(header, &wall, &deck).unwrap();
    let far = EventKind::TilePlaced {
        player: waived.position().to_move(),
        tile: deck.tiles[0].id.clone(),
        cell: castellan::rules::Cell::new(4, 5),
        rotation: Default::default(),
    };
    assert!(waived.apply(far.clone(), Source::Hand, 1.0, 0.0).is_err());
    waived.apply_anyway(far, Source::Hand, 1.0, 0.0).unwrap();
    castellan()
        .args(["check", "-"])
        .write_stdin(waived.to_log())
        .assert()
        .code(3)
        .stdout(predicate::str::contains("(CA-18); the table let it stand"));
}

#[test]
fn check_refuses_decks_and_walls_that_are_not_whole() {
    castellan().args(["check", "house"]).assert().code(0);
    let mut deck = library::deck("house").unwrap().deck;
    deck.tiles.pop();
    castellan()
        .args(["check", "-"])
        .write_stdin(deck.to_toml())
        .assert()
        .code(1)
        .stdout(predicate::str::contains("59 tiles"));
    let mut wall = house_wall();
    wall.outline[0] = wall.outline[0].replacen('#', ".", 1);
    castellan()
        .args(["check", "-"])
        .write_stdin(wall.to_toml())
        .assert()
        .code(1)
        .stdout(predicate::str::contains("75"));
    castellan().args(["check", "no-such-thing"]).assert().code(1);
    castellan().args(["check"]).assert().code(2);
}
