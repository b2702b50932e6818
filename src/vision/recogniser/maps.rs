//! Comparing maps of local descriptors place by place.
//!
//! A tile's score is the sum, over the places of the cell, of the products of
//! the crop's descriptor with the reference's, at the shift where that is
//! best. A first look at all tiles, rotations and shifts takes four places
//! together and is one matrix product; the best candidates are looked at again
//! place by place, leaving out the blocks that no candidate explains (a hand, a
//! follower). All candidates are then judged on the same blocks, so references
//! that are equal somewhere differ by nothing there: twins are told apart where
//! they differ and nowhere else.

use std::sync::Arc;

use image::RgbImage;
use image::imageops;
use rayon::prelude::*;

use super::product::Product;
use super::{CELL_PX, CROP_PX, Comparison, Gallery, MARGIN_PX};
use crate::vision::VisionError;
use crate::vision::photo::quarter_turned;

/// Numbers a descriptor has.
pub(super) const DEPTH: usize = 16;
/// Places a side of a crop's map, one every [`PITCH_PX`].
pub(super) const MAP: usize = 20;
/// Pixels from a place to the next.
pub(super) const PITCH_PX: usize = 4;
const PLACES: usize = 16;
const RING: usize = (MAP - PLACES) / 2;
const STEPS: usize = 2 * RING + 1;
const SHIFTS: usize = STEPS * STEPS;
const BLOCKS: usize = PLACES / 2;
const PAIR: usize = 2 * DEPTH;
/// Numbers of a pooled window: a descriptor for each block of 2 x 2 places.
const POOLED: usize = BLOCKS * BLOCKS * DEPTH;

/// What a describer says of one crop.
pub(super) struct Described {
    /// Row by row, place by place: [`MAP`] x [`MAP`] x [`DEPTH`] numbers. A
    /// descriptor's length is the evidence it carries, in nats.
    pub map: Vec<f32>,
    /// 0 to 1: a tile lies there.
    pub occupied: f32,
    /// 0 to 1: something hides it.
    pub covered: f32,
}

/// Makes a map of a crop.
pub(super) trait Describe: Send + Sync {
    /// One answer a crop, in their order; the crops are [`CROP_PX`] a side.
    fn describe(&self, crops: &[RgbImage]) -> Result<Vec<Described>, VisionError>;
}

/// How the second look is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// Candidates (tile and rotation) that are looked at again.
    pub candidates: usize,
    /// Blocks that count, of 64: the others are taken to be hidden.
    pub kept: usize,
}

/// The candidates that explain most are also tried at the shifts beside.
const MOVED: usize = 8;

/// What each block of 2 x 2 places adds to a score, row by row.
type Blocks = [f32; BLOCKS * BLOCKS];

/// A candidate laid over a crop at a shift.
struct Look {
    shift: usize,
    /// The sum of the blocks that it explains best.
    score: f32,
    blocks: Blocks,
}

/// References as maps, each in four rotations.
pub(super) struct MapGallery {
    describer: Arc<dyn Describe>,
    search: Search,
    references: Vec<Reference>,
    pooled: Product,
}

/// One reference in one rotation: [`PLACES`] x [`PLACES`] descriptors of length
/// one, rows of pairs of places.
struct Reference(Vec<f32>);

impl MapGallery {
    pub(super) fn enrol(
        describer: Arc<dyn Describe>,
        search: Search,
        references: &[RgbImage],
    ) -> Result<MapGallery, VisionError> {
        let maps = reference_maps(describer.as_ref(), references)?;
        MapGallery::of_maps(describer, search, maps)
    }

    /// A gallery of what [`reference_maps`] gave.
    pub(super) fn of_maps(
        describer: Arc<dyn Describe>,
        search: Search,
        maps: Vec<Vec<f32>>,
    ) -> Result<MapGallery, VisionError> {
        let references: Vec<Reference> = maps.into_iter().map(Reference).collect();
        let mut pooled = Vec::with_capacity(references.len() * POOLED);
        for reference in &references {
            let sums = pool(&reference.0, PLACES);
            for by in 0..BLOCKS {
                for bx in 0..BLOCKS {
                    let place = 2 * by * (PLACES - 1) + 2 * bx;
                    pooled.extend(sums[place * DEPTH..(place + 1) * DEPTH].iter().map(|v| v / 4.0));
                }
            }
        }
        let pooled = Product::new(&pooled, POOLED, SHIFTS)?;
        Ok(MapGallery { describer, search, references, pooled })
    }

    fn compare_one(&self, crop: &Described) -> Result<Comparison, VisionError> {
        let count = self.references.len();
        let mut best: Vec<(f32, usize)> = self
            .first_look(&crop.map)?
            .chunks_exact(SHIFTS)
            .map(|row| {
                let at = argmax(row.iter().copied());
                (row[at], at)
            })
            .collect();

        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| best[b].0.total_cmp(&best[a].0).then(a.cmp(&b)));
        order.truncate(self.search.candidates);

