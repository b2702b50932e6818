//! Comparing maps of local descriptors place by place.
//!
//! A tile's score is the sum, over the places of the cell, of the products of
//! the crop's descriptor with the reference's, at the shift where that is
//! best. A first look at all tiles, rotations and shifts takes four places together
//! and is one matrix product of bytes; the best candidates are looked at again
//! place by place, leaving out the blocks that no candidate explains (a hand, a
//! follower). All candidates are then judged on the same blocks, so references
//! that are equal somewhere differ by nothing there: twins are told apart where
//! they differ and nowhere else.

use std::sync::Arc;

use image::RgbImage;
use image::imageops;
use ndarray::{Array3, Array4, ArrayView3, Axis, s};
use rayon::prelude::*;

use super::matcher::{Comparison, Gallery};
use crate::vision::base::crop::{CELL_PX, CROP_PX, MARGIN_PX};
use crate::vision::base::error::VisionError;
use crate::vision::base::photo::quarter_turned;
use crate::vision::base::product::Product;

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
/// Numbers of two places side by side.
const PAIR: usize = 2 * DEPTH;
/// Such pairs in a row of a map.
const PAIRS: usize = MAP / 2;
/// Numbers of a pooled window: a descriptor for each block of 2 x 2 places.
const POOLED: usize = BLOCKS * BLOCKS * DEPTH;

/// What a describer says of one crop.
pub(super) struct Described {
    /// A descriptor a place: [`MAP`] rows x [`MAP`] columns x [`DEPTH`] numbers. A
    /// descriptor's length is the evidence it carries, in nats.
    pub map: Array3<f32>,
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

/// A reference's score in the first look, and the shift (row, column) where it was best.
type FirstLook = (f32, (usize, usize));

/// A candidate laid over a crop at a shift: (row, column).
#[derive(Clone)]
struct Look {
    shift: (usize, usize),
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

/// One reference in one rotation, as [`by_blocks`] lays it out; its descriptors have
/// length one.
struct Reference(Vec<f32>);

impl MapGallery {
    pub(super) fn enrol(
        describer: Arc<dyn Describe>,
        search: Search,
        references: &[RgbImage],
    ) -> Result<MapGallery, VisionError> {
        let maps = reference_maps(describer.as_ref(), references)?;
        Ok(MapGallery::of_maps(describer, search, maps))
    }

    /// A gallery of what [`reference_maps`] gave.
    pub(super) fn of_maps(
        describer: Arc<dyn Describe>,
        search: Search,
        maps: Vec<Array3<f32>>,
    ) -> MapGallery {
        let mut pooled = Vec::with_capacity(maps.len() * POOLED);
        for map in &maps {
            let sums = pool(map);
            push_window(&mut pooled, &bytes_by_parity(&sums, REFERENCE_STEPS), PLACES - 1, (0, 0));
        }
        let references = maps.iter().map(|map| Reference(by_blocks(map))).collect();
        let pooled = Product::new(&pooled, POOLED);
        MapGallery { describer, search, references, pooled }
    }

    fn compare_one(&self, crop: &Described, mut best: Vec<FirstLook>) -> Comparison {
        let count = self.references.len();
        let ahead = |&a: &usize, &b: &usize| best[b].0.total_cmp(&best[a].0).then(a.cmp(&b));
        let mut order: Vec<usize> = (0..count).collect();
        if self.search.candidates < count {
            order.select_nth_unstable_by(self.search.candidates, ahead);
            order.truncate(self.search.candidates);
        }
        order.sort_unstable_by(ahead);

        let pairs = by_pairs(&crop.map);
        let mut looks: Vec<Look> =
            order.iter().map(|&candidate| self.look(&pairs, candidate, best[candidate].1)).collect();
        let mut ranked: Vec<usize> = (0..looks.len()).collect();
        ranked.sort_by(|&a, &b| looks[b].score.total_cmp(&looks[a].score).then(a.cmp(&b)));
        for &i in ranked.iter().take(MOVED) {
            looks[i] = self.best_look(&pairs, order[i], looks[i].clone());
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
            shift.push((sides(at.1), sides(at.0)));
        }
        Comparison { scores, occupied: crop.occupied, covered: crop.covered, shift }
    }

    /// The first look of a crop at all references, four places taken together: each
    /// reference's score and where it was best.
    fn first_look(&self, crop: &Described) -> Vec<FirstLook> {
        const WIDTH: usize = MAP - 1;
        let sums = pool(&crop.map);
        let crop_steps = FULL / sums.iter().fold(f32::MIN_POSITIVE, |most, v| most.max(v.abs()));
        let sums = bytes_by_parity(&sums, crop_steps);
        let mut windows: Vec<i8> = Vec::with_capacity(SHIFTS * POOLED);
        for shift in (0..SHIFTS).map(shift_of) {
            push_window(&mut windows, &sums, WIDTH, shift);
        }
        // The product of two sums of four is some four times the sum of four products.
        let steps = crop_steps * REFERENCE_STEPS * 4.0;
        let best = |of_reference: &[i32]| {
            let at = argmax(of_reference.iter().map(|score| *score as f32));
            (of_reference[at] as f32 / steps, shift_of(at))
        };
        self.pooled.with(&windows).chunks_exact(SHIFTS).map(best).collect()
    }

