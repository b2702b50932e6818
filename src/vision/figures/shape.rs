//! How well what is covered round a foot fits a piece of known size.

use std::f32::consts::PI;

use super::network::GRID;
use crate::pieces::{PlayerPieces, Size};

/// How measured sizes are gone by.
///
/// Chosen on the 12 boards of `castellan render --boards 12 --unseen --pieces --paints --set-up
/// --seed 5101`: what lies was told best by 10 and more, keeps alike by 6 and more.
struct Settings {
    /// How much a fit that is better by 1 (all of it) tells, in natural logarithms of odds.
    /// Larger goes more by sizes and less by what the network says of the kind.
    telling: f32,
    /// How far from a foot what is covered counts, tile sides.
    reach: f32,
}

const SETTINGS: Settings = Settings { telling: 12.0, reach: 0.9 };

/// Turns of a foot that are tried, half a turn in equal steps.
const TURNS: usize = 8;
/// Steps from the foot to the top of a piece.
const STEPS: usize = 5;

/// What is covered round a foot.
pub(super) struct Covered<'a> {
    /// What figures cover, 0 to 1, [`GRID`] by [`GRID`], row by row.
    pub cover: &'a [f32],
    /// Which of these places are nearer to another foot and do not count.
    pub others: &'a [bool],
    /// The foot, in places.
    pub foot: (f32, f32),
    /// Places a tile side.
    pub per_tile: f32,
    /// How far, in tile sides, what is one tile side high appears from its foot.
    pub lean: (f32, f32),
}

impl Covered<'_> {
    /// How well a piece of a size fits in the turn that fits best, 0 to 1: what both cover,
    /// of what either covers.
    fn fit(&self, size: Size) -> f32 {
        (0..TURNS).map(|turn| self.fit_turned(size, PI * turn as f32 / TURNS as f32)).fold(0.0, f32::max)
    }

    fn fit_turned(&self, Size { length, width, height }: Size, turn: f32) -> f32 {
        let (s, c) = turn.sin_cos();
        let (mut both, mut either) = (0.0, 0.0);
        for (at, (cover, other)) in self.cover.iter().zip(self.others).enumerate() {
            let along = |v: usize, foot: f32| (v as f32 - foot) / self.per_tile;
            let (x, y) = (along(at % GRID, self.foot.0), along(at / GRID, self.foot.1));
            if *other || x.hypot(y) > SETTINGS.reach {
                continue;
            }
            let beyond = |step: usize| {
                let up = height * step as f32 / (STEPS - 1) as f32;
                let (x, y) = (x - self.lean.0 * up, y - self.lean.1 * up);
                let (u, v) = (x * c + y * s, y * c - x * s);
                (u.abs() - length / 2.0).max(v.abs() - width / 2.0)
            };
            let beyond = (0..STEPS).map(beyond).fold(f32::INFINITY, f32::min);
            let hidden = (0.5 - beyond * self.per_tile).clamp(0.0, 1.0);
            both += cover.min(hidden);
            either += cover.max(hidden);
        }
        both / either.max(1e-3)
    }

    /// How likely it is a keep, and how likely it lies if it is a follower, by the sizes of
    /// its owner's pieces and by how likely both seemed without.
    pub fn kinds(&self, pieces: &PlayerPieces, keep: f32, lying: f32) -> (f32, f32) {
        let fits = [pieces.standing, pieces.lying, pieces.keep].map(|size| self.fit(size));
        let before = [(1.0 - keep) * (1.0 - lying), (1.0 - keep) * lying, keep];
        let after: [f32; 3] =
            std::array::from_fn(|i| before[i].max(1e-4) * (SETTINGS.telling * fits[i]).exp());
        tracing::debug!(?before, ?fits, foot = ?self.foot, "sizes");
        let [standing, lying, keep] = after;
        (keep / (standing + lying + keep), lying / (standing + lying))
    }
}

/// How many times larger than usual a piece is, along the table and in height, on the mean of
/// all players' pieces; 1 where none were measured.
pub(super) fn scale(pieces: &[PlayerPieces], usual: Size, of: fn(&PlayerPieces) -> Size) -> (f32, f32) {
    if pieces.is_empty() {
        return (1.0, 1.0);
    }
    let n = pieces.len() as f32;
    let across = |size: Size| size.length.hypot(size.width);
    let wide = pieces.iter().map(|p| across(of(p))).sum::<f32>() / n;
    let high = pieces.iter().map(|p| of(p).height).sum::<f32>() / n;
    (wide / across(usual), high / usual.height)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces() -> PlayerPieces {
        PlayerPieces {
            colour: "blue".into(),
            rgb: [30, 84, 170],
            standing: Size { length: 0.3, width: 0.2, height: 0.4 },
            lying: Size { length: 0.4, width: 0.3, height: 0.2 },
            keep: Size { length: 0.5, width: 0.5, height: 0.5 },
        }
    }

    /// What a piece of a size covers with its foot in the middle.
    fn cover(size: Size, lean: (f32, f32)) -> Vec<f32> {
        let at = |v: usize| (v as f32 - 12.0) / 16.0;
        (0..GRID * GRID)
            .map(|i| {
                let hidden = (0..9).any(|step| {
                    let up = size.height * step as f32 / 8.0;
                    let (x, y) = (at(i % GRID) - lean.0 * up, at(i / GRID) - lean.1 * up);
                    x.abs() <= size.length / 2.0 && y.abs() <= size.width / 2.0
                });
                if hidden { 0.95 } else { 0.02 }
            })
            .collect()
    }

    #[test]
    fn the_kind_whose_size_is_covered_becomes_likelier() {
        let (pieces, others) = (pieces(), vec![false; GRID * GRID]);
        for lean in [(0.5, 0.4), (-0.6, 0.1)] {
            let told = |size: Size| {
                let cover = cover(size, lean);
                let covered =
                    Covered { cover: &cover, others: &others, foot: (12.0, 12.0), per_tile: 16.0, lean };
                covered.kinds(&pieces, 0.5, 0.5)
            };
            assert!(told(pieces.keep).0 > 0.7, "{:?}", told(pieces.keep));
            assert!(told(pieces.standing).0 < 0.3 && told(pieces.standing).1 < 0.4);
            assert!(told(pieces.lying).0 < 0.3 && told(pieces.lying).1 > 0.6);
        }
    }

    #[test]
    fn pieces_as_large_as_usual_change_nothing() {
        let usual = Size { length: 0.3, width: 0.2, height: 0.4 };
        assert_eq!(scale(&[], usual, |p| p.keep), (1.0, 1.0));
        let (wide, high) = scale(&[pieces()], usual, |p| p.standing);
        assert!((wide - 1.0).abs() < 1e-6 && (high - 1.0).abs() < 1e-6);
    }
}
