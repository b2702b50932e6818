//! What a photograph shows: the truth beside each picture.

use serde::{Deserialize, Serialize};

use super::camera::Camera;
use crate::observation::Figure;
use crate::rules::{Cell, Rotation};

/// A place in a picture, px; `[0, 0]` is the middle of the upper left pixel.
pub type Pixel = [f32; 2];

/// What a photograph shows, as JSON beside it. Corners are north-west,
/// north-east, south-east, south-west in the board's orientation, whatever way
/// the camera stands; they may lie outside the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// The seed that the photograph was taken with.
    pub seed: u64,
    /// Picture width and height.
    pub size: (u32, u32),
    /// The camera, distortion included.
    pub camera: Camera,
    /// How thick tiles are, in tile sides.
    pub tile_thickness: f32,
    /// The players' figure colours, sRGB.
    pub colours: Vec<[u8; 3]>,
    /// Every interior cell row by row; without a wall, the cells with a tile.
    pub cells: Vec<CellTruth>,
    /// The wall, if there is one.
    pub wall: Option<WallTruth>,
    /// Score markers.
    pub markers: Vec<MarkerTruth>,
    /// Whether a hand is in the picture.
    pub hand: bool,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellTruth {
    /// Which.
    pub cell: Cell,
    /// Where the upper face of a perfectly laid tile would have its corners,
    /// whether or not one lies here.
    pub corners: [Pixel; 4],
    /// The share of that area that a hand hides, 0 to 1.
    pub covered: f32,
    /// The share of that area that lies inside the picture, 0 to 1.
    pub inside: f32,
    /// The tile that lies here.
    pub tile: Option<TileTruth>,
    /// What stands here.
    pub figures: Vec<FigureTruth>,
}

/// A tile as it lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileTruth {
    /// Its id in the deck.
    pub id: String,
    /// Clockwise quarter turns from upright.
    pub rotation: Rotation,
    /// The corners of its upper face as it really lies, in the board's
    /// orientation (not turned with the tile).
    pub corners: [Pixel; 4],
}

/// A figure on a tile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureTruth {
    /// Follower or keep.
    pub figure: Figure,
    /// Whose.
    pub player: u8,
    /// The segment of the tile's face.
    pub segment: Option<u8>,
    /// Whether it lies.
    pub lying: bool,
    /// Its foot in the cell as seen, x right, y down, 0 to 1.
    pub x: f32,
    /// See `x`.
    pub y: f32,
    /// Its foot in the picture.
    pub foot: Pixel,
    /// How many pixels of it can be seen.
    pub pixels: u32,
}

/// The wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallTruth {
    /// How high it stands, in tile sides.
    pub height: f32,
    /// The corners of the interior, clockwise from the upper left one, at the
    /// wall's upper edge.
    pub corners: Vec<Pixel>,
    /// The middles of track spaces 0 to 99, at the wall's upper edge.
    pub track: Vec<Pixel>,
    /// The lower track spaces of the towers that still have their wall tile.
    pub wall_tiles: Vec<u8>,
}

/// A score marker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarkerTruth {
    /// Whose.
    pub player: u8,
    /// On which track space.
    pub space: u8,
    /// Lying means 100 more.
    pub lying: bool,
    /// Its foot in the picture.
    pub foot: Pixel,
}
