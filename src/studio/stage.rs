//! A scene made ready for rays: flat things on a grid, the wall as a relief,
//! figures and hands as bodies with their bounds in the picture.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use image::RgbImage;

use super::body::{Body, Shape};
use super::camera::View;
use super::pieces::PieceKind;
use super::scene::{HeldThing, LooseTile, Prop, Scene, StandingWall};
use super::shadow::{Hidden, Shadows, Slices};
use super::space::{V3, linear, v3};
use super::texture::Texture;

/// A flat rectangular thing, such as a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Slab {
    pub middle: (f32, f32),
    /// Cosine and sine of its turn on the table.
    pub turn: (f32, f32),
    /// Cosine and sine of the turn of its picture.
    pub picture_turn: (f32, f32),
    pub half: f32,
    pub bottom: f32,
    pub top: f32,
    pub texture: usize,
    /// How its upper face leans, as the slopes of its height.
    pub lean: (f32, f32),
    /// Whether it lies in a stack, above all planes that shadows fall on.
    pub stacked: bool,
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    Table,
    Slab(usize),
    Wall,
    Body(usize),
}

/// Where a ray met something.
pub struct Hit {
    pub thing: Thing,
    pub at: V3,
    pub normal: V3,
    /// Whether it is an upper face.
    pub top: bool,
    pub distance: f32,
}

/// The wall as a relief.
pub struct Relief {
    pub texture: Texture,
    pub scale: f32,
    pub origin: (f32, f32),
    pub size: (f32, f32),
    pub height: f32,
    mask: Vec<bool>,
    mask_width: usize,
    near: Vec<bool>,
    near_width: usize,
    slices: Slices,
}

/// The side of a wall tile, as a share of the wall's thickness.
pub const WALL_TILE: f32 = 0.94;
/// Places of the coarse wall map a tile side.
const NEAR: f32 = 6.0;
/// Pixels of a block of the picture for which bodies are listed.
pub const BLOCK: u32 = 16;

impl Relief {
    fn new(wall: &StandingWall) -> Relief {
        let (w, h) = wall.picture.dimensions();
        let mask: Vec<bool> = wall.picture.pixels().map(|p| p[3] > 127).collect();
        let (tw, th) = (w as f32 / wall.px_per_tile, h as f32 / wall.px_per_tile);
        let near_width = (tw * NEAR) as usize + 2;
        let near_height = (th * NEAR) as usize + 2;
        let mut near = vec![false; near_width * near_height];
        for (i, _) in mask.iter().enumerate().filter(|(_, m)| **m) {
            let x = (i % w as usize) as f32 / wall.px_per_tile * NEAR;
            let y = (i / w as usize) as f32 / wall.px_per_tile * NEAR;
            near[y as usize * near_width + x as usize] = true;
        }
        let mut relief = Relief {
            texture: Texture::rgba(&wall.picture),
            scale: wall.px_per_tile,
            origin: wall.origin_px,
            size: (w as f32, h as f32),
            height: wall.height,
            mask,
            mask_width: w as usize,
            near,
            near_width,
            slices: Slices::default(),
        };
        let (low, high) = relief.area();
        let (low, high) = (v3(low.0, low.1, 0.0), v3(high.0, high.1, relief.height));
        relief.slices = Slices::of(low, high, 0.025, |p| relief.is_at(p.x, p.y).0);
        relief
    }

    /// The area that its picture covers.
    fn area(&self) -> ((f32, f32), (f32, f32)) {
        let a = (-self.origin.0 / self.scale, -self.origin.1 / self.scale);
        (a, (a.0 + self.size.0 / self.scale, a.1 + self.size.1 / self.scale))
    }

    /// Whether there is wall at a place, and whether there may be some near by.
    #[inline]
    fn is_at(&self, x: f32, y: f32) -> (bool, bool) {
        let (px, py) = (x * self.scale + self.origin.0, y * self.scale + self.origin.1);
        if px < 0.0 || py < 0.0 || px >= self.size.0 || py >= self.size.1 {
            return (false, false);
        }
        let k = NEAR / self.scale;
        if !self.near[(py * k) as usize * self.near_width + (px * k) as usize] {
            return (false, false);
        }
        (self.mask[py as usize * self.mask_width + px as usize], true)
    }

