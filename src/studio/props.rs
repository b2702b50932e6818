//! The things that stand on a tile: those that count (markets, fountains,
//! pennants) and those that are only there to be looked at.

use rand::Rng;
use rand_pcg::Pcg64Mcg;
use std::f32::consts::{PI, TAU};

use super::brush::{Brush, rectangle, star};
use super::layout::{Layout, blind_end, line_middle};
use super::style::{Rgb, Style, Tree, lit, mix};
use crate::rules::{Attribute, Face, Kind};

/// Puts things on one tile.
pub(super) struct Props<'a, 'b> {
    pub face: &'a Face,
    pub layout: &'a Layout,
    pub style: &'a Style,
    pub rng: &'a mut Pcg64Mcg,
    pub brush: Brush<'b>,
    /// What is taken: a place and a radius.
    pub taken: Vec<(f32, f32, f32)>,
}

impl Props<'_, '_> {
    /// Draws everything; what counts first, so that nothing covers it.
    pub(super) fn draw(&mut self) {
        let face = self.face;
        if face.segments().iter().any(|s| s.attributes.has(Attribute::SQUARE)) {
            self.taken.push((0.5, 0.5, 0.2));
        }
        for (i, segment) in face.segments().iter().enumerate() {
            if segment.attributes.has(Attribute::FOUNTAIN) {
                let (x, y) = line_middle(face, i);
                self.fountain(x, y, 0.105);
                self.taken.push((x, y, 0.13));
            }
            if segment.kind == Kind::PATH
                && let Some((dx, dy)) = blind_end(face, i)
            {
                self.gate(dx, dy);
            }
            for _ in 0..segment.attributes.count(Attribute::MARKET) {
                if let Some((x, y, room)) = self.roomiest(i) {
                    let r = (0.95 * room).clamp(0.085, 0.15);
                    self.market(x, y, r);
                    self.taken.push((x, y, 1.3 * r));
                }
            }
            for _ in 0..segment.attributes.count(Attribute::PENNANT) {
                if let Some((x, y, _)) = self.roomiest(i) {
                    self.pennant(x, y, 0.1);
                    self.taken.push((x, y, 0.13));
                }
            }
            if segment.kind == Kind::CLOISTER {
                self.cloister();
                self.taken.push((0.5, 0.5, 0.2));
            }
        }
        if face.segments().iter().filter(|s| s.kind == Kind::ROAD && s.ports.len() == 1).count() > 1 {
            self.village();
        }
        for (i, segment) in face.segments().iter().enumerate() {
            match segment.kind {
                Kind::HOUSE => self.on_roof(i),
                Kind::TOWER => self.on_tower(i),
                Kind::COURT | Kind::FIELD => self.on_ground(i),
                Kind::CITY => self.in_city(i),
                _ => {}
            }
        }
    }

    fn few(&mut self, most: f32) -> usize {
        (most * self.style.ornament * self.rng.random_range(0.5..1.3) + 0.5) as usize
    }

    /// Where a segment has most room that is not taken, and how much.
    fn roomiest(&self, segment: usize) -> Option<(f32, f32, f32)> {
        const STEPS: usize = 40;
        let mut best: Option<(f32, f32, f32)> = None;
        for row in 1..STEPS {
            for col in 1..STEPS {
                let (x, y) = (col as f32 / STEPS as f32, row as f32 / STEPS as f32);
                if usize::from(self.layout.label(x, y)) != segment {
                    continue;
                }
                let mut room = self.layout.relief(x, y).distance;
                room = room.min(0.9 * x).min(0.9 * y).min(0.9 * (1.0 - x)).min(0.9 * (1.0 - y));
                for (tx, ty, r) in &self.taken {
                    room = room.min((x - tx).hypot(y - ty) - r);
                }
                if room > best.map_or(0.0, |b| b.2) {
                    best = Some((x, y, room));
                }
            }
        }
        best
    }

