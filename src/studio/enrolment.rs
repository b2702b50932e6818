//! Pictures as an owner's enrolment and survey would give them: the same print,
//! another light, another lens, another raster.

use image::{RgbImage, RgbaImage};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::scene::StandingWall;

/// The side of a scanned reference picture, px.
const SCAN_PX: u32 = 128;

/// A scan of an upright tile: cut to its edges within 1.5 % of a side, turned
/// by up to 0.6 degrees, a little soft, with the scanner's own colours.
pub fn scan(picture: &RgbImage, seed: u64) -> RgbImage {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let colours = Colours::random(&mut rng);
    let turn = rng.random_range(-0.6_f32..0.6).to_radians();
    let shift = (rng.random_range(-0.015..0.015), rng.random_range(-0.015..0.015));
    let grow = rng.random_range(0.985..1.0);
    let (s, c) = turn.sin_cos();
    let (w, h) = (picture.width() as f32, picture.height() as f32);
    let soft = rng.random_range(0.5..1.1) * w / SCAN_PX as f32;
    RgbImage::from_fn(SCAN_PX, SCAN_PX, |x, y| {
        let u = ((x as f32 + 0.5) / SCAN_PX as f32 - 0.5) * grow;
        let v = ((y as f32 + 0.5) / SCAN_PX as f32 - 0.5) * grow;
        let px = (c * u - s * v + 0.5 + shift.0) * w;
        let py = (s * u + c * v + 0.5 + shift.1) * h;
        let taps = [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.0, 0.0)];
        let mut sum = [0.0; 3];
        for (dx, dy) in taps {
            let xi = (px + dx * soft).clamp(0.0, w - 1.0) as u32;
            let yi = (py + dy * soft).clamp(0.0, h - 1.0) as u32;
            for (s, p) in sum.iter_mut().zip(picture.get_pixel(xi, yi).0) {
                *s += f32::from(p) / taps.len() as f32;
            }
        }
        image::Rgb(colours.of(sum, (u, v)))
    })
}

/// The wall's picture as a survey gives it: rectified at a scale of its own,
/// with another light on it.
pub fn survey_picture(standing: &StandingWall, seed: u64) -> StandingWall {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let colours = Colours::random(&mut rng);
    let px_per_tile: f32 = rng.random_range(56.0..76.0);
    let k = px_per_tile / standing.px_per_tile;
    let (w, h) = standing.picture.dimensions();
    let size = ((w as f32 * k) as u32, (h as f32 * k) as u32);
    let wave = (rng.random_range(0.0..6.0_f32), rng.random_range(0.0..6.0_f32));
    let picture = RgbaImage::from_fn(size.0, size.1, |x, y| {
        let (u, v) = (x as f32 / size.0 as f32, y as f32 / size.1 as f32);
        let warp = |t: f32, phase: f32| 0.012 * standing.px_per_tile * (t * 7.0 + phase).sin();
        let px = (x as f32 + 0.5) / k + warp(v, wave.0);
        let py = (y as f32 + 0.5) / k + warp(u, wave.1);
        let mut sum = [0.0; 3];
        let mut there = 0.0;
        for (dx, dy) in [(-0.4, -0.4), (0.4, -0.4), (-0.4, 0.4), (0.4, 0.4)] {
            let xi = (px + dx / k).clamp(0.0, w as f32 - 1.0) as u32;
            let yi = (py + dy / k).clamp(0.0, h as f32 - 1.0) as u32;
            let p = standing.picture.get_pixel(xi, yi).0;
            if p[3] > 127 {
                there += 1.0;
                for (s, p) in sum.iter_mut().zip(p) {
                    *s += f32::from(p);
                }
            }
        }
        if there < 2.0 {
            return image::Rgba([0, 0, 0, 0]);
        }
        let [r, g, b] = colours.of(sum.map(|s| s / there), (u - 0.5, v - 0.5));
        image::Rgba([r, g, b, 255])
    });
    StandingWall {
        wall: standing.wall.clone(),
        picture,
        px_per_tile,
        origin_px: (standing.origin_px.0 * k, standing.origin_px.1 * k),
        height: standing.height,
    }
}

/// Gains, gamma and a slope of the light.
struct Colours {
    gain: [f32; 3],
    gamma: f32,
    lift: f32,
    slope: (f32, f32),
}

impl Colours {
    fn random(rng: &mut Pcg64Mcg) -> Colours {
        let whole = rng.random_range(0.88..1.06);
        Colours {
            gain: std::array::from_fn(|_| whole * rng.random_range(0.96..1.04)),
            gamma: rng.random_range(0.88..1.14),
            lift: rng.random_range(0.0..10.0),
            slope: (rng.random_range(-0.06..0.06), rng.random_range(-0.06..0.06)),
        }
    }

    fn of(&self, rgb: [f32; 3], at: (f32, f32)) -> [u8; 3] {
        let light = 1.0 + self.slope.0 * at.0 * 2.0 + self.slope.1 * at.1 * 2.0;
        std::array::from_fn(|i| {
            let v = (rgb[i] / 255.0).powf(self.gamma) * self.gain[i] * light * 255.0;
            (self.lift + v * (1.0 - self.lift / 255.0)).clamp(0.0, 255.0) as u8
        })
    }
}
