//! The wall from straight above, and where on it the spaces of the track begin
//! and end.

use image::{Rgb, RgbImage, RgbaImage};
use ndarray::{Array2, ArrayView1, Axis};

use super::edges::Sampler;
use crate::rules::castle::validate::{CORNER_TOWERS, TRACK_SPACES};
use crate::rules::{Cell, Corner, Wall};
use crate::vision::base::camera::Pose;

/// How wide the wall usually is, tile sides.
pub(super) const USUAL_WIDTH: f32 = 0.55;
/// Margin of the rectified picture round the wall, tile sides.
const MARGIN: f32 = 0.2;
/// Least and largest scale of the rectified picture, pixels a tile side.
const SCALES: (f32, f32) = (48.0, 128.0);
/// Spaces between towers, all together.
pub const PLAIN_SPACES: usize = TRACK_SPACES - 2 * CORNER_TOWERS;
/// How the borders between spaces are seen along a run.
struct Profile {
    /// Step along the run, tile sides.
    step: f32,
    /// Half the window in which the range of grey is taken, steps. Wider than a border line;
    /// wider still takes in what is printed beside it.
    window: usize,
    /// Where across the wall the first and the last line lie along which it is taken, as
    /// shares of the wall's width, and how many they are.
    lanes: (f32, f32),
    lines: usize,
    /// Rank of the line whose range counts, least first: a border runs across most of the
    /// wall, print does not.
    rank: usize,
}

const PROFILE: Profile = Profile { step: 0.01, window: 3, lanes: (0.32, 0.72), lines: 14, rank: 2 };

/// How likely a number of spaces is for a run.
struct Counts {
    /// Least and largest number that is weighed, as shares of what the run's length would
    /// hold at the usual spacing; one and a half more are weighed.
    range: (f32, f32),
    /// Numbers that are kept, the likeliest; the digits printed there decide. More take
    /// longer.
    kept: usize,
    /// Largest distance of a border from its regular place, as a share of the spacing.
    slack: f32,
    /// How far spacings of different runs differ, as a deviation of the logarithm.
    spacing: f32,
    /// Nats a space that clear borders add.
    clarity: f32,
}

const COUNTS: Counts = Counts { range: (0.6, 1.5), kept: 7, slack: 0.16, spacing: 0.15, clarity: 0.5 };

/// The wall as seen from straight above.
#[derive(Clone, Debug)]
pub struct Rectified {
    /// The picture.
    pub picture: RgbImage,
    /// Pixels a tile side.
    pub px: f32,
    /// Where the upper left corner of cell (0, 0) lies in the picture.
    pub origin: (f32, f32),
}

impl Rectified {
    /// Straightens a photo, in its own resolution where that is not excessive.
    pub fn new(photo: &RgbImage, pose: &Pose, (cols, rows): (usize, usize), thickness: f32) -> Rectified {
        let aim = (cols as f32 / 2.0, rows as f32 / 2.0);
        let px = pose.tile_px(aim.0, aim.1).clamp(SCALES.0, SCALES.1).round();
        let margin = thickness + MARGIN;
        let side = |n: usize| ((n as f32 + 2.0 * margin) * px).ceil() as u32;
        let origin = (margin * px, margin * px);
        let sampler = Sampler::new(photo);
        let taps = [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)];
        let picture = RgbImage::from_fn(side(cols), side(rows), |i, j| {
            let mut sum = [0.0; 3];
            for (di, dj) in taps {
                let x = (i as f32 + 0.5 + di - origin.0) / px;
                let y = (j as f32 + 0.5 + dj - origin.1) / px;
                let colour = sampler.at(pose.project(x, y, 0.0)).unwrap_or([128.0; 3]);
                for (s, c) in sum.iter_mut().zip(colour) {
                    *s += c / taps.len() as f32;
                }
            }
            Rgb(sum.map(|v| v.round() as u8))
        });
        Rectified { picture, px, origin }
    }

    /// The colour at a place, in tile sides.
    pub fn at(&self, x: f32, y: f32) -> [f32; 3] {
        let place = (x * self.px + self.origin.0 - 0.5, y * self.px + self.origin.1 - 0.5);
        Sampler::new(&self.picture).at(place).unwrap_or([128.0; 3])
    }

    /// The grey level at a place, in tile sides.
    pub fn grey(&self, x: f32, y: f32) -> f32 {
        let [r, g, b] = self.at(x, y);
        0.3 * r + 0.59 * g + 0.11 * b
    }

    /// Only the wall: clear inside it and beyond its width.
    pub fn cut_out(&self, wall: &Wall) -> RgbaImage {
        RgbaImage::from_fn(self.picture.width(), self.picture.height(), |i, j| {
            let x = (i as f32 + 0.5 - self.origin.0) / self.px;
            let y = (j as f32 + 0.5 - self.origin.1) / self.px;
            let inside = |x: f32, y: f32| wall.contains(Cell::new(x.floor() as i8, y.floor() as i8));
            let t = wall.thickness;
            let near = [(-t, -t), (0.0, -t), (t, -t), (-t, 0.0), (t, 0.0), (-t, t), (0.0, t), (t, t)];
            let on = !inside(x, y) && near.iter().any(|(dx, dy)| inside(x + dx, y + dy));
            let Rgb([r, g, b]) = *self.picture.get_pixel(i, j);
            if on { image::Rgba([r, g, b, 255]) } else { image::Rgba([0; 4]) }
        })
    }
}

/// A place along a run, in tile units: `along` from its corner, `out` of the
/// interior.
pub fn on_run(corner: &Corner, along: f32, out: f32) -> (f32, f32) {
    let (dx, dy) = corner.direction();
    let (ox, oy) = corner.side.step();
    (
        f32::from(corner.x) + along * f32::from(dx) + out * f32::from(ox),
        f32::from(corner.y) + along * f32::from(dy) + out * f32::from(oy),
    )
}

