//! How large pieces are, from what they hide of the table.
//!
//! A piece is a block with a foot, drawn away from the camera by its height. Seen across any
//! direction it is as wide as its foot is plus as its top leans that way; from twelve
//! directions follow foot, turn and height. A follower hides the table as it stands and as it
//! lies: both tell of the same three lengths.

use std::f32::consts::PI;

use crate::pieces::Size;

/// Directions in which widths are taken.
pub(super) const DIRECTIONS: usize = 12;
/// Turns of a foot that are tried.
const TURNS: usize = 24;

/// How lengths are fitted to widths.
///
/// Chosen on 30 photos of `examples/measure_pieces.rs`, seeds 1 to 30.
struct Settings {
    /// How far widths usually are off, tile sides.
    noise: f32,
    /// How far (natural logarithm) a length usually is from that of the usual pieces.
    spread: f32,
    /// How far one player's piece is from the other's.
    kin: f32,
    /// How much wider things are seen than they are, by blur and by what is closed, tile
    /// sides.
    rim: f32,
    /// How many of the widths of a piece are as good as independent. More trusts widths more
    /// against what is usual.
    telling: f32,
    /// How much better followers must fit as such that can't lie to be taken for those.
    rare: f32,
}

const SETTINGS: Settings =
    Settings { noise: 0.03, spread: 0.3, kin: 0.08, rim: 0.03, telling: 5.0, rare: 1.5 };

/// The height, breadth and thickness of a usual follower, and the length, width and height of
/// a usual keep, tile sides.
pub(super) const USUAL_FOLLOWER: [f32; 3] = [0.36, 0.3, 0.2];
pub(super) const USUAL_KEEP: [f32; 3] = [0.52, 0.45, 0.5];
/// The height, breadth and thickness of a usual follower that can't lie: a die, a cone, a
/// counter.
pub(super) const USUAL_UPRIGHT: [f32; 3] = [0.2, 0.27, 0.25];

/// What a piece hides of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hidden {
    /// How wide it is in each direction, half a turn in equal steps from the right on; tile
    /// sides.
    pub widths: [f32; DIRECTIONS],
    /// How far, in tile sides, what is one tile side high appears from its foot.
    pub lean: (f32, f32),
}

/// A direction, as a unit vector.
pub(super) fn direction(i: usize) -> (f32, f32) {
    let (s, c) = (PI * i as f32 / DIRECTIONS as f32).sin_cos();
    (c, s)
}

impl Hidden {
    /// How far the widths are from those of a block, in the turn that fits best: in squared
    /// deviations. `round` is how round its foot is, from 0 for a square to 1 for a disc.
    fn misfit(&self, [length, width, height]: [f32; 3], round: f32) -> f32 {
        let off = |turn: usize| {
            let (s, c) = (PI * turn as f32 / TURNS as f32).sin_cos();
            let of = |i: usize| {
                let (x, y) = direction(i);
                let (a, b) = ((x * c + y * s).abs() * length, (y * c - x * s).abs() * width);
                let foot = (1.0 - round) * (a + b) + round * a.hypot(b);
                let leaning = (x * self.lean.0 + y * self.lean.1).abs() * height;
                ((foot + leaning + SETTINGS.rim - self.widths[i]) / SETTINGS.noise).powi(2)
            };
            (0..DIRECTIONS).map(of).sum::<f32>() * SETTINGS.telling / DIRECTIONS as f32
        };
        (0..TURNS).map(off).fold(f32::INFINITY, f32::min)
    }
}

/// Lengths, and how well they fit: the lower, the better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fitted {
    pub lengths: [f32; 3],
    pub cost: f32,
}

/// How round feet may be.
const ROUND: [f32; 3] = [0.0, 0.5, 1.0];

/// The lengths that make `misfit` least, near `usual`.
fn fitted(usual: [f32; 3], spread: f32, misfit: impl Fn([f32; 3], f32) -> f32) -> Fitted {
    let mut best = Fitted { lengths: usual, cost: f32::INFINITY };
    for round in ROUND {
        let cost = |logs: [f32; 3]| {
            let known: f32 = logs.iter().map(|v| (v / spread).powi(2)).sum();
            misfit(std::array::from_fn(|i| usual[i] * logs[i].exp()), round) + known
        };
        let mut logs = [0.0; 3];
        let mut least = cost(logs);
        for step in [0.2, 0.1, 0.05, 0.025, 0.012] {
            loop {
                let mut better = None;
                for i in 0..3 {
                    for sign in [-step, step] {
                        let mut next = logs;
                        next[i] += sign;
                        let now = cost(next);
                        if now < least - 1e-4 {
                            (least, better) = (now, Some(next));
                        }
                    }
                }
                match better {
                    Some(next) => logs = next,
                    None => break,
                }
            }
        }
        if least < best.cost {
            best = Fitted { lengths: std::array::from_fn(|i| usual[i] * logs[i].exp()), cost: least };
        }
    }
    best
}

