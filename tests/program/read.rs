//! `castellan enrol` and `castellan read` from the outside: a board of tiles of
//! one's own, a photo of a real board, and what they say to bad input.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::{Path, PathBuf};

use castellan::rules::Rotation;
use castellan::studio::{self, Style};
use image::{RgbImage, imageops};
use serde_json::Value;

use crate::command::{castellan, fails_with};

fn read(data: &Path, arguments: &[&str]) -> Value {
    let output = castellan(data, arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Pictures of tiles of a made-up deck, one a file, and a table on which some of
/// them lie edge to edge: columns, rows, and what lies where.
fn made_up(folder: &Path) -> (Vec<PathBuf>, RgbImage, Vec<(usize, u8)>) {
    let style = Style::random(31);
    let deck = studio::random_deck(32);
    let mut files = Vec::new();
    let mut tiles = Vec::new();
    for (i, tile) in deck.tiles.iter().take(20).enumerate() {
        let picture = studio::draw_tile(tile.face.as_ref().unwrap(), i as u64, &style, 96);
        let file = folder.join(format!("{}.png", tile.id));
        picture.save(&file).unwrap();
        files.push(file);
        tiles.push(picture);
    }
    let mut table = RgbImage::from_fn(900, 700, |x, y| {
        let grain = ((x * 3 + y / 9) % 17) as u8;
        image::Rgb([150 + grain, 120 + grain, 90])
    });
    let mut lies = Vec::new();
    for (place, tile) in [3_usize, 8, 1, 14, 19, 6, 11, 2, 16].into_iter().enumerate() {
        let turn = (place * 3 % 4) as u8;
        let picture = match turn {
            0 => tiles[tile].clone(),
            1 => imageops::rotate90(&tiles[tile]),
            2 => imageops::rotate180(&tiles[tile]),
            _ => imageops::rotate270(&tiles[tile]),
        };
        let (col, row) = (place as i64 % 3, place as i64 / 3);
        imageops::replace(&mut table, &picture, 300 + 97 * col, 180 + 97 * row);
        lies.push((tile, turn));
    }
    (files, table, lies)
}

#[test]
fn tiles_of_ones_own_are_enrolled_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let (files, table, lies) = made_up(dir.path());
    let mut arguments = vec!["enrol", "--one-per-photo", "--game", "classic", "--name", "mine"];
    arguments.extend(files.iter().map(|f| text(f)));
    castellan(dir.path(), &arguments).assert().success();
    fails_with(dir.path(), &arguments, "mine");
    let photo = dir.path().join("table.png");
    table.save(&photo).unwrap();
    let drawn = dir.path().join("drawn.png");
    let seen = read(dir.path(), &["read", text(&photo), "--deck", "mine", "--json", "--drawn", text(&drawn)]);
    let cells = seen["cells"].as_array().unwrap();
    assert_eq!(cells.len(), lies.len());
    for (place, (tile, turn)) in lies.iter().enumerate() {
        let id = files[*tile].file_stem().unwrap().to_str().unwrap();
        let at = |c: &&Value| c["col"] == place % 3 && c["row"] == place / 3;
        let cell = cells.iter().find(at).unwrap();
        let named = (cell["tile"].as_str().unwrap(), cell["rotation"].as_u64().unwrap());
        assert_eq!(named, (id, u64::from(Rotation::new(*turn).quarters())), "cell {place}");
    }
    assert_eq!(image::open(&drawn).unwrap().to_rgb8().dimensions(), table.dimensions());
}

#[test]
fn a_photo_of_something_else_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let photo = dir.path().join("garden.jpg");
    let garden = RgbImage::from_fn(800, 600, |x, y| {
        let v = (x * 7919 + y * 104_729).wrapping_mul(2_654_435_761) >> 24;
        image::Rgb([v as u8 / 3, v as u8, v as u8 / 2])
    });
    garden.save(&photo).unwrap();
    fails_with(dir.path(), &["read", text(&photo), "--deck", "house"], "no tiles of deck `house` were found");
    let within = ["read", text(&photo), "--deck", "house", "--wall", "house", "--colours", "blue,yellow"];
    fails_with(dir.path(), &within, "the castle wall was not found in this picture");
    let cut = dir.path().join("cut.jpg");
    let bytes = std::fs::read(&photo).unwrap();
    std::fs::write(&cut, &bytes[..200]).unwrap();
    fails_with(dir.path(), &["read", text(&cut), "--deck", "house"], "the picture cannot be read");
    let nothing = dir.path().join("nothing.jpg");
    fails_with(dir.path(), &["read", text(&nothing), "--deck", "house"], "the picture cannot be read");
}

