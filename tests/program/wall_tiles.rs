//! Wall tiles that lie face up beside the wall: their numbers are read in rendered photos, and
//! `castellan wall-tiles` learns them from one photo.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use assert_cmd::Command;
use castellan::observation::WallTileReading;
use castellan::rules::Game;
use castellan::studio::{
    Board, Mood, PrintedSet, Scene, Style, TakenTile, coin, draw_wall_tile, lay_beside, photograph,
    random_position, survey_picture,
};
use castellan::table::{Instruments, colour, instruments};
use castellan::vision::{Reader, WallScale};
use castellan::{library, picture};
use image::{RgbImage, RgbaImage};

fn reader() -> Reader {
    let colours = vec![colour("blue"), colour("yellow")];
    let Instruments { reader, .. } =
        instruments((Game::Castle, "house"), Some("house"), colours, None).unwrap();
    reader
}

/// A table of the house set a few turns into a game.
fn table(mood: Mood, size: (u32, u32), seed: u64) -> Scene {
    let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
    let set = PrintedSet::draw(&wall, &deck, &Style::house(), 0.06);
    let position = random_position(&wall, &deck, 8 + (seed % 25) as u32, seed).unwrap();
    let board = set.board(&position, &[colour("blue"), colour("yellow")], seed);
    let mut scene = Scene::random(&board, mood, size, seed);
    scene.hand = None;
    scene
}

fn front(number: u8) -> (RgbaImage, Option<f32>) {
    (draw_wall_tile(Some(number), &Style::house(), 256), None)
}

fn near(reading: &WallTileReading, place: (f32, f32)) -> bool {
    (reading.x - place.0).hypot(reading.y - place.1) < 0.25
}

/// Thirty wall tiles on ten tables that nothing was chosen on, among coins, backs, loose tiles,
/// draw stacks and followers; with `CASTELLAN_LONG_TESTS` sixty on twenty. Bounds are a little
/// beyond what they are.
#[test]
fn numbers_are_read_and_nothing_else_is_taken_for_one() {
    let deck = library::deck("house").unwrap().deck;
    let mut reader = reader();
    let sizes = [(1280, 720), (1920, 1080), (1280, 960)];
    let (mut right, mut wrong, mut missed, mut made_up, mut no_room) = (0, 0, 0, 0, 0);
    let is_long = std::env::var_os("CASTELLAN_LONG_TESTS").is_some();
    let (photos, least) = if is_long { (20, 50) } else { (10, 24) };
    for seed in (2001..).take(photos) {
        let mood = if seed % 4 == 0 { Mood::Hard } else { Mood::Usual };
        let mut scene = table(mood, sizes[seed as usize % sizes.len()], seed);
        let numbers = [0, 3, 7].map(|step| 1 + ((seed + step) % 9) as u8);
        let mut things: Vec<_> = numbers.iter().map(|n| front(*n)).collect();
        things.push((draw_wall_tile(None, &Style::house(), 256), None));
        things.push((coin([214, 178, 90], 128), Some(0.5)));
        things.push((coin([176, 112, 74], 128), Some(0.4)));
        let loose =
            [&deck.tiles[seed as usize % deck.len()].id, &deck.tiles[seed as usize * 7 % deck.len()].id];
        let places = lay_beside(&mut scene, &things, &loose.map(String::clone), seed);
        let (photo, _) = photograph(&scene, seed);
        let read = match reader.read(&photo) {
            Ok(observation) => observation.wall_tiles,
            Err(error) => {
                println!("{seed}: {error}");
                missed += places.iter().take(3).flatten().count();
                continue;
            }
        };
        for (number, place) in numbers.iter().zip(&places) {
            let Some(place) = *place else {
                no_room += 1;
                continue;
            };
            match read.iter().find(|r| near(r, place)) {
                Some(reading) if reading.number == *number => right += 1,
                Some(reading) => {
                    println!("{seed}: {number} read as {reading:?}");
                    wrong += 1;
                }
                None => {
                    println!("{seed}: {number} not read ({mood:?})");
                    missed += 1;
                }
            }
        }
        let is_none = |r: &&WallTileReading| places.iter().take(3).flatten().all(|p| !near(r, *p));
        for reading in read.iter().filter(is_none) {
            println!("{seed}: made up {reading:?}");
            made_up += 1;
        }
    }
    println!("right {right}, wrong {wrong}, not read {missed}, made up {made_up}, no room {no_room}");
    assert_eq!((wrong, made_up), (0, 0));
    assert!(right >= least && no_room <= 3, "right {right}, not read {missed}, no room {no_room}");
}

