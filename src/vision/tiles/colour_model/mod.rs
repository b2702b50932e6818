//! How the deck's prints look in the light of a frame, learned from the tiles
//! that are surely named, and how well each print then explains a crop pixel by
//! pixel.
//!
//! The recogniser leaves out what light can change, colour most of all. Once
//! some tiles are named, the light is known, and colour tells a plain court from
//! a plain tower even where a keep hides most of the tile.

mod own_light;
mod pairwise;
mod re_ranking;

use image::{RgbImage, imageops};

use super::recogniser::Comparison;
use crate::rules::Cell;
use crate::vision::base::crop::{CELL_PX, CROP_PX};
use crate::vision::base::geometry::median;
use crate::vision::base::least_squares::solve;

/// Pictures are compared at this share of their size.
const SHRINK: u32 = 2;
/// Pixels a side of a cell, and of a crop.
const SIDE: usize = (CELL_PX / SHRINK) as usize;
const WIDE: usize = (CROP_PX / SHRINK) as usize;
const PIXELS: usize = SIDE * SIDE;
/// Terms of the polynomial that maps a print's colour to the frame's.
const TERMS: usize = 10;
/// How the light of a frame is fitted, and how a crop is judged in it.
///
/// Nats are those of a [`Comparison`]'s scores. Chosen on 60 rendered boards (`castellan
/// render --boards 60 --unseen --seed 9191`).
struct Settings {
    /// Standard deviations of the blurs that prints and crops get first, pixels. Larger
    /// forgives misplacement and loses detail.
    soft_print: f32,
    soft_crop: f32,
    /// Tiles that must be surely named for the light to be known.
    enough: usize,
    /// Ridge weights that hold the polynomial near the identity: of its constant and linear
    /// terms, and of its squares. Larger extrapolates more safely and fits odd lights less.
    ties: (f64, f64),
    /// Least standard deviation of a pixel's noise, as a share of white.
    noise: f32,
    /// Share of the variance round a pixel of the print that is added to its noise: tiles lie
    /// a little beside where they are sought.
    doubt: f32,
    /// The most that a pixel costs in nats, against occlusion.
    hidden: f32,
    /// Weight of a pixel's nats, since neighbours are not independent.
    share: f32,
    /// Squared deviation, in variances, below which a pixel is explained.
    explained: f32,
    /// Readings of a crop that are judged, the likeliest first.
    candidates: usize,
    /// Of these, how many are laid where they fit best.
    seeking: usize,
    /// How far from where the recogniser saw it a doubtful tile may lie, pixels.
    reach: usize,
    /// Standard deviation of each colour of a whole print that was photographed alone, as a share of its
    /// lightness: exposure, and a gleam of the lamp. Set on the first 70 s of one film of another table
    /// (`docs/games-suite.md`), with 0.05, 0.1 and 0.2. Larger tells less by a print's mean colour.
    exposure: f32,
}

const SETTINGS: Settings = Settings {
    soft_print: 1.0,
    soft_crop: 0.6,
    enough: 4,
    ties: (0.02, 2.0),
    noise: 0.012,
    doubt: 0.5,
    hidden: 2.5,
    share: 0.007,
    explained: 6.0,
    candidates: 24,
    seeking: 4,
    reach: 1,
    exposure: 0.2,
};

/// The most standard deviations by which a print's light may differ: what has another colour altogether, as
/// the bare table has, is not explained by it.
const MOST_EXPOSED: f32 = 2.0;
/// The least lightness, as a share of white, of which a share is taken.
const DARK: f32 = 0.05;

type Colour = [f32; 3];

/// The prints of a deck, made ready.
pub struct Prints(Vec<Print>);

/// An upright print, row by row.
struct Print {
    colours: Vec<Colour>,
    /// The variance round each pixel.
    contrast: Vec<f32>,
}

/// A crop made ready to be laid over prints: small and a little blurred.
#[derive(Clone, Debug, Default)]
pub struct Soft(Vec<Colour>);

