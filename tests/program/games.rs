//! The recorded-game suite, in small: the first turns of a castle game, and with
//! `CASTELLAN_LONG_TESTS` of a classic one, are filmed and watched, and what was recorded is
//! held against what was played.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// Turns that are filmed.
const TURNS: &str = "2";

fn castellan(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.args(arguments).env_remove("RUST_LOG");
    command
}

fn count(of: &Value, kind: &str, what: &str) -> u64 {
    of["counts"][kind][what].as_u64().unwrap()
}

#[test]
fn the_first_turns_of_filmed_games_are_recorded_as_they_were_played() {
    // Frames of a classic game take seconds each.
    let long = std::env::var_os("CASTELLAN_LONG_TESTS").is_some();
    let names = if long { vec!["castle-1", "classic-1"] } else { vec!["castle-1"] };
    let classic = if long { "1" } else { "0" };
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let film =
        ["render", "--games", "1", "--classic", classic, "--unseen", "--turns", TURNS, "--size", "960x540"];
    castellan(&film).args(["--out", out]).assert().success();
    for name in &names {
        let folder = dir.path().join(name);
        for file in ["script.json", "game.jsonl", "frames.jsonl", "deck.toml", "game.toml", "00001.jpg"] {
            assert!(folder.join(file).is_file(), "{name}/{file}");
        }
        assert_eq!(folder.join("wall.json").is_file(), *name == "castle-1");
    }
    let output = castellan(&["evaluate", "--games", out, "--json", "--details"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let games = report["games"].as_array().unwrap();
    assert_eq!(games.len(), names.len(), "{said}");
    for game in games {
        assert_eq!(game["broke_off"], Value::Null, "{said}");
        let frames =
            std::fs::read_to_string(dir.path().join(game["name"].as_str().unwrap()).join("frames.jsonl"));
        let read =
            game["changed"]["frames"].as_u64().unwrap() + game["unchanged"]["frames"].as_u64().unwrap();
        assert_eq!(read, frames.unwrap().lines().count() as u64, "every frame is read once");
        assert_eq!(count(game, "tiles", "all"), TURNS.parse::<u64>().unwrap(), "{said}");
        assert_eq!(count(game, "tiles", "in_the_end"), count(game, "tiles", "all"), "{said}");
        assert_eq!(count(game, "tiles", "false_ones"), 0, "{said}");
    }
}

#[test]
fn what_is_no_film_is_refused_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |path: &Path, words: &str| {
        let output = castellan(&["evaluate", "--games", path.to_str().unwrap()]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && said.contains(words), "{said}");
    };
    refused(dir.path(), "no film is here; `castellan render --games 1 --unseen --out DIR` makes one");
    std::fs::write(dir.path().join("script.json"), "{}").unwrap();
    refused(dir.path(), "not as `castellan render` writes it");
}
