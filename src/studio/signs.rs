//! What counts on a tile, each drawn by itself: tents, inns, cathedrals, goods, sieges, the
//! quarters of the City of Carcassonne.

use std::f32::consts::{PI, TAU};

use super::brush::{Brush, rectangle, star};
use super::style::{Rgb, Style, lit, mix};
use crate::rules::Attribute;

/// Colours by which goods and sieges are known in every style.
const CRIMSON: Rgb = [0.6, 0.1, 0.17];
const GOLD: Rgb = [0.94, 0.74, 0.22];
const SACK: Rgb = [0.27, 0.4, 0.2];
const INDIGO: Rgb = [0.2, 0.3, 0.62];
const SAND: Rgb = [0.9, 0.8, 0.6];
const CREAM: Rgb = [0.98, 0.95, 0.87];
const SOOT: Rgb = [0.2, 0.18, 0.19];
const EMBER: Rgb = [0.97, 0.5, 0.13];

type Point = (f32, f32);

/// Draws round a place, in units and directions of its own.
struct Pen<'a, 'b> {
    brush: &'a mut Brush<'b>,
    style: &'a Style,
    middle: Point,
    unit: f32,
    turn: f32,
}

impl Pen<'_, '_> {
    fn at(&self, (u, v): Point) -> Point {
        let (s, c) = self.turn.sin_cos();
        let (x, y) = self.middle;
        (x + self.unit * (c * u - s * v), y + self.unit * (s * u + c * v))
    }

    fn all(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|p| self.at(*p)).collect()
    }

    fn fill(&mut self, points: &[Point], colour: Rgb) {
        let points = self.all(points);
        self.brush.polygon(&points, colour, 1.0);
    }

    /// A shape with an outline.
    fn shape(&mut self, points: &[Point], colour: Rgb) {
        let points = self.all(points);
        self.brush.polygon(&points, colour, 1.0);
        self.brush.outline(&points, self.style.palette.ink, 0.9, thin(self.style));
    }

    fn round(&mut self, middle: Point, radius: f32, colour: Rgb) {
        let (x, y) = self.at(middle);
        self.brush.disc(x, y, radius * self.unit, colour, 1.0);
        self.brush.ring(x, y, radius * self.unit, self.style.palette.ink, 0.9, thin(self.style));
    }

    fn stroke(&mut self, points: &[Point], colour: Rgb, width: f32) {
        let points = self.all(points);
        self.brush.line(&points, colour, 1.0, width * self.unit);
    }

    /// The shadow of something so high.
    fn cast(&mut self, points: &[Point], height: f32) {
        let (sx, sy, dark) = shadow(self.style, height * self.unit);
        let below: Vec<Point> = self.all(points).into_iter().map(|(x, y)| (x + sx, y + sy)).collect();
        self.brush.polygon(&below, self.style.palette.ink, dark);
    }

    /// A roof whose ridge runs along `u`, seen from above.
    fn roof(&mut self, (u, v): Point, half_length: f32, half_width: f32, colour: Rgb) {
        let (s, c) = self.turn.sin_cos();
        let facing = self.style.relief * (s * self.style.light.0 - c * self.style.light.1);
        let half = |side: f32| {
            [
                (u - half_length, v),
                (u + half_length, v),
                (u + half_length, v + side * half_width),
                (u - half_length, v + side * half_width),
            ]
        };
        self.fill(&half(-1.0), lit(colour, 1.06 + 0.22 * facing));
        self.fill(&half(1.0), lit(colour, 0.94 - 0.22 * facing));
        let all = rectangle(u, v, half_length, half_width, 0.0);
        let all = self.all(&all);
        self.brush.outline(&all, self.style.palette.ink, 0.9, thin(self.style));
        let ridge = self.all(&[(u - half_length, v), (u + half_length, v)]);
        self.brush.line(&ridge, self.style.palette.ink, 0.45, 0.7 * thin(self.style));
    }

    /// A round tower with a cone for a roof.
    fn turret(&mut self, middle: Point, radius: f32, colour: Rgb) {
        let (x, y) = self.at(middle);
        let r = radius * self.unit;
        let (sx, sy, dark) = shadow(self.style, 0.6 * r);
        self.brush.disc(x + sx, y + sy, r, self.style.palette.ink, dark);
        cone(self.brush, self.style, (x, y), r, colour, 0.32);
        self.brush.ring(x, y, r, self.style.palette.ink, 0.9, thin(self.style));
        self.brush.disc(x, y, 0.18 * r, self.style.palette.ink, 0.8);
    }
}

