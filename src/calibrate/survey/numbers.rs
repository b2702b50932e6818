//! Reads the numbers of track spaces and finds the one way to count round the
//! wall that they bear out.

use std::io::Cursor;
use std::sync::Arc;

use rayon::prelude::*;
use tract_onnx::prelude::*;

use super::band::{PLAIN_SPACES, Rectified, Spaces, on_run};
use crate::rules::Corner;
use crate::vision::base::error::VisionError;

const MODEL: &[u8] = include_bytes!("../../../models/digits/model.onnx");
/// The side of a crop, pixels.
const SIDE: usize = 40;
/// What the network gives: ten tens and none, then ten units.
const LOGITS: usize = 21;
const NO_TENS: usize = 10;
/// How sides of a wall are turned so that their numbers stand upright: as the
/// whole board lies, or as the wall runs.
const SCHEMES: usize = 8;

/// How numbers are read off the spaces.
struct Reads {
    /// How far outside the inner edge the middle of a number is looked for, as a share of
    /// the wall's width.
    depth: f32,
    /// Least and largest side of the crop that the network sees, tile sides; between them it
    /// is that of the space.
    side: (f32, f32),
    /// Added to the deviation of a crop's grey, of 1, before it is brought to one: a blank
    /// space stays blank.
    blank: f32,
    /// Lower bound on the log-likelihood of a space, nats: whatever hides it, it does not
    /// overrule the others.
    worst: f32,
}

const READS: Reads = Reads { depth: 0.54, side: (0.34, 0.62), blank: 0.02, worst: -5.0 };

/// The network (`models/digits`).
pub struct NumberReader {
    plan: Arc<TypedRunnableModel>,
}

/// For a space, by how the board is turned: log posteriors of the tens and units digits.
type Likely = [[f32; LOGITS]; 4];

impl NumberReader {
    /// Gets the network ready.
    ///
    /// # Errors
    /// When tract can't prepare it.
    pub fn new() -> Result<NumberReader, VisionError> {
        let prepared = || {
            tract_onnx::onnx()
                .with_ignore_value_info(true)
                .model_for_read(&mut Cursor::new(MODEL))?
                .with_input_fact(0, f32::fact([1, 1, SIDE, SIDE]).into())?
                .into_optimized()?
                .into_runnable()
        };
        let plan = prepared().map_err(|e: TractError| VisionError::Recogniser(e.to_string()))?;
        Ok(NumberReader { plan })
    }

    /// The log posterior of each digit in a square of the wall, for the four ways to
    /// turn it.
    fn likely(&self, wall: &Rectified, middle: (f32, f32), side: f32) -> Result<Likely, VisionError> {
        let mut all = [[0.0; LOGITS]; 4];
        for (quarters, likely) in all.iter_mut().enumerate() {
            let (c, s) = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][quarters];
            let mut crop = Vec::with_capacity(SIDE * SIDE);
            for j in 0..SIDE {
                for i in 0..SIDE {
                    let u = side * ((i as f32 + 0.5) / SIDE as f32 - 0.5);
                    let v = side * ((j as f32 + 0.5) / SIDE as f32 - 0.5);
                    crop.push(wall.grey(middle.0 + c * u - s * v, middle.1 + s * u + c * v) / 255.0);
                }
            }
            let n = crop.len() as f32;
            let mean = crop.iter().sum::<f32>() / n;
            let deviation = (crop.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / n).sqrt();
            crop.iter_mut().for_each(|v| *v = (*v - mean) / (deviation + READS.blank));
            let failed = |e: TractError| VisionError::Recogniser(e.to_string());
            let input = Tensor::from_shape(&[1, 1, SIDE, SIDE], &crop).map_err(failed)?;
            let output = self.plan.run(tvec!(input.into())).map_err(failed)?;
            let Some(first) = output.first() else { continue };
            let logits = first.to_plain_array_view::<f32>().map_err(failed)?;
            let flat: Vec<f32> = logits.iter().copied().collect();
            let (tens, units) = flat.split_at(flat.len().min(NO_TENS + 1));
            let both = log_softmax(tens).into_iter().chain(log_softmax(units));
            likely.iter_mut().zip(both).for_each(|(l, v)| *l = v);
        }
        Ok(all)
    }
}

fn log_softmax(logits: &[f32]) -> Vec<f32> {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|l| (l - top).exp()).sum();
    logits.iter().map(|l| l - top - sum.ln()).collect()
}

