//! Reads the numbers of wall tiles that lie face up on the table beside the wall.
//!
//! How large a wall tile is, and the plane that it lies in, are known: of each place it is asked
//! what lies there as a disc of a wall tile's size. Waves round rings, the same in every turn but
//! for their phases, say where a front may lie; there the pictures of all fronts are turned and
//! laid over what is seen.

use std::f32::consts::TAU;

use image::RgbImage;
use rayon::prelude::*;

use crate::rules::Cell;
use crate::vision::base::camera::Pose;
use crate::vision::base::error::VisionError;
use crate::vision::base::rectify::Rectifier;

/// How wall tiles are found and told apart. Sides are those of a wall tile.
///
/// Chosen on 20 rendered tables of the house set in the usual light
/// (`examples/measure_wall_tiles.rs`, seeds 1 to 20).
struct Settings {
    /// Pixels of a wall tile's side, about what a camera of 1280 x 720 shows of it. Fewer lose
    /// what is printed; more take longer and show nothing new.
    side_px: f32,
    /// What is added to levels (0 to 255) before their logarithm is taken: dark pixels are
    /// mostly noise.
    floor: f32,
    /// Step between the places that are asked, pixels.
    step: usize,
    /// Least contrast of a place, as a share of the least of the fronts. Less is bare table,
    /// though it may have a grain; the glare of a lamp takes half of a front's.
    contrast: f32,
    /// Least likeness (0 to 1, see [`Waves::alike`]) of a place with a front.
    alike: f32,
    /// Of so many squares of a tile's side one place is looked at closely, the likeliest first,
    squares: f32,
    /// and so many besides.
    places: f32,
    /// Places nearer to a likelier one, in sides, are not looked at,
    apart: f32,
    /// and of wall tiles that are read nearer to each other only the best fit is kept.
    beside: f32,
    /// How often, and by how many pixels, a first look moves on to where a front fits better,
    moves: usize,
    by: f32,
    /// while one correlates with what is seen at least so.
    hardly: f32,
    /// Least correlation of a front with what is seen in a first look,
    nearly: f32,
    /// and as it fits best. Fronts have 0.86 and more in the usual light, tables, tiles, coins
    /// and pieces up to 0.75.
    fits: f32,
    /// The same for the front that fitted best in the first look: another may fit better.
    fits_at_all: f32,
    /// Least share of what tells it from the next best front (see [`Front::told`]). Fronts
    /// have much in common, such as their rim.
    told: f32,
    /// How much smaller or larger than expected a wall tile may be, as factors,
    sizes: [f32; 2],
    /// and in what steps.
    sized: f32,
    /// Correlation of two fronts from which on they are the same picture.
    same: f32,
}

const SETTINGS: Settings = Settings {
    side_px: 26.0,
    floor: 14.0,
    step: 2,
    contrast: 0.3,
    alike: 0.6,
    squares: 12.0,
    places: 6.0,
    apart: 0.25,
    beside: 0.5,
    moves: 4,
    by: 2.0,
    hardly: 0.4,
    nearly: 0.62,
    fits: 0.8,
    fits_at_all: 0.7,
    told: 0.25,
    sizes: [0.88, 1.1],
    sized: 0.03,
    same: 0.93,
};

/// How many kinds of wall tiles there are (CA-04).
pub const KINDS: usize = 9;

/// The side of a wall tile as a share of the wall's thickness: it lies on a corner tower, with
/// a little room all round.
const OF_TOWER: f32 = 0.94;

/// The looks at a place, each closer than the one before. While it is not known exactly where
/// a wall tile lies, a look that is as wide as the wall tile takes in the table beside it, which
/// on a dark table outweighs all that is printed. None goes to the corners, which some wall
/// tiles have not.
const COARSE: Polar = Polar { rings: 5, turns: 16, radius: 0.8 };
const FIRST: Polar = Polar { rings: 5, turns: 24, radius: 0.86 };
const CLOSE: Polar = Polar { rings: 8, turns: 48, radius: 0.93 };
/// The least contrast of what is no noise, as the deviation of logarithms.
const LEAST_CONTRAST: f32 = 0.05;
/// Waves round a ring that a coarse look takes in, the longest.
const WAVES: usize = 4;

