//! Finds exactly where spaces of the track end: all of their borders look alike.

use super::band::{Rectified, Spaces, on_run};
use crate::rules::Corner;
use crate::vision::base::geometry::median;

/// How finely borders are looked at, tile sides.
const STEP: f32 = 0.005;
/// How far to each side a border is looked at, and how far its middle may lie
/// off the middle of what all have in common; steps.
const BESIDE: usize = 14;
const MIDDLE: usize = 10;
const HALF: usize = BESIDE + MIDDLE;
/// How far from its regular place a border lies at most, of the spacing, and how
/// far from where it was found first, steps.
const SLACK: f32 = 0.2;
const NEAR: f32 = 10.0;
/// Within so many steps the colour changes from one space to the next.
const STEEP: f32 = 4.0;
/// Where across the wall borders are looked at, of its width: beyond what start
/// spaces reach.
const LANES: (f32, f32) = (0.5, 0.72);
/// Lines across that are looked at.
const LINES: usize = 15;
/// Fewer borders are not laid over each other.
const FEW: usize = 8;
/// Rounds of laying them over each other.
const ROUNDS: usize = 4;
/// A border so much more unlike the rest than usual may lie farther from where it
/// was found.
const UNLIKE: f32 = 8.0;
/// A border less like the rest than this may lie elsewhere.
const ALIKE: f32 = 0.85;

/// A border of a run.
struct Border {
    run: usize,
    index: usize,
    /// Its regular place along the run, and how far off it is, steps.
    regular: f32,
    off: f32,
    /// How unlike what is common it is there.
    unlike: f32,
    /// How far off it may be, steps.
    most: usize,
    /// The logarithm of the grey level along the run.
    profile: Vec<f32>,
}

impl Border {
    /// What is seen so many steps beside the regular place. Two spaces of different
    /// colour make a step under the line between them; it is taken out.
    fn window(&self, off: f32) -> Vec<f32> {
        let from = (self.most as f32 + off.round()).clamp(0.0, 2.0 * self.most as f32) as usize;
        let part = &self.profile[from..=from + 2 * HALF];
        let level = |from: usize| part[from..from + BESIDE / 2].iter().sum::<f32>() / (BESIDE / 2) as f32;
        let (left, right) = (level(MIDDLE), level(MIDDLE + 2 * BESIDE + 1 - BESIDE / 2));
        let share = |i: usize| (0.5 + 0.5 * (i as f32 - HALF as f32) / STEEP).clamp(0.0, 1.0);
        part.iter().enumerate().map(|(i, v)| v - left - (right - left) * share(i)).collect()
    }

    /// Moves it to where it is most like what is common.
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

    /// How like it is to what is common, -1 to 1.
    fn likeness(&self, common: &[f32]) -> f32 {
        let window = self.window(self.off);
        let part = |v: &[f32]| v[MIDDLE..=MIDDLE + 2 * BESIDE].to_vec();
        let (a, b) = (part(&window), part(common));
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt().max(1e-9)
    }
}

/// Moves the borders of spaces to where they are. They are laid over each other;
/// and as one side of a border is like the other, its middle is where what is
/// common to all is its own mirror image. The clarity of a run is then how like
/// its borders are to the rest. Returns which borders, by run and within it, are
/// so unlike that they may lie elsewhere.
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
        let most = (SLACK * pitch / STEP).ceil() as usize;
        for index in 1..spaces.count() {
            let regular = begin + index as f32 * pitch;
            let off = ((spaces.borders[index] - regular) / STEP).clamp(-(most as f32), most as f32);
            let reach = (HALF + most) as i32;
            let profile = (-reach..=reach)
                .map(|i| grey(rectified, corner, regular + i as f32 * STEP, thickness))
                .collect();
            all.push(Border { run, index, regular, off, unlike: f32::MAX, most, profile });
        }
    }
    if all.len() < FEW {
        return Vec::new();
    }
    let mut common = common(&all);
    for _ in 0..ROUNDS {
        all.iter_mut().for_each(|b| b.settle(&common, NEAR));
        common = self::common(&all);
    }
    let limit = UNLIKE * median(&mut all.iter().map(|b| b.unlike).collect::<Vec<f32>>());
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
    let unsure = all.iter().filter(|b| b.likeness(&common) < ALIKE).map(|b| (b.run, b.index)).collect();
    let mut likeness = vec![(0.0_f32, 0.0_f32); spaces.len()];
    for border in all {
        spaces[border.run].borders[border.index] = border.regular + (border.off + middle) * STEP;
        let sum = &mut likeness[border.run];
        let likeness = if border.unlike > limit { 0.0 } else { border.likeness(&common) };
        *sum = (sum.0 + likeness, sum.1 + 1.0);
    }
    for (spaces, (sum, count)) in spaces.iter_mut().zip(likeness) {
        spaces.clarity = (count > 0.0).then(|| sum / count);
    }
    unsure
}

/// The logarithm of the usual grey level across the lanes at a place of a run.
fn grey(rectified: &Rectified, corner: &Corner, along: f32, thickness: f32) -> f32 {
    let one = |line: usize| {
        let share = line as f32 / (LINES - 1) as f32;
        let (x, y) = on_run(corner, along, thickness * (LANES.0 + (LANES.1 - LANES.0) * share));
        (rectified.grey(x, y) + 12.0).ln()
    };
    median(&mut (0..LINES).map(one).collect::<Vec<f32>>())
}

fn common(all: &[Border]) -> Vec<f32> {
    let moved: Vec<Vec<f32>> = all.iter().map(|b| b.window(b.off)).collect();
    let at = |i: usize| median(&mut moved.iter().filter_map(|m| m.get(i).copied()).collect::<Vec<f32>>());
    (0..=2 * HALF).map(at).collect()
}

/// Where values are least, between places; `None` when that is at an end.
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
