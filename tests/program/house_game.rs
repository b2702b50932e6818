//! The shipped recorded game, from its first picture to its final sheet.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use castellan::library;
use castellan::record::{EventKind, Log};
use opencv::core::{Mat, Size};
use opencv::prelude::*;
use opencv::{imgcodecs, videoio};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/house-game")
}

fn watch(source: &Path, more: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.arg("watch").arg(source).args(more).env_remove("RUST_LOG");
    command
}

/// What was played: the facts as corrections left them, without when and how
/// surely they were seen.
fn facts(log: Log) -> Vec<EventKind> {
    let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
    log.replay(&wall, &deck).unwrap().facts().into_iter().map(|(_, kind)| kind).collect()
}

fn ended(log: &Log) -> Option<&EventKind> {
    log.events.iter().map(|e| &e.kind).find(|k| matches!(k, EventKind::GameEnded { .. }))
}

#[test]
fn its_pictures_give_the_game_that_was_played() {
    let dir = tempfile::tempdir().unwrap();
    let record = dir.path().join("seen.jsonl");
    let output = watch(&folder(), &["--record", record.to_str().unwrap()]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // 3: the players could have chosen another order of scoring.
    assert_eq!(output.status.code(), Some(3), "{stdout}{stderr}");
    let played = Log::open(&folder().join("expected.jsonl")).unwrap();
    let seen = Log::open(&record).unwrap();
    assert!(ended(&played).is_some());
    assert_eq!(ended(&seen), ended(&played));
    assert_eq!(facts(seen), facts(played));
    assert!(stdout.contains("Ada wins"), "{stdout}");
}

#[test]
fn a_video_of_its_first_turns_gives_them_too() {
    const STILLS: usize = 12;
    let dir = tempfile::tempdir().unwrap();
    let video = dir.path().join("game.avi");
    let fps = 5.0;
    let fourcc = videoio::VideoWriter::fourcc('M', 'J', 'P', 'G').unwrap();
    let mut writer =
        videoio::VideoWriter::new_def(video.to_str().unwrap(), fourcc, fps, Size::new(1280, 720)).unwrap();
    writer.set(videoio::VIDEOWRITER_PROP_QUALITY, 95.0).unwrap();
    for n in 1..=STILLS {
        let still = folder().join(format!("{n:04}.jpg"));
        let picture: Mat = imgcodecs::imread_def(still.to_str().unwrap()).unwrap();
        // Four seconds each: people leave a follower for a moment before it goes home.
        for _ in 0..20 {
            writer.write(&picture).unwrap();
        }
    }
    writer.release().unwrap();
    let record = dir.path().join("seen.jsonl");
    let game = folder().join("game.toml");
    let more = ["--game", game.to_str().unwrap(), "--record", record.to_str().unwrap()];
    watch(&video, &more).assert().success();
    let played = facts(Log::open(&folder().join("expected.jsonl")).unwrap());
    let seen = facts(Log::open(&record).unwrap());
    let laid = |k: &&EventKind| matches!(k, EventKind::TilePlaced { .. });
    assert!(seen.iter().filter(laid).count() >= 5);
    let turn_ends = |k: &EventKind| matches!(k, EventKind::TurnEnded { .. });
    let whole = seen.len() - usize::from(seen.last().is_some_and(turn_ends));
    assert_eq!(seen[..whole], played[..whole]);
}

/// A folder with some of the pictures in a new order.
fn stills(numbers: &[u32]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(folder().join("game.toml"), dir.path().join("game.toml")).unwrap();
    for (i, n) in numbers.iter().enumerate() {
        std::fs::copy(folder().join(format!("{n:04}.jpg")), dir.path().join(format!("{i:04}.jpg"))).unwrap();
    }
    dir
}

#[test]
fn clearing_the_table_keeps_what_was_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let record = dir.path().join("seen.jsonl");
    let recorded = || facts(Log::open(&record).unwrap());
    let seen = |numbers: &[u32]| {
        let folder = stills(numbers);
        let output = watch(folder.path(), &["--record", record.to_str().unwrap()]).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let first: Vec<u32> = (1..=12).collect();
    let (code, said) = seen(&first);
    assert_eq!(code, Some(0), "{said}");
    let before = recorded();
    assert!(before.len() > 8);
    // The table is cleared: at the end of what is watched, and before it is gone on with.
    for cleared in [&[12, 1][..], &[1], &[1, 1, 1]] {
        let (code, said) = seen(cleared);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("tiles are gone from the table, the first in "), "{said}");
        assert_eq!(recorded(), before, "after pictures {cleared:?}");
    }
    // All is put back, and play goes on.
    let (code, said) = seen(&[1, 12, 13, 14, 15, 16]);
    assert_eq!(code, Some(0), "{said}");
    let after = recorded();
    let played = facts(Log::open(&folder().join("expected.jsonl")).unwrap());
    assert!(after.len() > before.len() && played.starts_with(&after[..after.len() - 1]));
}
