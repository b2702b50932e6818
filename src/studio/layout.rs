//! The shapes on a tile, from its face map: which segment holds a place, how
//! far it is to the border of that segment, and the borders as lines.

use super::noise;
pub(super) use super::shapes::NONE;
use super::shapes::{COARSE, Shapes, Stretch};
use crate::rules::{Attribute, Face, Kind, Port, Side};

/// Places a side of the grid on which distances are kept.
const GRID: usize = 112;
/// How far corners of areas are rounded, in coarse places.
const ROUNDING: f32 = 1.4;

/// How the shapes depart from the face map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wobble {
    /// How far borders wander, in tile sides.
    pub amount: f32,
    /// Half the width of paths, in tile sides.
    pub path_half_width: f32,
    /// Whether cities have curved walls.
    pub curved_walls: bool,
    pub seed: u32,
}

/// The radius of the water that a river rises from, and of the lake that it ends in, in tile
/// sides.
pub(super) const SPRING_RADIUS: f32 = 0.13;
pub(super) const LAKE_RADIUS: f32 = 0.24;
/// A river flows round a cloister: how far its middle is from the cloister's, and half its
/// width there, in tile sides.
pub(super) const MOAT: (f32, f32) = (0.255, 0.05);

/// Half the width of a square, in tile sides.
pub(super) const SQUARE_RADIUS: f32 = 0.19;

/// What is known of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The area: a segment that is no line, or `NONE`.
    pub area: u8,
    /// The next likely area and how far it is (in tile sides; small near a border).
    pub other: u8,
    pub margin: f32,
    /// The nearest line segment, and how far inside it the place is.
    pub line: u8,
    pub line_depth: f32,
}

/// The distance field at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relief {
    /// The distance to the nearest border between segments.
    pub distance: f32,
    /// The direction away from that border; shorter than 1 on ridges.
    pub uphill: (f32, f32),
    /// Where along the border, in tile sides.
    pub along: f32,
}

/// A border between two segments.
#[derive(Clone, Debug)]
pub(super) struct Border {
    pub points: Vec<(f32, f32)>,
    pub between: (u8, u8),
}

struct Line {
    segment: u8,
    shape: Shape,
    square: bool,
    /// Whether it is water, which bridges cross.
    water: Option<Water>,
}

enum Shape {
    /// The centre of the quarter circle.
    Curve(f32, f32),
    /// From the middles of sides inwards.
    Arms(Vec<Stretch>),
}

#[derive(Clone, Copy, PartialEq)]
enum Water {
    River,
    /// It rises or ends here in water of this radius.
    Pool(f32),
    /// It flows round the middle.
    Moat,
}

struct Area {
    label: u8,
    share: Vec<f32>,
}

#[derive(Clone, Copy)]
struct Source {
    x: f32,
    y: f32,
    along: f32,
    tangent: (f32, f32),
}

/// The shapes on one tile.
pub(super) struct Layout {
    wobble: Wobble,
    areas: Vec<Area>,
    lines: Vec<Line>,
    has_square: bool,
    has_water: bool,
    labels: Vec<u8>,
    distance: Vec<f32>,
    slope: Vec<(f32, f32)>,
    nearest: Vec<u32>,
    sources: Vec<Source>,
    pub borders: Vec<Border>,
    /// Where roads meet the wall of a city, and the step towards it.
    pub gates: Vec<Stretch>,
}

