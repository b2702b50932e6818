//! How long the wall takes to be found in a frame of 1280 x 720 of which nothing is
//! known, and to be seen lying still in the next: boards of unseen decks and walls,
//! with all threads and with one.

use std::hint::black_box;
use std::time::Duration;

use castellan::studio::{
    Mood, PrintedSet, Scene, Style, photograph, random_deck, random_position, random_wall,
};
use castellan::vision::SurveyedWall;
use castellan::vision::wall::registration::{Registration, WallFinder};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use image::RgbImage;

const BOARDS: u64 = 12;
const SHORT: Duration = Duration::from_secs(1);
const COLOURS: [[u8; 3]; 2] = [[40, 80, 170], [220, 180, 40]];

/// A photographed board and what knows its wall.
struct Sample {
    finder: WallFinder,
    frame: RgbImage,
    found: Registration,
}

/// The board of a seed; `None` when its wall is not found.
fn sample(seed: u64) -> Option<Sample> {
    let (wall, deck) = (random_wall(seed), random_deck(seed));
    let set = PrintedSet::draw(&wall, &deck, &Style::random(seed), 0.06);
    let position = random_position(&wall, &deck, 20 + 3 * seed as u32 % 40, seed).ok()?;
    let board = set.board(&position, &COLOURS, seed);
    let (frame, _) = photograph(&Scene::random(&board, Mood::Usual, (1280, 720), seed), seed);
    let standing = set.wall.as_ref()?;
    let survey = SurveyedWall {
        wall: wall.clone(),
        picture: standing.picture.clone(),
        px_per_tile: standing.px_per_tile,
        origin_px: standing.origin_px,
    };
    let finder = WallFinder::new(&survey).ok()?;
    let found = finder.find(&frame, true).ok()?;
    Some(Sample { finder, frame, found })
}

fn registration(c: &mut Criterion) {
    let samples: Vec<Sample> = (1..=BOARDS).filter_map(sample).collect();
    assert!(!samples.is_empty(), "no wall was found in any picture");
    println!("{} of {BOARDS} walls were found; times are of these in turn", samples.len());
    let threads = opencv::core::get_num_threads().unwrap_or(1);
    for (words, threads) in [("all threads", threads), ("one thread", 1)] {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1) as usize).build() else {
            return;
        };
        if opencv::core::set_num_threads(threads).is_err() {
            return;
        }
        let mut group = c.benchmark_group(format!("registration, {words}"));
        group.sample_size(10).warm_up_time(SHORT).measurement_time(SHORT);
        for (i, s) in samples.iter().enumerate() {
            group.bench_function(format!("from scratch, {i}"), |b| {
                b.iter(|| pool.install(|| drop(black_box(s.finder.find(&s.frame, true)))));
            });
        }
        group.throughput(Throughput::Elements(samples.len() as u64));
        group.bench_function("from scratch, all", |b| {
            b.iter(|| {
                pool.install(|| samples.iter().for_each(|s| drop(black_box(s.finder.find(&s.frame, true)))))
            });
        });
        group.bench_function("nothing changed, all", |b| {
            let follow = |s: &Sample| drop(black_box(s.finder.follow(&s.frame, &s.found.pose)));
            b.iter(|| pool.install(|| samples.iter().for_each(follow)));
        });
        group.finish();
    }
}

criterion_group!(benches, registration);
criterion_main!(benches);