/// A wall tile that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceUp {
    /// The place of its front among the fronts, from 0.
    pub front: usize,
    /// Its middle on the board's plane, tile sides.
    pub place: (f32, f32),
    /// 0 to 1.
    pub confidence: f32,
    /// The correlation of its front with what is seen.
    pub fit: f32,
    /// How much of what tells it from the next best front is seen: 1 all, 0 nothing.
    pub told: f32,
}

/// The fronts of a set's wall tiles, ready to be sought.
pub struct Fronts {
    /// A wall tile's side, in sides of the deck's tiles.
    side: f32,
    fronts: Vec<Front>,
    /// The least contrast of a place, as the deviation of its logarithms.
    contrast: f32,
}

struct Front {
    waves: Waves,
    first: Vec<f32>,
    close: Vec<f32>,
    /// The largest correlation with each of the fronts, in any turn.
    like: Vec<f32>,
}

/// A front as it lies over what is seen.
#[derive(Clone, Copy, Debug)]
struct Lying {
    x: f32,
    y: f32,
    turn: f32,
    size: f32,
    fit: f32,
}

impl Fronts {
    /// Makes the fronts of a wall of this thickness (tile sides) ready; each picture is square
    /// and shows one front, cut to its edges.
    pub fn new(pictures: &[RgbImage], thickness: f32) -> Fronts {
        let mut contrast = f32::MAX;
        let mut fronts: Vec<Front> = pictures
            .iter()
            .map(|picture| {
                let plane = Plane::of_front(picture);
                let middle = (plane.width as f32 - 1.0) / 2.0;
                let at = Lying { x: middle, y: middle, turn: 0.0, size: 1.0, fit: 0.0 };
                let seen = |polar: &Polar| plane.polar(polar, at).unwrap_or_default();
                let upright = |polar: &Polar| normal(&seen(polar), polar, LEAST_CONTRAST).unwrap_or_default();
                contrast = contrast.min(deviation(&seen(&COARSE), &COARSE));
                let waves = Waves::of(&seen(&COARSE));
                Front { waves, first: upright(&FIRST), close: upright(&CLOSE), like: Vec::new() }
            })
            .collect();
        let closes: Vec<Vec<f32>> = fronts.iter().map(|front| front.close.clone()).collect();
        for front in &mut fronts {
            front.like = closes.iter().map(|other| turned_best(&front.close, other, &CLOSE).1).collect();
        }
        let contrast = (SETTINGS.contrast * contrast).max(LEAST_CONTRAST);
        Fronts { side: thickness * OF_TOWER, fronts, contrast }
    }

    /// A wall tile's side, in sides of the deck's tiles.
    pub fn side(&self) -> f32 {
        self.side
    }

    /// Two fronts, from 0, that are too alike to be told apart.
    pub fn alike(&self) -> Option<(usize, usize)> {
        let pairs = self.fronts.iter().enumerate().flat_map(|(i, front)| {
            front.like.iter().enumerate().skip(i + 1).map(move |(k, like)| (i, k, *like))
        });
        let most = pairs.max_by(|a, b| a.2.total_cmp(&b.2))?;
        (most.2 >= SETTINGS.same).then_some((most.0, most.1))
    }

