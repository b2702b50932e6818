//! How large figures look beside the others of a game.

use std::collections::BTreeMap;

use super::board::Standing;
use crate::observation::Figure;
use crate::rules::Cell;
use crate::vision::base::geometry::median;

/// How large a follower of the usual make looks from straight above, and how much more a tile
/// side of lean adds, tiles: standing and lying. Others of a game are larger or smaller by one
/// factor, which is learned.
const STANDING: (f32, f32) = (0.045, 0.075);
/// See [`STANDING`].
const LYING: (f32, f32) = (0.065, 0.05);
/// Of fewer figures it is not known what is usual.
const FEWEST: usize = 2;

/// What the figures of a game look like in size: most are followers.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// For each figure whether it lies, and the logarithm of how large it looks beside a follower
    /// of the usual make, as it was seen last.
    seen: BTreeMap<(Cell, u8), (bool, f32)>,
}

impl Sizes {
    /// Takes in what stands on a board, and says how large each figure looks beside a follower.
    pub fn tell(&mut self, found: &mut [Standing]) {
        for standing in found.iter() {
            if let Some(size) = own(standing) {
                self.seen.insert((standing.cell, standing.figure.player), size);
            }
        }
        for standing in found {
            standing.figure.size = own(standing).and_then(|(lies, size)| {
                let of = |lying: Option<bool>| -> Vec<f32> {
                    let alike = self.seen.values().filter(|s| lying.is_none_or(|lying| s.0 == lying));
                    alike.map(|s| s.1).collect()
                };
                // Those that lie as it does tell most.
                let mut others = of(Some(lies));
                if others.len() < FEWEST {
                    others = of(None);
                }
                (others.len() >= FEWEST).then(|| (size - usual(others)).exp())
            });
        }
    }
}

/// What is usual among sizes: of two the smaller, since of two that differ one is large.
fn usual(mut sizes: Vec<f32>) -> f32 {
    if sizes.len() == FEWEST {
        sizes.iter().copied().fold(f32::INFINITY, f32::min)
    } else {
        median(&mut sizes)
    }
}

/// Whether a figure lies, and the logarithm of its size beside a follower of the usual make.
fn own(standing: &Standing) -> Option<(bool, f32)> {
    if standing.figure.figure == Figure::Neutral {
        return None;
    }
    let lies = standing.figure.lying.unwrap_or(0.0) > 0.5;
    let (plain, leaning) = if lies { LYING } else { STANDING };
    let seen = standing.seen?;
    Some((lies, (seen.area / (plain + leaning * seen.lean)).max(1e-3).ln()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::FigureReading;
    use crate::vision::figures::board::SeenSize;

    fn standing(col: i8, lying: f32, area: f32, lean: f32) -> Standing {
        let figure = FigureReading {
            figure: Figure::Follower,
            player: 0,
            x: 0.5,
            y: 0.5,
            confidence: 0.9,
            lying: Some(lying),
            size: None,
            there: None,
        };
        Standing { cell: Cell::new(col, 0), figure, seen: Some(SeenSize { area, lean }) }
    }

    #[test]
    fn a_figure_is_large_beside_the_others() {
        let mut sizes = Sizes::default();
        let mut one = vec![standing(0, 0.1, 0.09, 0.4)];
        sizes.tell(&mut one);
        assert_eq!(one[0].figure.size, None, "nothing to hold it against");
        let mut all = vec![
            standing(0, 0.1, 0.09, 0.4),
            standing(1, 0.1, 0.145, 0.4),
            standing(2, 0.1, 0.12, 0.8),
            standing(3, 0.9, 0.1, 0.4),
        ];
        all.push(Standing { seen: None, ..standing(4, 0.1, 0.1, 0.4) });
        sizes.tell(&mut all);
        let told: Vec<Option<f32>> = all.iter().map(|s| s.figure.size).collect();
        assert!((told[0].unwrap() - 1.0).abs() < 0.1, "{told:?}");
        assert!((told[1].unwrap() - 1.6).abs() < 0.15, "{told:?}");
        assert!((told[2].unwrap() - 1.0).abs() < 0.15, "{told:?}");
        assert_eq!(told[4], None);
    }
}
