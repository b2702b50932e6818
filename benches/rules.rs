//! How fast the rules of The Castle play, on one core: whole random games on the
//! house set, from the first tile to the final scoring, in tile turns a second,
//! and the memory that a finished game takes with every move undoable.

use std::hint::black_box;
use std::time::{Duration, Instant};

use castellan::library;
use castellan::rules::castle::{Names, Policy, Position, play_out, random_wall_tiles};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// Finished games kept at once to measure what one takes.
const KEPT: usize = 2000;

fn start(rng: &mut Pcg64Mcg) -> Position {
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in").deck;
    Position::new(&wall, &deck)
        .expect("the house set can be played with")
        .with_wall_tiles(&random_wall_tiles(&wall.towers, rng))
}

fn played(start: &Position, rng: &mut Pcg64Mcg) -> Position {
    let mut position = start.clone();
    play_out(&mut position, Policy::Random, rng, |_, _| {});
    position
}

/// Memory of this process in bytes; `None` where the system does not say.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? * 1024)
}

/// Prints tile turns a second over some seconds of games, and memory a game.
fn figures(_: &mut Criterion) {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let start = start(&mut rng);
    let (began, mut games, mut turns) = (Instant::now(), 0u64, 0u64);
    while began.elapsed() < Duration::from_secs(5) {
        let over = played(&start, &mut rng);
        black_box(over.final_totals());
        games += 1;
        turns += u64::from(over.turn()) - 1;
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{games} random games, {:.0} tile turns/s, one core", turns as f64 / seconds);
    let before = resident();
    let kept: Vec<Position> = (0..KEPT).map(|_| played(&start, &mut rng)).collect();
    if let (Some(before), Some(after)) = (before, resident()) {
        let each = after.saturating_sub(before) as f64 / kept.len() as f64 / 1024.0;
        println!("{each:.1} KiB a finished game, every move undoable ({KEPT} games kept)");
    }
}

fn games(criterion: &mut Criterion) {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let start = start(&mut rng);
    let tiles = u64::from(start.tiles_left());
    let mut group = criterion.benchmark_group("castle");
    group.throughput(Throughput::Elements(tiles));
    group.bench_function("random game, in tile turns", |b| {
        b.iter(|| played(&start, &mut rng).final_totals());
    });
    group.bench_function("random game with its final scores explained", |b| {
        b.iter(|| played(&start, &mut rng).final_scores(&Names::default()));
    });
    group.throughput(Throughput::Elements(1));
    group.sample_size(10);
    group.bench_function("greedy game", |b| {
        b.iter(|| {
            let mut position = start.clone();
            play_out(&mut position, Policy::Greedy, &mut rng, |_, _| {});
            position.final_totals()
        });
    });
    group.finish();
}

criterion_group!(benches, figures, games);
criterion_main!(benches);
