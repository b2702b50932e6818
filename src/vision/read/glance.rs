//! Coarse looks at squares of a frame: which look other than when they were read, and which
//! still move.

use image::RgbImage;

use crate::rules::Cell;
use crate::vision::base::camera::Pose;
use crate::vision::base::geometry::median;

/// Points a side of a square that a look takes in.
const POINTS: usize = 12;
/// Mean difference of a sixteenth of a square, levels of 255, from which on the square has
/// changed. Lower reads squares again for noise.
const CHANGED: f32 = 9.0;
/// The same between a frame and the next, from which on the square moves. Lower takes noise
/// for motion; higher reads what moves slowly.
const MOVES: f32 = 3.0;
/// Where the camera is noisy: so many times the change that half of the squares show.
const NOISE: f32 = 2.0;
/// So many points of a block must be seen for it to tell whether it looks as it did.
const LEAST_POINTS: usize = 4;
/// So near to a square's border, as a share of its side, what lies next to it may reach over.
const RIM: f32 = 0.06;
/// So much of a square, as a share, must be seen for that.
const SEEN: f32 = 0.3;
/// Levels from which on a square is bright enough to tell by which factor the light has changed.
const LIT: f32 = 16.0;
/// A light that leaves a smaller share of a colour tells nothing of it.
const LEAST_GAIN: f32 = 0.05;
/// Levels from which on a colour may be burnt out,
const BURNT_OUT: f32 = 250.0;
/// and that of one that is.
const FULL: f32 = 255.0;
/// How much darker than it was what stands in a shadow is, and how much brighter, as shares of the
/// light before.
const SHADE: (f32, f32) = (0.4, 1.1);
/// Frames in a row for which a square may wait before it is read all the same: a lamp that
/// swings must not keep it from being read. Two seconds of a usual camera.
const WAITS_FOR: u32 = 30;
/// More squares than this that change at once are a hand or the light; tiles and figures
/// change fewer.
const MANY: usize = 12;
/// Frames for which so many must rest: a hand that stops for a moment is not read.
const RESTS_FOR: u32 = 3;

/// A coarse look at a square: [`POINTS`] by [`POINTS`] colours, levels of 255.
pub(super) type Look = Vec<[f32; 3]>;

/// What has changed between two looks at the same squares.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// The squares that look other than they did, beside what they share.
    pub squares: Vec<usize>,
    /// The change that all squares share, which is the light's.
    pub drift: Drift,
}

/// What has changed; squares that were not looked at before have.
pub(super) fn change<'a>(then: impl Iterator<Item = &'a Look> + Clone, now: &[Look]) -> Change {
    let (differences, drift) = differences(then, now);
    let squares = differences.iter().enumerate().filter(|(_, d)| **d > CHANGED).map(|(i, _)| i).collect();
    Change { squares, drift }
}

/// A change of light or exposure that all squares of a board share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drift {
    /// How many levels of each colour squares have become brighter, at the median.
    shift: [f32; 3],
    /// How many times as bright they have become, at the median. A camera that exposes anew
    /// multiplies: what is bright then changes by more levels than the table does.
    gain: [f32; 3],
}

impl Default for Drift {
    fn default() -> Drift {
        Drift { shift: [0.0; 3], gain: [1.0; 3] }
    }
}

impl Drift {
    /// What these pairs of looks share.
    fn of(pairs: &[(&Look, &Look)]) -> Drift {
        let mean = |look: &Look| -> [f32; 3] {
            let sum = |channel: usize| look.iter().map(|colour| colour[channel]).sum::<f32>();
            [0, 1, 2].map(|channel| sum(channel) / look.len().max(1) as f32)
        };
        let means: Vec<([f32; 3], [f32; 3])> =
            pairs.iter().map(|(then, now)| (mean(then), mean(now))).collect();
        Drift::between(&means)
    }

    /// What these colours share, each as it was and is.
    pub(super) fn between(pairs: &[([f32; 3], [f32; 3])]) -> Drift {
        let mut drift = Drift::default();
        for channel in 0..3 {
            let mut shifts: Vec<f32> = pairs.iter().map(|(then, now)| now[channel] - then[channel]).collect();
            drift.shift[channel] = median(&mut shifts);
            let lit = pairs.iter().filter(|(then, _)| then[channel] >= LIT);
            let mut gains: Vec<f32> = lit.map(|(then, now)| now[channel] / then[channel]).collect();
            if !gains.is_empty() {
                drift.gain[channel] = median(&mut gains);
            }
        }
        drift
    }

