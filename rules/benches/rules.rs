//! How fast the rules play, on one core: whole random games, from the first tile to the
//! final scoring, in tile turns a second, and the memory that a finished game takes with
//! every move undoable. The Castle on the house set, the classic game with its fields,
//! alone and with all modules that go together.

use std::hint::black_box;
use std::time::{Duration, Instant};

use castellan_rules::castle::{Policy, Position, house_set, play_out, random_wall_tiles};
use castellan_rules::{Names, classic};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// Finished games kept at once to measure what one takes.
const KEPT: usize = 2000;

fn start(rng: &mut Pcg64Mcg) -> Position {
    let (wall, deck) = house_set();
    Position::new(&wall, &deck)
        .expect("the house set can be played with")
        .with_wall_tiles(&random_wall_tiles(&wall.towers, rng))
}

fn classic_start(players: usize) -> classic::Position {
    classic::Position::new(&classic::base_deck(), players, classic::Switches::default())
        .expect("the base game can be played")
}

fn classic_played(start: &classic::Position, rng: &mut Pcg64Mcg) -> classic::Position {
    let mut position = start.clone();
    classic::play_out(&mut position, rng, |_, _| {});
    position
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
    speed("The Castle", || {
        let over = played(&start, &mut rng);
        black_box(over.final_totals());
        over.turn() - 1
    });
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for players in [2, 5] {
        let start = classic_start(players);
        speed(&format!("the classic base game, {players} players"), || {
            let over = classic_played(&start, &mut rng);
            black_box(over.final_totals());
            over.turn() - 1
        });
    }
    for sets in [
        &["river", "inns", "traders", "king", "cathars"][..],
        &["inns", "traders", "king", "cathars", "count"],
    ] {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let deck = classic::deck_with(sets).expect("the sets are known");
        let start = classic::Position::new(&deck, 4, classic::Switches::default()).expect("four play");
        speed(&format!("the classic game with {}, 4 players", sets.join(", ")), || {
            let over = classic_played(&start, &mut rng);
            black_box(over.final_totals());
            over.turn() - 1
        });
    }
    let before = resident();
    let kept: Vec<Position> = (0..KEPT).map(|_| played(&start, &mut rng)).collect();
    if let (Some(before), Some(after)) = (before, resident()) {
        let each = after.saturating_sub(before) as f64 / kept.len() as f64 / 1024.0;
        println!("{each:.1} KiB a finished game, every move undoable ({KEPT} games kept)");
    }
}

/// Plays games for some seconds and prints tile turns a second; `game` plays one and
/// gives its turns.
fn speed(what: &str, mut game: impl FnMut() -> u32) {
    let (began, mut games, mut turns) = (Instant::now(), 0u64, 0u64);
    while began.elapsed() < Duration::from_secs(5) {
        turns += u64::from(game());
        games += 1;
    }
    let each = turns as f64 / began.elapsed().as_secs_f64();
    println!("{what}: {games} random games, {each:.0} tile turns/s, one core");
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

fn classic_games(criterion: &mut Criterion) {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let start = classic_start(2);
    let mut group = criterion.benchmark_group("classic");
    group.throughput(Throughput::Elements(u64::from(start.tiles_left())));
    group.bench_function("random game, in tile turns", |b| {
        b.iter(|| classic_played(&start, &mut rng).final_totals());
    });
    group.bench_function("random game with its final scores explained", |b| {
        let names = Names::new(&["Ada".to_owned(), "Ben".to_owned()]);
        b.iter(|| classic_played(&start, &mut rng).final_scores(&names));
    });
    group.finish();
}

criterion_group!(benches, figures, games, classic_games);
criterion_main!(benches);
