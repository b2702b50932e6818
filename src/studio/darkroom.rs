//! Takes picture after picture of a table on which little changes: only what is different
//! is exposed anew.

use std::collections::BTreeSet;

use super::body::Body;
use super::lighting::{HAND, HELD};
use super::plate::Plate;
use super::scene::Scene;
use super::shadow::{Hidden, Shadows};
use super::space::{V3, v3};
use super::stage::{BLOCK, Slab, Stage, Store, blocks, blocks_of_box};

/// A darkroom for the pictures of one table.
#[derive(Default)]
pub struct Darkroom {
    store: Store,
    still: Option<Still>,
}

/// The table without what the hand moves, as it was when the last picture was taken.
struct Still {
    scene: Scene,
    slabs: Vec<Slab>,
    bodies: Vec<Body>,
    hidden: Hidden,
    shadows: Shadows,
    plate: Plate,
}

impl Darkroom {
    /// The light of a scene, row by row. `smear` is how far the hand and what it holds move
    /// while the shutter is open, px.
    pub fn light(&mut self, scene: &Scene, smear: (f32, f32)) -> Vec<V3> {
        self.keep_still(scene);
        let Some(still) = &self.still else { return Vec::new() };
        if scene.hand.is_none() && scene.held.is_none() {
            return still.plate.light.clone();
        }
        let stage = Stage::with(scene, &mut self.store, Some(&still.hidden));
        let mut changed = Changed::of(&stage);
        stage.slabs[stage.moving.0..].iter().for_each(|s| changed.slab(s));
        stage.bodies[stage.moving.1..].iter().for_each(|b| changed.body(b));
        if !changed.shadows(&still.shadows) {
            changed.all();
        }
        let mut plate = still.plate.clone();
        plate.expose(&stage, &changed.listed());
        let size = (scene.camera.size.0 as usize, scene.camera.size.1 as usize);
        smeared(plate, &still.plate, size, smear)
    }

    /// Has the table without what moves as it is in a scene.
    fn keep_still(&mut self, scene: &Scene) {
        if self.still.as_ref().is_some_and(|s| s.scene.same_picture(scene)) {
            return;
        }
        let scene = Scene { hand: None, held: None, ..scene.clone() };
        let stage = Stage::with(&scene, &mut self.store, None);
        let before = self.still.take().filter(|s| s.scene.same_view(&scene));
        let plate = before.and_then(|before| {
            let mut changed = Changed::of(&stage);
            if !changed.shadows(&before.shadows) {
                return None;
            }
            let new_slabs = stage.slabs.iter().filter(|s| !before.slabs.contains(s));
            let old_slabs = before.slabs.iter().filter(|s| !stage.slabs.contains(s));
            new_slabs.chain(old_slabs).for_each(|s| changed.slab(s));
            let new_bodies = stage.bodies.iter().filter(|b| !before.bodies.contains(b));
            let old_bodies = before.bodies.iter().filter(|b| !stage.bodies.contains(b));
            new_bodies.chain(old_bodies).for_each(|b| changed.body(b));
            let mut plate = before.plate;
            plate.expose(&stage, &changed.listed());
            Some(plate)
        });
        let plate = plate.unwrap_or_else(|| Plate::exposed(&stage));
        let Stage { slabs, bodies, hidden, shadows, .. } = stage;
        self.still = Some(Still { slabs, bodies, hidden, shadows, plate, scene });
    }
}

/// The blocks of a picture that look different.
struct Changed<'a> {
    stage: &'a Stage<'a>,
    blocks: BTreeSet<usize>,
}

