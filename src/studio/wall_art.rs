//! Draws the castle wall.

use image::RgbaImage;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use tiny_skia::{Pixmap, Transform};

use super::brush::{Brush, rectangle, star, to_image};
use super::digits;
use super::finish::finish_scaled;
use super::noise::{self, hash, step};
use super::paint::masonry;
use super::signs::tent;
use super::style::{Rgb, Style, lit, mix};
use super::tile::draw_tile;
use crate::rules::{Attribute, Cell, Corner, Face, Port, Segment, Side, TrackPoint, Wall};

/// How far towers may stand out of the wall, in tile sides.
const BULGE: f32 = 0.12;
/// How high digits on the track are, in tile sides.
const DIGITS: f32 = 0.15;
/// How many pieces a wall is put together from (CA-02).
const PIECES: usize = 10;
/// Where pieces of the published wall separate: after these track spaces.
const KNOWN_JOINTS: [u8; 4] = [27, 47, 69, 91];

/// A picture of a wall without tiles.
#[derive(Clone, Debug)]
pub struct WallPicture {
    /// The picture; alpha is 0 inside and outside the wall.
    pub image: RgbaImage,
    /// Where the upper left corner of cell (0, 0) lies in it.
    pub origin_px: (f32, f32),
}

/// Draws a wall with `px_per_tile` pixels a tile side: a walkway between
/// parapets with the score track, a tower at every corner with its two spaces
/// parted by a diagonal, the start spaces at the inner edge, and fine joints
/// where its pieces meet.
pub fn draw_wall(wall: &Wall, style: &Style, px_per_tile: u32) -> WallPicture {
    let px_per_tile = px_per_tile.clamp(1, 1024);
    let scale = px_per_tile as f32;
    let margin = wall.thickness.clamp(0.0, 2.0) + BULGE + 0.02;
    let (cols, rows) = wall.size();
    let side = |n: usize| ((n as f32 + 2.0 * margin) * scale).ceil().max(1.0) as u32;
    let origin = (margin * scale).round();
    let Some(mut map) = Pixmap::new(side(cols), side(rows)) else {
        return WallPicture { image: RgbaImage::new(1, 1), origin_px: (0.0, 0.0) };
    };
    let art = WallArt { wall, style, ring: wall.ring() };
    let width = map.width() as usize;
    map.data_mut().par_chunks_exact_mut(4 * width).enumerate().for_each(|(row, line)| {
        let y = (row as f32 + 0.5 - origin) / scale;
        for (col, p) in line.chunks_exact_mut(4).enumerate() {
            let x = (col as f32 + 0.5 - origin) / scale;
            if let Some(colour) = art.stone(x, y, 1.0 / scale) {
                for (to, c) in p.iter_mut().zip(colour) {
                    *to = (c.clamp(0.0, 1.0) * 255.0).round() as u8;
                }
                p[3] = 255;
            }
        }
    });
    let to_px = Transform::from_row(scale, 0.0, 0.0, scale, origin, origin);
    let mut brush = Brush::new(&mut map, to_px);
    let corners = art.tower_corners();
    art.spaces(&mut brush);
    for (pair, corner) in wall.towers.iter().zip(&corners) {
        if let Some(corner) = corner {
            art.tower(&mut brush, *pair, corner);
        }
    }
    art.joints(&mut brush);
    art.numbers(&mut brush);
    let depth = art.start_depth();
    art.starts(&mut map, px_per_tile, origin as i64, depth);
    art.start_markets(&mut Brush::new(&mut map, to_px), depth);
    finish_scaled(&mut map, style, 0, px_per_tile);
    art.clear_inside(&mut map, scale, origin);
    WallPicture { image: to_image(&map), origin_px: (origin, origin) }
}

/// Where a wall comes apart: after these track spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WallJoints {
    /// The joints that are drawn.
    pub drawn: Vec<usize>,
    /// Every place where a straight cut between two spaces is possible, in track
    /// order.
    pub possible: Vec<usize>,
}