impl Layout {
    pub(super) fn new(face: &Face, wobble: Wobble) -> Layout {
        let shapes = Shapes::new(face, wobble.curved_walls);
        let lines = lines(face, &shapes);
        let has_square = lines.iter().any(|l| l.square);
        let has_water = lines.iter().any(|l| l.water.is_some());
        let mut layout = Layout {
            wobble,
            areas: areas(&shapes.labels),
            lines,
            has_square,
            has_water,
            labels: Vec::new(),
            distance: vec![1.0; GRID * GRID],
            slope: vec![(0.0, 0.0); GRID * GRID],
            nearest: vec![u32::MAX; GRID * GRID],
            sources: Vec::new(),
            borders: Vec::new(),
            gates: shapes.gates,
        };
        layout.labels = (0..GRID * GRID)
            .map(|i| {
                let (x, y) = (grid(i % GRID), grid(i / GRID));
                layout.label(x, y)
            })
            .collect();
        let shows = |kind| face.segments().iter().any(|s| s.kind == kind);
        layout.trace_borders(shows(Kind::CARCASSONNE) || wobble.curved_walls && shows(Kind::CITY));
        layout.measure();
        layout
    }

    /// The label at a place: its line if it is on one, else its area.
    pub(super) fn label(&self, x: f32, y: f32) -> u8 {
        let place = self.place(x, y);
        if place.line_depth > 0.0 { place.line } else { place.area }
    }

    /// Which segments hold a place.
    pub(super) fn place(&self, x: f32, y: f32) -> Place {
        let (wx, wy) = self.warp(x, y);
        let (x, y) = (x + wx, y + wy);
        let (mut area, mut best) = (NONE, -1.0);
        let (mut other, mut second) = (NONE, -1.0);
        for a in &self.areas {
            let share = sample(&a.share, x, y);
            if share > best {
                (other, second) = (area, best);
                (area, best) = (a.label, share);
            } else if share > second {
                (other, second) = (a.label, share);
            }
        }
        // The slope of a blurred step, turned back into a distance.
        let margin = if second < 0.0 { 1.0 } else { (best - second) * ROUNDING * 1.25 / COARSE as f32 };
        let (mut line, mut depth) = (NONE, f32::NEG_INFINITY);
        let mut bridged = false;
        for l in &self.lines {
            let half = self.wobble.path_half_width;
            let distance = l.distance(x, y, half);
            let inside = if (distance - half).abs() < 0.35 * half {
                half * self.width_noise(x, y) - distance
            } else {
                half - distance
            };
            // Roads cross rivers on bridges.
            let over = l.water.is_none() && inside > 0.0;
            if (inside > depth && !(bridged && l.water.is_some())) || (over && !bridged && self.has_water) {
                (line, depth) = (l.segment, inside);
            }
            bridged |= over;
        }
        Place { area, other, margin, line, line_depth: depth }
    }

    /// How far inside the square a place is; negative outside or without one.
    pub(super) fn square_depth(&self, x: f32, y: f32, corners: f32) -> f32 {
        if !self.has_square {
            return f32::NEG_INFINITY;
        }
        let (dx, dy) = ((x - 0.5).abs(), (y - 0.5).abs());
        let round = dx.hypot(dy);
        let box_like = dx.max(dy) * 1.08;
        SQUARE_RADIUS - (corners * box_like + (1.0 - corners) * round)
    }

    fn width_noise(&self, x: f32, y: f32) -> f32 {
        let fade = noise::step(0.0, 0.12, x.min(y).min(1.0 - x).min(1.0 - y));
        1.0 + fade
            * (6.0 * self.wobble.amount).min(0.2)
            * noise::value(7.0 * x, 7.0 * y, self.wobble.seed ^ 0x77)
    }

    fn warp(&self, x: f32, y: f32) -> (f32, f32) {
        let fade = noise::step(0.0, 0.16, x.min(y).min(1.0 - x).min(1.0 - y)) * self.wobble.amount;
        if fade <= 0.0 {
            return (0.0, 0.0);
        }
        let (u, v) = (3.7 * x, 3.7 * y);
        (
            fade * noise::value(u, v, self.wobble.seed),
            fade * noise::value(u + 17.0, v - 5.0, self.wobble.seed ^ 0x1F),
        )
    }

