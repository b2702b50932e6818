//! Soft shadows on a few level planes, by sweeping the slices of every thing
//! along the light.

use rayon::prelude::*;

use super::space::{V3, v3};

/// Grid places a tile side.
const SCALE: f32 = 24.0;
/// How many places of the lamp are tried.
const LAMP_SAMPLES: usize = 12;
/// By how much a body's distance may be told too large, tile sides: the folds of a sleeve.
const FOLDS: f32 = 0.05;

/// The slices of one thing: at each height, the grid places that it fills.
#[derive(Default)]
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

    /// Cuts a body, of which the distance to its surface is known, into slices.
    pub fn of_body(low: V3, high: V3, step: f32, distance: impl Fn(V3) -> f32 + Sync) -> Slices {
        let count = (((high.z - low.z) / step).ceil() as usize).clamp(1, 80);
        let layers = (0..count)
            .into_par_iter()
            .map(|k| {
                let z = low.z + (k as f32 + 0.5) * (high.z - low.z) / count as f32;
                let mut places = Vec::new();
                for j in 0..=((high.y - low.y) * SCALE) as i32 {
                    let mut i = 0;
                    while i <= ((high.x - low.x) * SCALE) as i32 {
                        let (x, y) = (low.x + i as f32 / SCALE, low.y + j as f32 / SCALE);
                        let away = distance(v3(x, y, z));
                        if away < 0.0 {
                            places.push((x, y));
                        }
                        // As far as the surface is away nothing is met.
                        i += ((away - FOLDS) * SCALE).max(1.0) as i32;
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

/// From which places of the lamp and of the room each place of a few planes is hidden: a
/// bit a place. Things can be added, not taken away.
#[derive(Clone)]
pub struct Hidden {
    low: (f32, f32),
    width: usize,
    height: usize,
    lamps: Vec<V3>,
    rooms: Vec<V3>,
    /// The height of each plane, and its bits for the lamp and for the room.
    planes: Vec<(f32, [Vec<u16>; 2])>,
}

impl Hidden {
    /// Planes at these heights (rising) over the area from `low` to `high`, with nothing
    /// over them.
    pub fn new(low: (f32, f32), high: (f32, f32), heights: &[f32], lamp: V3, radius: f32) -> Hidden {
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
        let nothing = || vec![0; width * height];
        let planes = heights.iter().map(|z| (*z, [nothing(), nothing()])).collect();
        Hidden { low, width, height, lamps, rooms, planes }
    }

    /// Sweeps the slices of things onto the planes.
    pub fn cast(&mut self, things: &[Slices]) {
        let (low, width, height) = (self.low, self.width, self.height);
        let sources = [&self.lamps, &self.rooms];
        let masks = self.planes.iter_mut().flat_map(|(z, [lamp, room])| [(*z, 0, lamp), (*z, 1, room)]);
        masks.collect::<Vec<_>>().into_par_iter().for_each(|(z, from, mask)| {
            for layer in things.iter().flat_map(|t| &t.layers).filter(|l| l.0 > z + 0.005) {
                for (i, source) in sources[from].iter().enumerate() {
                    let bit = 1 << i;
                    let k = (layer.0 - z) / (source.z - layer.0).max(0.1);
                    for (x, y) in &layer.1 {
                        let px = (x + (x - source.x) * k - low.0) * SCALE;
                        let py = (y + (y - source.y) * k - low.1) * SCALE;
                        if px >= 0.0 && py >= 0.0 {
                            let (i, j) = (px as usize, py as usize);
                            if i + 1 < width && j + 1 < height {
                                let at = j * width + i;
                                mask[at] |= bit;
                                mask[at + 1] |= bit;
                                mask[at + width] |= bit;
                                mask[at + width + 1] |= bit;
                            }
                        }
                    }
                }
            }
        });
    }

    /// The shadows that are cast so far.
    pub fn shadows(&self) -> Shadows {
        let light = |mask: &[u16], of: usize| {
            let light: Vec<f32> =
                mask.iter().map(|m| (of as u32 - m.count_ones()) as f32 / of as f32).collect();
            soften(&light, self.width, self.height)
        };
        let planes = self
            .planes
            .par_iter()
            .map(|(z, [lamp, room])| Plane {
                z: *z,
                lamp: light(lamp, self.lamps.len()),
                room: light(room, self.rooms.len()),
            })
            .collect();
        Shadows { low: self.low, width: self.width, height: self.height, planes }
    }
}

impl Shadows {
    /// The places (in the world, at the heights of the planes) in which another table's
    /// shadows differ; `None` when they are of another area.
    pub fn differences(&self, other: &Shadows) -> Option<Vec<V3>> {
        const VISIBLE: f32 = 0.004;
        let alike = self.low == other.low
            && (self.width, self.height) == (other.width, other.height)
            && self.planes.iter().map(|p| p.z).eq(other.planes.iter().map(|p| p.z));
        if !alike {
            return None;
        }
        let mut places = Vec::new();
        for (a, b) in self.planes.iter().zip(&other.planes) {
            for i in 0..self.width * self.height {
                if (a.lamp[i] - b.lamp[i]).abs() > VISIBLE || (a.room[i] - b.room[i]).abs() > VISIBLE {
                    let x = self.low.0 + (i % self.width) as f32 / SCALE;
                    let y = self.low.1 + (i / self.width) as f32 / SCALE;
                    places.push(v3(x, y, a.z));
                }
            }
        }
        Some(places)
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
