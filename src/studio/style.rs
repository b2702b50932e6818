//! How things are drawn: colours, patterns, line weights.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::rules::Kind;

/// A colour, each part 0 to 1, as in sRGB.
pub(super) type Rgb = [f32; 3];

/// The overall look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Full colour with light and shadow.
    Painted,
    /// Even colours without light.
    Flat,
    /// Dark lines on tinted paper, denser where it is darker.
    Engraved,
    /// Thin colour on paper, darker where it dried at the borders.
    Washed,
    /// Coloured strokes that leave paper between them.
    Crayon,
}

/// What a roof is covered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Roofing {
    Tiles,
    Scales,
    Planks,
    Thatch,
    Slabs,
    Plain,
}

/// How stone is laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Masonry {
    Ashlar,
    Rubble,
    Rings,
    Plain,
}

/// What grows on open ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    Meadow,
    Mown,
    Stippled,
    Flags,
    Plain,
}

/// What a path is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surface {
    Worn,
    Cobbled,
    Kerbed,
    Plain,
}

/// How a tree looks from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    Leafy,
    Round,
    Star,
}

/// The colours of a style.
#[derive(Clone, Debug)]
pub(super) struct Palette {
    pub path: Rgb,
    pub houses: [Rgb; 3],
    pub tower: Rgb,
    pub court: Rgb,
    pub road: Rgb,
    pub city: Rgb,
    pub field: Rgb,
    pub river: Rgb,
    pub cloister: Rgb,
    /// Walls, paving, basins.
    pub stone: Rgb,
    pub ink: Rgb,
    pub paper: Rgb,
    pub cloth: [Rgb; 2],
    pub leaf: Rgb,
    pub wood: Rgb,
    pub water: Rgb,
    /// Cones and caps of turrets.
    pub slate: Rgb,
}

/// How a set of tiles is drawn. Two tiles in one style look like one edition.
#[derive(Clone, Debug)]
pub struct Style {
    pub(super) seed: u32,
    pub(super) manner: Manner,
    pub(super) palette: Palette,
    pub(super) roofing: Roofing,
    /// How far apart rows of roofing are, in tile sides.
    pub(super) roof_pitch: f32,
    /// How wide half a roof is before a valley and the next roof follow.
    pub(super) roof_span: f32,
    pub(super) masonry: Masonry,
    /// How large stones are, in tile sides.
    pub(super) stone_size: f32,
    /// How wide parapets are, in tile sides; 0 for none.
    pub(super) parapet: f32,
    pub(super) ground: Ground,
    pub(super) surface: Surface,
    pub(super) tree: Tree,
    /// 0 a round square, 1 a square with corners.
    pub(super) square_corners: f32,
    /// Whether markets are striped awnings, else eight-sided tents.
    pub(super) awnings: bool,
    /// How many sides the basin of a fountain has; even.
    pub(super) basin_sides: usize,
    pub(super) path_half_width: f32,
    /// Whether cities of one side lie behind a curved wall, else they reach to the middle of
    /// the tile, as the face map lays them out.
    pub(super) curved_walls: bool,
    /// How far borders wander, in tile sides.
    pub(super) wobble: f32,
    /// The direction the light comes from; x right, y down, length 1.
    pub(super) light: (f32, f32),
    /// How strong light and shadow are, 0 to 1.
    pub(super) relief: f32,
    /// How strong surface patterns are, 0 to 1.
    pub(super) texture: f32,
    /// How strong large patches of lighter and darker colour are, 0 to 1.
    pub(super) patches: f32,
    /// How strong fine grain is, 0 to 1.
    pub(super) grain: f32,
    /// How wide ink lines are, in tile sides; 0 for none.
    pub(super) ink_width: f32,
    /// How many small things stand about, 0 to 1.
    pub(super) ornament: f32,
}

/// A colour from a number like `0xRRGGBB`.
fn hex(rgb: u32) -> Rgb {
    let part = |shift: u32| (rgb >> shift & 0xff) as f32 / 255.0;
    [part(16), part(8), part(0)]
}

