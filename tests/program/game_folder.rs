//! A watched game's pictures, and its folder on another machine.
#![cfg(all(feature = "studio", feature = "vision"))]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use castellan::library;
use castellan::record::{EventKind, Log};
use predicates::prelude::*;

fn castellan(data: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.env("CASTELLAN_DATA", data).env_remove("RUST_LOG").args(args);
    command
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn house_game() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/house-game")
}

/// What `castellan score` prints.
fn scored(data: &Path, record: &Path) -> String {
    let output = castellan(data, &["score", text(record)]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_game_is_watched_with_pictures_packed_and_played_back_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    let stills = home.path().join("stills");
    std::fs::create_dir(&stills).unwrap();
    let mut first: Vec<PathBuf> =
        std::fs::read_dir(house_game()).unwrap().map(|f| f.unwrap().path()).collect();
    first.retain(|f| f.extension().is_some_and(|e| e == "jpg"));
    first.sort();
    for still in first.iter().take(4).chain([&house_game().join("game.toml")]) {
        std::fs::copy(still, stills.join(still.file_name().unwrap())).unwrap();
    }
    // The owner's own names for the house set: what is not built in must go along.
    let data = home.path().join("data");
    std::fs::create_dir_all(data.join("decks/mine")).unwrap();
    std::fs::create_dir_all(data.join("walls")).unwrap();
    let house = library::deck("house").unwrap().deck;
    std::fs::write(data.join("decks/mine/deck.toml"), house.to_toml()).unwrap();
    std::fs::write(data.join("walls/mine.toml"), library::wall("house").unwrap().to_toml()).unwrap();

    let watched = home.path().join("watched.jsonl");
    castellan(&data, &["watch", text(&stills), "--record", text(&watched)])
        .assert()
        .stderr(predicate::str::contains("pictures of what was seen: 0."));
    let log = Log::open(&watched).unwrap();
    let laid: Vec<_> = log.events.iter().filter(|e| matches!(e.kind, EventKind::TilePlaced { .. })).collect();
    assert!(laid.len() >= 3, "{}", laid.len());
    let pictures = home.path().join("watched.jsonl.evidence");
    for event in &laid {
        let after = format!("{:04}-after.jpg", event.seq);
        assert_eq!(event.evidence.last(), Some(&after));
        for name in &event.evidence {
            let picture = image::open(pictures.join(name)).unwrap();
            assert!(picture.width().min(picture.height()) > 50);
        }
    }
    assert_eq!(laid.last().unwrap().evidence.len(), 2, "before and after");

    let renamed = std::fs::read_to_string(&watched).unwrap();
    let renamed = renamed.replacen("\"deck\":\"house\"", "\"deck\":\"mine\"", 1);
    let renamed = renamed.replacen("\"wall\":\"house\"", "\"wall\":\"mine\"", 1);
    std::fs::write(&watched, renamed).unwrap();
    let parcel = home.path().join("parcel");
    let what = format!("game:{}", text(&watched));
    castellan(&data, &["export", &what, "--to", text(&parcel)]).assert().success();
    castellan(&data, &["export", &what, "--to", text(&parcel)])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("there is something already"));

    let nowhere = home.path().join("nothing");
    castellan(&nowhere, &["score", text(&watched)]).assert().code(1).stderr(predicate::str::contains("mine"));
    assert_eq!(scored(&nowhere, &parcel), scored(&data, &watched));
    castellan(&nowhere, &["check", text(&parcel)]).assert().success();
    let moved = Log::open(&parcel.join("game.jsonl")).unwrap();
    for name in moved.events.iter().flat_map(|e| &e.evidence) {
        assert!(parcel.join("game.jsonl.evidence").join(name).is_file(), "{name}");
    }
}

#[test]
fn a_name_that_leads_elsewhere_is_no_picture_of_a_game() {
    let home = tempfile::tempdir().unwrap();
    let record = home.path().join("sly.jsonl");
    std::fs::create_dir(home.path().join("sly.jsonl.evidence")).unwrap();
    std::fs::write(home.path().join("secret.jpg"), "secret").unwrap();
    let honest = std::fs::read_to_string(house_game().join("expected.jsonl")).unwrap();
    let sly = honest.replacen(
        "\"type\":\"tile_placed\"",
        "\"evidence\":[\"../secret.jpg\"],\"type\":\"tile_placed\"",
        1,
    );
    assert_ne!(honest, sly);
    std::fs::write(&record, sly).unwrap();
    let parcel = home.path().join("parcel");
    castellan(home.path(), &["export", &format!("game:{}", text(&record)), "--to", text(&parcel)])
        .assert()
        .success()
        .stdout(predicate::str::contains("0 pictures of events"));
    assert!(!parcel.join("secret.jpg").exists() && parcel.join("game.jsonl").is_file());
}