/// The joints of a wall, as [`draw_wall`] draws them.
pub fn wall_joints(wall: &Wall) -> WallJoints {
    WallArt { wall, style: &Style::house(), ring: wall.ring() }.joint_spaces()
}

struct WallArt<'a> {
    wall: &'a Wall,
    style: &'a Style,
    ring: Vec<Corner>,
}

/// A place along a straight run: which run, how far along it, how far outside.
#[derive(Clone, Copy)]
struct OnRun {
    run: usize,
    along: f32,
    depth: f32,
}

impl WallArt<'_> {
    fn inside(&self, x: f32, y: f32) -> bool {
        self.wall.contains(Cell::new(x.floor() as i8, y.floor() as i8))
    }

    /// How far outside the interior a place is, along the axis in which it is
    /// farther, and the place along the other axis.
    fn outside(&self, x: f32, y: f32) -> Option<(f32, f32)> {
        let (col, row) = (x.floor() as i8, y.floor() as i8);
        let mut best: Option<(f32, f32)> = None;
        for r in row.saturating_sub(1)..=row.saturating_add(1) {
            for c in col.saturating_sub(1)..=col.saturating_add(1) {
                if self.wall.contains(Cell::new(c, r)) {
                    let dx = (f32::from(c) - x).max(x - f32::from(c) - 1.0).max(0.0);
                    let dy = (f32::from(r) - y).max(y - f32::from(r) - 1.0).max(0.0);
                    let (far, along) = if dx > dy { (dx, y) } else { (dy, x) };
                    if best.is_none_or(|b| far < b.0) {
                        best = Some((far, along));
                    }
                }
            }
        }
        best
    }

    /// The colour of the wall without what is on it; `None` where it is not.
    fn stone(&self, x: f32, y: f32, pixel: f32) -> Option<Rgb> {
        if self.inside(x, y) {
            return None;
        }
        let s = self.style;
        let thickness = self.wall.thickness;
        let (far, along) = self.outside(x, y).filter(|o| o.0 <= thickness)?;
        let (inner, outer) = (far, thickness - far);
        let fine = s.texture * (0.009 / pixel).clamp(0.35, 1.0);
        let edge = inner.min(outer);
        let ink = s.ink_width.max(0.006);
        if edge < ink {
            return Some(s.palette.ink);
        }
        let base = s.palette.stone;
        let patch = 1.0 + 0.2 * s.patches * noise::mottle(2.2 * x, 2.2 * y, s.seed ^ 0x3A);
        let moss = step(0.35, 0.8, noise::mottle(1.7 * x + 40.0, 1.7 * y, s.seed ^ 0x77)) * s.patches;
        let parapet = 0.075;
        if outer < parapet {
            let f = (along / 0.07).rem_euclid(2.0);
            let block = step(0.0, 0.1, f) * (1.0 - step(1.0, 1.1, f));
            let one = hash((along / 0.14).floor() as i32, x.floor() as i32 + 50 * y.floor() as i32, s.seed);
            let light = 0.72 + 0.4 * block + 0.1 * (one - 0.5);
            return Some(lit(mix(base, s.palette.leaf, 0.3 * moss), light * patch));
        }
        if inner < 0.035 {
            let f = (along / 0.1).rem_euclid(1.0);
            let joint = 1.0 - 0.3 * fine * (1.0 - step(0.0, 0.12, f.min(1.0 - f)));
            return Some(lit(base, 1.05 * joint * patch));
        }
        let walk = masonry(s, 0, fine, x, y, inner);
        let shade = 1.0
            - 0.4 * s.relief * (1.0 - step(parapet, parapet + 0.04, outer))
            - 0.25 * s.relief * (1.0 - step(0.035, 0.055, inner));
        let colour = mix(mix(base, s.palette.path, 0.2), s.palette.leaf, 0.4 * moss);
        Some(lit(colour, 0.86 * walk * patch * shade))
    }

    /// The corner that each tower stands at, by where its track points lie.
    fn tower_corners(&self) -> Vec<Option<Corner>> {
        let thickness = self.wall.thickness;
        self.wall
            .towers
            .iter()
            .map(|(a, b)| {
                let p = self.wall.track.get(usize::from(*a))?;
                let q = self.wall.track.get(usize::from(*b))?;
                let (x, y) = ((p.x + q.x) / 2.0, (p.y + q.y) / 2.0);
                let far = |c: &Corner| {
                    let (cx, cy) = tower_middle(c, thickness);
                    (x - cx).hypot(y - cy)
                };
                self.ring
                    .iter()
                    .copied()
                    .min_by(|a, b| far(a).total_cmp(&far(b)))
                    .filter(|c| far(c) < thickness.max(0.1))
            })
            .collect()
    }

    fn on_run(&self, p: TrackPoint) -> Option<OnRun> {
        let thickness = self.wall.thickness;
        self.ring
            .iter()
            .enumerate()
            .filter_map(|(run, c)| {
                let (dx, dy) = c.direction();
                let (ox, oy) = c.side.step();
                let (u, v) = (p.x - f32::from(c.x), p.y - f32::from(c.y));
                let along = u * f32::from(dx) + v * f32::from(dy);
                let depth = u * f32::from(ox) + v * f32::from(oy);
                let near = (0.0..=f32::from(c.length)).contains(&along) && (0.0..=thickness).contains(&depth);
                near.then_some(OnRun { run, along, depth })
            })
            .min_by(|a, b| (a.depth - thickness / 2.0).abs().total_cmp(&(b.depth - thickness / 2.0).abs()))
    }

    fn plain_space(&self, space: usize) -> Option<OnRun> {
        let number = u8::try_from(space).ok()?;
        if self.wall.tower_at(number).is_some() {
            return None;
        }
        self.on_run(*self.wall.track.get(space)?)
    }

    /// A place of the run in tile units.
    fn at(&self, run: usize, along: f32, depth: f32) -> (f32, f32) {
        let c = &self.ring[run];
        let (dx, dy) = c.direction();
        let (ox, oy) = c.side.step();
        (
            f32::from(c.x) + along * f32::from(dx) + depth * f32::from(ox),
            f32::from(c.y) + along * f32::from(dy) + depth * f32::from(oy),
        )
    }

    /// Where a plain space begins and ends along its run.
    fn extent(&self, space: usize) -> Option<(OnRun, f32, f32)> {
        let own = self.plain_space(space)?;
        let thickness = self.wall.thickness;
        let count = self.wall.track.len();
        let beside = |other: usize| self.plain_space(other).filter(|o| o.run == own.run).map(|o| o.along);
        let corner = &self.ring[own.run];
        let next = &self.ring[(own.run + 1) % self.ring.len()];
        let first = if corner.convex { 0.0 } else { thickness };
        let last = f32::from(corner.length) - if next.convex { 0.0 } else { thickness };
        let from = beside((space + count - 1) % count).map_or(first, |a| (a + own.along) / 2.0);
        let to = beside((space + 1) % count).map_or(last, |a| (a + own.along) / 2.0);
        Some((own, from, to))
    }

    /// The slabs of the plain spaces.
    fn spaces(&self, brush: &mut Brush) {
        let s = self.style;
        let p = &s.palette;
        for space in 0..self.wall.track.len() {
            let Some((own, from, to)) = self.extent(space) else { continue };
            let half = (own.depth - 0.06).min(self.wall.thickness - own.depth - 0.09).clamp(0.06, 0.16);
            let gap = 0.012;
            let slab = [
                self.at(own.run, from + gap, own.depth - half),
                self.at(own.run, to - gap, own.depth - half),
                self.at(own.run, to - gap, own.depth + half),
                self.at(own.run, from + gap, own.depth + half),
            ];
            let tint = if space % 10 == 0 {
                mix(p.paper, p.houses[0], 0.55)
            } else if space % 5 == 0 {
                mix(p.paper, p.path, 0.75)
            } else {
                mix(p.paper, p.stone, 0.3 + 0.12 * hash(space as i32, 5, s.seed))
            };
            brush.polygon(&slab, tint, 0.9);
            brush.outline(&slab, p.ink, 0.75, (0.8 * s.ink_width).max(0.006));
        }
    }

    /// A corner tower with its two spaces.
    fn tower(&self, brush: &mut Brush, (a, b): (u8, u8), corner: &Corner) {
        let s = self.style;
        let p = &s.palette;
        let thickness = self.wall.thickness;
        let (x, y) = tower_middle(corner, thickness);
        let half = thickness / 2.0;
        let ink = s.ink_width.max(0.006);
        let round = (u32::from(a) + s.seed).is_multiple_of(2);
        let r = if corner.convex { half + BULGE * 0.7 } else { half };
        let shape: Vec<(f32, f32)> =
            if round { star(x, y, r, 1.0, 24, 0.0) } else { rectangle(x, y, half, half, 0.0).to_vec() };
        brush.polygon(&shape, lit(p.tower, 0.95), 1.0);
        let merlons = if round { 18 } else { 20 };
        for i in 0..merlons {
            let t = i as f32 / merlons as f32;
            let (mx, my, turn) = if round {
                let a = t * std::f32::consts::TAU;
                (x + 0.9 * r * a.cos(), y + 0.9 * r * a.sin(), a)
            } else {
                let k = 4.0 * t;
                let u = 0.91 * half * (2.0 * k.fract() - 0.8);
                let v = 0.91 * half;
                match k as usize {
                    0 => (x + u, y - v, 0.0),
                    1 => (x + v, y + u, 0.0),
                    2 => (x - u, y + v, 0.0),
                    _ => (x - v, y - u, 0.0),
                }
            };
            let block = rectangle(mx, my, 0.026, 0.026, turn);
            brush.polygon(&block, lit(p.tower, 1.25), 1.0);
            brush.outline(&block, p.ink, 0.6, 0.5 * ink);
        }
        brush.outline(&shape, p.ink, 1.0, ink);
        // The two spaces: the plate is halved from the inner vertex outwards.
        let inner = 0.8 * if round { r } else { half };
        let plate: Vec<(f32, f32)> =
            if round { star(x, y, inner, 1.0, 24, 0.0) } else { rectangle(x, y, inner, inner, 0.0).to_vec() };
        let out = (
            (x - f32::from(corner.x)).signum() * std::f32::consts::FRAC_1_SQRT_2,
            (y - f32::from(corner.y)).signum() * std::f32::consts::FRAC_1_SQRT_2,
        );
        let across = (-out.1, out.0);
        let start = a == 0 && b == 1;
        for (space, number) in [(a, 0), (b, 1)] {
            let Some(point) = self.wall.track.get(usize::from(space)) else { continue };
            let toward = (point.x - x) * across.0 + (point.y - y) * across.1;
            let side = (across.0 * toward.signum(), across.1 * toward.signum());
            let part = clipped(&plate, (x, y), side);
            let colour = match (start, number) {
                (true, 0) => mix(p.paper, p.houses[0], 0.8),
                (true, _) => mix(p.paper, p.houses[1], 0.5),
                (false, 0) => mix(p.paper, p.cloth[0], 0.42),
                (false, _) => mix(p.paper, p.cloth[0], 0.2),
            };
            brush.polygon(&part, colour, 1.0);
        }
        brush.outline(&plate, p.ink, 0.9, ink);
        let reach = if round { inner } else { inner * std::f32::consts::SQRT_2 };
        let end = |k: f32| (x + k * reach * out.0, y + k * reach * out.1);
        brush.line(&[end(-1.0), end(1.0)], p.ink, 1.0, 1.3 * ink);
    }

    /// Fine lines where the pieces meet: where the published wall separates,
    /// as far as no tower stands there, and then in the middle of the longest
    /// stretches.
    fn joint_spaces(&self) -> WallJoints {
        let count = self.wall.track.len();
        let is_joint = |space: usize| {
            let (a, b) = (self.plain_space(space), self.plain_space((space + 1) % count.max(1)));
            matches!((a, b), (Some(a), Some(b)) if a.run == b.run)
        };
        let possible: Vec<usize> = (0..count).filter(|s| is_joint(*s)).collect();
        let mut drawn: Vec<usize> =
            KNOWN_JOINTS.into_iter().map(usize::from).filter(|j| possible.contains(j)).collect();
        while drawn.len() < PIECES {
            let far = |s: usize| {
                drawn.iter().map(|j| s.abs_diff(*j).min(count - s.abs_diff(*j))).min().unwrap_or(count)
            };
            let Some(next) = possible.iter().copied().rev().max_by_key(|s| far(*s)).filter(|s| far(*s) > 2)
            else {
                break;
            };
            drawn.push(next);
        }
        WallJoints { drawn, possible }
    }

    fn joints(&self, brush: &mut Brush) {
        for joint in self.joint_spaces().drawn {
            if let Some((own, _, to)) = self.extent(joint) {
                let ends = [self.at(own.run, to, 0.0), self.at(own.run, to, self.wall.thickness)];
                brush.line(&ends, self.style.palette.ink, 0.95, 0.014);
                brush.line(&ends, lit(self.style.palette.stone, 1.3), 0.7, 0.004);
            }
        }
    }

    fn numbers(&self, brush: &mut Brush) {
        let p = &self.style.palette;
        for (space, point) in self.wall.track.iter().enumerate() {
            let in_tower = u8::try_from(space).is_ok_and(|s| self.wall.tower_at(s).is_some());
            let height = if in_tower { 0.8 * DIGITS } else { DIGITS };
            if let Some(path) = digits::number(space as u32, point.x, point.y, height) {
                brush.stroke(&path, p.paper, 0.7, 0.36 * height);
                brush.stroke(&path, p.ink, 1.0, 0.16 * height);
            }
        }
    }

    /// How deep start spaces reach into the wall: up to the digits.
    fn start_depth(&self) -> f32 {
        let track_depth = (0..self.wall.track.len())
            .filter_map(|i| self.plain_space(i))
            .map(|p| p.depth)
            .fold(self.wall.thickness, f32::min);
        (track_depth - 0.6 * DIGITS).clamp(0.1, 0.28)
    }

    /// The start spaces: the edge of the tile that would lie there.
    fn starts(&self, map: &mut Pixmap, px_per_tile: u32, origin: i64, depth: f32) {
        let scale = px_per_tile as f32;
        let mut rng = Pcg64Mcg::seed_from_u64(u64::from(self.style.seed));
        let depth_px = (depth * scale).round().max(1.0) as u32;
        for start in &self.wall.starts {
            let tile = draw_tile(&without_markets(&start.face), rng.random(), self.style, px_per_tile);
            let lies = start.cell.neighbour(start.side);
            let (left, top) = (
                origin + i64::from(lies.col) * i64::from(px_per_tile),
                origin + i64::from(lies.row) * i64::from(px_per_tile),
            );
            let (width, height) = (i64::from(map.width()), i64::from(map.height()));
            for y in 0..px_per_tile {
                for x in 0..px_per_tile {
                    let (near, beside) = match start.side {
                        Side::North => (px_per_tile - 1 - y, x),
                        Side::South => (y, x),
                        Side::East => (x, y),
                        Side::West => (px_per_tile - 1 - x, y),
                    };
                    let (px, py) = (left + i64::from(x), top + i64::from(y));
                    if near >= depth_px || !(0..width).contains(&px) || !(0..height).contains(&py) {
                        continue;
                    }
                    let margin = beside.min(px_per_tile - 1 - beside).min(depth_px - 1 - near);
                    let framed = (margin as f32) < 0.016 * scale;
                    let colour = if framed {
                        self.style.palette.ink.map(|c| (c * 255.0) as u8)
                    } else {
                        tile.get_pixel(x, y).0
                    };
                    let at = 4 * (py * width + px) as usize;
                    if let Some(p) = map.data_mut().get_mut(at..at + 4) {
                        p[..3].copy_from_slice(&colour);
                        p[3] = 255;
                    }
                }
            }
        }
    }

    /// The markets of start spaces, in the strip that is seen of them.
    fn start_markets(&self, brush: &mut Brush, depth: f32) {
        for start in &self.wall.starts {
            let lies = start.cell.neighbour(start.side);
            for segment in start.face.segments() {
                let places: Vec<f32> = segment.ports.iter().map(along_side).collect();
                let middle = places.iter().sum::<f32>() / places.len().max(1) as f32;
                let markets = segment.attributes.count(Attribute::MARKET);
                for i in 0..markets {
                    let along = middle + 0.24 * (f32::from(i) - f32::from(markets - 1) / 2.0);
                    let (x, y) = match start.side {
                        Side::North => (along, 1.0 - 0.5 * depth),
                        Side::South => (along, 0.5 * depth),
                        Side::East => (0.5 * depth, along),
                        Side::West => (1.0 - 0.5 * depth, along),
                    };
                    tent(
                        brush,
                        self.style,
                        f32::from(lies.col) + x,
                        f32::from(lies.row) + y,
                        0.42 * depth,
                        0.2,
                    );
                }
            }
        }
    }

    fn clear_inside(&self, map: &mut Pixmap, scale: f32, origin: f32) {
        let width = map.width() as usize;
        for (i, p) in map.data_mut().chunks_exact_mut(4).enumerate() {
            let x = ((i % width) as f32 + 0.5 - origin) / scale;
            let y = ((i / width) as f32 + 0.5 - origin) / scale;
            if self.inside(x, y) {
                p.fill(0);
            }
        }
    }
}