    /// A candidate at a shift.
    fn look(&self, pairs: &[f32], candidate: usize, shift: (usize, usize)) -> Look {
        let blocks = block_sums(&self.references[candidate].0, pairs, shift);
        Look { shift, score: sum_of_best(&blocks, self.search.kept), blocks }
    }

    /// A candidate at the best of a shift and those beside.
    fn best_look(&self, pairs: &[f32], candidate: usize, best: Look) -> Look {
        let (row, col) = best.shift;
        let less = |v: usize| v.checked_sub(1);
        let more = |v: usize| Some(v + 1).filter(|&v| v < STEPS);
        [(less(row), Some(col)), (more(row), Some(col)), (Some(row), less(col)), (Some(row), more(col))]
            .into_iter()
            .filter_map(|(row, col)| Some(self.look(pairs, candidate, (row?, col?))))
            .fold(best, |a, b| if b.score > a.score { b } else { a })
    }
}

/// The `index`th shift: (row, column).
fn shift_of(index: usize) -> (usize, usize) {
    (index / STEPS, index % STEPS)
}

/// The largest byte that stands for a sum of descriptors.
const FULL: f32 = 127.0;
/// Steps to a one in the sums of references: four descriptors of length one are at most
/// four.
const REFERENCE_STEPS: f32 = FULL / 4.0;

/// Sums of a square of places as bytes, so many steps to a one; in each row first the
/// even places, then the odd ones, as windows take every other.
fn bytes_by_parity(sums: &Array3<f32>, steps: f32) -> Vec<i8> {
    let byte = |v: &f32| {
        let number = v * steps;
        (number + 0.5_f32.copysign(number)) as i8
    };
    let mut bytes = Vec::with_capacity(sums.len());
    for row in sums.outer_iter() {
        for odd in 0..2 {
            for place in row.slice(s![odd..;2, ..]).outer_iter() {
                bytes.extend(place.iter().map(byte));
            }
        }
    }
    bytes
}

/// Adds the window of a square of places ([`bytes_by_parity`]) at a shift: a descriptor a
/// block, row by row.
fn push_window(windows: &mut Vec<i8>, bytes: &[i8], side: usize, (row, col): (usize, usize)) {
    let first = col % 2 * side.div_ceil(2) + col / 2;
    for by in 0..BLOCKS {
        let from = ((row + 2 * by) * side + first) * DEPTH;
        windows.extend_from_slice(&bytes[from..from + BLOCKS * DEPTH]);
    }
}

impl Gallery for MapGallery {
    fn compare(&self, crops: &[RgbImage]) -> Result<Vec<Comparison>, VisionError> {
        check_crops(crops)?;
        let described = self.describer.describe(crops)?;
        if self.references.is_empty() {
            let state = |d: &Described| Comparison {
                occupied: d.occupied,
                covered: d.covered,
                ..Comparison::default()
            };
            return Ok(described.iter().map(state).collect());
        }
        Ok(described.par_iter().map(|crop| self.compare_one(crop, self.first_look(crop))).collect())
    }