/// A way to count round the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// The corner of the ring where 0 and 1 are.
    pub first: usize,
    /// Whether the numbers grow the way the ring is walked (clockwise).
    pub clockwise: bool,
}

/// What the numbers say.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The spaces of each run, in the ring's order.
    pub spaces: Vec<Spaces>,
    /// The way to count that the numbers bear out best.
    pub counting: Counting,
    /// How much better than any other allowed way, in nats.
    pub margin: f32,
    /// How much better another way is that is not allowed, in nats; negative
    /// when none is.
    pub against: f32,
    /// The plain spaces whose likeliest number is the one that they must have,
    /// and all plain spaces.
    pub agree: (usize, usize),
    /// The plain spaces that read as another number, by their number.
    pub differ: Vec<u8>,
}

/// The numbers of the plain spaces of each run, in the order of the ring's walk.
pub fn numbers(counts: &[usize], counting: Counting) -> Vec<Vec<u8>> {
    let n = counts.len();
    let mut all: Vec<Vec<u8>> = counts.iter().map(|c| Vec::with_capacity(*c)).collect();
    let mut next = 2_u8;
    for k in 0..n {
        let run = run_at(n, counting, k);
        let here = counts[run] as u8;
        all[run] = (0..here).map(|i| next.saturating_add(i)).collect();
        if !counting.clockwise {
            all[run].reverse();
        }
        next = next.saturating_add(here).saturating_add(2);
    }
    all
}

/// The lower number of the tower at each corner of the ring.
pub fn towers(counts: &[usize], counting: Counting) -> Vec<u8> {
    let n = counts.len();
    let mut all = vec![0; n];
    let mut next = 0_u8;
    for k in 0..n {
        let corner = if counting.clockwise { counting.first + k } else { counting.first + n - k } % n;
        all[corner] = next;
        let run = if counting.clockwise { corner } else { (corner + n - 1) % n };
        next = next.saturating_add(2).saturating_add(counts[run] as u8);
    }
    all
}

/// Reads all numbers and weighs every way to count, with every way to part the
/// runs into spaces that comes to 72; `only` keeps to what the owner says, and so do `said`,
/// corners of the ring with the lower number of their tower.
///
/// # Errors
/// [`VisionError::Recogniser`] when the network fails.
pub fn read(
    reader: &NumberReader,
    wall: &Rectified,
    ring: &[Corner],
    options: &[Vec<Spaces>],
    thickness: f32,
    said: &[(usize, u8)],
    only: impl Fn(Counting) -> bool,
) -> Result<Option<Reading>, VisionError> {
    let read: Vec<Vec<Vec<Likely>>> = options
        .par_iter()
        .zip(ring)
        .map(|(options, corner)| {
            let one = |b: &[f32]| {
                let place = on_run(corner, (b[0] + b[1]) / 2.0, READS.depth * thickness);
                let (least, most) = READS.side;
                reader.likely(wall, place, thickness.min(b[1] - b[0]).clamp(least, most))
            };
            options.iter().map(|spaces| spaces.borders.windows(2).map(one).collect()).collect()
        })
        .collect::<Result<_, VisionError>>()?;
    let mut tried: Vec<(f32, Counting, usize, Vec<usize>)> = Vec::new();
    for first in 0..ring.len() {
        for clockwise in [true, false] {
            let counting = Counting { first, clockwise };
            for scheme in 0..SCHEMES {
                if let Some((total, taken)) = counted(&read, ring, options, said, (counting, scheme)) {
                    tried.push((total, counting, scheme, taken));
                }
            }
        }
    }
    let Some((total, counting, scheme, taken)) =
        tried.iter().filter(|t| only(t.1)).max_by(|a, b| a.0.total_cmp(&b.0)).cloned()
    else {
        return Ok(None);
    };
    let best_of = |allowed: bool| {
        let others = tried.iter().filter(|t| t.1 != counting && only(t.1) == allowed);
        others.map(|t| t.0).fold(f32::NEG_INFINITY, f32::max)
    };
    let (other, banned) = (best_of(true), best_of(false));
    let spaces: Vec<Spaces> = options.iter().zip(&taken).filter_map(|(o, i)| o.get(*i).cloned()).collect();
    let counts: Vec<usize> = spaces.iter().map(Spaces::count).collect();
    let mut differ = Vec::new();
    for (run, numbers) in numbers(&counts, counting).iter().enumerate() {
        let turn = turn(&ring[run], scheme);
        for (number, likely) in numbers.iter().zip(&read[run][taken[run]]) {
            if best(&likely[turn]) != *number {
                differ.push(*number);
            }
        }
    }
    differ.sort_unstable();
    let all: usize = counts.iter().sum();
    tracing::debug!(total, other, banned, ?counting, scheme, ?differ, "numbers");
    let agree = (all - differ.len(), all);
    Ok(Some(Reading { spaces, counting, margin: total - other, against: banned - total, agree, differ }))
}

