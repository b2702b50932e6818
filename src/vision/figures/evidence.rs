//! What the network is shown of the board round one cell: the picture, how it differs from
//! what is printed there, and where the players' colours are.

use image::RgbImage;

use super::board::{BOARD_PX, Board, Ground};
use super::expected::{Expected, expected, ranges, smoothed};
use crate::pieces::PlayerPieces;
use crate::rules::Cell;
use crate::vision::base::colour::{distance, lab_of_linear, linear_of_byte, shades, strangeness};
use crate::vision::base::error::VisionError;

/// What is round the cell in a patch, pixels.
pub(super) const MARGIN: usize = 16;
/// The side of a patch, pixels: the cell is its middle.
pub(super) const PATCH: usize = BOARD_PX as usize + 2 * MARGIN;
/// The planes of a patch.
pub(super) const CHANNELS: usize = 11;
/// The height above the tiles of the middle of what is seen of figures, tile sides: how far
/// things lean depends a little on it.
const MIDDLE: f32 = 0.2;
/// As in `models/figures/channels.py`: distances of colours are told up to this one,
const FAR: f32 = 48.0;
/// a shade e times brighter or darker than the usual is so much farther,
const UNUSUAL: f32 = 5.0;
/// shadows leave these shares of the light,
const SHADOWS: [f32; 5] = [0.3, 0.45, 0.6, 0.8, 1.0];
/// and so many levels off the print are told.
const MOST_OFF: f32 = 96.0;
/// Levels by which a pixel is off the print for [`Evidence::is_quiet`].
const OFF: f32 = 14.0;
/// Fewer such pixels in a patch are no figure.
const LEAST_OFF: usize = 24;

/// A board, ready to be shown in patches.
pub(super) struct Evidence<'a> {
    pub(super) board: &'a Board<'a>,
    pub(super) soft: RgbImage,
    pub(super) expected: RgbImage,
    pub(super) low: Vec<u8>,
    pub(super) high: Vec<u8>,
    pub(super) known: Vec<bool>,
    table: Vec<bool>,
    players: Vec<Vec<[f32; 3]>>,
}

/// The board round a cell.
pub(super) struct Patch {
    /// [`CHANNELS`] planes of [`PATCH`] by [`PATCH`].
    pub planes: Vec<f32>,
    /// How far, in tile sides, what is one tile side above the tiles appears from its foot.
    pub lean: (f32, f32),
}

impl<'a> Evidence<'a> {
    /// Lays the references into the light of the picture. `colours` are the players', sRGB.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn new(
        board: &'a Board<'a>,
        grounds: &[(Cell, Ground<'_>)],
        colours: &[[u8; 3]],
    ) -> Result<Evidence<'a>, VisionError> {
        let soft = smoothed(board.picture)?;
        let Expected { pictures, mut known, light } = expected(&soft, board.first, board.cast, grounds);
        let likeliest = likeliest(&soft, pictures, board.first, grounds);
        let (low, high) = ranges(&likeliest)?;
        let mut table = vec![false; known.len()];
        let width = soft.width() as usize;
        for (cell, _) in grounds.iter().filter(|(_, ground)| matches!(ground, Ground::Table)) {
            for at in pixels_of(*cell, board.first, soft.dimensions()) {
                table[at] = true;
            }
        }
        for (at, known) in known.iter_mut().enumerate() {
            let place = board.place((at % width) as f32, (at / width) as f32);
            *known = *known && !(near_edge(board, place) && board.behind_wall(place));
        }
        let players = colours.iter().map(|colour| shades(*colour, light)).collect();
        Ok(Evidence { board, soft, expected: likeliest, low, high, known, table, players })
    }

