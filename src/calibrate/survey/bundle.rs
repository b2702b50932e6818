//! Fits the camera to all sides of a wall at once.
//!
//! What is printed on a wall runs along all of its sides alike: every stretch of
//! it shows the same lines across. So the stretches are laid over each other, and
//! the camera is the one that brings them together while the sides lie on whole
//! tile sides. How far the lines lie from the inner edge is one unknown more, the
//! same all round: no line need be told from the edge.

use image::RgbImage;
use rayon::prelude::*;

use super::edges::Sampler;
use super::lattice_fit::Fit;
use crate::vision::base::camera::{PARAMETERS, Pose};
use crate::vision::base::geometry::median;
use crate::vision::base::least_squares::solve;

/// The camera and the common inset.
const UNKNOWNS: usize = PARAMETERS + 1;
/// Which stretches of a wall's sides are looked at. Lengths are tile sides.
struct Stretches {
    /// The length of a stretch, and the shortest that is looked at.
    length: f32,
    shortest: f32,
    /// What towers cover of a side: beyond the wall's width at a corner that juts into the
    /// interior, and at another.
    towers: (f32, f32),
    /// What is looked at inside of the wall and beyond its width.
    beside: f32,
    /// What is so near the wall's edges is not print.
    edge: f32,
    /// The fewest for a fit.
    fewest: usize,
}

const STRETCHES: Stretches =
    Stretches { length: 0.3, shortest: 0.12, towers: (0.08, 0.16), beside: 0.1, edge: 0.025, fewest: 20 };

/// How the lines of stretches are laid over each other, and what a place counts for.
struct Laying {
    /// How far lines are blurred, as a share of the reach of a round: wider brings together
    /// what lies farther apart, and less exactly.
    blur: f32,
    /// The least and the most step across, tile sides.
    steps: (f32, f32),
    /// Added to a colour before its logarithm is taken, of 255: what darkness hides.
    dark: f32,
    /// Least deviation of a change of that logarithm.
    still: f32,
    /// Upper bound on the squared distance of a change from the common one, variances:
    /// against occlusion.
    far: f32,
    /// How exactly a place is seen at best, pixels.
    sharp: f64,
    /// Deviations beyond which a sighting does not count.
    limit: f64,
    /// How far the inset may be from none, as a deviation, tile sides.
    inset_spread: f64,
    /// Rounds of a least-squares fit.
    rounds: usize,
}

const LAYING: Laying = Laying {
    blur: 0.3,
    steps: (0.002, 0.02),
    dark: 12.0,
    still: 0.004,
    far: 9.0,
    sharp: 0.15,
    limit: 4.0,
    inset_spread: 0.05,
    rounds: 12,
};

/// How finely stretches are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Care {
    /// Lines that are averaged over a stretch.
    lines: usize,
    /// The step across, pixels.
    step_px: f32,
    /// How far stretches are moved to lie over each other, tile sides, by round.
    reach: &'static [f32],
    /// Factor on the variance of what is near the wall's edges and beyond them.
    beyond: f32,
}

/// Quickly, from far off, by all that is seen.
pub const ROUGH: Care =
    Care { lines: 6, step_px: 1.0, reach: &[0.15, 0.12, 0.08, 0.06, 0.04, 0.04], beyond: 1.0 };
/// Quickly, from far off, by what is printed. A wall whose faces are as dark as
/// its top looks as wide and lies elsewhere by its edges.
pub const PRINT: Care = Care { beyond: 100.0, ..ROUGH };
/// As exactly as the photo allows, from near.
pub const FINE: Care =
    Care { lines: 16, step_px: 0.5, reach: &[0.05, 0.05, 0.04, 0.03, 0.03, 0.02], beyond: 1.0 };

/// A stretch of a side between its towers.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    side: usize,
    from: (f32, f32),
    to: (f32, f32),
    out: (f32, f32),
}

impl Stretch {
    /// A place of it, `t` of its length from its beginning and `d` tile sides
    /// out of the interior.
    fn at(&self, t: f32, d: f32) -> (f32, f32) {
        (
            self.from.0 + t * (self.to.0 - self.from.0) + d * self.out.0,
            self.from.1 + t * (self.to.1 - self.from.1) + d * self.out.1,
        )
    }
}