    /// The distance field at a place.
    pub(super) fn relief(&self, x: f32, y: f32) -> Relief {
        if self.sources.is_empty() {
            // One segment holds the whole tile: its border is far away.
            return Relief { distance: y + 0.4, uphill: (0.0, 1.0), along: x };
        }
        let (i, j, u, v) = weights(x, y, GRID);
        let at = |k: usize| (self.distance[k], self.slope[k]);
        let (a, b, c, d) = (at(i), at(i + 1), at(j), at(j + 1));
        let mix = |f: fn((f32, (f32, f32))) -> f32| {
            (f(a) * (1.0 - u) + f(b) * u) * (1.0 - v) + (f(c) * (1.0 - u) + f(d) * u) * v
        };
        let near = if v < 0.5 { i } else { j } + usize::from(u >= 0.5);
        let along = self
            .sources
            .get(self.nearest[near] as usize)
            .map_or(0.0, |s| s.along + (x - s.x) * s.tangent.0 + (y - s.y) * s.tangent.1);
        Relief { distance: mix(|p| p.0), uphill: (mix(|p| p.1.0), mix(|p| p.1.1)), along }
    }

    /// How much of a place belongs to areas for which `which` holds, 0 to 1;
    /// places outside the tile count as those at its border.
    pub(super) fn share(&self, x: f32, y: f32, which: impl Fn(u8) -> bool) -> f32 {
        self.areas.iter().filter(|a| which(a.label)).map(|a| sample(&a.share, x, y)).sum()
    }

    /// Walks the borders between labels, smooths them, and keeps their points. With `exact`
    /// each ends where three labels meet; without it one of them may run on there, by which
    /// the drawings of decks without curved walls are known.
    fn trace_borders(&mut self, exact: bool) {
        const V: usize = GRID + 1;
        let label = |c: usize, r: usize| self.labels[r * GRID + c];
        // For every grid corner, which of the four grid lines from it (right,
        // down, left, up) are borders.
        let mut open = vec![[false; 4]; V * V];
        for r in 0..GRID {
            for c in 0..GRID {
                if c + 1 < GRID && label(c, r) != label(c + 1, r) {
                    open[r * V + c + 1][1] = true;
                    open[(r + 1) * V + c + 1][3] = true;
                }
                if r + 1 < GRID && label(c, r) != label(c, r + 1) {
                    open[(r + 1) * V + c][0] = true;
                    open[(r + 1) * V + c + 1][2] = true;
                }
            }
        }
        let degree = |o: &[bool; 4]| o.iter().filter(|b| **b).count();
        let ends: Vec<usize> = (0..V * V).filter(|v| !matches!(degree(&open[*v]), 0 | 2)).collect();
        let meets: Vec<bool> = open.iter().map(|o| exact && degree(o) > 2).collect();
        let step = [1_isize, V as isize, -1, -(V as isize)];
        let mut found = Vec::new();
        for start in ends.into_iter().chain(0..V * V) {
            while let Some(first) = open[start].iter().position(|b| *b) {
                let (mut at, mut direction) = (start, first);
                let mut walked = vec![at];
                let between = self.sides_of(at, direction);
                loop {
                    open[at][direction] = false;
                    at = (at as isize + step[direction]) as usize;
                    open[at][(direction + 2) % 4] = false;
                    walked.push(at);
                    match degree(&open[at]) {
                        1 if !meets[at] => direction = open[at].iter().position(|b| *b).unwrap_or(0),
                        _ => break,
                    }
                }
                found.push((walked, between));
            }
        }
        for (walked, between) in found {
            let raw: Vec<(f32, f32)> =
                walked.iter().map(|v| ((v % V) as f32 / GRID as f32, (v / V) as f32 / GRID as f32)).collect();
            let points = smoothed(&raw, raw.first() == raw.last());
            let mut along = 0.0;
            for pair in points.windows(2) {
                let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
                let length = (bx - ax).hypot(by - ay).max(1e-6);
                self.sources.push(Source {
                    x: (ax + bx) / 2.0,
                    y: (ay + by) / 2.0,
                    along: along + length / 2.0,
                    tangent: ((bx - ax) / length, (by - ay) / length),
                });
                along += length;
            }
            self.borders.push(Border { points, between });
        }
    }

