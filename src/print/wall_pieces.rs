//! A wall cut into pieces that fit a page.

use image::{Rgb, RgbImage, imageops};
use rayon::prelude::*;

use crate::rules::Wall;
use crate::studio::{WallPicture, wall_joints};

/// A piece of a wall.
pub struct Piece {
    /// Its first and last track space.
    pub spaces: (usize, usize),
    /// Its picture, white where it is not.
    pub picture: RgbImage,
}

/// Cuts a wall between track spaces: at the joints that are drawn on it, and
/// where a piece would not fit `room` (pixels, either way round), once more.
/// `None` when a piece cannot be made to fit.
pub fn pieces(wall: &Wall, drawn: &WallPicture, px_per_tile: f32, room: (u32, u32)) -> Option<Vec<Piece>> {
    let count = wall.track.len();
    let joints = wall_joints(wall);
    let mut ends = joints.drawn.clone();
    ends.sort_unstable();
    if ends.is_empty() {
        ends.push(count.checked_sub(1)?);
    }
    let mut arcs: Vec<(usize, usize)> = Vec::new();
    for (i, end) in ends.iter().enumerate() {
        let before = ends[(i + ends.len() - 1) % ends.len()];
        arcs.push(((before + 1) % count, *end));
    }
    let mut out = Vec::new();
    let mut todo: Vec<(usize, usize)> = arcs.into_iter().rev().collect();
    while let Some((first, last)) = todo.pop() {
        let picture = cut(wall, drawn, px_per_tile, (first, last));
        let (w, h) = picture.dimensions();
        let fits = |w: u32, h: u32| w <= room.0 && h <= room.1;
        if fits(w, h) || fits(h, w) {
            let upright = fits(w, h) && !(fits(h, w) && w < h);
            let picture = if upright { picture } else { imageops::rotate90(&picture) };
            out.push(Piece { spaces: (first, last), picture });
            continue;
        }
        let length = (last + count - first) % count;
        let middle = |s: &usize| ((s + count - first) % count).abs_diff(length / 2);
        let inside = |s: &&usize| (**s + count - first) % count < length;
        let at = *joints.possible.iter().filter(inside).min_by_key(|s| middle(s))?;
        todo.push(((at + 1) % count, last));
        todo.push((first, at));
    }
    Some(out)
}

/// The part of a wall's picture that is nearest to these track spaces.
fn cut(wall: &Wall, drawn: &WallPicture, px_per_tile: f32, (first, last): (usize, usize)) -> RgbImage {
    let count = wall.track.len();
    let length = (last + count - first) % count + 1;
    let place = |space: usize| {
        let p = wall.track[space % count];
        (p.x * px_per_tile + drawn.origin_px.0, p.y * px_per_tile + drawn.origin_px.1)
    };
    let own: Vec<(f32, f32)> = (0..length).map(|i| place(first + i)).collect();
    let others: Vec<(f32, f32)> = (length..count).map(|i| place(first + i)).collect();
    let reach = 1.5 * px_per_tile;
    let bound = |v: f32, most: u32| (v.max(0.0) as u32).min(most);
    let (mut low, mut high) = ((f32::MAX, f32::MAX), (f32::MIN, f32::MIN));
    for p in &own {
        low = (low.0.min(p.0), low.1.min(p.1));
        high = (high.0.max(p.0), high.1.max(p.1));
    }
    let (width, height) = drawn.image.dimensions();
    let (x0, x1) = (bound(low.0 - reach, width), bound(high.0 + reach, width));
    let (y0, y1) = (bound(low.1 - reach, height), bound(high.1 + reach, height));
    let near: Vec<(f32, f32)> = others
        .into_iter()
        .filter(|p| {
            p.0 > low.0 - 2.0 * reach
                && p.0 < high.0 + 2.0 * reach
                && p.1 > low.1 - 2.0 * reach
                && p.1 < high.1 + 2.0 * reach
        })
        .collect();
    let nearest = |points: &[(f32, f32)], x: f32, y: f32| {
        points.iter().map(|p| (p.0 - x).powi(2) + (p.1 - y).powi(2)).fold(f32::MAX, f32::min)
    };
    let rows: Vec<Vec<Option<[u8; 3]>>> = (y0..y1)
        .into_par_iter()
        .map(|y| {
            (x0..x1)
                .map(|x| {
                    let [r, g, b, a] = drawn.image.get_pixel(x, y).0;
                    let (fx, fy) = (x as f32, y as f32);
                    (a > 127 && nearest(&own, fx, fy) <= nearest(&near, fx, fy)).then_some([r, g, b])
                })
                .collect()
        })
        .collect();
    let used = |row: &Vec<Option<[u8; 3]>>| row.iter().any(Option::is_some);
    let top = rows.iter().position(used).unwrap_or(0);
    let bottom = rows.iter().rposition(used).map_or(0, |b| b + 1);
    let columns = rows.iter().filter_map(|r| Some((r.iter().position(Option::is_some)?, r)));
    let left = columns.clone().map(|c| c.0).min().unwrap_or(0);
    let right = columns.filter_map(|c| c.1.iter().rposition(Option::is_some)).max().map_or(0, |r| r + 1);
    RgbImage::from_fn((right - left).max(1) as u32, (bottom - top).max(1) as u32, |x, y| {
        let pixel = rows.get(top + y as usize).and_then(|r| r.get(left + x as usize)).copied().flatten();
        Rgb(pixel.unwrap_or([255; 3]))
    })
}
