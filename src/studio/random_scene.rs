//! Random tables, light, cameras and hands, from easy to hard.

use std::collections::BTreeMap;
use std::sync::Arc;

use image::RgbImage;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::body::FOREARM;
use super::camera::Camera;
use super::pieces::PieceKind;
use super::pieces::Pieces;
use super::scene::{
    Hand, LaidTile, Light, Marker, Prop, Scene, Sensor, StandingFigure, StandingWall, Surface, Table,
};
use crate::rules::{Cell, Rotation};

/// A figure: its kind, player, cell, segment, place in the cell as seen (0 to 1),
/// and whether it lies.
pub type ArrangedFigure = (PieceKind, u8, Cell, Option<u8>, (f32, f32), bool);

/// What is on the board, exactly; [`Scene::random`] lays it as people do.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// The wall, if the game has one.
    pub wall: Option<Arc<StandingWall>>,
    /// The upright picture of each tile by its id.
    pub pictures: Arc<BTreeMap<String, RgbImage>>,
    /// Which tile lies where and how.
    pub tiles: Vec<(Cell, String, Rotation)>,
    /// The players' figure colours.
    pub colours: Vec<[u8; 3]>,
    /// How the figures are made.
    pub pieces: Pieces,
    /// The figures.
    pub figures: Vec<ArrangedFigure>,
    /// Cells that the camera shows too, where there is no wall: the board will grow over
    /// them.
    pub room: Vec<Cell>,
    /// Score markers: player, total points.
    pub totals: Vec<(u8, u32)>,
    /// Wall tiles that still lie on towers: lower track space and what shows.
    pub wall_tiles: Vec<(u8, image::RgbaImage)>,
}

/// How hard the conditions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mood {
    /// A good camera nearly overhead, even light, no hand.
    Calm,
    /// What a living room gives.
    Usual,
    /// Steep, dark, noisy, blurred, glaring.
    Hard,
}

impl Board {
    /// Whether the same things lie in the same places.
    pub fn same_things(&self, other: &Board) -> bool {
        self.tiles == other.tiles
            && self.figures == other.figures
            && self.totals == other.totals
            && self.wall_tiles.iter().map(|t| t.0).eq(other.wall_tiles.iter().map(|t| t.0))
    }
}

