//! Pictures in linear light, at several sizes, for looking up from any distance.

use image::{RgbImage, RgbaImage};

use super::space::{V3, to_linear, v3};

/// A colour with the share of it that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Texel {
    pub colour: V3,
    pub alpha: f32,
}

/// A picture in halving sizes; colours are multiplied by alpha.
pub struct Texture {
    levels: Vec<Level>,
}

struct Level {
    width: usize,
    height: usize,
    texels: Vec<[f32; 4]>,
}

impl Texture {
    pub fn rgb(picture: &RgbImage) -> Texture {
        let table = table();
        let texels =
            picture.pixels().map(|p| [table[p[0] as usize], table[p[1] as usize], table[p[2] as usize], 1.0]);
        Texture::of(picture.width() as usize, picture.height() as usize, texels.collect())
    }

    pub fn rgba(picture: &RgbaImage) -> Texture {
        let table = table();
        let texels = picture.pixels().map(|p| {
            let a = f32::from(p[3]) / 255.0;
            [table[p[0] as usize] * a, table[p[1] as usize] * a, table[p[2] as usize] * a, a]
        });
        Texture::of(picture.width() as usize, picture.height() as usize, texels.collect())
    }

    fn of(width: usize, height: usize, texels: Vec<[f32; 4]>) -> Texture {
        let mut levels = vec![Level { width, height, texels }];
        while let Some(last) = levels.last()
            && last.width >= 4
            && last.height >= 4
        {
            let (w, h) = (last.width / 2, last.height / 2);
            let mut half = Vec::with_capacity(w * h);
            for y in 0..h {
                for x in 0..w {
                    let at = 2 * y * last.width + 2 * x;
                    let four = [at, at + 1, at + last.width, at + last.width + 1];
                    let mut sum = [0.0; 4];
                    for i in four {
                        for (s, v) in sum.iter_mut().zip(last.texels[i]) {
                            *s += v / 4.0;
                        }
                    }
                    half.push(sum);
                }
            }
            levels.push(Level { width: w, height: h, texels: half });
        }
        Texture { levels }
    }

    /// Width of the full size, px.
    pub fn width(&self) -> f32 {
        self.levels.first().map_or(1.0, |l| l.width as f32)
    }

    /// Looks up at u, v (0 to 1 over the picture) for a spot `spot` px of the
    /// full size wide.
    #[inline]
    pub fn at(&self, u: f32, v: f32, spot: f32) -> Texel {
        let level = spot.max(1.0).log2().min((self.levels.len() - 1) as f32);
        let low = level as usize;
        let t = level - low as f32;
        let mut four = self.levels[low].at(u, v);
        if t > 0.05
            && let Some(next) = self.levels.get(low + 1)
        {
            let other = next.at(u, v);
            for (a, b) in four.iter_mut().zip(other) {
                *a += (b - *a) * t;
            }
        }
        let k = 1.0 / four[3].max(1e-4);
        Texel { colour: v3(four[0] * k, four[1] * k, four[2] * k), alpha: four[3] }
    }
}

impl Level {
    #[inline]
    fn at(&self, u: f32, v: f32) -> [f32; 4] {
        let x = (u * self.width as f32 - 0.5).clamp(0.0, (self.width - 1) as f32);
        let y = (v * self.height as f32 - 0.5).clamp(0.0, (self.height - 1) as f32);
        let (i, j) = (x as usize, y as usize);
        let (tx, ty) = (x - i as f32, y - j as f32);
        let right = usize::from(i + 1 < self.width);
        let below = if j + 1 < self.height { self.width } else { 0 };
        let at = j * self.width + i;
        let (a, b) = (&self.texels[at], &self.texels[at + right]);
        let (c, d) = (&self.texels[at + below], &self.texels[at + below + right]);
        let mut out = [0.0; 4];
        for k in 0..4 {
            let top = a[k] + (b[k] - a[k]) * tx;
            let low = c[k] + (d[k] - c[k]) * tx;
            out[k] = top + (low - top) * ty;
        }
        out
    }
}

fn table() -> [f32; 256] {
    std::array::from_fn(|i| to_linear(i as u8))
}
