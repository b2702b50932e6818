//! Takes the noise of dim light out of a film's frames: what rests is averaged over a few of them,
//! and all is softened a little.

use std::collections::VecDeque;

use image::RgbImage;

use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::median;
use crate::vision::base::photo;

/// When and how noise is taken out. All is set by hand.
struct Settings {
    /// Standard deviation of a pixel's noise, levels of 255, from which on it is taken out. Films have 0.3
    /// to 3.7 and one up to 6.7, which is read right as it is; one that is dimmed by 2.2 stops has 11.
    noisy: f32,
    /// So many frames are averaged at most. More leave less noise, and need more memory.
    frames: usize,
    /// Side of the squares that rest or move, pixels.
    square_px: u32,
    /// So many standard deviations of their noise may two means of a square that rests differ.
    rests: f32,
    /// How much all is softened, pixels (standard deviation).
    softened: f64,
}

const SETTINGS: Settings = Settings { noisy: 8.0, frames: 4, square_px: 16, rests: 4.0, softened: 0.8 };

/// Every how many rows noise is measured.
const ROWS: usize = 8;
/// The median of absolute values of a normal distribution is this share of its standard deviation.
const MEDIAN_SHARE: f32 = 0.6745;
/// How many times as large the standard deviation of [`difference`] is as that of the noise.
const DIFFERENCE_GAIN: f32 = 6.0;

type Colour = [f32; 3];

/// The last frames of a film in dim light.
#[derive(Default)]
pub(super) struct Steady {
    /// With the means of their squares, row by row, the newest last.
    before: VecDeque<(RgbImage, Vec<Colour>)>,
}

impl Steady {
    /// The next frame of the film with less noise; `None` where it has little.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub(super) fn take(&mut self, frame: &RgbImage) -> Result<Option<RgbImage>, VisionError> {
        let noise = noise(frame);
        if noise < SETTINGS.noisy {
            self.before.clear();
            return Ok(None);
        }
        if self.before.back().is_some_and(|(last, _)| last.dimensions() != frame.dimensions()) {
            self.before.clear();
        }
        let (means, across) = photo::block_means(frame, SETTINGS.square_px);
        let steady = self.averaged(frame, &means, across, noise);
        self.before.push_back((frame.clone(), means));
        if self.before.len() >= SETTINGS.frames {
            self.before.pop_front();
        }
        let softened = photo::softened(&photo::to_mat(&steady)?, SETTINGS.softened)?;
        photo::to_picture(&softened).map(Some)
    }

    /// The frame averaged with those before it wherever nothing moved since, in its own light.
    fn averaged(&self, frame: &RgbImage, means: &[Colour], across: u32, noise: f32) -> RgbImage {
        let apart = SETTINGS.rests * noise * 2.0_f32.sqrt() / SETTINGS.square_px as f32;
        let resting: Vec<(&RgbImage, Colour, Vec<bool>)> = (self.before.iter())
            .map(|(then, were)| {
                let light: Colour = std::array::from_fn(|channel| {
                    let mut shifts: Vec<f32> =
                        means.iter().zip(were).map(|(is, was)| is[channel] - was[channel]).collect();
                    median(&mut shifts)
                });
                let rests = |(is, was): (&Colour, &Colour)| {
                    (0..3).all(|channel| (is[channel] - was[channel] - light[channel]).abs() <= apart)
                };
                let rests: Vec<bool> = means.iter().zip(were).map(rests).collect();
                (then, light, all_round(&rests, across as usize))
            })
            .collect();
        let mut steady = frame.clone();
        for (x, y, pixel) in steady.enumerate_pixels_mut() {
            let square =
                |v: u32, most: u32| (v / SETTINGS.square_px).min((most / SETTINGS.square_px).max(1) - 1);
            let at = (square(y, frame.height()) * across + square(x, frame.width())) as usize;
            let (mut sum, mut count) = (pixel.0.map(f32::from), 1.0);
            for (then, light, _) in resting.iter().filter(|(.., rests)| rests[at]) {
                let was = then.get_pixel(x, y).0;
                (0..3).for_each(|channel| sum[channel] += f32::from(was[channel]) + light[channel]);
                count += 1.0;
            }
            pixel.0 = sum.map(|v| (v / count).round().clamp(0.0, 255.0) as u8);
        }
        steady
    }
}

/// Of squares of which some rest, row by row, whether all round one rest, too: what moves reaches
/// over.
fn all_round(rests: &[bool], across: usize) -> Vec<bool> {
    let down = rests.len() / across.max(1);
    let near = |v: usize, most: usize| v.saturating_sub(1)..(v + 2).min(most);
    let all =
        |at: usize| near(at / across, down).all(|y| near(at % across, across).all(|x| rests[y * across + x]));
    (0..rests.len()).map(all).collect()
}