    /// The largest change of a colour, levels.
    pub(super) fn levels(&self) -> f32 {
        self.shift.iter().fold(0.0, |largest, shift| largest.max(shift.abs()))
    }

    /// What the light makes of a colour, multiplied.
    pub(super) fn lit(&self, colour: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|channel| (colour[channel] * self.gain[channel]).min(FULL))
    }

    /// The colour of which the light makes this one; `None` where that can't be told, as it is burnt
    /// out or the light is all but gone.
    pub(super) fn unlit(&self, colour: [f32; 3]) -> Option<[f32; 3]> {
        let told = (0..3).all(|channel| colour[channel] < BURNT_OUT && self.gain[channel] >= LEAST_GAIN);
        told.then(|| std::array::from_fn(|channel| colour[channel] / self.gain[channel]))
    }

    /// By how many levels a colour that was `then` and is `now` differs from what the light alone
    /// would make of it: something between shifted and multiplied.
    pub(super) fn beside(&self, channel: usize, then: f32, now: f32) -> f32 {
        let (shifted, multiplied) = (then + self.shift[channel], then * self.gain[channel]);
        let (mut least, mut most) = (shifted.min(multiplied), shifted.max(multiplied));
        if then >= BURNT_OUT {
            // How bright it was is not known.
            most = most.max(FULL);
        }
        (least, most) = (least.min(FULL), most.min(FULL));
        (least - now).max(now - most).max(0.0)
    }
}

/// Which squares still look as they did, beside the change that those share of which `shares`
/// says so, or all where it says so of none; `then` holds nothing of a square that is not known.
pub(super) fn unchanged(then: &[Option<&Look>], now: &[Look], shares: &[bool]) -> Vec<bool> {
    let known = || then.iter().zip(now).enumerate().filter_map(|(i, (then, now))| Some((i, (*then)?, now)));
    let sharing: Vec<(&Look, &Look)> =
        known().filter(|(i, ..)| shares.get(*i) == Some(&true)).map(|(_, then, now)| (then, now)).collect();
    let all = || known().map(|(_, then, now)| (then, now)).collect();
    let drift = Drift::of(&if sharing.is_empty() { all() } else { sharing });
    let mut same = vec![false; now.len()];
    for (i, then, now) in known() {
        same[i] = then.len() == now.len() && difference(then, now, &drift) <= CHANGED;
    }
    same
}

/// Whether a square looks as it did, as far as nothing hides it, or as it would in the shadow of
/// what hides the rest; `hidden` says of a place, in squares from its upper left corner, whether
/// it is hidden. `None` where too little of it is to be seen.
pub(super) fn unchanged_beside(
    then: &[[f32; 3]],
    now: &[[f32; 3]],
    hidden: impl Fn(f32, f32) -> bool,
) -> Option<bool> {
    let at = |i: usize| {
        let along = |v: usize| (v as f32 + 0.5) / POINTS as f32;
        (along(i % POINTS), along(i / POINTS))
    };
    let is_seen = |i: &usize| {
        let (x, y) = at(*i);
        x.min(1.0 - x).min(y.min(1.0 - y)) > RIM && !hidden(x, y)
    };
    let (mut seen, mut same) = (0, true);
    for block in blocks() {
        let points: Vec<usize> = block.filter(is_seen).collect();
        seen += points.len();
        if points.len() < LEAST_POINTS {
            continue;
        }
        let mean = |look: &[[f32; 3]], channel: usize| {
            let sum: f32 = points.iter().filter_map(|i| look.get(*i)).map(|colour| colour[channel]).sum();
            sum / points.len() as f32
        };
        let (was, is): ([f32; 3], [f32; 3]) =
            (std::array::from_fn(|c| mean(then, c)), std::array::from_fn(|c| mean(now, c)));
        let light = (is.iter().sum::<f32>() / was.iter().sum::<f32>().max(1.0)).clamp(SHADE.0, SHADE.1);
        same &= was.iter().zip(is).all(|(was, is)| (is - was * light).abs() <= CHANGED);
    }
    (seen as f32 >= SEEN * (POINTS * POINTS) as f32).then_some(same)
}