    /// Of a wall's top: `board` has its picture as it is seen, `soft` is that smoothed,
    /// `expected` what is printed there in the same light, `known` where there is wall, and
    /// `light` how much brighter what is seen is than the wall's picture, by colour.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn of_wall(
        board: &'a Board<'a>,
        soft: RgbImage,
        expected: RgbImage,
        known: Vec<bool>,
        colours: &[[u8; 3]],
        light: [f32; 3],
    ) -> Result<Evidence<'a>, VisionError> {
        let (low, high) = ranges(&expected)?;
        let players = colours.iter().map(|colour| shades(*colour, light)).collect();
        let table = vec![false; known.len()];
        Ok(Evidence { board, soft, expected, low, high, known, table, players })
    }

    /// The players' pieces, where they were measured.
    pub fn pieces(&self) -> &[PlayerPieces] {
        self.board.pieces
    }

    /// Whether nothing round a cell differs from what is printed there.
    pub fn is_quiet(&self, cell: Cell) -> bool {
        let mut off = 0;
        for y in 0..PATCH {
            for x in 0..PATCH {
                if let Some(at) = self.at(cell, x, y) {
                    off += usize::from(self.known[at] && self.off(at) > OFF);
                }
            }
            if off >= LEAST_OFF {
                return false;
            }
        }
        true
    }

    /// The patch round a cell.
    pub fn patch(&self, cell: Cell) -> Patch {
        let mut planes = vec![0.0; CHANNELS * PATCH * PATCH];
        let mut put = |channel: usize, to: usize, value: f32| planes[channel * PATCH * PATCH + to] = value;
        for y in 0..PATCH {
            for x in 0..PATCH {
                let to = y * PATCH + x;
                let seen = self.seen(cell, x, y);
                let light = seen.map(linear_of_byte);
                let lab = lab_of_linear(light);
                let nearest =
                    (0..self.players.len()).map(|p| self.distance_to_player(lab, p)).fold(FAR, f32::min);
                for (c, v) in seen.iter().enumerate() {
                    put(c, to, f32::from(*v) / 255.0 - 0.5);
                }
                put(7, to, 1.0 - nearest / FAR);
                let Some(at) = self.at(cell, x, y).filter(|at| self.known[*at]) else { continue };
                let print = &self.expected.as_raw()[at * 3..at * 3 + 3];
                for c in 0..3 {
                    put(3 + c, to, (f32::from(seen[c]) - f32::from(print[c])) / 128.0);
                }
                put(6, to, self.off(at).clamp(0.0, MOST_OFF) / 64.0);
                let light: [f32; 3] = std::array::from_fn(|c| linear_of_byte(print[c]));
                let ground = SHADOWS
                    .iter()
                    .map(|share| distance(lab, lab_of_linear(light.map(|v| v * share))))
                    .fold(FAR, f32::min);
                put(8, to, ground / FAR);
                put(if self.table[at] { 10 } else { 9 }, to, 1.0);
            }
        }
        Patch { planes, lean: self.lean(cell) }
    }

    /// The distance of a pixel of the patch of a cell from the colour of each player.
    pub fn distances_to_players(&self, cell: Cell, x: usize, y: usize) -> Vec<f32> {
        let lab = lab_of_linear(self.seen(cell, x, y).map(linear_of_byte));
        (0..self.players.len()).map(|p| self.distance_to_player(lab, p)).collect()
    }

    /// Whether the wall hides the place (x, y) of a cell, tile sides from its upper left
    /// corner.
    pub fn is_hidden(&self, cell: Cell, (x, y): (f32, f32)) -> bool {
        self.board.behind_wall((f32::from(cell.col) + x, f32::from(cell.row) + y))
    }

    /// How far a thing above a cell appears from its foot, both per tile side.
    fn lean(&self, cell: Cell) -> (f32, f32) {
        self.board.lean((f32::from(cell.col) + 0.5, f32::from(cell.row) + 0.5), MIDDLE)
    }

    fn distance_to_player(&self, lab: [f32; 3], player: usize) -> f32 {
        let far = |(i, shade): (usize, &[f32; 3])| distance(lab, *shade) + UNUSUAL * strangeness(i);
        self.players[player].iter().enumerate().map(far).fold(f32::INFINITY, f32::min)
    }

    /// Levels by which a pixel is beyond the darkest and brightest of the print round it.
    fn off(&self, at: usize) -> f32 {
        let seen = &self.soft.as_raw()[at * 3..at * 3 + 3];
        let beyond = |c: usize| {
            let (v, low, high) = (seen[c], self.low[at * 3 + c], self.high[at * 3 + c]);
            f32::from(low.saturating_sub(v).max(v.saturating_sub(high)))
        };
        beyond(0).max(beyond(1)).max(beyond(2))
    }

    /// The pixel of the board picture that is pixel (x, y) of the patch round a cell.
    fn at(&self, cell: Cell, x: usize, y: usize) -> Option<usize> {
        let (x, y) = self.pixel(cell, x, y);
        let (width, height) = (i64::from(self.soft.width()), i64::from(self.soft.height()));
        ((0..width).contains(&x) && (0..height).contains(&y)).then(|| (y * width + x) as usize)
    }

    fn seen(&self, cell: Cell, x: usize, y: usize) -> [u8; 3] {
        let (x, y) = self.pixel(cell, x, y);
        let within = |v: i64, side: u32| v.clamp(0, i64::from(side) - 1) as u32;
        self.soft.get_pixel(within(x, self.soft.width()), within(y, self.soft.height())).0
    }

    fn pixel(&self, cell: Cell, x: usize, y: usize) -> (i64, i64) {
        let along = |at: i8, first: i8, v: usize| {
            (i64::from(at) - i64::from(first)) * i64::from(BOARD_PX) + v as i64 - MARGIN as i64
        };
        (along(cell.col, self.board.first.col, x), along(cell.row, self.board.first.row, y))
    }
}

