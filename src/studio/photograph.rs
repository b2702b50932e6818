//! Takes a photograph of a scene: rays, light, and the truth beside it.

use image::RgbImage;
use rayon::prelude::*;

use super::camera::View;
use super::scene::Scene;
use super::sensor::develop;
use super::space::{V3, v3};
use super::stage::{Hit, Stage, Thing};
use super::surface::finish;
use super::truth::{CellTruth, FigureTruth, MarkerTruth, Pixel, TileTruth, Truth, WallTruth};
use crate::rules::Cell;

/// Takes a photograph. The same scene and seed give the same picture; the seed
/// only changes the noise.
pub fn photograph(scene: &Scene, seed: u64) -> (RgbImage, Truth) {
    let stage = Stage::new(scene);
    let (width, height) = (scene.camera.size.0 as usize, scene.camera.size.1 as usize);
    let light = Lighting::new(scene);
    let mut pixels = vec![V3::default(); width * height];
    let mut things = vec![NOTHING; width * height];
    pixels.par_chunks_mut(width).zip(things.par_chunks_mut(width)).enumerate().for_each(|(y, (row, ids))| {
        for x in 0..width {
            let (colour, id) = light.sample(&stage, x as f32, y as f32, 1.0);
            row[x] = colour;
            ids[x] = id;
        }
    });
    let edges: Vec<bool> = (0..width * height)
        .into_par_iter()
        .map(|i| {
            let (x, y) = (i % width, i / width);
            let id = things[i];
            (x > 0 && things[i - 1] != id)
                || (x + 1 < width && things[i + 1] != id)
                || (y > 0 && things[i - width] != id)
                || (y + 1 < height && things[i + width] != id)
        })
        .collect();
    pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            if edges[y * width + x] {
                let sum = [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)]
                    .into_iter()
                    .fold(V3::default(), |sum, (dx, dy)| {
                        sum + light.sample(&stage, x as f32 + dx, y as f32 + dy, 0.5).0
                    });
                *pixel = sum * 0.25;
            }
        }
    });
    let truth = write_truth(&stage, &things, seed);
    (develop(pixels, scene.camera.size, &scene.sensor, seed), truth)
}

const NOTHING: u32 = u32::MAX;
const BODY: u32 = 1 << 20;

fn id_of(hit: &Hit) -> u32 {
    let face = u32::from(hit.top);
    match hit.thing {
        Thing::Table => 0,
        Thing::Wall => 2 + face,
        Thing::Slab(i) => 8 + 2 * i as u32 + face,
        Thing::Body(i) => BODY + i as u32,
    }
}

/// The light of a scene as colours.
struct Lighting {
    lamp: V3,
    room: V3,
    ambient: f32,
    gloss: f32,
    reach: f32,
}

impl Lighting {
    fn new(scene: &Scene) -> Lighting {
        let warm = kelvin(scene.light.kelvin);
        let (x, y, z) = scene.light.lamp;
        let reach = v3(x - 4.5, y - 5.0, z).length();
        Lighting {
            lamp: warm,
            room: warm.mix(v3(1.0, 1.0, 1.0), 0.5).mix(v3(0.95, 1.0, 1.08), 0.25),
            ambient: scene.light.ambient,
            gloss: scene.light.gloss,
            reach,
        }
    }

    fn sample(&self, stage: &Stage<'_>, px: f32, py: f32, width: f32) -> (V3, u32) {
        let ray = stage.view.ray(px, py);
        match stage.hit(px, py, ray) {
            Some(hit) => (self.shade(stage, &hit, ray, width), id_of(&hit)),
            None => (self.room * 0.08, NOTHING),
        }
    }