    /// Reads the wall tiles in some squares of a frame, whose upper left corners are cells of
    /// the board's plane, `depth` tile sides below the top of the wall. `is_free` says of a
    /// place, in tile sides, whether a wall tile may lie there.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn find(
        &self,
        frame: &RgbImage,
        (pose, depth): (&Pose, f32),
        squares: &[Cell],
        is_free: impl Fn(f32, f32) -> bool + Sync,
    ) -> Result<Vec<FaceUp>, VisionError> {
        let px = (SETTINGS.side_px / self.side.max(0.05)).round().max(8.0) as u32;
        let rectifier = Rectifier::new(frame, pose, depth, px)?;
        let mut found: Vec<FaceUp> = Vec::new();
        for (low, high) in clusters(squares) {
            let first = Cell::new(low.col.saturating_sub(1), low.row.saturating_sub(1));
            let size = ((high.col - first.col + 2) as u32, (high.row - first.row + 2) as u32);
            let plane = Plane::of(&rectifier.board(first, size, px)?, self.side * px as f32);
            let place = |x: f32, y: f32| {
                let per_px = 1.0 / px as f32;
                (f32::from(first.col) + (x + 0.5) * per_px, f32::from(first.row) + (y + 0.5) * per_px)
            };
            let corner = (self.side / 2.0, self.side);
            let asked = |x: f32, y: f32| {
                let (x, y) = place(x, y);
                is_free(x, y) && rectifier.sees((x - corner.0, y - corner.0), corner.1)
            };
            let touches = |col: i8, row: i8| {
                squares.iter().any(|s| s.col.abs_diff(col) <= 1 && s.row.abs_diff(row) <= 1)
            };
            let near_square: Vec<bool> = (0..size.1)
                .flat_map(|row| (0..size.0).map(move |col| (col, row)))
                .map(|(col, row)| touches(first.col + col as i8, first.row + row as i8))
                .collect();
            let (wide, px) = (size.0 as usize, px as usize);
            let changed = |x: usize, y: usize| near_square.get(y / px * wide + x / px) == Some(&true);
            for (front, lying, told) in self.read(&plane, changed, asked) {
                let at = place(lying.x, lying.y);
                let is_known =
                    |f: &FaceUp| (f.place.0 - at.0).hypot(f.place.1 - at.1) < SETTINGS.beside * self.side;
                if !found.iter().any(is_known) {
                    let confidence = (lying.fit * told.min(1.0)).clamp(0.0, 1.0);
                    found.push(FaceUp { front, place: at, confidence, fit: lying.fit, told });
                }
            }
        }
        Ok(found)
    }

    /// The fronts that are seen on a plane, at pixels that have `changed` and at places where
    /// `asked` allows one.
    fn read(
        &self,
        plane: &Plane,
        changed: impl Fn(usize, usize) -> bool + Sync,
        asked: impl Fn(f32, f32) -> bool + Sync,
    ) -> Vec<(usize, Lying, f32)> {
        let places = self.places(plane, changed, asked);
        tracing::trace!(places = places.len(), plane.width, plane.height, "like a front");
        let mut read: Vec<(usize, Lying, f32)> =
            places.par_iter().filter_map(|(x, y)| self.name(plane, *x, *y)).collect();
        read.sort_by(|a, b| b.1.fit.total_cmp(&a.1.fit));
        let mut apart: Vec<(usize, Lying, f32)> = Vec::new();
        for one in read {
            let is_near = |o: &(usize, Lying, f32)| {
                (o.1.x - one.1.x).hypot(o.1.y - one.1.y) < SETTINGS.beside * plane.side
            };
            if !apart.iter().any(is_near) {
                apart.push(one);
            }
        }
        apart
    }

    /// Places that look like a front in some turn, likeliest first.
    fn places(
        &self,
        plane: &Plane,
        changed: impl Fn(usize, usize) -> bool + Sync,
        asked: impl Fn(f32, f32) -> bool + Sync,
    ) -> Vec<(f32, f32)> {
        let step = SETTINGS.step;
        let (columns, rows) = (plane.width / step, plane.height / step);
        let offsets = plane.offsets(&COARSE);
        let alike = |x: usize, y: usize| {
            let mut seen = [[0.0; 3]; COARSE.rings * COARSE.turns];
            if !changed(x, y) {
                return 0.0;
            }
            if !plane.near(&offsets, x, y, &mut seen) || deviation(&seen, &COARSE) < self.contrast {
                return 0.0;
            }
            if !asked(x as f32, y as f32) {
                return 0.0;
            }
            let waves = Waves::of(&seen);
            self.fronts.iter().map(|f| f.waves.alike(&waves)).fold(0.0, f32::max)
        };
        let likeness: Vec<f32> = (0..rows)
            .into_par_iter()
            .flat_map_iter(|row| {
                let alike = &alike;
                (0..columns).map(move |column| alike(column * step, row * step))
            })
            .collect();
        let mut order: Vec<usize> = (0..likeness.len()).filter(|i| likeness[*i] >= SETTINGS.alike).collect();
        order.sort_by(|a, b| likeness[*b].total_cmp(&likeness[*a]));
        let near = SETTINGS.apart * plane.side;
        let area = (plane.width * plane.height) as f32 / (plane.side / self.side).powi(2);
        let most = (SETTINGS.places + area / SETTINGS.squares) as usize;
        let mut places: Vec<(f32, f32)> = Vec::new();
        for i in order {
            let (x, y) = ((i % columns * step) as f32, (i / columns * step) as f32);
            if places.iter().all(|p| (p.0 - x).hypot(p.1 - y) >= near) {
                tracing::trace!(x, y, alike = likeness[i], "like a front");
                places.push((x, y));
                if places.len() >= most {
                    break;
                }
            }
        }
        places
    }

    /// The front that lies about a place, how it lies, and how surely it is told from the next
    /// best; `None` where none surely does.
    fn name(&self, plane: &Plane, x: f32, y: f32) -> Option<(usize, Lying, f32)> {
        let mut best: Vec<Lying> =
            vec![Lying { x, y, turn: 0.0, size: 1.0, fit: f32::MIN }; self.fronts.len()];
        let most = |best: &[Lying]| best.iter().copied().max_by(|a, b| a.fit.total_cmp(&b.fit));
        let mut middle = (x, y);
        for _ in 0..SETTINGS.moves {
            for (dx, dy) in AROUND {
                let by = SETTINGS.by;
                self.look(plane, (middle.0 + by * dx, middle.1 + by * dy), &mut best);
            }
            let now = most(&best)?;
            if now.fit < SETTINGS.hardly || (now.x, now.y) == middle {
                break;
            }
            middle = (now.x, now.y);
        }
        let nearly = most(&best)?.fit;
        tracing::trace!(x, y, nearly, "may be a wall tile");
        if nearly < SETTINGS.nearly {
            return None;
        }
        let likeliest = (0..best.len()).max_by(|a, b| best[*a].fit.total_cmp(&best[*b].fit))?;
        let lying = self.fitted(plane, likeliest, best[likeliest]);
        if lying.fit < SETTINGS.fits_at_all {
            return None;
        }
        let straight = Lying { turn: 0.0, ..lying };
        let seen = plane.polar(&CLOSE, straight).and_then(|p| normal(&p, &CLOSE, self.contrast))?;
        let turned = |front: usize| {
            let (turns, fit) = turned_best(&self.fronts[front].close, &seen, &CLOSE);
            (front, Lying { turn: TAU * turns as f32 / CLOSE.turns as f32, fit, ..lying })
        };
        let mut fitted: Vec<(usize, Lying)> =
            (0..self.fronts.len()).filter(|front| *front != likeliest).map(turned).collect();
        fitted.sort_by(|a, b| b.1.fit.total_cmp(&a.1.fit));
        if let Some((front, from)) = fitted.first_mut() {
            *from = self.fitted(plane, *front, *from);
        }
        fitted.push((likeliest, lying));
        fitted.sort_by(|a, b| b.1.fit.total_cmp(&a.1.fit));
        let (front, lying) = *fitted.first()?;
        let told = fitted.iter().skip(1).map(|(other, l)| self.fronts[front].told(*other, lying.fit, l.fit));
        let told = told.fold(f32::MAX, f32::min);
        tracing::trace!(x, y, front, ?lying, told, ?fitted, "wall tile");
        (lying.fit >= SETTINGS.fits && told >= SETTINGS.told).then_some((front, lying, told))
    }

    /// Holds all fronts against what lies about a place, in steps of a turn; what fits better
    /// than the best before takes its place.
    fn look(&self, plane: &Plane, (x, y): (f32, f32), best: &mut [Lying]) {
        let at = Lying { x, y, turn: 0.0, size: 1.0, fit: 0.0 };
        let seen = plane.polar(&FIRST, at).and_then(|p| normal(&p, &FIRST, self.contrast));
        let Some(seen) = seen else { return };
        for (front, best) in self.fronts.iter().zip(best) {
            let (turns, fit) = turned_best(&front.first, &seen, &FIRST);
            if fit > best.fit {
                *best = Lying { turn: TAU * turns as f32 / FIRST.turns as f32, fit, ..at };
            }
        }
    }

    /// A front laid over a plane as it fits best, from where it nearly does.
    fn fitted(&self, plane: &Plane, front: usize, from: Lying) -> Lying {
        let close = &self.fronts[front].close;
        let fit = |at: Lying| {
            let seen = plane.polar(&CLOSE, at).and_then(|p| normal(&p, &CLOSE, self.contrast));
            Lying { fit: seen.map_or(f32::MIN, |seen| dot(close, &seen)), ..at }
        };
        let mut best = fit(from);
        let mut reach = 1.0_f32;
        while reach > 0.2 {
            let (by, turn) = (reach, reach * TAU / CLOSE.turns as f32);
            let others = AROUND.map(|(dx, dy)| Lying { x: best.x + by * dx, y: best.y + by * dy, ..best });
            let turned = [-turn, turn].map(|t| Lying { turn: best.turn + t, ..best });
            let sized = [-reach, reach].map(|by| {
                let size = best.size + SETTINGS.sized * by;
                Lying { size: size.clamp(SETTINGS.sizes[0], SETTINGS.sizes[1]), ..best }
            });
            let better = others
                .into_iter()
                .chain(turned)
                .chain(sized)
                .map(fit)
                .filter(|other| other.fit > best.fit + 1e-4)
                .max_by(|a, b| a.fit.total_cmp(&b.fit));
            match better {
                Some(better) => best = better,
                None => reach /= 2.0,
            }
        }
        best
    }
}

