//! A camera's exposure as its owner sets it before the game: turned down until the prints of the first
//! tiles are not burnt out, as the look at the table asks for (`docs/set-up.md`).

use super::darkroom::Darkroom;
use super::scene::{LaidTile, Scene};
use super::sensor::toned;
use super::space::V3;

/// How an owner turns the exposure down.
struct Heeds {
    /// A channel from which on it says no more, of 1.
    burnt: f32,
    /// The share of the tiles' pixels of which two channels may be burnt out: from more on, the look
    /// at the table warns.
    most: f32,
    /// Stops at a time, and at most.
    step: f32,
    farthest: f32,
}

const HEEDS: Heeds = Heeds { burnt: 250.0 / 255.0, most: 0.15, step: 1.0 / 3.0, farthest: 3.0 };

/// By how many stops the exposure is turned down with these tiles on the table, 0 or less.
pub fn stops(scene: &Scene, tiles: &[LaidTile]) -> f32 {
    let scene = Scene { tiles: tiles.to_vec(), ..scene.clone() };
    let pixels = pixels_of(&scene);
    if pixels.is_empty() {
        return 0.0;
    }
    let light = Darkroom::default().light(&scene, (0.0, 0.0));
    let mut sensor = scene.sensor;
    let (usual, mut down) = (sensor.exposure, 0.0);
    while down < HEEDS.farthest {
        sensor.exposure = usual - down;
        let picture = toned(light.clone(), scene.camera.size, &sensor);
        let is_burnt = |v: &V3| [v.x, v.y, v.z].iter().filter(|v| **v >= HEEDS.burnt).count() > 1;
        let burnt = pixels.iter().filter(|i| picture.get(**i).is_some_and(is_burnt)).count();
        if burnt as f32 <= HEEDS.most * pixels.len() as f32 {
            break;
        }
        down += HEEDS.step;
    }
    -down
}

/// The pixels on which a scene's tiles are, row by row; a pixel comes as often as places of
/// tiles fall on it.
fn pixels_of(scene: &Scene) -> Vec<usize> {
    /// Places along each side of a tile.
    const STEPS: usize = 40;
    let (width, height) = scene.camera.size;
    let part = |k: usize| (k as f32 + 0.5) / STEPS as f32;
    let place = |tile: &LaidTile, i: usize| {
        let [a, b, _, d] = tile.corners(scene.tile_thickness);
        let (u, v) = (part(i % STEPS), part(i / STEPS));
        scene.camera.project((
            a.0 + u * (b.0 - a.0) + v * (d.0 - a.0),
            a.1 + u * (b.1 - a.1) + v * (d.1 - a.1),
            a.2,
        ))
    };
    let at = |(x, y): (f32, f32)| {
        let inside = x > -0.5 && y > -0.5 && x < width as f32 - 0.5 && y < height as f32 - 0.5;
        inside.then(|| y.round() as usize * width as usize + x.round() as usize)
    };
    let tiles = scene.tiles.iter();
    tiles.flat_map(|tile| (0..STEPS * STEPS).filter_map(move |i| place(tile, i))).filter_map(at).collect()
}