    fn learned_from(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError> {
        Ok(Box::new(MapGallery::enrol(self.describer.clone(), self.search, references)?))
    }
}

/// What [`reference_maps`] gives for a reference in one rotation: rows, columns, numbers.
pub(super) const REFERENCE_SHAPE: (usize, usize, usize) = (PLACES, PLACES, DEPTH);

/// The maps of references, four rotations each: descriptors of length one,
/// [`REFERENCE_SHAPE`].
pub(super) fn reference_maps(
    describer: &dyn Describe,
    references: &[RgbImage],
) -> Result<Vec<Array3<f32>>, VisionError> {
    let pictures: Vec<RgbImage> = references.iter().flat_map(rotations_with_margin).collect();
    Ok(describer
        .describe(&pictures)?
        .iter()
        .map(|d| unit_length(window(&d.map, (RING, RING)).to_owned()))
        .collect())
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

/// The cell's places of a map, so many rows and columns from the map's corner.
fn window(map: &Array3<f32>, (row, col): (usize, usize)) -> ArrayView3<'_, f32> {
    map.slice(s![row..row + PLACES, col..col + PLACES, ..])
}

fn unit_length(mut places: Array3<f32>) -> Array3<f32> {
    for mut place in places.lanes_mut(Axis(2)) {
        let length = place.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-6);
        place /= length;
    }
    places
}

/// Sums over 2 x 2 places of a map, one for each upper left place.
fn pool(map: &Array3<f32>) -> Array3<f32> {
    let (upper, lower) = (map.slice(s![..-1, .., ..]), map.slice(s![1.., .., ..]));
    &upper.slice(s![.., ..-1, ..])
        + &upper.slice(s![.., 1.., ..])
        + lower.slice(s![.., ..-1, ..])
        + lower.slice(s![.., 1.., ..])
}

/// A reference's places by blocks, so that all blocks of a row are added at once:
/// [`PLACES`] rows x [`PAIR`] numbers x [`BLOCKS`].
fn by_blocks(reference: &Array3<f32>) -> Vec<f32> {
    let mut turned = Array3::zeros((PLACES, PAIR, BLOCKS));
    for right in 0..2 {
        let places = reference.slice(s![.., right..;2, ..]).permuted_axes([0, 2, 1]);
        turned.slice_mut(s![.., right * DEPTH..(right + 1) * DEPTH, ..]).assign(&places);
    }
    turned.into_raw_vec_and_offset().0
}

/// A crop's places by pairs, those that begin at an even place and those that begin at
/// an odd one: 2 x [`MAP`] rows x [`PAIR`] numbers x [`PAIRS`].
fn by_pairs(map: &Array3<f32>) -> Vec<f32> {
    let mut turned = Array4::zeros((2, MAP, PAIR, PAIRS));
    for (odd, right) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let places = map.slice(s![.., odd + right..MAP - odd;2, ..]).permuted_axes([0, 2, 1]);
        turned.slice_mut(s![odd, .., right * DEPTH..(right + 1) * DEPTH, ..PAIRS - odd]).assign(&places);
    }
    turned.into_raw_vec_and_offset().0
}

/// What each block of 2 x 2 places adds to a reference's score ([`by_blocks`]) on a
/// crop ([`by_pairs`]) at a shift.
fn block_sums(reference: &[f32], crop: &[f32], (row, col): (usize, usize)) -> Blocks {
    let mut sums = [0.0; BLOCKS * BLOCKS];
    let ours = reference.as_chunks::<{ 2 * PAIR * BLOCKS }>().0;
    let theirs = crop.as_chunks::<{ PAIR * PAIRS }>().0;
    let theirs = theirs[col % 2 * MAP + row..].as_chunks::<2>().0;
    for ((sums, ours), theirs) in sums.as_chunks_mut::<BLOCKS>().0.iter_mut().zip(ours).zip(theirs) {
        let theirs = theirs.as_flattened().as_chunks::<PAIRS>().0;
        for (a, b) in ours.as_chunks::<BLOCKS>().0.iter().zip(theirs) {
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum += a[k] * b[col / 2 + k];
            }
        }
    }
    sums
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that repeat nowhere.
    fn numbers(shape: (usize, usize, usize)) -> Array3<f32> {
        let mut i = 0_u32;
        Array3::from_shape_simple_fn(shape, || {
            i += 1;
            (i.wrapping_mul(2_654_435_761) >> 20) as f32 / 4096.0 - 0.5
        })
    }

    #[test]
    fn a_window_holds_every_other_sum() {
        let side = MAP - 1;
        let sums = Array3::from_shape_fn((side, side, DEPTH), |(y, x, _)| ((y * side + x) % 120) as f32);
        let bytes = bytes_by_parity(&sums, 1.0);
        for shift in 0..SHIFTS {
            let (row, col) = shift_of(shift);
            let mut window = Vec::new();
            push_window(&mut window, &bytes, side, (row, col));
            assert_eq!(window.len(), POOLED);
            for (block, found) in window.chunks_exact(DEPTH).enumerate() {
                let place = (row + block / BLOCKS * 2) * side + col + block % BLOCKS * 2;
                assert!(found.iter().all(|b| *b == (place % 120) as i8));
            }
        }
    }

    #[test]
    fn blocks_add_the_products_of_their_places_at_every_shift() {
        let (reference, map) = (numbers(REFERENCE_SHAPE), numbers((MAP, MAP, DEPTH)));
        let (blocks, pairs) = (by_blocks(&reference), by_pairs(&map));
        for row in 0..STEPS {
            for col in 0..STEPS {
                let found = block_sums(&blocks, &pairs, (row, col));
                let laid = window(&map, (row, col));
                let mut wanted = [0.0; BLOCKS * BLOCKS];
                for ((y, x, k), a) in reference.indexed_iter() {
                    wanted[y / 2 * BLOCKS + x / 2] += a * laid[[y, x, k]];
                }
                for (a, b) in found.iter().zip(wanted) {
                    assert!((a - b).abs() < 1e-4, "{a} {b} at {row} {col}");
                }
            }
        }
    }
}