    fn shade(&self, stage: &Stage<'_>, hit: &Hit, ray: V3, width: f32) -> V3 {
        let scene = stage.scene;
        let spot = width * hit.distance / stage.view.focal_px / ray.z.abs().max(0.2).sqrt();
        let (colour, gloss, sharp) = match hit.thing {
            Thing::Table => {
                let f = finish(&scene.table, hit.at.x, hit.at.y);
                (f.colour, f.gloss, f.sharp)
            }
            Thing::Slab(i) => {
                let slab = &stage.slabs[i];
                let texture = &stage.textures[slab.texture];
                if hit.top {
                    let (u, v) = slab.picture_place(hit.at);
                    let texel = texture.at(u, v, spot * texture.width() / (2.0 * slab.half));
                    let edge = (u - 0.5).abs().max((v - 0.5).abs());
                    let worn = if edge > 0.488 { 0.82 } else { 1.0 };
                    (texel.colour * worn, self.gloss, 60.0 + 240.0 * self.gloss)
                } else {
                    (v3(0.42, 0.38, 0.31) * 0.8, 0.0, 8.0)
                }
            }
            Thing::Wall => match &stage.relief {
                Some(relief) => {
                    let u = (hit.at.x * relief.scale + relief.origin.0) / relief.size.0;
                    let v = (hit.at.y * relief.scale + relief.origin.1) / relief.size.1;
                    let texel = relief.texture.at(u, v, spot * relief.scale);
                    if hit.top {
                        (texel.colour, self.gloss, 60.0 + 240.0 * self.gloss)
                    } else {
                        (texel.colour.mix(v3(0.36, 0.33, 0.28), 0.6) * 0.8, 0.0, 8.0)
                    }
                }
                None => (V3::default(), 0.0, 8.0),
            },
            Thing::Body(i) => {
                let body = &stage.bodies[i];
                (body.colour_at(hit.at), body.gloss, 40.0)
            }
        };
        let (lit, open) = self.shadow(stage, hit);
        let to_lamp = stage.lamp - hit.at;
        let far = to_lamp.length();
        let to_lamp = to_lamp * (1.0 / far);
        let facing = to_lamp.dot(hit.normal);
        let soft = if Some(hit.thing) == stage.hand.map(Thing::Body) { 0.18 } else { 0.0 };
        let diffuse = ((facing + soft) / (1.0 + soft)).max(0.0);
        let strength = (self.reach / far).powi(2) / (stage.lamp.z / self.reach).max(0.3);
        let direct = self.lamp * ((1.0 - self.ambient) * strength * lit);
        let sky = 0.6 + 0.4 * hit.normal.z;
        let indirect = self.room * (self.ambient * open * sky);
        let mut out = colour.times(direct * diffuse + indirect);
        if gloss > 0.0 {
            let half = (to_lamp - ray).unit();
            let lobe = hit.normal.dot(half).max(0.0).powf(sharp) * (sharp + 8.0) / 25.0;
            let slant = (1.0 + ray.dot(hit.normal)).clamp(0.0, 1.0).powi(5);
            let reflect = 0.04 + 0.96 * slant;
            out = out + direct * (lobe * reflect * gloss * f32::from(u8::from(facing > 0.0)));
            out = out + self.room * (self.ambient * open * reflect * gloss * 0.6);
        }
        out
    }

    /// How much of the lamp and of the room reaches a hit.
    fn shadow(&self, stage: &Stage<'_>, hit: &Hit) -> (f32, f32) {
        match hit.thing {
            Thing::Body(i) if Some(i) == stage.hand => {
                let low = (hit.at.z / 2.0).clamp(0.0, 1.0);
                (1.0, 0.75 + 0.25 * low)
            }
            Thing::Body(i) => {
                let body = &stage.bodies[i];
                let (middle, radius) = body.ball();
                let out = v3(hit.at.x - middle.x, hit.at.y - middle.y, 0.0).unit() * (radius * 0.35);
                let (lit, open) = stage.shadows.at(v3(hit.at.x + out.x, hit.at.y + out.y, body.foot.z));
                let rise = ((hit.at.z - body.foot.z) / radius).clamp(0.0, 1.0);
                let facing = (stage.lamp - hit.at).dot(hit.normal) > 0.0;
                let lit = if facing { lit.max(0.35 + 0.65 * rise * lit) } else { 0.0 };
                (lit, open * (0.6 + 0.4 * rise))
            }
            Thing::Slab(i) if stage.slabs[i].stacked => (if hit.top { 1.0 } else { 0.8 }, 0.8),
            _ if hit.top => stage.shadows.at(hit.at),
            _ => {
                let out = hit.at + hit.normal * 0.06;
                let (lit, open) = stage.shadows.at(v3(out.x, out.y, (hit.at.z - 0.03).max(0.0)));
                (lit, open * 0.6)
            }
        }
    }
}

/// The colour of a black body, scaled so that green is 1.
fn kelvin(k: f32) -> V3 {
    let t = k / 100.0;
    let red = if t <= 66.0 { 1.0 } else { (1.293 * (t - 60.0).powf(-0.1332)).clamp(0.0, 1.0) };
    let green =
        if t <= 66.0 { 0.39 * t.ln() - 0.632 } else { 1.13 * (t - 60.0).powf(-0.0755) }.clamp(0.05, 1.0);
    let blue = if t >= 66.0 { 1.0 } else { (0.5432 * (t - 10.0).max(1.0).ln() - 1.196).clamp(0.0, 1.0) };
    let linear = |v: f32| v.powf(2.2);
    let g = linear(green);
    v3(linear(red) / g, 1.0, linear(blue) / g)
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
    let hand_id = stage.hand.map(|i| BODY + i as u32);
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
                    figure: f.figure,
                    player: f.player,
                    segment: f.segment,
                    lying: f.lying,
                    x: f.place.0,
                    y: f.place.1,
                    foot: pixel(view, at(f.place.0, f.place.1)),
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
        cells,
        wall,
        markers,
        hand: hand_id.is_some_and(|id| things.contains(&id)),
    }
}