/// The standard deviation of the noise of a frame's pixels, levels of 255: of what is left where slopes
/// and edges are taken out (Immerkær, Fast Noise Variance Estimation, 1996), by the median, which the
/// prints of tiles don't change.
fn noise(frame: &RgbImage) -> f32 {
    let width = frame.width() as usize;
    let rows: Vec<&[u8]> = frame.as_raw().chunks_exact((3 * width).max(1)).collect();
    // Differences are whole levels: up to 8 times 255.
    let mut counts = vec![0_usize; 8 * 255 + 1];
    for rows in rows.windows(3).step_by(ROWS) {
        for x in 1..width.saturating_sub(1) {
            counts[difference([rows[0], rows[1], rows[2]], x)] += 1;
        }
    }
    let all: usize = counts.iter().sum();
    let mut below = 0;
    let median = counts.iter().position(|count| {
        below += count;
        2 * below >= all
    });
    median.unwrap_or(0) as f32 / MEDIAN_SHARE / DIFFERENCE_GAIN
}

/// By how much the green of a pixel of three rows differs from what its neighbours make of it.
fn difference(rows: [&[u8]; 3], x: usize) -> usize {
    let green = |row: &[u8], x: usize| i32::from(row[3 * x + 1]);
    let along = |row: &[u8]| green(row, x - 1) - 2 * green(row, x) + green(row, x + 1);
    (along(rows[0]) - 2 * along(rows[1]) + along(rows[2])).unsigned_abs() as usize
}

#[cfg(test)]
mod tests {
    use image::{Rgb, imageops};
    use rand::{Rng, SeedableRng};

    use super::*;

    fn print() -> RgbImage {
        RgbImage::from_fn(320, 240, |x, y| Rgb([if (x / 20 + y / 20) % 2 == 0 { 60 } else { 90 }, 70, 50]))
    }

    /// The frame with noise of this standard deviation.
    fn grained(frame: &RgbImage, deviation: f32, seed: u64) -> RgbImage {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
        let mut frame = frame.clone();
        for value in frame.iter_mut() {
            let normal = (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0;
            *value = (f32::from(*value) + deviation * normal).round().clamp(0.0, 255.0) as u8;
        }
        frame
    }

    /// How far a picture is from another, root mean square.
    fn off(a: &RgbImage, b: &RgbImage) -> f32 {
        let sum: f32 = a.iter().zip(b.iter()).map(|(a, b)| (f32::from(*a) - f32::from(*b)).powi(2)).sum();
        (sum / a.len() as f32).sqrt()
    }

    #[test]
    fn noise_is_measured_beside_the_print() {
        assert!(noise(&print()) < 0.5);
        for deviation in [4.0, 8.0, 12.0] {
            let measured = noise(&grained(&print(), deviation, 3));
            assert!((measured / deviation - 1.0).abs() < 0.15, "{measured} for {deviation}");
        }
    }

    #[test]
    fn a_frame_with_little_noise_is_left_as_it_is() {
        let mut steady = Steady::default();
        assert!(steady.take(&grained(&print(), 2.0, 1)).unwrap().is_none());
        assert!(steady.take(&RgbImage::new(1, 1)).unwrap().is_none());
    }

    #[test]
    fn what_rests_is_averaged_and_what_is_new_is_not_mixed_with_what_was_there() {
        let mut steady = Steady::default();
        let mut last = None;
        for seed in 0..4 {
            last = steady.take(&grained(&print(), 10.0, seed)).unwrap();
        }
        let once = Steady::default().take(&grained(&print(), 10.0, 3)).unwrap().unwrap();
        let (often, once) = (off(&last.unwrap(), &print()), off(&once, &print()));
        assert!(often < 0.75 * once && once < 6.0, "{often} for {once}");
        let mut now = print();
        imageops::replace(&mut now, &RgbImage::from_pixel(40, 40, Rgb([110, 120, 30])), 96, 96);
        let seen = steady.take(&grained(&now, 10.0, 9)).unwrap().unwrap();
        let middle = imageops::crop_imm(&seen, 106, 106, 20, 20).to_image();
        let means: Vec<f32> =
            (0..3).map(|c| middle.pixels().map(|p| f32::from(p.0[c])).sum::<f32>() / 400.0).collect();
        let far = means.iter().zip([110.0, 120.0, 30.0]).map(|(is, should)| (is - should).abs());
        assert!(far.fold(0.0, f32::max) < 2.5, "{means:?}");
    }
}