    fn hit(&self, eye: V3, ray: V3) -> Option<Hit> {
        let enter = (self.height - eye.z) / ray.z;
        let leave = -eye.z / ray.z;
        let p = eye + ray * enter;
        if self.is_at(p.x, p.y).0 {
            return Some(Hit {
                thing: Thing::Wall,
                at: p,
                normal: v3(0.0, 0.0, 1.0),
                top: true,
                distance: enter,
            });
        }
        let flat = ray.x.hypot(ray.y).max(1e-4);
        let (fine, coarse) = (0.7 / self.scale / flat, 0.08 / flat);
        let mut t = enter;
        while t < leave {
            let p = eye + ray * t;
            let (here, near) = self.is_at(p.x, p.y);
            if here {
                let e = 2.5 / self.scale;
                let solid = |x: f32, y: f32| f32::from(u8::from(self.is_at(x, y).0));
                let n = v3(
                    solid(p.x - e, p.y) - solid(p.x + e, p.y),
                    solid(p.x, p.y - e) - solid(p.x, p.y + e),
                    0.001,
                );
                return Some(Hit { thing: Thing::Wall, at: p, normal: n.unit(), top: false, distance: t });
            }
            t += if near { fine } else { coarse };
        }
        None
    }
}

/// The pictures of a set made ready: kept from scene to scene.
#[derive(Default)]
pub struct Store {
    pictures: Arc<BTreeMap<String, RgbImage>>,
    textures: Vec<Arc<Texture>>,
    wall: Option<Arc<StandingWall>>,
    relief: Option<Arc<Relief>>,
}

impl Store {
    /// Makes ready what a scene needs and is not there yet.
    fn stock(&mut self, scene: &Scene) {
        if !Arc::ptr_eq(&self.pictures, &scene.pictures) || self.textures.is_empty() {
            self.pictures = scene.pictures.clone();
            self.textures = scene.pictures.values().map(|p| Arc::new(Texture::rgb(p))).collect();
        }
        let same = match (&self.wall, &scene.wall) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        if !same {
            self.wall = scene.wall.clone();
            self.relief = scene.wall.as_ref().map(|wall| Arc::new(Relief::new(wall)));
        }
    }
}

/// A scene made ready for rays.
pub struct Stage<'a> {
    pub scene: &'a Scene,
    pub view: View,
    pub textures: Vec<Arc<Texture>>,
    pub slabs: Vec<Slab>,
    pub relief: Option<Arc<Relief>>,
    /// The first are `scene.figures`, in their order.
    pub bodies: Vec<Body>,
    pub shadows: Shadows,
    /// What hides the light from what lies still.
    pub hidden: Hidden,
    pub lamp: V3,
    /// Index of the hand among the bodies.
    pub hand: Option<usize>,
    /// From which slab and from which body on things are moved by the hand.
    pub moving: (usize, usize),
    grid: HashMap<(i32, i32), Vec<usize>>,
    tallest: f32,
    blocks: Vec<Vec<usize>>,
    blocks_across: u32,
}