fn pen<'a, 'b>(brush: &'a mut Brush<'b>, style: &'a Style, middle: Point, unit: f32) -> Pen<'a, 'b> {
    Pen { brush, style, middle, unit, turn: 0.0 }
}

/// Points round an ellipse.
fn ellipse((u, v): Point, (a, b): Point) -> Vec<Point> {
    (0..28)
        .map(|i| {
            let t = i as f32 * TAU / 28.0;
            (u + a * t.cos(), v + b * t.sin())
        })
        .collect()
}

/// An inn: a house at a small lake, in a circle of radius `r`.
pub(super) fn inn(brush: &mut Brush, style: &Style, middle: Point, r: f32) {
    let p = &style.palette;
    let mut pen = pen(brush, style, middle, r);
    let lake = |k: f32| -> Vec<Point> {
        (0..30)
            .map(|i| {
                let t = i as f32 * TAU / 30.0;
                let bay = 1.0 + 0.08 * (3.0 * t + 0.6).sin() + 0.05 * (5.0 * t).cos();
                (k * bay * 0.92 * t.cos(), 0.2 + k * bay * 0.72 * t.sin())
            })
            .collect()
    };
    pen.shape(&lake(1.0), mix(p.path, p.field, 0.3));
    pen.fill(&lake(0.88), lit(p.water, 1.15));
    pen.fill(&lake(0.74), mix(p.water, p.river, 0.5));
    for (u, v) in [(-0.3, 0.5), (0.25, 0.36), (0.1, 0.62)] {
        pen.stroke(&[(u - 0.14, v), (u, v - 0.05), (u + 0.14, v)], CREAM, 0.06);
    }
    for (u, v) in [(-0.78, 0.2), (-0.7, 0.3), (0.72, 0.5), (0.8, 0.38)] {
        pen.stroke(&[(u, v), (u - 0.04, v - 0.26)], lit(p.leaf, 0.85), 0.07);
    }
    let base = rectangle(0.0, -0.5, 0.52, 0.38, 0.0);
    pen.cast(&base, 0.22);
    pen.roof((0.0, -0.5), 0.52, 0.38, p.houses[0]);
    pen.shape(&rectangle(0.28, -0.66, 0.1, 0.1, 0.0), lit(p.stone, 0.95));
    // The sign over its door.
    pen.shape(&rectangle(0.0, -0.22, 0.17, 0.14, 0.0), p.wood);
    pen.round((0.0, -0.22), 0.09, GOLD);
}

/// A cathedral from above: nave, transept, apse and two towers; `r` is half its length.
pub(super) fn cathedral(brush: &mut Brush, style: &Style, middle: Point, r: f32, turn: f32) {
    let p = &style.palette;
    let (slate, stone) = (p.slate, lit(p.stone, 1.12));
    let mut pen = Pen { turn, ..pen(brush, style, middle, r) };
    let choir: Vec<Point> =
        ellipse((0.66, 0.0), (0.34, 0.32)).into_iter().filter(|(u, _)| *u >= 0.66).collect();
    let nave = rectangle(-0.08, 0.0, 0.78, 0.36, 0.0);
    let transept = rectangle(0.2, 0.0, 0.26, 0.78, 0.0);
    for part in [&choir[..], &nave, &transept] {
        pen.cast(part, 0.16);
    }
    pen.shape(&choir, lit(slate, 1.15));
    // Buttresses along the nave.
    for i in 0..4 {
        let u = -0.62 + 0.2 * i as f32;
        for side in [-1.0, 1.0] {
            pen.shape(&rectangle(u, side * 0.4, 0.045, 0.1, 0.0), stone);
        }
    }
    pen.shape(&rectangle(-0.08, 0.0, 0.78, 0.36, 0.0), stone);
    pen.shape(&transept, stone);
    pen.roof((-0.05, 0.0), 0.72, 0.28, slate);
    pen.turn += PI / 2.0;
    pen.roof((0.0, -0.2), 0.72, 0.2, slate);
    pen.turn -= PI / 2.0;
    pen.fill(&rectangle(0.2, 0.0, 0.2, 0.27, 0.0), slate);
    for (du, dv) in [(-1.0, -1.0), (1.0, -1.0)] {
        let valley = [(0.2 - 0.2 * du, -0.28 * dv), (0.2 + 0.2 * du, 0.28 * dv)];
        let valley = pen.all(&valley);
        pen.brush.line(&valley, p.ink, 0.5, 0.8 * thin(style));
    }
    for side in [-1.0, 1.0] {
        pen.shape(&rectangle(-0.8, 0.34 * side, 0.2, 0.2, 0.0), lit(stone, 1.1));
        pen.turret((-0.8, 0.34 * side), 0.17, slate);
    }
    pen.round((-0.82, 0.0), 0.11, INDIGO);
    pen.round((-0.82, 0.0), 0.045, GOLD);
    // The cross over the crossing.
    for (colour, width) in [(p.ink, 0.14), (GOLD, 0.085)] {
        for bar in [[(-0.06, 0.0), (0.42, 0.0)], [(0.24, -0.17), (0.24, 0.17)]] {
            pen.stroke(&bar, colour, width);
        }
    }
}