/// By how much each square differs beside the change that all share, and that change.
fn differences<'a>(then: impl Iterator<Item = &'a Look> + Clone, now: &[Look]) -> (Vec<f32>, Drift) {
    let pairs: Vec<(&Look, &Look)> = then.zip(now).collect();
    let drift = Drift::of(&pairs);
    let by = |(then, now): &(&Look, &Look)| {
        if then.len() == now.len() { difference(then, now, &drift) } else { f32::INFINITY }
    };
    (pairs.iter().map(by).collect(), drift)
}

/// Looks at cells, where the board is seen from `pose` and lies so deep below the wall.
pub(super) fn cells(frame: &RgbImage, pose: &Pose, depth: f32, cells: &[Cell]) -> Vec<Look> {
    let at = |cell: &Cell| {
        let (x, y) = (f32::from(cell.col), f32::from(cell.row));
        look(frame, CORNERS.map(|(dx, dy)| pose.project(x + dx, y + dy, depth)))
    };
    cells.iter().map(at).collect()
}

/// Looks at squares of about so many pixels a side that cover the whole frame, row by row,
/// with where they lie: left, top, right, bottom, pixels.
pub(super) fn squares(frame: &RgbImage, side: u32) -> Vec<([f32; 4], Look)> {
    let parts = |length: u32| (length / side.max(1)).max(1);
    let (columns, rows) = (parts(frame.width()), parts(frame.height()));
    let (width, height) = (frame.width() as f32 / columns as f32, frame.height() as f32 / rows as f32);
    let at = |i: u32| {
        let (left, top) = ((i % columns) as f32 * width, (i / columns) as f32 * height);
        let corners = CORNERS.map(|(dx, dy)| (left + dx * width, top + dy * height));
        ([left, top, left + width, top + height], look(frame, corners))
    };
    (0..columns * rows).map(at).collect()
}

/// Which squares of a film move.
#[derive(Debug, Default)]
pub(super) struct Motion {
    before: Vec<Look>,
    /// For how many frames in a row each square has waited.
    waited: Vec<u32>,
    /// For how many frames in a row nothing that has changed moved.
    rested: u32,
    /// For how many frames in a row the light has been another than the one in which the squares
    /// were read.
    relit: u32,
}

impl Motion {
    /// Takes in the looks of the next frame: for each square whether it looks other than in
    /// the frame before.
    pub(super) fn take(&mut self, now: &[Look]) -> Vec<bool> {
        let mut moves = vec![false; now.len()];
        if self.before.len() == now.len() {
            let (differences, _) = differences(self.before.iter(), now);
            let least = MOVES.max(NOISE * median(&mut differences.clone())).min(CHANGED);
            moves = differences.iter().map(|d| *d > least).collect();
        }
        self.before = now.to_vec();
        moves
    }

    /// Which of the squares that have changed are not to be read yet: those that move, and
    /// those that hang together with them, such as the rest of an arm. `beside` says of two
    /// squares whether they touch.
    pub(super) fn waiting(
        &mut self,
        changed: &[usize],
        moves: &[bool],
        beside: impl Fn(usize, usize) -> bool,
    ) -> Vec<usize> {
        let (mut waiting, mut resting): (Vec<usize>, Vec<usize>) =
            changed.iter().partition(|i| moves.get(**i) == Some(&true));
        self.rested = if waiting.is_empty() { self.rested.saturating_add(1) } else { 0 };
        if changed.len() > MANY && self.rested < RESTS_FOR {
            (waiting, resting) = (changed.to_vec(), Vec::new());
        }
        let mut from = 0;
        while let Some(square) = waiting.get(from).copied() {
            let (more, others) = resting.into_iter().partition(|other| beside(square, *other));
            waiting.extend::<Vec<usize>>(more);
            resting = others;
            from += 1;
        }
        let mut waited = vec![0; self.before.len()];
        waiting.retain(|i| {
            let before = self.waited.get(*i).copied().unwrap_or(0);
            let waits = before < WAITS_FOR;
            if let (true, Some(waited)) = (waits, waited.get_mut(*i)) {
                *waited = before + 1;
            }
            waits
        });
        self.waited = waited;
        waiting
    }

    /// Whether all squares are to be read anew in another light: once nothing moves, after
    /// [`Motion::waiting`], or when that takes long. What looks as it did but for the light stands
    /// as it was read until then: where an arm makes the camera expose anew, the board is not hidden.
    pub(super) fn is_settled(&mut self, relit: bool, waits: bool) -> bool {
        self.relit = if relit { self.relit + 1 } else { 0 };
        let settled = relit && (!waits && self.rested >= RESTS_FOR || self.relit > WAITS_FOR);
        if settled {
            self.relit = 0;
        }
        settled
    }

