//! Noise that depends on nothing but its arguments.

/// A number from 0 to 1 for a grid point.
#[inline]
pub(super) fn hash(x: i32, y: i32, seed: u32) -> f32 {
    let mut h = (x as u32).wrapping_mul(0x9E37_79B1)
        ^ (y as u32).wrapping_mul(0x85EB_CA77)
        ^ seed.wrapping_mul(0xC2B2_AE3D);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2C1B_3C6D);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297A_2D39);
    h ^= h >> 15;
    (h >> 8) as f32 / 16_777_216.0
}

/// Smooth noise from -1 to 1 that changes over a distance of about 1.
pub(super) fn value(x: f32, y: f32, seed: u32) -> f32 {
    let (fx, fy) = (x.floor(), y.floor());
    let (ix, iy) = (fx as i32, fy as i32);
    let (u, v) = (smooth(x - fx), smooth(y - fy));
    let top = hash(ix, iy, seed) * (1.0 - u) + hash(ix + 1, iy, seed) * u;
    let bottom = hash(ix, iy + 1, seed) * (1.0 - u) + hash(ix + 1, iy + 1, seed) * u;
    2.0 * (top * (1.0 - v) + bottom * v) - 1.0
}

/// Smooth noise of two sizes, from -1 to 1.
pub(super) fn mottle(x: f32, y: f32, seed: u32) -> f32 {
    0.65 * value(x, y, seed) + 0.35 * value(2.3 * x + 7.1, 2.3 * y - 3.7, seed ^ 0x51)
}

/// Irregular cells about 1 wide: the distance to the border of the cell (0 at
/// the border, about 0.5 in the middle) and a number from 0 to 1 for the cell.
pub(super) fn cells(x: f32, y: f32, seed: u32) -> (f32, f32) {
    let (ix, iy) = (x.floor() as i32, y.floor() as i32);
    let (mut first, mut second, mut id) = (f32::INFINITY, f32::INFINITY, 0.0);
    for cy in iy - 1..=iy + 1 {
        for cx in ix - 1..=ix + 1 {
            let px = cx as f32 + 0.15 + 0.7 * hash(cx, cy, seed);
            let py = cy as f32 + 0.15 + 0.7 * hash(cx, cy, seed ^ 0xA5);
            let d = (px - x).hypot(py - y);
            if d < first {
                second = first;
                first = d;
                id = hash(cx, cy, seed ^ 0x3C);
            } else if d < second {
                second = d;
            }
        }
    }
    ((second - first) / 2.0, id)
}

/// 0 below `from`, 1 above `to`, smooth between.
pub(super) fn step(from: f32, to: f32, x: f32) -> f32 {
    smooth(((x - from) / (to - from)).clamp(0.0, 1.0))
}

fn smooth(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}