impl Soft {
    /// Of a crop of [`CROP_PX`] a side.
    pub fn of(crop: &RgbImage) -> Soft {
        let small = imageops::thumbnail(crop, WIDE as u32, WIDE as u32);
        let blurred = imageops::blur(&small, SETTINGS.soft_crop);
        Soft(blurred.pixels().map(|p| p.0.map(|v| f32::from(v) / 255.0)).collect())
    }
}

/// A tile that is surely named.
#[derive(Clone, Copy, Debug)]
pub struct Sure<'a> {
    /// Its crop.
    pub crop: &'a Soft,
    /// Where it lies.
    pub cell: Cell,
    /// The tile, by its place in the deck.
    pub tile: usize,
    /// Clockwise quarter turns.
    pub rotation: u8,
    /// How far it lies off the crop's middle, in tile sides.
    pub shift: (f32, f32),
}

/// A frame's light: how all prints look in it.
pub struct Light {
    /// Each print's pixels: the colour in the frame, and what a squared deviation of it weighs.
    seen: Vec<Vec<(Colour, f32)>>,
    cast: Cast,
    /// Whether each print's picture may have been taken in a light of its own.
    exposures: bool,
}

/// What a frame's light makes of the colours of prints.
#[derive(Clone, Debug)]
pub struct Cast {
    map: Map,
    /// How lightness changes over the board: log of the factor, and its slopes
    /// to the right and down.
    slope: [f64; 3],
}

impl Cast {
    /// A picture of a print as it would look at a cell.
    pub fn over(&self, picture: &RgbImage, cell: Cell) -> RgbImage {
        let factor = self.factor(cell);
        let mut lit = picture.clone();
        for pixel in lit.pixels_mut() {
            let colour = self.map.of(pixel.0.map(|v| f32::from(v) / 255.0));
            pixel.0 = colour.map(|v| (v * factor * 255.0).round().clamp(0.0, 255.0) as u8);
        }
        lit
    }

    fn factor(&self, cell: Cell) -> f32 {
        place(cell).iter().zip(self.slope).map(|(x, k)| x * k).sum::<f64>().exp() as f32
    }
}

/// Share of a cell's pixels that a print must explain for a tile to lie there: of tiles under
/// followers prints explain 0.7 and more, of a bare table beside the board up to 0.5.
pub const EXPLAINED: f32 = 0.6;

/// What is known of a crop with its colours.
#[derive(Clone, Debug)]
pub struct Lit {
    /// The comparison with what the colours add.
    pub comparison: Comparison,
    /// The share of the cell's pixels that its likeliest reading explains, 0 to 1.
    pub explained: f32,
    /// Whether it was in doubt and its readings were ranked anew.
    pub doubted: bool,
}

/// How a print explains a crop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Judged {
    /// The logarithm of its likelihood, comparable within one crop only.
    nats: f32,
    explained: f32,
}

impl Prints {
    /// Learns upright references of [`CELL_PX`] a side.
    pub fn new(references: &[RgbImage]) -> Prints {
        Prints(references.iter().map(Print::new).collect())
    }

