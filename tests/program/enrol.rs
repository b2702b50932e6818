//! Enrolling a deck from photos of loose tiles, and correcting it.
#![cfg(all(feature = "studio", feature = "vision"))]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assert_cmd::Command;
use castellan::library;
use castellan::studio::{Mood, Style, draw_tile, loose_scene, photograph};
use predicates::prelude::*;

/// Photographs tiles of the house set laid out loosely.
fn photo(folder: &Path, name: &str, ids: &[&str], seed: u64) -> PathBuf {
    let deck = library::deck("house").unwrap().deck;
    let style = Style::house();
    let pictures: BTreeMap<String, image::RgbImage> = ids
        .iter()
        .map(|id| {
            let index = deck.index(id).unwrap();
            let face = deck.tiles[index].face.as_ref().unwrap();
            ((*id).to_owned(), draw_tile(face, index as u64, &style, 160))
        })
        .collect();
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    let scene = loose_scene(&Arc::new(pictures), &ids, Mood::Calm, (900, 700), seed);
    let path = folder.join(name);
    photograph(&scene, seed).0.save(&path).unwrap();
    path
}

fn castellan(data: &Path) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.env("CASTELLAN_DATA", data).arg("enrol");
    command
}

fn house_ids(count: usize) -> Vec<String> {
    library::deck("house").unwrap().deck.tiles.iter().take(count).map(|t| t.id.clone()).collect()
}

#[test]
fn loose_tiles_become_a_deck_that_can_be_corrected() {
    let dir = tempfile::tempdir().unwrap();
    let ids = house_ids(8);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    // The last tile of the first photo is in the second once more.
    let first = photo(dir.path(), "a.jpg", &ids[..5], 3);
    let second = photo(dir.path(), "b.jpg", &ids[4..], 5);
    castellan(dir.path())
        .args([&first, &second])
        .args(["--game", "castle", "--name", "mine"])
        .assert()
        .code(3)
        .stdout(
            predicate::str::contains("deck `mine`: 9 tiles")
                .and(predicate::str::contains("contact-sheet.png")),
        )
        .stderr(
            predicate::str::contains("look like one tile photographed twice")
                .and(predicate::str::contains("needs 60: enrol the 51 missing ones")),
        );
    let folder = dir.path().join("decks/mine");
    let pictures = || std::fs::read_dir(folder.join("references")).unwrap().count();
    assert_eq!(pictures(), 9);
    let sheet = image::open(folder.join("contact-sheet.png")).unwrap();

    let file = folder.join("deck.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("# Gran's copy.\n{text}")).unwrap();
    castellan(dir.path())
        .args(["--correct", "mine", "--face", "t02=path n-s; court er-el; court wl-wr", "--drop", "t09"])
        .assert()
        .code(3)
        .stdout(predicate::str::contains("8 tiles"));
    let deck = library::deck(folder.to_str().unwrap()).unwrap().deck;
    assert_eq!(deck.tiles[1].face.as_ref().unwrap().segments().len(), 3);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("# Gran's copy.\n"));
    assert_eq!(pictures(), 8);
    assert!(folder.join("left-out/t09.png").exists());
    assert_ne!(image::open(folder.join("contact-sheet.png")).unwrap(), sheet);

    castellan(dir.path()).args(["--correct", "mine", "--restore", "t09"]).assert().code(3);
    assert_eq!(pictures(), 9);
    assert!(folder.join("references/t09.png").exists());
    assert!(library::deck(folder.to_str().unwrap()).unwrap().deck.tiles[1].face.is_some());
}

#[test]
fn more_photos_add_tiles_and_go_on_counting() {
    let dir = tempfile::tempdir().unwrap();
    let ids = house_ids(6);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let first = photo(dir.path(), "a.jpg", &ids[..3], 5);
    let second = photo(dir.path(), "b.jpg", &ids[3..], 6);
    castellan(dir.path()).arg(&first).args(["--game", "classic", "--name", "more"]).assert().code(0);
    castellan(dir.path()).arg(&second).args(["--correct", "more"]).assert().code(0);
    let deck = library::deck(dir.path().join("decks/more").to_str().unwrap()).unwrap().deck;
    let found: Vec<&str> = deck.tiles.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(found, ["t01", "t02", "t03", "t04", "t05", "t06"]);
}

#[test]
fn what_cannot_be_enrolled_is_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let bare = dir.path().join("bare.png");
    image::RgbImage::from_pixel(320, 240, image::Rgb([150, 120, 90])).save(&bare).unwrap();
    let fails = |args: &[&str], sentence: &str| {
        castellan(dir.path()).args(args).assert().code(1).stderr(
            predicate::str::contains(sentence).and(predicate::function(|s: &str| s.lines().count() == 1)),
        );
    };
    let bare = bare.to_str().unwrap();
    fails(&[bare, "--game", "castle", "--name", "x"], "no tile was found in this photo");
    fails(&[bare, "--game", "castle", "--name", "../x"], "can't be a deck's name");
    fails(&["none.jpg", "--game", "castle", "--name", "x"], "none.jpg");
    fails(&["--correct", "nobody"], "no enrolled deck is named `nobody`");
    assert!(!dir.path().join("decks/x").exists());
}

#[test]
fn a_classic_deck_has_the_rules_of_its_sets() {
    let dir = tempfile::tempdir().unwrap();
    let known = library::deck("classic+river").unwrap().deck;
    let scans: Vec<PathBuf> = known
        .tiles
        .iter()
        .enumerate()
        .filter(|(_, tile)| tile.id.starts_with("RI"))
        .flat_map(|(i, tile)| (0..tile.count).map(move |copy| (100 * u64::from(copy) + i as u64, tile)))
        .map(|(number, tile)| {
            let path = dir.path().join(format!("s{number}.png"));
            draw_tile(tile.face.as_ref().unwrap(), number, &Style::house(), 160).save(&path).unwrap();
            path
        })
        .collect();
    assert_eq!(scans.len(), 12);
    let output = castellan(dir.path())
        .args(&scans)
        .args(["--one-per-photo", "--game", "classic", "--name", "river", "--sets", "river"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let (told, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(why.contains("of 72 tiles are there"), "{why}");
    // A river is a line to the network, as a road is: a tile or two are taken for the base game's.
    let river = told.lines().find_map(|line| line.strip_prefix("The River: ")?.strip_suffix(" of 12 tiles"));
    assert!(river.is_some_and(|found| found.parse::<u32>().unwrap() >= 9), "{told}");
    let deck = library::deck(dir.path().join("decks/river").to_str().unwrap()).unwrap().deck;
    assert_eq!(deck.sets, ["river"]);
    let spring = &deck.tiles[deck.index(deck.start.as_deref().unwrap()).unwrap()];
    assert!(spring.face.as_ref().unwrap().to_string().contains("river"));
    castellan(dir.path())
        .args(&scans)
        .args(["--one-per-photo", "--game", "classic", "--name", "other", "--sets", "lakes"])
        .assert()
        .failure()
        .stderr(predicate::str::contains("the sets are river, inns"));
}
