//! What lies before the camera: the board, figures, table, light, camera, hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use image::{RgbImage, RgbaImage};
use serde::{Deserialize, Serialize};

use super::camera::Camera;
use super::pieces::PieceKind;
use super::pieces::Pieces;
use crate::rules::{Cell, Rotation, Wall};

/// Everything that a photograph is taken of. Lengths are tile sides (a real one
/// is about 45 mm), angles degrees, colours sRGB.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The castle wall, if the game has one.
    pub wall: Option<Arc<StandingWall>>,
    /// The upright picture of each tile by its id, square.
    pub pictures: Arc<BTreeMap<String, RgbImage>>,
    /// The tiles on the board.
    pub tiles: Vec<LaidTile>,
    /// How thick a tile is.
    pub tile_thickness: f32,
    /// The players' figure colours.
    pub colours: Vec<[u8; 3]>,
    /// How the figures are made.
    pub pieces: Pieces,
    /// Followers and keeps on tiles.
    pub figures: Vec<StandingFigure>,
    /// Score markers on the wall's track.
    pub markers: Vec<Marker>,
    /// Wall tiles that still lie on corner towers: the lower track space of the
    /// tower, and the picture that shows (the back).
    pub wall_tiles: Vec<(u8, RgbaImage)>,
    /// Things beside the board.
    pub props: Vec<Prop>,
    /// Tiles that lie face up beside the board.
    pub loose: Vec<LooseTile>,
    /// Wall tiles that lie on the table, such as those that players have taken.
    pub taken: Vec<TakenTile>,
    /// What the hand holds.
    pub held: Option<HeldThing>,
    /// What it all lies on.
    pub table: Table,
    /// The light.
    pub light: Light,
    /// The camera.
    pub camera: Camera,
    /// What the lens and the sensor make of it.
    pub sensor: Sensor,
    /// A hand over the board.
    pub hand: Option<Hand>,
}

impl Scene {
    /// How high figures on a cell stand above the table: on a tile, or on the table itself.
    pub fn ground(&self, cell: Cell) -> f32 {
        if self.tiles.iter().any(|tile| tile.cell == cell) { self.tile_thickness } else { 0.0 }
    }

    /// Whether another scene is seen by the same camera in the same light, whatever lies
    /// there.
    pub fn same_view(&self, other: &Scene) -> bool {
        let same_wall = match (&self.wall, &other.wall) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        same_wall
            && Arc::ptr_eq(&self.pictures, &other.pictures)
            && self.camera == other.camera
            && self.light == other.light
            && self.table == other.table
            && self.tile_thickness == other.tile_thickness
            && self.colours == other.colours
    }

    /// Whether another scene has the same light everywhere, but for a hand and what it
    /// holds.
    pub fn same_picture(&self, other: &Scene) -> bool {
        self.same_view(other)
            && self.tiles == other.tiles
            && self.figures == other.figures
            && self.markers == other.markers
            && self.props == other.props
            && self.loose == other.loose
            && self.taken == other.taken
            && self.wall_tiles.iter().map(|t| t.0).eq(other.wall_tiles.iter().map(|t| t.0))
    }
}

/// A wall with its picture and height.
#[derive(Clone, Debug)]
pub struct StandingWall {
    /// Its geometry.
    pub wall: Wall,
    /// Its picture; where alpha is 0 there is no wall.
    pub picture: RgbaImage,
    /// The picture's scale.
    pub px_per_tile: f32,
    /// Where the upper left corner of cell (0, 0) lies in the picture.
    pub origin_px: (f32, f32),
    /// How high it stands above the table: 0.05 flat card, 0.2 about 1 cm.
    pub height: f32,
}

/// A tile on the board, laid by hand.
#[derive(Clone, Debug, PartialEq)]
pub struct LaidTile {
    /// The tile's id.
    pub id: String,
    /// Where.
    pub cell: Cell,
    /// Clockwise quarter turns from upright.
    pub rotation: Rotation,
    /// How far its middle lies off the cell's middle.
    pub shift: (f32, f32),
    /// How crooked it lies, degrees clockwise.
    pub turn: f32,
}

impl LaidTile {
    /// The corners of its upper face at a height, north-west first in the
    /// board's orientation, clockwise.
    pub fn corners(&self, height: f32) -> [(f32, f32, f32); 4] {
        let (s, c) = self.turn.to_radians().sin_cos();
        let x = f32::from(self.cell.col) + 0.5 + self.shift.0;
        let y = f32::from(self.cell.row) + 0.5 + self.shift.1;
        [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
            .map(|(u, v)| (x + c * u - s * v, y + s * u + c * v, height))
    }
}

/// A tile in no cell.
#[derive(Clone, Debug, PartialEq)]
pub struct LooseTile {
    /// The tile's id.
    pub id: String,
    /// Its middle.
    pub place: (f32, f32),
    /// How it is turned, degrees clockwise from upright.
    pub turn: f32,
}

/// A wall tile on the table.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenTile {
    /// What it shows: its front or its back.
    pub picture: Arc<RgbaImage>,
    /// Its side.
    pub side: f32,
    /// Its middle.
    pub place: (f32, f32),
    /// How it is turned, degrees clockwise from upright.
    pub turn: f32,
}