    /// The labels left and right of a grid line that starts at a grid corner.
    fn sides_of(&self, corner: usize, direction: usize) -> (u8, u8) {
        let (c, r) = (corner % (GRID + 1), corner / (GRID + 1));
        let label = |c: usize, r: usize| self.labels.get(r * GRID + c).copied().unwrap_or(NONE);
        match direction {
            0 => (label(c, r.wrapping_sub(1)), label(c, r)),
            1 => (label(c, r), label(c.wrapping_sub(1), r)),
            2 => (label(c.wrapping_sub(1), r), label(c.wrapping_sub(1), r.wrapping_sub(1))),
            _ => (label(c.wrapping_sub(1), r.wrapping_sub(1)), label(c, r.wrapping_sub(1))),
        }
    }

    /// The distance of every place to the nearest border, by spreading the
    /// nearest border point over the grid.
    fn measure(&mut self) {
        let far = |s: &Source, i: usize| {
            let (x, y) = (grid(i % GRID), grid(i / GRID));
            let (dx, dy) = (x - s.x, y - s.y);
            // Past the ends of its piece of border a source is a point.
            let along = (dx * s.tangent.0 + dy * s.tangent.1).abs() - 0.5 / GRID as f32;
            let across = dx * s.tangent.1 - dy * s.tangent.0;
            across.hypot(along.max(0.0))
        };
        let index = |v: f32| ((v * GRID as f32) as usize).min(GRID - 1);
        for (k, s) in self.sources.iter().enumerate() {
            for (dx, dy) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
                let i = index(s.y + dy / GRID as f32) * GRID + index(s.x + dx / GRID as f32);
                let d = far(s, i);
                if d < self.distance[i] {
                    self.distance[i] = d;
                    self.nearest[i] = k as u32;
                }
            }
        }
        for _ in 0..2 {
            for i in 0..GRID * GRID {
                self.take_from(
                    i,
                    [
                        i.wrapping_sub(1),
                        i.wrapping_sub(GRID),
                        i.wrapping_sub(GRID + 1),
                        i.wrapping_sub(GRID - 1),
                    ],
                    far,
                );
            }
            for i in (0..GRID * GRID).rev() {
                self.take_from(i, [i + 1, i + GRID, i + GRID + 1, i + GRID - 1], far);
            }
        }
        let raw = self.distance.clone();
        let at = |c: isize, r: isize| {
            let clamp = |v: isize| v.clamp(0, GRID as isize - 1) as usize;
            raw[clamp(r) * GRID + clamp(c)]
        };
        for i in 0..GRID * GRID {
            let (c, r) = ((i % GRID) as isize, (i / GRID) as isize);
            let column = |c: isize| at(c, r - 1) + 2.0 * at(c, r) + at(c, r + 1);
            let line = |r: isize| at(c - 1, r) + 2.0 * at(c, r) + at(c + 1, r);
            let edge = |v: isize| if v == 0 || v == GRID as isize - 1 { 2.0 } else { 1.0 };
            let k = GRID as f32 / 8.0;
            self.slope[i] =
                (k * edge(c) * (column(c + 1) - column(c - 1)), k * edge(r) * (line(r + 1) - line(r - 1)));
        }
    }

    fn take_from(&mut self, i: usize, from: [usize; 4], far: impl Fn(&Source, usize) -> f32) {
        let column = i % GRID;
        for j in from {
            if j >= GRID * GRID || (j % GRID).abs_diff(column) > 1 {
                continue;
            }
            if let Some(s) = self.sources.get(self.nearest[j] as usize) {
                let d = far(s, i);
                if d < self.distance[i] {
                    self.distance[i] = d;
                    self.nearest[i] = self.nearest[j];
                }
            }
        }
    }
}