impl Stage<'_> {
    pub fn new(scene: &Scene) -> Stage<'_> {
        Stage::with(scene, &mut Store::default(), None)
    }

    /// As [`Stage::new`], with pictures that may be ready, and what hides the light from
    /// all that lies still in the scene, if that is known.
    pub fn with<'a>(scene: &'a Scene, store: &mut Store, hidden: Option<&Hidden>) -> Stage<'a> {
        store.stock(scene);
        let view = View::new(&scene.camera);
        let relief = store.relief.clone();
        let mut textures = store.textures.clone();
        let by_id: BTreeMap<&str, usize> =
            scene.pictures.keys().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
        let mut slabs = Vec::new();
        for (i, tile) in scene.tiles.iter().enumerate() {
            let Some(&texture) = by_id.get(tile.id.as_str()) else { continue };
            let turn = tile.turn.to_radians();
            let lean = |k: i32| (super::noise::hash(i as i32, k, scene.table.seed) - 0.5) * 0.05;
            slabs.push(Slab {
                middle: (
                    f32::from(tile.cell.col) + 0.5 + tile.shift.0,
                    f32::from(tile.cell.row) + 0.5 + tile.shift.1,
                ),
                turn: (turn.cos(), turn.sin()),
                picture_turn: [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]
                    [tile.rotation.quarters() as usize],
                half: 0.496,
                bottom: 0.0,
                top: scene.tile_thickness,
                texture,
                lean: (lean(1), lean(2)),
                stacked: false,
            });
        }
        let loose = |tile: &LooseTile, bottom: f32, stacked: bool| {
            let turn = tile.turn.to_radians();
            Some(Slab {
                middle: tile.place,
                turn: (turn.cos(), turn.sin()),
                picture_turn: (1.0, 0.0),
                half: 0.496,
                bottom,
                top: bottom + scene.tile_thickness,
                texture: *by_id.get(tile.id.as_str())?,
                lean: (0.0, 0.0),
                stacked,
            })
        };
        slabs.extend(scene.loose.iter().filter_map(|tile| loose(tile, 0.0, false)));
        Stage::add_wall_tiles(scene, &mut textures, &mut slabs);
        Stage::add_taken(scene, &mut textures, &mut slabs);
        Stage::add_stacks(scene, &mut textures, &mut slabs);
        let mut bodies = Vec::new();
        Stage::add_figures(scene, &mut bodies);
        Stage::add_loose(scene, &mut bodies);
        let moving = (slabs.len(), bodies.len());
        match &scene.held {
            Some(HeldThing::Tile(tile, height)) => slabs.extend(loose(tile, *height, true)),
            Some(HeldThing::Follower { player, place, height }) => {
                let foot = v3(place.0, place.1, *height);
                let shape = Shape::Piece(scene.pieces, PieceKind::Follower);
                bodies.push(Body::new(shape, foot, 0.0, false, colour(scene, *player), scene.pieces.gloss));
            }
            None => {}
        }
        let hand = scene.hand.as_ref().map(|h| {
            bodies.push(Body::hand(h, linear(h.skin), linear(h.sleeve)));
            bodies.len() - 1
        });
        let mut grid: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
        for (i, slab) in slabs.iter().enumerate() {
            let r = slab.half * (slab.turn.0.abs() + slab.turn.1.abs());
            for y in (slab.middle.1 - r).floor() as i32..=(slab.middle.1 + r).floor() as i32 {
                for x in (slab.middle.0 - r).floor() as i32..=(slab.middle.0 + r).floor() as i32 {
                    grid.entry((x, y)).or_default().push(i);
                }
            }
        }
        let tallest = slabs.iter().map(|s| s.top).fold(scene.tile_thickness, f32::max);
        let (blocks, blocks_across) = Stage::list_bodies(scene, &view, &bodies);
        let lamp = v3(scene.light.lamp.0, scene.light.lamp.1, scene.light.lamp.2);
        let area = Stage::area(relief.as_deref(), &slabs[..moving.0]);
        let hidden = hidden.cloned().unwrap_or_else(|| {
            let mut heights = vec![0.0, scene.tile_thickness];
            if let Some(relief) = &relief {
                heights.push(relief.height);
                heights.push(relief.height + scene.tile_thickness);
            }
            let mut hidden = Hidden::new(area.0, area.1, &heights, lamp, scene.light.radius);
            if let Some(relief) = &relief {
                hidden.cast(std::slice::from_ref(&relief.slices));
            }
            hidden.cast(&Stage::slices(&slabs[..moving.0], &textures, &bodies[..moving.1], area));
            hidden
        });
        let moved = Stage::slices(&slabs[moving.0..], &textures, &bodies[moving.1..], area);
        let shadows = if moved.is_empty() {
            hidden.shadows()
        } else {
            let mut all = hidden.clone();
            all.cast(&moved);
            all.shadows()
        };
        Stage {
            scene,
            view,
            textures,
            slabs,
            relief,
            bodies,
            shadows,
            hidden,
            lamp,
            hand,
            moving,
            grid,
            tallest,
            blocks,
            blocks_across,
        }
    }

    fn add_wall_tiles(scene: &Scene, textures: &mut Vec<Arc<Texture>>, slabs: &mut Vec<Slab>) {
        let Some(standing) = &scene.wall else { return };
        for (i, (tower, picture)) in scene.wall_tiles.iter().enumerate() {
            let track = &standing.wall.track;
            let (Some(a), Some(b)) = (track.get(*tower as usize), track.get(*tower as usize + 1)) else {
                continue;
            };
            let turn = (super::noise::hash(i as i32, 11, scene.table.seed) - 0.5) * 0.1;
            textures.push(Arc::new(Texture::rgba(picture)));
            slabs.push(Slab {
                middle: ((a.x + b.x) / 2.0, (a.y + b.y) / 2.0),
                turn: (turn.cos(), turn.sin()),
                picture_turn: (1.0, 0.0),
                half: standing.wall.thickness * WALL_TILE / 2.0,
                bottom: standing.height,
                top: standing.height + scene.tile_thickness,
                texture: textures.len() - 1,
                lean: (0.0, 0.0),
                stacked: false,
            });
        }
    }

    fn add_taken(scene: &Scene, textures: &mut Vec<Arc<Texture>>, slabs: &mut Vec<Slab>) {
        for tile in &scene.taken {
            let turn = tile.turn.to_radians();
            textures.push(Arc::new(Texture::rgba(&tile.picture)));
            slabs.push(Slab {
                middle: tile.place,
                turn: (turn.cos(), turn.sin()),
                picture_turn: (1.0, 0.0),
                half: tile.side / 2.0,
                bottom: 0.0,
                top: scene.tile_thickness,
                texture: textures.len() - 1,
                lean: (0.0, 0.0),
                stacked: false,
            });
        }
    }

    fn add_stacks(scene: &Scene, textures: &mut Vec<Arc<Texture>>, slabs: &mut Vec<Slab>) {
        let mut back = None;
        for prop in &scene.props {
            let Prop::Stack { place, turn, count } = prop else { continue };
            let texture = *back.get_or_insert_with(|| {
                textures.push(Arc::new(Texture::rgb(&back_of_tiles(scene.table.seed))));
                textures.len() - 1
            });
            for i in 0..*count {
                let wobble = |k: i32| super::noise::hash(i as i32, k, scene.table.seed) - 0.5;
                let turn = (turn + 3.0 * wobble(21)).to_radians();
                slabs.push(Slab {
                    middle: (place.0 + 0.04 * wobble(22), place.1 + 0.04 * wobble(23)),
                    turn: (turn.cos(), turn.sin()),
                    picture_turn: (1.0, 0.0),
                    half: 0.496,
                    bottom: scene.tile_thickness * i as f32,
                    top: scene.tile_thickness * (i as f32 + 0.97),
                    texture,
                    lean: (0.0, 0.0),
                    stacked: true,
                });
            }
        }
    }

    fn add_figures(scene: &Scene, bodies: &mut Vec<Body>) {
        for figure in &scene.figures {
            let foot = v3(
                f32::from(figure.cell.col) + figure.place.0,
                f32::from(figure.cell.row) + figure.place.1,
                scene.ground(figure.cell),
            );
            bodies.push(Body::new(
                Shape::Piece(scene.pieces, figure.figure),
                foot,
                figure.turn,
                figure.lying,
                colour(scene, figure.player),
                scene.pieces.gloss,
            ));
        }
    }

    fn add_loose(scene: &Scene, bodies: &mut Vec<Body>) {
        let follower = || Shape::Piece(scene.pieces, PieceKind::Follower);
        if let Some(standing) = &scene.wall {
            for marker in &scene.markers {
                let Some(p) = standing.wall.track.get(marker.space as usize) else { continue };
                let foot = v3(p.x + marker.shift.0, p.y + marker.shift.1, standing.height);
                let c = colour(scene, marker.player);
                bodies.push(Body::new(follower(), foot, marker.turn, marker.lying, c, scene.pieces.gloss));
            }
        }
        for prop in &scene.props {
            match prop {
                Prop::Supply { place, player, turn, lying } => {
                    let foot = v3(place.0, place.1, 0.0);
                    let c = colour(scene, *player);
                    bodies.push(Body::new(follower(), foot, *turn, *lying, c, scene.pieces.gloss));
                }
                Prop::Cup { colour, .. } => bodies.extend(Body::cup(prop, linear(*colour))),
                Prop::Stack { .. } => {}
            }
        }
    }

    fn list_bodies(scene: &Scene, view: &View, bodies: &[Body]) -> (Vec<Vec<usize>>, u32) {
        let size = scene.camera.size;
        let (across, down) = blocks(size);
        let mut lists = vec![Vec::new(); (across * down) as usize];
        for (i, body) in bodies.iter().enumerate() {
            let mut met: Vec<usize> =
                body.boxes().into_iter().flat_map(|bounds| blocks_of_box(view, size, bounds)).collect();
            met.sort_unstable();
            met.dedup();
            met.into_iter().for_each(|block| lists[block].push(i));
        }
        (lists, across)
    }

    /// The area that shadows are cast over.
    fn area(relief: Option<&Relief>, slabs: &[Slab]) -> ((f32, f32), (f32, f32)) {
        let (mut low, mut high) = ((0.0_f32, 0.0_f32), (1.0_f32, 1.0_f32));
        for slab in slabs {
            low = (low.0.min(slab.middle.0 - 0.7), low.1.min(slab.middle.1 - 0.7));
            high = (high.0.max(slab.middle.0 + 0.7), high.1.max(slab.middle.1 + 0.7));
        }
        if let Some(relief) = relief {
            let (a, b) = relief.area();
            low = (low.0.min(a.0), low.1.min(a.1));
            high = (high.0.max(b.0), high.1.max(b.1));
        }
        let margin = 2.5;
        ((low.0 - margin, low.1 - margin), (high.0 + margin, high.1 + margin))
    }

    fn slices(
        slabs: &[Slab],
        textures: &[Arc<Texture>],
        bodies: &[Body],
        (low, high): ((f32, f32), (f32, f32)),
    ) -> Vec<Slices> {
        let of_slab = |slab: &Slab| {
            let r = slab.half * (slab.turn.0.abs() + slab.turn.1.abs());
            let step = slab.top - slab.bottom;
            let low = v3(slab.middle.0 - r, slab.middle.1 - r, slab.bottom);
            let high = v3(slab.middle.0 + r, slab.middle.1 + r, slab.top);
            Slices::of(low, high, step, |p| {
                let (u, v) = slab.local(p.x, p.y);
                u.abs() <= slab.half && v.abs() <= slab.half && {
                    let (u, v) = slab.picture_place(p);
                    textures[slab.texture].at(u, v, 1.0).alpha > 0.5
                }
            })
        };
        let of_body = |body: &Body| {
            let (a, b) = body.bounds();
            let a = v3(a.x.max(low.0 - 6.0), a.y.max(low.1 - 6.0), a.z.max(0.0));
            let b = v3(b.x.min(high.0 + 6.0), b.y.min(high.1 + 6.0), b.z);
            let step = if matches!(body.shape, Shape::Hand(_) | Shape::Cup) { 0.07 } else { 0.03 };
            Slices::of_body(a, b, step, |p| body.distance(p))
        };
        slabs.iter().map(of_slab).chain(bodies.iter().map(of_body)).collect()
    }

    /// The first thing that a ray through a pixel meets.
    pub fn hit(&self, px: f32, py: f32, ray: V3) -> Option<Hit> {
        let eye = self.view.eye;
        if ray.z > -1e-3 {
            return None;
        }
        let mut best = {
            let t = -eye.z / ray.z;
            Hit { thing: Thing::Table, at: eye + ray * t, normal: v3(0.0, 0.0, 1.0), top: true, distance: t }
        };
        self.hit_slabs(ray, &mut best);
        if let Some(hit) = self.relief.as_ref().and_then(|r| r.hit(eye, ray))
            && hit.distance < best.distance
        {
            best = hit;
        }
        let (bx, by) = (px.max(0.0) as u32 / BLOCK, py.max(0.0) as u32 / BLOCK);
        let bx = bx.min(self.blocks_across - 1);
        if let Some(list) = self.blocks.get((by * self.blocks_across + bx) as usize) {
            for &i in list {
                if let Some(t) = march(&self.bodies[i], eye, ray, best.distance) {
                    let at = eye + ray * t;
                    best = Hit {
                        thing: Thing::Body(i),
                        at,
                        normal: self.bodies[i].normal(at),
                        top: false,
                        distance: t,
                    };
                }
            }
        }
        Some(best)
    }

    fn hit_slabs(&self, ray: V3, best: &mut Hit) {
        let eye = self.view.eye;
        let enter = eye + ray * ((self.tallest - eye.z) / ray.z);
        let leave = best.at;
        let (x0, x1) = (enter.x.min(leave.x).floor() as i32, enter.x.max(leave.x).floor() as i32);
        let (y0, y1) = (enter.y.min(leave.y).floor() as i32, enter.y.max(leave.y).floor() as i32);
        for y in y0..=y1 {
            for x in x0..=x1 {
                let Some(list) = self.grid.get(&(x, y)) else { continue };
                for &i in list {
                    if let Some(hit) = self.slabs[i].hit(eye, ray, best.distance, i)
                        && (!hit.top || self.is_printed(i, &hit))
                    {
                        *best = hit;
                    }
                }
            }
        }
    }

    fn is_printed(&self, slab: usize, hit: &Hit) -> bool {
        let slab = &self.slabs[slab];
        let (u, v) = slab.picture_place(hit.at);
        self.textures[slab.texture].at(u, v, 1.0).alpha > 0.5
    }
}

