//! A closer look at a crop of which colours leave doubt: every reading is judged,
//! and figures, shadows and a light of the tile's own are allowed for.

use super::{Colour, Expected, Light, Lit, PIXELS, SIDE, Soft, WIDE, around, corner};
use crate::rules::Cell;
use crate::vision::base::colour::{distance, lab_of_linear, linear, shades};
use crate::vision::tiles::recogniser::Comparison;

/// Readings that seek the tile's place, the likeliest first.
const SEEKING: usize = 24;
/// A reading so many nats behind the likeliest is not judged.
const HOPELESS: f32 = 12.0;
/// One so many nats behind the best that was judged is not lit by itself.
const BEHIND: f32 = 8.0;
/// How much lighter or darker a tile may be than its neighbours tell, and what the
/// square of that (in natural logarithms) costs in nats.
const GAINS: [f32; 4] = [0.72, 0.85, 1.17, 1.37];
const ODD_GAIN: f32 = 15.0;
/// How much white may lie over a tile (glare, haze), as a share, and what that costs in nats
/// for a whole.
const VEILS: [f32; 3] = [0.1, 0.2, 0.35];
const ODD_VEIL: f32 = 8.0;
/// The darkest shadow, as a share of the light, and what a pixel in one costs.
const DARKEST: f32 = 0.5;
const SHADOW: f32 = 0.6;
/// A pixel's cost is at most so many nats, and nothing where it has a figure's
/// colour: within about this distance (CIE76).
const HIDDEN: f32 = 3.0;
const OF_FIGURE: f32 = 18.0;
/// Neighbours err together: pixels a side of a block, the most that a pixel of it
/// costs on average, and what its nats count for; for more where figures hide the
/// rest.
const BLOCK: usize = 4;
const BLOCKS: usize = SIDE / BLOCK;
const BLOCK_HIDDEN: f32 = 2.2;
const SHARE: f32 = 0.012;
const SHARE_VEILED: f32 = 0.08;
/// The most of a cell that figures hide; more is print of their colour.
const MOST_VEILED: f32 = 0.4;
/// What the recogniser's nats count for.
const TRUST: f32 = 1.3;

/// What a light of its own makes of a tile's colours: a factor, and what is added.
type Tone = (f32, f32);
const PLAIN: Tone = (1.0, 0.0);

/// What of a crop's pixels tells of the print.
struct View<'a> {
    crop: &'a [Colour],
    /// The most that each pixel costs.
    most: Vec<f32>,
    /// What a nat of a pixel counts for.
    share: f32,
}