/// The badge of goods in a city, of radius `r`: wine a cup on a round, grain an ear on a
/// lozenge, cloth a bale on a square. Nothing for what is no goods.
pub(super) fn goods(brush: &mut Brush, style: &Style, what: Attribute, middle: Point, r: f32) {
    let ink = style.palette.ink;
    let mut pen = pen(brush, style, middle, r);
    if what == Attribute::WINE {
        let badge = ellipse((0.0, 0.0), (1.0, 1.0));
        pen.cast(&badge, 0.12);
        pen.shape(&badge, CREAM);
        let (x, y) = pen.middle;
        pen.brush.ring(x, y, 0.86 * r, CRIMSON, 1.0, 0.1 * r);
        let bowl: Vec<Point> = (0..=16)
            .map(|i| {
                let t = i as f32 * PI / 16.0;
                (0.46 * t.cos(), -0.52 + 0.58 * t.sin())
            })
            .collect();
        pen.stroke(&[(0.0, 0.0), (0.0, 0.56)], ink, 0.17);
        pen.shape(&[(-0.34, 0.66), (0.34, 0.66), (0.14, 0.5), (-0.14, 0.5)], CRIMSON);
        pen.shape(&bowl, CRIMSON);
        pen.stroke(&[(-0.24, -0.36), (-0.16, -0.16)], CREAM, 0.09);
    } else if what == Attribute::GRAIN {
        let badge = [(0.0, -1.16), (1.16, 0.0), (0.0, 1.16), (-1.16, 0.0)];
        pen.cast(&badge, 0.12);
        pen.shape(&badge, GOLD);
        pen.fill(&badge.map(|(u, v)| (0.84 * u, 0.84 * v)), SACK);
        pen.stroke(&[(0.0, 0.86), (0.0, -0.5)], GOLD, 0.1);
        for i in 0..4 {
            let v = 0.3 - 0.27 * i as f32;
            for side in [-1.0, 1.0] {
                let kernel = [
                    (0.0, v + 0.06),
                    (0.2 * side, v + 0.02),
                    (0.36 * side, v - 0.24),
                    (0.14 * side, v - 0.16),
                ];
                pen.shape(&kernel, GOLD);
            }
        }
        pen.shape(&[(0.0, -0.92), (0.12, -0.7), (0.0, -0.5), (-0.12, -0.7)], GOLD);
    } else if what == Attribute::CLOTH {
        let badge = rectangle(0.0, 0.0, 0.94, 0.94, 0.0);
        pen.cast(&badge, 0.12);
        pen.shape(&badge, SAND);
        // A roll of cloth and the end that hangs from it.
        let sheet = [(-0.62, -0.2), (0.34, -0.2), (0.34, 0.5), (0.18, 0.66), (-0.62, 0.66)];
        pen.shape(&sheet, lit(INDIGO, 1.25));
        for v in [0.2, 0.42] {
            pen.stroke(&[(-0.6, v), (0.32, v)], CREAM, 0.08);
        }
        pen.shape(&rectangle(-0.08, -0.32, 0.58, 0.27, 0.0), INDIGO);
        pen.stroke(&[(-0.6, -0.42), (0.44, -0.42)], lit(INDIGO, 1.5), 0.07);
        pen.round((0.5, -0.32), 0.27, CREAM);
        let (x, y) = pen.at((0.5, -0.32));
        pen.brush.ring(x, y, 0.13 * r, INDIGO, 1.0, 0.07 * r);
    }
}

