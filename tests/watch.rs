//! `castellan watch` from the outside: what it says to bad input.

#![cfg(all(feature = "vision", feature = "studio"))]

mod command_support;

use std::path::Path;

use assert_cmd::Command;
use castellan::library;

fn watch(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.arg("watch").args(arguments).env_remove("RUST_LOG");
    command
}

/// The command fails with one line on stderr and nothing on stdout.
fn fails_with(arguments: &[&str], sentence: &str) {
    command_support::fails_with(&mut watch(arguments), sentence);
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn noise(folder: &Path, frames: u32) {
    for n in 0..frames {
        let picture = image::RgbImage::from_fn(640, 480, |x, y| {
            let v = (x * 7919 + y * 104_729 + n * 31).wrapping_mul(2_654_435_761) >> 24;
            image::Rgb([v as u8, (v / 2) as u8, (255 - v) as u8])
        });
        picture.save(folder.join(format!("{n}.png"))).unwrap();
    }
}

#[test]
fn a_source_that_is_none_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    fails_with(&[path(dir.path())], "the folder holds no picture");
    fails_with(&[path(&dir.path().join("nothing.mp4"))], "nothing is there");
    fails_with(&["camera:front"], "`camera:front` is not a camera");
    let video = dir.path().join("game.mp4");
    std::fs::write(&video, "not a video at all").unwrap();
    fails_with(&[path(&video)], "this is no video that can be read");
    std::fs::write(&video, b"\x00\x00\x00\x10ftypisom\x00\x00\x02\x00\x00\x10\x00\x00mdat\x00\x00").unwrap();
    fails_with(&[path(&video)], "the video is cut off before its index");
}

#[test]
fn a_deck_or_wall_that_is_not_whole_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    noise(dir.path(), 1);
    let mut deck = library::deck("house").unwrap().deck;
    deck.tiles.pop();
    let file = dir.path().join("deck.toml");
    std::fs::write(&file, deck.to_toml()).unwrap();
    fails_with(&[path(dir.path()), "--deck", path(&file)], "the deck has 59 tiles; 60 are needed");
    let mut wall = library::wall("house").unwrap();
    let cell = wall.outline.iter_mut().rev().find(|line| line.contains('#')).unwrap();
    *cell = cell.replacen('#', ".", 1);
    let file = dir.path().join("wall.toml");
    std::fs::write(&file, wall.to_toml()).unwrap();
    fails_with(&[path(dir.path()), "--wall", path(&file)], "75");
    fails_with(&[path(dir.path()), "--deck", "nowhere"], "no deck is named `nowhere`");
}

#[test]
fn a_game_file_that_does_not_fit_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    noise(dir.path(), 1);
    let file = dir.path().join("game.toml");
    std::fs::write(&file, "players = ['A', 'B', 'C']").unwrap();
    fails_with(&[path(dir.path())], "The Castle is for two players, not 3");
    std::fs::write(&file, "player = ['A', 'B']").unwrap();
    fails_with(&[path(dir.path())], "the game file is not of the form");
    fails_with(&[path(dir.path()), "--game", "nowhere.toml"], "the game file cannot be read");
}

#[test]
fn pictures_of_something_else_end_in_one_sentence_and_a_record_that_can_go_on() {
    let dir = tempfile::tempdir().unwrap();
    noise(dir.path(), 2);
    let record = dir.path().join("game.jsonl");
    let arguments = [path(dir.path()), "--players", "Ada,Ben", "--record", path(&record)];
    for run in 0..2 {
        let output = watch(&arguments).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let last = stderr.lines().last().unwrap();
        assert!(last.starts_with("castellan: the wall was found in none of the 2 frames"), "{stderr}");
        assert_eq!(stderr.contains("going on after 0 events"), run == 1, "{stderr}");
        let text = std::fs::read_to_string(&record).unwrap();
        assert!(text.lines().count() == 1 && text.contains("Ada"), "{text}");
    }
}

#[test]
fn the_edition_that_is_played_is_said_and_recorded() {
    let dir = tempfile::tempdir().unwrap();
    noise(dir.path(), 1);
    let record = dir.path().join("game.jsonl");
    let edition = "zamek-2020 +pickup_after_all_moves";
    let arguments = [path(dir.path()), "--edition", edition, "--record", path(&record)];
    let output = watch(&arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("Zamek, Nasza Księgarnia 2020\n"), "{stderr}");
    assert!(stderr.contains("at this table, not in the edition, "), "{stderr}");
    assert!(std::fs::read_to_string(&record).unwrap().contains(edition));
    fails_with(&[path(dir.path()), "--edition", "2021"], "no edition is named `2021`; choose hig-2003");
}

#[test]
fn an_option_out_of_range_is_a_usage_error() {
    watch(&["x", "--seconds-per-still", "0"]).assert().code(2);
    watch(&[]).assert().code(2);
}