        let mut looks: Vec<Look> =
            order.iter().map(|&candidate| self.look(&crop.map, candidate, best[candidate].1)).collect();
        let mut ranked: Vec<usize> = (0..looks.len()).collect();
        ranked.sort_by(|&a, &b| looks[b].score.total_cmp(&looks[a].score).then(a.cmp(&b)));
        for &i in ranked.iter().take(MOVED) {
            self.move_to_best(&crop.map, order[i], &mut looks[i]);
        }
        for (&candidate, look) in order.iter().zip(&looks) {
            best[candidate].1 = look.shift;
        }
        let blocks: Vec<Blocks> = looks.into_iter().map(|l| l.blocks).collect();
        let kept = explained_blocks(&blocks, self.search.kept);
        let mut lowest = f32::INFINITY;
        for (&candidate, found) in order.iter().zip(&blocks) {
            let score = kept.iter().map(|&b| found[b]).sum();
            best[candidate].0 = score;
            lowest = lowest.min(score);
        }
        let looked_at: Vec<bool> = {
            let mut seen = vec![false; count];
            for &candidate in &order {
                seen[candidate] = true;
            }
            seen
        };
        for (entry, seen) in best.iter_mut().zip(looked_at) {
            if !seen {
                entry.0 = entry.0.min(lowest);
            }
        }

        let mut scores = Vec::with_capacity(count / 4);
        let mut shift = Vec::with_capacity(count / 4);
        for turns in best.chunks_exact(4) {
            scores.push([turns[0].0, turns[1].0, turns[2].0, turns[3].0]);
            let at = turns[argmax(turns.iter().map(|t| t.0))].1;
            let sides = |steps: usize| (steps as f32 - RING as f32) / PLACES as f32;
            shift.push((sides(at % STEPS), sides(at / STEPS)));
        }
        Ok(Comparison { scores, occupied: crop.occupied, covered: crop.covered, shift })
    }

    /// Scores of all references at all shifts, four places taken together:
    /// references x shifts.
    fn first_look(&self, map: &[f32]) -> Result<Vec<f32>, VisionError> {
        if self.references.is_empty() {
            return Ok(Vec::new());
        }
        let sums = pool(map, MAP);
        let width = MAP - 1;
        let mut windows = Vec::with_capacity(SHIFTS * POOLED);
        for shift in 0..SHIFTS {
            for by in 0..BLOCKS {
                for bx in 0..BLOCKS {
                    let place = (shift / STEPS + 2 * by) * width + shift % STEPS + 2 * bx;
                    windows.extend_from_slice(&sums[place * DEPTH..(place + 1) * DEPTH]);
                }
            }
        }
        self.pooled.with(&windows)
    }

    /// What each block adds to a candidate's score at a shift.
    fn look(&self, map: &[f32], candidate: usize, shift: usize) -> Look {
        let blocks = block_sums(&self.references[candidate].0, map, shift / STEPS, shift % STEPS);
        Look { shift, score: sum_of_best(&blocks, self.search.kept), blocks }
    }

    /// Goes to the best of the shifts beside.
    fn move_to_best(&self, map: &[f32], candidate: usize, look: &mut Look) {
        let (row, col) = (look.shift / STEPS, look.shift % STEPS);
        for (dr, dc) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
            let (r, c) = (row + dr, col + dc);
            if !(1..=STEPS).contains(&r) || !(1..=STEPS).contains(&c) {
                continue;
            }
            let beside = self.look(map, candidate, (r - 1) * STEPS + c - 1);
            if beside.score > look.score {
                *look = beside;
            }
        }
    }
}

impl Gallery for MapGallery {
    fn compare(&self, crops: &[RgbImage]) -> Result<Vec<Comparison>, VisionError> {
        check_crops(crops)?;
        let described = self.describer.describe(crops)?;
        described.par_iter().map(|d| self.compare_one(d)).collect()
    }

