//! Histograms of oriented gradients: the baseline that learns nothing.

use std::f32::consts::PI;
use std::sync::Arc;

use image::RgbImage;
use ndarray::{Array2, Array3, s};
use rayon::prelude::*;

use super::maps::{DEPTH, Describe, Described, MAP, MapGallery, PITCH_PX, Search};
use super::matcher::{Gallery, Matcher};
use super::texture::texture_share;
use crate::vision::base::crop::CROP_PX;
use crate::vision::base::error::VisionError;

/// Bins of a histogram, over half a turn.
const BINS: usize = 9;
/// Seven blocks in ten count.
const SEARCH: Search = Search { candidates: 24, kept: 45 };

/// How histograms become descriptors.
struct Descriptor {
    /// Length of a descriptor: the evidence of one place in nats. From margins of the mean
    /// cosine on pictures of tiles, times 256 places, read as logarithms of likelihoods.
    evidence: f32,
    /// A constant beside the bins, in units of a normalised histogram, so that flat ground
    /// matches flat ground. Larger makes print count less against it.
    flat: f32,
    /// Gradient that counts as noise in the normalisation, levels of 255 a pixel: places with
    /// less stay flat.
    noise: f32,
}

const DESCRIPTOR: Descriptor = Descriptor { evidence: 0.6, flat: 0.35, noise: 2.0 };

/// Compares gradient orientations in cells of 8 px, 4 px apart, normalised over
/// their neighbourhood, with the same search as the network's maps.
#[derive(Clone, Copy, Debug, Default)]
pub struct HogMatcher;

struct Hog;

impl Matcher for HogMatcher {
    fn name(&self) -> &str {
        "hog"
    }

    fn enrol(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError> {
        Ok(Box::new(MapGallery::enrol(Arc::new(Hog), SEARCH, references)?))
    }
}

impl Describe for Hog {
    fn describe(&self, crops: &[RgbImage]) -> Result<Vec<Described>, VisionError> {
        Ok(crops
            .par_iter()
            .map(|crop| Described { map: hog_map(crop), occupied: texture_share(crop), covered: 0.0 })
            .collect())
    }
}

/// A descriptor a place: the histogram, normalised over the places round it, and a constant.
fn hog_map(crop: &RgbImage) -> Array3<f32> {
    let cells = cell_histograms(crop);
    let energy = cells.map(|bins| bins.iter().map(|v| v * v).sum::<f32>());
    let round = |v: usize| v.saturating_sub(1)..(v + 2).min(MAP);
    let mut map = Array3::zeros((MAP, MAP, DEPTH));
    for ((y, x), _) in energy.indexed_iter() {
        let (mut sum, mut count) = (0.0, 0.0);
        for near in round(y).flat_map(|y| round(x).map(move |x| [y, x])) {
            sum += energy[near];
            count += 1.0;
        }
        let mean = sum / count;
        let scale = 1.0 / (mean + DESCRIPTOR.noise * DESCRIPTOR.noise).sqrt();
        let mut place = map.slice_mut(s![y, x, ..]);
        place.iter_mut().zip(cells[[y, x]]).for_each(|(to, from)| *to = from * scale);
        place[BINS] = DESCRIPTOR.flat;
        let length = place.iter().map(|v| v * v).sum::<f32>().sqrt();
        place *= DESCRIPTOR.evidence / length;
    }
    map
}

/// Orientation histograms; a pixel is shared by the cells and bins next to it.
fn cell_histograms(crop: &RgbImage) -> Array2<[f32; BINS]> {
    let side = CROP_PX as usize;
    let mut cells = Array2::from_elem((MAP, MAP), [0.0; BINS]);
    let at = |x: usize, y: usize, c: usize| f32::from(crop.get_pixel(x as u32, y as u32).0[c]);
    for y in 1..side - 1 {
        for x in 1..side - 1 {
            let (mut gx, mut gy, mut size) = (0.0, 0.0, 0.0);
            for c in 0..3 {
                let (dx, dy) = (at(x + 1, y, c) - at(x - 1, y, c), at(x, y + 1, c) - at(x, y - 1, c));
                if dx * dx + dy * dy > size {
                    (gx, gy, size) = (dx, dy, dx * dx + dy * dy);
                }
            }
            if size == 0.0 {
                continue;
            }
            let angle = gy.atan2(gx).rem_euclid(PI) / PI * BINS as f32;
            let bin = angle as usize % BINS;
            let share = angle.fract();
            let weight = size.sqrt() / (PITCH_PX * PITCH_PX) as f32;
            for (cy, wy) in near(y) {
                for (cx, wx) in near(x) {
                    let cell = &mut cells[[cy, cx]];
                    cell[bin] += weight * wy * wx * (1.0 - share);
                    cell[(bin + 1) % BINS] += weight * wy * wx * share;
                }
            }
        }
    }
    cells
}

/// The cells whose centres lie on both sides of a pixel, with their shares.
fn near(pixel: usize) -> impl Iterator<Item = (usize, f32)> {
    let place = (pixel as f32 + 0.5) / PITCH_PX as f32 - 0.5;
    let low = place.floor();
    let share = place - low;
    [(low, 1.0 - share), (low + 1.0, share)]
        .into_iter()
        .filter(|(cell, _)| *cell >= 0.0 && *cell < MAP as f32)
        .map(|(cell, share)| (cell as usize, share))
}
