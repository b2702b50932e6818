//! Photographs for an enrolment: tiles of a deck laid out loosely, several to a
//! photo.

use std::collections::BTreeMap;
use std::sync::Arc;

use image::RgbImage;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::random_scene::{Board, Mood};
use super::scene::{LaidTile, Prop, Scene};
use crate::rules::{Cell, Rotation};

/// The middle of every table, tile sides.
const TABLE_MIDDLE: (f32, f32) = (4.5, 5.0);

/// Tiles laid out on a random table, under random light, before a random camera:
/// some photos in rows, others turned every way, none touching another. A tile's
/// corners in the truth begin with its own upper left one.
pub fn loose_scene(
    pictures: &Arc<BTreeMap<String, RgbImage>>,
    ids: &[String],
    mood: Mood,
    size: (u32, u32),
    seed: u64,
) -> Scene {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let in_rows = rng.random_bool(0.4);
    // A turned tile reaches 0.71 from its middle, one that lies nearly straight 0.56.
    let pitch = if in_rows { rng.random_range(1.2..1.5) } else { rng.random_range(1.5..1.8) };
    let stir = if in_rows { 0.02 } else { (pitch - 1.42_f32) / 2.0 };
    let columns = ((ids.len() as f32 * size.0 as f32 / size.1 as f32).sqrt().ceil() as usize).max(1);
    let rows = ids.len().div_ceil(columns);
    let mut places: Vec<usize> = (0..ids.len()).collect();
    places.shuffle(&mut rng);
    let tiles: Vec<LaidTile> = ids
        .iter()
        .zip(places)
        .map(|(id, place)| {
            let middle = |i: usize, n: usize, about: f32, rng: &mut Pcg64Mcg| {
                about + (i as f32 - (n as f32 - 1.0) / 2.0) * pitch + rng.random_range(-stir..=stir)
            };
            let x = middle(place % columns, columns, TABLE_MIDDLE.0, &mut rng);
            let y = middle(place / columns, rows, TABLE_MIDDLE.1, &mut rng);
            let quarters = 90.0 * f32::from(rng.random_range(0..4_u8));
            let turn = if in_rows { rng.random_range(-6.0..6.0) } else { rng.random_range(-45.0..45.0) };
            LaidTile {
                id: id.clone(),
                cell: Cell::new(x.floor() as i8, y.floor() as i8),
                rotation: Rotation::default(),
                shift: (x - x.floor() - 0.5, y - y.floor() - 0.5),
                turn: quarters + turn,
            }
        })
        .collect();
    let board = Board {
        pictures: pictures.clone(),
        tiles: tiles.iter().map(|t| (t.cell, t.id.clone(), t.rotation)).collect(),
        colours: vec![[180, 40, 40], [40, 70, 160]],
        ..Board::default()
    };
    let mut scene = Scene::random(&board, mood, size, rng.random());
    scene.hand = None;
    scene.props.retain(|p| !matches!(p, Prop::Stack { .. }));
    let corners: Vec<(f32, f32, f32)> = tiles.iter().flat_map(|t| t.corners(0.0)).collect();
    scene.tiles = tiles;
    scene.camera = scene.camera.framing(&corners, rng.random_range(0.02..0.08));
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_tiles_do_not_touch_and_lie_inside_the_picture() {
        let ids: Vec<String> = (0..11).map(|i| format!("a{i}")).collect();
        for seed in 0..20 {
            let scene = loose_scene(&Arc::default(), &ids, Mood::Usual, (1200, 900), seed);
            assert_eq!(scene.tiles.len(), 11);
            for (i, a) in scene.tiles.iter().enumerate() {
                let corners = a.corners(0.0);
                for corner in corners {
                    let (x, y) = scene.camera.project(corner).unwrap();
                    assert!((0.0..1200.0).contains(&x) && (0.0..900.0).contains(&y), "seed {seed}");
                }
                for b in scene.tiles.iter().skip(i + 1) {
                    let sides = |t: &LaidTile| {
                        let c = t.corners(0.0);
                        [(c[1].0 - c[0].0, c[1].1 - c[0].1), (c[3].0 - c[0].0, c[3].1 - c[0].1)]
                    };
                    let apart = sides(a).into_iter().chain(sides(b)).any(|(u, v)| {
                        let along = |t: &LaidTile| t.corners(0.0).map(|c| c.0 * u + c.1 * v);
                        let (p, q) = (along(a), along(b));
                        let max = |l: &[f32]| l.iter().copied().fold(f32::MIN, f32::max);
                        let min = |l: &[f32]| l.iter().copied().fold(f32::MAX, f32::min);
                        max(&p) < min(&q) || max(&q) < min(&p)
                    });
                    assert!(apart, "seed {seed}: {a:?} {b:?}");
                }
            }
        }
    }
}