    /// A free place in a segment with room for a radius; taken when found.
    fn free(&mut self, segment: usize, r: f32) -> Option<(f32, f32)> {
        for _ in 0..24 {
            let (x, y) = (self.rng.random_range(r..1.0 - r), self.rng.random_range(r..1.0 - r));
            let clear = usize::from(self.layout.label(x, y)) == segment
                && self.layout.relief(x, y).distance > r
                && self.layout.square_depth(x, y, 0.0) < -r
                && self.taken.iter().all(|(tx, ty, tr)| (x - tx).hypot(y - ty) > r + tr);
            if clear {
                self.taken.push((x, y, r));
                return Some((x, y));
            }
        }
        None
    }

    fn shadow(&self, height: f32) -> (f32, f32, f32) {
        shadow(self.style, height)
    }

    fn ink(&self) -> (Rgb, f32) {
        (self.style.palette.ink, thin(self.style))
    }

    fn market(&mut self, x: f32, y: f32, r: f32) {
        let turn = self.rng.random_range(0.0..TAU);
        tent(&mut self.brush, self.style, x, y, r, turn);
        for _ in 0..self.few(3.0) {
            let away = self.rng.random_range(0.0..TAU);
            let (cx, cy) = (x + 1.18 * r * away.cos(), y + 1.18 * r * away.sin());
            let inside = (0.03..0.97).contains(&cx) && (0.03..0.97).contains(&cy);
            if inside && self.layout.label(cx, cy) == self.layout.label(x, y) {
                self.crate_(cx, cy, 0.02);
            }
        }
    }

    fn fountain(&mut self, x: f32, y: f32, r: f32) {
        let p = self.style.palette.clone();
        let (ink, width) = self.ink();
        let (sx, sy, dark) = self.shadow(0.18 * r);
        let sides = self.style.basin_sides;
        let rim = |k: f32| star(x, y, k * r, 1.0, sides / 2, PI / sides as f32);
        let below: Vec<_> = rim(1.0).iter().map(|(px, py)| (px + sx, py + sy)).collect();
        self.brush.polygon(&below, ink, dark);
        self.brush.polygon(&rim(1.0), lit(p.stone, 1.08), 1.0);
        for i in 0..12 {
            let a = i as f32 * TAU / 12.0;
            let at = |k: f32| (x + k * r * a.cos(), y + k * r * a.sin());
            self.brush.line(&[at(0.74), at(0.95)], ink, 0.4, 0.6 * width);
        }
        self.brush.outline(&rim(1.0), ink, 0.9, width);
        self.brush.polygon(&rim(0.73), p.water, 1.0);
        self.brush.outline(&rim(0.73), ink, 0.8, 0.8 * width);
        for k in [0.6, 0.45] {
            self.brush.ring(x, y, k * r, lit(p.water, 1.35), 0.8, 0.5 * width.max(0.006));
        }
        self.brush.disc(x + 0.3 * sx, y + 0.3 * sy, 0.27 * r, ink, dark);
        self.brush.disc(x, y, 0.25 * r, lit(p.stone, 1.15), 1.0);
        self.brush.ring(x, y, 0.25 * r, ink, 0.8, 0.8 * width);
        for i in 0..4 {
            let a = i as f32 * TAU / 4.0 + 0.4;
            let at = |k: f32| (x + k * r * a.cos(), y + k * r * a.sin());
            self.brush.line(&[at(0.1), at(0.55)], [1.0; 3], 0.75, 0.9 * width.max(0.006));
        }
    }

    /// The door at the end of a path that stops at a building in the middle.
    fn gate(&mut self, dx: f32, dy: f32) {
        let p = self.style.palette.clone();
        let (ink, width) = self.ink();
        let hw = self.layout_half_width();
        let (x, y) = (0.5 + 0.72 * hw * dx, 0.5 + 0.72 * hw * dy);
        let turn = dy.atan2(dx) + PI / 2.0;
        for step in 0..3 {
            let k = 0.022 * (step as f32 + 1.2);
            let bar = rectangle(x - k * dx, y - k * dy, 0.92 * hw, 0.009, turn);
            self.brush.polygon(&bar, lit(p.stone, 0.9 + 0.08 * step as f32), 1.0);
            self.brush.outline(&bar, ink, 0.45, 0.5 * width);
        }
        let door = rectangle(x + 0.02 * dx, y + 0.02 * dy, 0.95 * hw, 0.03, turn);
        self.brush.polygon(&door, p.wood, 1.0);
        self.brush.outline(&door, ink, 0.9, width);
        self.brush.line(&[(x, y), (x + 0.045 * dx, y + 0.045 * dy)], ink, 0.8, 0.8 * width);
    }