impl Slab {
    /// A place of the table in the axes of the slab.
    #[inline]
    fn local(&self, x: f32, y: f32) -> (f32, f32) {
        let (dx, dy) = (x - self.middle.0, y - self.middle.1);
        (self.turn.0 * dx + self.turn.1 * dy, self.turn.0 * dy - self.turn.1 * dx)
    }

    /// Where in its picture a place of its upper face is, 0 to 1.
    #[inline]
    pub fn picture_place(&self, at: V3) -> (f32, f32) {
        let (u, v) = self.local(at.x, at.y);
        let (c, s) = self.picture_turn;
        let k = 0.5 / self.half;
        ((c * u + s * v) * k + 0.5, (c * v - s * u) * k + 0.5)
    }

    fn hit(&self, eye: V3, ray: V3, limit: f32, index: usize) -> Option<Hit> {
        let top = (self.top - eye.z) / ray.z;
        if top >= limit {
            return None;
        }
        let at = eye + ray * top;
        let (u, v) = self.local(at.x, at.y);
        const ROUND: f32 = 0.02;
        let inside = |u: f32, v: f32| {
            let (a, b) = (u.abs() - self.half + ROUND, v.abs() - self.half + ROUND);
            a <= ROUND && b <= ROUND && (a <= 0.0 || b <= 0.0 || a.hypot(b) <= ROUND)
        };
        if inside(u, v) {
            let normal = v3(self.lean.0, self.lean.1, 1.0).unit();
            return Some(Hit { thing: Thing::Slab(index), at, normal, top: true, distance: top });
        }
        let (du, dv) = (self.turn.0 * ray.x + self.turn.1 * ray.y, self.turn.0 * ray.y - self.turn.1 * ray.x);
        let bottom = ((self.bottom - eye.z) / ray.z).min(limit);
        let mut best: Option<Hit> = None;
        for (p, d, q, e, along) in [(u, du, v, dv, true), (v, dv, u, du, false)] {
            if d.abs() < 1e-6 {
                continue;
            }
            let side = -self.half * d.signum();
            let step = (side - p) / d;
            let t = top + step;
            if step < 0.0 || t >= bottom || (q + e * step).abs() > self.half - 0.5 * ROUND {
                continue;
            }
            if best.as_ref().is_none_or(|b| t < b.distance) {
                let (nu, nv) = if along { (side.signum(), 0.0) } else { (0.0, side.signum()) };
                let normal =
                    v3(self.turn.0 * nu - self.turn.1 * nv, self.turn.1 * nu + self.turn.0 * nv, 0.0);
                best = Some(Hit {
                    thing: Thing::Slab(index),
                    at: eye + ray * t,
                    normal,
                    top: false,
                    distance: t,
                });
            }
        }
        best
    }
}

