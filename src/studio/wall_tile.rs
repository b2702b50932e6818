//! Draws the wall tiles that lie on the corner towers.

use image::RgbaImage;
use std::f32::consts::{PI, TAU};
use tiny_skia::{Pixmap, Transform};

use super::brush::{Brush, rectangle, star, to_image};
use super::digits;
use super::finish::finish;
use super::style::{Rgb, Style, lit, mix};

/// Draws a wall tile, `size_px` pixels a side (1 to 4096): its front with its
/// number, 1 to 9, and a picture of what it is for (CA-82 to CA-96), or its back
/// for `None`. Alpha is 0 outside its rounded corners.
pub fn draw_wall_tile(number: Option<u8>, style: &Style, size_px: u32) -> RgbaImage {
    let size = size_px.clamp(1, 4096);
    let Some(mut map) = Pixmap::new(size, size) else { return RgbaImage::new(1, 1) };
    let p = &style.palette;
    let mut brush = Brush::new(&mut map, Transform::from_scale(size as f32, size as f32));
    let plate = octagon(0.49, 0.12);
    match number {
        Some(number) => {
            brush.polygon(&plate, p.paper, 1.0);
            brush.outline(&octagon(0.475, 0.115), p.wood, 1.0, 0.035);
            let mut picture = Pictogram { brush, style };
            picture.draw(number);
            brush = picture.brush;
            brush.disc(0.27, 0.27, 0.165, p.cloth[0], 1.0);
            brush.ring(0.27, 0.27, 0.165, p.ink, 1.0, 0.018);
            if let Some(path) = digits::number(u32::from(number), 0.27, 0.27, 0.2) {
                brush.stroke(&path, p.ink, 0.8, 0.06);
                brush.stroke(&path, p.cloth[1], 1.0, 0.036);
            }
        }
        None => {
            brush.polygon(&plate, p.cloth[0], 1.0);
            brush.outline(&octagon(0.44, 0.105), p.cloth[1], 0.9, 0.025);
            brush.polygon(&star(0.5, 0.5, 0.34, 0.45, 8, 0.0), p.cloth[1], 1.0);
            brush.polygon(&star(0.5, 0.5, 0.25, 0.4, 4, PI / 4.0), lit(p.cloth[0], 0.75), 1.0);
            brush.disc(0.5, 0.5, 0.07, p.houses[0], 1.0);
            brush.ring(0.5, 0.5, 0.07, p.ink, 1.0, 0.015);
        }
    }
    brush.outline(&octagon(0.485, 0.118), p.ink, 1.0, 0.02);
    finish(&mut map, style, u32::from(number.unwrap_or(0)));
    to_image(&map)
}

fn octagon(half: f32, cut: f32) -> [(f32, f32); 8] {
    let (a, b) = (half, half - cut);
    [(-b, -a), (b, -a), (a, -b), (a, b), (b, a), (-b, a), (-a, b), (-a, -b)].map(|(x, y)| (0.5 + x, 0.5 + y))
}

const INK: f32 = 0.018;

struct Pictogram<'a, 'b> {
    brush: Brush<'b>,
    style: &'a Style,
}

impl Pictogram<'_, '_> {
    fn ink(&self) -> Rgb {
        self.style.palette.ink
    }

    fn draw(&mut self, number: u8) {
        match number {
            1 => self.another_turn(),
            2 => {
                self.tower(0.58, 0.6, 0.24, false);
                self.twice();
            }
            3 => {
                self.house(0.58, 0.6, 0.26, false);
                self.twice();
            }
            4 => self.path(),
            5 => self.tower(0.57, 0.6, 0.27, true),
            6 => self.house(0.57, 0.62, 0.29, true),
            7 => self.market(),
            8 => self.keep(),
            _ => self.coins(),
        }
    }