/// Two crossed swords on a dark round: a city that is besieged.
pub(super) fn swords(brush: &mut Brush, style: &Style, middle: Point, r: f32) {
    let mut pen = pen(brush, style, middle, r);
    let badge = ellipse((0.0, 0.0), (1.0, 1.0));
    pen.cast(&badge, 0.12);
    pen.shape(&badge, SOOT);
    let (x, y) = pen.middle;
    pen.brush.ring(x, y, 0.86 * r, CRIMSON, 1.0, 0.13 * r);
    for side in [-1.0, 1.0] {
        pen.stroke(&[(-0.46 * side, 0.5), (0.46 * side, -0.54)], CREAM, 0.2);
        pen.stroke(&[(-0.5 * side, 0.12), (-0.14 * side, 0.46)], GOLD, 0.16);
        pen.stroke(&[(-0.54 * side, 0.58), (-0.4 * side, 0.42)], CRIMSON, 0.2);
    }
}

/// A tent of besiegers with its pole and pennon, of radius `r`; it looks towards `turn`.
pub(super) fn besieger(brush: &mut Brush, style: &Style, middle: Point, r: f32, turn: f32) {
    let mut pen = Pen { turn, ..pen(brush, style, middle, r) };
    pen.cast(&rectangle(0.0, 0.0, 1.0, 0.75, 0.0), 0.4);
    pen.roof((0.0, 0.0), 1.0, 0.75, CRIMSON);
    for u in [-0.5, 0.3] {
        pen.fill(&rectangle(u, 0.0, 0.16, 0.72, 0.0), CREAM);
    }
    pen.stroke(&[(-1.0, 0.0), (1.0, 0.0)], style.palette.ink, 0.12);
    pen.fill(&[(1.0, 0.0), (0.55, -0.3), (0.55, 0.3)], SOOT);
}

/// A bridge over water, its way `half_width` wide to each side, so long from its middle; it
/// runs along `turn`.
pub(super) fn bridge(brush: &mut Brush, style: &Style, middle: Point, half: (f32, f32), turn: f32, way: Rgb) {
    let p = &style.palette;
    let (length, width) = half;
    let mut pen = Pen { turn, ..pen(brush, style, middle, 1.0) };
    pen.cast(&rectangle(0.0, 0.0, length, width, 0.0), 0.03);
    pen.fill(&rectangle(0.0, 0.0, length, width, 0.0), way);
    let planks = 7;
    for i in 1..planks {
        let u = length * (2.0 * i as f32 / planks as f32 - 1.0);
        let plank = pen.all(&[(u, -width), (u, width)]);
        pen.brush.line(&plank, p.ink, 0.35, 0.6 * thin(style));
    }
    for side in [-1.0, 1.0] {
        pen.shape(&rectangle(0.0, side * width, length, 0.018, 0.0), lit(p.stone, 1.08));
        for end in [-1.0, 1.0] {
            pen.shape(&rectangle(end * length, side * width, 0.026, 0.026, 0.0), lit(p.stone, 1.2));
        }
    }
}

/// A gate in a wall: two towers beside a door, across a road that comes along `turn`.
pub(super) fn gate(brush: &mut Brush, style: &Style, middle: Point, half_width: f32, turn: f32) {
    let p = &style.palette;
    let mut pen = Pen { turn, ..pen(brush, style, middle, half_width) };
    pen.shape(&rectangle(0.1, 0.0, 0.34, 0.9, 0.0), p.wood);
    for v in [-0.4, 0.0, 0.4] {
        pen.stroke(&[(-0.2, v), (0.4, v)], lit(p.wood, 0.6), 0.1);
    }
    for side in [-1.0, 1.0] {
        pen.turret((0.1, 1.0 * side), 0.5, p.slate);
    }
}

