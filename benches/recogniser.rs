//! What reading a whole board costs: 76 crops on one core, the network alone
//! and with the comparison against 60 tiles in four rotations.

use std::hint::black_box;

use castellan::vision::base::crop::{CELL_PX, CROP_PX};
use castellan::vision::tiles::recogniser::{HogMatcher, Matcher, OnnxMatcher};
use criterion::{Criterion, criterion_group, criterion_main};
use image::{Rgb, RgbImage};

const CELLS: u32 = 76;
const TILES: u32 = 60;

/// Made-up texture: speed does not depend on what is seen.
fn picture(side: u32, seed: u32) -> RgbImage {
    RgbImage::from_fn(side, side, |x, y| {
        let v = (x * (seed % 7 + 1) + y * (seed % 11 + 3)).wrapping_mul(2_654_435_761 ^ seed) >> 24;
        Rgb([v as u8, (x * 3) as u8, (y * 3) as u8])
    })
}

fn whole_board(c: &mut Criterion) {
    let Ok(one_core) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
    let references: Vec<RgbImage> = (0..TILES).map(|seed| picture(CELL_PX, seed)).collect();
    let crops: Vec<RgbImage> = (0..CELLS).map(|seed| picture(CROP_PX, seed)).collect();
    let mut group = c.benchmark_group("76 crops on one core");
    group.sample_size(10);
    let network = OnnxMatcher::built_in();
    let matchers: Vec<&dyn Matcher> =
        network.iter().map(|m| m as &dyn Matcher).chain([&HogMatcher as &dyn Matcher]).collect();
    for matcher in matchers {
        for (words, kept) in [("60 tiles", TILES as usize), ("1 tile", 1)] {
            let Ok(gallery) = matcher.enrol(&references[..kept]) else { continue };
            group.bench_function(format!("{}, {words}", matcher.name()), |b| {
                b.iter(|| one_core.install(|| black_box(gallery.compare(black_box(&crops)))));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, whole_board);
criterion_main!(benches);
