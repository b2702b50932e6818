//! Finds exactly where spaces of the track end: all of their borders look alike.

use super::band::{Rectified, Spaces, on_run};
use crate::rules::Corner;
use crate::vision::base::geometry::median;

/// Half the width of what is compared of a border, steps.
const BESIDE: usize = 14;
/// How far the middle of a border may lie off the middle of what all have in common, steps.
const MIDDLE: usize = 10;
/// Half the width of a window, steps.
const HALF: usize = BESIDE + MIDDLE;

/// How the grey level along a run is measured.
struct Lines {
    /// Step along the run, tile sides.
    step: f32,
    /// Where across the wall the first and the last line lie, as shares of the wall's
    /// width: beyond what start spaces reach.
    lanes: (f32, f32),
    /// Lines whose median is taken: print does not cross most of them.
    count: usize,
    /// Added to a grey level before its logarithm is taken, of 255: what darkness hides.
    dark: f32,
    /// Width of the ramp from one space's colour to the next's that is taken out of a
    /// window, steps each way.
    ramp: f32,
}

const LINES: Lines = Lines { step: 0.005, lanes: (0.5, 0.72), count: 15, dark: 12.0, ramp: 4.0 };

/// How borders are laid over each other.
struct Laying {
    /// Fewest borders that are.
    fewest: usize,
    /// Rounds.
    rounds: usize,
    /// How far a border may move in a round, steps.
    near: f32,
    /// Largest distance of a border from its regular place, as a share of the spacing.
    slack: f32,
    /// Deviation from what all have in common, as a multiple of the median, above which a
    /// border is looked for farther away.
    unlike: f32,
    /// Normalised correlation with what all have in common below which a border is told to be
    /// in doubt: it may lie elsewhere.
    alike: f32,
}

const LAYING: Laying = Laying { fewest: 8, rounds: 4, near: 10.0, slack: 0.2, unlike: 8.0, alike: 0.85 };

/// A border of a run.
struct Border {
    run: usize,
    index: usize,
    /// Its regular place along the run, and how far off it is, steps.
    regular: f32,
    off: f32,
    /// Sum of the squared differences from what all have in common, there.
    unlike: f32,
    /// How far off it may be, steps.
    most: usize,
    /// The logarithm of the grey level along the run.
    profile: Vec<f32>,
}

impl Border {
    /// The profile round a place `off` steps beside the regular one. Two spaces of different
    /// colour make a step under the line between them; it is subtracted.
    fn window(&self, off: f32) -> Vec<f32> {
        let from = (self.most as f32 + off.round()).clamp(0.0, 2.0 * self.most as f32) as usize;
        let part = &self.profile[from..=from + 2 * HALF];
        let level = |from: usize| part[from..from + BESIDE / 2].iter().sum::<f32>() / (BESIDE / 2) as f32;
        let (left, right) = (level(MIDDLE), level(MIDDLE + 2 * BESIDE + 1 - BESIDE / 2));
        let share = |i: usize| (0.5 + 0.5 * (i as f32 - HALF as f32) / LINES.ramp).clamp(0.0, 1.0);
        part.iter().enumerate().map(|(i, v)| v - left - (right - left) * share(i)).collect()
    }

    /// Moves it to where it differs least from what all have in common.
    fn settle(&mut self, common: &[f32], reach: f32) {
        let most = self.most as f32;
        let from = (self.off - reach).round().clamp(-most, most);
        let count = ((self.off + reach).round().clamp(-most, most) - from) as usize;
        let cost = |k: usize| -> f32 {
            let window = self.window(from + k as f32);
            let pairs = window.iter().zip(common).skip(MIDDLE).take(2 * BESIDE + 1);
            pairs.map(|(a, b)| (a - b).powi(2)).sum()
        };
        let costs: Vec<f32> = (0..=count).map(cost).collect();
        if let Some(at) = least(&costs) {
            self.off = from + at;
            self.unlike = costs.iter().copied().fold(f32::MAX, f32::min);
        }
    }

    /// Normalised correlation with what all have in common, -1 to 1.
    fn likeness(&self, common: &[f32]) -> f32 {
        let window = self.window(self.off);
        let part = |v: &[f32]| v[MIDDLE..=MIDDLE + 2 * BESIDE].to_vec();
        let (a, b) = (part(&window), part(common));
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt().max(1e-9)
    }
}