    /// The light in which tiles that are surely named were seen; `None` with
    /// fewer than four.
    pub fn light(&self, sure: &[Sure<'_>]) -> Option<Light> {
        let known: Vec<(&Sure<'_>, &Print)> =
            sure.iter().filter_map(|s| Some((s, self.0.get(s.tile)?))).collect();
        if known.len() < SETTINGS.enough {
            return None;
        }
        let mut pairs = Vec::with_capacity(known.len() * PIXELS);
        for (s, print) in &known {
            let crop = &s.crop.0;
            let (left, top) = corner(s.shift);
            for y in 0..SIDE {
                for x in 0..SIDE {
                    let at = upright(x, y, s.rotation);
                    let trust = trust(print.contrast[at]);
                    pairs.push((print.colours[at], crop[(y + top) * WIDE + x + left], trust));
                }
            }
        }
        let map = Map::fitted(&pairs, SETTINGS.ties)?;
        let mut lightness = Vec::with_capacity(known.len());
        for ((s, _), pairs) in known.iter().zip(pairs.chunks_exact(PIXELS)) {
            let mut factors: Vec<f32> = pairs
                .iter()
                .map(|(print, seen, _)| ((luma(*seen) + 0.03) / (luma(map.of(*print)) + 0.03)).ln())
                .collect();
            lightness.push((s.cell, f64::from(median(&mut factors))));
        }
        let cast = Cast { map, slope: slope(&lightness)? };
        let mut errors: Vec<f32> = known
            .iter()
            .zip(pairs.chunks_exact(PIXELS))
            .flat_map(|((s, _), pairs)| {
                let factor = cast.factor(s.cell);
                pairs.iter().map(move |(print, seen, _)| (*print, *seen, factor))
            })
            .map(|(print, seen, factor)| squared(seen, cast.map.of(print).map(|v| v * factor)))
            .collect();
        let noise = noise(&mut errors);
        let pixel =
            |(colour, contrast): (&Colour, &f32)| (cast.map.of(*colour), 1.0 / variance(noise, *contrast));
        let seen = self.0.iter().map(|p| p.colours.iter().zip(&p.contrast).map(pixel).collect()).collect();
        Some(Light { seen, cast, exposures: false })
    }
}

impl Print {
    fn new(reference: &RgbImage) -> Print {
        let small = imageops::thumbnail(reference, SIDE as u32, SIDE as u32);
        let plain: Vec<Colour> = small.pixels().map(|p| p.0.map(|v| f32::from(v) / 255.0)).collect();
        let reach = |v: usize| v.saturating_sub(2)..(v + 3).min(SIDE);
        let contrast = (0..PIXELS)
            .map(|i| {
                let (mut sum, mut squares, mut n) = ([0.0; 3], 0.0, 0.0);
                for y in reach(i / SIDE) {
                    for x in reach(i % SIDE) {
                        n += 1.0;
                        for (s, v) in sum.iter_mut().zip(plain[y * SIDE + x]) {
                            *s += v;
                            squares += v * v;
                        }
                    }
                }
                (squares / n - sum.iter().map(|s| (s / n) * (s / n)).sum::<f32>()).max(0.0)
            })
            .collect();
        let soft = imageops::blur(&small, SETTINGS.soft_print);
        Print { colours: soft.pixels().map(|p| p.0.map(|v| f32::from(v) / 255.0)).collect(), contrast }
    }
}

impl Light {
    /// The same, where each print's picture may have been taken in a light of its own, as loose photos are.
    #[must_use]
    pub fn of_loose_photos(self) -> Light {
        Light { exposures: true, ..self }
    }

    /// What the light makes of colours.
    pub fn cast(&self) -> &Cast {
        &self.cast
    }

    /// What a crop's colours add to what the recogniser says of it: the
    /// likeliest readings are judged, the others stay behind them.
    pub fn judge(&self, crop: &Soft, cell: Cell, comparison: &Comparison) -> Lit {
        let order = comparison.likeliest(SETTINGS.candidates);
        let Some(&(likeliest, ..)) = order.first() else {
            return Lit { comparison: comparison.clone(), explained: 0.0, doubted: false };
        };
        let near = comparison.shift.get(likeliest).copied().unwrap_or_default();
        let crop = &crop.0;
        let mut added = comparison.clone();
        let mut place = corner(near);
        let (mut lowest, mut last, mut best) = (f32::INFINITY, f32::INFINITY, (f32::NEG_INFINITY, 0.0));
        for (i, &(tile, turn, score)) in order.iter().enumerate() {
            let Some(expected) = self.expected(cell, tile, turn) else { continue };
            let (expected, unlikely) =
                if self.exposures { expected.exposed(crop, place) } else { (expected, 0.0) };
            // All readings are of one tile, which lies in one place.
            let (judged, at) = if i < SETTINGS.seeking {
                expected.sought(crop, place)
            } else {
                (expected.at(crop, place), place)
            };
            let sum = score + judged.nats - unlikely;
            added.scores[tile][usize::from(turn)] = sum;
            lowest = lowest.min(sum);
            last = last.min(score);
            if sum > best.0 {
                best = (sum, judged.explained);
                place = at;
            }
        }
        let judged: Vec<(usize, u8)> = order.iter().map(|(tile, turn, _)| (*tile, *turn)).collect();
        keep_behind(&mut added, &judged, lowest, last);
        Lit { comparison: added, explained: best.1, doubted: false }
    }

    /// How a tile should look at a cell.
    fn expected(&self, cell: Cell, tile: usize, turn: u8) -> Option<Expected> {
        let seen = self.seen.get(tile)?;
        let factor = self.cast.factor(cell);
        let pixel = |i: usize| {
            let (colour, weight) = seen[upright(i % SIDE, i / SIDE, turn)];
            (colour.map(|v| v * factor), weight)
        };
        Some(Expected((0..PIXELS).map(pixel).collect()))
    }
}

/// Readings that were not judged stay behind those that were: as far behind the lowest of them now
/// as they were behind the last of them before.
fn keep_behind(comparison: &mut Comparison, judged: &[(usize, u8)], lowest: f32, last: f32) {
    for (tile, turns) in comparison.scores.iter_mut().enumerate() {
        for (score, turn) in turns.iter_mut().zip(0..4_u8) {
            if !judged.contains(&(tile, turn)) {
                *score = lowest + (*score - last).min(0.0);
            }
        }
    }
}

/// How a tile should look: each pixel's colour and what a squared deviation of
/// it weighs.
struct Expected(Vec<(Colour, f32)>);

impl Expected {
    /// As it looks where its picture was taken in a light of its own, by the median difference of each
    /// colour, and how unlikely such a light is, in nats.
    fn exposed(mut self, crop: &[Colour], (left, top): (usize, usize)) -> (Expected, f32) {
        let mean = self.0.iter().map(|(colour, _)| luma(*colour)).sum::<f32>() / PIXELS as f32;
        let mut unlikely = 0.0;
        let offset: Colour = std::array::from_fn(|c| {
            let differs = |(i, (colour, _)): (usize, &(Colour, f32))| {
                crop[(i / SIDE + top) * WIDE + i % SIDE + left][c] - colour[c]
            };
            let mut all: Vec<f32> = self.0.iter().enumerate().map(differs).collect();
            let deviation = SETTINGS.exposure * mean.max(DARK);
            let offset = median(&mut all).clamp(-MOST_EXPOSED * deviation, MOST_EXPOSED * deviation);
            unlikely += 0.5 * (offset / deviation).powi(2);
            offset
        });
        for (colour, _) in &mut self.0 {
            *colour = std::array::from_fn(|c| colour[c] + offset[c]);
        }
        (self, unlikely)
    }

    /// How it explains a crop where it fits best, near a place, and that place.
    fn sought(&self, crop: &[Colour], near: (usize, usize)) -> (Judged, (usize, usize)) {
        let room = WIDE - SIDE;
        let (mut best, mut place) = (self.at(crop, near), near);
        for _ in 0..3 {
            let (x, y) = place;
            let around = [
                (x.saturating_sub(1), y),
                ((x + 1).min(room), y),
                (x, y.saturating_sub(1)),
                (x, (y + 1).min(room)),
            ];
            for next in around.into_iter().filter(|n| *n != (x, y)) {
                if let Some(judged) = self.better(crop, next, best.nats) {
                    (place, best) = (next, judged);
                }
            }
            if place == (x, y) {
                break;
            }
        }
        (best, place)
    }

    fn at(&self, crop: &[Colour], place: (usize, usize)) -> Judged {
        self.better(crop, place, f32::NEG_INFINITY)
            .unwrap_or(Judged { nats: f32::NEG_INFINITY, explained: 0.0 })
    }

    /// How it explains a crop at a place, if by more than `least` nats. The cost only grows
    /// from row to row, so most places are given up after a few.
    fn better(&self, crop: &[Colour], (left, top): (usize, usize), least: f32) -> Option<Judged> {
        let (mut cost, mut explained) = (0.0, 0_u32);
        for (y, row) in self.0.chunks_exact(SIDE).enumerate() {
            let from = (y + top) * WIDE + left;
            for ((colour, weight), c) in row.iter().zip(&crop[from..from + SIDE]) {
                let deviation = squared(*c, *colour) * weight;
                cost += (deviation / 2.0).min(SETTINGS.hidden);
                explained += u32::from(deviation < SETTINGS.explained);
            }
            if -SETTINGS.share * cost <= least {
                return None;
            }
        }
        let judged = Judged { nats: -SETTINGS.share * cost, explained: explained as f32 / PIXELS as f32 };
        (judged.nats > least).then_some(judged)
    }
}

/// A map from a print's colours to those of a frame.
#[derive(Clone, Debug)]
struct Map([[f64; TERMS]; 3]);

impl Map {
    /// The map that fits most pairs (print, frame, trust); `ties` hold its constant and
    /// linear terms and its squares near the identity.
    fn fitted(pairs: &[(Colour, Colour, f32)], ties: (f64, f64)) -> Option<Map> {
        let ties = |i: usize| if i < 4 { ties.0 } else { ties.1 };
        let mut map = Map(std::array::from_fn(|c| std::array::from_fn(|i| f64::from(u8::from(i == c + 1)))));
        let mut reach: Option<f32> = None;
        for _ in 0..8 {
            let mut a = [[0.0; TERMS]; TERMS];
            let mut b = [[0.0; TERMS]; 3];
            // One pixel in three is enough to know ten numbers by.
            for (print, seen, trust) in pairs.iter().step_by(3) {
                let doubt = reach.map_or(0.0, |r| squared(*seen, map.of(*print)) / r);
                let weight = f64::from(trust / (1.0 + doubt));
                let t = terms(*print);
                for (row, ti) in a.iter_mut().zip(t) {
                    for (value, tj) in row.iter_mut().zip(t) {
                        *value += weight * ti * tj;
                    }
                }
                for (b, v) in b.iter_mut().zip(seen) {
                    for (value, ti) in b.iter_mut().zip(t) {
                        *value += weight * ti * f64::from(*v);
                    }
                }
            }
            for (i, row) in a.iter_mut().enumerate() {
                row[i] += ties(i);
            }
            for (c, b) in b.iter_mut().enumerate() {
                b[c + 1] += ties(c + 1);
            }
            let [red, green, blue] = b;
            map = Map([solve(a, red)?, solve(a, green)?, solve(a, blue)?]);
            let mut errors: Vec<f32> =
                pairs.iter().step_by(7).map(|(print, seen, _)| squared(*seen, map.of(*print))).collect();
            reach = Some((2.0 * median(&mut errors)).max(1e-4));
        }
        Some(map)
    }

    fn of(&self, colour: Colour) -> Colour {
        let t = terms(colour);
        self.0.map(|k| (k.iter().zip(t).map(|(k, t)| k * t).sum::<f64>() as f32).clamp(0.01, 1.2))
    }
}

fn terms(colour: Colour) -> [f64; TERMS] {
    let [r, g, b] = colour.map(f64::from);
    [1.0, r, g, b, r * r, g * g, b * b, r * g, r * b, g * b]
}

/// How lightness, given as logarithms, changes over the board.
fn slope(lightness: &[(Cell, f64)]) -> Option<[f64; 3]> {
    let mut a = [[0.1, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut b = [0.0; 3];
    for (cell, log) in lightness {
        let x = place(*cell);
        for i in 0..3 {
            for j in 0..3 {
                a[i][j] += x[i] * x[j];
            }
            b[i] += x[i] * log;
        }
    }
    solve(a, b)
}

/// One, and a cell's place in steps of five from about the board's middle.
fn place(cell: Cell) -> [f64; 3] {
    [1.0, (f64::from(cell.col) - 5.0) / 5.0, (f64::from(cell.row) - 5.0) / 5.0]
}

/// Where a pixel of a turned print lies in the upright one.
fn upright(x: usize, y: usize, turn: u8) -> usize {
    let last = SIDE - 1;
    let (x, y) = match turn % 4 {
        0 => (x, y),
        1 => (y, last - x),
        2 => (last - x, last - y),
        _ => (last - y, x),
    };
    y * SIDE + x
}

/// The upper left corner, in a crop's pixels, of a cell that lies off the
/// crop's middle by so many tile sides.
fn corner(shift: (f32, f32)) -> (usize, usize) {
    let room = (WIDE - SIDE) as f32;
    let at = |s: f32| (room / 2.0 + s * SIDE as f32).round().clamp(0.0, room) as usize;
    (at(shift.0), at(shift.1))
}

/// The upper left corners near one, see [`Settings::reach`].
fn around((left, top): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    let near = |v: usize| v.saturating_sub(SETTINGS.reach)..=(v + SETTINGS.reach).min(WIDE - SIDE);
    near(top).flat_map(move |y| near(left).map(move |x| (x, y)))
}

/// How far a print's pixel is trusted to tell of the light.
fn trust(contrast: f32) -> f32 {
    1.0 / (1.0 + contrast / 0.003)
}

/// The variance of a pixel by the squared errors of many, robust against outliers.
fn noise(errors: &mut [f32]) -> f32 {
    (1.7 * median(errors)).max(SETTINGS.noise * SETTINGS.noise)
}

/// A pixel's variance: the noise, and more of it where the print has contrast.
fn variance(noise: f32, contrast: f32) -> f32 {
    noise + SETTINGS.doubt * contrast / 3.0
}

fn luma([r, g, b]: Colour) -> f32 {
    (r + g + b) / 3.0
}

/// The mean squared difference of two colours.
fn squared(a: Colour, b: Colour) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>() / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::base::crop::MARGIN_PX;

    /// A print with a plain ground, a band and a corner of other colours.
    pub(super) fn print(seed: u32) -> RgbImage {
        let colour = |k: u32| {
            let v = (seed * 7 + k * 5).wrapping_mul(2_654_435_761);
            [v >> 8, v >> 16, v >> 24].map(|c| 40 + (c % 160) as u8)
        };
        RgbImage::from_fn(CELL_PX, CELL_PX, |x, y| {
            image::Rgb(match (x, y) {
                (24..40, _) => colour(1),
                (_, 0..20) => colour(2),
                _ => colour(3),
            })
        })
    }

    /// The crop of a turned print in warm, dim light.
    pub(super) fn seen(print: &RgbImage, turn: u8) -> RgbImage {
        let turned = crate::vision::base::photo::quarter_turned(print, turn);
        RgbImage::from_fn(CROP_PX, CROP_PX, |x, y| {
            let at = |v: u32| v.saturating_sub(MARGIN_PX).min(CELL_PX - 1);
            let [r, g, b] = turned.get_pixel(at(x), at(y)).0.map(f32::from);
            image::Rgb([r * 0.9 + 8.0, g * 0.7 + 5.0, b * 0.45].map(|v| v as u8))
        })
    }

    pub(super) fn undecided(tiles: usize) -> Comparison {
        Comparison { scores: vec![[0.0; 4]; tiles], ..Comparison::default() }
    }

    /// The first four tiles, each turned once more than the one before, as they are surely named.
    fn first_four(soft: &[Soft]) -> Vec<Sure<'_>> {
        let sure = |i: u8| Sure {
            crop: &soft[usize::from(i)],
            cell: Cell::new(i as i8, 3),
            tile: i.into(),
            rotation: i,
            shift: (0.0, 0.0),
        };
        (0..4).map(sure).collect()
    }

    #[test]
    fn the_light_of_known_tiles_names_one_that_is_half_hidden() {
        let pictures: Vec<RgbImage> = (0..6).map(print).collect();
        let prints = Prints::new(&pictures);
        let crops: Vec<RgbImage> = pictures.iter().zip(0..).map(|(p, i)| seen(p, i % 4)).collect();
        let soft: Vec<Soft> = crops.iter().map(Soft::of).collect();
        let sure = first_four(&soft);
        assert!(prints.light(&sure[..3]).is_none(), "three tiles are too few");
        let light = prints.light(&sure).expect("four tiles tell of the light");
        let mut hidden = crops[5].clone();
        for y in CROP_PX / 2..CROP_PX {
            for x in 0..CROP_PX {
                hidden.put_pixel(x, y, image::Rgb([20, 20, 25]));
            }
        }
        let lit = light.judge(&Soft::of(&hidden), Cell::new(7, 7), &undecided(6));
        let best = lit.comparison.scores.iter().flatten().copied().fold(f32::MIN, f32::max);
        assert_eq!(lit.comparison.scores[5][1], best);
        assert!(lit.comparison.posterior() > 0.5 && (0.3..0.7).contains(&lit.explained), "{lit:?}");
    }

    #[test]
    fn a_print_that_was_photographed_in_a_gleam_explains_a_tile_that_lies_in_none_and_nothing_else() {
        let mut pictures: Vec<RgbImage> = (0..6).map(print).collect();
        let crops: Vec<RgbImage> = pictures.iter().zip(0..).map(|(p, i)| seen(p, i % 4)).collect();
        for pixel in pictures[5].pixels_mut() {
            pixel.0 = pixel.0.map(|v| v.saturating_add(25));
        }
        let prints = Prints::new(&pictures);
        let soft: Vec<Soft> = crops.iter().map(Soft::of).collect();
        let sure = first_four(&soft);
        let light = prints.light(&sure).unwrap();
        let middle = corner((0.0, 0.0));
        let explained = |crop: &Soft, exposed: bool| {
            let expected = light.expected(Cell::new(5, 3), 5, 1).unwrap();
            let (expected, unlikely) =
                if exposed { expected.exposed(&crop.0, middle) } else { (expected, 0.0) };
            (expected.at(&crop.0, middle).explained, unlikely)
        };
        let (before, _) = explained(&soft[5], false);
        let (after, unlikely) = explained(&soft[5], true);
        assert!(before < 0.5 && after > 0.8, "{before} {after}");
        assert!((0.1..8.0).contains(&unlikely), "{unlikely}");
        let white = Soft::of(&RgbImage::from_pixel(CROP_PX, CROP_PX, image::Rgb([250; 3])));
        assert!(explained(&white, true).0 < 0.3, "{:?}", explained(&white, true));
    }

    #[test]
    fn odd_comparisons_are_survived() {
        let pictures: Vec<RgbImage> = (0..4).map(print).collect();
        let prints = Prints::new(&pictures);
        let crop = Soft::of(&seen(&pictures[0], 0));
        let sure: Vec<Sure<'_>> = (0..5)
            .map(|tile| Sure { crop: &crop, cell: Cell::new(0, 0), tile, rotation: 7, shift: (9.0, -9.0) })
            .collect();
        if let Some(light) = prints.light(&sure) {
            for scores in [Vec::new(), vec![[f32::NAN; 4]; 9], vec![[f32::NEG_INFINITY; 4]; 4]] {
                let odd = Comparison { scores, ..Comparison::default() };
                assert!(light.judge(&crop, Cell::new(0, 0), &odd).explained <= 1.0);
            }
        }
    }
}
