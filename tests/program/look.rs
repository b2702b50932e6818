//! `castellan look` from the outside: what it says of a good picture, a dark one, a soft one and
//! one without a board.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use image::imageops;
use serde_json::Value;

use crate::command_support::fails_with;

/// The last picture of the recorded house game.
fn last_still() -> PathBuf {
    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/house-game");
    let stills = std::fs::read_dir(game).unwrap().flatten().map(|entry| entry.path());
    stills.filter(|file| file.extension().is_some_and(|e| e == "jpg")).max().unwrap()
}

fn look(picture: &Path) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.arg("look").arg(picture).args(["--players", "Ada,Ben", "--colours", "blue,yellow"]);
    command.env_remove("RUST_LOG");
    command
}

/// What is said, how each matter is judged in it, and the exit status.
fn judged(picture: &Path) -> (Value, i32) {
    let output = look(picture).arg("--json").output().unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (report, output.status.code().unwrap())
}

fn of<'a>(report: &'a Value, matter: &str) -> Option<&'a str> {
    let remarks = report["remarks"].as_array().unwrap();
    remarks.iter().find(|r| r["matter"] == matter).and_then(|r| r["judged"].as_str())
}

#[test]
fn a_good_picture_and_worse_ones_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let (good, status) = judged(&last_still());
    assert_eq!((good["judged"].as_str(), status), (Some("ok"), 0), "{good}");
    for matter in ["board", "distance", "light", "sharpness", "tiles", "pieces"] {
        assert_eq!(of(&good, matter), Some("ok"), "{matter}: {good}");
    }
    let pieces = good["remarks"].as_array().unwrap().iter().filter(|r| r["matter"] == "pieces").count();
    assert_eq!(pieces, 2, "blue ones and yellow ones: {good}");

    let picture = image::open(last_still()).unwrap().into_rgb8();
    let kept = |name: &str, picture: &image::RgbImage| {
        let file = dir.path().join(name);
        picture.save(&file).unwrap();
        file
    };
    let mut dark = picture.clone();
    dark.pixels_mut().for_each(|pixel| pixel.0 = pixel.0.map(|v| v / 5));
    let (dark, status) = judged(&kept("dark.png", &dark));
    assert_eq!((of(&dark, "light"), status), (Some("poor"), 3), "{dark}");

    let (soft, _) = judged(&kept("soft.png", &imageops::blur(&picture, 2.5)));
    assert!(matches!(of(&soft, "sharpness"), Some("poor" | "bad") | None), "{soft}");
    assert_ne!(soft["judged"], "ok", "{soft}");

    let grey = image::RgbImage::from_pixel(640, 480, image::Rgb([128, 128, 128]));
    let (none, status) = judged(&kept("none.png", &grey));
    assert_eq!((of(&none, "board"), status), (Some("bad"), 3), "{none}");
    assert_eq!(of(&none, "tiles"), None, "nothing is said of tiles where no board is found: {none}");
}

#[test]
fn what_is_read_can_be_drawn_and_what_is_wrong_is_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let drawn = dir.path().join("drawn.png");
    look(&last_still()).arg("--drawn").arg(&drawn).assert().success();
    assert_ne!(image::open(&drawn).unwrap().into_rgb8(), image::open(last_still()).unwrap().into_rgb8());
    fails_with(&mut look(Path::new("nothing-here.jpg")), "nothing is there");
    fails_with(look(&last_still()).args(["--deck", "nobodys"]), "nobodys");
}