fn stretches(fit: &Fit, thickness: f32) -> Vec<Stretch> {
    let ring = fit.ring();
    let juts = |(x, y): (f32, f32)| {
        ring.iter().any(|c| !c.convex && (f32::from(c.x) - x).hypot(f32::from(c.y) - y) < 0.5)
    };
    let covered = |at| if juts(at) { thickness + STRETCHES.towers.0 } else { STRETCHES.towers.1 };
    let mut all = Vec::new();
    for side in 0..fit.corners.len() {
        let (a, b) = fit.ends(side);
        let length = (b.0 - a.0).abs() + (b.1 - a.1).abs();
        let (begin, end) = (covered(a), length - covered(b));
        if end - begin < STRETCHES.shortest {
            continue;
        }
        let at = |t: f32| (a.0 + (b.0 - a.0) * t / length, a.1 + (b.1 - a.1) * t / length);
        let count = ((end - begin) / STRETCHES.length).round().max(1.0);
        let step = (end - begin) / count;
        for i in 0..count as usize {
            let from = begin + i as f32 * step;
            all.push(Stretch { side, from: at(from), to: at(from + step), out: fit.outwards(side) });
        }
    }
    all
}

/// How the logarithm of the colour changes outwards, at each step.
type Profile = Vec<[f32; 3]>;

/// The depths at which profiles are taken, tile sides out of the interior.
#[derive(Clone, Copy, Debug)]
struct Depths {
    low: f32,
    step: f32,
    count: usize,
}

impl Depths {
    fn at(&self, i: usize) -> f32 {
        self.low + i as f32 * self.step
    }
}

/// The profile of a stretch; changes are between the means of `wide` steps to
/// either side.
fn profile(
    sampler: &Sampler,
    pose: &Pose,
    s: &Stretch,
    depths: Depths,
    (lines, wide): (usize, usize),
) -> Option<Profile> {
    let mut means: Vec<[f32; 3]> = Vec::with_capacity(depths.count + 2 * wide);
    for i in 0..depths.count + 2 * wide {
        let d = depths.at(i) - wide as f32 * depths.step;
        let mut sum = [0.0; 3];
        for line in 0..lines {
            let (x, y) = s.at((line as f32 + 0.5) / lines as f32, d);
            let colour = sampler.at(pose.project(x, y, 0.0))?;
            sum.iter_mut().zip(colour).for_each(|(s, c)| *s += c / lines as f32);
        }
        means.push(sum.map(|v| (v + LAYING.dark).ln()));
    }
    let mean = |part: &[[f32; 3]], k: usize| part.iter().map(|m| m[k]).sum::<f32>() / wide as f32;
    let change = |w: &[[f32; 3]]| std::array::from_fn(|k| mean(&w[wide + 1..], k) - mean(&w[..wide], k));
    Some(means.windows(2 * wide + 1).map(change).collect())
}

/// What all stretches have in common: at each depth the change, and its variance.
struct Common {
    change: Profile,
    variance: Profile,
}

impl Common {
    /// Outside of `print`, variances are `beyond` times as large.
    fn of(profiles: &[(Stretch, Profile)], depths: Depths, print: (f32, f32), beyond: f32) -> Common {
        let mut common =
            Common { change: Vec::with_capacity(depths.count), variance: Vec::with_capacity(depths.count) };
        for i in 0..depths.count {
            let (mut change, mut variance) = ([0.0; 3], [0.0; 3]);
            for k in 0..3 {
                let mut values: Vec<f32> = profiles.iter().filter_map(|p| Some(p.1.get(i)?[k])).collect();
                change[k] = median(&mut values);
                values.iter_mut().for_each(|v| *v = (*v - change[k]).abs());
                let outside = if (print.0..print.1).contains(&depths.at(i)) { 1.0 } else { beyond };
                variance[k] = outside * ((1.48 * median(&mut values)).powi(2) + LAYING.still * LAYING.still);
            }
            common.change.push(change);
            common.variance.push(variance);
        }
        common
    }

    /// How far outwards a stretch lies, in steps up to `reach`, and how unlike it
    /// is there, variances a step; `None` when it is farther off.
    fn shift(&self, profile: &Profile, reach: usize) -> Option<(f32, f32)> {
        let n = self.change.len();
        if n <= 2 * reach || profile.len() != n {
            return None;
        }
        let cost = |shift: usize| -> f32 {
            let part = reach..n - reach;
            let own = &profile[shift..shift + part.len()];
            own.iter()
                .zip(self.change[part.clone()].iter().zip(&self.variance[part]))
                .flat_map(|(p, (c, v))| (0..3).map(move |k| ((p[k] - c[k]).powi(2) / v[k]).min(LAYING.far)))
                .sum()
        };
        let costs: Vec<f32> = (0..=2 * reach).map(cost).collect();
        let at = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
        let (before, after) = (costs.get(at.checked_sub(1)?)?, costs.get(at + 1)?);
        let bend = before - 2.0 * costs[at] + after;
        let part = if bend > 1e-6 { 0.5 * (before - after) / bend } else { 0.0 };
        Some((at as f32 - reach as f32 + part, costs[at] / (3 * (n - 2 * reach)) as f32))
    }

