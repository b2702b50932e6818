//! The things that stand on a tile: those that count (markets, fountains,
//! pennants) and those that are only there to be looked at.

use rand::Rng;
use rand_pcg::Pcg64Mcg;
use std::f32::consts::{PI, TAU};

use super::brush::{Brush, rectangle, star};
use super::layout::{LAKE_RADIUS, Layout, MOAT, SPRING_RADIUS, blind_end, line_middle};
use super::shapes::is_quarter;
use super::signs::{self, mid, shadow, tent, thin};
use super::style::{Rgb, Style, Tree, lit, mix};
use crate::rules::{Attribute, Face, Kind, Port, Segment, Side};

/// The radius of an inn, and of the badge of goods, in tile sides.
const INN_RADIUS: f32 = 0.155;
const GOODS_RADIUS: f32 = 0.125;

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
        self.signs();
        let ended = face.segments().iter().filter(|s| s.kind == Kind::ROAD && s.ports.len() == 1).count();
        let meet = kind(face, self.layout.label(0.5, 0.5)) == Some(Kind::ROAD);
        if ended > 1 && meet && !has(face, Kind::CLOISTER) {
            self.village();
        }
        for (i, segment) in face.segments().iter().enumerate() {
            match segment.kind {
                Kind::HOUSE => self.on_roof(i),
                Kind::TOWER => self.on_tower(i),
                Kind::COURT | Kind::FIELD => self.on_ground(i),
                Kind::CITY => self.in_city(i),
                Kind::CARCASSONNE if !is_inner(segment) => self.in_city(i),
                _ => {}
            }
        }
    }

    /// What the tiles of the classic game's modules show.
    fn signs(&mut self) {
        let face = self.face;
        self.bridges();
        let half_width = self.layout_half_width();
        for ((x, y), (dx, dy)) in self.layout.gates.clone() {
            signs::gate(&mut self.brush, self.style, (x, y), 1.15 * half_width, dy.atan2(dx));
            self.taken.push((x, y, 1.7 * half_width));
        }
        for (i, segment) in face.segments().iter().enumerate() {
            match segment.kind {
                Kind::RIVER => self.water_end(segment),
                Kind::CARCASSONNE => {
                    self.wall_towers(i);
                    if is_inner(segment) {
                        self.quarters();
                    }
                }
                _ => {}
            }
            if segment.attributes.has(Attribute::INN)
                && let Some(middle) = self.beside_road(i)
            {
                signs::inn(&mut self.brush, self.style, middle, INN_RADIUS);
                self.taken.push((middle.0, middle.1, INN_RADIUS));
            }
            if segment.attributes.has(Attribute::CATHEDRAL)
                && let Some((x, y, room)) = self.roomiest(i)
            {
                let r = (0.95 * room).clamp(0.2, 0.33);
                signs::cathedral(&mut self.brush, self.style, (x, y), r, -PI / 2.0);
                self.taken.push((x, y, 1.05 * r));
            }
            if segment.attributes.has(Attribute::BESIEGED) {
                self.besiegers(i);
                if let Some((x, y, _)) = self.roomiest(i) {
                    signs::swords(&mut self.brush, self.style, (x, y), 0.1);
                    self.taken.push((x, y, 0.12));
                }
            }
            for (what, count) in segment.attributes.iter() {
                let is_goods = [Attribute::WINE, Attribute::GRAIN, Attribute::CLOTH].contains(&what);
                for _ in 0..if is_goods { count } else { 0 } {
                    if let Some((x, y, _)) = self.roomiest(i) {
                        signs::goods(&mut self.brush, self.style, what, (x, y), GOODS_RADIUS);
                        self.taken.push((x, y, 1.3 * GOODS_RADIUS));
                    }
                }
            }
        }
    }

    /// The bridges of roads over rivers and over each other, and of a city over another.
    fn bridges(&mut self) {
        let face = self.face;
        let half_width = self.layout_half_width();
        let way = self.style.palette.road;
        let straight = |kind: Kind| {
            let all = face.segments().iter().filter(move |s| s.kind == kind);
            all.filter_map(|s| runs_straight(&s.ports.iter().map(Port::side).collect::<Vec<Side>>()))
        };
        let (roads, rivers): (Vec<f32>, Vec<f32>) =
            (straight(Kind::ROAD).collect(), straight(Kind::RIVER).collect());
        let mut lay = |at, half, turn, way| signs::bridge(&mut self.brush, self.style, at, half, turn, way);
        let over = (2.0 * half_width, half_width);
        if let [one, other] = roads[..]
            && one != other
        {
            lay((0.5, 0.5), over, 0.0, way);
        }
        let Some(along) = rivers.first().copied() else {
            if let [true, true] = [0.0, PI / 2.0].map(|turn| city_runs(face, turn)) {
                let ground = self.style.palette.city;
                lay((0.5, 0.5), (0.2, 0.1), 0.0, lit(ground, 1.12));
                self.taken.push((0.5, 0.5, 0.22));
            }
            return;
        };
        let across = along + PI / 2.0;
        let ended = face.segments().iter().find(|s| s.kind == Kind::ROAD && s.ports.len() == 1);
        if roads.iter().any(|road| *road != along) {
            lay((0.5, 0.5), over, across, way);
        } else if let Some(side) = ended.and_then(|s| s.ports.iter().next()).map(Port::side) {
            let (mx, my) = side.midpoint();
            let away = if has(face, Kind::CLOISTER) { 2.0 * MOAT.0 } else { 0.0 };
            let at = (0.5 + away * (mx - 0.5), 0.5 + away * (my - 0.5));
            let half = if away > 0.0 { (1.5 * MOAT.1, half_width) } else { (1.3 * half_width, half_width) };
            lay(at, half, across, way);
        }
    }

    /// The spring or the lake of a river that has one end on the tile.
    fn water_end(&mut self, river: &Segment) {
        if river.ports.len() != 1 {
            return;
        }
        let Some((mx, my)) = river.ports.iter().next().map(|port| port.side().midpoint()) else { return };
        let middle = (0.5, 0.5);
        if river.attributes.has(Attribute::SPRING) {
            let turn = (my - 0.5).atan2(mx - 0.5);
            signs::spring(&mut self.brush, self.style, middle, SPRING_RADIUS, turn);
            self.taken.push((0.5, 0.5, 1.4 * SPRING_RADIUS));
        } else {
            signs::on_lake(&mut self.brush, self.style, middle, LAKE_RADIUS);
            self.taken.push((0.5, 0.5, 1.1 * LAKE_RADIUS));
        }
    }

    /// Where an inn has room beside the middle of a road.
    fn beside_road(&self, road: usize) -> Option<(f32, f32)> {
        const STEPS: usize = 50;
        let (rx, ry) = line_middle(self.face, road);
        let mut best: Option<((f32, f32), f32)> = None;
        for i in 0..STEPS * STEPS {
            let (x, y) = ((i % STEPS) as f32 / STEPS as f32, (i / STEPS) as f32 / STEPS as f32);
            if kind(self.face, self.layout.label(x, y)) != Some(Kind::FIELD) {
                continue;
            }
            let mut room = self.layout.relief(x, y).distance.min(x.min(y).min(1.0 - x).min(1.0 - y) - 0.01);
            for (tx, ty, r) in &self.taken {
                room = room.min((x - tx).hypot(y - ty) - r);
            }
            // Past what it needs, room is worth less than to be near.
            let worth = room.min(INN_RADIUS) - 0.3 * (x - rx).hypot(y - ry);
            if best.is_none_or(|b| worth > b.1) {
                best = Some(((x, y), worth));
            }
        }
        best.map(|b| b.0)
    }

    /// Tents before the walls of a city.
    fn besiegers(&mut self, city: usize) {
        const EVERY: f32 = 0.15;
        const BEFORE: f32 = 0.085;
        let face = self.face;
        let own = city as u8;
        let mut tents = Vec::new();
        for border in &self.layout.borders {
            let (a, b) = border.between;
            if a != own && b != own {
                continue;
            }
            let mut walked = 0.5 * EVERY;
            for pair in border.points.windows(2) {
                let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
                let (dx, dy) = (bx - ax, by - ay);
                let length = dx.hypot(dy).max(1e-6);
                walked += length;
                if walked < EVERY {
                    continue;
                }
                for side in [-1.0, 1.0] {
                    let (nx, ny) = (side * -dy / length, side * dx / length);
                    let (x, y) = (ax + BEFORE * nx, ay + BEFORE * ny);
                    let inside = [x, y].iter().all(|v| (0.055..0.945).contains(v));
                    let open = kind(face, self.layout.label(x, y)) == Some(Kind::FIELD)
                        && self.layout.relief(x, y).distance > 0.05;
                    if inside && open {
                        tents.push(((x, y), (-ny).atan2(-nx)));
                        walked = 0.0;
                    }
                }
            }
        }
        for ((x, y), turn) in tents {
            if self.taken.iter().all(|(tx, ty, r)| (x - tx).hypot(y - ty) > r + 0.02) {
                signs::besieger(&mut self.brush, self.style, (x, y), 0.056, turn);
                self.taken.push((x, y, 0.06));
            }
        }
    }

    /// The towers of Carcassonne's wall: one on each side of the tile that it leaves by, and
    /// one between.
    fn wall_towers(&mut self, city: usize) {
        let mut towers = Vec::new();
        for border in &self.layout.borders {
            let (a, b) = border.between;
            if usize::from(a) != city && usize::from(b) != city {
                continue;
            }
            let points = &border.points;
            let at_edge = |(x, y): &(f32, f32)| x.min(*y).min(1.0 - x).min(1.0 - y) < 0.02;
            let ends = [points.first(), points.last()];
            if ends.iter().flatten().filter(|p| at_edge(p)).count() == 2 {
                towers.extend(points.get(points.len() / 2));
            }
            towers.extend(ends.into_iter().flatten().filter(|p| at_edge(p)));
        }
        for (x, y) in towers {
            let edge = |v: f32| {
                if v < 0.02 {
                    0.0
                } else if v > 0.98 {
                    1.0
                } else {
                    v
                }
            };
            let (x, y) = (edge(x), edge(y));
            let free = self.taken.iter().all(|(tx, ty, r)| (x - tx).hypot(y - ty) > r + 0.03);
            if free {
                signs::wall_tower(&mut self.brush, self.style, (x, y), 0.075);
                self.taken.push((x, y, 0.085));
            }
        }
    }

    /// The quarters on the two inner tiles of the City of Carcassonne: market and blacksmith on
    /// the one that names the quarters, castle and cathedral on the other, west of it.
    fn quarters(&mut self) {
        let face = self.face;
        let east = face.segments().iter().any(|s| is_quarter(s.kind));
        let p = self.style.palette.clone();
        let (ink, width) = self.ink();
        let x = if east { 0.73 } else { 0.27 };
        let grounds = if east {
            [p.path, mix(p.ink, p.stone, 0.35)]
        } else {
            [lit(p.tower, 1.05), mix(p.paper, p.slate, 0.28)]
        };
        for (y, ground) in [0.25, 0.75].into_iter().zip(grounds) {
            let yard = yard(0.5, y, 0.455, 0.205, 0.05);
            self.brush.polygon(&yard, ground, 1.0);
            self.brush.outline(&yard, lit(p.stone, 1.1), 1.0, 0.026);
            self.brush.outline(&yard, ink, 0.6, width);
            // Setts, so that a yard is no empty plate.
            for i in 0..70 {
                let (u, v) = (self.rng.random_range(-0.42..0.42), self.rng.random_range(-0.17..0.17));
                let shade = if i % 2 == 0 { 0.86 } else { 1.14 };
                let sett = rectangle(0.5 + u, y + v, 0.013, 0.008, 0.0);
                self.brush.polygon(&sett, lit(ground, shade), 0.8);
            }
        }
        let r = 0.175;
        if east {
            signs::stalls(&mut self.brush, self.style, (x, 0.25), r);
            signs::forge(&mut self.brush, self.style, (x, 0.76), r);
        } else {
            signs::castle(&mut self.brush, self.style, (x, 0.25), 0.9 * r);
            signs::cathedral(&mut self.brush, self.style, (x + 0.03, 0.75), 1.35 * r, 0.0);
        }
        self.taken.push((0.5, 0.5, 1.0));
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
                signs::cone(&mut self.brush, self.style, (x, y), r, p.slate, 0.35);
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

/// The corners of a rectangle with its corners cut round.
fn yard(x: f32, y: f32, half_width: f32, half_height: f32, round: f32) -> Vec<(f32, f32)> {
    let mut points = Vec::new();
    for (i, (u, v)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
        for step in 0..=6 {
            let a = (i as f32 + step as f32 / 6.0) * PI / 2.0;
            points.push((
                x + u * (half_width - round) + round * a.cos(),
                y + v * (half_height - round) + round * a.sin(),
            ));
        }
    }
    points
}

fn has(face: &Face, kind: Kind) -> bool {
    face.segments().iter().any(|s| s.kind == kind)
}

/// Whether a part of the City of Carcassonne holds its whole tile.
fn is_inner(segment: &Segment) -> bool {
    segment.kind == Kind::CARCASSONNE && segment.ports.len() == 8
}

/// The direction of a line from a side to the opposite one.
fn runs_straight(sides: &[Side]) -> Option<f32> {
    match sides {
        [a, b] if a.opposite() == *b => {
            Some(if *a == Side::East || *a == Side::West { 0.0 } else { PI / 2.0 })
        }
        _ => None,
    }
}

/// Whether a city holds the two sides that lie in a direction, and no other.
fn city_runs(face: &Face, turn: f32) -> bool {
    face.segments().iter().any(|s| {
        let mut sides: Vec<Side> = s.ports.iter().map(Port::side).collect();
        sides.dedup();
        s.kind == Kind::CITY && runs_straight(&sides) == Some(turn)
    })
}

fn kind(face: &Face, label: u8) -> Option<Kind> {
    face.segments().get(usize::from(label)).map(|s| s.kind)
}

/// Whether a label is a segment of a kind that stands up.
pub(super) fn stands(face: &Face, label: u8) -> bool {
    matches!(kind(face, label), Some(Kind::HOUSE | Kind::TOWER | Kind::CITY | Kind::CARCASSONNE))
}

/// Whether a label is a segment of open ground.
pub(super) fn is_ground(face: &Face, label: u8) -> bool {
    matches!(kind(face, label), Some(Kind::COURT | Kind::FIELD))
}
