//! `castellan survey` from the outside: a wall that nobody has seen before, from
//! one photo, and what it says to bad input.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::Path;
use std::sync::Arc;

use castellan::calibrate::survey::merge::turned;
use castellan::calibrate::survey::tile_edges::TileEdges;
use castellan::calibrate::survey::{Hints, corner_of, outline, starts, survey};
use castellan::rules::castle::validate::check_wall;
use castellan::rules::{StartSpace, Wall};
use castellan::studio::{
    Board, Mood, Scene, StandingWall, Style, Truth, draw_tile, draw_wall, photograph, random_deck,
    random_wall,
};
use image::{RgbImage, imageops};

use crate::command::{castellan, fails_with};

fn photo_of(wall: &Wall, seed: u64) -> RgbImage {
    taken(wall, seed, Mood::Calm, (1800, 1350)).0
}

fn taken(wall: &Wall, seed: u64, mood: Mood, size: (u32, u32)) -> (RgbImage, Truth) {
    let drawn = draw_wall(wall, &Style::random(seed), 160);
    let standing = StandingWall {
        wall: wall.clone(),
        picture: drawn.image,
        px_per_tile: 160.0,
        origin_px: drawn.origin_px,
        height: 0.06,
    };
    let board = Board { wall: Some(Arc::new(standing)), ..Board::default() };
    photograph(&Scene::random(&board, mood, size, seed), seed)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_unseen_wall_is_measured_corrected_and_drawn_again() {
    let data = tempfile::tempdir().unwrap();
    let truth = random_wall(77);
    let photo = data.path().join("photo.png");
    photo_of(&truth, 78).save(&photo).unwrap();
    let output = castellan(data.path(), &["survey", text(&photo), "--name", "mine"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("what the start spaces show"), "{stderr}");

    let file = data.path().join("walls/mine.toml");
    let mut found = Wall::from_toml(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let truth = (0..4).map(|q| turned(&truth, q)).find(|w| w.outline == found.outline).unwrap();
    assert_eq!(found.towers, truth.towers);
    for (number, (p, q)) in found.track.iter().zip(&truth.track).enumerate() {
        assert!((p.x - q.x).hypot(p.y - q.y) < 0.15, "space {number}: {p:?}, truly {q:?}");
    }
    assert!((found.thickness - truth.thickness).abs() < 0.05, "{}", found.thickness);

    // It is not written over, and the owner's corrections count.
    fails_with(data.path(), &["survey", text(&photo), "--name", "mine"], "--replace");
    found.starts = truth.starts.clone();
    std::fs::write(&file, castellan::calibrate::survey::text::text(&found)).unwrap();
    assert_eq!(check_wall(&found), []);
    castellan(data.path(), &["check", "mine"]).assert().success();
    let drawing = data.path().join("walls/mine.proposal.png");
    let before = std::fs::read(&drawing).unwrap();
    castellan(data.path(), &["survey", text(&photo), "--name", "mine", "--redraw"]).assert().success();
    assert_ne!(std::fs::read(&drawing).unwrap(), before);
}

/// The edges of a deck that is printed like the wall of this seed.
fn tile_edges(seed: u64) -> TileEdges {
    let (deck, style) = (random_deck(seed), Style::random(seed));
    let prints: Vec<RgbImage> = deck
        .tiles
        .iter()
        .zip(0..)
        .map(|(tile, number)| draw_tile(tile.face.as_ref().unwrap(), number, &style, 96))
        .collect();
    TileEdges::new(&deck, &prints)
}

/// Start spaces at their place that show what they truly show, markets aside.
fn rightly_shown(found: &Wall, truth: &Wall) -> usize {
    let shown = |start: &StartSpace| {
        let mut parts: Vec<String> =
            start.face.segments().iter().map(|s| format!("{} {:?}", s.kind, s.ports)).collect();
        parts.sort();
        (start.cell, start.side, parts)
    };
    let truth: Vec<_> = truth.starts.iter().map(shown).collect();
    found.starts.iter().filter(|start| truth.contains(&shown(start))).count()
}

#[test]
fn corners_borders_and_start_spaces_are_measured() {
    let (mut told, mut guessed) = (0, 0);
    for seed in [31, 64] {
        let wall = random_wall(seed);
        let (photo, truth) = taken(&wall, seed + 1, Mood::Usual, (1600, 1200));
        let edges = tile_edges(seed + 1);
        let found = survey(&photo, "w", Hints { edges: Some(&edges), ..Hints::default() }).unwrap();
        let corners = truth.wall.unwrap().corners;
        for corner in found.wall.ring() {
            let (x, y) = (f32::from(corner.x), f32::from(corner.y));
            let (u, v) = found.pose.project(x, y, 0.0);
            let off = corners.iter().map(|c| (u - c[0]).hypot(v - c[1])).fold(f32::MAX, f32::min);
            let off = off / found.pose.tile_px(x, y);
            assert!(off < 0.02, "wall {seed}, corner {x} {y}: {off}");
        }
        let wall = (0..4).map(|q| turned(&wall, q)).find(|w| w.outline == found.wall.outline).unwrap();
        told += rightly_shown(&found.wall, &wall);
        let by_colour = survey(&photo, "w", Hints::default()).unwrap();
        guessed += rightly_shown(&by_colour.wall, &wall);
        assert_eq!(found.wall.towers, wall.towers);
        assert!(found.borders.len() > 40, "{}", found.borders.len());
        for (number, place) in &found.borders {
            let (a, b) = (wall.track[usize::from(*number)], wall.track[usize::from(*number) + 1]);
            let level = (a.x - b.x).abs() > (a.y - b.y).abs();
            let off = if level { place.x - (a.x + b.x) / 2.0 } else { place.y - (a.y + b.y) / 2.0 };
            assert!(off.abs() < 0.02, "wall {seed}, after space {number}: {off}");
        }
    }
    println!("of 14 start spaces, told by tiles {told}, guessed by colour {guessed}");
    assert!(told >= 9 && told > guessed, "{told} and {guessed}");
}

/// Corners as somebody points at them, some pixels off; what is printed makes them exact.
#[test]
fn corners_that_are_pointed_at_are_made_exact() {
    for seed in [31, 64] {
        let wall = random_wall(seed);
        let (photo, truth) = taken(&wall, seed + 1, Mood::Usual, (1600, 1200));
        let corners = truth.wall.unwrap().corners;
        let found = outline::find(&photo).unwrap().fit;
        let off = |i: usize| 4.0 * [1.0, -0.5, 0.8, -1.0][i % 4];
        let mut pointed: Vec<[f64; 2]> = found
            .corners
            .iter()
            .enumerate()
            .map(|(i, (x, y))| {
                let (u, v) = found.pose.project(*x as f32, *y as f32, 0.0);
                [f64::from(u) + off(i), f64::from(v) + off(i + 2)]
            })
            .collect();
        // Either way round, from any corner on.
        pointed.rotate_left(5);
        pointed.reverse();
        let seen = outline::at_corners(&photo, &pointed).unwrap();
        let rows = &seen.fit.outline;
        assert!((0..4).any(|quarters| turned(&wall, quarters).outline == *rows), "wall {seed}: {rows:?}");
        for (x, y) in &seen.fit.corners {
            let (x, y) = (*x as f32, *y as f32);
            let (u, v) = seen.fit.pose.project(x, y, 0.0);
            let off = corners.iter().map(|c| (u - c[0]).hypot(v - c[1])).fold(f32::MAX, f32::min);
            let off = off / seen.fit.pose.tile_px(x, y);
            assert!(off < 0.04, "wall {seed}, corner {x} {y}: {off}");
        }
        // One that is a tile away is no corner of the wall.
        pointed[3][0] += 1.3 * f64::from(seen.fit.pose.tile_px(0.0, 0.0));
        let refused = outline::at_corners(&photo, &pointed).unwrap_err().to_string();
        assert!(refused.starts_with("these are not the 14 corners of a wall"), "{refused}");
    }
}

/// What is said of towers and start spaces is so.
#[test]
fn what_is_said_of_towers_and_start_spaces_counts() {
    let (photo, _) = taken(&random_wall(31), 32, Mood::Usual, (1600, 1200));
    let plain = survey(&photo, "w", Hints::default()).unwrap();
    let (ring, towers) = (plain.wall.ring(), &plain.wall.towers);
    let (low, high) = towers[5];
    let corner = corner_of(&plain.wall, &ring, (low, high)).unwrap();
    let places = starts::places(&ring);
    let starts: Vec<_> = places.iter().copied().step_by(places.len() / 7).take(7).collect();
    let hints = Hints { towers: &[(corner, low + 1)], starts: &starts, ..Hints::default() };
    let said = survey(&photo, "w", hints).unwrap();
    assert_eq!(said.wall.outline, plain.wall.outline);
    assert_eq!(corner_of(&said.wall, &ring, (low + 1, high + 1)), Some(corner));
    let mut found: Vec<_> = said.wall.starts.iter().map(|s| (s.cell, s.side)).collect();
    let mut starts = starts;
    found.sort();
    starts.sort();
    assert_eq!(found, starts);
    // No stretch between towers has 80 spaces.
    let next = towers.iter().find(|tower| tower.0 > high).unwrap();
    let next = corner_of(&plain.wall, &ring, *next).unwrap();
    let absurd = Hints { towers: &[(corner, low), (next, 98)], ..Hints::default() };
    let refused = survey(&photo, "w", absurd).unwrap_err().to_string();
    assert!(refused.starts_with("the towers cannot have these numbers"), "{refused}");
}

#[test]
fn what_is_no_empty_wall_is_refused() {
    let data = tempfile::tempdir().unwrap();
    fails_with(data.path(), &["survey", "x.jpg", "--name", "mine", "--deck", "none"], "none");
    let save = |name: &str, picture: &RgbImage| {
        let path = data.path().join(name);
        picture.save(&path).unwrap();
        path
    };
    let blank = save("blank.png", &RgbImage::from_pixel(640, 480, image::Rgb([120, 90, 60])));
    fails_with(data.path(), &["survey", text(&blank), "--name", "w"], "no empty castle wall");
    let stripes = RgbImage::from_fn(640, 480, |x, y| {
        if (x / 40 + y / 60) % 2 == 0 { image::Rgb([200, 190, 170]) } else { image::Rgb([90, 60, 40]) }
    });
    let stripes = save("stripes.png", &stripes);
    fails_with(data.path(), &["survey", text(&stripes), "--name", "w"], "no empty castle wall");
    let whole = photo_of(&random_wall(5), 6);
    let cut = imageops::crop_imm(&whole, 0, 0, whole.width() / 2, whole.height()).to_image();
    let cut = save("cut.png", &cut);
    fails_with(data.path(), &["survey", text(&cut), "--name", "w"], "no empty castle wall");
    fails_with(data.path(), &["survey", "nothing.jpg", "--name", "w"], "nothing.jpg");
    fails_with(data.path(), &["survey", text(&blank), "--name", "house"], "built in");
    fails_with(data.path(), &["survey", text(&blank), "--name", "../w"], "letters");
    assert!(!data.path().join("walls").exists());
}
