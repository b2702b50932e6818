//! What lies beside a wall while a game is played: wall tiles that players have taken, coins,
//! tiles that were drawn.

use std::sync::Arc;

use image::RgbaImage;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use tiny_skia::{Pixmap, Transform};

use super::brush::{Brush, to_image};
use super::scene::{LooseTile, Prop, Scene, TakenTile};
use super::stage::WALL_TILE;

/// Room between things, tile sides.
const GAP: f32 = 0.08;
/// At most so far from the wall things are laid, tile sides.
const REACH: f32 = 2.5;
/// How often a free place is sought.
const TRIES: usize = 400;

/// Draws a coin, `size_px` pixels across (1 to 1024). Alpha is 0 outside its rim.
pub fn coin(metal: [u8; 3], size_px: u32) -> RgbaImage {
    let size = size_px.clamp(1, 1024);
    let Some(mut map) = Pixmap::new(size, size) else { return RgbaImage::new(1, 1) };
    let shade = |k: f32| metal.map(|v| f32::from(v) / 255.0 * k);
    let mut brush = Brush::new(&mut map, Transform::from_scale(size as f32, size as f32));
    brush.disc(0.5, 0.5, 0.49, shade(0.75), 1.0);
    brush.disc(0.5, 0.5, 0.43, shade(1.0), 1.0);
    brush.ring(0.5, 0.5, 0.36, shade(0.7), 1.0, 0.02);
    brush.line(&[(0.42, 0.34), (0.5, 0.28), (0.5, 0.7)], shade(0.55), 1.0, 0.07);
    to_image(&map)
}

/// Lays things beside the wall of a scene where nothing lies yet and the camera sees them,
/// turned every way: square pictures such as those of [`super::draw_wall_tile`], as large as
/// the wall's corner towers or of another side, and whole tiles by their ids. Gives the places
/// of the pictures; `None` where there was no room.
pub fn lay_beside(
    scene: &mut Scene,
    pictures: &[(RgbaImage, Option<f32>)],
    tiles: &[String],
    seed: u64,
) -> Vec<Option<(f32, f32)>> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let thickness = scene.wall.as_ref().map_or(0.5, |w| w.wall.thickness);
    for id in tiles {
        if let Some(place) = free_place(scene, 0.72, &mut rng) {
            let turn = rng.random_range(-180.0..180.0);
            scene.loose.push(LooseTile { id: id.clone(), place, turn });
        }
    }
    pictures
        .iter()
        .map(|(picture, side)| {
            let side = side.unwrap_or(thickness * WALL_TILE);
            let place = free_place(scene, 0.71 * side, &mut rng)?;
            let turn = rng.random_range(-180.0..180.0);
            scene.taken.push(TakenTile { picture: Arc::new(picture.clone()), side, place, turn });
            Some(place)
        })
        .collect()
}

/// A place beside the wall that is free for so large a disc and in the picture.
fn free_place(scene: &Scene, radius: f32, rng: &mut Pcg64Mcg) -> Option<(f32, f32)> {
    let standing = scene.wall.as_ref()?;
    let (cells, thickness) = (standing.wall.cells(), standing.wall.thickness);
    let columns = || cells.iter().map(|c| f32::from(c.col));
    let rows = || cells.iter().map(|c| f32::from(c.row));
    let out = thickness + REACH;
    let low = (columns().fold(f32::MAX, f32::min) - out, rows().fold(f32::MAX, f32::min) - out);
    let high = (columns().fold(f32::MIN, f32::max) + 1.0 + out, rows().fold(f32::MIN, f32::max) + 1.0 + out);
    let of_prop = |prop: &Prop| match prop {
        Prop::Stack { place, .. } => (*place, 0.75),
        Prop::Cup { place, .. } => (*place, 1.2),
        Prop::Supply { place, .. } => (*place, 0.25),
    };
    let taken: Vec<((f32, f32), f32)> = scene
        .props
        .iter()
        .map(of_prop)
        .chain(scene.loose.iter().map(|t| (t.place, 0.72)))
        .chain(scene.taken.iter().map(|t| (t.place, 0.71 * t.side)))
        .collect();
    let (width, height) = (scene.camera.size.0 as f32, scene.camera.size.1 as f32);
    let seen = |x: f32, y: f32| {
        scene
            .camera
            .project((x, y, 0.0))
            .is_some_and(|(u, v)| u > 2.0 && v > 2.0 && u < width - 3.0 && v < height - 3.0)
    };
    (0..TRIES).find_map(|_| {
        let (x, y) = (rng.random_range(low.0..high.0), rng.random_range(low.1..high.1));
        let beside_wall = cells.iter().all(|c| {
            let dx = (f32::from(c.col) - x).max(x - f32::from(c.col) - 1.0).max(0.0);
            let dy = (f32::from(c.row) - y).max(y - f32::from(c.row) - 1.0).max(0.0);
            dx.hypot(dy) > thickness * 1.1 + radius + GAP
        });
        let apart = taken.iter().all(|(p, r)| (p.0 - x).hypot(p.1 - y) > radius + r + GAP);
        let in_picture = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .iter()
            .all(|(u, v)| seen(x + u * radius, y + v * radius));
        (beside_wall && apart && in_picture).then_some((x, y))
    })
}
