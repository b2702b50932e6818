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

/// A surveyed wall in the data folder, and its files.
fn own_wall(data: &Path, name: &str) -> [PathBuf; 3] {
    let mut wall = library::wall("house").unwrap();
    name.clone_into(&mut wall.name);
    let walls = data.join("walls");
    std::fs::create_dir_all(&walls).unwrap();
    let files = ["toml", "png", "json"].map(|ending| walls.join(format!("{name}.{ending}")));
    let scale = r#"{"px_per_tile":40.0,"origin_px":[30.0,30.0]}"#;
    let noise = |x: u32, y: u32| (x * 7919 + y * 104_729).wrapping_mul(2_654_435_761).to_be_bytes();
    let picture = image::RgbaImage::from_fn(440, 480, |x, y| image::Rgba(noise(x, y)));
    std::fs::write(&files[0], wall.to_toml()).unwrap();
    picture.save(&files[1]).unwrap();
    std::fs::write(&files[2], scale).unwrap();
    files
}

fn contents(files: &[PathBuf]) -> Vec<Vec<u8>> {
    files.iter().map(|f| std::fs::read(f).unwrap()).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Fails because no file can grow beyond so many blocks of 512 bytes, as on a full disk.
#[cfg(unix)]
fn fails_on_full_disk(data: &Path, args: &[&str], blocks: u32) {
    let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$@\"");
    Command::new("sh")
        .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_castellan")])
        .args(args)
        .env("CASTELLAN_DATA", data)
        .assert()
        .code(1)
        .stderr(
            predicate::str::contains("cannot be written")
                .and(predicate::function(|s: &str| s.lines().count() == 1)),
        );
}

#[cfg(unix)]
#[test]
fn a_wall_is_replaced_whole_or_not_at_all() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    own_wall(here.path(), "ours");
    let file = here.path().join("ours.castellan");
    castellan(here.path(), &["export", "wall:ours", "--to", text(&file), "--pictures"]).assert().success();
    let theirs = own_wall(there.path(), "ours");
    for (path, former) in theirs.iter().zip(["text", "picture", "scale"]) {
        std::fs::write(path, former).unwrap();
    }
    let before = contents(&theirs);
    for blocks in [0, 1, 8, 100] {
        fails_on_full_disk(there.path(), &["import", text(&file), "--replace"], blocks);
        assert_eq!(contents(&theirs), before, "{blocks} blocks");
        assert_eq!(names_in(&there.path().join("walls")).len(), 3, "a draft is left behind");
    }
    // Any of the three is a wall that somebody has.
    for kept in &theirs {
        theirs.iter().filter(|f| *f != kept).for_each(|f| drop(std::fs::remove_file(f)));
        std::fs::write(kept, "mine").unwrap();
        fails(there.path(), &["import", text(&file)], "is there already");
        assert_eq!(std::fs::read(kept).unwrap(), b"mine");
    }
    // A link is replaced, and what it leads to stays.
    let elsewhere = there.path().join("elsewhere.png");
    std::fs::write(&elsewhere, "mine").unwrap();
    let _ = std::fs::remove_file(&theirs[1]);
    std::os::unix::fs::symlink(&elsewhere, &theirs[1]).unwrap();
    castellan(there.path(), &["import", text(&file), "--replace"]).assert().success();
    assert_eq!(std::fs::read(&elsewhere).unwrap(), b"mine");
    assert_eq!(contents(&theirs[1..]), contents(&own_wall(here.path(), "ours")[1..]));
}

#[cfg(unix)]
#[test]
fn a_deck_that_cannot_be_written_leaves_the_former_and_no_draft() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    own_deck(here.path());
    for pictures in [true, false] {
        let file = here.path().join("mine.castellan");
        let export = ["export", "deck:mine", "--to", text(&file), "--pictures"];
        castellan(here.path(), if pictures { &export } else { &export[..4] }).assert().success();
        let folder = there.path().join("decks");
        for blocks in [0, 1, 30] {
            fails_on_full_disk(there.path(), &["import", text(&file)], blocks);
            assert_eq!(names_in(&folder), [""; 0]);
        }
        castellan(there.path(), &["import", text(&file)]).assert().success();
        let deck = folder.join("mine/deck.toml");
        let before = std::fs::read(&deck).unwrap();
        for blocks in [0, 1, 30] {
            fails_on_full_disk(there.path(), &["import", text(&file), "--replace"], blocks);
            assert_eq!(std::fs::read(&deck).unwrap(), before);
            assert_eq!(names_in(&folder), ["mine"]);
        }
        // What lies where the draft is to be is no place to write to.
        let elsewhere = there.path().join("elsewhere");
        std::fs::create_dir_all(elsewhere.join("references")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.join(".mine.new")).unwrap();
        castellan(there.path(), &["import", text(&file), "--replace"]).assert().success();
        assert_eq!(names_in(&elsewhere), ["references"]);
        assert_eq!(names_in(&folder), [".mine.former", "mine"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
    let export = there.path().join("out.castellan");
    std::fs::write(&export, "former").unwrap();
    fails_on_full_disk(here.path(), &["export", "deck:mine", "--to", text(&export), "--pictures"], 4);
    assert_eq!(std::fs::read(&export).unwrap(), b"former");
}

#[test]
fn a_corrected_deck_stays_under_the_name_of_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let deck = own_deck(dir.path());
    let decks = dir.path().join("decks");
    std::fs::rename(decks.join("mine"), decks.join("renamed")).unwrap();
    own_deck(dir.path());
    let other = std::fs::read(decks.join("mine/deck.toml")).unwrap();
    let drop = ["enrol", "--correct", "renamed", "--drop", &deck.tiles[0].id, "--no-faces"];
    castellan(dir.path(), &drop).assert().code(3);
    assert_eq!(std::fs::read(decks.join("mine/deck.toml")).unwrap(), other);
    let corrected = library::deck(text(&decks.join("renamed"))).unwrap().deck;
    assert_eq!((corrected.name.as_str(), corrected.tiles.len()), ("renamed", 5));
}

#[test]
fn what_cannot_be_passed_on_is_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    own_deck(dir.path());
    let file = dir.path().join("mine.castellan");
    let to = text(&file);
    fails(dir.path(), &["export", "deck:house", "--to", to], "built in");
    fails(dir.path(), &["export", "deck:none", "--to", to], "no deck is named `none`");
    fails(dir.path(), &["export", "mine", "--to", to], "write deck:NAME, wall:NAME or game:RECORD.jsonl");
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
