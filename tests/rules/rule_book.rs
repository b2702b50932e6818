//! `castellan rules`.

use assert_cmd::Command;
use castellan::library;
use castellan::record::{Sheet, play_random};
use castellan::rules::book;
use castellan::rules::castle::Policy;
use predicates::prelude::*;
use serde_json::Value;

use crate::decks::house_wall;

fn rules(args: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("castellan").unwrap().arg("rules").args(args).assert()
}

fn printed(args: &[&str]) -> String {
    String::from_utf8(rules(args).code(0).get_output().stdout.clone()).unwrap()
}

/// The text as it was before its lines were broken.
fn flowing(args: &[&str]) -> String {
    printed(args).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn without_an_id_the_rules_of_a_game_are_listed() {
    let castle = printed(&[]);
    assert!(castle.starts_with("CA-01    A game for two\n"), "{castle}");
    assert!(castle.contains("\nCA-40a   Not where a follower stands already\n"), "{castle}");
    assert_eq!(castle.lines().count(), 137);
    assert_eq!(printed(&["--game", "castle"]), castle);
    let classic = printed(&["--game", "classic"]);
    assert!(classic.starts_with("BA-01  Two to five players\n"), "{classic}");
    assert_eq!(classic.lines().count(), 36 + 33 + 36);
}

#[test]
fn a_rule_is_said_in_lines_of_eighty_letters() {
    let text = printed(&["CA-72"]);
    assert!(text.starts_with("CA-72  Each feature is a move of its own\n"), "{text}");
    assert!(text.lines().count() > 3 && text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert!(flowing(&["CA-72"]).contains(&book::rule("CA-72").unwrap().text));
    for id in ["ca72", "ca-72", "CA 72"] {
        assert_eq!(printed(&[id]), text);
    }
    let both = printed(&["CA-72", "ba10"]);
    assert!(both.starts_with(&format!("{text}\nBA-10  A tile that fits nowhere\n")), "{both}");
}

/// A switch of the classic game is said both ways.
#[test]
fn the_classic_game_says_what_a_table_may_choose() {
    let text = flowing(&["BA-10"]);
    assert!(
        text.contains("here who draws a tile that fits nowhere draws again: one text and the publisher"),
        "{text}"
    );
    let other =
        "with the switch unplaceable_loses_turn on: who draws a tile that fits nowhere loses the turn";
    assert!(text.contains(other), "{text}");
    assert!(!flowing(&["BA-11"]).contains("with the switch"));
}

#[test]
fn the_edition_says_how_it_reads_a_rule() {
    let plain = flowing(&["CA-88"]);
    assert!(
        plain.contains("in this edition an open path counts 1 point a tile, with a fountain too: one point"),
        "{plain}"
    );
    assert!(plain.contains("in the edition rgg-2003 an open path with a fountain counts 2"), "{plain}");
    assert!(!plain.contains("zamek-2020"), "{plain}");
    let english = flowing(&["CA-88", "--edition", "rgg-2003"]);
    assert!(english.starts_with("The Castle, Rio Grande Games 2003 CA-88 Wall tile 4"), "{english}");
    assert!(english.contains("counts 2 points a tile: only the English rules"), "{english}");
    assert!(english.contains("in the edition zamek-2020 an open path counts 1"), "{english}");
    let own = flowing(&["CA-88", "--edition", "rgg-2003 -wall4_fountain"]);
    assert!(own.contains("at this table, not in the edition, an open path counts 1 point a tile"), "{own}");
    assert!(!english.contains("at this table"), "{english}");
    // Both switches of one rule.
    let eights = flowing(&["CA-95"]);
    assert_eq!(eights.matches("in this edition").count(), 2, "{eights}");
    // Its words, and which numbers are not known.
    let polish = flowing(&["CA-53", "--edition", "zamek-2020"]);
    assert!(
        polish.contains("pigsty stands for tower") && polish.contains("wall tile 4 is the 7"),
        "{polish}"
    );
    assert!(!flowing(&["CA-53"]).contains("in this edition"));
}

#[test]
fn words_are_looked_for_in_both_games() {
    let found = printed(&["--search", "FOUNTAIN"]);
    assert!(found.contains("CA-46   A fountain doubles the path\n") && found.contains("CA-88   "), "{found}");
    assert!(!found.contains("CA-72"), "{found}");
    assert!(printed(&["--search", "follower"]).contains("\nBA-12   Four parts for a follower\n"));
    assert!(!printed(&["--search", "follower", "--game", "castle"]).contains("BA-"));
    rules(&["--search", "zeppelin"])
        .code(0)
        .stdout("")
        .stderr(predicate::str::contains("no rule has this word"));
}

#[test]
fn what_is_no_rule_leads_to_near_ones() {
    let refused = |args: &[&str], says: &str| {
        rules(args).code(1).stdout("").stderr(predicate::str::contains(says));
    };
    refused(&["CA-40"], "no rule is named `CA-40`; try CA-40a, CA-40b or CA-40c");
    refused(&["CA-72", "ba-99"], "no rule is named `ba-99`; try BA-36, BA-35 or BA-34");
    refused(
        &["keep"],
        "no rule is named `keep`; write an id such as CA-72, or look for a word with --search",
    );
    refused(&["CA-88", "--edition", "first"], "choose hig-2003, rgg-2003, zamek-2020");
    refused(&["BA-10", "--edition", "rgg-2003"], "leave --edition out for the classic game");
    rules(&["CA-72", "--search", "move"]).code(2);
    rules(&["CA-72", "--game", "classic"]).code(2);
    rules(&["--game", "chess"]).code(2);
}

#[test]
fn machines_get_the_same_as_json() {
    let read: Value =
        serde_json::from_str(&printed(&["CA-64", "CA-72", "--json", "--edition", "rgg-2003"])).unwrap();
    assert_eq!(read["edition"], "rgg-2003");
    let [keep, order] = read["rules"].as_array().unwrap().as_slice() else { panic!("{read}") };
    assert_eq!((&keep["id"], &keep["open"]), (&Value::from("CA-64"), &Value::from(true)));
    assert_eq!(keep["switches"][0], "keep_needs_own_completion");
    assert!(
        keep["says"][0].as_str().unwrap().starts_with("in this edition a keep moves onto a larger house")
    );
    assert_eq!(order["text"], book::rule("CA-72").unwrap().text.as_str());
    assert_eq!(order["says"], Value::Array(Vec::new()));
    let all: Value = serde_json::from_str(&printed(&["--json", "--game", "classic"])).unwrap();
    assert_eq!(all["rules"].as_array().unwrap().len(), 36 + 33 + 36);
}

#[test]
fn every_id_on_a_sheet_leads_to_its_rule() {
    let deck = library::deck("house").unwrap().deck;
    let mut ids: Vec<String> = (0..3)
        .flat_map(|seed| {
            let sheet: Sheet = play_random(&house_wall(), &deck, seed, Policy::Greedy).unwrap().sheet();
            let turns = sheet.turns.into_iter().flat_map(|t| t.scores);
            turns.chain(sheet.finals).flat_map(|s| s.items).map(|item| item.rule).collect::<Vec<_>>()
        })
        .collect();
    ids.sort();
    ids.dedup();
    assert!(ids.len() > 5, "{ids:?}");
    let text = printed(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    for id in &ids {
        assert!(text.lines().any(|l| l.starts_with(&format!("{id}  "))), "{id} in {text}");
    }
}