#[test]
fn a_wall_tile_is_read_when_it_comes_and_not_when_it_has_gone() {
    let mut reader = reader();
    let empty = table(Mood::Calm, (1280, 720), 31);
    let mut laid = empty.clone();
    let place = lay_beside(&mut laid, &[front(7)], &[], 31)[0].unwrap();
    let [empty, laid] = [empty, laid].map(|scene| photograph(&scene, 31).0);
    let numbers = |reader: &mut Reader, photo: &RgbImage| {
        let began = Instant::now();
        let read = reader.read(photo).unwrap().wall_tiles;
        println!("{} ms", began.elapsed().as_millis());
        assert!(read.iter().all(|r| near(r, place)), "{read:?}");
        read.iter().map(|r| r.number).collect::<Vec<u8>>()
    };
    assert!(numbers(&mut reader, &empty).is_empty());
    assert_eq!(numbers(&mut reader, &laid), [7]);
    assert_eq!(numbers(&mut reader, &laid), [7]);
    assert!(numbers(&mut reader, &empty).is_empty());
    // In a film something that has changed is read once it is still.
    reader.expect_film();
    assert!(numbers(&mut reader, &empty).is_empty());
    assert!(numbers(&mut reader, &laid).is_empty());
    assert_eq!(numbers(&mut reader, &laid), [7]);
}

fn castellan(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.args(arguments).env("CASTELLAN_DATA", data).env_remove("RUST_LOG");
    command
}

/// A photo of wall tiles in rows of so many; `None` is a back.
fn photo_of(numbers: &[Option<u8>], columns: usize, style: &Style, file: PathBuf) -> String {
    let board = Board { colours: vec![colour("blue"), colour("yellow")], ..Board::default() };
    let mut scene = Scene::random(&board, Mood::Calm, (1600, 1200), 5);
    scene.hand = None;
    scene.props.clear();
    let mut corners = Vec::new();
    for (i, number) in numbers.iter().enumerate() {
        let place = (3.0 + 0.9 * (i % columns) as f32, 4.0 + 0.9 * (i / columns) as f32);
        let turn = [4.0, -6.0, 2.0][i % 3];
        let picture = Arc::new(draw_wall_tile(*number, style, 256));
        scene.taken.push(TakenTile { picture, side: 0.56, place, turn });
        corners.extend([(place.0 - 0.4, place.1 - 0.4, 0.0), (place.0 + 0.4, place.1 + 0.4, 0.0)]);
    }
    scene.camera = scene.camera.framing(&corners, 0.15);
    photograph(&scene, 5).0.save(&file).unwrap();
    file.to_str().unwrap().to_owned()
}

/// A surveyed wall named `mine` in the data folder, printed in a style of its own.
fn own_wall(data: &Path, style: &Style) -> Arc<castellan::studio::StandingWall> {
    let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
    let standing = PrintedSet::draw(&wall, &deck, style, 0.06).wall.unwrap();
    let survey = survey_picture(&standing, 5);
    let scale = WallScale { px_per_tile: survey.px_per_tile, origin_px: survey.origin_px };
    let folder = data.join("walls");
    std::fs::create_dir_all(&folder).unwrap();
    let png = picture::to_png(&survey.picture).unwrap();
    let text = std::fs::read_to_string("calibration/house/wall.toml").unwrap();
    library::write_wall(&folder.join("mine.toml"), &text, Some((&png, &scale.to_json()))).unwrap();
    standing
}