    fn learned_from(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError> {
        Ok(Box::new(MapGallery::enrol(self.describer.clone(), self.search, references)?))
    }
}

/// How many numbers [`reference_maps`] gives for a reference in one rotation.
pub(super) const REFERENCE_NUMBERS: usize = PLACES * PLACES * DEPTH;

/// The maps of references, four rotations each: descriptors of length one,
/// [`REFERENCE_NUMBERS`] numbers a map.
pub(super) fn reference_maps(
    describer: &dyn Describe,
    references: &[RgbImage],
) -> Result<Vec<Vec<f32>>, VisionError> {
    let pictures: Vec<RgbImage> = references.iter().flat_map(rotations_with_margin).collect();
    Ok(describer.describe(&pictures)?.iter().map(|d| unit_length(window(&d.map, RING, RING))).collect())
}

/// Says what is wrong with crops of the wrong size.
pub(super) fn check_crops(crops: &[RgbImage]) -> Result<(), VisionError> {
    match crops.iter().find(|c| c.dimensions() != (CROP_PX, CROP_PX)) {
        Some(c) => Err(VisionError::Recogniser(format!(
            "a crop has {} x {} px, cut it to {CROP_PX} x {CROP_PX}",
            c.width(),
            c.height()
        ))),
        None => Ok(()),
    }
}

/// A reference brought to [`CELL_PX`] a side.
pub(super) fn upright(reference: &RgbImage) -> RgbImage {
    if reference.dimensions() == (CELL_PX, CELL_PX) {
        reference.clone()
    } else {
        imageops::resize(reference, CELL_PX, CELL_PX, imageops::FilterType::Triangle)
    }
}

/// The four rotations of a reference, clockwise, each with a crop's margin made
/// by reflection.
pub(super) fn rotations_with_margin(reference: &RgbImage) -> [RgbImage; 4] {
    let r0 = upright(reference);
    std::array::from_fn(|turn| {
        let r = quarter_turned(&r0, turn as u8);
        let margin = MARGIN_PX as i32;
        let last = CELL_PX as i32 - 1;
        let reflect = |v: u32| {
            let v = (v as i32 - margin).abs();
            (if v > last { 2 * last - v } else { v }) as u32
        };
        RgbImage::from_fn(CROP_PX, CROP_PX, |x, y| *r.get_pixel(reflect(x), reflect(y)))
    })
}

/// The cell's places of a map, `row` and `col` places from the map's corner.
fn window(map: &[f32], row: usize, col: usize) -> Vec<f32> {
    (0..PLACES)
        .flat_map(|y| {
            let from = ((row + y) * MAP + col) * DEPTH;
            map[from..from + PLACES * DEPTH].iter().copied()
        })
        .collect()
}

fn unit_length(mut places: Vec<f32>) -> Vec<f32> {
    for place in places.chunks_exact_mut(DEPTH) {
        let length = place.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-6);
        place.iter_mut().for_each(|v| *v /= length);
    }
    places
}

/// Sums over 2 x 2 places of a square map, one for each upper left place.
fn pool(map: &[f32], side: usize) -> Vec<f32> {
    let mut sums = vec![0.0; (side - 1) * (side - 1) * DEPTH];
    for (i, sum) in sums.chunks_exact_mut(DEPTH).enumerate() {
        let from = (i / (side - 1) * side + i % (side - 1)) * DEPTH;
        let upper = &map[from..from + PAIR];
        let lower = &map[from + side * DEPTH..from + side * DEPTH + PAIR];
        for k in 0..DEPTH {
            sum[k] = upper[k] + upper[k + DEPTH] + lower[k] + lower[k + DEPTH];
        }
    }
    sums
}

/// What each block of 2 x 2 places adds to a reference's score at a shift.
fn block_sums(reference: &[f32], map: &[f32], row: usize, col: usize) -> Blocks {
    let mut sums = [0.0; BLOCKS * BLOCKS];
    for (y, sums) in sums.chunks_exact_mut(BLOCKS).enumerate() {
        let ours = reference[2 * y * PLACES * DEPTH..].chunks_exact(PLACES * DEPTH).take(2);
        let theirs = (0..2).map(|k| {
            let from = ((row + 2 * y + k) * MAP + col) * DEPTH;
            &map[from..from + PLACES * DEPTH]
        });
        for (ours, theirs) in ours.zip(theirs) {
            for ((a, b), sum) in
                ours.as_chunks::<PAIR>().0.iter().zip(theirs.as_chunks::<PAIR>().0).zip(&mut *sums)
            {
                *sum += product(a, b);
            }
        }
    }
    sums
}

/// The sum of products, in eight parts that can be added side by side.
fn product(a: &[f32; PAIR], b: &[f32; PAIR]) -> f32 {
    let mut lanes: [f32; 8] = std::array::from_fn(|k| a[k] * b[k]);
    for part in 1..PAIR / 8 {
        for k in 0..8 {
            lanes[k] += a[8 * part + k] * b[8 * part + k];
        }
    }
    let halves: [f32; 4] = std::array::from_fn(|k| lanes[k] + lanes[k + 4]);
    (halves[0] + halves[2]) + (halves[1] + halves[3])
}

fn sum_of_best(blocks: &Blocks, kept: usize) -> f32 {
    let mut parted = *blocks;
    if kept < parted.len() {
        parted.select_nth_unstable_by(kept, |a, b| b.total_cmp(a));
    }
    parted.iter().take(kept).sum()
}

/// The blocks that some candidate explains best.
fn explained_blocks(candidates: &[Blocks], kept: usize) -> Vec<usize> {
    let mut order: Vec<(f32, usize)> = (0..BLOCKS * BLOCKS)
        .map(|b| (candidates.iter().map(|c| c[b]).fold(f32::NEG_INFINITY, f32::max), b))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.truncate(kept);
    order.into_iter().map(|(_, b)| b).collect()
}

fn argmax(values: impl Iterator<Item = f32>) -> usize {
    let mut best = (f32::NEG_INFINITY, 0);
    for (i, v) in values.enumerate() {
        if v > best.0 {
            best = (v, i);
        }
    }
    best.1
}