impl Changed<'_> {
    fn of<'a>(stage: &'a Stage<'a>) -> Changed<'a> {
        Changed { stage, blocks: BTreeSet::new() }
    }

    fn all(&mut self) {
        let (across, down) = blocks(self.stage.scene.camera.size);
        self.blocks.extend(0..(across * down) as usize);
    }

    fn box_(&mut self, low: V3, high: V3) {
        self.blocks.extend(blocks_of_box(&self.stage.view, self.stage.scene.camera.size, (low, high)));
    }

    fn slab(&mut self, slab: &Slab) {
        let r = slab.half * (slab.turn.0.abs() + slab.turn.1.abs());
        let (x, y) = slab.middle;
        self.box_(v3(x - r, y - r, slab.bottom), v3(x + r, y + r, slab.top));
    }

    fn body(&mut self, body: &Body) {
        body.boxes().into_iter().for_each(|(low, high)| self.box_(low, high));
    }

    /// Adds where the shadows differ from others, with a block around; `false` when they
    /// can't be compared.
    fn shadows(&mut self, before: &Shadows) -> bool {
        let Some(places) = self.stage.shadows.differences(before) else { return false };
        let (across, down) = blocks(self.stage.scene.camera.size);
        let mut met = BTreeSet::new();
        for place in places {
            let Some((x, y)) = self.stage.view.project(place) else { continue };
            let (bx, by) = ((x / BLOCK as f32).floor() as i64, (y / BLOCK as f32).floor() as i64);
            met.insert((bx, by));
        }
        let around = met
            .into_iter()
            .flat_map(|(bx, by)| (-1..=1).flat_map(move |dy| (-1..=1).map(move |dx| (bx + dx, by + dy))));
        let inside = around
            .filter(|(x, y)| (0..i64::from(across)).contains(x) && (0..i64::from(down)).contains(y))
            .map(|(x, y)| y as usize * across as usize + x as usize);
        self.blocks.extend(inside);
        true
    }

    fn listed(&self) -> Vec<usize> {
        self.blocks.iter().copied().collect()
    }
}