#[test]
fn a_missing_model_deck_or_wall_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let photo = dir.path().join("table.png");
    RgbImage::new(320, 240).save(&photo).unwrap();
    let photo = text(&photo);
    fails_with(
        dir.path(),
        &["read", photo, "--deck", "house", "--model", "none.onnx"],
        "the model cannot be used",
    );
    fails_with(dir.path(), &["read", photo, "--deck", "nowhere"], "no deck is named `nowhere`");
    fails_with(dir.path(), &["read", photo, "--deck", "house", "--wall", "nowhere"], "nowhere");
}

#[test]
fn a_castle_deck_that_is_not_whole_is_kept_and_said_so() {
    let dir = tempfile::tempdir().unwrap();
    let (files, ..) = made_up(dir.path());
    let mut arguments = vec!["enrol", "--one-per-photo", "--game", "castle", "--name", "few"];
    arguments.extend(files.iter().map(|f| text(f)));
    let output = castellan(dir.path(), &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("20 tiles; The Castle needs 60"));
    let stills = dir.path().join("stills");
    std::fs::create_dir(&stills).unwrap();
    RgbImage::new(320, 240).save(stills.join("1.png")).unwrap();
    fails_with(dir.path(), &["watch", text(&stills), "--deck", "few"], "60 are needed");
}

/// The real board of the tests' photos: all of its tiles, with no hint of where
/// they are.
#[test]
fn a_real_board_is_read_whole() {
    let shared = std::env::var_os("CASTELLAN_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let board = shared.join("photos/board");
    if !board.is_dir() {
        println!("skipped: ../shared is not there");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut scans: Vec<PathBuf> =
        std::fs::read_dir(board.join("scans")).unwrap().map(|e| e.unwrap().path()).collect();
    scans.retain(|p| p.extension().is_some_and(|e| e == "jpg"));
    scans.sort();
    let mut arguments = vec!["enrol", "--one-per-photo", "--game", "classic", "--name", "c2"];
    arguments.extend(scans.iter().map(|f| text(f)));
    castellan(dir.path(), &arguments).assert().success();
    let seen = read(dir.path(), &["read", text(&board.join("board.jpg")), "--deck", "c2", "--json"]);
    let json = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(board.join(name)).unwrap()).unwrap()
    };
    let (truth, kinds) = (json("truth.json"), json("scans.json"));
    let middle = |corners: &Value| -> [f64; 2] {
        let of =
            |i: usize| corners.as_array().unwrap().iter().map(|c| c[i].as_f64().unwrap()).sum::<f64>() / 4.0;
        [of(0), of(1)]
    };
    let tiles = truth["tiles"].as_array().unwrap();
    let right = tiles.iter().filter(|tile| {
        let at = middle(&tile["corners_px"]);
        let near = |c: &&Value| {
            let m = middle(&c["corners"]);
            c["state"] == "tile" && (m[0] - at[0]).hypot(m[1] - at[1]) < 40.0
        };
        let Some(cell) = seen["cells"].as_array().unwrap().iter().find(near) else { return false };
        let kind = &kinds[cell["tile"].as_str().unwrap()];
        let edges: Vec<char> = kind["edges_NESW"].as_str().unwrap().chars().collect();
        let turn = cell["rotation"].as_u64().unwrap() as usize;
        let turned: String = (0..4).map(|i| edges[(i + 4 - turn) % 4]).collect();
        kind["type"] == tile["type"] && tile["edges"].as_str() == Some(turned.as_str())
    });
    let right = right.count();
    println!("{right} of {} tiles right", tiles.len());
    assert_eq!((right, seen["cells"].as_array().unwrap().len()), (72, 72));
}
