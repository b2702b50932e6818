//! Whose paint a pixel shows, and how near it is to a print.

use crate::vision::base::colour::{distance, lab_of_linear, shades, strangeness};

/// What tells a figure's pixels from print, shadows and the table.
///
/// Distances are those of [`distance`], about a CIE L*a*b* unit.
struct Settings {
    /// Levels (of 255) by which a pixel may be beyond the darkest and brightest of the
    /// reference round it. Larger hides figures of the print's colour.
    noise: u8,
    /// Largest distance of a pixel from a shade of a player's colour.
    of_colour: f32,
    /// What is added to that distance for a shade e times brighter or darker than the usual.
    unusual: f32,
    /// How dark a shadow on a tile may be, as shares of the light; all are tried.
    shadows: [f32; 5],
}

const SETTINGS: Settings =
    Settings { noise: 16, of_colour: 24.0, unusual: 5.0, shadows: [0.3, 0.45, 0.6, 0.8, 1.0] };

/// The players' paints in all shades, in a light.
pub(super) struct Paints(Vec<Vec<Shade>>);

/// A paint in one light.
struct Shade {
    /// CIE L*a*b*.
    lab: [f32; 3],
    /// What is added to distances from it, see [`Settings::unusual`].
    unusual: f32,
}

impl Paints {
    /// `colours` are the players', sRGB; `light` is that on the board, of the light in which
    /// the references were taken.
    pub(super) fn new(colours: &[[u8; 3]], light: [f32; 3]) -> Paints {
        let shade = |(at, lab)| Shade { lab, unusual: SETTINGS.unusual * strangeness(at) };
        Paints(
            colours.iter().map(|c| shades(*c, light).into_iter().enumerate().map(shade).collect()).collect(),
        )
    }

    /// The player whose paint has this colour, CIE L*a*b*, where it is nearer to it than
    /// to the ground, which is `ground()` away.
    pub(super) fn owner(&self, lab: [f32; 3], ground: impl FnOnce() -> f32) -> Option<usize> {
        let nearest = self
            .0
            .iter()
            .enumerate()
            .map(|(player, shades)| {
                let off = |shade: &Shade| (distance(lab, shade.lab), shade.unusual);
                let nearer = |a: (f32, f32), b: (f32, f32)| if b.0 + b.1 < a.0 + a.1 { b } else { a };
                let (near, unusual) = shades.iter().map(off).fold((f32::INFINITY, 0.0), nearer);
                (near, near + unusual, player)
            })
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let (near, _, player) = nearest?;
        (near < SETTINGS.of_colour && near < ground()).then_some(player)
    }
}

/// Whether a pixel is beyond what the reference has round it; `low` and `high` are the
/// darkest and brightest there, all in levels of 255.
pub(super) fn is_off(seen: [u8; 3], low: &[u8], high: &[u8]) -> bool {
    let beyond = |c: usize| low[c].saturating_sub(seen[c]).max(seen[c].saturating_sub(high[c]));
    beyond(0).max(beyond(1)).max(beyond(2)) >= SETTINGS.noise
}

/// How far a colour, CIE L*a*b*, is from a ground's, linear, in any shadow.
pub(super) fn from_ground(lab: [f32; 3], ground: [f32; 3]) -> f32 {
    SETTINGS
        .shadows
        .iter()
        .map(|s| distance(lab, lab_of_linear(ground.map(|v| v * s))))
        .fold(f32::INFINITY, f32::min)
}
