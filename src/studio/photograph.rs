//! Takes a photograph of a scene, with the truth beside it.

use image::RgbImage;

use super::camera::View;
use super::lighting::{BODY, HAND};
use super::plate::Plate;
use super::scene::Scene;
use super::sensor::develop;
use super::space::{V3, v3};
use super::stage::Stage;
use super::truth::{CellTruth, FigureTruth, MarkerTruth, Pixel, TileTruth, Truth, WallTruth};
use crate::rules::Cell;

/// Takes a photograph. The same scene and seed give the same picture; the seed
/// only changes the noise.
pub fn photograph(scene: &Scene, seed: u64) -> (RgbImage, Truth) {
    let stage = Stage::new(scene);
    let plate = Plate::exposed(&stage);
    let truth = write_truth(&stage, &plate.things, seed);
    (develop(plate.light, scene.camera.size, &scene.sensor, seed), truth)
}

fn pixel(view: &View, place: V3) -> Pixel {
    view.project(place).map_or([-1e6, -1e6], |(x, y)| [x, y])
}

fn write_truth(stage: &Stage<'_>, things: &[u32], seed: u64) -> Truth {
    let scene = stage.scene;
    let view = &stage.view;
    let (width, height) = scene.camera.size;
    let mut cells: Vec<Cell> = match &scene.wall {
        Some(standing) => standing.wall.cells(),
        None => scene.tiles.iter().map(|t| t.cell).collect(),
    };
    cells.sort_by_key(|c| (c.row, c.col));
    cells.dedup();
    let hand_id = stage.hand.map(|_| HAND);
    let seen = |x: f32, y: f32| -> Option<u32> {
        let (x, y) = (x.round(), y.round());
        let inside = x >= 0.0 && y >= 0.0 && x < width as f32 && y < height as f32;
        inside.then(|| things[y as usize * width as usize + x as usize])
    };
    let cells = cells
        .into_iter()
        .map(|cell| {
            let at =
                |u: f32, v: f32| v3(f32::from(cell.col) + u, f32::from(cell.row) + v, scene.tile_thickness);
            let corners = [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)].map(|p| pixel(view, p));
            const STEPS: usize = 24;
            let (mut covered, mut inside) = (0, 0);
            for i in 0..STEPS * STEPS {
                let u = ((i % STEPS) as f32 + 0.5) / STEPS as f32;
                let v = ((i / STEPS) as f32 + 0.5) / STEPS as f32;
                let [x, y] = pixel(view, at(u, v));
                if let Some(id) = seen(x, y) {
                    inside += 1;
                    covered += usize::from(Some(id) == hand_id);
                }
            }
            let total = (STEPS * STEPS) as f32;
            let tile = scene.tiles.iter().position(|t| t.cell == cell).map(|i| TileTruth {
                id: scene.tiles[i].id.clone(),
                rotation: scene.tiles[i].rotation,
                corners: scene.tiles[i]
                    .corners(scene.tile_thickness)
                    .map(|(x, y, z)| pixel(view, v3(x, y, z))),
            });
            let figures = scene
                .figures
                .iter()
                .enumerate()
                .filter(|(_, f)| f.cell == cell)
                .map(|(i, f)| FigureTruth {
                    figure: f.figure.seen_as(),
                    player: f.player,
                    segment: f.segment,
                    lying: f.lying,
                    x: f.place.0,
                    y: f.place.1,
                    foot: pixel(
                        view,
                        v3(
                            f32::from(cell.col) + f.place.0,
                            f32::from(cell.row) + f.place.1,
                            scene.ground(cell),
                        ),
                    ),
                    pixels: things.iter().filter(|id| **id == BODY + i as u32).count() as u32,
                })
                .collect();
            CellTruth {
                cell,
                corners,
                covered: covered as f32 / total,
                inside: inside as f32 / total,
                tile,
                figures,
            }
        })
        .collect();
    let wall = scene.wall.as_ref().map(|standing| WallTruth {
        height: standing.height,
        corners: standing
            .wall
            .ring()
            .iter()
            .map(|c| pixel(view, v3(f32::from(c.x), f32::from(c.y), standing.height)))
            .collect(),
        track: standing.wall.track.iter().map(|p| pixel(view, v3(p.x, p.y, standing.height))).collect(),
        wall_tiles: scene.wall_tiles.iter().map(|t| t.0).collect(),
    });
    let markers = scene
        .markers
        .iter()
        .filter_map(|m| {
            let standing = scene.wall.as_ref()?;
            let p = standing.wall.track.get(m.space as usize)?;
            let foot = pixel(view, v3(p.x + m.shift.0, p.y + m.shift.1, standing.height));
            Some(MarkerTruth { player: m.player, space: m.space, lying: m.lying, foot })
        })
        .collect();
    Truth {
        seed,
        size: scene.camera.size,
        camera: scene.camera,
        tile_thickness: scene.tile_thickness,
        colours: scene.colours.clone(),
        words: Vec::new(),
        cells,
        wall,
        markers,
        hand: hand_id.is_some_and(|id| things.contains(&id)),
    }
}
