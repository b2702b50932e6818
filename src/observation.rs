//! What the camera proposes: any arrangement, legal or not, with confidence.

use serde::{Deserialize, Serialize};

/// What one frame or photo shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The cells in which something was seen, and with a wall every interior
    /// cell, row by row.
    pub cells: Vec<CellReading>,
    /// Where the players' markers are seen on the score track.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<MarkerReading>,
    /// Wall tiles that lie face up on the table beside the wall.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wall_tiles: Vec<WallTileReading>,
    /// The cells beside tiles in which something lies that runs out of the picture, so that it cannot
    /// be told what, as (column, row).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut_off: Vec<(i8, i8)>,
    /// What hindered the reading, in sentences for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a cell holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellState {
    /// No tile.
    Empty,
    /// A tile, named in [`CellReading::tile`].
    Tile,
    /// A tile that could not be named; see the alternatives.
    #[default]
    Unknown,
    /// A hand or something else hides it, or it is out of the picture.
    Covered,
}

/// The reading of one cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellReading {
    /// Column, growing right in the rectified picture.
    pub col: i8,
    /// Row, growing down.
    pub row: i8,
    /// What the cell holds.
    pub state: CellState,
    /// The tile's id in the deck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<String>,
    /// Clockwise quarter turns from the enrolled upright, 0 to 3.
    #[serde(default)]
    pub rotation: u8,
    /// How sure the state, tile and rotation are: 0 to 1.
    pub confidence: f32,
    /// Other readings, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
    /// What stands on the tile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<FigureReading>,
    /// The colours, as words, of what stands on the tile like a figure and is of no player's
    /// colour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strangers: Vec<String>,
    /// Whether something else is seen there than the bare table was, by which something lies there
    /// that may be no tile that is known; `None` where it is not known how the table looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lies: Option<bool>,
}

impl CellReading {
    /// A cell in which something lies, surely, that is not read.
    pub fn covered(col: i8, row: i8) -> CellReading {
        CellReading { col, row, state: CellState::Covered, confidence: 1.0, ..CellReading::default() }
    }
}

/// Another reading of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// The tile's id.
    pub tile: String,
    /// Quarter turns, 0 to 3.
    pub rotation: u8,
    /// 0 to 1.
    pub confidence: f32,
}

/// What kind of figure stands on a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// A follower, standing or lying.
    Follower,
    /// A keep.
    Keep,
    /// The figure that is nobody's, in games that have one (CO-03).
    Neutral,
}

/// A figure seen on a tile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureReading {
    /// What it is.
    pub figure: Figure,
    /// Whose: the index of the colour, 0 or 1 (classic: up to 5). Of the figure that is nobody's the
    /// number of players.
    pub player: u8,
    /// Where its foot is, as the cell is seen (not turned to the tile's
    /// upright): x right, y down, 0 to 1.
    pub x: f32,
    /// See `x`.
    pub y: f32,
    /// 0 to 1.
    pub confidence: f32,
    /// How likely it lies on its side if it is a follower, 0 to 1; `None` where that can't
    /// be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lying: Option<f32>,
    /// How large it looks beside a follower, as a multiple of that one's area; `None` where that
    /// can't be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<f32>,
    /// How likely a figure stands there, whosever it is, 0 to 1; `None` where that can't be told
    /// apart from whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub there: Option<f32>,
}

/// Where a player's marker is seen on the score track (CA-06, CA-69).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarkerReading {
    /// Whose: the index of the colour.
    pub player: u8,
    /// The space, 0 to 99.
    pub space: u8,
    /// The posterior of that space, 0 to 1.
    pub confidence: f32,
    /// Other spaces with their posteriors, likeliest first. Those that are not listed are as
    /// good as excluded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(u8, f32)>,
}

/// A wall tile that lies face up beside the wall (CA-70).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallTileReading {
    /// The number printed on it, 1 to 9; what it does in this edition is another question.
    pub number: u8,
    /// Where its middle lies on the plane of the tiles, in tile sides from the upper left
    /// corner of cell (0, 0): x right, y down.
    pub x: f32,
    /// See `x`.
    pub y: f32,
    /// 0 to 1.
    pub confidence: f32,
}

/// A cell (column, row) of a picture turned clockwise about (0, 0) by quarters.
pub fn turned((col, row): (i32, i32), quarters: u8) -> (i32, i32) {
    (0..quarters % 4).fold((col, row), |(col, row), _| (-row, col))
}

impl MarkerReading {
    /// The posterior of a space, 0 to 1.
    pub fn posterior(&self, space: u8) -> f32 {
        if space == self.space {
            return self.confidence;
        }
        self.others.iter().find(|(other, _)| *other == space).map_or(0.0, |(_, p)| *p)
    }
}