/// A thing in a hand: how high its lower side is above the table.
#[derive(Clone, Debug, PartialEq)]
pub enum HeldThing {
    /// A tile.
    Tile(LooseTile, f32),
    /// A follower of a player at a place.
    Follower {
        /// Whose.
        player: u8,
        /// Where.
        place: (f32, f32),
        /// How high its foot is.
        height: f32,
    },
}

/// A figure on a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingFigure {
    /// Follower or keep.
    pub figure: PieceKind,
    /// Whose.
    pub player: u8,
    /// On which cell.
    pub cell: Cell,
    /// On which segment of the tile's face.
    pub segment: Option<u8>,
    /// Its foot (lying: its middle) in the cell as seen, x right, y down, 0 to 1.
    pub place: (f32, f32),
    /// Whether it lies.
    pub lying: bool,
    /// Which way it faces, degrees clockwise.
    pub turn: f32,
}

/// A score marker: a follower on the track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// Whose.
    pub player: u8,
    /// On which track space, 0 to 99.
    pub space: u8,
    /// Lying means 100 more.
    pub lying: bool,
    /// Which way it faces, degrees clockwise.
    pub turn: f32,
    /// Off the middle of the space.
    pub shift: (f32, f32),
}

/// A thing beside the board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prop {
    /// A face-down draw stack of so many tiles.
    Stack {
        /// Middle.
        place: (f32, f32),
        /// Degrees clockwise.
        turn: f32,
        /// Tiles.
        count: u32,
    },
    /// A cup.
    Cup {
        /// Middle.
        place: (f32, f32),
        /// Its colour.
        colour: [u8; 3],
    },
    /// A follower in a player's supply.
    Supply {
        /// Where.
        place: (f32, f32),
        /// Whose.
        player: u8,
        /// Degrees clockwise.
        turn: f32,
        /// Whether it lies.
        lying: bool,
    },
}

/// What a table is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Surface {
    /// Wooden boards with grain.
    Wood,
    /// Woven cloth.
    Cloth,
    /// One matt colour, slightly uneven.
    Plain,
    /// White and glossy.
    Glossy,
}

/// The table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table {
    /// What it is made of.
    pub surface: Surface,
    /// Its main colour.
    pub colour: [u8; 3],
    /// The direction of boards or threads, degrees.
    pub turn: f32,
    /// Which of all possible grains.
    pub seed: u32,
    /// Half its width and depth about (4.5, 5); beyond it is floor.
    pub half: (f32, f32),
}

/// A lamp and the light of the room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where the lamp hangs: x, y, and height above the table.
    pub lamp: (f32, f32, f32),
    /// Its radius: large is soft.
    pub radius: f32,
    /// Colour temperature, kelvin: 2700 warm, 6500 daylight.
    pub kelvin: f32,
    /// The share of the room's light, 0 to 1; the lamp gives the rest.
    pub ambient: f32,
    /// How glossy tiles are, 0 matt to 1 varnished.
    pub gloss: f32,
}

/// Lens and sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensor {
    /// Stops over (+) or under (-) a well exposed picture.
    pub exposure: f32,
    /// Error of the white balance: gains of red and blue.
    pub white_balance: (f32, f32),
    /// Standard deviation of the noise at mid grey, of 255.
    pub noise: f32,
    /// Standard deviation of the focus blur, px.
    pub blur: f32,
    /// Length (px) and direction (degrees) of the motion blur.
    pub motion: (f32, f32),
    /// How much is sharpened, 0 to 1.
    pub sharpen: f32,
    /// How much darker the corners are, 0 to 1.
    pub vignette: f32,
    /// JPEG quality, 1 to 100; 100 is not compressed at all.
    pub quality: u8,
}

/// A hand with its forearm, coming in from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// Over which place of the board the finger tips are.
    pub tip: (f32, f32),
    /// Where they come from: 0 from the south, 90 from the east.
    pub from: f32,
    /// How high the finger tips are.
    pub height: f32,
    /// 0 stretched to 1 pinching.
    pub curl: f32,
    /// Left or right.
    pub left: bool,
    /// The skin's colour.
    pub skin: [u8; 3],
    /// The sleeve's colour.
    pub sleeve: [u8; 3],
    /// How far behind the wrist the sleeve begins.
    pub bare: f32,
    /// How much of the arm there is behind the wrist.
    pub arm: f32,
}