impl Front {
    /// What share of the difference between this front and another is seen where they fit so
    /// well: 1 where just this one lies there, 0 where both may.
    fn told(&self, other: usize, fit: f32, others: f32) -> f32 {
        let like = self.like.get(other).copied().unwrap_or(0.0);
        (fit - others) / (fit.max(1e-3) * (1.0 - like).max(0.02))
    }
}

/// A place and those beside it.
const AROUND: [(f32, f32); 9] = [
    (0.0, 0.0),
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, 1.0),
    (0.0, -1.0),
    (1.0, 1.0),
    (-1.0, 1.0),
    (1.0, -1.0),
    (-1.0, -1.0),
];

/// Groups of squares that touch, as their first and last cells.
fn clusters(squares: &[Cell]) -> Vec<(Cell, Cell)> {
    let mut left = squares.to_vec();
    let mut found = Vec::new();
    while let Some(first) = left.pop() {
        let mut group = vec![first];
        let mut from = 0;
        while let Some(cell) = group.get(from).copied() {
            let touches = |o: &Cell| o.col.abs_diff(cell.col) <= 1 && o.row.abs_diff(cell.row) <= 1;
            let (more, others) = left.into_iter().partition(touches);
            group.extend::<Vec<Cell>>(more);
            left = others;
            from += 1;
        }
        let range = |of: fn(&Cell) -> i8| {
            let all = || group.iter().map(of);
            (all().min().unwrap_or(0), all().max().unwrap_or(0))
        };
        let (cols, rows) = (range(|c| c.col), range(|c| c.row));
        found.push((Cell::new(cols.0, rows.0), Cell::new(cols.1, rows.1)));
    }
    found
}

