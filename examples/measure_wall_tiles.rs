//! Measures how well the numbers of wall tiles are read that lie face up beside the wall.
//!
//! `cargo run --example measure_wall_tiles -- [SEED [PHOTOS [MOOD [SET [FOLDER]]]]]`, without
//! arguments 20 photos from seed 1 in the usual light with the house set. SET is `house`, or
//! `unseen` for sets that are made up; photos in which something was read wrong or not read are
//! put into FOLDER.

use std::time::Instant;

use castellan::library;
use castellan::rules::castle::Position;
use castellan::studio::{
    Mood, PrintedSet, Scene, Style, coin, draw_wall_tile, lay_beside, photograph, random_position,
    random_wall, survey_picture,
};
use castellan::vision::SurveyedWall;
use castellan::vision::wall::registration::WallFinder;
use castellan::vision::wall::taken::{FaceUp, Fronts};
use image::{DynamicImage, RgbImage};

fn main() {
    tracing_subscriber::fmt().with_env_filter(tracing_subscriber::EnvFilter::from_default_env()).init();
    let argument = |i: usize| std::env::args().nth(i);
    let number = |i: usize, usual: u64| argument(i).and_then(|t| t.parse().ok()).unwrap_or(usual);
    let (first, photos) = (number(1, 1), number(2, 20));
    let mood = match argument(3).as_deref() {
        Some("calm") => Mood::Calm,
        Some("hard") => Mood::Hard,
        _ => Mood::Usual,
    };
    let unseen = argument(4).is_some_and(|set| set == "unseen");
    let deck = library::deck("house").unwrap().deck;
    let (mut right, mut wrong, mut missed, mut made_up, mut refused) = (0, 0, 0, 0, 0);
    let (mut times, mut few_times) = (Vec::new(), Vec::new());
    let sizes = [(1280, 720), (1920, 1080), (1280, 960)];
    for seed in first..first + photos {
        let wall = if unseen { random_wall(seed) } else { library::wall("house").unwrap() };
        let style = if unseen { Style::random(seed) } else { Style::house() };
        let set = PrintedSet::draw(&wall, &deck, &style, 0.06);
        let Ok(position): Result<Position, _> = random_position(&wall, &deck, 10 + (seed % 30) as u32, seed)
        else {
            continue;
        };
        let board = set.board(&position, &[[40, 70, 160], [220, 190, 50]], seed);
        let mut scene = Scene::random(&board, mood, sizes[seed as usize % sizes.len()], seed);
        scene.hand = None;
        let numbers = [1 + (seed % 9) as u8, 1 + (seed * 5 / 9 % 9) as u8];
        let mut pictures: Vec<_> =
            numbers.iter().map(|n| (draw_wall_tile(Some(*n), &style, 256), None)).collect();
        pictures.push((draw_wall_tile(None, &style, 256), None));
        pictures.push((coin([214, 178, 90], 128), Some(0.5)));
        pictures.push((coin([190, 190, 196], 128), Some(0.42)));
        let ids: Vec<String> =
            (0..2).map(|i| deck.tiles[(seed as usize * 7 + i) % deck.len()].id.clone()).collect();
        let places = lay_beside(&mut scene, &pictures, &ids, seed);
        let (photo, _) = photograph(&scene, seed);
        let survey = survey_picture(board.wall.as_ref().unwrap(), seed);
        let survey = SurveyedWall {
            wall: survey.wall,
            picture: survey.picture,
            px_per_tile: survey.px_per_tile,
            origin_px: survey.origin_px,
        };
        let pose = match WallFinder::new(&survey).and_then(|finder| finder.find(&photo, true)) {
            Ok(found) => found.pose,
            Err(error) => {
                println!("{seed}: {error}");
                refused += 1;
                continue;
            }
        };
        let rgb = |n: u8| DynamicImage::ImageRgba8(draw_wall_tile(Some(n), &style, 256)).into_rgb8();
        let fronts: Vec<RgbImage> = (1..=9).map(rgb).collect();
        let fronts = Fronts::new(&fronts, wall.thickness);
        let cells = wall.cells();
        let squares: Vec<castellan::rules::Cell> = (-5..17)
            .flat_map(|row| (-5..17).map(move |col| castellan::rules::Cell::new(col, row)))
            .filter(|c| !cells.contains(c))
            .collect();
        let is_free = |x: f32, y: f32| {
            cells.iter().all(|c| {
                let (left, top) = (f32::from(c.col), f32::from(c.row));
                (left - x).max(x - left - 1.0).max((top - y).max(y - top - 1.0)) > wall.thickness + 0.2
            })
        };
        let depth = 0.06 - scene.tile_thickness;
        let began = Instant::now();
        let found = fronts.find(&photo, (&pose, depth), &squares, is_free).unwrap();
        times.push(began.elapsed().as_secs_f32() * 1000.0);
        if let Some((x, y)) = places[0] {
            let (x, y) = (x.floor() as i8, y.floor() as i8);
            let few = [castellan::rules::Cell::new(x, y), castellan::rules::Cell::new(x + 1, y)];
            let began = Instant::now();
            fronts.find(&photo, (&pose, depth), &few, is_free).unwrap();
            few_times.push(began.elapsed().as_secs_f32() * 1000.0);
        }
        let near = |f: &FaceUp, p: (f32, f32)| (f.place.0 - p.0).hypot(f.place.1 - p.1) < 0.3;
        let before = (wrong, missed, made_up);
        let mut told = String::new();
        for (number, place) in numbers.iter().zip(&places).filter_map(|(n, p)| Some((*n, (*p)?))) {
            match found.iter().find(|f| near(f, place)) {
                Some(f) if f.front as u8 + 1 == number => {
                    right += 1;
                    told += &format!(" {number} ok {:.2}/{:.2}", f.fit, f.told);
                }
                Some(f) => {
                    wrong += 1;
                    told += &format!(" {number} as {} {:.2}/{:.2}", f.front + 1, f.fit, f.told);
                }
                None => {
                    missed += 1;
                    told += &format!(
                        " {number} missed at {place:.1?} ({:.0} px)",
                        pose.tile_px(place.0, place.1)
                    );
                }
            }
        }
        for f in &found {
            if places.iter().take(2).flatten().all(|p| !near(f, *p)) {
                made_up += 1;
                told += &format!(" made up {} {:.2}/{:.2} at {:.1?}", f.front + 1, f.fit, f.told, f.place);
            }
        }
        println!("{seed}:{told}");
        if let (Some(folder), true) = (argument(5), before != (wrong, missed, made_up)) {
            photo.save(format!("{folder}/{seed}.png")).unwrap();
        }
    }
    println!("right {right}, wrong {wrong}, missed {missed}, made up {made_up}; walls not found {refused}");
    for (what, mut times) in [("a whole table", times), ("two squares", few_times)] {
        times.sort_by(f32::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
        println!("{what}: {median:.0} ms (median), {:.0} ms at least", times.first().copied().unwrap_or(0.0));
    }
}
