//! The colour of every place of a tile's segments: roofs, stone, ground, paths.

use super::layout::{Layout, NONE, Relief, SQUARE_RADIUS};
use super::noise::{self, cells, hash, mottle, step};
use super::style::{Ground, Masonry, Rgb, Roofing, Style, Surface, lit, mix};
use crate::rules::{Face, Kind};

/// How wide a pixel must be at most for fine patterns to be drawn in full.
const FINE: f32 = 1.0 / 110.0;

/// How wide the wall of a city is, and that of Carcassonne, in tile sides.
const CITY_WALL: f32 = 0.04;
const CARCASSONNE_WALL: f32 = 0.075;

/// Colours the places of one tile.
pub(super) struct Surfaces<'a> {
    pub face: &'a Face,
    pub layout: &'a Layout,
    pub style: &'a Style,
    /// Small differences between tiles of one face.
    pub variant: u32,
    /// The width of a pixel, in tile sides.
    pub pixel: f32,
}

impl Surfaces<'_> {
    /// The colour of a place of the tile.
    pub(super) fn colour(&self, x: f32, y: f32) -> Rgb {
        let place = self.layout.place(x, y);
        let on_line = (0.5 + place.line_depth / self.pixel).clamp(0.0, 1.0);
        let square = self.layout.square_depth(x, y, self.style.square_corners);
        let on_square = (0.5 + square / self.pixel).clamp(0.0, 1.0);
        let relief = self.layout.relief(x, y);
        let mut colour = [0.0; 3];
        if on_line < 1.0 && on_square < 1.0 {
            colour = self.area(place.area, x, y, relief);
            let sure = (0.5 + place.margin / self.pixel).clamp(0.0, 1.0);
            if sure < 1.0 && place.other != NONE {
                colour = mix(self.area(place.other, x, y, relief), colour, sure);
            }
        }
        if on_line > 0.0 && on_square < 1.0 {
            colour = mix(colour, self.line(place.line, place.line_depth, x, y, relief), on_line);
        }
        if on_square > 0.0 {
            colour = mix(colour, self.square(square, x, y), on_square);
        }
        colour
    }

    fn kind(&self, label: u8) -> Option<Kind> {
        self.face.segments().get(usize::from(label)).map(|s| s.kind)
    }

    /// How strongly fine patterns are drawn at this size.
    fn fine(&self) -> f32 {
        self.style.texture * (FINE / self.pixel).clamp(0.35, 1.0)
    }

    fn patch(&self, x: f32, y: f32, size: f32) -> f32 {
        let seed = self.style.seed ^ self.variant;
        1.0 + 0.16 * self.style.patches * mottle(x / size, y / size, seed)
    }

    fn area(&self, label: u8, x: f32, y: f32, relief: Relief) -> Rgb {
        let Some(kind) = self.kind(label) else { return self.ground(self.style.palette.court, x, y, relief) };
        let base = self.style.colour(kind, usize::from(label) + self.variant as usize);
        match kind {
            Kind::HOUSE => self.roof(base, x, y, relief),
            Kind::TOWER => self.tower(base, x, y, relief),
            Kind::CITY => self.city(base, CITY_WALL, x, y, relief),
            Kind::CARCASSONNE => self.city(base, CARCASSONNE_WALL, x, y, relief),
            Kind::CLOISTER => self.cloister(base, x, y),
            _ => self.ground(base, x, y, relief),
        }
    }

    /// A roof that rises from the border of its segment, with ridges where it
    /// is farthest from it and valleys where the next roof begins.
    fn roof(&self, base: Rgb, x: f32, y: f32, relief: Relief) -> Rgb {
        let s = self.style;
        let span = s.roof_span;
        let (fold, within) = ((relief.distance / span).floor(), relief.distance % span);
        let rising = fold as i32 % 2 == 0;
        let height = if rising { within } else { span - within };
        let (ux, uy) = relief.uphill;
        let steep = ux.hypot(uy);
        let facing = if rising { -1.0 } else { 1.0 } * (ux * s.light.0 + uy * s.light.1);
        let mut light = 1.0 + 0.34 * s.relief * facing;
        let (pitch, along) = (s.roof_pitch, relief.along);
        let row = height / pitch;
        let (r, fr) = (row.floor(), row.fract());
        let shift = if r as i32 % 2 == 0 { 0.0 } else { 0.5 };
        let column = along / (1.25 * pitch) + shift;
        let fc = column - column.floor();
        let one = hash(column.floor() as i32, r as i32 + 31 * fold as i32, s.seed ^ self.variant);
        let fine = self.fine();
        match s.roofing {
            Roofing::Tiles => {
                light *= 1.0
                    - fine * 0.32 * (1.0 - step(0.08, 0.26, fr))
                    - fine * 0.18 * (1.0 - step(0.0, 0.16, fc.min(1.0 - fc)));
                light *= 1.0 + fine * 0.2 * (one - 0.5);
            }
            Roofing::Scales => {
                let bow = fr - 0.55 * (2.0 * (fc - 0.5)).powi(2);
                light *= 1.0 - fine * 0.36 * (1.0 - step(0.05, 0.3, bow.abs()));
                light *= 1.0 + fine * 0.24 * (one - 0.5);
            }
            Roofing::Planks => {
                let plank = along / (0.9 * pitch);
                let f = plank - plank.floor();
                light *= 1.0 - fine * 0.4 * (1.0 - step(0.03, 0.2, f.min(1.0 - f)));
                light *= 1.0 + fine * 0.3 * (hash(plank.floor() as i32, fold as i32, s.seed) - 0.5);
            }
            Roofing::Thatch => {
                let straw = noise::value(along / (0.3 * pitch), height / (3.0 * pitch), s.seed);
                light *= 1.0 + fine * 0.28 * straw;
            }
            Roofing::Slabs => {
                light *= 1.0 - fine * 0.28 * (1.0 - step(0.04, 0.16, fr));
                light *= 1.0 + fine * 0.3 * (hash(r as i32, (along / (4.0 * pitch)) as i32, s.seed) - 0.5);
            }
            Roofing::Plain => {}
        }
        light *= self.patch(x, y, 0.3);
        // Ridge tiles, valleys and the shade under the eaves.
        if steep < 0.8 && rising && relief.distance > 0.03 {
            light *= 1.0 + 0.25 * s.relief * step(0.8, 0.45, steep);
        }
        let near_fold = within.min(span - within);
        if fold as i32 >= 1 && near_fold < 0.012 {
            light *= if (fold as i32 % 2 == 0) == (within < span / 2.0) { 0.72 } else { 1.18 };
        } else if near_fold < 0.012 && within > span / 2.0 {
            light *= 1.18;
        }
        light *= 1.0 - 0.35 * s.relief * (1.0 - step(0.0, 0.022, relief.distance));
        lit(base, light)
    }

    /// A platform of stone behind a parapet with merlons.
    fn tower(&self, base: Rgb, x: f32, y: f32, relief: Relief) -> Rgb {
        let s = self.style;
        let d = relief.distance;
        let facing = relief.uphill.0 * s.light.0 + relief.uphill.1 * s.light.1;
        if d < s.parapet {
            let merlon = 1.15 * s.parapet.max(0.03);
            let f = (relief.along / merlon).rem_euclid(2.0);
            let block = step(0.0, 0.12, f) * (1.0 - step(1.0, 1.12, f));
            let mut light =
                0.86 + 0.32 * block + 0.05 * (hash((relief.along / merlon) as i32, 3, s.seed) - 0.5);
            light -= 0.25 * s.relief * (1.0 - step(0.0, 0.3 * s.parapet, s.parapet - d));
            return lit(base, light * self.patch(x, y, 0.4));
        }
        let deep = d - s.parapet;
        let mut light = 0.9 * masonry(s, self.variant, self.fine(), x, y, deep) * self.patch(x, y, 0.35);
        // The parapet's shadow falls on the side that the light comes from.
        let shaded = (0.35 - 0.65 * facing).clamp(0.0, 1.0);
        light *= 1.0 - 0.4 * s.relief * shaded * (1.0 - step(0.0, 0.045, deep));
        light *= 1.0 - 0.12 * s.relief * (1.0 - step(0.0, 0.12, deep));
        lit(base, light)
    }

    /// Open ground, with the shadows of buildings on it.
    fn ground(&self, base: Rgb, x: f32, y: f32, relief: Relief) -> Rgb {
        let s = self.style;
        let seed = s.seed ^ self.variant;
        let fine = self.fine();
        let mut colour =
            mix(base, s.palette.leaf, 0.2 * s.patches * (0.5 + 0.5 * mottle(3.1 * x, 3.1 * y, seed)));
        let mut light = self.patch(x, y, 0.16);
        match s.ground {
            Ground::Meadow => {
                let blades =
                    noise::value(70.0 * x, 34.0 * y, seed) * noise::value(31.0 * x, 17.0 * y, seed ^ 2);
                light *= 1.0 + fine * 0.3 * blades;
                let worn = noise::value(2.6 * x + 9.0, 2.6 * y, seed ^ 0x91);
                colour = mix(colour, s.palette.path, 0.5 * step(0.45, 0.85, worn));
            }
            Ground::Mown => {
                let band = ((x + y) * 9.0).floor() as i32 % 2;
                light *= 1.0 + fine * if band == 0 { 0.09 } else { -0.09 };
            }
            Ground::Stippled => {
                let (gap, one) = cells(34.0 * x, 34.0 * y, seed);
                light *= 1.0 - fine * 0.4 * step(0.2, 0.4, gap) * step(0.45, 0.55, one);
            }
            Ground::Flags => {
                let (gap, one) = cells(9.0 * x, 9.0 * y, seed);
                colour =
                    mix(colour, s.palette.stone, fine * 0.6 * step(0.05, 0.12, gap) * step(0.35, 0.6, one));
                light *= 1.0 + fine * 0.14 * (one - 0.5);
            }
            Ground::Plain => {}
        }
        let high = |label: u8| {
            matches!(
                self.kind(label),
                Some(Kind::HOUSE | Kind::TOWER | Kind::CITY | Kind::CARCASSONNE | Kind::CLOISTER)
            )
        };
        let reach = 0.045;
        let shadow = self.layout.share(x + reach * s.light.0, y + reach * s.light.1, high);
        light *= 1.0 - 0.5 * s.relief * step(0.25, 0.75, shadow);
        light *= 1.0 - 0.1 * s.relief * (1.0 - step(0.0, 0.05, relief.distance));
        lit(colour, light)
    }

    /// Paths, roads and rivers; `depth` is how far from the edge.
    fn line(&self, label: u8, depth: f32, x: f32, y: f32, relief: Relief) -> Rgb {
        let s = self.style;
        let seed = s.seed ^ self.variant;
        let fine = self.fine();
        let kind = self.kind(label).unwrap_or(Kind::PATH);
        let base = s.colour(kind, 0);
        if kind == Kind::RIVER {
            return self.river(base, depth, x, y);
        }
        let mut colour = base;
        let mut light = self.patch(x, y, 0.2);
        match s.surface {
            Surface::Worn => {
                let ragged = 0.012 + 0.02 * (0.5 + 0.5 * noise::value(16.0 * x, 16.0 * y, seed));
                light *= 1.0 - 0.2 * s.texture * (1.0 - step(0.0, ragged, depth));
                let (gap, one) = cells(26.0 * x, 26.0 * y, seed);
                let pebble = step(0.22, 0.34, gap) * step(0.72, 0.75, one);
                light *= 1.0 - fine * 0.25 * pebble;
                light *= 1.0 + 0.07 * s.texture * step(0.03, 0.07, depth);
            }
            Surface::Cobbled => {
                let (gap, one) = cells(24.0 * x, 24.0 * y, seed);
                light *= 1.0 - fine * 0.35 * (1.0 - step(0.02, 0.16, gap));
                light *= 1.0 + fine * 0.24 * (one - 0.5);
            }
            Surface::Kerbed => {
                if depth < 0.02 {
                    let f = (relief.along / 0.045).rem_euclid(1.0);
                    colour = mix(base, s.palette.stone, s.texture);
                    light *= 1.0 - 0.3 * fine * (1.0 - step(0.0, 0.14, f.min(1.0 - f)));
                } else {
                    light *= 1.0 + fine * 0.14 * noise::value(38.0 * x, 38.0 * y, seed);
                }
            }
            Surface::Plain => {}
        }
        lit(colour, light)
    }

    /// Water between banks of sand, with ripples and the deep in its middle.
    fn river(&self, base: Rgb, depth: f32, x: f32, y: f32) -> Rgb {
        let s = self.style;
        let seed = s.seed ^ self.variant;
        let ragged = 0.014 + 0.008 * noise::value(14.0 * x, 14.0 * y, seed ^ 0x33);
        if depth < ragged {
            let sand = mix(s.palette.path, s.palette.field, 0.25);
            return lit(sand, (0.9 + 0.1 * step(0.0, ragged, depth)) * self.patch(x, y, 0.2));
        }
        let fine = self.fine();
        let swell = noise::value(9.0 * x, 9.0 * y, seed);
        let crest = (5.0 * swell + 46.0 * depth).sin();
        let mut light = 1.0 + 0.2 * fine * step(0.75, 1.0, crest);
        light *= 1.0 - 0.16 * step(0.03, 0.09, depth);
        let shore = 1.0 - step(ragged, ragged + 0.014, depth);
        lit(mix(base, s.palette.water, 0.25), light + 0.22 * shore)
    }

    /// A paved square: rings of setts round a rose.
    fn square(&self, depth: f32, x: f32, y: f32) -> Rgb {
        let s = self.style;
        let (dx, dy) = (x - 0.5, y - 0.5);
        let round = SQUARE_RADIUS - depth;
        let ring = round / 0.034;
        let (n, fr) = (ring.floor(), ring - ring.floor());
        let turn = dy.atan2(dx) / std::f32::consts::TAU;
        let setts = (6.0 * (n + 0.5)).max(1.0).round();
        let column = turn * setts + 0.5 * (n % 2.0);
        let fc = column - column.floor();
        let one = hash(column.floor() as i32, n as i32, s.seed ^ self.variant);
        let fine = self.fine();
        let mut light = self.patch(x, y, 0.2);
        light *= 1.0 - fine * 0.3 * (1.0 - step(0.04, 0.2, fr.min(1.0 - fr).min(fc.min(1.0 - fc))));
        light *= 1.0 + fine * 0.22 * (one - 0.5);
        let mut base = mix(s.palette.stone, s.palette.path, 0.2);
        light *= 0.94;
        if depth < 0.022 {
            base = s.palette.stone;
            light *= 0.78;
        } else if n < 2.0 {
            let petal = (turn * 8.0).rem_euclid(1.0);
            base = if petal < 0.5 { s.palette.slate } else { s.palette.stone };
        }
        lit(base, light * (1.0 + 0.1 * s.relief))
    }

    /// A city's ground, with its wall, so wide, along the border.
    fn city(&self, base: Rgb, width: f32, x: f32, y: f32, relief: Relief) -> Rgb {
        let s = self.style;
        if relief.distance < width {
            let f = (relief.along / 0.05).rem_euclid(2.0);
            let block = step(0.0, 0.12, f) * (1.0 - step(1.0, 1.12, f));
            return lit(s.palette.stone, 0.82 + 0.22 * block);
        }
        let shade = 1.0 - 0.3 * s.relief * (1.0 - step(width, width + 0.03, relief.distance));
        let dust = noise::value(22.0 * x, 22.0 * y, s.seed ^ self.variant);
        lit(base, shade * self.patch(x, y, 0.25) * (1.0 + 0.1 * self.fine() * dust))
    }

    /// The garden that a cloister stands in.
    fn cloister(&self, base: Rgb, x: f32, y: f32) -> Rgb {
        let s = self.style;
        let (gap, one) = cells(14.0 * x, 14.0 * y, s.seed ^ self.variant);
        let light = 1.0 - self.fine() * 0.25 * (1.0 - step(0.03, 0.12, gap)) + 0.1 * (one - 0.5);
        lit(mix(s.palette.stone, base, 0.12), light)
    }
}

