//! Ranks the readings of a doubtful crop anew: every likely one is judged pixel by pixel,
//! and figures, shadows and a light of the tile's own are allowed for.

use super::{Colour, Expected, Light, Lit, PIXELS, SIDE, Soft, WIDE, around, corner};
use crate::rules::Cell;
use crate::vision::base::colour::{distance, lab_of_linear, linear, shades};
use crate::vision::tiles::recogniser::Comparison;

/// What re-ranking allows for, and what each allowance costs.
///
/// Costs are in nats, as the scores of a [`Comparison`] are. The values lie near the
/// greatest likelihood of the true readings on 481 doubtful cells of rendered boards
/// (`models/recogniser/README.md`, which names the seeds).
struct Settings {
    /// Readings, the likeliest first, that have a say in where the tile lies. More take
    /// longer.
    seeking: usize,
    /// A reading so many nats behind the likeliest is not judged anew. Larger takes longer
    /// and forgives the recogniser more.
    hopeless: f32,
    /// A reading so many nats behind the best of the first round gets no light of its own.
    /// Larger takes longer.
    behind: f32,
    /// Factors on a tile's light that are tried beside 1.
    gains: [f32; 4],
    /// The cost of a gain, times its squared natural logarithm. Smaller lets a dark print
    /// pass for a bright one in shade.
    odd_gain: f32,
    /// Shares of white over a tile (glare, haze) that are tried beside 0.
    veils: [f32; 3],
    /// The cost of a veil of share 1. Smaller lets a pale print pass for another under glare.
    odd_veil: f32,
    /// The darkest shadow, as a share of the light.
    darkest: f32,
    /// The cost of a pixel in shadow. Smaller lets dark print pass for shadow.
    shadow: f32,
    /// The most that a pixel costs, against occlusion.
    hidden: f32,
    /// The distance ([`distance`]) from a figure's colour at which a pixel may cost 63 % of
    /// the most. Larger leaves more print out with the figures.
    of_figure: f32,
    /// The most that a pixel of a block costs on average: neighbours err together.
    block_hidden: f32,
    /// The weight of a pixel's cost, since neighbours are not independent.
    share: f32,
    /// What is added to that weight, times the share of the cell that figures hide: less is
    /// left to tell by, and it counts more.
    share_veiled: f32,
    /// The largest share of a cell that figures hide; more is print of their colour.
    most_veiled: f32,
    /// The weight of the recogniser's nats.
    trust: f32,
}

const SETTINGS: Settings = Settings {
    seeking: 24,
    hopeless: 12.0,
    behind: 8.0,
    gains: [0.72, 0.85, 1.17, 1.37],
    odd_gain: 15.0,
    veils: [0.1, 0.2, 0.35],
    odd_veil: 8.0,
    darkest: 0.5,
    shadow: 0.6,
    hidden: 3.0,
    of_figure: 18.0,
    block_hidden: 2.2,
    share: 0.012,
    share_veiled: 0.08,
    most_veiled: 0.4,
    trust: 1.3,
};

/// Pixels a side of a block, and blocks a side of a cell.
const BLOCK: usize = 4;
const BLOCKS: usize = SIDE / BLOCK;

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