impl Style {
    /// The look of the house set.
    pub fn house() -> Style {
        Style {
            seed: 1,
            manner: Manner::Painted,
            palette: Palette {
                path: hex(0xdcc08e),
                houses: [hex(0xb5533a), hex(0xc46a3c), hex(0xa8483f)],
                tower: hex(0x8f9298),
                court: hex(0x83a552),
                road: hex(0xe8dcc0),
                city: hex(0xb98452),
                field: hex(0x92b556),
                river: hex(0x5a93b8),
                cloister: hex(0xb5533a),
                stone: hex(0xbfb6a6),
                ink: hex(0x3a2c24),
                paper: hex(0xf3ead6),
                cloth: [hex(0x2f6aa8), hex(0xf4ecd8)],
                leaf: hex(0x4d7a35),
                wood: hex(0x8a6238),
                water: hex(0x6fb0cf),
                slate: hex(0x56657c),
            },
            roofing: Roofing::Scales,
            roof_pitch: 0.034,
            roof_span: 0.2,
            masonry: Masonry::Ashlar,
            stone_size: 0.0625,
            parapet: 0.05,
            ground: Ground::Meadow,
            surface: Surface::Worn,
            tree: Tree::Leafy,
            square_corners: 0.0,
            awnings: false,
            basin_sides: 24,
            path_half_width: 0.08,
            curved_walls: true,
            wobble: 0.014,
            light: (-0.6, -0.8),
            relief: 0.75,
            texture: 0.8,
            patches: 0.6,
            grain: 0.25,
            ink_width: 0.009,
            ornament: 0.8,
        }
    }

    /// A look of its own for every seed: colours, patterns, line weights, light
    /// and manner all vary, so that what was learned on some seeds says little
    /// about the colours of another.
    pub fn random(seed: u64) -> Style {
        let mut rng = Pcg64Mcg::seed_from_u64(seed ^ 0x5eed_0f57);
        let r = &mut rng;
        let palette = random_palette(r);
        let pick = |r: &mut Pcg64Mcg, weights: &[(Manner, u32)]| {
            weights.choose_weighted(r, |w| w.1).map_or(Manner::Painted, |w| w.0)
        };
        let manner = pick(
            r,
            &[
                (Manner::Painted, 5),
                (Manner::Flat, 2),
                (Manner::Engraved, 2),
                (Manner::Washed, 2),
                (Manner::Crayon, 2),
            ],
        );
        let angle = r.random_range(0.0..std::f32::consts::TAU);
        let flat = manner == Manner::Flat;
        Style {
            seed: r.random(),
            manner,
            palette,
            roofing: one(
                r,
                [
                    Roofing::Tiles,
                    Roofing::Scales,
                    Roofing::Planks,
                    Roofing::Thatch,
                    Roofing::Slabs,
                    Roofing::Plain,
                ],
            ),
            roof_pitch: r.random_range(0.022..0.06),
            roof_span: one(r, [0.12, 0.16, 0.2, 0.28, 1.0]),
            masonry: one(r, [Masonry::Ashlar, Masonry::Rubble, Masonry::Rings, Masonry::Plain]),
            stone_size: 1.0 / r.random_range(8..24) as f32,
            parapet: one(r, [0.0, 0.03, 0.045, 0.06, 0.08]),
            ground: one(r, [Ground::Meadow, Ground::Mown, Ground::Stippled, Ground::Flags, Ground::Plain]),
            surface: one(r, [Surface::Worn, Surface::Cobbled, Surface::Kerbed, Surface::Plain]),
            tree: one(r, [Tree::Leafy, Tree::Round, Tree::Star]),
            square_corners: one(r, [0.0, 0.0, 0.5, 1.0]),
            awnings: r.random_bool(0.5),
            basin_sides: one(r, [4, 6, 8, 24]),
            path_half_width: r.random_range(0.055..0.1),
            curved_walls: false,
            wobble: r.random_range(0.0..0.03),
            light: (angle.cos(), angle.sin()),
            relief: if flat { 0.0 } else { r.random_range(0.2..1.0) },
            texture: if flat { r.random_range(0.0..0.3) } else { r.random_range(0.2..1.0) },
            patches: if flat { 0.0 } else { r.random_range(0.0..1.0) },
            grain: r.random_range(0.0..0.8),
            ink_width: one(r, [0.0, 0.006, 0.009, 0.013, 0.02]),
            ornament: r.random_range(0.0..1.0),
        }
    }

    /// The ground colour of a kind; houses vary by `which`.
    pub(super) fn colour(&self, kind: Kind, which: usize) -> Rgb {
        let p = &self.palette;
        match kind {
            Kind::PATH => p.path,
            Kind::HOUSE => p.houses[which % p.houses.len()],
            Kind::TOWER => p.tower,
            Kind::COURT => p.court,
            Kind::ROAD => p.road,
            Kind::CITY => p.city,
            Kind::FIELD => p.field,
            Kind::RIVER => p.river,
            Kind::CLOISTER => p.cloister,
            Kind::CARCASSONNE => mix(p.city, p.stone, 0.55),
            // A kind that no style has a colour for looks like the plainest of its sort.
            other if other.is_line() => p.road,
            _ => p.field,
        }
    }
}