impl Line {
    /// How far a place is from the middle of the line, where it is `half` wide to each side.
    fn distance(&self, x: f32, y: f32, half: f32) -> f32 {
        let along = match &self.shape {
            Shape::Curve(cx, cy) => ((x - cx).hypot(y - cy) - 0.5).abs(),
            Shape::Arms(arms) => arms
                .iter()
                .map(|((mx, my), (ex, ey))| {
                    let (dx, dy) = (ex - mx, ey - my);
                    let t = (((x - mx) * dx + (y - my) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
                    (x - mx - t * dx).hypot(y - my - t * dy)
                })
                .fold(f32::INFINITY, f32::min),
        };
        let out = (x - 0.5).hypot(y - 0.5);
        match self.water {
            None | Some(Water::River) => along,
            Some(Water::Pool(radius)) => along.min(out - radius + half),
            Some(Water::Moat) if out < MOAT.0 => MOAT.0 - out + half - MOAT.1,
            Some(Water::Moat) => along.min(out - MOAT.0 + half - MOAT.1),
        }
    }
}

/// The lines of a face.
fn lines(face: &Face, shapes: &Shapes) -> Vec<Line> {
    let cloister = face.segments().iter().any(|s| s.kind == Kind::CLOISTER);
    let mut stubs = Some(&shapes.stubs);
    let line = |(i, s): (usize, &crate::rules::Segment)| {
        let sides: Vec<Side> = s.ports.iter().map(Port::side).collect();
        let shape = match sides[..] {
            [a, b] if a.opposite() != b => {
                let ((ax, ay), (bx, by)) = (a.midpoint(), b.midpoint());
                Shape::Curve(ax + bx - 0.5, ay + by - 0.5)
            }
            _ => {
                let arm = |side: Side| {
                    let ((mx, my), reach) = (side.midpoint(), shapes.reach[side.index()]);
                    let reach = if s.kind == Kind::ROAD { 2.0 * reach } else { 1.0 };
                    ((mx, my), (mx + (0.5 - mx) * reach, my + (0.5 - my) * reach))
                };
                let mut arms: Vec<Stretch> = sides.iter().map(|side| arm(*side)).collect();
                if s.kind == Kind::ROAD
                    && sides.len() == 1
                    && let Some(stubs) = stubs.take()
                {
                    arms.extend(stubs);
                }
                Shape::Arms(arms)
            }
        };
        let water = match sides.len() {
            _ if s.kind != Kind::RIVER => None,
            1 if s.attributes.has(Attribute::SPRING) => Some(Water::Pool(SPRING_RADIUS)),
            1 => Some(Water::Pool(LAKE_RADIUS)),
            _ if cloister => Some(Water::Moat),
            _ => Some(Water::River),
        };
        Line { segment: i as u8, shape, square: s.attributes.has(Attribute::SQUARE), water }
    };
    let held = |(_, s): &(usize, &crate::rules::Segment)| s.kind.is_line() && !s.ports.is_empty();
    face.segments().iter().enumerate().filter(held).map(line).collect()
}

/// Where a fountain stands on a path: in the middle of its line.
pub(super) fn line_middle(face: &Face, segment: usize) -> (f32, f32) {
    let sides: Vec<Side> =
        face.segments().get(segment).map(|s| s.ports.iter().map(Port::side).collect()).unwrap_or_default();
    match sides[..] {
        [a, b] if a.opposite() != b => {
            let ((ax, ay), (bx, by)) = (a.midpoint(), b.midpoint());
            let (cx, cy) = (ax + bx - 0.5, ay + by - 0.5);
            let k = 0.5 / (0.5_f32).hypot(0.5);
            (cx + k * (0.5 - cx), cy + k * (0.5 - cy))
        }
        [a] => {
            let (mx, my) = a.midpoint();
            (0.65 * 0.5 + 0.35 * mx, 0.65 * 0.5 + 0.35 * my)
        }
        _ => (0.5, 0.5),
    }
}

/// Where an arm that ends at a building ends, and the step from the border
/// towards there; `None` for lines with another number of ends or at a square.
pub(super) fn blind_end(face: &Face, segment: usize) -> Option<(f32, f32)> {
    let s = face.segments().get(segment)?;
    let square = s.attributes.has(Attribute::SQUARE);
    let sides: Vec<Side> = s.ports.iter().map(Port::side).collect();
    match sides[..] {
        [side] if !square && s.kind.is_line() && s.kind != Kind::RIVER => {
            let (mx, my) = side.midpoint();
            Some(((0.5 - mx) * 2.0, (0.5 - my) * 2.0))
        }
        _ => None,
    }
}

/// The areas, each as a blurred share of every coarse place; places under lines go to the
/// nearest area.
fn areas(labels: &[u8]) -> Vec<Area> {
    let mut labels = labels.to_vec();
    while labels.contains(&NONE) && labels.iter().any(|l| *l != NONE) {
        let before = labels.clone();
        for i in 0..labels.len() {
            if before[i] == NONE {
                let (c, r) = (i % COARSE, i / COARSE);
                labels[i] = [
                    (c > 0, i.wrapping_sub(1)),
                    (c + 1 < COARSE, i + 1),
                    (r > 0, i.wrapping_sub(COARSE)),
                    (r + 1 < COARSE, i + COARSE),
                ]
                .into_iter()
                .filter(|(ok, j)| *ok && before[*j] != NONE)
                .map(|(_, j)| before[j])
                .next()
                .unwrap_or(NONE);
            }
        }
    }
    let mut present = labels.clone();
    present.sort_unstable();
    present.dedup();
    present
        .into_iter()
        .map(|label| {
            let own: Vec<f32> = labels.iter().map(|l| f32::from(u8::from(*l == label))).collect();
            Area { label, share: blurred(&own) }
        })
        .collect()
}

/// A Gaussian blur over the coarse grid; places outside are as at the border.
fn blurred(values: &[f32]) -> Vec<f32> {
    let reach = (2.5 * ROUNDING).ceil() as isize;
    let kernel: Vec<f32> = (-reach..=reach).map(|i| (-0.5 * (i as f32 / ROUNDING).powi(2)).exp()).collect();
    let sum: f32 = kernel.iter().sum();
    let pass = |values: &[f32], along: usize, across: usize| -> Vec<f32> {
        let mut out = vec![0.0; COARSE * COARSE];
        for a in 0..COARSE {
            for b in 0..COARSE {
                let total: f32 = kernel
                    .iter()
                    .zip(-reach..)
                    .map(|(k, i)| {
                        let at = (b as isize + i).clamp(0, COARSE as isize - 1) as usize;
                        k * values[a * across + at * along]
                    })
                    .sum();
                out[a * across + b * along] = total / sum;
            }
        }
        out
    };
    pass(&pass(values, 1, COARSE), COARSE, 1)
}

/// A line through the middles of a staircase.
fn smoothed(points: &[(f32, f32)], closed: bool) -> Vec<(f32, f32)> {
    const REACH: isize = 4;
    let n = points.len() as isize;
    let mut out: Vec<(f32, f32)> = (0..n)
        .map(|i| {
            let reach = if closed { REACH } else { REACH.min(i).min(n - 1 - i) };
            let (mut x, mut y) = (0.0, 0.0);
            for k in -reach..=reach {
                let at = if closed { (i + k).rem_euclid(n - 1) } else { i + k };
                let p = points[at as usize];
                x += p.0;
                y += p.1;
            }
            let count = (2 * reach + 1) as f32;
            (x / count, y / count)
        })
        .collect();
    if closed && let (Some(first), Some(last)) = (out.first().copied(), out.last_mut()) {
        *last = first;
    }
    out
}

/// The middle of a grid place.
fn grid(i: usize) -> f32 {
    (i as f32 + 0.5) / GRID as f32
}

/// The two left neighbours (upper, lower) on a grid of middles, and how far the
/// place is between them.
fn weights(x: f32, y: f32, side: usize) -> (usize, usize, f32, f32) {
    let most = side as f32 - 1.001;
    let gx = (x * side as f32 - 0.5).clamp(0.0, most);
    let gy = (y * side as f32 - 0.5).clamp(0.0, most);
    let (ix, iy) = (gx as usize, gy as usize);
    (iy * side + ix, (iy + 1) * side + ix, gx - ix as f32, gy - iy as f32)
}

fn sample(values: &[f32], x: f32, y: f32) -> f32 {
    let (i, j, u, v) = weights(x, y, COARSE);
    (values[i] * (1.0 - u) + values[i + 1] * u) * (1.0 - v) + (values[j] * (1.0 - u) + values[j + 1] * u) * v
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{FaceMap, classic};
    use crate::studio::shapes::is_quarter;

    /// The faces of the classic game and all its modules, with the tiles' names.
    fn faces() -> Vec<(String, Face)> {
        let sets: Vec<&str> = classic::sets().map(|s| s.0).filter(|s| *s != "count15").collect();
        let deck = classic::deck_with(&sets).unwrap();
        deck.tiles.into_iter().filter_map(|t| Some((t.id, t.face?))).collect()
    }

    fn layout(face: &Face, curved_walls: bool) -> Layout {
        Layout::new(face, Wobble { amount: 0.014, path_half_width: 0.08, curved_walls, seed: 5 })
    }

    #[test]
    fn a_city_is_in_one_piece() {
        const N: usize = 80;
        let at = |v: usize| (v as f32 + 0.5) / N as f32;
        for (id, face) in faces() {
            let layout = layout(&face, true);
            let labels: Vec<u8> = (0..N * N).map(|i| layout.label(at(i % N), at(i / N))).collect();
            for (i, segment) in face.segments().iter().enumerate() {
                if !matches!(segment.kind, Kind::CITY | Kind::CARCASSONNE) {
                    continue;
                }
                let mut seen = vec![false; N * N];
                let mut pieces = 0;
                for start in 0..N * N {
                    if seen[start] || usize::from(labels[start]) != i {
                        continue;
                    }
                    pieces += 1;
                    let mut open = vec![start];
                    while let Some(p) = open.pop() {
                        if std::mem::replace(&mut seen[p], true) {
                            continue;
                        }
                        let (c, r) = (p % N, p / N);
                        let near = [
                            (c > 0, p.wrapping_sub(1)),
                            (c + 1 < N, p + 1),
                            (r > 0, p.wrapping_sub(N)),
                            (r + 1 < N, p + N),
                        ];
                        let same = near.into_iter().filter(|(ok, q)| *ok && usize::from(labels[*q]) == i);
                        open.extend(same.map(|(_, q)| q));
                    }
                }
                // One of two cities that cross runs over a bridge.
                let most = if id == "KR-CCcc" && i == 0 { 2 } else { 1 };
                assert_eq!(pieces, most, "{id}: segment {i}");
            }
        }
    }

    #[test]
    fn a_figure_on_the_face_maps_place_stands_on_what_is_drawn() {
        let mut beside = Vec::new();
        for (id, face) in faces() {
            let map = FaceMap::new(&face);
            // A road that ends at a cloister is drawn up to its middle, below it.
            let cloister = face.segments().iter().any(|s| s.kind == Kind::CLOISTER);
            for curved in [false, true] {
                let layout = layout(&face, curved);
                for (i, segment) in face.segments().iter().enumerate() {
                    let (x, y) = map.anchor(i);
                    let on = usize::from(layout.label(x, y)) == i;
                    let below = is_quarter(segment.kind) || cloister && segment.kind == Kind::CLOISTER;
                    if !on && !below && segment.kind != Kind::RIVER {
                        beside.push(format!("{id} {curved}: {} at {x:.2} {y:.2}", segment.kind));
                    }
                }
            }
        }
        assert_eq!(beside, Vec::<String>::new());
    }
}