    fn another_turn(&mut self) {
        let arc: Vec<_> = (0..=20)
            .map(|i| {
                let a = -0.35 * PI + i as f32 / 20.0 * 1.55 * PI;
                (0.57 + 0.22 * a.cos(), 0.6 + 0.22 * a.sin())
            })
            .collect();
        let colour = self.style.palette.houses[0];
        let ink = self.ink();
        self.brush.line(&arc, ink, 1.0, 0.12);
        self.brush.line(&arc, colour, 1.0, 0.085);
        let a = -0.35 * PI + 1.55 * PI;
        let (x, y) = (0.57 + 0.22 * a.cos(), 0.6 + 0.22 * a.sin());
        let (tx, ty) = (-a.sin(), a.cos());
        let (nx, ny) = (a.cos(), a.sin());
        let head =
            [(x + 0.15 * tx, y + 0.15 * ty), (x + 0.12 * nx, y + 0.12 * ny), (x - 0.12 * nx, y - 0.12 * ny)];
        self.brush.polygon(&head, colour, 1.0);
        self.brush.outline(&head, ink, 1.0, INK);
    }

    fn twice(&mut self) {
        let ink = self.ink();
        if let Some(path) = digits::number(2, 0.83, 0.3, 0.17) {
            self.brush.stroke(&path, ink, 1.0, 0.032);
        }
        for (a, b) in [((0.66, 0.27), (0.73, 0.35)), ((0.73, 0.27), (0.66, 0.35))] {
            self.brush.line(&[a, b], ink, 1.0, 0.026);
        }
    }

    /// A tower from the front; `open` leaves its top unbuilt.
    fn tower(&mut self, x: f32, y: f32, r: f32, open: bool) {
        let (ink, stone) = (self.ink(), self.style.palette.tower);
        let at = |u: f32, v: f32| (x + r * u, y + r * v);
        let body = if open {
            vec![
                at(-0.75, 1.0),
                at(-0.75, -0.5),
                at(-0.4, -0.8),
                at(-0.1, -0.35),
                at(0.25, -0.6),
                at(0.45, 0.0),
                at(0.75, -0.1),
                at(0.75, 1.0),
            ]
        } else {
            let mut top = vec![at(-0.7, 1.0), at(-0.7, -0.45)];
            for i in 0..7 {
                let u = -0.9 + 1.8 * i as f32 / 7.0;
                let v = if i % 2 == 0 { -1.0 } else { -0.75 };
                top.extend([at(u, v), at(u + 1.8 / 7.0, v)]);
            }
            top.extend([at(0.7, -0.45), at(0.7, 1.0)]);
            top
        };
        self.brush.polygon(&body, stone, 1.0);
        self.brush.outline(&body, ink, 1.0, INK);
        for (u, v) in [(-0.4, 0.1), (0.1, 0.35), (-0.3, 0.7), (0.3, 0.75)] {
            self.brush.line(&[at(u, v), at(u + 0.28, v)], ink, 0.6, 0.7 * INK);
        }
        let door = [at(-0.18, 1.0), at(-0.18, 0.6), at(0.0, 0.45), at(0.18, 0.6), at(0.18, 1.0)];
        self.brush.polygon(&door, ink, 1.0);
    }

    /// A house from the front; `open` leaves its roof to the rafters.
    fn house(&mut self, x: f32, y: f32, r: f32, open: bool) {
        let ink = self.ink();
        let p = &self.style.palette;
        let (roof, wall, wood) = (p.houses[0], lit(p.paper, 0.9), p.wood);
        let at = |u: f32, v: f32| (x + r * u, y + r * v);
        let front = [at(-0.75, 0.85), at(-0.75, -0.1), at(0.75, -0.1), at(0.75, 0.85)];
        self.brush.polygon(&front, wall, 1.0);
        self.brush.outline(&front, ink, 1.0, INK);
        let top = [at(-1.0, 0.0), at(0.0, -1.0), at(1.0, 0.0)];
        if open {
            for i in 0..5 {
                let u = -0.8 + 0.4 * i as f32;
                self.brush.line(&[at(u, -0.05), at(0.0, -1.0)], wood, 1.0, 1.6 * INK);
            }
            self.brush.outline(&top, ink, 1.0, INK);
        } else {
            self.brush.polygon(&top, roof, 1.0);
            self.brush.outline(&top, ink, 1.0, INK);
        }
        let door = [at(-0.2, 0.85), at(-0.2, 0.3), at(0.2, 0.3), at(0.2, 0.85)];
        self.brush.polygon(&door, wood, 1.0);
        self.brush.outline(&door, ink, 1.0, 0.8 * INK);
    }