/// How many blocks a picture has across and down.
pub fn blocks((w, h): (u32, u32)) -> (u32, u32) {
    (w.div_ceil(BLOCK), h.div_ceil(BLOCK))
}

/// The blocks of a picture, row by row, in which a box of the world may be seen.
pub fn blocks_of_box(view: &View, (w, h): (u32, u32), (low, high): (V3, V3)) -> Vec<usize> {
    let (across, down) = blocks((w, h));
    let mut bounds = (f32::MAX, f32::MAX, f32::MIN, f32::MIN);
    let mut behind = false;
    for k in 0..8 {
        let pick = |bit: u32, a: f32, b: f32| if k >> bit & 1 == 0 { a } else { b };
        let corner = v3(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z));
        match view.project(corner) {
            Some((x, y)) => {
                bounds = (bounds.0.min(x), bounds.1.min(y), bounds.2.max(x), bounds.3.max(y));
            }
            None => behind = true,
        }
    }
    if behind {
        bounds = (0.0, 0.0, w as f32, h as f32);
    }
    let block = |v: f32, n: u32| ((v / BLOCK as f32).floor().max(0.0) as u32).min(n);
    let rows = block(bounds.1 - 2.0, down)..(block(bounds.3 + 2.0, down) + 1).min(down);
    let columns = block(bounds.0 - 2.0, across)..(block(bounds.2 + 2.0, across) + 1).min(across);
    rows.flat_map(|by| columns.clone().map(move |bx| (by * across + bx) as usize)).collect()
}