/// Rings round a place and directions on each.
struct Polar {
    rings: usize,
    turns: usize,
    /// The radius of it all, as a share of half a side.
    radius: f32,
}

impl Polar {
    /// The radius of a ring, as a share of half a side.
    fn radius(&self, ring: usize) -> f32 {
        self.radius * (ring as f32 + 0.5) / self.rings as f32
    }

    fn directions(&self) -> impl Iterator<Item = (f32, f32)> + '_ {
        (0..self.turns).map(|i| {
            let (s, c) = (TAU * i as f32 / self.turns as f32).sin_cos();
            (c, s)
        })
    }
}

/// The table's plane from above, as logarithms of its colours.
struct Plane {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 3]>,
    /// A wall tile's side, pixels.
    side: f32,
}

impl Plane {
    fn of(picture: &RgbImage, side: f32) -> Plane {
        let logs: [f32; 256] = std::array::from_fn(|v| (v as f32 + SETTINGS.floor).ln());
        let pixels = picture.pixels().map(|p| p.0.map(|v| logs[usize::from(v)])).collect();
        Plane { width: picture.width() as usize, height: picture.height() as usize, pixels, side }
    }

    /// A front alone, as large as it is on a table's plane.
    fn of_front(picture: &RgbImage) -> Plane {
        let px = SETTINGS.side_px.round() as u32;
        let small = image::imageops::resize(picture, px, px, image::imageops::FilterType::Triangle);
        Plane::of(&small, px as f32)
    }