impl Light {
    /// Judges all likely readings of a crop anew. `colours` are the players' figures',
    /// sRGB.
    pub fn re_ranked(&self, crop: &Soft, cell: Cell, comparison: &Comparison, colours: &[[u8; 3]]) -> Lit {
        let order = comparison.likeliest(usize::MAX);
        let Some(&(likeliest, _, highest)) = order.first() else {
            return Lit { comparison: comparison.clone(), explained: 0.0, doubted: true };
        };
        let near = corner(comparison.shift.get(likeliest).copied().unwrap_or_default());
        let view = self.view(&crop.0, cell, near, colours);
        let hopeful = order.iter().take_while(|(.., score)| *score > highest - SETTINGS.hopeless);
        let readings: Vec<(usize, u8, f32, Expected)> = hopeful
            .filter_map(|&(tile, turn, score)| {
                Some((tile, turn, SETTINGS.trust * (score - highest), self.expected(cell, tile, turn)?))
            })
            .collect();
        let place = view.place(&readings, near);
        let plain: Vec<f32> =
            readings.iter().map(|(.., score, print)| score + view.nats(print, place, PLAIN)).collect();
        let best = plain.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut added = comparison.clone();
        added.scores.iter_mut().flatten().for_each(|s| *s = SETTINGS.trust * (*s - highest) + best);
        let gains = SETTINGS.gains.map(|gain| ((gain, 0.0), SETTINGS.odd_gain * gain.ln().powi(2)));
        let veils = SETTINGS.veils.map(|veil| ((1.0 - veil, veil), SETTINGS.odd_veil * veil));
        let tones: Vec<(Tone, f32)> = gains.into_iter().chain(veils).collect();
        let mut chosen = (f32::NEG_INFINITY, 0.0);
        for ((tile, turn, score, print), plain) in readings.iter().zip(plain) {
            let lit = tones
                .iter()
                .filter(|_| plain > best - SETTINGS.behind)
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
            (-(nearest / SETTINGS.of_figure).powi(2)).exp()
        };
        let like: Vec<f32> = crop.iter().map(like).collect();
        let rows = like.chunks_exact(WIDE).skip(top).take(SIDE);
        let veiled = rows.flat_map(|row| &row[left..left + SIDE]).sum::<f32>() / PIXELS as f32;
        let veiled = veiled.min(SETTINGS.most_veiled);
        View {
            crop,
            most: like.iter().map(|like| SETTINGS.hidden * (1.0 - like)).collect(),
            share: SETTINGS.share + SETTINGS.share_veiled * veiled,
        }
    }
}

impl View<'_> {
    /// Where the tile lies: where one of the likeliest readings fits best.
    fn place(&self, readings: &[(usize, u8, f32, Expected)], near: (usize, usize)) -> (usize, usize) {
        let mut best = (f32::NEG_INFINITY, near);
        for (.., score, print) in readings.iter().take(SETTINGS.seeking) {
            for place in around(near) {
                if let Some(sum) = self.above(print, place, PLAIN, (*score, best.0)) {
                    best = (sum, place);
                }
            }
        }
        best.1
    }

    /// Log-likelihood of the crop given this reference at this offset, gain and veil; the
    /// cost of a pixel is capped against occlusion.
    fn nats(&self, print: &Expected, place: (usize, usize), tone: Tone) -> f32 {
        self.above(print, place, tone, (0.0, f32::NEG_INFINITY)).unwrap_or(f32::NEG_INFINITY)
    }

    /// The log-likelihood plus a score, if that is more than `least`. The cost only grows
    /// from block to block, so most places are given up after a few.
    fn above(
        &self,
        print: &Expected,
        (left, top): (usize, usize),
        (gain, veil): Tone,
        (score, least): (f32, f32),
    ) -> Option<f32> {
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
            cost += blocks.iter().map(|b| b.min(SETTINGS.block_hidden * (BLOCK * BLOCK) as f32)).sum::<f32>();
            if score - self.share * cost <= least {
                return None;
            }
        }
        Some(score - self.share * cost).filter(|sum| *sum > least)
    }
}

/// What a pixel costs, in nats, in the light or in a shadow.
fn pixel(expected: Colour, weight: f32, seen: Colour) -> f32 {
    let dot = |a: Colour, b: Colour| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (across, along, whole) = (dot(seen, seen), dot(seen, expected), dot(expected, expected).max(1e-6));
    // The cost of the squared distance from the expected colour times `dim`.
    let off = |dim: f32| (across - 2.0 * dim * along + dim * dim * whole).max(0.0) * weight / 6.0;
    off(1.0).min(off((along / whole).clamp(SETTINGS.darkest, 1.0)) + SETTINGS.shadow)
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
    fn light(prints: &Prints, pictures: &[RgbImage]) -> Light {
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
        [light.judge(&crop, cell, &none), light.re_ranked(&crop, cell, &none, colours)]
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
        assert!(closer.comparison.posterior() > 0.9, "{}", closer.comparison.posterior());
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
            let lit = light.re_ranked(&crop, Cell::new(0, 0), &odd, &[[0; 3], [255; 3]]);
            assert!((0.0..=1.0).contains(&lit.explained));
        }
    }
}