fn one<T: Copy, const N: usize>(rng: &mut Pcg64Mcg, of: [T; N]) -> T {
    of[rng.random_range(0..N)]
}

/// Colours by nature with a bent, or any colours at all; those of the four kinds
/// always differ so far that a person can tell them apart.
fn random_palette(rng: &mut Pcg64Mcg) -> Palette {
    loop {
        let natural = rng.random_bool(0.55);
        let bend = rng.random_range(-14.0..14.0_f32);
        let pale = rng.random_range(0.65..1.15_f32);
        let rich = rng.random_range(0.5..1.3_f32);
        let mut colour = |hue: f32, spread: f32, s: f32, v: f32| {
            let hue = if natural {
                hue + bend + rng.random_range(-spread..spread)
            } else {
                rng.random_range(0.0..360.0)
            };
            let s = (s * rich * rng.random_range(0.75..1.25)).clamp(0.0, 0.95);
            let v = (v * pale * rng.random_range(0.8..1.15)).clamp(0.12, 0.97);
            from_hsv(hue, s, v)
        };
        let house = colour(14.0, 25.0, 0.65, 0.7);
        let path = colour(38.0, 14.0, 0.38, 0.84);
        let tower = colour(220.0, 140.0, 0.09, 0.58);
        let court = colour(88.0, 30.0, 0.5, 0.62);
        let (cloth, cloth_pale) = (colour(215.0, 150.0, 0.7, 0.65), colour(45.0, 20.0, 0.12, 0.95));
        let (field, city) = (colour(86.0, 25.0, 0.52, 0.7), colour(28.0, 14.0, 0.5, 0.68));
        let (river, water) = (colour(205.0, 18.0, 0.5, 0.7), colour(200.0, 18.0, 0.45, 0.8));
        let palette = Palette {
            path,
            houses: [house, colour(20.0, 25.0, 0.65, 0.72), colour(8.0, 20.0, 0.6, 0.65)],
            tower,
            court,
            road: colour(42.0, 15.0, 0.2, 0.92),
            city,
            field,
            river,
            cloister: colour(15.0, 25.0, 0.6, 0.65),
            stone: colour(40.0, 40.0, 0.13, 0.72),
            ink: colour(20.0, 180.0, 0.4, 0.2),
            paper: colour(42.0, 15.0, 0.13, 0.97),
            cloth: [cloth, cloth_pale],
            leaf: colour(105.0, 30.0, 0.55, 0.45),
            wood: colour(30.0, 12.0, 0.55, 0.5),
            water,
            slate: colour(218.0, 60.0, 0.25, 0.45),
        };
        let kinds = [path, house, tower, court];
        let apart = |a: &Rgb, b: &Rgb| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f32>().sqrt();
        let told_apart =
            kinds.iter().enumerate().all(|(i, a)| kinds[i + 1..].iter().all(|b| apart(a, b) > 0.2));
        let near = |a: &Rgb| palette.houses.iter().all(|h| apart(a, h) > 0.16);
        if told_apart && near(&path) && near(&tower) && near(&court) && apart(&field, &city) > 0.2 {
            return palette;
        }
    }
}

/// Hue in degrees, saturation and value 0 to 1.
fn from_hsv(hue: f32, s: f32, v: f32) -> Rgb {
    let part = |shift: f32| {
        let k = (shift + hue / 60.0).rem_euclid(6.0);
        v - v * s * k.min(4.0 - k).clamp(0.0, 1.0)
    };
    [part(5.0), part(3.0), part(1.0)]
}

/// Between two colours: 0 the first, 1 the second.
pub(super) fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    let t = t.clamp(0.0, 1.0);
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

/// A colour made lighter (above 1) or darker (below 1).
pub(super) fn lit(a: Rgb, by: f32) -> Rgb {
    if by > 1.0 { mix(a, [1.0, 0.98, 0.92], (by - 1.0).min(1.0) * 0.9) } else { a.map(|c| c * by.max(0.0)) }
}

/// How light a colour looks, 0 to 1.
pub(super) fn luma(c: Rgb) -> f32 {
    0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]
}
