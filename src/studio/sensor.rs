//! Lens blur, exposure, noise, sharpening and JPEG: from light to a file.

use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::scene::Sensor;
use super::space::{V3, to_srgb, v3};

/// Develops light into a picture.
pub fn develop(light: Vec<V3>, size: (u32, u32), sensor: &Sensor, seed: u64) -> RgbImage {
    let width = size.0 as usize;
    let mut light = toned(light, size, sensor);
    let sigma = sensor.noise / 255.0;
    if sigma > 0.0 {
        light.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            let mut rng = Pcg64Mcg::seed_from_u64(seed ^ (y as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut last = V3::default();
            for v in row {
                *v = *v + grain(&mut rng, &mut last) * sigma * strength(*v);
            }
        });
    }
    sharpen(&mut light, size, sensor.sharpen);
    printed(light.into_iter(), size, sensor.quality)
}

/// What lens, exposure and the sensor's curve make of light, before noise.
pub fn toned(mut light: Vec<V3>, size: (u32, u32), sensor: &Sensor) -> Vec<V3> {
    let (width, height) = (size.0 as usize, size.1 as usize);
    if sensor.blur > 0.05 {
        let taps = gauss(sensor.blur);
        light = spread(&light, width, height, &taps.iter().map(|(d, w)| (*d, 0.0, *w)).collect::<Vec<_>>());
        light = spread(&light, width, height, &taps.iter().map(|(d, w)| (0.0, *d, *w)).collect::<Vec<_>>());
    }
    if sensor.motion.0 > 0.5 {
        let (s, c) = sensor.motion.1.to_radians().sin_cos();
        let n = sensor.motion.0.ceil() as usize + 1;
        let taps: Vec<(f32, f32, f32)> = (0..n)
            .map(|i| {
                let d = (i as f32 / (n - 1).max(1) as f32 - 0.5) * sensor.motion.0;
                (d * c, d * s, 1.0 / n as f32)
            })
            .collect();
        light = spread(&light, width, height, &taps);
    }
    let gain = metered(&light) * sensor.exposure.exp2();
    let balance = v3(sensor.white_balance.0, 1.0, sensor.white_balance.1);
    let centre = (width as f32 / 2.0, height as f32 / 2.0);
    let curve: Vec<f32> = (0..=2048).map(|i| tone(i as f32 / 1024.0)).collect();
    let tone_of = |v: f32| {
        let v = (v.max(0.0) * 1024.0).min(2047.0);
        let i = v as usize;
        curve[i] + (curve[i + 1] - curve[i]) * (v - i as f32)
    };
    light.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, p) in row.iter_mut().enumerate() {
            let r2 = ((x as f32 - centre.0).powi(2) + (y as f32 - centre.1).powi(2))
                / (centre.0 * centre.0 + centre.1 * centre.1);
            let dark = 1.0 - sensor.vignette * r2 * (0.6 + 0.4 * r2);
            let v = p.times(balance) * (gain * dark);
            *p = v3(tone_of(v.x), tone_of(v.y), tone_of(v.z));
        }
    });
    light
}

/// The noise of a pixel, of which a part is that of the pixel before.
fn grain(rng: &mut Pcg64Mcg, last: &mut V3) -> V3 {
    let fresh = v3(bell(rng), bell(rng), bell(rng));
    let grey = bell(rng);
    let grain = fresh * 0.8 + *last * 0.5 + v3(grey, grey, grey) * 0.7;
    *last = fresh;
    grain
}

/// How strong noise is on a colour: dark pixels have more.
fn strength(v: V3) -> f32 {
    0.65 + 0.7 * (1.0 - v.y.clamp(0.02, 1.0))
}

/// Sharpens in place.
pub fn sharpen(light: &mut [V3], size: (u32, u32), by: f32) {
    if by <= 0.0 {
        return;
    }
    let (width, height) = (size.0 as usize, size.1 as usize);
    let taps = gauss(0.9);
    let soft = spread(light, width, height, &taps.iter().map(|(d, w)| (*d, 0.0, *w)).collect::<Vec<_>>());
    let soft = spread(&soft, width, height, &taps.iter().map(|(d, w)| (0.0, *d, *w)).collect::<Vec<_>>());
    for (p, s) in light.iter_mut().zip(soft) {
        *p = *p + (*p - s) * by;
    }
}

/// Noise that is made once and laid over picture after picture, each time elsewhere.
pub struct Grain {
    width: usize,
    height: usize,
    /// Noise of strength 1, sharpened as the picture is.
    field: Vec<V3>,
}