/// A tower of a city wall.
pub(super) fn wall_tower(brush: &mut Brush, style: &Style, middle: Point, r: f32) {
    let p = &style.palette;
    let (x, y) = middle;
    let (sx, sy, dark) = shadow(style, 0.5 * r);
    brush.disc(x + sx, y + sy, r, p.ink, dark);
    brush.disc(x, y, r, lit(p.stone, 0.95), 1.0);
    brush.ring(x, y, r, p.ink, 0.9, thin(style));
    let mut pen = pen(brush, style, middle, r);
    pen.turret((0.0, 0.0), 0.74, p.slate);
}

/// Where a river rises: rocks round the water, `r` from its middle, open towards `turn`.
pub(super) fn spring(brush: &mut Brush, style: &Style, middle: Point, r: f32, turn: f32) {
    let p = &style.palette;
    let mut pen = Pen { turn, ..pen(brush, style, middle, r) };
    for i in 0..9 {
        let a = 0.24 * TAU + i as f32 * 0.065 * TAU;
        let size = [0.34, 0.25, 0.38, 0.3][i % 4];
        let (u, v) = (1.0 * a.cos(), 1.0 * a.sin());
        let rock: Vec<Point> = star(u, v, size, 0.82, 4, 1.7 * i as f32);
        pen.cast(&rock, 0.2);
        pen.shape(&rock, lit(p.stone, 0.85 + 0.08 * (i % 3) as f32));
        pen.fill(&star(u - 0.06, v - 0.07, 0.5 * size, 0.8, 3, i as f32), lit(p.stone, 1.2));
    }
    let (x, y) = pen.middle;
    for k in [0.62, 0.36] {
        pen.brush.ring(x, y, k * r, CREAM, 0.75, 0.07 * r);
    }
    pen.round((0.0, 0.0), 0.13, lit(p.water, 1.5));
}

/// A boat on a lake and reeds at its shore, `r` from its middle.
pub(super) fn on_lake(brush: &mut Brush, style: &Style, middle: Point, r: f32) {
    let p = &style.palette;
    let mut pen = pen(brush, style, middle, r);
    for i in 0..11 {
        let a = 0.13 * TAU + i as f32 * 0.083 * TAU;
        if (i % 4) == 3 {
            continue;
        }
        let (u, v) = (0.94 * a.cos(), 0.94 * a.sin());
        for lean in [-0.07, 0.0, 0.07] {
            pen.stroke(&[(u + 0.4 * lean, v + 0.05), (u + lean, v - 0.16)], lit(p.leaf, 0.9), 0.04);
        }
    }
    let hull = [(-0.4, 0.02), (-0.2, -0.11), (0.2, -0.11), (0.42, 0.02), (0.2, 0.15), (-0.2, 0.15)];
    pen.turn = -0.5;
    pen.cast(&hull, 0.1);
    pen.shape(&hull, p.wood);
    pen.fill(&ellipse((0.0, 0.02), (0.24, 0.07)), lit(p.wood, 0.6));
    for u in [-0.1, 0.12] {
        pen.stroke(&[(u, -0.09), (u, 0.12)], lit(p.wood, 1.4), 0.05);
    }
}

/// The castle of its quarter.
pub(super) fn castle(brush: &mut Brush, style: &Style, middle: Point, r: f32) {
    let p = &style.palette;
    let mut pen = pen(brush, style, middle, r);
    let walls = rectangle(0.0, 0.0, 0.78, 0.78, 0.0);
    pen.cast(&walls, 0.25);
    pen.shape(&walls, lit(p.tower, 1.1));
    pen.shape(&rectangle(0.0, 0.0, 0.56, 0.56, 0.0), lit(p.court, 0.95));
    pen.shape(&rectangle(0.0, -0.14, 0.34, 0.34, 0.0), lit(p.tower, 1.3));
    for (u, v) in [(-0.78, -0.78), (0.78, -0.78), (0.78, 0.78), (-0.78, 0.78)] {
        pen.turret((u, v), 0.3, p.slate);
    }
    pen.shape(&rectangle(0.0, 0.78, 0.2, 0.15, 0.0), p.wood);
    pen.stroke(&[(0.0, -0.1), (0.0, -0.44)], p.ink, 0.07);
    pen.shape(&[(0.0, -0.46), (0.42, -0.34), (0.0, -0.2)], CRIMSON);
}