/// Where on each run plain spaces may lie: towers of reflex corners stand on
/// the run itself.
pub fn free_stretch(ring: &[Corner], run: usize, thickness: f32) -> (f32, f32) {
    let (own, next) = (&ring[run], &ring[(run + 1) % ring.len()]);
    let begin = if own.convex { 0.0 } else { thickness };
    let end = f32::from(own.length) - if next.convex { 0.0 } else { thickness };
    (begin, end.max(begin + 0.05))
}

/// The spaces of a run, for one number of them.
#[derive(Clone, Debug)]
pub struct Spaces {
    /// Where each begins, and where the last ends; tile sides along the run.
    pub borders: Vec<f32>,
    /// How clearly the borders stand out, about 0 to 1; `None` with one space.
    pub clarity: Option<f32>,
    /// How unlikely this number of spaces is, about in nats.
    pub cost: f32,
}

impl Spaces {
    /// How many they are.
    pub fn count(&self) -> usize {
        self.borders.len().saturating_sub(1)
    }
}

/// How much the picture changes across each place of a run, over most of the
/// wall's width: high at the borders of spaces.
fn changes(rectified: &Rectified, corner: &Corner, thickness: f32) -> Vec<f32> {
    let count = (f32::from(corner.length) / PROFILE.step) as usize;
    let (first, last) = PROFILE.lanes;
    let lane = |i: usize| thickness * (first + (last - first) * i as f32 / (PROFILE.lines - 1) as f32);
    // A row a step, a column a line.
    let greys = Array2::from_shape_fn((count + 2 * PROFILE.window + 1, PROFILE.lines), |(step, line)| {
        let along = (step as f32 - PROFILE.window as f32) * PROFILE.step;
        let (x, y) = on_run(corner, along, lane(line));
        rectified.grey(x, y)
    });
    let range = |greys: ArrayView1<'_, f32>| {
        let (low, high) = greys.iter().fold((f32::MAX, f32::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        high - low
    };
    let raw: Vec<f32> = greys
        .axis_windows(Axis(0), 2 * PROFILE.window + 1)
        .into_iter()
        .map(|window| {
            let mut ranges: Vec<f32> = window.columns().into_iter().map(range).collect();
            ranges.sort_by(f32::total_cmp);
            ranges[PROFILE.rank]
        })
        .collect();
    // A line makes a plateau as wide as the window; its middle becomes a peak.
    (0..raw.len())
        .map(|i| {
            let from = i.saturating_sub(PROFILE.window);
            let part = &raw[from..(i + PROFILE.window + 1).min(raw.len())];
            part.iter().sum::<f32>() / part.len() as f32
        })
        .collect()
}

fn peak_near(changes: &[f32], at: f32, reach: f32) -> (f32, f32) {
    let from = ((at - reach) / PROFILE.step).round().max(0.0) as usize;
    let to = (((at + reach) / PROFILE.step).round().max(0.0) as usize).min(changes.len().saturating_sub(1));
    (from..=to)
        .filter_map(|i| Some((i as f32 * PROFILE.step, *changes.get(i)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((at, 0.0))
}

/// The likeliest ways to part each run into spaces, by their number, a few for
/// each run in the ring's order; all that are weighed unless `few`.
pub fn options(rectified: &Rectified, ring: &[Corner], thickness: f32, few: bool) -> Vec<Vec<Spaces>> {
    let profiles: Vec<Vec<f32>> = ring.iter().map(|c| changes(rectified, c, thickness)).collect();
    let stretches: Vec<(f32, f32)> = (0..ring.len()).map(|r| free_stretch(ring, r, thickness)).collect();
    let usual = stretches.iter().map(|(a, b)| b - a).sum::<f32>() / PLAIN_SPACES as f32;
    let mut all: Vec<f32> = profiles.iter().flatten().copied().collect();
    all.sort_by(f32::total_cmp);
    let scale = all.get(all.len() * 9 / 10).copied().unwrap_or(1.0).max(2.0);
    profiles
        .iter()
        .zip(&stretches)
        .map(|(profile, (begin, end))| {
            let about = (end - begin) / usual;
            let least = (about * COUNTS.range.0) as usize;
            let most = (about * COUNTS.range.1 + 1.5) as usize;
            let mut options: Vec<Spaces> = (least.max(1)..=most.max(1))
                .map(|n| spaces(profile, (*begin, *end), n, usual, scale))
                .collect();
            options.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            if few {
                options.truncate(COUNTS.kept);
            }
            options
        })
        .collect()
}

fn spaces(profile: &[f32], (begin, end): (f32, f32), n: usize, usual: f32, scale: f32) -> Spaces {
    let pitch = (end - begin) / n as f32;
    let mut borders = vec![begin];
    let (mut on, mut between) = (0.0, 0.0);
    for k in 1..n {
        let (at, value) = peak_near(profile, begin + k as f32 * pitch, COUNTS.slack * pitch);
        borders.push(at);
        on += value / scale;
    }
    borders.push(end);
    for k in 0..n {
        between += peak_near(profile, begin + (k as f32 + 0.5) * pitch, COUNTS.slack * pitch).1 / scale;
    }
    let clarity = (n > 1).then(|| on / (n - 1) as f32 - between / n as f32);
    let odd = (pitch / usual).ln() / COUNTS.spacing;
    let cost = n as f32 * (0.5 * odd * odd - COUNTS.clarity * clarity.unwrap_or(0.0).clamp(-1.0, 1.0));
    Spaces { borders, clarity, cost }
}