    /// Where the places of rings are from their middle, as steps among the pixels: ring by ring.
    fn offsets(&self, polar: &Polar) -> Vec<isize> {
        let (half, width) = (self.side / 2.0, self.width as isize);
        (0..polar.rings)
            .flat_map(|ring| {
                let r = polar.radius(ring) * half;
                polar
                    .directions()
                    .map(move |(c, s)| (r * s).round() as isize * width + (r * c).round() as isize)
            })
            .collect()
    }

    /// Looks up the pixels at some offsets from a place; `false` where some are off the picture.
    fn near(&self, offsets: &[isize], x: usize, y: usize, seen: &mut [[f32; 3]]) -> bool {
        let reach = (self.side / 2.0).ceil() as usize;
        if x < reach || y < reach || x + reach >= self.width || y + reach >= self.height {
            return false;
        }
        let middle = y * self.width + x;
        for (seen, by) in seen.iter_mut().zip(offsets) {
            let Some(pixel) = middle.checked_add_signed(*by).and_then(|i| self.pixels.get(i)) else {
                return false;
            };
            *seen = *pixel;
        }
        true
    }

    /// What lies on the rings of a front that lies so, ring by ring.
    fn polar(&self, polar: &Polar, at: Lying) -> Option<Vec<[f32; 3]>> {
        let half = self.side / 2.0 * at.size;
        let (s, c) = at.turn.sin_cos();
        let mut seen = Vec::with_capacity(polar.rings * polar.turns);
        for ring in 0..polar.rings {
            let r = polar.radius(ring) * half;
            for (u, v) in polar.directions() {
                seen.push(self.between(at.x + r * (u * c - v * s), at.y + r * (u * s + v * c))?);
            }
        }
        Some(seen)
    }

    /// The colour between pixels; `None` off the picture.
    fn between(&self, x: f32, y: f32) -> Option<[f32; 3]> {
        if !(x >= 0.0 && y >= 0.0) {
            return None;
        }
        let (i, j) = (x as usize, y as usize);
        if i + 1 >= self.width || j + 1 >= self.height {
            return None;
        }
        let (tx, ty) = (x - i as f32, y - j as f32);
        let at = j * self.width + i;
        let [a, b] = [self.pixels[at], self.pixels[at + 1]];
        let [c, d] = [self.pixels[at + self.width], self.pixels[at + self.width + 1]];
        Some(std::array::from_fn(|k| {
            let (top, low) = (a[k] + (b[k] - a[k]) * tx, c[k] + (d[k] - c[k]) * tx);
            top + (low - top) * ty
        }))
    }
}