/// Random numbers of a thing of its own, so that it lies the same in every
/// frame whatever else comes or goes.
fn own_rng(seed: u64, cell: Cell, thing: u64) -> Pcg64Mcg {
    let place = (cell.col as u8 as u64) | (cell.row as u8 as u64) << 8 | thing << 16;
    Pcg64Mcg::seed_from_u64(seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

fn pick<T: Copy>(rng: &mut Pcg64Mcg, of: &[T]) -> T {
    of[rng.random_range(0..of.len())]
}

/// Nearly normal: mean 0, deviation 1.
fn bell(rng: &mut Pcg64Mcg) -> f32 {
    (0..6).map(|_| rng.random::<f32>()).sum::<f32>() * 1.414 - 4.243
}

impl Scene {
    /// A board on a random table, under random light, before a random camera.
    /// Tiles lie 2.5 % of a side (median) off their place, at most 8 %. Boards
    /// that follow one another keep table, light, camera and the places of all
    /// that stays, if the seed stays.
    pub fn random(board: &Board, mood: Mood, size: (u32, u32), seed: u64) -> Scene {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let rng = &mut rng;
        let tile_thickness = rng.random_range(0.035..0.05);
        let tiles = board
            .tiles
            .iter()
            .map(|(cell, id, rotation)| lay(&mut own_rng(seed, *cell, 0), *cell, id, *rotation))
            .collect();
        let figures = board
            .figures
            .iter()
            .map(|(figure, player, cell, segment, place, lying)| StandingFigure {
                figure: *figure,
                player: *player,
                cell: *cell,
                segment: *segment,
                place: *place,
                lying: *lying,
                turn: own_rng(seed, *cell, u64::from(*player) + 1).random_range(-180.0..180.0),
            })
            .collect();
        let markers = board
            .totals
            .iter()
            .map(|(player, total)| {
                let rng = &mut own_rng(seed, Cell::new(*player as i8, -1), u64::from(*total));
                Marker {
                    player: *player,
                    space: (total % 100) as u8,
                    lying: total / 100 % 2 == 1,
                    turn: rng.random_range(-180.0..180.0),
                    shift: (rng.random_range(-0.06..0.06), rng.random_range(-0.06..0.06)),
                }
            })
            .collect();
        let camera = random_camera(rng, board, mood, size);
        let table = random_table(rng, mood);
        let light = random_light(rng, mood);
        let sensor = random_sensor(rng, mood);
        let props = random_props(rng, board, mood);
        let hand = match mood {
            Mood::Calm => false,
            Mood::Usual => rng.random_bool(0.2),
            Mood::Hard => rng.random_bool(0.35),
        };
        let hand = hand.then(|| random_hand(board, rng.random()));
        Scene {
            wall: board.wall.clone(),
            pictures: board.pictures.clone(),
            tiles,
            tile_thickness,
            colours: board.colours.clone(),
            pieces: board.pieces,
            figures,
            markers,
            wall_tiles: board.wall_tiles.clone(),
            props,
            loose: Vec::new(),
            taken: Vec::new(),
            held: None,
            table,
            light,
            camera,
            sensor,
            hand,
        }
    }
}

/// Lays a tile as people do.
fn lay(rng: &mut Pcg64Mcg, cell: Cell, id: &str, rotation: Rotation) -> LaidTile {
    let spread = 0.0165;
    let off = |rng: &mut Pcg64Mcg| (bell(rng) * spread).clamp(-0.055, 0.055);
    LaidTile {
        id: id.to_owned(),
        cell,
        rotation,
        shift: (off(rng), off(rng)),
        turn: (bell(rng) * 1.1).clamp(-4.0, 4.0),
    }
}

/// The area of the board in tile units: low corner, high corner.
fn extent(board: &Board) -> ((f32, f32), (f32, f32)) {
    let edge = board.wall.as_ref().map_or(0.0, |w| w.wall.thickness);
    let cells: Vec<Cell> = match &board.wall {
        Some(standing) => standing.wall.cells(),
        None => board.tiles.iter().map(|t| t.0).chain(board.room.iter().copied()).collect(),
    };
    let columns = cells.iter().map(|c| c.col);
    let rows = cells.iter().map(|c| c.row);
    let low = (f32::from(columns.clone().min().unwrap_or(0)), f32::from(rows.clone().min().unwrap_or(0)));
    let high = (f32::from(columns.max().unwrap_or(8)) + 1.0, f32::from(rows.max().unwrap_or(9)) + 1.0);
    ((low.0 - edge, low.1 - edge), (high.0 + edge, high.1 + edge))
}

fn random_camera(rng: &mut Pcg64Mcg, board: &Board, mood: Mood, size: (u32, u32)) -> Camera {
    let (low, high) = extent(board);
    let sides = [0.0, 90.0, 180.0, 270.0];
    let (elevation, swing, k1, margin) = match mood {
        Mood::Calm => (rng.random_range(68.0..88.0), 4.0, 0.02, rng.random_range(0.02..0.05)),
        Mood::Usual => (rng.random_range(48.0..85.0), 20.0, 0.08, rng.random_range(0.015..0.08)),
        Mood::Hard => (rng.random_range(36.0..75.0), 45.0, 0.15, rng.random_range(0.01..0.12)),
    };
    let k1 = rng.random_range(-k1..k1 * 0.6);
    let camera = Camera {
        size,
        target: (
            (low.0 + high.0) / 2.0 + rng.random_range(-0.4..0.4),
            (low.1 + high.1) / 2.0 + rng.random_range(-0.4..0.4),
        ),
        distance: 20.0,
        elevation,
        azimuth: if mood == Mood::Calm { 0.0 } else { pick(rng, &sides) } + rng.random_range(-swing..swing),
        roll: rng.random_range(-swing * 0.25..swing * 0.25),
        focal: rng.random_range(0.62..1.1),
        k1,
        k2: -0.15 * k1,
    };
    let corners = [(low.0, low.1, 0.0), (high.0, low.1, 0.0), (high.0, high.1, 0.0), (low.0, high.1, 0.0)];
    camera.framing(&corners, margin)
}

fn random_table(rng: &mut Pcg64Mcg, mood: Mood) -> Table {
    let surface = match rng.random_range(0..10) {
        0..5 => Surface::Wood,
        5..7 => Surface::Cloth,
        7..9 => Surface::Plain,
        _ => Surface::Glossy,
    };
    let colour = match surface {
        Surface::Wood => pick(
            rng,
            &[[182, 138, 92], [140, 96, 60], [96, 62, 42], [205, 172, 128], [168, 112, 66], [122, 104, 88]],
        ),
        Surface::Cloth => {
            pick(rng, &[[36, 84, 58], [44, 58, 98], [118, 34, 40], [196, 188, 172], [60, 60, 64]])
        }
        Surface::Plain => pick(rng, &[[204, 200, 194], [58, 58, 60], [150, 158, 164], [222, 214, 196]]),
        Surface::Glossy => pick(rng, &[[232, 231, 228], [238, 236, 230], [226, 228, 232]]),
    };
    let roomy = if mood == Mood::Calm { 60.0 } else { rng.random_range(9.0..22.0) };
    Table {
        surface,
        colour,
        turn: pick(rng, &[0.0, 90.0]) + rng.random_range(-8.0..8.0),
        seed: rng.random(),
        half: (roomy, roomy * rng.random_range(0.75..1.0)),
    }
}

fn random_light(rng: &mut Pcg64Mcg, mood: Mood) -> Light {
    let (away, radius, ambient, gloss) = match mood {
        Mood::Calm => {
            (rng.random_range(4.0..14.0), rng.random_range(3.0..6.0), rng.random_range(0.5..0.8), 0.1)
        }
        Mood::Usual => {
            (rng.random_range(2.0..22.0), rng.random_range(1.0..5.0), rng.random_range(0.3..0.7), 0.5)
        }
        Mood::Hard => {
            (rng.random_range(0.0..32.0), rng.random_range(0.5..3.0), rng.random_range(0.15..0.5), 1.0)
        }
    };
    let (s, c) = rng.random_range(0.0..std::f32::consts::TAU).sin_cos();
    Light {
        lamp: (4.5 + away * c, 5.0 + away * s, rng.random_range(16.0..36.0)),
        radius,
        kelvin: if mood == Mood::Calm {
            rng.random_range(4300.0..6500.0)
        } else {
            rng.random_range(2700.0..7200.0)
        },
        ambient,
        gloss: gloss * rng.random::<f32>(),
    }
}

fn random_sensor(rng: &mut Pcg64Mcg, mood: Mood) -> Sensor {
    let k = match mood {
        Mood::Calm => 0.35,
        Mood::Usual => 1.0,
        Mood::Hard => 2.0,
    };
    Sensor {
        exposure: rng.random_range(-0.4 * k..0.3 * k),
        white_balance: (1.0 + 0.07 * k * bell(rng), 1.0 + 0.07 * k * bell(rng)),
        noise: rng.random_range(0.6..1.6 + 2.4 * k),
        blur: rng.random_range(0.2..0.35 + 0.45 * k),
        motion: (
            if rng.random_bool(0.12 * k as f64) { rng.random_range(1.0..1.5 + 1.5 * k) } else { 0.0 },
            rng.random_range(0.0..180.0),
        ),
        sharpen: rng.random_range(0.0..0.6),
        vignette: rng.random_range(0.02..0.12 + 0.12 * k),
        quality: if mood == Mood::Hard { rng.random_range(55..88) } else { rng.random_range(78..95) },
    }
}

fn random_props(rng: &mut Pcg64Mcg, board: &Board, mood: Mood) -> Vec<Prop> {
    let (low, high) = extent(board);
    let beside = |rng: &mut Pcg64Mcg, off: (f32, f32)| -> (f32, f32) {
        let off = rng.random_range(off.0..off.1);
        let (u, v) = (rng.random_range(low.0..high.0), rng.random_range(low.1..high.1));
        match rng.random_range(0..4) {
            0 => (u, low.1 - off),
            1 => (u, high.1 + off),
            2 => (low.0 - off, v),
            _ => (high.0 + off, v),
        }
    };
    let mut props: Vec<Prop> = Vec::new();
    let mut taken: Vec<((f32, f32), f32)> = Vec::new();
    let mut free = |place: (f32, f32), r: f32| {
        let clear = taken.iter().all(|(p, q)| (p.0 - place.0).hypot(p.1 - place.1) > r + q);
        if clear {
            taken.push((place, r));
        }
        clear
    };
    for _ in 0..rng.random_range(0..4) {
        let place = beside(rng, (0.95, 1.8));
        if free(place, 0.75) {
            props.push(Prop::Stack {
                place,
                turn: rng.random_range(-30.0..30.0),
                count: rng.random_range(1..14),
            });
        }
    }
    if mood != Mood::Calm && rng.random_bool(0.3) {
        let place = beside(rng, (1.7, 2.6));
        if free(place, 1.2) {
            let colour = pick(rng, &[[230, 228, 220], [60, 90, 140], [170, 60, 50], [40, 44, 46]]);
            props.push(Prop::Cup { place, colour });
        }
    }
    for player in 0..board.colours.len().min(2) as u8 {
        let middle = beside(rng, (0.8, 1.6));
        for _ in 0..rng.random_range(0..6) {
            let place = (middle.0 + bell(rng) * 0.3, middle.1 + bell(rng) * 0.3);
            let outside = place.0 < low.0 - 0.3
                || place.0 > high.0 + 0.3
                || place.1 < low.1 - 0.3
                || place.1 > high.1 + 0.3;
            if outside && free(place, 0.2) {
                props.push(Prop::Supply {
                    place,
                    player,
                    turn: rng.random_range(-180.0..180.0),
                    lying: rng.random_bool(0.5),
                });
            }
        }
    }
    props
}

/// A hand over a random place of the board.
pub fn random_hand(board: &Board, seed: u64) -> Hand {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let rng = &mut rng;
    let (low, high) = extent(board);
    let skins =
        [[204, 158, 132], [186, 136, 108], [212, 170, 146], [150, 102, 74], [104, 68, 48], [80, 53, 40]];
    let sleeves = [[40, 44, 60], [120, 30, 34], [200, 200, 196], [58, 84, 62], [26, 26, 28], [150, 120, 80]];
    Hand {
        tip: (
            low.0 + (high.0 - low.0) * rng.random_range(0.1..0.9),
            low.1 + (high.1 - low.1) * rng.random_range(0.1..0.9),
        ),
        from: pick(rng, &[0.0, 90.0, 180.0, 270.0]) + rng.random_range(-35.0..35.0),
        height: rng.random_range(0.05..0.6),
        curl: rng.random_range(0.2..1.0),
        left: rng.random_bool(0.3),
        skin: pick(rng, &skins),
        sleeve: pick(rng, &sleeves),
        bare: rng.random_range(0.3..5.0),
        arm: FOREARM,
    }
}