    /// How well a stretch agrees without being moved, -1 to 1, between two depths.
    fn agreement(&self, profile: &Profile, depths: Depths, (from, to): (f32, f32)) -> f32 {
        let (mut ab, mut aa, mut bb) = (0.0, 1e-9, 1e-9);
        for (i, (p, c)) in profile.iter().zip(&self.change).enumerate() {
            if (from..to).contains(&depths.at(i)) {
                for k in 0..3 {
                    (ab, aa, bb) = (ab + p[k] * c[k], aa + p[k] * p[k], bb + c[k] * c[k]);
                }
            }
        }
        ab / f32::sqrt(aa * bb)
    }
}

/// The middle line of a stretch, seen at a place of the photo.
#[derive(Clone, Copy, Debug)]
struct Sight {
    side: usize,
    middle: [f64; 2],
    out: [f64; 2],
    depth: f64,
    frame: (f64, f64),
    weight: f64,
}

/// How far the line is seen outwards of where it should be, pixels.
fn residual(pose: &Pose, inset: f64, s: &Sight) -> f64 {
    let at = |d: f64| pose.project_exact([s.middle[0] + d * s.out[0], s.middle[1] + d * s.out[1], 0.0]);
    let ((u, v), (pu, pv)) = (at(s.depth + inset), at(s.depth + inset + 0.02));
    let (nu, nv) = (pu - u, pv - v);
    ((s.frame.0 - u) * nu + (s.frame.1 - v) * nv) / nu.hypot(nv).max(1e-9)
}

fn spread_of(residuals: &[f64]) -> f64 {
    let mut sizes: Vec<f32> = residuals.iter().map(|r| r.abs() as f32).collect();
    (1.48 * f64::from(median(&mut sizes))).max(LAYING.sharp)
}

/// Least squares over the camera and the inset; what does not agree with the
/// rest counts less, or not at all where it is `strict`.
fn solved(start: &Pose, sights: &[Sight], strict: bool) -> Option<(Pose, f64)> {
    const NUDGE: f64 = 1e-5;
    let (mut pose, mut inset) = (start.clone(), 0.0);
    for _ in 0..LAYING.rounds {
        let residuals: Vec<f64> = sights.iter().map(|s| residual(&pose, inset, s)).collect();
        let spread = spread_of(&residuals);
        let nudged: Vec<(Pose, f64)> = (0..UNKNOWNS)
            .map(|p| {
                let mut step = [0.0; PARAMETERS];
                match step.get_mut(p) {
                    Some(s) => *s = NUDGE,
                    None => return (pose.clone(), inset + NUDGE),
                }
                (pose.moved(&step), inset)
            })
            .collect();
        let (mut a, mut b) = ([[0.0; UNKNOWNS]; UNKNOWNS], [0.0; UNKNOWNS]);
        for (s, r) in sights.iter().zip(&residuals) {
            let off = (r / spread).abs();
            let loss = if strict {
                (1.0 - (off / LAYING.limit).min(1.0).powi(2)).powi(2)
            } else {
                1.0 / off.max(1.0)
            };
            let weight = s.weight * loss / (spread * spread);
            let slope: [f64; UNKNOWNS] =
                std::array::from_fn(|p| (residual(&nudged[p].0, nudged[p].1, s) - r) / NUDGE);
            for p in 0..UNKNOWNS {
                b[p] -= weight * slope[p] * r;
                for q in 0..UNKNOWNS {
                    a[p][q] += weight * slope[p] * slope[q];
                }
            }
        }
        for (p, value, deviation) in
            pose.known().into_iter().chain([(PARAMETERS, inset, LAYING.inset_spread)])
        {
            a[p][p] += 1.0 / (deviation * deviation);
            b[p] -= value / (deviation * deviation);
        }
        let step = solve(a, b)?;
        let camera: [f64; PARAMETERS] = std::array::from_fn(|p| step[p]);
        (pose, inset) = (pose.moved(&camera), inset + step[PARAMETERS]);
    }
    Some((pose, inset))
}

/// A camera that brings the sides of a wall together.
#[derive(Clone, Debug)]
pub struct Laid {
    /// The camera.
    pub pose: Pose,
    /// How well the stretches that are like the rest agree where they now lie,
    /// up to 1: their mean, times their share.
    pub agreement: f32,
    /// The share of the stretches that is like the rest.
    pub seen: f32,
    /// How exactly the corners are known, by leaving out one side after the
    /// other: the deviation of the worst, tile sides. Only with care.
    pub spread: Option<f32>,
}

