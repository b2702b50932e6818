//! Knows the bare table by its colour, to tell empty cells.

use image::RgbImage;

use crate::vision::base::colour::lab;

/// The steps of chroma in which colours are counted.
const STEP: f32 = 4.0;
const BINS: usize = 64;
/// The L* + 16 of the lightness at which chroma is taken.
const LIT: f32 = 66.0;

/// Which colours of the samples are the table's.
struct Commonness {
    /// Least share of all pixels that have the colour, or one next to it. Higher loses the
    /// rarer colours of a patterned table.
    pixels: f32,
    /// Least share of the samples that hold it: a sleeve that reaches over the wall fills a
    /// few of them.
    samples: f32,
}

const COMMONNESS: Commonness = Commonness { pixels: 0.01, samples: 0.2 };

/// The colours of a table, as they are in one picture.
pub struct Tabletop {
    common: Vec<bool>,
    lightness: (f32, f32),
}

impl Tabletop {
    /// Learns the table from pictures of it. A part of them may show other
    /// things.
    pub fn new(samples: &[RgbImage]) -> Tabletop {
        let mut counts = vec![0_u32; BINS * BINS];
        let mut holders = vec![0_u32; BINS * BINS];
        let mut lights = Vec::new();
        for sample in samples {
            let mut held = vec![false; BINS * BINS];
            for pixel in sample.pixels() {
                let colour = lab(pixel.0.map(f32::from));
                let at = bin(colour);
                counts[at] += 1;
                lights.push(colour[0]);
                for beside in around(at) {
                    held[beside] = true;
                }
            }
            for (count, held) in holders.iter_mut().zip(held) {
                *count += u32::from(held);
            }
        }
        let enough = COMMONNESS.pixels * lights.len() as f32;
        let many = COMMONNESS.samples * samples.len() as f32;
        let often: Vec<bool> = counts
            .iter()
            .zip(holders)
            .map(|(count, holders)| *count > 0 && *count as f32 > enough && holders as f32 >= many)
            .collect();
        let common = (0..BINS * BINS).map(|i| around(i).any(|beside| often[beside])).collect();
        lights.sort_by(f32::total_cmp);
        let at = |share: f32| lights.get((lights.len() as f32 * share) as usize).copied().unwrap_or(50.0);
        // Shadows of the wall and of figures make it darker.
        Tabletop { common, lightness: (at(0.1) * 0.6 - 4.0, at(0.9) + 8.0) }
    }

    /// The share of a picture that has the table's colour, 0 to 1.
    pub fn share(&self, picture: &RgbImage) -> f32 {
        let like = picture.pixels().filter(|p| {
            let colour = lab(p.0.map(f32::from));
            self.common[bin(colour)] && (self.lightness.0..self.lightness.1).contains(&colour[0])
        });
        like.count() as f32 / (picture.width() * picture.height()).max(1) as f32
    }
}

/// The bin of a colour. Chroma is taken at one lightness, so that a shadow, in
/// which all of L* + 16, a* and b* shrink alike, leaves a colour in its bin.
fn bin([l, a, b]: [f32; 3]) -> usize {
    let lit = LIT / (l + 16.0).max(16.0);
    let index = |v: f32| ((v * lit / STEP + BINS as f32 / 2.0).clamp(0.0, BINS as f32 - 1.0)) as usize;
    index(b) * BINS + index(a)
}

/// A bin and those next to it.
fn around(at: usize) -> impl Iterator<Item = usize> {
    let near = |v: usize| v.saturating_sub(1)..=(v + 1).min(BINS - 1);
    near(at / BINS).flat_map(move |y| near(at % BINS).map(move |x| y * BINS + x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_known_in_shadow_and_other_things_are_not() {
        let wood = RgbImage::from_fn(32, 32, |x, _| image::Rgb([170 + (x % 7) as u8, 120, 80]));
        let table = Tabletop::new(&[wood.clone(), RgbImage::from_pixel(6, 6, image::Rgb([20, 30, 200]))]);
        assert!(table.share(&wood) > 0.95);
        let shadow = RgbImage::from_pixel(8, 8, image::Rgb([122, 86, 57]));
        assert!(table.share(&shadow) > 0.95);
        let grass = RgbImage::from_pixel(8, 8, image::Rgb([90, 150, 60]));
        assert!(table.share(&grass) < 0.05);
    }

    #[test]
    fn a_sleeve_beside_the_wall_is_not_the_table() {
        let wood = RgbImage::from_fn(12, 12, |x, _| image::Rgb([170 + (x % 7) as u8, 120, 80]));
        let sleeve = RgbImage::from_pixel(12, 12, image::Rgb([30, 60, 45]));
        let mut samples = vec![wood.clone(); 28];
        samples.extend([sleeve.clone(), sleeve.clone()]);
        let table = Tabletop::new(&samples);
        assert!(table.share(&wood) > 0.95);
        assert!(table.share(&sleeve) < 0.05);
    }
}
