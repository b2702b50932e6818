//! The castle wall: the cells inside it, its start spaces and its score track.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bounds::{self, MOST_TEXT};
use crate::{Cell, Face, Sentence, Side, Term, sentence};

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
#[error("{}", Sentence::from(self))]
pub enum WallError {
    /// Not TOML, or not of the form.
    Form(String),
    /// The outline is larger than a board can be.
    Size(usize),
    /// More text than a wall can have.
    Long,
    /// A name that cannot be shown.
    Name,
    /// More of something than a wall can have.
    Many(usize, &'static str),
    /// No width of a wall.
    Thickness(String),
    /// A track space far from any wall.
    Track(usize),
}

impl From<&WallError> for Sentence {
    fn from(error: &WallError) -> Sentence {
        match error {
            WallError::Form(why) => sentence!("the wall cannot be read: {}", why),
            WallError::Size(cells) => sentence!(
                "the wall's outline is {} cells wide or high; at most {} are possible",
                *cells,
                Wall::MAX_SIDE
            ),
            WallError::Long => {
                sentence!("the wall's text is longer than {} MB; name the file of a wall", MOST_TEXT >> 20)
            }
            WallError::Name => {
                sentence!("the wall's name is no line of at most 200 letters; shorten it")
            }
            WallError::Many(found, what) => sentence!(
                "the wall lists {} {}; at most {} are possible",
                *found,
                Sentence::word(what),
                Wall::MOST_LISTED
            ),
            WallError::Thickness(sides) => sentence!(
                "the wall is {} tile sides thick; more than 0 and at most {} are possible",
                sides,
                Term::same(Wall::MOST_THICKNESS)
            ),
            WallError::Track(space) => sentence!(
                "track space {} lies far from the wall; {} to {} tile sides are possible, so measure it again",
                *space,
                Term::same(Wall::TRACK.0),
                Term::same(Wall::TRACK.1)
            ),
        }
    }
}

impl Wall {
    /// The most columns or rows that an outline may have.
    pub const MAX_SIDE: usize = 24;
    /// The most track spaces, towers or start spaces that may be listed.
    pub const MOST_LISTED: usize = 200;
    /// The widest a wall may be, tile sides.
    pub const MOST_THICKNESS: f32 = 4.0;
    /// Between these, in tile sides, track spaces lie right of and below the upper left
    /// corner of cell (0, 0).
    pub const TRACK: (f32, f32) = (-24.0, 48.0);

    /// Reads a wall file. Its numbers are bounded; whether it can be the wall of a game
    /// is judged by the validator, not here.
    ///
    /// # Errors
    /// [`WallError`] says what is wrong in one line.
    pub fn from_toml(text: &str) -> Result<Wall, WallError> {
        if text.len() > MOST_TEXT {
            return Err(WallError::Long);
        }
        let wall: Wall = toml::from_str(text).map_err(|e| WallError::Form(bounds::toml_fault(&e, text)))?;
        if !bounds::is_title(&wall.name) {
            return Err(WallError::Name);
        }
        wall.check_bounds()?;
        Ok(wall)
    }

    /// Whether the wall's numbers are such as can be reckoned with.
    ///
    /// # Errors
    /// [`WallError`] names the number and its bounds.
    pub fn check_bounds(&self) -> Result<(), WallError> {
        let (cols, rows) = self.size();
        if cols.max(rows) > Wall::MAX_SIDE {
            return Err(WallError::Size(cols.max(rows)));
        }
        let lists = [
            (self.track.len(), "track spaces"),
            (self.towers.len(), "towers"),
            (self.starts.len(), "start spaces"),
        ];
        if let Some((found, what)) = lists.into_iter().find(|(found, _)| *found > Wall::MOST_LISTED) {
            return Err(WallError::Many(found, what));
        }
        if !(self.thickness > 0.0 && self.thickness <= Wall::MOST_THICKNESS) {
            return Err(WallError::Thickness(self.thickness.to_string()));
        }
        let (least, most) = Wall::TRACK;
        let near = |v: f32| (least..=most).contains(&v);
        match self.track.iter().position(|p| !near(p.x) || !near(p.y)) {
            Some(space) => Err(WallError::Track(space)),
            None => Ok(()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn house() -> Wall {
        crate::castle::house_set().0
    }

    fn fault(change: impl FnOnce(&mut Wall)) -> WallError {
        let mut wall = house();
        change(&mut wall);
        Wall::from_toml(&wall.to_toml()).unwrap_err()
    }

    #[test]
    fn numbers_that_no_wall_has_are_refused() {
        for far in [1e9, -1e9, f32::MAX, f32::INFINITY, f32::NAN, 48.5, -24.5] {
            assert_eq!(fault(|w| w.track[7].x = far), WallError::Track(7), "{far}");
            assert_eq!(fault(|w| w.track[99].y = far), WallError::Track(99), "{far}");
        }
        for thickness in [1e9, 4.1, 0.0, -1.0, f32::INFINITY, f32::NAN] {
            assert!(matches!(fault(|w| w.thickness = thickness), WallError::Thickness(_)), "{thickness}");
        }
        assert_eq!(
            fault(|w| w.thickness = 1e9).to_string(),
            "the wall is 1000000000 tile sides thick; more than 0 and at most 4 are possible"
        );
        assert_eq!(
            fault(|w| w.track[3].x = 1e9).to_string(),
            "track space 3 lies far from the wall; -24 to 48 tile sides are possible, so measure it again"
        );
    }

    #[test]
    fn nothing_is_listed_without_end() {
        let more = |n: usize| move |w: &mut Wall| w.track.resize(n, TrackPoint { x: 0.0, y: 0.0 });
        assert_eq!(fault(more(201)), WallError::Many(201, "track spaces"));
        assert_eq!(fault(|w| w.towers.resize(201, (0, 1))), WallError::Many(201, "towers"));
        assert_eq!(
            fault(|w| w.starts = vec![w.starts[0].clone(); 201]),
            WallError::Many(201, "start spaces")
        );
        assert_eq!(fault(|w| w.note = "x".repeat(MOST_TEXT)), WallError::Long);
        assert_eq!(fault(|w| w.name = "a\u{1b}[31m".to_owned()), WallError::Name);
    }

    #[test]
    fn an_outline_of_other_letters_harms_nothing() {
        assert_eq!(fault(|w| w.outline = vec!["ä".repeat(13)]), WallError::Size(26));
        let mut wall = house();
        wall.outline = vec!["ä#ö".to_owned(), "#".to_owned(), "漢#".to_owned()];
        let wall = Wall::from_toml(&wall.to_toml()).unwrap();
        assert_eq!(wall.cells().len(), 3);
        assert!(wall.cells().iter().all(|c| wall.contains(*c)));
        crate::castle::validate::check_wall(&wall);
        wall.ring();
    }
}