/// Lays the stretches of a wall over each other, from a camera that is off by up
/// to a tenth of a tile side; `None` when too little of the wall is in the photo
/// or alike.
pub fn laid(fit: &Fit, thickness: f32, photo: &RgbImage, care: &Care) -> Option<Laid> {
    let sampler = Sampler::new(photo);
    let mut pose = fit.pose.clone();
    let all = stretches(fit, thickness);
    let px = pose.tile_px(pose.aim().0, pose.aim().1).max(8.0);
    let step = (care.step_px / px).clamp(LAYING.steps.0, LAYING.steps.1);
    let count = ((thickness + 2.0 * STRETCHES.beside) / step) as usize;
    let depths = Depths { low: -STRETCHES.beside, step, count };
    let profiles = |pose: &Pose, wide: usize| -> Vec<(Stretch, Profile)> {
        let one = |s: &Stretch| Some((*s, profile(&sampler, pose, s, depths, (care.lines, wide))?));
        all.par_iter().filter_map(one).collect()
    };
    let print = (STRETCHES.edge, thickness - STRETCHES.edge);
    let mut sights = Vec::new();
    for (round, reach) in care.reach.iter().enumerate() {
        // Far off, lines are blurred so that they still overlap.
        let wide = if care.step_px < 1.0 { 1 } else { ((LAYING.blur * reach / step) as usize).max(1) };
        let profiles = profiles(&pose, wide);
        let common = Common::of(&profiles, depths, print, care.beyond);
        let steps = (reach / step).ceil() as usize;
        sights = profiles
            .iter()
            .filter_map(|(s, p)| {
                let (shift, unlike) = common.shift(p, steps)?;
                let depth = thickness / 2.0;
                let (x, y) = s.at(0.5, depth + shift * step);
                let middle = s.at(0.5, 0.0);
                Some(Sight {
                    side: s.side,
                    middle: [middle.0, middle.1].map(f64::from),
                    out: [s.out.0, s.out.1].map(f64::from),
                    depth: f64::from(depth),
                    frame: pose.project_exact([f64::from(x), f64::from(y), 0.0]),
                    weight: 1.0 / f64::from(unlike.max(0.3)),
                })
            })
            .collect::<Vec<Sight>>();
        if sights.len() < STRETCHES.fewest {
            return None;
        }
        // From far off, a few short sides may be all that tells how large the wall is.
        pose = solved(&pose, &sights, 2 * round >= care.reach.len())?.0;
    }
    let last = profiles(&pose, 1);
    let common = Common::of(&last, depths, print, care.beyond);
    let agreement = last.iter().map(|p| common.agreement(&p.1, depths, print)).sum::<f32>();
    let residuals: Vec<f64> = sights.iter().map(|s| residual(&pose, 0.0, s)).collect();
    let spread = spread_of(&residuals);
    let near = residuals.iter().filter(|r| r.abs() < LAYING.limit * spread).count();
    let total = all.len().max(1) as f32;
    let spread = (care.step_px < 1.0).then(|| jackknife(fit, &pose, &sights));
    let seen = near as f32 / total;
    Some(Laid { pose, agreement: seen * agreement / total, seen, spread })
}

