//! Small vectors, distances and noise for the camera. World coordinates are
//! tile sides: x right, y down the board, z up from the table.

use std::ops::{Add, Mul, Neg, Sub};

use super::noise::hash;

/// A vector of three, also used for linear-light colours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct V3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

pub const fn v3(x: f32, y: f32, z: f32) -> V3 {
    V3 { x, y, z }
}

impl V3 {
    #[inline]
    pub fn dot(self, o: V3) -> f32 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline]
    pub fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    #[inline]
    pub fn unit(self) -> V3 {
        self * (1.0 / self.length().max(1e-12))
    }

    /// Product by component.
    #[inline]
    pub fn times(self, o: V3) -> V3 {
        v3(self.x * o.x, self.y * o.y, self.z * o.z)
    }

    #[inline]
    pub fn mix(self, o: V3, t: f32) -> V3 {
        self * (1.0 - t) + o * t
    }
}

impl Add for V3 {
    type Output = V3;
    #[inline]
    fn add(self, o: V3) -> V3 {
        v3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl Sub for V3 {
    type Output = V3;
    #[inline]
    fn sub(self, o: V3) -> V3 {
        v3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl Mul<f32> for V3 {
    type Output = V3;
    #[inline]
    fn mul(self, k: f32) -> V3 {
        v3(self.x * k, self.y * k, self.z * k)
    }
}

impl Neg for V3 {
    type Output = V3;
    #[inline]
    fn neg(self) -> V3 {
        v3(-self.x, -self.y, -self.z)
    }
}

/// An sRGB byte as linear light.
pub fn to_linear(byte: u8) -> f32 {
    let v = f32::from(byte) / 255.0;
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// An sRGB colour as linear light.
pub fn linear(rgb: [u8; 3]) -> V3 {
    v3(to_linear(rgb[0]), to_linear(rgb[1]), to_linear(rgb[2]))
}

/// Linear light, 0 to 1, as an sRGB value, 0 to 1.
pub fn to_srgb(v: f32) -> f32 {
    let v = v.clamp(0.0, 1.0);
    if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

/// Smooth step from 0 at `a` to 1 at `b`.
pub fn smooth(a: f32, b: f32, v: f32) -> f32 {
    let t = ((v - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Value noise, 0 to 1.
#[inline]
pub fn noise(x: f32, y: f32, seed: u32) -> f32 {
    let (fx, fy) = (x.floor(), y.floor());
    let (ix, iy) = (fx as i32, fy as i32);
    let (tx, ty) = (x - fx, y - fy);
    let (sx, sy) = (tx * tx * (3.0 - 2.0 * tx), ty * ty * (3.0 - 2.0 * ty));
    let top = hash(ix, iy, seed) * (1.0 - sx) + hash(ix + 1, iy, seed) * sx;
    let low = hash(ix, iy + 1, seed) * (1.0 - sx) + hash(ix + 1, iy + 1, seed) * sx;
    top * (1.0 - sy) + low * sy
}

/// Noise in octaves, 0 to 1.
pub fn clouds(x: f32, y: f32, octaves: u32, seed: u32) -> f32 {
    let (mut sum, mut weight, mut total, mut scale) = (0.0, 1.0, 0.0, 1.0);
    for octave in 0..octaves {
        sum += weight * noise(x * scale, y * scale, seed.wrapping_add(octave * 101));
        total += weight;
        weight *= 0.5;
        scale *= 2.03;
    }
    sum / total
}

/// The distance to a segment whose radius goes from `ra` at `a` to `rb` at `b`.
#[inline]
pub fn limb(p: V3, a: V3, b: V3, ra: f32, rb: f32) -> f32 {
    let (pa, ba) = (p - a, b - a);
    let t = (pa.dot(ba) / ba.dot(ba).max(1e-9)).clamp(0.0, 1.0);
    (pa - ba * t).length() - (ra + (rb - ra) * t)
}

/// The distance to a box round the origin.
#[inline]
pub fn block(p: V3, half: V3) -> f32 {
    let q = v3(p.x.abs() - half.x, p.y.abs() - half.y, p.z.abs() - half.z);
    let outside = v3(q.x.max(0.0), q.y.max(0.0), q.z.max(0.0)).length();
    outside + q.x.max(q.y).max(q.z).min(0.0)
}

/// The smaller of two distances, with a rounded seam of width `k`.
#[inline]
pub fn blend(a: f32, b: f32, k: f32) -> f32 {
    let h = (0.5 + 0.5 * (b - a) / k).clamp(0.0, 1.0);
    b + (a - b) * h - k * h * (1.0 - h)
}