/// A face without its markets.
fn without_markets(face: &Face) -> Face {
    let segments = face.segments().iter().map(|s| {
        let attributes = s.attributes.with(Attribute::MARKET, 0);
        Segment { attributes, ..*s }
    });
    Face::new(segments.collect()).unwrap_or_else(|_| face.clone())
}

/// Where along its side a port lies: to the right or downwards, 0 to 1.
fn along_side(port: Port) -> f32 {
    let clockwise = 0.25 * (port.index() % 3 + 1) as f32;
    match port.side() {
        Side::North | Side::East => clockwise,
        Side::South | Side::West => 1.0 - clockwise,
    }
}

/// The middle of the tower at a corner.
fn tower_middle(corner: &Corner, thickness: f32) -> (f32, f32) {
    let (dx, dy) = corner.direction();
    let (ox, oy) = corner.side.step();
    let along = if corner.convex { -0.5 } else { 0.5 } * thickness;
    (
        f32::from(corner.x) + along * f32::from(dx) + 0.5 * thickness * f32::from(ox),
        f32::from(corner.y) + along * f32::from(dy) + 0.5 * thickness * f32::from(oy),
    )
}

/// The part of a convex polygon on one side of a line through a place.
fn clipped(polygon: &[(f32, f32)], (x, y): (f32, f32), side: (f32, f32)) -> Vec<(f32, f32)> {
    let over = |p: &(f32, f32)| (p.0 - x) * side.0 + (p.1 - y) * side.1;
    let mut out = Vec::new();
    for (a, b) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
        let (ha, hb) = (over(a), over(b));
        if ha >= 0.0 {
            out.push(*a);
        }
        if (ha < 0.0) != (hb < 0.0) {
            let t = ha / (ha - hb);
            out.push((a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1)));
        }
    }
    out
}