    fn layout_half_width(&self) -> f32 {
        self.style.path_half_width
    }

    fn on_roof(&mut self, segment: usize) {
        let (ink, width) = self.ink();
        let p = self.style.palette.clone();
        for _ in 0..self.few(4.0) {
            let Some((x, y)) = self.free(segment, 0.035) else { continue };
            let up = self.layout.relief(x, y).uphill;
            let turn = up.1.atan2(up.0);
            match self.rng.random_range(0..3) {
                0 => {
                    // A dormer: a small gable that looks downhill.
                    let base = rectangle(x, y, 0.024, 0.03, turn);
                    let roof = self.style.colour(Kind::HOUSE, segment + 1);
                    let lit_side = up.1 * self.style.light.0 - up.0 * self.style.light.1;
                    self.brush.polygon(&base, lit(roof, 1.0 + 0.2 * lit_side), 1.0);
                    let half = [base[0], base[1], mid(base[1], base[2]), mid(base[0], base[3])];
                    self.brush.polygon(&half, lit(roof, 1.0 - 0.3 * lit_side), 1.0);
                    self.brush.outline(&base, ink, 0.7, 0.7 * width);
                    let window =
                        rectangle(x - 0.024 * turn.cos(), y - 0.024 * turn.sin(), 0.005, 0.016, turn);
                    self.brush.polygon(&window, lit(p.paper, 0.95), 1.0);
                    self.brush.outline(&window, ink, 0.8, 0.6 * width);
                }
                _ => {
                    let size = self.rng.random_range(0.016..0.024);
                    let (sx, sy, dark) = self.shadow(2.2 * size);
                    let stack = rectangle(x, y, size, 0.8 * size, turn);
                    let below: Vec<_> = [stack[0], stack[1], stack[2], stack[3]]
                        .iter()
                        .map(|(a, b)| (a + sx, b + sy))
                        .collect();
                    self.brush.polygon(&below, ink, dark);
                    self.brush.polygon(&stack, lit(p.stone, 0.92), 1.0);
                    self.brush.outline(&stack, ink, 0.85, 0.8 * width);
                    self.brush.disc(x, y, 0.4 * size, ink, 0.9);
                }
            }
        }
    }

