//! Names a tile by its colours where too few tiles tell of the frame's light: lights have a
//! prior, the few tiles that are surely named narrow it, and each reading of a crop is judged in
//! the likeliest light that it would have itself (Bayesian linear regression).

use super::{
    Colour, Lit, Map, PIXELS, Print, Prints, SIDE, Soft, Sure, TERMS, WIDE, corner, keep_behind, squared,
    terms, trust, upright, variance,
};
use crate::vision::base::least_squares::{solve, solve_with_determinant};
use crate::vision::tiles::recogniser::Comparison;

/// What is known of lights before anything is named, and how a crop is judged.
///
/// The moments are those of the lights that were fitted ([`Prints::light`]) in 17 films of decks,
/// walls and lights that no suite shows, all three channels together (`castellan render --unseen
/// --seed 17000000000 --between 100-103` with `--games 30`, `--classic 6` and `--modules 10`; in the
/// others too few tiles were sure). What else stands here was set by hand, before any film of the
/// suite was read with it.
struct Settings {
    /// What a channel of the frame is of a constant and of the print's own channel and its two
    /// others: the mean over lights, and the covariance.
    mean: [f64; 4],
    covariance: [[f64; 4]; 4],
    /// Standard deviation of what it is of products of channels.
    product: f64,
    /// Standard deviation of a pixel's noise, as a share of white.
    noise: f32,
    /// The weight of a pixel's nats, since neighbours are not independent: that of a known light.
    share: f32,
    /// The same of a tile that is surely named: it lies elsewhere, where the light is a little
    /// another.
    share_of_sure: f32,
    /// Rounds in which what a print does not explain is left out.
    rounds: usize,
}

const SETTINGS: Settings = Settings {
    mean: [0.247, 0.928, -0.135, -0.135],
    covariance: [
        [0.0285, 0.0019, -0.0121, -0.0121],
        [0.0019, 0.1862, -0.062, -0.062],
        [-0.0121, -0.062, 0.1113, -0.0393],
        [-0.0121, -0.062, -0.0393, 0.1113],
    ],
    product: 0.05,
    noise: 0.03,
    share: 0.007,
    share_of_sure: 0.001,
    rounds: 4,
};

type Matrix = [[f64; TERMS]; TERMS];

/// What is known of a frame's light while fewer tiles are surely named than a
/// [`Light`](super::Light) takes.
#[derive(Clone, Debug)]
pub struct Belief {
    /// For each channel of the frame the precision of its row of the map, and its mean times that.
    channels: [(Matrix, [f64; TERMS]); 3],
}

impl Belief {
    fn prior() -> Option<Belief> {
        let unit = |i: usize| std::array::from_fn(|j| f64::from(u8::from(i == j)));
        let mut inverse = [[0.0; 4]; 4];
        for (i, column) in inverse.iter_mut().enumerate() {
            *column = solve(SETTINGS.covariance, unit(i))?;
        }
        let of = |channel: usize| {
            // The terms of the polynomial that the moments are of.
            let terms = [0, channel + 1, (channel + 1) % 3 + 1, (channel + 2) % 3 + 1];
            let (mut precision, mut pull) = ([[0.0; TERMS]; TERMS], [0.0; TERMS]);
            for (i, row) in precision.iter_mut().enumerate() {
                row[i] = SETTINGS.product.powi(-2);
            }
            for (&i, row) in terms.iter().zip(&inverse) {
                for ((&j, value), mean) in terms.iter().zip(row).zip(SETTINGS.mean) {
                    precision[i][j] = *value;
                    pull[i] += value * mean;
                }
            }
            (precision, pull)
        };
        Some(Belief { channels: [of(0), of(1), of(2)] })
    }

    /// Takes in how pixels of a print look: (print, frame, weight in nats a squared deviation).
    fn take(&mut self, pairs: impl Iterator<Item = (Colour, Colour, f32)>) {
        // The same for all channels, and symmetric: what is below the diagonal is filled in last.
        let mut told = [[0.0; TERMS]; TERMS];
        for (print, seen, weight) in pairs {
            let (t, weight) = (terms(print), f64::from(weight));
            for (i, ti) in t.iter().enumerate() {
                for (value, tj) in told[i].iter_mut().zip(t).skip(i) {
                    *value += weight * ti * tj;
                }
                for ((_, pull), v) in self.channels.iter_mut().zip(seen) {
                    pull[i] += weight * ti * f64::from(v);
                }
            }
        }
        for (precision, _) in &mut self.channels {
            for (i, row) in precision.iter_mut().enumerate() {
                for (j, value) in row.iter_mut().enumerate() {
                    *value += told[i.min(j)][i.max(j)];
                }
            }
        }
    }