/// The mean of each colour over all rings, each counting as its area does.
fn means(seen: &[[f32; 3]], polar: &Polar) -> [f32; 3] {
    let (mut sum, mut weights) = ([0.0; 3], 0.0);
    for (ring, pixels) in seen.chunks(polar.turns).enumerate() {
        let weight = polar.radius(ring);
        weights += weight * pixels.len() as f32;
        for pixel in pixels {
            for (s, v) in sum.iter_mut().zip(pixel) {
                *s += weight * v;
            }
        }
    }
    sum.map(|s| s / weights.max(1e-6))
}

/// How much what lies on rings deviates from its mean.
fn deviation(seen: &[[f32; 3]], polar: &Polar) -> f32 {
    let mean = means(seen, polar);
    let square = |p: &[f32; 3]| p.iter().zip(mean).map(|(v, m)| (v - m) * (v - m)).sum::<f32>();
    (seen.iter().map(square).sum::<f32>() / (3 * seen.len()).max(1) as f32).sqrt()
}

/// What lies on rings, less the mean of each colour and of length 1: the light's colour and
/// strength and the picture's contrast are gone. `None` where it has less contrast than this.
fn normal(seen: &[[f32; 3]], polar: &Polar, contrast: f32) -> Option<Vec<f32>> {
    if deviation(seen, polar) < contrast {
        return None;
    }
    let mean = means(seen, polar);
    let mut all = Vec::with_capacity(3 * seen.len());
    for (ring, pixels) in seen.chunks(polar.turns).enumerate() {
        let weight = polar.radius(ring).sqrt();
        all.extend(pixels.iter().flat_map(|p| (0..3).map(move |k| weight * (p[k] - mean[k]))));
    }
    scaled(all)
}

/// What lies on rings as waves round them, in every turn the same but for the waves' phases.
/// All of it together has length 1.
struct Waves {
    /// The mean of each colour of each ring, less the mean of all.
    rings: [f32; 3 * COARSE.rings],
    /// The real and imaginary parts of each wave of each colour of each ring.
    waves: [[[f32; 3 * COARSE.rings]; 2]; WAVES],
}

impl Waves {
    fn of(seen: &[[f32; 3]]) -> Waves {
        let mut waves =
            Waves { rings: [0.0; 3 * COARSE.rings], waves: [[[0.0; 3 * COARSE.rings]; 2]; WAVES] };
        let mean = means(seen, &COARSE);
        let (turns, phases) = (COARSE.turns as f32, &*PHASES);
        for (ring, pixels) in seen.chunks(COARSE.turns).enumerate() {
            let weight = COARSE.radius(ring);
            let (root, twice) = (weight.sqrt() / turns, (2.0 * weight).sqrt() / turns);
            for (pixel, phases) in pixels.iter().zip(phases.iter()) {
                for k in 0..3 {
                    let (v, at) = (pixel[k] - mean[k], 3 * ring + k);
                    waves.rings[at] += root * v;
                    for ([re, im], (c, s)) in waves.waves.iter_mut().zip(phases) {
                        re[at] += twice * v * c;
                        im[at] -= twice * v * s;
                    }
                }
            }
        }
        let all = waves.waves.as_flattened_mut().as_flattened_mut();
        let scale = 1.0 / (dot(&waves.rings, &waves.rings) + dot(all, all)).sqrt().max(1e-6);
        waves.rings.iter_mut().chain(all).for_each(|v| *v *= scale);
        waves
    }

    /// The largest correlation that the two can have in any turn, waves taken by themselves.
    fn alike(&self, other: &Waves) -> f32 {
        let waves = self.waves.iter().zip(&other.waves);
        let turned = waves.map(|([a_re, a_im], [b_re, b_im])| {
            let (re, im) = (dot(a_re, b_re) + dot(a_im, b_im), dot(a_re, b_im) - dot(a_im, b_re));
            re.hypot(im)
        });
        dot(&self.rings, &other.rings) + turned.sum::<f32>()
    }
}

