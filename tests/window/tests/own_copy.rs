//! An owner's own copy, from an empty data folder to a form that plays with it: the wall is
//! measured, tiles are enrolled, a face is put right, all by keys.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use castellan::app::TableWindow;
use castellan::app::ui::{FacesAdapter, OwnCopyAdapter, StartAdapter};
use castellan::library;
use castellan::studio::{
    Board, Mood, Scene, StandingWall, Style, draw_tile, draw_wall, loose_scene, photograph, random_wall,
};
use castellan_window_tests::{
    exactly, in_a_data_folder, labelled, looks, looks_alike, open, picture, press, resize, settle, take_in,
    the,
};
use slint::platform::Key;
use slint::{ComponentHandle, Model};

/// Photographs a wall that nobody has seen, empty.
fn photograph_wall(file: &Path) {
    let wall = random_wall(77);
    let drawn = draw_wall(&wall, &Style::random(78), 160);
    let standing = StandingWall {
        wall,
        picture: drawn.image,
        px_per_tile: 160.0,
        origin_px: drawn.origin_px,
        height: 0.06,
    };
    let board = Board { wall: Some(Arc::new(standing)), ..Board::default() };
    let scene = Scene::random(&board, Mood::Calm, (1800, 1350), 78);
    photograph(&scene, 78).0.save(file).expect("it is written");
}

/// Photographs some tiles of the house set, laid out loosely.
fn photograph_tiles(file: &Path, from: usize, count: usize, seed: u64) {
    let deck = library::deck("house").expect("it is built in").deck;
    let tiles: Vec<_> = deck.tiles.iter().enumerate().skip(from).take(count).collect();
    let drawn = |(index, tile): &(usize, &castellan::rules::Tile)| {
        let face = tile.face.as_ref().expect("the house set has faces");
        (tile.id.clone(), draw_tile(face, *index as u64, &Style::house(), 160))
    };
    let pictures: BTreeMap<String, image::RgbImage> = tiles.iter().map(drawn).collect();
    let ids: Vec<String> = tiles.iter().map(|(_, tile)| tile.id.clone()).collect();
    let scene = loose_scene(&Arc::new(pictures), &ids, Mood::Calm, (900, 700), seed);
    photograph(&scene, seed).0.save(file).expect("it is written");
}

