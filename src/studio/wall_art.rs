//! Draws the castle wall and the wall tiles.

use image::RgbaImage;
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, Rect, Stroke, Transform};

use super::digits;
use super::style::Style;
use super::tile::draw_tile;
use crate::rules::{Side, Wall};

/// A picture of a wall without tiles.
#[derive(Clone, Debug)]
pub struct WallPicture {
    /// The picture; alpha is 0 inside and outside the wall.
    pub image: RgbaImage,
    /// Where the upper left corner of cell (0, 0) lies in it.
    pub origin_px: (f32, f32),
}

/// Draws a wall with `px_per_tile` pixels a tile side.
pub fn draw_wall(wall: &Wall, style: &Style, px_per_tile: u32) -> WallPicture {
    let scale = px_per_tile as f32;
    let margin = wall.thickness + 0.15;
    let (cols, rows) = wall.size();
    let side = |n: usize| ((n as f32 + 2.0 * margin) * scale).ceil().max(1.0) as u32;
    let origin = margin * scale;
    let Some(mut map) = Pixmap::new(side(cols), side(rows)) else {
        return WallPicture { image: RgbaImage::new(1, 1), origin_px: (0.0, 0.0) };
    };
    let to_px = Transform::from_row(scale, 0.0, 0.0, scale, origin, origin);
    let mut stone = Paint::default();
    stone.set_color(colour(style.palette.stone));
    let mut ink = Paint { anti_alias: true, ..Paint::default() };
    ink.set_color(colour(style.palette.ink));
    for corner in wall.ring() {
        for cell in corner.cells() {
            let t = wall.thickness;
            if let Some(r) =
                Rect::from_xywh(cell.col as f32 - t, cell.row as f32 - t, 1.0 + 2.0 * t, 1.0 + 2.0 * t)
            {
                map.fill_rect(r, &stone, to_px, None);
            }
        }
    }
    let clear = Paint { blend_mode: tiny_skia::BlendMode::Clear, anti_alias: false, ..Paint::default() };
    for cell in wall.cells() {
        if let Some(r) = Rect::from_xywh(cell.col as f32, cell.row as f32, 1.0, 1.0) {
            map.fill_rect(r, &clear, to_px, None);
        }
    }
    for (i, p) in wall.track.iter().enumerate() {
        if let Some(path) = digits::number(i as u32, p.x, p.y, 0.1) {
            let stroke = Stroke { width: 2.0 * style.ink_width, ..Stroke::default() };
            map.stroke_path(&path, &ink, &stroke, to_px, None);
        }
    }
    let mut image = to_image(&map);
    for start in &wall.starts {
        let tile = draw_tile(&start.face, 0, style, px_per_tile);
        let lies = start.cell.neighbour(start.side);
        let depth = (0.2 * scale) as u32;
        for y in 0..px_per_tile {
            for x in 0..px_per_tile {
                let near = match start.side {
                    Side::North => px_per_tile - 1 - y,
                    Side::South => y,
                    Side::East => x,
                    Side::West => px_per_tile - 1 - x,
                };
                let px = (origin + lies.col as f32 * scale) as i64 + i64::from(x);
                let py = (origin + lies.row as f32 * scale) as i64 + i64::from(y);
                if near < depth
                    && let (Ok(px), Ok(py)) = (u32::try_from(px), u32::try_from(py))
                    && px < image.width()
                    && py < image.height()
                {
                    let [r, g, b] = tile.get_pixel(x, y).0;
                    image.put_pixel(px, py, image::Rgba([r, g, b, 255]));
                }
            }
        }
    }
    WallPicture { image, origin_px: (origin, origin) }
}

/// Draws a wall tile, `size_px` pixels a side: its front with the number 1 to
/// 9, or its back for `None`.
pub fn draw_wall_tile(number: Option<u8>, style: &Style, size_px: u32) -> RgbaImage {
    let Some(mut map) = Pixmap::new(size_px.max(1), size_px.max(1)) else { return RgbaImage::new(1, 1) };
    let scale = Transform::from_scale(size_px as f32, size_px as f32);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(colour(style.palette.stone));
    if let Some(disc) = PathBuilder::from_circle(0.5, 0.5, 0.48) {
        map.fill_path(&disc, &paint, FillRule::Winding, scale, None);
    }
    if let Some(path) = number.and_then(|n| digits::number(u32::from(n), 0.5, 0.5, 0.4)) {
        paint.set_color(colour(style.palette.ink));
        map.stroke_path(&path, &paint, &Stroke { width: 0.06, ..Stroke::default() }, scale, None);
    }
    to_image(&map)
}

fn colour(rgb: super::style::Rgb) -> Color {
    let [r, g, b] = rgb.map(|c| (c * 255.0) as u8);
    Color::from_rgba8(r, g, b, 255)
}

fn to_image(map: &Pixmap) -> RgbaImage {
    let pixels = map.pixels().iter().flat_map(|p| {
        let c = p.demultiply();
        [c.red(), c.green(), c.blue(), c.alpha()]
    });
    RgbaImage::from_raw(map.width(), map.height(), pixels.collect()).unwrap_or_default()
}