#[test]
fn an_owners_wall_tiles_are_learned_from_one_photo_and_read() {
    let data = tempfile::tempdir().unwrap();
    let style = Style::random(77);
    let standing = own_wall(data.path(), &style);
    let all: Vec<Option<u8>> = (1..=9).map(Some).collect();
    let photo = photo_of(&all, 3, &style, data.path().join("nine.png"));
    let learn = ["wall-tiles", &photo, "--wall", "mine"];
    let output = castellan(data.path(), &learn).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("contact-sheet.png"), "{said}");
    let folder = data.path().join("walls/mine.wall-tiles");
    assert!(folder.join("contact-sheet.png").is_file());
    for number in 1..=9_u8 {
        let cut = image::open(folder.join(format!("{number}.png"))).unwrap().into_rgb8();
        let drawn = image::DynamicImage::ImageRgba8(draw_wall_tile(Some(number), &style, 256)).into_rgb8();
        let off = |x: u32, y: u32| {
            let (a, b) = (cut.get_pixel(x, y).0, drawn.get_pixel(x, y).0);
            a.iter().zip(b).map(|(a, b)| f32::from(a.abs_diff(b))).sum::<f32>() / 3.0
        };
        let pixels = (40..216).step_by(8).flat_map(|x| (40..216).step_by(8).map(move |y| (x, y)));
        let offs: Vec<f32> = pixels.map(|(x, y)| off(x, y)).collect();
        assert!(offs.iter().sum::<f32>() / (offs.len() as f32) < 60.0, "{number}");
    }
    crate::command_support::fails_with(
        &mut castellan(data.path(), &learn),
        "give --replace to write over them",
    );
    let again = castellan(data.path(), &[&learn[..], &["--replace", "--json"]].concat()).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(report["fronts"].as_array().unwrap().len(), 9);

    // A table with that wall.
    let board = Board { wall: Some(standing), colours: vec![colour("blue")], ..Board::default() };
    let mut scene = Scene::random(&board, Mood::Calm, (1280, 720), 8);
    let things = [4, 9].map(|n| (draw_wall_tile(Some(n), &style, 256), None));
    assert!(lay_beside(&mut scene, &things, &[], 8).iter().all(Option::is_some));
    let table = data.path().join("table.png");
    photograph(&scene, 8).0.save(&table).unwrap();
    let read = ["read", table.to_str().unwrap(), "--deck", "house", "--wall", "mine", "--json"];
    let output = castellan(data.path(), &read).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut numbers: Vec<u64> =
        report["wall_tiles"].as_array().unwrap().iter().map(|r| r["number"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [4, 9]);
}

#[test]
fn what_is_no_photo_of_nine_wall_tiles_is_refused_with_a_sentence() {
    let data = tempfile::tempdir().unwrap();
    let style = Style::house();
    own_wall(data.path(), &style);
    let all: Vec<Option<u8>> = (1..=9).map(Some).collect();
    let photo = |numbers: &[Option<u8>], columns: usize, name: &str| {
        photo_of(numbers, columns, &style, data.path().join(name))
    };
    let refused = |photo: &str, wall: &str, sentence: &str| {
        let arguments = ["wall-tiles", photo, "--wall", wall];
        crate::command_support::fails_with(&mut castellan(data.path(), &arguments), sentence);
        assert!(!data.path().join("walls/mine.wall-tiles").exists());
    };
    let nine = photo(&all, 3, "nine.png");
    refused(&nine, "house", "the wall tiles of `house` are built in");
    refused(&nine, "none", "no wall is named `none`");
    refused(&photo(&all[..8], 3, "eight.png"), "mine", "8 wall tiles are seen in this photo, not 9");
    refused(&photo(&all, 5, "five.png"), "mine", "the wall tiles lie in rows of 5, 4, not in three rows");
    let mut twice = all.clone();
    twice[6] = Some(2);
    refused(&photo(&twice, 3, "twice.png"), "mine", "the wall tiles at places 2 and 7 look alike");
    refused(&photo(&[None; 9], 3, "backs.png"), "mine", "look alike in this photo; lay one of each number");
    let nothing = data.path().join("nothing.png");
    RgbImage::from_pixel(800, 600, image::Rgb([120, 110, 100])).save(&nothing).unwrap();
    refused(nothing.to_str().unwrap(), "mine", "0 wall tiles are seen in this photo, not 9");
    refused("missing.png", "mine", "missing.png");
}