/// The light when what moves is smeared: before it the table is seen for a part of the
/// time.
fn smeared(plate: Plate, still: &Plate, (width, height): (usize, usize), smear: (f32, f32)) -> Vec<V3> {
    /// A longer way is as blurred as any.
    const MOST_PX: f32 = 90.0;
    let length = smear.0.hypot(smear.1);
    if length < 1.5 {
        return plate.light;
    }
    let smear =
        if length > MOST_PX { (smear.0 * MOST_PX / length, smear.1 * MOST_PX / length) } else { smear };
    let taps = length.min(MOST_PX).ceil() as usize + 1;
    let steps: Vec<(i64, i64)> = (0..taps)
        .map(|i| {
            let k = i as f32 / (taps - 1) as f32 - 0.5;
            ((smear.0 * k).round() as i64, (smear.1 * k).round() as i64)
        })
        .collect();
    let moves = |at: usize| matches!(plate.things[at], HAND | HELD);
    let moving: Vec<usize> = (0..width * height).filter(|at| moves(*at)).collect();
    let (Some(top), Some(bottom)) = (moving.first().map(|a| a / width), moving.last().map(|a| a / width))
    else {
        return plate.light;
    };
    let left = moving.iter().map(|a| a % width).min().unwrap_or(0);
    let right = moving.iter().map(|a| a % width).max().unwrap_or(0);
    let reach = MOST_PX as usize / 2 + 1;
    let mut out = plate.light.clone();
    for y in top.saturating_sub(reach)..(bottom + reach + 1).min(height) {
        for x in left.saturating_sub(reach)..(right + reach + 1).min(width) {
            let (mut share, mut sum) = (0, V3::default());
            for (dx, dy) in &steps {
                // Beyond the picture what moves goes on as at its border.
                let sx = (x as i64 - dx).clamp(0, width as i64 - 1) as usize;
                let sy = (y as i64 - dy).clamp(0, height as i64 - 1) as usize;
                let at = sy * width + sx;
                if moves(at) {
                    share += 1;
                    sum = sum + plate.light[at];
                }
            }
            if share > 0 {
                let at = y * width + x;
                let behind = if moves(at) { still.light[at] } else { plate.light[at] };
                let taps = taps as f32;
                out[at] = sum * (1.0 / taps) + behind * (1.0 - share as f32 / taps);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use image::{Rgb, RgbImage};

    use super::*;
    use crate::rules::{Cell, Rotation};
    use crate::studio::PieceKind;
    use crate::studio::random_scene::{Board, Mood, random_hand};
    use crate::studio::scene::{HeldThing, LooseTile};

    const SIZE: (u32, u32) = (320, 200);

    fn board(tiles: &[i8], follower: bool) -> Board {
        let picture = RgbImage::from_fn(32, 32, |x, y| Rgb([8 * x as u8, 8 * y as u8, 90]));
        let laid = |c: &i8| (Cell::new(*c, 0), "t".to_owned(), Rotation::new(0));
        Board {
            pictures: Arc::new(BTreeMap::from([("t".to_owned(), picture)])),
            tiles: tiles.iter().map(laid).collect(),
            colours: vec![[190, 36, 36]],
            figures: if follower {
                vec![(PieceKind::Follower, 0, Cell::new(0, 0), Some(0), (0.5, 0.5), false)]
            } else {
                Vec::new()
            },
            room: vec![Cell::new(0, 0), Cell::new(3, 2)],
            ..Board::default()
        }
    }

    /// Whatever was before the camera, a picture is that of its scene alone.
    #[test]
    fn a_picture_of_which_a_part_is_exposed_anew_is_the_picture_exposed_as_a_whole() {
        let mut darkroom = Darkroom::default();
        let pictures = board(&[0], false).pictures;
        let scene = |tiles: &[i8], follower: bool| {
            let board = Board { pictures: pictures.clone(), ..board(tiles, follower) };
            Scene { hand: None, ..Scene::random(&board, Mood::Calm, SIZE, 3) }
        };
        let mut reaching = scene(&[0, 1], true);
        reaching.hand = Some(random_hand(&board(&[0, 1], true), 5));
        let tile = LooseTile { id: "t".to_owned(), place: (1.5, 1.5), turn: 20.0 };
        let mut carrying = reaching.clone();
        carrying.held = Some(HeldThing::Tile(tile.clone(), 0.4));
        let mut beside = scene(&[0, 1], false);
        beside.loose.push(tile);
        for (i, scene) in [
            scene(&[0], false),
            scene(&[0, 1], false),
            scene(&[0, 1], true),
            carrying,
            reaching,
            scene(&[0, 1], true),
            beside,
            scene(&[1], false),
        ]
        .iter()
        .enumerate()
        {
            let light = darkroom.light(scene, (0.0, 0.0));
            let whole = Plate::exposed(&Stage::new(scene)).light;
            let off = light.iter().zip(&whole).filter(|(a, b)| (**a - **b).length() > 0.02).count();
            // Beside what changed a shadow may be softer by less than can be seen.
            assert!(off * 500 < light.len(), "picture {i}: {off} of {} pixels", light.len());
        }
    }

    #[test]
    fn what_moves_fast_is_smeared_along_its_way_and_nothing_else() {
        let mut darkroom = Darkroom::default();
        let mut scene = Scene { hand: None, ..Scene::random(&board(&[0], false), Mood::Calm, SIZE, 3) };
        let still = darkroom.light(&scene, (0.0, 0.0));
        scene.hand = Some(random_hand(&board(&[0], false), 5));
        let sharp = darkroom.light(&scene, (0.0, 0.0));
        let smeared = darkroom.light(&scene, (24.0, 0.0));
        let differ =
            |a: &[V3], b: &[V3]| a.iter().zip(b).filter(|(a, b)| (**a - **b).length() > 0.01).count();
        assert!(differ(&still, &sharp) > 500, "there is a hand");
        assert!(differ(&sharp, &smeared) > 200, "and it moves");
        assert_eq!(differ(&still, &darkroom.light(&Scene { hand: None, ..scene }, (0.0, 0.0))), 0);
    }
}
