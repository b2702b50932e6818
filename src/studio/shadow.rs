//! Soft shadows on a few level planes, by sweeping the slices of every thing
//! along the light.

use rayon::prelude::*;

use super::space::{V3, v3};

/// Grid places a tile side.
const SCALE: f32 = 24.0;
/// How many places of the lamp are tried.
const LAMP_SAMPLES: usize = 12;

/// The slices of one thing: at each height, the grid places that it fills.
pub struct Slices {
    pub layers: Vec<(f32, Vec<(f32, f32)>)>,
}

impl Slices {
    /// Cuts a thing that fills `inside` within a box into slices.
    pub fn of(low: V3, high: V3, step: f32, inside: impl Fn(V3) -> bool + Sync) -> Slices {
        let count = (((high.z - low.z) / step).ceil() as usize).clamp(1, 80);
        let layers = (0..count)
            .into_par_iter()
            .map(|k| {
                let z = low.z + (k as f32 + 0.5) * (high.z - low.z) / count as f32;
                let mut places = Vec::new();
                for j in 0..=((high.y - low.y) * SCALE) as i32 {
                    for i in 0..=((high.x - low.x) * SCALE) as i32 {
                        let (x, y) = (low.x + i as f32 / SCALE, low.y + j as f32 / SCALE);
                        if inside(v3(x, y, z)) {
                            places.push((x, y));
                        }
                    }
                }
                (z, places)
            })
            .collect();
        Slices { layers }
    }
}

/// How much of the lamp and of the room's light reaches each place of a plane.
struct Plane {
    z: f32,
    lamp: Vec<f32>,
    room: Vec<f32>,
}

/// The shadows of a scene.
pub struct Shadows {
    low: (f32, f32),
    width: usize,
    height: usize,
    planes: Vec<Plane>,
}

impl Shadows {
    /// Sweeps all slices onto planes at these heights (rising) over the area
    /// from `low` to `high`.
    pub fn new(
        low: (f32, f32),
        high: (f32, f32),
        heights: &[f32],
        things: &[Slices],
        lamp: V3,
        radius: f32,
    ) -> Shadows {
        let width = ((high.0 - low.0) * SCALE) as usize + 1;
        let height = ((high.1 - low.1) * SCALE) as usize + 1;
        let middle = v3((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0, 0.0);
        let to_lamp = (lamp - middle).unit();
        let across = v3(to_lamp.y, -to_lamp.x, 0.0).unit();
        let across = if across.length() < 0.5 { v3(1.0, 0.0, 0.0) } else { across };
        let third = v3(
            to_lamp.y * across.z - to_lamp.z * across.y,
            to_lamp.z * across.x - to_lamp.x * across.z,
            to_lamp.x * across.y - to_lamp.y * across.x,
        );
        let lamps: Vec<V3> = (0..LAMP_SAMPLES)
            .map(|i| {
                let r = radius * ((i as f32 + 0.5) / LAMP_SAMPLES as f32).sqrt();
                let (s, c) = (i as f32 * 2.399_963).sin_cos();
                lamp + across * (r * c) + third * (r * s)
            })
            .collect();
        let far = 1e4;
        let rooms: Vec<V3> = (0..12)
            .map(|i| {
                let (s, c) = (i as f32 * 2.399_963 + 0.3).sin_cos();
                let tan = [0.35, 0.8, 1.6][i % 3];
                v3(c * tan * far, s * tan * far, far)
            })
            .collect();
        let sweep = |from: &[V3], z: f32| -> Vec<f32> {
            let masks: Vec<Vec<u8>> = from
                .par_iter()
                .map(|source| {
                    let mut mask = vec![0_u8; width * height];
                    for layer in things.iter().flat_map(|t| &t.layers).filter(|l| l.0 > z + 0.005) {
                        let k = (layer.0 - z) / (source.z - layer.0).max(0.1);
                        for (x, y) in &layer.1 {
                            let px = (x + (x - source.x) * k - low.0) * SCALE;
                            let py = (y + (y - source.y) * k - low.1) * SCALE;
                            if px >= 0.0 && py >= 0.0 {
                                let (i, j) = (px as usize, py as usize);
                                if i + 1 < width && j + 1 < height {
                                    let at = j * width + i;
                                    mask[at] = 1;
                                    mask[at + 1] = 1;
                                    mask[at + width] = 1;
                                    mask[at + width + 1] = 1;
                                }
                            }
                        }
                    }
                    mask
                })
                .collect();
            let mut light = vec![0.0; width * height];
            for mask in &masks {
                for (l, m) in light.iter_mut().zip(mask) {
                    *l += f32::from(1 - *m);
                }
            }
            for l in &mut light {
                *l /= from.len() as f32;
            }
            soften(&light, width, height)
        };
        let planes =
            heights.iter().map(|&z| Plane { z, lamp: sweep(&lamps, z), room: sweep(&rooms, z) }).collect();
        Shadows { low, width, height, planes }
    }

    /// The shares of the lamp's and the room's light at a place.
    #[inline]
    pub fn at(&self, p: V3) -> (f32, f32) {
        let x = (p.x - self.low.0) * SCALE;
        let y = (p.y - self.low.1) * SCALE;
        if x < 0.0 || y < 0.0 || x >= (self.width - 1) as f32 || y >= (self.height - 1) as f32 {
            return (1.0, 1.0);
        }
        let Some(plane) =
            self.planes.iter().rev().find(|l| l.z <= p.z + 0.012).or_else(|| self.planes.first())
        else {
            return (1.0, 1.0);
        };
        let (i, j) = (x as usize, y as usize);
        let (tx, ty) = (x - i as f32, y - j as f32);
        let at = j * self.width + i;
        let mix = |v: &[f32]| {
            let top = v[at] * (1.0 - tx) + v[at + 1] * tx;
            let low = v[at + self.width] * (1.0 - tx) + v[at + self.width + 1] * tx;
            top * (1.0 - ty) + low * ty
        };
        (mix(&plane.lamp), mix(&plane.room))
    }
}

/// A box blur of three by three.
fn soften(light: &[f32], width: usize, height: usize) -> Vec<f32> {
    let mut rows = light.to_vec();
    for j in 0..height {
        for i in 1..width.saturating_sub(1) {
            let at = j * width + i;
            rows[at] = (light[at - 1] + light[at] + light[at + 1]) / 3.0;
        }
    }
    let mut out = rows.clone();
    for j in 1..height.saturating_sub(1) {
        for i in 0..width {
            let at = j * width + i;
            out[at] = (rows[at - width] + rows[at] + rows[at + width]) / 3.0;
        }
    }
    out
}