impl Grain {
    /// Noise for pictures of a size that are sharpened.
    pub fn new(size: (u32, u32), sharpened: f32, seed: u64) -> Grain {
        let (width, height) = (size.0 as usize, size.1 as usize);
        let mut field = vec![V3::default(); width * height];
        field.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            let mut rng = Pcg64Mcg::seed_from_u64(seed ^ (y as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut last = V3::default();
            row.iter_mut().for_each(|v| *v = grain(&mut rng, &mut last));
        });
        sharpen(&mut field, size, sharpened);
        Grain { width, height, field }
    }

    /// A picture of toned, sharpened light with noise on it.
    pub fn over(&self, toned: &[V3], sensor: &Sensor, seed: u64) -> RgbImage {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (right, down) = (rng.random_range(0..self.width), rng.random_range(0..self.height));
        let sigma = sensor.noise / 255.0;
        let noisy = toned.iter().enumerate().map(|(i, v)| {
            let (x, y) = ((i % self.width + right) % self.width, (i / self.width + down) % self.height);
            *v + self.field[y * self.width + x] * (sigma * strength(*v))
        });
        printed(noisy, (self.width as u32, self.height as u32), sensor.quality)
    }
}

/// The picture of toned light, row by row, as a file of a quality gives it.
fn printed(toned: impl Iterator<Item = V3>, size: (u32, u32), quality: u8) -> RgbImage {
    let byte = |v: f32| (v * 255.0 + 0.5).clamp(0.0, 255.0) as u8;
    let bytes: Vec<u8> = toned.flat_map(|p| [byte(p.x), byte(p.y), byte(p.z)]).collect();
    compress(RgbImage::from_raw(size.0, size.1, bytes).unwrap_or_default(), quality)
}

/// Through JPEG and back; the picture itself where that fails or is not wanted.
fn compress(picture: RgbImage, quality: u8) -> RgbImage {
    if quality >= 100 {
        return picture;
    }
    let mut bytes = Vec::new();
    if JpegEncoder::new_with_quality(&mut bytes, quality.max(1)).encode_image(&picture).is_err() {
        return picture;
    }
    image::load_from_memory_with_format(&bytes, image::ImageFormat::Jpeg).map_or(picture, |p| p.to_rgb8())
}

/// The gain that makes the bright tenth of the middle of the picture nearly white.
fn metered(light: &[V3]) -> f32 {
    let mut values: Vec<f32> = light.iter().step_by(37).map(|p| 0.3 * p.x + 0.6 * p.y + 0.1 * p.z).collect();
    values.sort_by(f32::total_cmp);
    let mean = values.iter().sum::<f32>() / values.len().max(1) as f32;
    let high = values.get(values.len() * 97 / 100).copied().unwrap_or(1.0);
    (0.24 / mean.max(1e-3)).min(0.95 / high.max(1e-3)).clamp(0.2, 6.0)
}

/// Light to an sRGB value with a shoulder, as cameras do it.
fn tone(v: f32) -> f32 {
    let shouldered = if v < 0.7 { v } else { 0.7 + 0.3 * (1.0 - (-(v - 0.7) / 0.3).exp()) };
    let s = to_srgb(shouldered);
    s + 0.1 * s * (1.0 - s) * (2.0 * s - 1.0)
}

fn gauss(sigma: f32) -> Vec<(f32, f32)> {
    let reach = (2.5 * sigma).ceil() as i32;
    let weight = |d: i32| (-0.5 * (d as f32 / sigma).powi(2)).exp();
    let total: f32 = (-reach..=reach).map(weight).sum();
    (-reach..=reach).map(|d| (d as f32, weight(d) / total)).collect()
}

/// Weighted sum of moved copies: each tap is (right, down, weight), px.
fn spread(light: &[V3], width: usize, height: usize, taps: &[(f32, f32, f32)]) -> Vec<V3> {
    let taps: Vec<(i64, i64, f32)> =
        taps.iter().map(|(x, y, w)| (x.round() as i64, y.round() as i64, *w)).collect();
    let mut out = vec![V3::default(); light.len()];
    out.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (dx, dy, w) in &taps {
            let from = (y as i64 + dy).clamp(0, height as i64 - 1) as usize * width;
            let source = &light[from..from + width];
            for (x, p) in row.iter_mut().enumerate() {
                let at = (x as i64 + dx).clamp(0, width as i64 - 1) as usize;
                *p = *p + source[at] * *w;
            }
        }
    });
    out
}

/// Nearly normal: mean 0, deviation 1.
fn bell(rng: &mut Pcg64Mcg) -> f32 {
    let bits: u64 = rng.random();
    let sum = (0..4).map(|i| (bits >> (16 * i) & 0xffff) as f32).sum::<f32>() / 65_536.0;
    (sum - 2.0) * 1.732
}
