//! The castle wall: the cells inside it, its start spaces and its score track.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::face::Face;
use super::port::Side;

/// A cell of the tile grid; col grows right (east), row grows down (south).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(i8, i8)", into = "(i8, i8)")]
pub struct Cell {
    /// Column.
    pub col: i8,
    /// Row.
    pub row: i8,
}

impl Cell {
    /// The cell in this column and row.
    pub const fn new(col: i8, row: i8) -> Cell {
        Cell { col, row }
    }

    /// The neighbour on a side.
    pub const fn neighbour(self, side: Side) -> Cell {
        let (dx, dy) = side.step();
        Cell { col: self.col.saturating_add(dx), row: self.row.saturating_add(dy) }
    }
}

impl From<(i8, i8)> for Cell {
    fn from((col, row): (i8, i8)) -> Cell {
        Cell { col, row }
    }
}

impl From<Cell> for (i8, i8) {
    fn from(cell: Cell) -> (i8, i8) {
        (cell.col, cell.row)
    }
}

/// A start space: a piece of the wall's inner edge with a segment on it that
/// counts as a castle tile (CA-43, CA-54, CA-60).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartSpace {
    /// The interior cell that touches it.
    pub cell: Cell,
    /// The side of that cell on which the start space lies.
    pub side: Side,
    /// What it shows, as the face of a tile lying there: its ports are on the
    /// side opposite to `side`.
    pub face: Face,
}

/// The middle of a score-track space, in tile sides, from the upper left corner
/// of cell (0, 0); x grows right, y down. Measured, not computed (the printed
/// spacing is not regular).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(f32, f32)", into = "(f32, f32)")]
pub struct TrackPoint {
    /// To the right.
    pub x: f32,
    /// Down.
    pub y: f32,
}

impl From<(f32, f32)> for TrackPoint {
    fn from((x, y): (f32, f32)) -> TrackPoint {
        TrackPoint { x, y }
    }
}

impl From<TrackPoint> for (f32, f32) {
    fn from(p: TrackPoint) -> (f32, f32) {
        (p.x, p.y)
    }
}

/// A castle wall, as a TOML file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// The wall's name.
    pub name: String,
    /// Where it comes from, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The interior, a text line a row: `#` a cell, `.` none. The first
    /// character of the first line is cell (0, 0).
    pub outline: Vec<String>,
    /// The corner towers, each the pair of track spaces that its wall tile
    /// covers, in track order; the first is (0, 1).
    pub towers: Vec<(u8, u8)>,
    /// How wide the wall is, in tile sides.
    pub thickness: f32,
    /// The middles of track spaces 0 to 99.
    pub track: Vec<TrackPoint>,
    /// The start spaces.
    #[serde(rename = "start")]
    pub starts: Vec<StartSpace>,
}

/// Why a text is not a wall.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WallError {
    /// Not TOML, or not of the form.
    #[error("the wall cannot be read: {0}")]
    Form(String),
    /// The outline is larger than a board can be.
    #[error("the wall's outline is {0} cells wide or high; at most {max} are possible", max = Wall::MAX_SIDE)]
    Size(usize),
}

impl Wall {
    /// The most columns or rows that an outline may have.
    pub const MAX_SIDE: usize = 24;

    /// Reads a wall file. Whether it can be the wall of a game is judged by the
    /// validator, not here.
    ///
    /// # Errors
    /// [`WallError`] says what is wrong in one line.
    pub fn from_toml(text: &str) -> Result<Wall, WallError> {
        let wall: Wall = toml::from_str(text)
            .map_err(|e| WallError::Form(e.to_string().lines().collect::<Vec<_>>().join(" ")))?;
        let side = wall.outline.iter().map(String::len).max().unwrap_or(0).max(wall.outline.len());
        if side > Wall::MAX_SIDE {
            return Err(WallError::Size(side));
        }
        Ok(wall)
    }

    /// The wall as a TOML file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// The interior cells, row by row.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (row, line) in self.outline.iter().enumerate() {
            for (col, c) in line.bytes().enumerate() {
                if c == b'#' {
                    cells.push(Cell::new(col as i8, row as i8));
                }
            }
        }
        cells
    }

    /// Whether a cell is inside the wall (CA-30).
    pub fn contains(&self, cell: Cell) -> bool {
        let (Ok(col), Ok(row)) = (usize::try_from(cell.col), usize::try_from(cell.row)) else { return false };
        self.outline.get(row).and_then(|l| l.as_bytes().get(col)) == Some(&b'#')
    }

    /// Columns and rows of the outline.
    pub fn size(&self) -> (usize, usize) {
        (self.outline.iter().map(String::len).max().unwrap_or(0), self.outline.len())
    }

    /// The tower that has a track space, if any (CA-09).
    pub fn tower_at(&self, space: u8) -> Option<(u8, u8)> {
        self.towers.iter().copied().find(|t| t.0 == space || t.1 == space)
    }

    /// The start space on a side of a cell, if any.
    pub fn start_at(&self, cell: Cell, side: Side) -> Option<usize> {
        self.starts.iter().position(|s| s.cell == cell && s.side == side)
    }
}