impl Light<'_> {
    /// Judges all readings of a crop anew. `colours` are the players' figures',
    /// sRGB.
    pub fn closer(&self, crop: &Soft, cell: Cell, comparison: &Comparison, colours: &[[u8; 3]]) -> Lit {
        let order = comparison.likeliest(usize::MAX);
        let Some(&(likeliest, _, highest)) = order.first() else {
            return Lit { comparison: comparison.clone(), explained: 0.0, doubted: true };
        };
        let near = corner(comparison.shift.get(likeliest).copied().unwrap_or_default());
        let view = self.view(&crop.0, cell, near, colours);
        let hopeful = order.iter().take_while(|(.., score)| *score > highest - HOPELESS);
        let readings: Vec<(usize, u8, f32, Expected)> = hopeful
            .filter_map(|&(tile, turn, score)| {
                Some((tile, turn, TRUST * (score - highest), self.expected(cell, tile, turn)?))
            })
            .collect();
        let place = view.place(&readings, near);
        let plain: Vec<f32> =
            readings.iter().map(|(.., score, print)| score + view.nats(print, place, PLAIN)).collect();
        let best = plain.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut added = comparison.clone();
        added.scores.iter_mut().flatten().for_each(|s| *s = TRUST * (*s - highest) + best);
        let gains = GAINS.map(|gain| ((gain, 0.0), ODD_GAIN * gain.ln().powi(2)));
        let veils = VEILS.map(|veil| ((1.0 - veil, veil), ODD_VEIL * veil));
        let tones: Vec<(Tone, f32)> = gains.into_iter().chain(veils).collect();
        let mut chosen = (f32::NEG_INFINITY, 0.0);
        for ((tile, turn, score, print), plain) in readings.iter().zip(plain) {
            let lit = tones
                .iter()
                .filter(|_| plain > best - BEHIND)
                .map(|(tone, cost)| score + view.nats(print, place, *tone) - cost);
            let sum = lit.fold(plain, f32::max);
            added.scores[*tile][usize::from(*turn)] = sum;
            if sum > chosen.0 {
                chosen = (sum, print.at(&crop.0, place).explained);
            }
        }
        Lit { comparison: added, explained: chosen.1, doubted: true }
    }

    fn view<'a>(
        &self,
        crop: &'a [Colour],
        cell: Cell,
        (left, top): (usize, usize),
        colours: &[[u8; 3]],
    ) -> View<'a> {
        const GREY: f32 = 0.6;
        let factor = self.cast.factor(cell);
        let light = self.cast.map.of([GREY; 3]).map(|v| linear(v * factor) / linear(GREY));
        let shades: Vec<[f32; 3]> = colours.iter().flat_map(|c| shades(*c, light)).collect();
        let like = |colour: &Colour| {
            let lab = lab_of_linear(colour.map(linear));
            let nearest = shades.iter().map(|s| distance(lab, *s)).fold(f32::INFINITY, f32::min);
            (-(nearest / OF_FIGURE).powi(2)).exp()
        };
        let like: Vec<f32> = crop.iter().map(like).collect();
        let rows = like.chunks_exact(WIDE).skip(top).take(SIDE);
        let veiled = rows.flat_map(|row| &row[left..left + SIDE]).sum::<f32>() / PIXELS as f32;
        let veiled = veiled.min(MOST_VEILED);
        View {
            crop,
            most: like.iter().map(|like| HIDDEN * (1.0 - like)).collect(),
            share: SHARE + SHARE_VEILED * veiled,
        }
    }
}

impl View<'_> {
    /// Where the tile lies: where one of the likeliest readings fits best.
    fn place(&self, readings: &[(usize, u8, f32, Expected)], near: (usize, usize)) -> (usize, usize) {
        let mut best = (f32::NEG_INFINITY, near);
        for (.., score, print) in readings.iter().take(SEEKING) {
            for place in around(near) {
                let sum = score + self.nats(print, place, PLAIN);
                if sum > best.0 {
                    best = (sum, place);
                }
            }
        }
        best.1
    }

    /// The logarithm of a print's likelihood at a place, in a light of its own.
    fn nats(&self, print: &Expected, (left, top): (usize, usize), (gain, veil): Tone) -> f32 {
        let mut cost = 0.0;
        for (by, rows) in print.0.chunks_exact(SIDE * BLOCK).enumerate() {
            let mut blocks = [0.0_f32; BLOCKS];
            for (y, row) in rows.chunks_exact(SIDE).enumerate() {
                let from = (by * BLOCK + y + top) * WIDE + left;
                let seen = self.crop[from..from + SIDE].chunks_exact(BLOCK);
                let most = self.most[from..from + SIDE].chunks_exact(BLOCK);
                for (((block, row), seen), most) in
                    blocks.iter_mut().zip(row.chunks_exact(BLOCK)).zip(seen).zip(most)
                {
                    for (((colour, weight), seen), most) in row.iter().zip(seen).zip(most) {
                        *block += pixel(colour.map(|v| v * gain + veil), *weight, *seen).min(*most);
                    }
                }
            }
            cost += blocks.iter().map(|b| b.min(BLOCK_HIDDEN * (BLOCK * BLOCK) as f32)).sum::<f32>();
        }
        -self.share * cost
    }
}