/// Cosines and sines of each wave in the directions of a coarse look.
static PHASES: std::sync::LazyLock<[[(f32, f32); WAVES]; COARSE.turns]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|i| {
        std::array::from_fn(|wave| {
            let (s, c) = (TAU * (i * (wave + 1)) as f32 / COARSE.turns as f32).sin_cos();
            (c, s)
        })
    })
});

fn scaled(mut all: Vec<f32>) -> Option<Vec<f32>> {
    let length = dot(&all, &all).sqrt();
    if length < 1e-6 {
        return None;
    }
    all.iter_mut().for_each(|v| *v /= length);
    Some(all)
}

/// The product of two rows. Sums that do not wait for one another are made vector instructions
/// of.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const ABREAST: usize = 8;
    let (a_rows, b_rows) = (a.chunks_exact(ABREAST), b.chunks_exact(ABREAST));
    let rest: f32 = a_rows.remainder().iter().zip(b_rows.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0_f32; ABREAST];
    for (a, b) in a_rows.zip(b_rows) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    rest + sums.iter().sum::<f32>()
}

/// The turn, in directions, by which a front is turned where it best fits what is seen, and
/// its correlation there.
fn turned_best(front: &[f32], seen: &[f32], polar: &Polar) -> (usize, f32) {
    let row = 3 * polar.turns;
    let fit = |turn: usize| -> f32 {
        front
            .chunks(row)
            .zip(seen.chunks(row))
            .map(|(front, seen)| {
                let (tail, head) = seen.split_at((3 * turn).min(seen.len()));
                let (a, b) = front.split_at(head.len().min(front.len()));
                dot(a, head) + dot(b, tail)
            })
            .sum()
    };
    (0..polar.turns)
        .map(|turn| (turn, fit(turn)))
        .fold((0, f32::MIN), |best, next| if next.1 > best.1 { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    /// A front of stripes and a disc, other for each number.
    fn front(number: u32) -> RgbImage {
        RgbImage::from_fn(96, 96, |x, y| {
            let (dx, dy) = (x as f32 - 60.0, y as f32 - 30.0 - 4.0 * number as f32);
            let in_disc = dx.hypot(dy) < 6.0 + 2.0 * number as f32;
            let in_stripe = ((x + number * y / 4) / (6 + 3 * number)).is_multiple_of(2);
            match (in_disc, in_stripe) {
                (true, _) => Rgb([190, 60, 50]),
                (false, true) => Rgb([235, 226, 200]),
                (false, false) => Rgb([90, 120, 70]),
            }
        })
    }

    fn fronts() -> Vec<RgbImage> {
        (0..KINDS as u32).map(front).collect()
    }

    #[test]
    fn fronts_of_one_picture_are_alike() {
        let mut pictures = fronts();
        assert_eq!(Fronts::new(&pictures, 0.6).alike(), None);
        pictures[7] = image::imageops::rotate90(&pictures[2]);
        assert_eq!(Fronts::new(&pictures, 0.6).alike(), Some((2, 7)));
    }

    #[test]
    fn a_plain_table_and_one_with_stripes_have_no_numbers() {
        let all = Fronts::new(&fronts(), 0.6);
        let plain = RgbImage::from_pixel(120, 120, Rgb([180, 150, 120]));
        let striped =
            RgbImage::from_fn(120, 120, |x, _| if x / 7 % 2 == 0 { Rgb([200; 3]) } else { Rgb([60; 3]) });
        for seen in [plain, striped] {
            assert!(all.read(&Plane::of(&seen, SETTINGS.side_px), |_, _| true, |_, _| true).is_empty());
        }
    }

    #[test]
    fn squares_that_touch_are_one_cluster() {
        let squares = [Cell::new(-1, 2), Cell::new(0, 3), Cell::new(5, 5)];
        let mut found = clusters(&squares);
        found.sort_by_key(|c| c.0.col);
        assert_eq!(found, [(Cell::new(-1, 2), Cell::new(0, 3)), (Cell::new(5, 5), Cell::new(5, 5))]);
    }
}