    /// The likeliest light, with half the logarithm of the determinant of its precision and half
    /// its squared mean, measured by it.
    fn likeliest(&self) -> Option<(Map, f64)> {
        let mut rows = [[0.0; TERMS]; 3];
        let mut sum = 0.0;
        for (row, (precision, pull)) in rows.iter_mut().zip(&self.channels) {
            let (mean, determinant) = solve_with_determinant(*precision, *pull)?;
            sum += 0.5 * determinant - 0.5 * mean.iter().zip(pull).map(|(m, p)| m * p).sum::<f64>();
            *row = mean;
        }
        Some((Map(rows), sum))
    }
}

impl Prints {
    /// What the tiles that are surely named tell of the light, however few they are.
    pub fn belief(&self, sure: &[Sure<'_>]) -> Option<Belief> {
        let mut belief = Belief::prior()?;
        for s in sure {
            let Some(print) = self.0.get(s.tile) else { continue };
            let (left, top) = corner(s.shift);
            belief.take(every_third().map(|i| {
                let (x, y) = (i % SIDE, i / SIDE);
                let at = upright(x, y, s.rotation);
                let weight = SETTINGS.share_of_sure * 3.0 * trust(print.contrast[at])
                    / variance(SETTINGS.noise * SETTINGS.noise, print.contrast[at]);
                (print.colours[at], s.crop.0[(y + top) * WIDE + x + left], weight)
            }));
        }
        Some(belief)
    }
}

/// One pixel in three is enough to know a light by.
fn every_third() -> impl Iterator<Item = usize> {
    (0..PIXELS).step_by(3)
}

impl Belief {
    /// What a crop's colours add to what the recogniser says of it, each of its likeliest
    /// readings judged in the light that it would have.
    pub fn judge(&self, prints: &Prints, crop: &Soft, comparison: &Comparison) -> Lit {
        let untold = || Lit { comparison: comparison.clone(), explained: 0.0, doubted: false };
        let order = comparison.likeliest(super::SETTINGS.candidates);
        let (Some(&(likeliest, ..)), Some((plain, before))) = (order.first(), self.likeliest()) else {
            return untold();
        };
        let at = corner(comparison.shift.get(likeliest).copied().unwrap_or_default());
        let mut added = comparison.clone();
        let (mut lowest, mut last, mut best) = (f32::INFINITY, f32::INFINITY, (f32::NEG_INFINITY, 0.0));
        let mut judged = Vec::new();
        for &(tile, turn, score) in &order {
            let Some((nats, explained)) = prints
                .0
                .get(tile)
                .and_then(|print| self.explains(print, turn, &crop.0, at, (&plain, before)))
            else {
                continue;
            };
            let sum = score + nats;
            added.scores[tile][usize::from(turn)] = sum;
            judged.push((tile, turn));
            lowest = lowest.min(sum);
            last = last.min(score);
            if sum > best.0 {
                best = (sum, explained);
            }
        }
        if best.1 <= super::EXPLAINED {
            return untold();
        }
        keep_behind(&mut added, &judged, lowest, last);
        Lit { comparison: added, explained: best.1, doubted: false }
    }

