//! How long the studio takes for a tile and for a wall.

use castellan::library;
use castellan::studio::{Style, draw_tile, draw_wall};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

fn tiles(criterion: &mut Criterion) {
    let deck = library::deck("house").expect("the house deck is built in").deck;
    let faces: Vec<_> = deck.tiles.iter().filter_map(|t| t.face.clone()).collect();
    let house = Style::house();
    let mut group = criterion.benchmark_group("tile");
    group.sample_size(30);
    for size in [64, 128, 256] {
        let mut next = 0;
        group.bench_function(format!("house style, {size} px"), |b| {
            b.iter_batched(
                || {
                    next += 1;
                    next % faces.len()
                },
                |i| draw_tile(&faces[i], i as u64, &house, size),
                BatchSize::SmallInput,
            );
        });
    }
    let mut next = 0;
    group.bench_function("random styles, 64 px", |b| {
        b.iter_batched(
            || {
                next += 1;
                (next % faces.len(), Style::random(next as u64))
            },
            |(i, style)| draw_tile(&faces[i], i as u64, &style, 64),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn wall(criterion: &mut Criterion) {
    let wall = library::wall("house").expect("the house wall is built in");
    let mut group = criterion.benchmark_group("wall");
    group.sample_size(10);
    group.bench_function("house wall, 128 px a tile", |b| b.iter(|| draw_wall(&wall, &Style::house(), 128)));
    group.finish();
}

criterion_group!(benches, tiles, wall);
criterion_main!(benches);