    fn on_tower(&mut self, segment: usize) {
        let p = self.style.palette.clone();
        let (ink, width) = self.ink();
        let Some((x, y, room)) = self.roomiest(segment) else { return };
        if room > 0.07 + self.style.parapet {
            let r = (0.6 * room).min(0.13) * self.rng.random_range(0.85..1.0);
            let (sx, sy, dark) = self.shadow(0.5 * r);
            self.brush.disc(x + sx, y + sy, r, ink, dark);
            if self.rng.random_bool(0.65) {
                let facets = 12;
                let round = star(x, y, r, 1.0, facets / 2, 0.0);
                for i in 0..facets {
                    let a = (i as f32 + 0.5) * TAU / facets as f32;
                    let facing = a.cos() * self.style.light.0 + a.sin() * self.style.light.1;
                    let side = [(x, y), round[i], round[(i + 1) % facets]];
                    self.brush.polygon(&side, lit(p.slate, 1.0 + 0.35 * self.style.relief * facing), 1.0);
                }
                self.brush.ring(x, y, r, ink, 0.85, width);
                self.brush.ring(x, y, 0.62 * r, ink, 0.3, 0.6 * width);
                self.brush.ring(x, y, 0.3 * r, ink, 0.3, 0.6 * width);
                self.flag(x, y, 0.75 * r);
            } else {
                self.brush.disc(x, y, r, lit(p.tower, 1.12), 1.0);
                for i in 0..10 {
                    let a = i as f32 * TAU / 10.0;
                    let block =
                        rectangle(x + 0.84 * r * a.cos(), y + 0.84 * r * a.sin(), 0.14 * r, 0.17 * r, a);
                    self.brush.polygon(&block, lit(p.tower, 1.3), 1.0);
                    self.brush.outline(&block, ink, 0.5, 0.5 * width);
                }
                self.brush.ring(x, y, r, ink, 0.85, width);
                self.brush.disc(x, y, 0.62 * r, lit(p.tower, 0.75), 1.0);
                for i in 0..9 {
                    let a = i as f32 * TAU / 11.0;
                    self.brush.line(
                        &[(x, y), (x + 0.6 * r * a.cos(), y + 0.6 * r * a.sin())],
                        ink,
                        0.5,
                        0.7 * width,
                    );
                }
                self.brush.ring(x, y, 0.62 * r, ink, 0.7, 0.8 * width);
            }
            self.taken.push((x, y, r));
        }
        for _ in 0..self.few(1.6) {
            let Some((x, y)) = self.free(segment, 0.028 + self.style.parapet) else { continue };
            if self.rng.random_bool(0.5) {
                let turn = self.rng.random_range(0.0..PI);
                let hatch = rectangle(x, y, 0.026, 0.022, turn);
                self.brush.polygon(&hatch, p.wood, 1.0);
                self.brush.outline(&hatch, ink, 0.9, 0.8 * width);
                self.brush.line(&[mid(hatch[0], hatch[1]), mid(hatch[2], hatch[3])], ink, 0.6, 0.6 * width);
            } else {
                self.barrel(x, y, 0.02);
            }
        }
    }

    fn flag(&mut self, x: f32, y: f32, size: f32) {
        let (ink, width) = self.ink();
        let away = self.rng.random_range(-0.6..0.6_f32);
        let cloth = self.style.palette.cloth[0];
        let at = |u: f32, v: f32| {
            let (s, c) = away.sin_cos();
            (x + size * (c * u - s * v), y + size * (s * u + c * v))
        };
        let flag =
            [at(0.0, 0.0), at(0.5, -0.28), at(0.75, 0.0), at(1.15, -0.05), at(0.6, 0.3), at(0.0, 0.28)];
        self.brush.polygon(&flag, cloth, 1.0);
        self.brush.outline(&flag, ink, 0.8, 0.6 * width);
        self.brush.disc(x, y, 0.1 * size + 0.004, ink, 1.0);
    }

    fn on_ground(&mut self, segment: usize) {
        for _ in 0..self.few(5.0) {
            let what = self.rng.random_range(0..12);
            let r = match what {
                0..=4 => self.rng.random_range(0.032..0.06),
                5 | 6 => 0.03,
                _ => 0.026,
            };
            let Some((x, y)) = self.free(segment, r) else { continue };
            match what {
                0..=4 => self.tree(x, y, r),
                5 | 6 => self.flowers(x, y, r),
                7 | 8 => self.barrel(x, y, 0.8 * r),
                9 => self.crate_(x, y, 0.75 * r),
                10 => self.cat(x, y, r),
                _ => self.hen(x, y, 0.6 * r),
            }
        }
        // Tufts: small strokes that cost nothing to stand on.
        let leaf = self.style.palette.leaf;
        for _ in 0..self.few(26.0) {
            let (x, y) = (self.rng.random_range(0.02..0.98), self.rng.random_range(0.02..0.98));
            let open = usize::from(self.layout.label(x, y)) == segment
                && self.layout.relief(x, y).distance > 0.02
                && self.taken.iter().all(|(tx, ty, tr)| (x - tx).hypot(y - ty) > *tr);
            if open {
                let h = self.rng.random_range(0.008..0.016);
                for lean in [-0.6, 0.0, 0.6] {
                    self.brush.line(&[(x, y), (x + lean * h, y - h)], lit(leaf, 0.95), 0.7, 0.004);
                }
            }
        }
    }

