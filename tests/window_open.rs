//! `castellan open` from the outside: what it says when there is nothing to
//! open, or nowhere to show it.
#![cfg(feature = "gui")]

mod command_support;

use std::path::Path;

use assert_cmd::Command;
use castellan::library;

/// The command fails without a display, with one line on stderr.
fn fails_with(arguments: &[&str], sentence: &str) {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.arg("open").args(arguments);
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "RUST_LOG"] {
        command.env_remove(name);
    }
    command_support::fails_with(&mut command, sentence);
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_source_that_is_none_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    fails_with(&[path(dir.path())], "the folder holds no picture");
    fails_with(&[path(&dir.path().join("nothing.mp4"))], "nothing is there");
    fails_with(&[path(&dir.path().join("game.jsonl"))], "no record is there");
    fails_with(&["camera:front"], "`camera:front` is not a camera");
    let record = dir.path().join("game.jsonl");
    std::fs::write(&record, "not a record\n").unwrap();
    fails_with(&[path(&record)], "line 1");
}

#[test]
fn a_game_that_cannot_be_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    image::RgbImage::new(64, 48).save(dir.path().join("1.png")).unwrap();
    let folder = path(dir.path());
    fails_with(&[folder, "--deck", "nowhere"], "no deck is named `nowhere`");
    let mut deck = library::deck("house").unwrap().deck;
    deck.tiles.pop();
    let file = dir.path().join("deck.toml");
    std::fs::write(&file, deck.to_toml()).unwrap();
    fails_with(&[folder, "--deck", path(&file)], "the deck has 59 tiles; 60 are needed");
    fails_with(&[folder, "--players", "Ada"], "The Castle is for two players, not 1");
    fails_with(&[folder, "--colours", "red,red"], "two different colours");
    fails_with(&[folder, "--game", "nowhere.toml"], "the game file cannot be read");
}

/// Winit finds displays so on Linux alone.
#[cfg(target_os = "linux")]
#[test]
fn no_display_is_said_in_one_sentence() {
    fails_with(&[], "no window can be opened here");
    let dir = tempfile::tempdir().unwrap();
    image::RgbImage::new(64, 48).save(dir.path().join("1.png")).unwrap();
    fails_with(&[path(dir.path())], "`castellan watch` keeps the score in a terminal");
}