/// Moves the borders of spaces to where they are. All are aligned with their common
/// profile, the median; since a border looks alike from both sides, its middle is where
/// that profile is symmetric. The clarity of a run becomes the mean correlation of its
/// borders with the common profile. Returns the borders, by run and within it, that
/// correlate so little that they may lie elsewhere.
pub fn sharpen(
    rectified: &Rectified,
    ring: &[Corner],
    spaces: &mut [Spaces],
    thickness: f32,
) -> Vec<(usize, usize)> {
    let mut all: Vec<Border> = Vec::new();
    for (run, (corner, spaces)) in ring.iter().zip(spaces.iter()).enumerate() {
        let (Some(begin), Some(end)) = (spaces.borders.first(), spaces.borders.last()) else { continue };
        let pitch = (end - begin) / spaces.count().max(1) as f32;
        let most = (LAYING.slack * pitch / LINES.step).ceil() as usize;
        for index in 1..spaces.count() {
            let regular = begin + index as f32 * pitch;
            let off = ((spaces.borders[index] - regular) / LINES.step).clamp(-(most as f32), most as f32);
            let reach = (HALF + most) as i32;
            let profile = (-reach..=reach)
                .map(|i| grey(rectified, corner, regular + i as f32 * LINES.step, thickness))
                .collect();
            all.push(Border { run, index, regular, off, unlike: f32::MAX, most, profile });
        }
    }
    if all.len() < LAYING.fewest {
        return Vec::new();
    }
    let mut common = common(&all);
    for _ in 0..LAYING.rounds {
        all.iter_mut().for_each(|b| b.settle(&common, LAYING.near));
        common = self::common(&all);
    }
    let limit = LAYING.unlike * median(&mut all.iter().map(|b| b.unlike).collect::<Vec<f32>>());
    for border in all.iter_mut().filter(|b| b.unlike > limit) {
        let near = border.off;
        border.settle(&common, 2.0 * border.most as f32);
        if border.unlike > limit {
            border.off = near;
        }
    }
    let mirrored = |middle: usize| -> f32 {
        (1..=BESIDE).map(|i| (common[middle + i] - common[middle - i]).powi(2)).sum()
    };
    let costs: Vec<f32> = (0..=2 * MIDDLE).map(|m| mirrored(BESIDE + m)).collect();
    let middle = least(&costs).unwrap_or(MIDDLE as f32) - MIDDLE as f32;
    tracing::debug!(?common, middle, "borders");
    let unsure =
        all.iter().filter(|b| b.likeness(&common) < LAYING.alike).map(|b| (b.run, b.index)).collect();
    let mut likeness = vec![(0.0_f32, 0.0_f32); spaces.len()];
    for border in all {
        spaces[border.run].borders[border.index] = border.regular + (border.off + middle) * LINES.step;
        let sum = &mut likeness[border.run];
        let likeness = if border.unlike > limit { 0.0 } else { border.likeness(&common) };
        *sum = (sum.0 + likeness, sum.1 + 1.0);
    }
    for (spaces, (sum, count)) in spaces.iter_mut().zip(likeness) {
        spaces.clarity = (count > 0.0).then(|| sum / count);
    }
    unsure
}

/// The logarithm of the median grey level across the lanes at a place of a run.
fn grey(rectified: &Rectified, corner: &Corner, along: f32, thickness: f32) -> f32 {
    let (first, last) = LINES.lanes;
    let one = |line: usize| {
        let share = line as f32 / (LINES.count - 1) as f32;
        let (x, y) = on_run(corner, along, thickness * (first + (last - first) * share));
        (rectified.grey(x, y) + LINES.dark).ln()
    };
    median(&mut (0..LINES.count).map(one).collect::<Vec<f32>>())
}

fn common(all: &[Border]) -> Vec<f32> {
    let moved: Vec<Vec<f32>> = all.iter().map(|b| b.window(b.off)).collect();
    let at = |i: usize| median(&mut moved.iter().filter_map(|m| m.get(i).copied()).collect::<Vec<f32>>());
    (0..=2 * HALF).map(at).collect()
}

/// The minimum of values to a fraction of a place, by a parabola; `None` when it is at an
/// end.
fn least(values: &[f32]) -> Option<f32> {
    let at = (0..values.len()).min_by(|a, b| values[*a].total_cmp(&values[*b]))?;
    let (before, after) = (values.get(at.checked_sub(1)?)?, values.get(at + 1)?);
    let bend = before - 2.0 * values[at] + after;
    Some(at as f32 + if bend > 1e-9 { 0.5 * (before - after) / bend } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    #[test]
    fn borders_are_found_between_spaces_of_any_colour() {
        let corner =
            crate::library::wall("house").unwrap().ring().into_iter().find(|c| c.length > 5).unwrap();
        let truth = [0.0, 0.52, 0.97, 1.55, 2.02, 2.49, 3.04, 3.51, 4.01, 4.53, 5.0];
        let (px, origin) = (100.0, (100.0, 100.0));
        let picture = RgbImage::from_fn(1400, 1400, |i, j| {
            let (x, y) = ((i as f32 + 0.5 - origin.0) / px, (j as f32 + 0.5 - origin.1) / px);
            let (begin, one) = (on_run(&corner, 0.0, 0.0), on_run(&corner, 1.0, 0.0));
            let along = (x - begin.0) * (one.0 - begin.0) + (y - begin.1) * (one.1 - begin.1);
            let space = truth.iter().take_while(|t| **t < along).count();
            let line = truth.iter().any(|t| (t - along).abs() < 0.018);
            Rgb([if line { 50 } else { [150, 190, 120][space % 3] }; 3])
        });
        let rectified = Rectified { picture, px, origin };
        let found = |k: usize| truth[k] + [0.0, 0.02, -0.02, 0.01][k % 4] * f32::from(k > 0 && k < 10);
        let first = Spaces { borders: (0..=10).map(found).collect(), clarity: None, cost: 0.0 };
        let mut spaces = [first.clone(), first];
        assert_eq!(sharpen(&rectified, &[corner, corner], &mut spaces, 0.55), []);
        for (a, b) in spaces[0].borders.iter().zip(truth) {
            assert!((a - b).abs() < 0.006, "{a} {b}");
        }
        assert!(spaces[0].clarity.unwrap() > 0.9);
    }
}