/// Steps along a ray to the surface of a body.
fn march(body: &Body, eye: V3, ray: V3, limit: f32) -> Option<f32> {
    let (middle, radius) = body.ball();
    let to = middle - eye;
    let along = to.dot(ray);
    let off = to.dot(to) - along * along;
    if off > radius * radius {
        return None;
    }
    let half = (radius * radius - off).sqrt();
    let (mut t, end) = ((along - half).max(0.0), (along + half).min(limit));
    for _ in 0..70 {
        let d = body.distance(eye + ray * t);
        if d < 0.002 {
            return (t < end).then_some(t);
        }
        t += d;
        if t > end {
            return None;
        }
    }
    None
}

fn colour(scene: &Scene, player: u8) -> V3 {
    linear(scene.colours.get(player as usize).copied().unwrap_or([128, 128, 128]))
}

/// The common back of the tiles: a lozenge pattern.
fn back_of_tiles(seed: u32) -> image::RgbImage {
    let hue = super::noise::hash(1, 2, seed);
    image::RgbImage::from_fn(64, 64, |x, y| {
        let (u, v) = (x as f32 / 8.0, y as f32 / 8.0);
        let lozenge = ((u + v).fract() - 0.5).abs().min(((u - v + 16.0).fract() - 0.5).abs());
        let border = x.min(y).min(63 - x).min(63 - y) < 4;
        let k = if border { 0.55 } else { 0.7 + 0.6 * lozenge };
        let c = [90.0 + 70.0 * hue, 60.0 + 50.0 * (1.0 - hue), 50.0 + 90.0 * (hue - 0.5).abs()];
        image::Rgb(c.map(|c| (c * k) as u8))
    })
}