/// What a pixel costs, in nats, in the light or in a shadow.
fn pixel(expected: Colour, weight: f32, seen: Colour) -> f32 {
    let dot = |a: Colour, b: Colour| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (across, along, whole) = (dot(seen, seen), dot(seen, expected), dot(expected, expected).max(1e-6));
    // The squared distance from the expected colour, dimmed by so much.
    let off = |dim: f32| (across - 2.0 * dim * along + dim * dim * whole).max(0.0) * weight / 6.0;
    off(1.0).min(off((along / whole).clamp(DARKEST, 1.0)) + SHADOW)
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::super::tests::{print, seen, undecided};
    use super::*;
    use crate::vision::base::crop::CROP_PX;
    use crate::vision::tiles::colour_model::{Prints, Sure};

    const PURPLE: [u8; 3] = [120, 20, 160];

    /// A print of two colours, the second on its right half.
    fn halves(left: [u8; 3], right: [u8; 3]) -> RgbImage {
        RgbImage::from_fn(64, 64, |x, _| Rgb(if x < 32 { left } else { right }))
    }

    /// The light of the first four prints, which are surely named.
    fn light<'a>(prints: &'a Prints, pictures: &[RgbImage]) -> Light<'a> {
        let known: Vec<Soft> = pictures.iter().take(4).map(|p| Soft::of(&seen(p, 0))).collect();
        let sure: Vec<Sure<'_>> = known
            .iter()
            .zip(0..)
            .map(|(crop, tile)| Sure { crop, cell: Cell::new(3, 3), tile, rotation: 0, shift: (0.0, 0.0) })
            .collect();
        prints.light(&sure).expect("four tiles tell of the light")
    }

    /// What the first and the closer look make of a crop.
    fn looked(pictures: &[RgbImage], crop: &RgbImage, colours: &[[u8; 3]]) -> [Lit; 2] {
        let prints = Prints::new(pictures);
        let light = light(&prints, pictures);
        let (crop, cell, none) = (Soft::of(crop), Cell::new(7, 7), undecided(pictures.len()));
        [light.judge(&crop, cell, &none), light.closer(&crop, cell, &none, colours)]
    }

    fn best(lit: &Lit) -> Option<(usize, u8)> {
        lit.comparison.best()
    }

    #[test]
    fn a_figure_is_not_taken_for_print_of_its_colour() {
        let mut pictures: Vec<RgbImage> = (0..4).map(print).collect();
        pictures.push(halves([200, 180, 60], [60, 160, 70]));
        pictures.push(halves([200, 180, 60], PURPLE));
        let mut crop = seen(&pictures[4], 0);
        let figure = *seen(&RgbImage::from_pixel(64, 64, Rgb(PURPLE)), 0).get_pixel(40, 40);
        for y in 0..CROP_PX {
            for x in 44..CROP_PX {
                // A strip of the true print shows beside it.
                if y > 20 {
                    crop.put_pixel(x, y, figure);
                }
            }
        }
        let [first, closer] = looked(&pictures, &crop, &[PURPLE]);
        assert_eq!(best(&first), Some((5, 0)), "the figure's colour misleads the first look");
        assert_eq!(best(&closer), Some((4, 0)));
    }

    #[test]
    fn a_shadow_is_not_taken_for_dark_print() {
        let mut pictures: Vec<RgbImage> = (0..4).map(print).collect();
        pictures.push(halves([190, 170, 60], [60, 150, 190]));
        pictures.push(halves([70, 62, 22], [22, 55, 70]));
        let mut crop = seen(&pictures[4], 0);
        for (_, y, pixel) in crop.enumerate_pixels_mut() {
            if y > 24 {
                pixel.0 = pixel.0.map(|v| (f32::from(v) * 0.5) as u8);
            }
        }
        let [_, closer] = looked(&pictures, &crop, &[]);
        assert_eq!(best(&closer), Some((4, 0)));
        assert!(closer.comparison.share() > 0.9, "{}", closer.comparison.share());
    }

    #[test]
    fn odd_comparisons_are_survived() {
        let pictures: Vec<RgbImage> = (0..4).map(print).collect();
        let prints = Prints::new(&pictures);
        let light = light(&prints, &pictures);
        let crop = Soft::of(&seen(&pictures[0], 0));
        for scores in [Vec::new(), vec![[f32::NAN; 4]; 9], vec![[f32::NEG_INFINITY; 4]; 4], vec![[0.0; 4]; 9]]
        {
            let odd = Comparison { scores, shift: vec![(9.0, -9.0); 9], ..Comparison::default() };
            let lit = light.closer(&crop, Cell::new(0, 0), &odd, &[[0; 3], [255; 3]]);
            assert!((0.0..=1.0).contains(&lit.explained));
        }
    }
}