/// The deviation of the worst corner, tile sides, from fits that leave out a side
/// each.
fn jackknife(fit: &Fit, pose: &Pose, sights: &[Sight]) -> f32 {
    let mut sides: Vec<usize> = sights.iter().map(|s| s.side).collect();
    sides.dedup();
    let n = sides.len() as f32;
    let mut variance = vec![0.0_f32; fit.corners.len()];
    let others: Vec<Option<Pose>> = sides
        .par_iter()
        .map(|side| {
            let rest: Vec<Sight> = sights.iter().copied().filter(|s| s.side != *side).collect();
            solved(pose, &rest, true).map(|s| s.0)
        })
        .collect();
    for other in others {
        for (v, c) in variance.iter_mut().zip(&fit.corners) {
            let (x, y) = (c.0 as f32, c.1 as f32);
            let (a, b) = (pose.project(x, y, 0.0), other.as_ref().map(|o| o.project(x, y, 0.0)));
            *v += match b {
                Some(b) => ((a.0 - b.0).hypot(a.1 - b.1) / pose.tile_px(x, y).max(1.0)).powi(2),
                None => 1.0,
            } * (n - 1.0)
                / n.max(1.0);
        }
    }
    variance.into_iter().fold(0.0, f32::max).sqrt()
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    const CORNERS: [(i32, i32); 14] = [
        (3, 0),
        (8, 0),
        (8, 3),
        (9, 3),
        (9, 8),
        (8, 8),
        (8, 10),
        (0, 10),
        (0, 9),
        (2, 9),
        (2, 6),
        (0, 6),
        (0, 1),
        (3, 1),
    ];
    const SIZE: (u32, u32) = (900, 900);

    fn above(off: (f64, f64), distance: f64) -> Pose {
        Pose::looking(SIZE, 0.0, (0.0, 0.0), (4.5, 5.0), (450.0 + off.0, 450.0 + off.1), distance)
    }

    fn fit(pose: Pose) -> Fit {
        let outline = [
            "...#####.",
            "########.",
            "########.",
            "#########",
            "#########",
            "#########",
            "..#######",
            "..#######",
            "..######.",
            "########.",
        ];
        Fit { outline: outline.map(str::to_owned).to_vec(), corners: CORNERS.to_vec(), pose, error: 0.0 }
    }

    /// A wall with lines along it, whose innermost `rim` looks as the table.
    fn picture(pose: &Pose, rim: f32) -> RgbImage {
        let wall = fit(pose.clone()).bare_wall();
        let inside =
            |x: f32, y: f32| wall.contains(crate::rules::Cell::new(x.floor() as i8, y.floor() as i8));
        let (px, zero) = (pose.tile_px(4.5, 5.0), pose.project(0.0, 0.0, 0.0));
        let one = |i: f32, j: f32| -> f32 {
            let (x, y) = ((i - zero.0) / px, (j - zero.1) / px);
            let near = |d: f32| {
                [(-d, -d), (0.0, -d), (d, -d), (-d, 0.0), (d, 0.0), (-d, d), (0.0, d), (d, d)]
                    .iter()
                    .any(|(dx, dy)| inside(x + dx, y + dy))
            };
            if inside(x, y) || !near(0.55) || near(rim) {
                return 60.0;
            }
            let line = [0.1, 0.17, 0.31, 0.45].iter().filter(|d| near(**d)).count();
            [90.0, 150.0, 120.0, 200.0, 110.0][line]
        };
        RgbImage::from_fn(SIZE.0, SIZE.1, |i, j| {
            let sum: f32 = (0..16)
                .map(|k| {
                    one(i as f32 + (k % 4) as f32 / 4.0 - 0.375, j as f32 + (k / 4) as f32 / 4.0 - 0.375)
                })
                .sum();
            Rgb([(sum / 16.0) as u8; 3])
        })
    }

    fn worst(pose: &Pose, truth: &Pose) -> f32 {
        let off = |c: &(i32, i32)| {
            let (a, b) =
                (pose.project(c.0 as f32, c.1 as f32, 0.0), truth.project(c.0 as f32, c.1 as f32, 0.0));
            (a.0 - b.0).hypot(a.1 - b.1) / truth.tile_px(4.5, 5.0)
        };
        CORNERS.iter().map(off).fold(0.0, f32::max)
    }

    #[test]
    fn sides_come_together_though_the_inner_edge_is_not_seen() {
        let truth = above((0.0, 0.0), 13.0);
        let start = fit(above((2.5, -3.0), 13.08));
        assert!(worst(&start.pose, &truth) > 0.06);
        for rim in [0.0, 0.03] {
            let photo = picture(&truth, rim);
            let rough = laid(&start, 0.55, &photo, &PRINT).unwrap();
            let fine = laid(&Fit { pose: rough.pose, ..start.clone() }, 0.55, &photo, &FINE).unwrap();
            let off = worst(&fine.pose, &truth);
            assert!(off < 0.004, "rim {rim}: {off}");
            assert!(fine.agreement > 0.8 && fine.seen > 0.95, "{fine:?}");
            assert!(fine.spread.unwrap() < 0.004, "{fine:?}");
        }
    }

    #[test]
    fn a_camera_far_off_does_not_agree() {
        let truth = above((0.0, 0.0), 13.0);
        let photo = picture(&truth, 0.0);
        let mut other = fit(truth);
        let right = laid(&other, 0.55, &photo, &PRINT).unwrap().agreement;
        other.pose = above((25.0, 0.0), 13.4);
        let wrong = laid(&other, 0.55, &photo, &PRINT).map_or(0.0, |l| l.agreement);
        assert!(wrong < 0.6 * right, "{wrong} {right}");
        assert!(laid(&other, 0.55, &RgbImage::new(SIZE.0, SIZE.1), &PRINT).is_none_or(|l| l.agreement < 0.1));
    }
}