    /// Begins anew, with a frame whose squares lie elsewhere.
    pub(super) fn begin(&mut self, now: &[Look]) {
        *self = Motion { before: now.to_vec(), ..Motion::default() };
    }
}

/// Of a unit square: upper left, upper right, lower right, lower left.
const CORNERS: [(f32, f32); 4] = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];

/// Looks at the square with these corners: upper left, upper right, lower right, lower left,
/// pixels.
fn look(frame: &RgbImage, [a, b, c, d]: [(f32, f32); 4]) -> Look {
    let (width, height) = (frame.width() as i32, frame.height() as i32);
    let raw = frame.as_raw();
    let at = |x: f32, y: f32| {
        let (cx, cy) = (x.round() as i32, y.round() as i32);
        let mut sum = [0_u32; 3];
        for dy in -1..=1 {
            let row = (cy + dy).clamp(0, height - 1);
            for dx in -1..=1 {
                let from = ((row * width + (cx + dx).clamp(0, width - 1)) * 3) as usize;
                for (s, v) in sum.iter_mut().zip(&raw[from..from + 3]) {
                    *s += u32::from(*v);
                }
            }
        }
        sum.map(|s| s as f32 / 9.0)
    };
    (0..POINTS * POINTS)
        .map(|i| {
            let u = ((i % POINTS) as f32 + 0.5) / POINTS as f32;
            let v = ((i / POINTS) as f32 + 0.5) / POINTS as f32;
            let mix = |a: f32, b: f32, c: f32, d: f32| {
                (a * (1.0 - u) + b * u) * (1.0 - v) + (d * (1.0 - u) + c * u) * v
            };
            at(mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1))
        })
        .collect()
}

/// The points of each sixteenth of a square.
fn blocks() -> impl Iterator<Item = impl Iterator<Item = usize>> {
    const BLOCK: usize = POINTS / 4;
    const ACROSS: usize = POINTS / BLOCK;
    (0..ACROSS * ACROSS).map(|block| {
        let (left, top) = (block % ACROSS * BLOCK, block / ACROSS * BLOCK);
        (0..BLOCK * BLOCK).map(move |i| (top + i / BLOCK) * POINTS + left + i % BLOCK)
    })
}