/// Waits until the program has done what it is busy with.
fn done(table: &TableWindow) {
    for _ in 0..6000 {
        take_in();
        settle();
        if table.window().global::<OwnCopyAdapter>().get_busy().is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("it is busy for two minutes");
}

#[test]
fn a_copy_is_photographed_and_looked_over_by_keys() {
    if in_a_data_folder("a_copy_is_photographed_and_looked_over_by_keys") {
        return;
    }
    let photos = tempfile::tempdir().expect("a folder can be made");
    let wall = photos.path().join("empty.png");
    let tiles = photos.path().join("tiles");
    std::fs::create_dir(&tiles).expect("a folder can be made");
    photograph_wall(&wall);
    photograph_tiles(&tiles.join("1.png"), 0, 5, 3);
    photograph_tiles(&tiles.join("2.png"), 5, 4, 5);

    let table = open();
    let copy = || table.window().global::<OwnCopyAdapter>();
    let faces = || table.window().global::<FacesAdapter>();
    press(&table, "c");
    the(&table, "Your own copy");
    looks(&table, "own-copy-name");
    the(&table, "Name of your copy").set_accessible_value("no name/");
    press(&table, Key::Return);
    the(&table, "call it by letters");
    the(&table, "Name of your copy").set_accessible_value("ours");
    press(&table, Key::Return);
    the(&table, "no picture yet");

    // A source that is not there is told; with the right one the photo is taken.
    let look_at = |path: &Path| {
        the(&table, "Photos come from").set_accessible_value(path.to_string_lossy().into_owned());
        exactly(&table, "Look").invoke_accessible_default_action();
        settle();
    };
    the(&table, "Photos come from").set_accessible_value("nothing-here.png");
    press(&table, " ");
    the(&table, "there is no picture yet");
    look_at(&wall);
    the(&table, "What the camera sees");
    press(&table, " ");
    done(&table);
    the(&table, "The photo, and what was found in it");
    the(&table, "76 spaces; corner towers");
    the(&table, "Wall: measured");
    // Where the photos lie is another folder each time.
    let looks = |name: &str, path: &Path| {
        the(&table, "Photos come from").set_accessible_value("photos");
        looks_alike(&table, name);
        the(&table, "Photos come from").set_accessible_value(path.to_string_lossy().into_owned());
    };
    looks("own-copy-wall", &wall);
    assert!(library::wall("ours").is_ok(), "the wall is in the library");
    let before = library::wall("ours").expect("it is there").towers;
    press(&table, "r");
    done(&table);
    assert_ne!(library::wall("ours").expect("it is there").towers, before, "the numbers grow the other way");
    press(&table, "r");
    done(&table);
    assert_eq!(library::wall("ours").expect("it is there").towers, before);

    press(&table, Key::Return);
    the(&table, "The tiles");
    look_at(&tiles);
    the(&table, "Take all 2 photos");
    press(&table, " ");
    done(&table);
    the(&table, "9 tiles in 2 photos");
    the(&table, "2 photos are kept, not enrolled yet");
    looks("own-copy-tiles", &tiles);
    // The photos are dropped and taken once more.
    press(&table, Key::Backspace);
    the(&table, "1 photo is kept, not enrolled yet");
    press(&table, " ");
    done(&table);
    the(&table, "2 photos are kept, not enrolled yet");
    press(&table, Key::Return);
    done(&table);
    the(&table, "Tiles: 9 of 60");
    the(&table, "the deck `ours` has 9 tiles");
    assert_eq!(faces().get_items().row_count(), 9 + 7, "tiles and start spaces");
    looks_alike(&table, "own-copy-faces");

    // A half of the first tile that is not doubted becomes a tower, and is undone.
    let first = faces().get_items().iter().position(|item| !item.open).expect("one is sure");
    faces().invoke_select(first as i32);
    settle();
    let face = || faces().get_face().to_string();
    let proposed = face();
    assert_eq!(faces().get_spot(), "above, left");
    let tower = faces().get_choices().iter().position(|c| c.text == "tower").expect("it may be a tower");
    let other = if faces().get_choices().row_data(tower).is_some_and(|c| c.chosen) { 1 } else { tower + 1 };
    press(&table, other.to_string());
    assert_ne!(face(), proposed);
    let written = || library::deck("ours").expect("it is there").deck.tiles[first].face.clone();
    assert_eq!(written().map(|f| f.to_string()), Some(face()), "it is written at once");
    press(&table, "u");
    assert_eq!(face(), proposed);
    assert_eq!(written().map(|f| f.to_string()), Some(face()));

    // Two kinds are exchanged on all tiles at once, and that is undone at once.
    let all = || {
        let deck = library::deck("ours").expect("it is there").deck;
        deck.tiles.iter().filter_map(|tile| Some(tile.face.as_ref()?.to_string())).collect::<Vec<_>>()
    };
    let before = all();
    let kind = faces().get_choices().iter().find(|c| c.chosen).expect("it has a kind").text;
    press(&table, "x");
    assert_eq!(faces().get_choices().row_count(), 2, "two other kinds");
    let choice = faces().get_choices().row_data(0).expect("the first").text;
    let other = choice.split(" ↔ ").last().expect("it has two kinds").to_owned();
    looks_alike(&table, "own-copy-exchange");
    press(&table, "1");
    let bare = |face: &String| face.replace(" +market", "");
    let turned = |face: &String| {
        let marked = bare(face).replace(kind.as_str(), "#");
        marked.replace(&other, &kind).replace('#', &other)
    };
    let sorted = |face: &str| {
        let mut parts: Vec<String> = face.split("; ").map(str::to_owned).collect();
        parts.sort();
        parts
    };
    for (is, was) in all().iter().zip(&before) {
        assert_eq!(sorted(&bare(is)), sorted(&turned(was)));
    }
    assert_ne!(all(), before);
    press(&table, "u");
    assert_eq!(all(), before);

    // What is looked at is marked so, and the next one is shown.
    let open_ones = faces().get_open_ones();
    assert!(open_ones >= 7, "the start spaces at least are to look at");
    for _ in 0..open_ones {
        press(&table, Key::Return);
    }
    assert_eq!(faces().get_open_ones(), 1, "the first was not open, so that one is left");
    press(&table, Key::Return);
    // Nine tiles are no deck.
    the(&table, "the deck has 9 tiles; 60 are needed");
    assert!(copy().get_faces_state().ends_with("against the rules"));
    the(&table, "All have been looked at");

    // A tile that is none of the set is left out and taken back.
    faces().invoke_select(2);
    settle();
    press(&table, Key::Delete);
    the(&table, "Tiles: 8 of 60");
    let last = faces().get_items().row_count() - 1;
    faces().invoke_select(last as i32);
    settle();
    the(&table, "t03, left out");
    press(&table, Key::Delete);
    the(&table, "Tiles: 9 of 60");
    resize(&table, 800, 480);
    picture(&table, "own-copy-faces-small");
    resize(&table, 1280, 800);
    press(&table, "t");
    the(&table, "9 tiles are enrolled");
    // What the owner wrote into the wall's text stays when the wall is looked at.
    let file = library::data_dir().expect("it is said").join("walls/ours.toml");
    let text = std::fs::read_to_string(&file).expect("the wall is there");
    let written = text.replace("note = \"Surveyed from a photo.\"", "note = \"As we corrected it.\"");
    assert_ne!(written, text);
    std::fs::write(&file, &written).expect("it is written");
    press(&table, "w");
    done(&table);
    the(&table, "76 spaces");
    assert_eq!(std::fs::read_to_string(&file).expect("the wall is there"), written);

    // The form plays with it; under its name it is gone on with.
    press(&table, Key::Escape);
    assert!(labelled(&table, "Your own copy: ours").is_empty());
    let start = table.window().global::<StartAdapter>();
    assert_eq!((start.get_deck().as_str(), start.get_wall().as_str()), ("ours", "ours"));
    press(&table, "c");
    assert_eq!(copy().get_name(), "ours");
    press(&table, Key::Return);
    the(&table, "All have been looked at");
}