/// The height, breadth and thickness of followers of one make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Follower {
    pub lengths: [f32; 3],
    /// Whether it lies on its side; dice, cones and counters stand both times.
    pub lies: bool,
    /// How well it fits: the lower, the better.
    pub cost: f32,
}

impl Follower {
    /// From what followers hide that stand, and that were laid down.
    pub fn fitted(seen: &[(Hidden, Hidden)]) -> Follower {
        let lying = follower(seen, (USUAL_FOLLOWER, SETTINGS.spread), true);
        let upright = follower(seen, (USUAL_UPRIGHT, 2.0 * SETTINGS.spread), false);
        let upright = Follower { cost: upright.cost + SETTINGS.rare, ..upright };
        if upright.cost < lying.cost { upright } else { lying }
    }

    /// One player's, near that of all.
    pub fn of_player(&self, seen: &[(Hidden, Hidden)]) -> Follower {
        follower(seen, (self.lengths, SETTINGS.kin), self.lies)
    }

    /// Its size as it stands and as it lies.
    pub fn sizes(&self) -> (Size, Size) {
        let [high, broad, thick] = self.lengths;
        let flat = |a: f32, b: f32, height: f32| Size { length: a.max(b), width: a.min(b), height };
        let standing = flat(broad, thick, high);
        (standing, if self.lies { flat(high, broad, thick) } else { standing })
    }
}

fn follower(seen: &[(Hidden, Hidden)], (usual, spread): ([f32; 3], f32), lies: bool) -> Follower {
    let Fitted { lengths, cost } = fitted(usual, spread, |[high, broad, thick], round| {
        let of = |(standing, other): &(Hidden, Hidden)| {
            let second = if lies { [high, broad, thick] } else { [broad, thick, high] };
            standing.misfit([broad, thick, high], round) + other.misfit(second, round)
        };
        seen.iter().map(of).sum()
    });
    Follower { lengths, lies, cost }
}

/// The length, width and height of keeps.
pub(super) fn keep(seen: &[&Hidden], near: Option<[f32; 3]>) -> Fitted {
    let (usual, spread) = near.map_or((USUAL_KEEP, SETTINGS.spread), |near| (near, SETTINGS.kin));
    fitted(usual, spread, |lengths, round| seen.iter().map(|hidden| hidden.misfit(lengths, round)).sum())
}

/// The size of a keep.
pub(super) fn of_keep([length, width, height]: [f32; 3]) -> Size {
    Size { length: length.max(width), width: length.min(width), height }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a block hides.
    fn block([length, width, height]: [f32; 3], turn: f32, lean: (f32, f32)) -> Hidden {
        let (s, c) = turn.sin_cos();
        let widths = std::array::from_fn(|i| {
            let (x, y) = direction(i);
            let foot = (x * c + y * s).abs() * length + (y * c - x * s).abs() * width;
            foot + (x * lean.0 + y * lean.1).abs() * height
        });
        Hidden { widths: widths.map(|w: f32| w + SETTINGS.rim), lean }
    }

    #[test]
    fn blocks_are_measured_by_what_they_hide() {
        let (high, broad, thick) = (0.42, 0.28, 0.17);
        let standing = block([broad, thick, high], 0.7, (0.5, 0.1));
        let lying = block([high, broad, thick], 2.1, (-0.3, 0.5));
        let found = Follower::fitted(&[(standing, lying)]);
        assert!(found.lies);
        for (found, truth) in found.lengths.iter().zip([high, broad, thick]) {
            assert!((found - truth).abs() < 0.03, "{found} for {truth}");
        }
        let swapped = Follower::fitted(&[(lying, standing)]);
        assert!(swapped.cost > found.cost + 1.0, "{} {}", swapped.cost, found.cost);
        let of = keep(&[&block([0.6, 0.45, 0.5], 0.3, (0.4, 0.4))], None);
        for (found, truth) in of.lengths.iter().zip([0.6, 0.45, 0.5]) {
            assert!((found - truth).abs() < 0.06, "{found} for {truth}");
        }
    }

    #[test]
    fn what_looks_the_same_both_times_does_not_lie() {
        let of = |turn: f32, lean: (f32, f32)| block([0.21, 0.21, 0.21], turn, lean);
        let die = Follower::fitted(&[(of(0.3, (0.5, 0.1)), of(1.0, (-0.4, 0.4)))]);
        assert!(!die.lies, "{die:?}");
        let (standing, lying) = die.sizes();
        assert_eq!(standing, lying);
        assert!((standing.height - 0.21).abs() < 0.04, "{standing:?}");
    }

    #[test]
    fn from_straight_above_the_height_is_the_usual() {
        let of = keep(&[&block([0.5, 0.5, 0.9], 0.3, (0.0, 0.0))], None);
        assert!((of.lengths[2] - USUAL_KEEP[2]).abs() < 0.02);
    }
}