/// The forge of its quarter, an anvil before it.
pub(super) fn forge(brush: &mut Brush, style: &Style, middle: Point, r: f32) {
    let p = &style.palette;
    let mut pen = pen(brush, style, middle, r);
    let house = rectangle(0.0, -0.5, 0.9, 0.46, 0.0);
    pen.cast(&house, 0.2);
    pen.roof((0.0, -0.5), 0.9, 0.46, mix(p.houses[2], SOOT, 0.45));
    pen.shape(&rectangle(0.52, -0.62, 0.2, 0.2, 0.0), lit(p.stone, 0.9));
    pen.round((0.52, -0.62), 0.13, EMBER);
    for (u, v, size) in [(0.64, -0.84, 0.12), (0.8, -0.98, 0.16)] {
        let (x, y) = pen.at((u, v));
        pen.brush.disc(x, y, size * r, CREAM, 0.6);
    }
    let anvil = [
        (-0.86, 0.2),
        (-0.4, 0.12),
        (0.5, 0.12),
        (0.5, 0.36),
        (0.2, 0.46),
        (0.16, 0.64),
        (0.42, 0.76),
        (0.42, 0.92),
        (-0.42, 0.92),
        (-0.42, 0.76),
        (-0.16, 0.64),
        (-0.2, 0.46),
        (-0.46, 0.38),
    ];
    pen.cast(&anvil, 0.1);
    pen.shape(&anvil, SOOT);
    pen.stroke(&[(-0.38, 0.19), (0.42, 0.19)], lit(SOOT, 1.6), 0.07);
    for (u, v) in [(0.66, 0.06), (0.76, 0.3), (0.62, 0.52)] {
        pen.fill(&star(u, v, 0.12, 0.4, 4, 0.3), EMBER);
    }
}

/// The stalls of the market of its quarter.
pub(super) fn stalls(brush: &mut Brush, style: &Style, (x, y): Point, r: f32) {
    for (u, v, size, turn) in [(-0.52, -0.42, 0.44, 0.2), (0.5, -0.36, 0.5, 0.5), (-0.02, 0.5, 0.48, 0.9)] {
        tent(brush, style, x + r * u, y + r * v, size * r, turn);
    }
    let mut pen = pen(brush, style, (x, y), r);
    for (u, v, colour) in [(-0.72, 0.4, GOLD), (-0.5, 0.72, CRIMSON), (0.66, 0.5, SACK), (0.0, -0.2, GOLD)] {
        pen.shape(&rectangle(u, v, 0.13, 0.13, 0.4), style.palette.wood);
        pen.round((u, v), 0.09, colour);
    }
}

/// A crown.
pub(super) fn crown(brush: &mut Brush, style: &Style, middle: Point, r: f32) {
    let mut pen = pen(brush, style, middle, r);
    let crown =
        [(-0.8, 0.5), (-0.95, -0.45), (-0.45, 0.02), (0.0, -0.72), (0.45, 0.02), (0.95, -0.45), (0.8, 0.5)];
    pen.shape(&crown, GOLD);
    pen.shape(&rectangle(0.0, 0.56, 0.82, 0.15, 0.0), lit(GOLD, 0.85));
    for (u, v) in [(-0.95, -0.5), (0.0, -0.78), (0.95, -0.5)] {
        pen.round((u, v), 0.13, CRIMSON);
    }
    for (u, colour) in [(-0.5, INDIGO), (0.0, CRIMSON), (0.5, INDIGO)] {
        pen.round((u, 0.56), 0.1, colour);
    }
}

/// A hooded head with a mask: the robber baron.
pub(super) fn robber(brush: &mut Brush, style: &Style, middle: Point, r: f32) {
    let mut pen = pen(brush, style, middle, r);
    let hood: Vec<Point> = (0..=24)
        .map(|i| {
            let t = PI + i as f32 * PI / 24.0;
            let point = if i == 12 { 1.2 } else { 1.0 };
            (0.78 * t.cos(), -0.1 + point * 0.82 * t.sin())
        })
        .chain([(0.98, 0.86), (-0.98, 0.86)])
        .collect();
    pen.shape(&hood, SACK);
    pen.shape(&ellipse((0.0, 0.06), (0.5, 0.58)), lit(SAND, 1.1));
    let mask: Vec<Point> =
        vec![(-0.52, -0.2), (0.52, -0.2), (0.5, 0.16), (0.14, 0.08), (-0.14, 0.08), (-0.5, 0.16)];
    pen.shape(&mask, SOOT);
    for u in [-0.24, 0.24] {
        pen.round((u, -0.04), 0.09, CREAM);
    }
    pen.stroke(&[(-0.18, 0.4), (0.0, 0.36), (0.18, 0.4)], style.palette.ink, 0.07);
}