    /// The logarithm of how likely a crop is if it shows a print, over all lights, and which share
    /// of its pixels the print explains in the likeliest.
    fn explains(
        &self,
        print: &Print,
        turn: u8,
        crop: &[Colour],
        (left, top): (usize, usize),
        (plain, before): (&Map, f64),
    ) -> Option<(f32, f32)> {
        let pixels: Vec<(Colour, Colour, f32)> = every_third()
            .map(|i| {
                let (x, y) = (i % SIDE, i / SIDE);
                let at = upright(x, y, turn);
                let weight = 1.0 / variance(SETTINGS.noise * SETTINGS.noise, print.contrast[at]);
                (print.colours[at], crop[(y + top) * WIDE + x + left], weight)
            })
            .collect();
        let share = 3.0 * SETTINGS.share;
        let most = super::SETTINGS.hidden;
        let mut map = plain.clone();
        let mut cost = 0.0;
        for round in 0..SETTINGS.rounds {
            // What no light of the prior explains at first may well be a light further off.
            let reach = 4.0_f32.powi((SETTINGS.rounds - 1 - round) as i32);
            let counted: Vec<(Colour, Colour, f32)> = pixels
                .iter()
                .filter(|(colour, seen, weight)| {
                    squared(*seen, map.of(*colour)) * weight / 2.0 <= most * reach
                })
                .map(|(colour, seen, weight)| (*colour, *seen, share * weight / 3.0))
                .collect();
            let mut belief = self.clone();
            belief.take(counted.iter().copied());
            let after;
            (map, after) = belief.likeliest()?;
            let square = |(_, seen, weight): &(Colour, Colour, f32)| {
                f64::from(*weight) * seen.iter().map(|v| f64::from(v * v)).sum::<f64>()
            };
            let squares: f64 = counted.iter().map(square).sum();
            let hidden = f64::from(share * most) * (pixels.len() - counted.len()) as f64;
            cost = hidden + squares / 2.0 + after - before;
        }
        let explained = pixels.iter().filter(|(colour, seen, weight)| {
            squared(*seen, map.of(*colour)) * weight < super::SETTINGS.explained
        });
        Some((-cost as f32, explained.count() as f32 / pixels.len() as f32))
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::super::tests::{print, seen, undecided};
    use super::*;
    use crate::rules::Cell;
    use crate::vision::base::crop::CELL_PX;

    fn plain(colour: [u8; 3]) -> RgbImage {
        RgbImage::from_pixel(CELL_PX, CELL_PX, Rgb(colour))
    }

    fn posteriors(lit: &Lit) -> Vec<f32> {
        let of = |turns: &[f32; 4]| turns.iter().map(|s| s.exp()).sum::<f32>();
        let all: f32 = lit.comparison.scores.iter().map(of).sum();
        lit.comparison.scores.iter().map(|turns| of(turns) / all).collect()
    }

    #[test]
    fn a_plain_tile_is_named_by_its_colour_though_nothing_tells_of_the_light() {
        let pictures = [plain([170, 40, 40]), plain([40, 150, 150]), plain([60, 40, 160]), print(1)];
        let prints = Prints::new(&pictures);
        let belief = prints.belief(&[]).unwrap();
        for tile in 0..3 {
            let lit = belief.judge(&prints, &Soft::of(&seen(&pictures[tile], 0)), &undecided(4));
            let told = posteriors(&lit);
            assert!(told.iter().all(|other| *other <= told[tile]), "tile {tile}: {told:?}");
            assert!(lit.explained > super::super::EXPLAINED);
        }
    }

    #[test]
    fn one_tile_that_is_surely_named_tells_shades_apart() {
        let pictures = [plain([150, 60, 60]), plain([120, 60, 60]), print(1)];
        let prints = Prints::new(&pictures);
        let known = Soft::of(&seen(&pictures[2], 1));
        let sure = Sure { crop: &known, cell: Cell::new(0, 0), tile: 2, rotation: 1, shift: (0.0, 0.0) };
        let shown = Soft::of(&seen(&pictures[1], 0));
        let told = |sure: &[Sure<'_>]| {
            let belief = prints.belief(sure).unwrap();
            posteriors(&belief.judge(&prints, &shown, &undecided(3)))[1]
        };
        let (before, after) = (told(&[]), told(&[sure]));
        assert!(after > before && after > 0.7, "{before} {after}");
    }

    #[test]
    fn what_no_print_explains_stays_as_it_was() {
        let prints = Prints::new(&[plain([150, 60, 60]), plain([60, 60, 150])]);
        let belief = prints.belief(&[]).unwrap();
        let noise = RgbImage::from_fn(
            crate::vision::base::crop::CROP_PX,
            crate::vision::base::crop::CROP_PX,
            |x, y| {
                let v = (x / 6 * 7 + y / 6 * 13).wrapping_mul(2_654_435_761) >> 24;
                Rgb([v as u8, 255 - v as u8, (v / 2) as u8])
            },
        );
        let said = undecided(2);
        assert_eq!(belief.judge(&prints, &Soft::of(&noise), &said).comparison.scores, said.scores);
    }
}