    fn tree(&mut self, x: f32, y: f32, r: f32) {
        let leaf = lit(self.style.palette.leaf, self.rng.random_range(0.85..1.2));
        let (ink, width) = self.ink();
        let (sx, sy, dark) = self.shadow(0.7 * r);
        let (lx, ly) = self.style.light;
        self.brush.disc(x + sx, y + sy, r, ink, dark);
        match self.style.tree {
            Tree::Leafy => {
                let turn = self.rng.random_range(0.0..TAU);
                let lobes: Vec<(f32, f32, f32)> = (0..7)
                    .map(|i| {
                        let a = turn + i as f32 * TAU / 7.0;
                        (x + 0.6 * r * a.cos(), y + 0.6 * r * a.sin(), r * self.rng.random_range(0.36..0.48))
                    })
                    .collect();
                for (cx, cy, cr) in &lobes {
                    self.brush.ring(*cx, *cy, *cr, ink, 0.7, 2.0 * width);
                }
                for (cx, cy, cr) in &lobes {
                    self.brush.disc(*cx, *cy, *cr, lit(leaf, 0.85), 1.0);
                }
                self.brush.disc(x, y, 0.66 * r, leaf, 1.0);
                for _ in 0..6 {
                    let (u, v) = (self.rng.random_range(-0.5..0.5), self.rng.random_range(-0.5..0.5));
                    self.brush.disc(
                        x + r * (u + 0.22 * lx),
                        y + r * (v + 0.22 * ly),
                        0.17 * r,
                        lit(leaf, 1.22),
                        0.7,
                    );
                }
            }
            Tree::Round => {
                self.brush.disc(x, y, r, leaf, 1.0);
                self.brush.disc(x + 0.25 * r * lx, y + 0.25 * r * ly, 0.6 * r, lit(leaf, 1.2), 1.0);
                self.brush.ring(x, y, r, ink, 0.9, width);
            }
            Tree::Star => {
                let turn = self.rng.random_range(0.0..TAU);
                let outer = star(x, y, r, 0.7, 7, turn);
                self.brush.polygon(&outer, leaf, 1.0);
                self.brush.outline(&outer, ink, 0.8, width);
                self.brush.polygon(&star(x, y, 0.55 * r, 0.6, 7, turn + 0.3), lit(leaf, 1.25), 1.0);
            }
        }
    }

    fn flowers(&mut self, x: f32, y: f32, r: f32) {
        let p = self.style.palette.clone();
        for _ in 0..7 {
            let (a, d) = (self.rng.random_range(0.0..TAU), r * self.rng.random_range(0.1..0.9_f32));
            let colour = [p.cloth[1], p.houses[1], p.path][self.rng.random_range(0..3)];
            let (fx, fy) = (x + d * a.cos(), y + d * a.sin());
            self.brush.disc(fx, fy, 0.26 * r, lit(p.leaf, 0.9), 0.9);
            self.brush.disc(fx, fy, 0.15 * r, lit(colour, 1.15), 1.0);
        }
    }

    fn barrel(&mut self, x: f32, y: f32, r: f32) {
        let wood = self.style.palette.wood;
        let (ink, width) = self.ink();
        let (sx, sy, dark) = self.shadow(0.8 * r);
        self.brush.disc(x + sx, y + sy, r, ink, dark);
        self.brush.disc(x, y, r, wood, 1.0);
        self.brush.disc(x, y, 0.72 * r, lit(wood, 1.25), 1.0);
        self.brush.line(&[(x - 0.7 * r, y), (x + 0.7 * r, y)], ink, 0.4, 0.6 * width);
        self.brush.ring(x, y, r, ink, 0.9, 0.8 * width);
    }

    fn crate_(&mut self, x: f32, y: f32, r: f32) {
        let wood = self.style.palette.wood;
        let (ink, width) = self.ink();
        let (sx, sy, dark) = self.shadow(0.8 * r);
        let turn = self.rng.random_range(0.0..PI);
        self.brush.polygon(&rectangle(x + sx, y + sy, r, r, turn), ink, dark);
        let square = rectangle(x, y, r, r, turn);
        self.brush.polygon(&square, lit(wood, 1.12), 1.0);
        self.brush.line(&[square[0], square[2]], ink, 0.5, 0.7 * width);
        self.brush.line(&[square[1], square[3]], ink, 0.5, 0.7 * width);
        self.brush.outline(&square, ink, 0.9, 0.8 * width);
    }