/// A market's tent from above: eight-sided and pointed, or a striped awning.
pub(super) fn tent(brush: &mut Brush, style: &Style, x: f32, y: f32, r: f32, turn: f32) {
    let [a, b] = style.palette.cloth;
    let ink = style.palette.ink;
    let width = thin(style);
    let (sx, sy, dark) = shadow(style, 0.3 * r);
    if style.awnings {
        let cover = rectangle(x, y, r, 0.78 * r, turn);
        brush.polygon(&cover.map(|(px, py)| (px + sx, py + sy)), ink, dark);
        let (s, c) = turn.sin_cos();
        for i in 0..6 {
            let u = (i as f32 - 2.5) / 3.0 * r;
            for (v, facing) in [(-0.39, -1.0), (0.39, 1.0)] {
                let (cx, cy) = (x + c * u - s * v * r, y + s * u + c * v * r);
                let light = facing * (-s * style.light.0 + c * style.light.1);
                let cloth = if i % 2 == 0 { a } else { b };
                let stripe = rectangle(cx, cy, r / 6.0, 0.39 * r, turn);
                brush.polygon(&stripe, lit(cloth, 1.0 + 0.2 * style.relief * light), 1.0);
            }
        }
        brush.outline(&cover, ink, 0.85, width);
        brush.line(&[mid(cover[0], cover[3]), mid(cover[1], cover[2])], ink, 0.5, width);
        return;
    }
    let round = star(x, y, r, 0.9, 8, turn);
    let below: Vec<_> = round.iter().map(|(px, py)| (px + sx, py + sy)).collect();
    brush.polygon(&below, ink, dark);
    for i in 0..8 {
        let corner = |k: usize| round[(2 * i + k + round.len() - 1) % round.len()];
        let wedge = [(x, y), corner(0), corner(1), corner(2)];
        let to = turn + i as f32 * TAU / 8.0;
        let facing = to.cos() * style.light.0 + to.sin() * style.light.1;
        let cloth = if i % 2 == 0 { a } else { b };
        brush.polygon(&wedge, lit(cloth, 1.0 + 0.22 * style.relief * facing), 1.0);
    }
    brush.outline(&round, ink, 0.85, width);
    for i in 0..8 {
        let corner = round[(2 * i + round.len() - 1) % round.len()];
        brush.line(&[(x, y), corner], ink, 0.25, 0.6 * width);
    }
    brush.disc(x, y, 0.12 * r, lit(b, 0.95), 1.0);
    brush.ring(x, y, 0.12 * r, ink, 0.9, width);
}

/// A round pointed roof from above; `steepness` is how much its sides differ in light.
pub(super) fn cone(brush: &mut Brush, style: &Style, (x, y): Point, r: f32, colour: Rgb, steepness: f32) {
    let facets = 12;
    let rim = star(x, y, r, 1.0, facets / 2, 0.0);
    for i in 0..facets {
        let a = (i as f32 + 0.5) * TAU / facets as f32;
        let facing = a.cos() * style.light.0 + a.sin() * style.light.1;
        let side = [(x, y), rim[i], rim[(i + 1) % facets]];
        brush.polygon(&side, lit(colour, 1.0 + steepness * style.relief * facing), 1.0);
    }
}

/// The width of thin ink lines.
pub(super) fn thin(style: &Style) -> f32 {
    (0.7 * style.ink_width).max(0.003)
}

/// Where a thing's shadow falls, as far as it is high, and how dark it is.
pub(super) fn shadow(style: &Style, height: f32) -> (f32, f32, f32) {
    (-height * style.light.0, -height * style.light.1, 0.38 * style.relief)
}

pub(super) fn mid(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)
}
