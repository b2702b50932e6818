//! The board that figures are sought on, and the figures that stand on it.

use image::RgbImage;

use crate::observation::FigureReading;
use crate::pieces::PlayerPieces;
use crate::rules::Cell;
use crate::vision::base::camera::Pose;
use crate::vision::base::crop::CELL_PX;
use crate::vision::tiles::colour_model::Cast;

/// Pixels a tile side of the board picture that figures are sought in.
pub const BOARD_PX: u32 = CELL_PX;

/// How much figures grow with the slant at which a figure is seen (its sides come
/// into view).
const SLANT: f32 = 1.2;
/// How wide a gap between tiles may be, in tile sides: half of it lies on each.
pub(super) const GAP: f32 = 0.09;
/// How near to the wall's edge nothing is believed, in tile sides.
const WALL_EDGE: f32 = 0.03;

/// What is known to lie in a cell, as the figures' background.
#[derive(Clone, Debug)]
pub enum Ground<'a> {
    /// A tile: its upright reference, turned clockwise by so many quarters, and
    /// how far it lies off its cell (tile sides).
    Tile(&'a RgbImage, u8, (f32, f32)),
    /// Nothing but the table.
    Table,
}

/// A figure on a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The cell on which its foot is.
    pub cell: Cell,
    /// The figure.
    pub figure: FigureReading,
    /// How large it is seen; `None` where that can't be told, or only in part.
    pub seen: Option<SeenSize>,
}

/// How large a figure is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenSize {
    /// What it hides of the board, in tiles.
    pub area: f32,
    /// How far what is one tile side above the board appears from its foot, tile sides.
    pub lean: f32,
}

/// A rectified picture of the board.
pub struct Board<'a> {
    /// [`BOARD_PX`] a tile side, of the plane of the tiles.
    pub picture: &'a RgbImage,
    /// The cell in its upper left corner.
    pub first: Cell,
    /// The camera that saw it.
    pub pose: &'a Pose,
    /// How far the plane of the tiles lies below the top of the wall.
    pub depth: f32,
    /// Cells in which something has changed or figures stood when they were read before: they
    /// are looked at even where they hardly differ from their print.
    pub noted: &'a [Cell],
    /// Whether several followers may stand on one tile: where the City of Carcassonne lies, whose
    /// quarters take any number (CO-06), and whence they go to tiles where others stand (CO-12, CO-30).
    /// In all other games at most one stands on a tile.
    pub crowded: bool,
    /// The cells inside the wall, for games that have one.
    pub inside: Option<&'a [Cell]>,
    /// What the light makes of the prints' colours, where that is known.
    pub cast: Option<&'a Cast>,
    /// How large each player's pieces are, in the order of their colours; empty where that
    /// was not measured.
    pub pieces: &'a [PlayerPieces],
}

impl Board<'_> {
    /// The place of a pixel, in tile sides.
    pub(super) fn place(&self, x: f32, y: f32) -> (f32, f32) {
        let along = |v: f32, first: i8| (v + 0.5) / BOARD_PX as f32 + f32::from(first);
        (along(x, self.first.col), along(y, self.first.row))
    }

    /// How far the top of a thing that is so high and stands at a place (tile sides) appears from
    /// its foot, per tile side of its height.
    pub(super) fn lean(&self, (x, y): (f32, f32), high: f32) -> (f32, f32) {
        let (cx, cy, above) = self.pose.camera();
        let height = (above + self.depth - high).max(0.5);
        ((x - cx) / height, (y - cy) / height)
    }

    /// Whether the wall stands between the camera and a place on the tiles.
    pub(super) fn behind_wall(&self, (x, y): (f32, f32)) -> bool {
        let Some(inside) = self.inside else { return false };
        let (cx, cy, above) = self.pose.camera();
        let k = above / (above + self.depth.max(0.0)).max(0.1);
        let (x, y) = (cx + (x - cx) * k, cy + (y - cy) * k);
        [(-WALL_EDGE, 0.0), (WALL_EDGE, 0.0), (0.0, -WALL_EDGE), (0.0, WALL_EDGE)].iter().any(|(dx, dy)| {
            let cell = Cell::new((x + dx).floor() as i8, (y + dy).floor() as i8);
            !inside.contains(&cell)
        })
    }

    /// How much larger a figure appears than from straight above.
    pub(super) fn widened(&self, (x, y): (f32, f32)) -> f32 {
        let (cx, cy, above) = self.pose.camera();
        1.0 + SLANT * (x - cx).hypot(y - cy) / (above + self.depth).max(1.0)
    }
}
