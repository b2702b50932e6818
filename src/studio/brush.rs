//! Simple shapes in tile units on a picture.

use image::RgbaImage;
use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

use super::style::Rgb;

/// Draws on a picture in units of tile sides.
pub(super) struct Brush<'a> {
    map: &'a mut Pixmap,
    to_px: Transform,
}

impl<'a> Brush<'a> {
    pub(super) fn new(map: &'a mut Pixmap, to_px: Transform) -> Brush<'a> {
        Brush { map, to_px }
    }

    pub(super) fn fill(&mut self, path: &Path, colour: Rgb, alpha: f32) {
        self.map.fill_path(path, &paint(colour, alpha), FillRule::Winding, self.to_px, None);
    }

    pub(super) fn stroke(&mut self, path: &Path, colour: Rgb, alpha: f32, width: f32) {
        if width > 0.0 {
            let stroke =
                Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
            self.map.stroke_path(path, &paint(colour, alpha), &stroke, self.to_px, None);
        }
    }

    pub(super) fn disc(&mut self, x: f32, y: f32, r: f32, colour: Rgb, alpha: f32) {
        if let Some(path) = PathBuilder::from_circle(x, y, r) {
            self.fill(&path, colour, alpha);
        }
    }

    pub(super) fn ring(&mut self, x: f32, y: f32, r: f32, colour: Rgb, alpha: f32, width: f32) {
        if let Some(path) = PathBuilder::from_circle(x, y, r) {
            self.stroke(&path, colour, alpha, width);
        }
    }

    pub(super) fn polygon(&mut self, points: &[(f32, f32)], colour: Rgb, alpha: f32) {
        if let Some(path) = line(points, true) {
            self.fill(&path, colour, alpha);
        }
    }

    pub(super) fn outline(&mut self, points: &[(f32, f32)], colour: Rgb, alpha: f32, width: f32) {
        if let Some(path) = line(points, true) {
            self.stroke(&path, colour, alpha, width);
        }
    }

    pub(super) fn line(&mut self, points: &[(f32, f32)], colour: Rgb, alpha: f32, width: f32) {
        if let Some(path) = line(points, false) {
            self.stroke(&path, colour, alpha, width);
        }
    }
}

fn paint(colour: Rgb, alpha: f32) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    let [r, g, b] = colour.map(|c| c.clamp(0.0, 1.0));
    if let Some(c) = Color::from_rgba(r, g, b, alpha.clamp(0.0, 1.0)) {
        paint.set_color(c);
    }
    paint
}

fn line(points: &[(f32, f32)], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, (x, y)) in points.iter().enumerate() {
        if i == 0 {
            path.move_to(*x, *y);
        } else {
            path.line_to(*x, *y);
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// The corners of a rectangle round a place, turned by an angle.
pub(super) fn rectangle(x: f32, y: f32, half_width: f32, half_height: f32, turn: f32) -> [(f32, f32); 4] {
    let (s, c) = turn.sin_cos();
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(u, v)| {
        let (u, v) = (u * half_width, v * half_height);
        (x + c * u - s * v, y + s * u + c * v)
    })
}

/// The corners of a star or, with `inner` near 1, of a round.
pub(super) fn star(x: f32, y: f32, r: f32, inner: f32, points: usize, turn: f32) -> Vec<(f32, f32)> {
    (0..2 * points)
        .map(|i| {
            let a = turn + i as f32 * std::f32::consts::PI / points as f32;
            let r = if i % 2 == 0 { r } else { r * inner };
            (x + r * a.cos(), y + r * a.sin())
        })
        .collect()
}

/// The picture with straight alpha.
pub(super) fn to_image(map: &Pixmap) -> RgbaImage {
    let pixels = map.pixels().iter().flat_map(|p| {
        let c = p.demultiply();
        [c.red(), c.green(), c.blue(), c.alpha()]
    });
    RgbaImage::from_raw(map.width(), map.height(), pixels.collect()).unwrap_or_default()
}