/// Stones laid on a surface, as a factor of lightness; `fine` 0 to 1 is how
/// strongly joints are drawn, `deep` how far from the border the place is.
pub(super) fn masonry(s: &Style, variant: u32, fine: f32, x: f32, y: f32, deep: f32) -> f32 {
    let size = s.stone_size;
    let joint = |gap: f32| 1.0 - fine * 0.28 * (1.0 - step(0.03, 0.13, gap));
    match s.masonry {
        Masonry::Ashlar => {
            let row = y / (0.7 * size);
            let shift = if row.floor() as i32 % 2 == 0 { 0.0 } else { 0.5 };
            let column = x / size + shift;
            let (fr, fc) = (row - row.floor(), column - column.floor());
            let one = hash(column.floor() as i32, row.floor() as i32, s.seed ^ variant);
            joint(fr.min(1.0 - fr).min(1.4 * fc.min(1.0 - fc))) * (1.0 + fine * 0.26 * (one - 0.5))
        }
        Masonry::Rubble => {
            let (gap, one) = cells(x / size, y / size, s.seed ^ variant);
            joint(gap) * (1.0 + fine * 0.34 * (one - 0.5))
        }
        Masonry::Rings => {
            let ring = deep / (0.9 * size);
            let f = ring - ring.floor();
            joint(f.min(1.0 - f)) * (1.0 + fine * 0.16 * (hash(ring.floor() as i32, 9, s.seed) - 0.5))
        }
        Masonry::Plain => 1.0,
    }
}