/// How to turn the board, in quarters, for a side's numbers to be upright.
fn turn(corner: &Corner, scheme: usize) -> usize {
    let along = if scheme < 4 { 0 } else { corner.side.index() };
    (scheme + along) % 4
}

/// The likeliest way to part the runs for a way to count: its log-likelihood, and the
/// option of each run in the ring's order. Dynamic programming: walks the runs in the order
/// of counting and keeps the best for every number reached.
fn counted(
    read: &[Vec<Vec<Likely>>],
    ring: &[Corner],
    options: &[Vec<Spaces>],
    said: &[(usize, u8)],
    (counting, scheme): (Counting, usize),
) -> Option<(f32, Vec<usize>)> {
    let n = ring.len();
    let mut states: Vec<Option<(f32, Vec<usize>)>> = vec![None; PLAIN_SPACES + 1];
    states[0] = Some((0.0, Vec::new()));
    let order: Vec<usize> = (0..n).map(|k| run_at(n, counting, k)).collect();
    for (k, &run) in order.iter().enumerate() {
        let mut next: Vec<Option<(f32, Vec<usize>)>> = vec![None; PLAIN_SPACES + 1];
        let turn = turn(&ring[run], scheme);
        let corner = if counting.clockwise { run } else { (run + 1) % n };
        let said = said.iter().find(|(at, _)| *at == corner).map(|(_, number)| usize::from(*number));
        for (sum, state) in states.iter().enumerate() {
            let Some((total, taken)) = state else { continue };
            if said.is_some_and(|said| said != sum + 2 * k) {
                continue;
            }
            let low = sum + 2 * (k + 1);
            for (i, spaces) in options[run].iter().enumerate() {
                let count = spaces.count();
                let Some(place) = next.get_mut(sum + count) else { continue };
                let one = |(at, likely): (usize, &Likely)| {
                    let step = if counting.clockwise { at } else { count - 1 - at };
                    fit(&likely[turn], (low + step) as u8).max(READS.worst)
                };
                let value = total - spaces.cost + read[run][i].iter().enumerate().map(one).sum::<f32>();
                if place.as_ref().is_none_or(|p| p.0 < value) {
                    let mut taken = taken.clone();
                    taken.push(i);
                    *place = Some((value, taken));
                }
            }
        }
        states = next;
    }
    let (total, taken) = states.pop()??;
    let mut by_run = vec![0; n];
    for (run, i) in order.iter().zip(taken) {
        by_run[*run] = i;
    }
    Some((total, by_run))
}

/// The run that is counted as the `k`-th.
const fn run_at(n: usize, counting: Counting, k: usize) -> usize {
    if counting.clockwise { (counting.first + k) % n } else { (counting.first + 2 * n - 1 - k) % n }
}

fn fit(likely: &[f32; LOGITS], number: u8) -> f32 {
    let tens = if number < 10 { NO_TENS } else { usize::from(number / 10) };
    likely[tens.min(NO_TENS)] + likely[NO_TENS + 1 + usize::from(number % 10)]
}

fn best(likely: &[f32; LOGITS]) -> u8 {
    (0..100).max_by(|a, b| fit(likely, *a).total_cmp(&fit(likely, *b))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_goes_once_round_either_way() {
        let counts = [10, 4, 1, 9, 1, 3, 15, 2, 3, 4, 3, 10, 6, 1];
        assert_eq!(counts.iter().sum::<usize>(), 72);
        for first in 0..14 {
            for clockwise in [true, false] {
                let counting = Counting { first, clockwise };
                let (numbers, towers) = (numbers(&counts, counting), towers(&counts, counting));
                let mut all: Vec<u8> = numbers.iter().flatten().copied().collect();
                all.extend(towers.iter().flat_map(|t| [*t, *t + 1]));
                all.sort_unstable();
                assert_eq!(all, (0..100).collect::<Vec<u8>>());
                assert_eq!(towers[first], 0);
                // The first run after the tower 0/1 begins with 2.
                let run = if clockwise { first } else { (first + 13) % 14 };
                let end = if clockwise { numbers[run].first() } else { numbers[run].last() };
                assert_eq!(end, Some(&2));
            }
        }
    }
}