    fn path(&mut self) {
        let (ink, path) = (self.ink(), self.style.palette.path);
        let bend: Vec<_> = (0..=24)
            .map(|i| {
                let t = i as f32 / 24.0;
                (0.56 + 0.2 * (t * 1.6 * PI).sin() * (1.0 - 0.3 * t), 0.88 - 0.56 * t)
            })
            .collect();
        self.brush.line(&bend, ink, 1.0, 0.165);
        self.brush.line(&bend, path, 1.0, 0.13);
        self.brush.line(&bend, lit(path, 0.8), 1.0, 0.016);
    }

    fn market(&mut self) {
        let [a, b] = self.style.palette.cloth;
        let ink = self.ink();
        let (x, y, r) = (0.58, 0.6, 0.27);
        let round = star(x, y, r, 0.92, 8, 0.2);
        for i in 0..8 {
            let corner = |k: usize| round[(2 * i + k + 15) % 16];
            self.brush.polygon(
                &[(x, y), corner(0), corner(1), corner(2)],
                if i % 2 == 0 { a } else { b },
                1.0,
            );
        }
        self.brush.outline(&round, ink, 1.0, INK);
        self.brush.disc(x, y, 0.12 * r, b, 1.0);
        self.brush.ring(x, y, 0.12 * r, ink, 1.0, 0.7 * INK);
    }

    fn keep(&mut self) {
        let ink = self.ink();
        let p = &self.style.palette;
        let (stone, roof) = (lit(p.stone, 1.0), p.slate);
        let (x, y, r) = (0.56, 0.62, 0.26);
        let at = |u: f32, v: f32| (x + r * u, y + r * v);
        for side in [-1.0_f32, 1.0] {
            let tower =
                [at(0.95 * side, 0.95), at(0.95 * side, -0.35), at(0.5 * side, -0.35), at(0.5 * side, 0.95)];
            self.brush.polygon(&tower, stone, 1.0);
            self.brush.outline(&tower, ink, 1.0, INK);
            let cone = [at(1.08 * side, -0.35), at(0.72 * side, -1.05), at(0.38 * side, -0.35)];
            self.brush.polygon(&cone, roof, 1.0);
            self.brush.outline(&cone, ink, 1.0, INK);
        }
        let hall = [at(-0.5, 0.95), at(-0.5, 0.0), at(0.5, 0.0), at(0.5, 0.95)];
        self.brush.polygon(&hall, mix(stone, p.paper, 0.4), 1.0);
        self.brush.outline(&hall, ink, 1.0, INK);
        let gate = [at(-0.22, 0.95), at(-0.22, 0.5), at(0.0, 0.3), at(0.22, 0.5), at(0.22, 0.95)];
        self.brush.polygon(&gate, ink, 1.0);
        if let Some(path) = digits::number(2, 0.84, 0.25, 0.15) {
            self.brush.stroke(&path, ink, 1.0, 0.03);
        }
        self.brush.line(&[(0.66, 0.25), (0.75, 0.25)], ink, 1.0, 0.026);
        self.brush.line(&[(0.705, 0.205), (0.705, 0.295)], ink, 1.0, 0.026);
    }

    fn coins(&mut self) {
        let ink = self.ink();
        let gold = mix(self.style.palette.path, self.style.palette.houses[1], 0.35);
        for i in 0..5 {
            let a = i as f32 * TAU / 5.0 - PI / 2.0;
            let (x, y) = (0.57 + 0.19 * a.cos(), 0.61 + 0.19 * a.sin());
            self.brush.disc(x, y, 0.095, gold, 1.0);
            self.brush.ring(x, y, 0.095, ink, 1.0, INK);
            self.brush.ring(x, y, 0.06, lit(gold, 0.75), 1.0, 0.8 * INK);
        }
        let lozenge = rectangle(0.57, 0.61, 0.045, 0.045, PI / 4.0);
        self.brush.polygon(&lozenge, gold, 1.0);
        self.brush.outline(&lozenge, ink, 1.0, INK);
    }
}