/// Whether one of the cells round a place is outside the wall: there it may hide the tiles.
fn near_edge(board: &Board<'_>, (x, y): (f32, f32)) -> bool {
    let Some(inside) = board.inside else { return false };
    let outside =
        |dx: f32, dy: f32| !inside.contains(&Cell::new((x + dx).floor() as i8, (y + dy).floor() as i8));
    // The wall is low: what it hides lies near it.
    const REACH: f32 = 0.6;
    let (u, v) = (x - x.floor(), y - y.floor());
    (u < REACH && outside(-1.0, 0.0))
        || (u > 1.0 - REACH && outside(1.0, 0.0))
        || (v < REACH && outside(0.0, -1.0))
        || (v > 1.0 - REACH && outside(0.0, 1.0))
}

/// Of the pictures of what is expected, for each cell the one that more of what is seen fits.
fn likeliest(
    soft: &RgbImage,
    mut pictures: Vec<RgbImage>,
    first: Cell,
    grounds: &[(Cell, Ground<'_>)],
) -> RgbImage {
    let Some(mut best) = pictures.pop() else { return RgbImage::new(soft.width(), soft.height()) };
    for other in pictures {
        for (cell, _) in grounds {
            let misfit = |picture: &RgbImage| {
                let off = |at: usize| {
                    let far = |c: usize| soft.as_raw()[at * 3 + c].abs_diff(picture.as_raw()[at * 3 + c]);
                    u64::from(far(0).max(far(1)).max(far(2)).min(30))
                };
                pixels_of(*cell, first, soft.dimensions()).map(off).sum::<u64>()
            };
            if misfit(&other) < misfit(&best) {
                for at in pixels_of(*cell, first, soft.dimensions()) {
                    let (x, y) = (at as u32 % soft.width(), at as u32 / soft.width());
                    best.put_pixel(x, y, *other.get_pixel(x, y));
                }
            }
        }
    }
    best
}

/// The pixels of a cell in the board picture, as far as it holds them.
fn pixels_of(cell: Cell, first: Cell, (width, height): (u32, u32)) -> impl Iterator<Item = usize> {
    let px = i64::from(BOARD_PX);
    let span = move |at: i8, first: i8, side: u32| {
        let from = (i64::from(at) - i64::from(first)) * px;
        from.clamp(0, i64::from(side))..(from + px).clamp(0, i64::from(side))
    };
    let columns = span(cell.col, first.col, width);
    span(cell.row, first.row, height)
        .flat_map(move |y| columns.clone().map(move |x| (y * i64::from(width) + x) as usize))
}
