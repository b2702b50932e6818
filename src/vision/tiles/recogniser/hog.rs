//! Histograms of oriented gradients: the baseline that learns nothing.

use std::f32::consts::PI;
use std::sync::Arc;

use image::RgbImage;
use rayon::prelude::*;

use super::maps::{DEPTH, Describe, Described, MAP, MapGallery, PITCH_PX, Search};
use super::matcher::{Gallery, Matcher};
use super::texture::texture_share;
use crate::vision::base::crop::CROP_PX;
use crate::vision::base::error::VisionError;

const BINS: usize = 9;
const SEARCH: Search = Search { candidates: 24, kept: 45 };
/// Evidence of one place in nats: margins of the mean cosine on pictures of
/// tiles, times 256 places, then read as logarithms of likelihoods.
const EVIDENCE: f32 = 0.6;
/// A constant beside the bins, so that flat ground matches flat ground.
const FLAT: f32 = 0.35;
const NOISE: f32 = 2.0;

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

fn hog_map(crop: &RgbImage) -> Vec<f32> {
    let cells = cell_histograms(crop);
    let mut map = vec![0.0; MAP * MAP * DEPTH];
    for y in 0..MAP {
        for x in 0..MAP {
            let mut energy = 0.0;
            let mut count = 0.0;
            for ny in y.saturating_sub(1)..=(y + 1).min(MAP - 1) {
                for nx in x.saturating_sub(1)..=(x + 1).min(MAP - 1) {
                    energy += cells[ny * MAP + nx].iter().map(|v| v * v).sum::<f32>();
                    count += 1.0;
                }
            }
            let scale = 1.0 / (energy / count + NOISE * NOISE).sqrt();
            let place = &mut map[(y * MAP + x) * DEPTH..(y * MAP + x + 1) * DEPTH];
            for (to, from) in place.iter_mut().zip(cells[y * MAP + x]) {
                *to = from * scale;
            }
            place[BINS] = FLAT;
            let length = place.iter().map(|v| v * v).sum::<f32>().sqrt();
            place.iter_mut().for_each(|v| *v *= EVIDENCE / length);
        }
    }
    map
}

/// Orientation histograms; a pixel is shared by the cells and bins next to it.
fn cell_histograms(crop: &RgbImage) -> Vec<[f32; BINS]> {
    let side = CROP_PX as usize;
    let mut cells = vec![[0.0; BINS]; MAP * MAP];
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
                    let cell = &mut cells[cy * MAP + cx];
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
