//! Decks and walls passed on in one file.
#![cfg(all(feature = "studio", feature = "vision"))]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use castellan::library;
use castellan::rules::Deck;
use castellan::studio::{Style, draw_tile};
use predicates::prelude::*;

fn castellan(data: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.env("CASTELLAN_DATA", data).args(args);
    command
}

fn fails(data: &Path, args: &[&str], sentence: &str) {
    castellan(data, args).assert().code(1).stderr(
        predicate::str::contains(sentence).and(predicate::function(|s: &str| s.lines().count() == 1)),
    );
}

/// A deck of six tiles of the house set with faces, in the data folder.
fn own_deck(data: &Path) -> Deck {
    let house = library::deck("house").unwrap().deck;
    let folder = data.join("decks/mine");
    std::fs::create_dir_all(folder.join("references")).unwrap();
    let tiles = house.tiles[..6].to_vec();
    for (i, tile) in tiles.iter().enumerate() {
        let picture = draw_tile(tile.face.as_ref().unwrap(), i as u64, &Style::house(), 256);
        picture.save(folder.join(format!("references/{}.png", tile.id))).unwrap();
    }
    let deck = Deck { name: "mine".to_owned(), tiles, ..house };
    std::fs::write(folder.join("deck.toml"), deck.to_toml()).unwrap();
    deck
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The same tiles once more, one to a photo, some turned: another's copy.
fn their_photos(dir: &Path, deck: &Deck) -> Vec<PathBuf> {
    deck.tiles
        .iter()
        .enumerate()
        .map(|(i, tile)| {
            let picture = draw_tile(tile.face.as_ref().unwrap(), i as u64, &Style::house(), 200);
            let turned = if i % 2 == 0 { image::imageops::rotate90(&picture) } else { picture };
            let dimmed = image::imageops::colorops::brighten(&turned, -12);
            let mut table = image::RgbImage::from_pixel(420, 360, image::Rgb([196, 160, 120]));
            image::imageops::replace(&mut table, &dimmed, 110, 80);
            let path = dir.join(format!("photo{i}.png"));
            table.save(&path).unwrap();
            path
        })
        .collect()
}

#[test]
fn a_deck_with_pictures_is_whole_at_the_other_end() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let deck = own_deck(here.path());
    let file = here.path().join("mine.castellan");
    castellan(here.path(), &["export", "deck:mine", "--to", text(&file), "--pictures"]).assert().success();
    castellan(there.path(), &["import", text(&file)]).assert().success();
    let folder = there.path().join("decks/mine");
    assert_eq!(library::deck(text(&folder)).unwrap().deck, deck);
    for tile in &deck.tiles {
        let name = format!("decks/mine/references/{}.png", tile.id);
        let open = |data: &Path| image::open(data.join(&name)).unwrap().to_rgb8();
        assert_eq!(open(here.path()), open(there.path()));
    }
    fails(there.path(), &["import", text(&file)], "is there already");
    castellan(there.path(), &["import", text(&file), "--name", "other"]).assert().success();
    assert!(there.path().join("decks/other/deck.toml").exists());
}

#[test]
fn a_deck_without_pictures_names_the_other_owners_tiles() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let deck = own_deck(here.path());
    let file = here.path().join("mine.castellan");
    castellan(here.path(), &["export", "deck:mine", "--to", text(&file)]).assert().success();
    assert!(std::fs::metadata(&file).unwrap().len() < 150_000);
    castellan(there.path(), &["import", text(&file)])
        .assert()
        .success()
        .stderr(predicate::str::contains("no pictures").and(predicate::str::contains("--complete mine")));
    let photos = their_photos(there.path(), &deck);
    let complete = |photos: &[PathBuf]| {
        let mut arguments = vec!["enrol", "--complete", "mine"];
        arguments.extend(photos.iter().map(|p| text(p)));
        castellan(there.path(), &arguments)
    };
    let fourth = deck.tiles[3].id.as_str();
    complete(&photos[..3]).assert().code(3).stderr(predicate::str::contains(fourth));
    complete(&photos[3..]).assert().success();
    for (i, tile) in deck.tiles.iter().enumerate() {
        let path = there.path().join(format!("decks/mine/references/{}.png", tile.id));
        let found = image::open(path).unwrap().to_rgb8();
        let drawn = draw_tile(tile.face.as_ref().unwrap(), i as u64, &Style::house(), found.width());
        let off: f64 = found.iter().zip(drawn.iter()).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
        assert!(
            off / (found.len() as f64) < 30.0,
            "{} is not upright: {}",
            tile.id,
            off / found.len() as f64
        );
    }
}

#[test]
fn a_wall_is_passed_on() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut wall = library::wall("house").unwrap();
    wall.name = "ours".to_owned();
    let walls = here.path().join("walls");
    std::fs::create_dir_all(&walls).unwrap();
    std::fs::write(walls.join("ours.toml"), wall.to_toml()).unwrap();
    let file = here.path().join("ours.castellan");
    let export = ["export", "wall:ours", "--to", text(&file), "--pictures"];
    fails(here.path(), &export, "the wall's picture cannot be read");
    image::RgbaImage::new(90, 100).save(walls.join("ours.png")).unwrap();
    std::fs::write(walls.join("ours.json"), r#"{"px_per_tile":8.0,"origin_px":[6.0,6.0]}"#).unwrap();
    castellan(here.path(), &export).assert().success();
    castellan(there.path(), &["import", text(&file)]).assert().success();
    let theirs = there.path().join("walls/ours.toml");
    assert_eq!(library::wall(text(&theirs)).unwrap(), wall);
    assert!(theirs.with_extension("png").exists() && theirs.with_extension("json").exists());
    castellan(here.path(), &export[..4]).assert().success();
    castellan(there.path(), &["import", text(&file), "--replace"])
        .assert()
        .success()
        .stderr(predicate::str::contains("survey yours"));
}

#[test]
fn what_cannot_be_passed_on_is_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    own_deck(dir.path());
    let file = dir.path().join("mine.castellan");
    let to = text(&file);
    fails(dir.path(), &["export", "deck:house", "--to", to], "built in");
    fails(dir.path(), &["export", "deck:none", "--to", to], "no deck is named `none`");
    fails(dir.path(), &["export", "mine", "--to", to], "write deck:NAME or wall:NAME");
    fails(dir.path(), &["import", to], "mine.castellan");
    castellan(dir.path(), &["export", "deck:mine", "--to", to, "--pictures"]).assert().success();
    let bytes = std::fs::read(&file).unwrap();
    for (name, content, sentence) in [
        ("short", &bytes[..bytes.len() / 2], "it is damaged"),
        ("other", b"a letter".as_slice(), "no deck or wall that was exported"),
        ("empty", b"".as_slice(), "no deck or wall that was exported"),
    ] {
        let torn = dir.path().join(name);
        std::fs::write(&torn, content).unwrap();
        fails(dir.path(), &["import", text(&torn), "--name", "new"], sentence);
    }
    assert!(!dir.path().join("decks/new").exists());
    fails(dir.path(), &["import", to, "--name", "../up"], "can't be a deck's name");
}