    /// A cat asleep, seen from above.
    fn cat(&mut self, x: f32, y: f32, r: f32) {
        let p = &self.style.palette;
        let fur =
            [lit(p.ink, 1.0), lit(p.wood, 1.2), mix(p.paper, p.stone, 0.3)][self.rng.random_range(0..3)];
        let (ink, width) = self.ink();
        let a = self.rng.random_range(0.0..TAU);
        let at = |u: f32, v: f32| {
            let (s, c) = a.sin_cos();
            (x + r * (c * u - s * v), y + r * (s * u + c * v))
        };
        let tail: Vec<_> = (0..8)
            .map(|i| {
                let t = i as f32 / 7.0;
                at(-0.5 - 0.5 * (t * 2.2).sin(), 0.2 + 0.9 * t - 0.4 * t * t)
            })
            .collect();
        self.brush.line(&tail, ink, 0.9, 0.3 * r + width);
        self.brush.line(&tail, fur, 1.0, 0.3 * r);
        let body: Vec<_> = (0..16)
            .map(|i| {
                let t = i as f32 * TAU / 16.0;
                at(0.75 * t.cos() - 0.05, 0.5 * t.sin())
            })
            .collect();
        self.brush.polygon(&body, fur, 1.0);
        self.brush.outline(&body, ink, 0.9, 0.8 * width);
        for side in [-1.0, 1.0] {
            let ear = [at(0.72, 0.34 * side), at(0.62, 0.52 * side), at(0.92, 0.4 * side)];
            self.brush.polygon(&ear, fur, 1.0);
            self.brush.outline(&ear, ink, 0.9, 0.6 * width);
        }
        let (hx, hy) = at(0.82, 0.0);
        self.brush.disc(hx, hy, 0.38 * r, fur, 1.0);
        self.brush.ring(hx, hy, 0.38 * r, ink, 0.9, 0.7 * width);
    }

    fn hen(&mut self, x: f32, y: f32, r: f32) {
        let (ink, width) = self.ink();
        let a = self.rng.random_range(0.0..TAU);
        let (c, s) = (a.cos(), a.sin());
        self.brush.disc(x, y, r, self.style.palette.paper, 1.0);
        self.brush.ring(x, y, r, ink, 0.8, 0.7 * width);
        self.brush.disc(x + 0.9 * r * c, y + 0.9 * r * s, 0.5 * r, self.style.palette.paper, 1.0);
        self.brush.disc(x + 1.3 * r * c, y + 1.3 * r * s, 0.25 * r, self.style.palette.houses[1], 1.0);
    }

    /// Small houses inside a city.
    fn in_city(&mut self, segment: usize) {
        for _ in 0..4 + self.few(8.0) {
            let r = self.rng.random_range(0.04..0.065);
            if let Some((x, y)) = self.free(segment, r) {
                self.cottage(x, y, r);
            }
        }
    }

    /// A few houses where roads end at each other.
    fn village(&mut self) {
        let turn = self.rng.random_range(0.0..TAU);
        for i in 0..3 {
            let a = turn + i as f32 * TAU / 3.0;
            let r = self.rng.random_range(0.05..0.06);
            self.cottage(0.5 + 0.075 * a.cos(), 0.5 + 0.075 * a.sin(), r);
        }
        self.taken.push((0.5, 0.5, 0.15));
    }

    fn cottage(&mut self, x: f32, y: f32, r: f32) {
        let (ink, width) = self.ink();
        let turn = self.rng.random_range(0.0..PI);
        let roof = self.style.palette.houses[self.rng.random_range(0..3)];
        let (sx, sy, dark) = self.shadow(0.5 * r);
        self.brush.polygon(&rectangle(x + sx, y + sy, r, 0.7 * r, turn), ink, dark);
        let base = rectangle(x, y, r, 0.7 * r, turn);
        let facing = turn.cos() * self.style.light.1 - turn.sin() * self.style.light.0;
        self.brush.polygon(&base, lit(roof, 1.0 + 0.25 * self.style.relief * facing), 1.0);
        let half = [base[0], base[1], mid(base[1], base[2]), mid(base[0], base[3])];
        self.brush.polygon(&half, lit(roof, 1.0 - 0.25 * self.style.relief * facing), 1.0);
        self.brush.outline(&base, ink, 0.8, 0.8 * width);
    }