/// The largest difference of a block of points, a quarter of a square wide, in any colour, beside
/// what the light changed.
fn difference(then: &[[f32; 3]], now: &[[f32; 3]], drift: &Drift) -> f32 {
    let mut largest = 0.0_f32;
    for block in blocks() {
        let points: Vec<usize> = block.collect();
        for channel in 0..3 {
            let mean = |look: &[[f32; 3]]| {
                points.iter().map(|&at| look[at][channel]).sum::<f32>() / points.len() as f32
            };
            largest = largest.max(drift.beside(channel, mean(then), mean(now)));
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four by two squares of 40 pixels, each of one grey, and the looks at them.
    fn looks(greys: [u8; 8]) -> Vec<Look> {
        let grey = |x: u32, y: u32| greys[(y / 40 * 4 + x / 40) as usize];
        let frame = RgbImage::from_fn(160, 80, |x, y| image::Rgb([grey(x, y); 3]));
        squares(&frame, 40).into_iter().map(|(_, look)| look).collect()
    }

    #[test]
    fn squares_cover_the_frame() {
        let places: Vec<[f32; 4]> =
            squares(&RgbImage::new(100, 50), 40).into_iter().map(|(place, _)| place).collect();
        assert_eq!(places, [[0.0, 0.0, 50.0, 50.0], [50.0, 0.0, 100.0, 50.0]]);
        assert_eq!(squares(&RgbImage::new(3, 3), 40).len(), 1);
    }

    #[test]
    fn what_all_squares_share_is_the_light() {
        let then = looks([100; 8]);
        let mut greys = [120; 8];
        greys[5] = 160;
        let change = change(then.iter(), &looks(greys));
        assert_eq!((change.squares, change.drift.levels()), (vec![5], 20.0));
    }

    #[test]
    fn a_camera_that_exposes_anew_multiplies() {
        let greys: [u8; 8] = [40, 40, 40, 220, 40, 40, 130, 255];
        let exposed = |by: f32| looks(greys.map(|grey| (f32::from(grey) * by).min(255.0).round() as u8));
        for by in [0.8, 0.9, 1.1, 1.3] {
            let change = change(exposed(1.0).iter(), &exposed(by));
            assert!(change.squares.is_empty(), "{by}: {:?}", change.squares);
        }
        let mut other = exposed(1.1);
        other[6] = exposed(1.3)[6].clone();
        assert_eq!(change(exposed(1.0).iter(), &other).squares, [6]);
    }

    #[test]
    fn what_tiles_changed_is_not_the_light() {
        let then = looks([100; 8]);
        let known: Vec<Option<&Look>> = then.iter().map(Some).collect();
        let now = looks([100, 100, 180, 180, 180, 180, 180, 100]);
        let bare = [true, true, false, false, false, false, false, false];
        let same = unchanged(&known, &now, &bare);
        assert_eq!(same, [true, true, false, false, false, false, false, true]);
    }

    #[test]
    fn a_square_beside_a_thing_and_in_its_shadow_is_as_it_was() {
        let then = vec![[150.0, 120.0, 90.0]; POINTS * POINTS];
        let hidden = |_: f32, y: f32| y < 0.4;
        let mut now = then.clone();
        for (i, colour) in now.iter_mut().enumerate() {
            let y = (i / POINTS) as f32 / POINTS as f32;
            *colour = if y < 0.38 { [10.0; 3] } else { colour.map(|v| v * if y < 0.7 { 0.6 } else { 1.0 }) };
        }
        assert_eq!(unchanged_beside(&then, &now, hidden), Some(true));
        assert_eq!(unchanged_beside(&then, &now, |_, _| false), Some(false), "the thing is no shadow");
        assert_eq!(unchanged_beside(&then, &now, |_, y| y < 0.8), None, "too little is seen");
        now[POINTS * POINTS - 4 * POINTS..].fill([60.0, 130.0, 90.0]);
        assert_eq!(unchanged_beside(&then, &now, hidden), Some(false), "a print");
    }

    #[test]
    fn a_square_moves_while_it_differs_from_frame_to_frame() {
        let mut motion = Motion::default();
        let rest = looks([100; 8]);
        let with = |grey: u8| looks([100, 100, grey, 100, 100, 100, 100, 100]);
        assert_eq!(motion.take(&rest), [false; 8], "nothing is known of the first frame");
        let moves = motion.take(&with(200));
        assert_eq!(moves.iter().position(|m| *m), Some(2));
        assert_eq!(motion.take(&with(200)), [false; 8]);
        assert_eq!(motion.take(&with(202)), [false; 8], "noise");
        assert!(motion.take(&with(207))[2], "slowly");
        motion.begin(&with(50));
        assert_eq!(motion.take(&with(50)), [false; 8]);
    }

    #[test]
    fn what_hangs_together_with_what_moves_waits_but_not_for_ever() {
        let mut motion = Motion::default();
        motion.begin(&looks([100; 8]));
        let in_row = |a: usize, b: usize| a.abs_diff(b) == 1;
        let moves = [false, false, true, false, false, false, false, false];
        for _ in 0..WAITS_FOR {
            let mut waiting = motion.waiting(&[0, 2, 3, 4, 6], &moves, in_row);
            waiting.sort_unstable();
            assert_eq!(waiting, [2, 3, 4]);
        }
        assert!(motion.waiting(&[0, 2, 3, 4, 6], &moves, in_row).is_empty(), "long enough");
        assert_eq!(motion.waiting(&[0, 2], &moves, in_row), [2], "it waits anew");
        assert!(motion.waiting(&[0, 2], &[false; 8], in_row).is_empty());
    }

    #[test]
    fn a_hand_that_stops_for_a_moment_waits() {
        let mut motion = Motion::default();
        let many: Vec<usize> = (0..=MANY).collect();
        motion.begin(&vec![Vec::new(); many.len()]);
        let apart = |_: usize, _: usize| false;
        let mut moves = vec![false; many.len()];
        moves[0] = true;
        motion.waiting(&many, &moves, apart);
        moves[0] = false;
        for _ in 1..RESTS_FOR {
            assert_eq!(motion.waiting(&many, &moves, apart), many);
        }
        assert!(motion.waiting(&many, &moves, apart).is_empty());
    }
}
