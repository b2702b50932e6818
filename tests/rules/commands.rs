//! `castellan score` and `castellan check`.

use assert_cmd::Command;
use castellan::library;
use castellan::record::{EventKind, Game, Sheet, Source, play_random};
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
fn score_shows_one_turn() {
    let game = game();
    let turn = game.scores()[0].turn;
    let assert = castellan()
        .args(["score", "-", "--turn", &turn.to_string()])
        .write_stdin(game.to_log())
        .assert()
        .code(0);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(text.contains(" lays "), "{text}");
    assert!(text.contains(&game.scores()[0].score.sentence), "{text}");
    assert!(!text.contains("total"), "{text}");
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