    fn cloister(&mut self) {
        let (ink, width) = self.ink();
        let p = self.style.palette.clone();
        let (sx, sy, dark) = self.shadow(0.05);
        let turn = 0.0;
        self.brush.polygon(&rectangle(0.5 + sx, 0.5 + sy, 0.15, 0.13, turn), ink, dark);
        let walls = rectangle(0.5, 0.5, 0.15, 0.13, turn);
        self.brush.polygon(&walls, p.cloister, 1.0);
        let inner = rectangle(0.5, 0.53, 0.07, 0.055, turn);
        for (i, side) in [-1.0_f32, 1.0].into_iter().enumerate() {
            let slope = [
                (0.5 + 0.15 * side, 0.37),
                (0.5 + 0.15 * side, 0.63),
                (0.5 + 0.11 * side, 0.59),
                (0.5 + 0.11 * side, 0.41),
            ];
            self.brush.polygon(&slope, lit(p.cloister, if i == 0 { 1.2 } else { 0.75 }), 1.0);
        }
        self.brush.outline(&walls, ink, 0.9, width);
        self.brush.polygon(&inner, p.leaf, 1.0);
        self.brush.outline(&inner, ink, 0.8, width);
        self.brush.disc(0.5, 0.53, 0.02, p.water, 1.0);
        let (x, y) = (0.5, 0.41);
        self.brush.polygon(&rectangle(x, y, 0.035, 0.035, 0.0), lit(p.stone, 1.1), 1.0);
        self.brush.outline(&rectangle(x, y, 0.035, 0.035, 0.0), ink, 0.9, width);
        self.brush.line(&[(x, y - 0.025), (x, y + 0.025)], ink, 1.0, 1.4 * width);
        self.brush.line(&[(x - 0.016, y - 0.007), (x + 0.016, y - 0.007)], ink, 1.0, 1.4 * width);
    }

    fn pennant(&mut self, x: f32, y: f32, r: f32) {
        let (ink, width) = self.ink();
        let [a, b] = self.style.palette.cloth;
        let at = |u: f32, v: f32| (x + r * u, y + r * v);
        let shield = [
            at(-0.75, -0.9),
            at(0.75, -0.9),
            at(0.75, 0.0),
            at(0.55, 0.5),
            at(0.0, 1.0),
            at(-0.55, 0.5),
            at(-0.75, 0.0),
        ];
        self.brush.polygon(&shield, a, 1.0);
        self.brush.polygon(&[at(0.0, -0.9), at(0.75, -0.9), at(0.75, 0.0), at(0.0, 0.0)], b, 1.0);
        self.brush.polygon(&[at(-0.75, 0.0), at(0.0, 0.0), at(0.0, 1.0), at(-0.55, 0.5)], b, 1.0);
        self.brush.outline(&shield, ink, 1.0, 1.3 * width);
    }
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

/// The width of thin ink lines.
fn thin(style: &Style) -> f32 {
    (0.7 * style.ink_width).max(0.003)
}

/// Where a thing's shadow falls, as far as it is high, and how dark it is.
fn shadow(style: &Style, height: f32) -> (f32, f32, f32) {
    (-height * style.light.0, -height * style.light.1, 0.38 * style.relief)
}

fn mid(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)
}

fn kind(face: &Face, label: u8) -> Option<Kind> {
    face.segments().get(usize::from(label)).map(|s| s.kind)
}

/// Whether a label is a segment of a kind that stands up.
pub(super) fn stands(face: &Face, label: u8) -> bool {
    matches!(kind(face, label), Some(Kind::HOUSE | Kind::TOWER | Kind::CITY))
}

/// Whether a label is a segment of open ground.
pub(super) fn is_ground(face: &Face, label: u8) -> bool {
    matches!(kind(face, label), Some(Kind::COURT | Kind::FIELD))
}
