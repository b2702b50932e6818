//! How things are drawn: colours, patterns, line weights.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::rules::Kind;

/// How a set of tiles is drawn. Two tiles in one style look like one edition.
#[derive(Clone, Debug)]
pub struct Style {
    pub(super) colours: [[u8; 3]; 9],
    pub(super) stone: [u8; 3],
    pub(super) ink: [u8; 3],
    pub(super) ink_width: f32,
}

impl Style {
    /// The look of the house set.
    pub fn house() -> Style {
        Style {
            colours: [
                [214, 186, 140],
                [176, 72, 48],
                [140, 138, 134],
                [116, 152, 82],
                [226, 214, 190],
                [170, 120, 70],
                [130, 170, 90],
                [80, 130, 180],
                [180, 90, 60],
            ],
            stone: [168, 160, 148],
            ink: [50, 40, 34],
            ink_width: 0.008,
        }
    }

    /// A look of its own for every seed.
    pub fn random(seed: u64) -> Style {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut colour = || std::array::from_fn(|_| rng.random_range(30..235));
        Style { colours: std::array::from_fn(|_| colour()), stone: colour(), ink: colour(), ink_width: 0.008 }
    }

    pub(super) fn colour(&self, kind: Kind) -> [u8; 3] {
        Kind::ALL.iter().zip(self.colours).find(|(k, _)| **k == kind).map_or(self.ink, |(_, c)| c)
    }
}
