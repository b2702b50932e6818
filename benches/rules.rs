//! How many tile turns a second the rules of The Castle play: whole random
//! games on the house set, from the first tile to the final scoring.

use castellan::library;
use castellan::rules::castle::{Policy, Position, play_out, random_wall_tiles};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

fn games(criterion: &mut Criterion) {
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in").deck;
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let start = Position::new(&wall, &deck)
        .expect("the house set can be played with")
        .with_wall_tiles(&random_wall_tiles(&wall.towers, &mut rng));
    let mut group = criterion.benchmark_group("castle");
    group.throughput(Throughput::Elements(deck.len() as u64));
    group.bench_function("random game, in tile turns", |b| {
        b.iter(|| {
            let mut position = start.clone();
            play_out(&mut position, Policy::Random, &mut rng, |_, _| {});
            position.final_totals()
        });
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

criterion_group!(benches, games);
criterion_main!(benches);
