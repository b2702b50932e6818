//! Finds the pixels of a board that have a player's colour and not the print's.

use image::RgbImage;
use rayon::prelude::*;

use super::board::{Board, GAP, Ground, Standing};
use super::expected::{expected, ranges, smoothed, table_colour};
use super::patches::{self, Mask};
use crate::rules::Cell;
use crate::vision::base::colour::{distance, lab_of_linear, linear, shades, strangeness};
use crate::vision::base::error::VisionError;

/// What tells a figure's pixels from print, shadows and the table.
///
/// Distances are those of [`distance`], about a CIE L*a*b* unit.
struct Settings {
    /// Levels (of 255) by which a pixel may be beyond the darkest and brightest of the
    /// reference round it. Larger hides figures of the print's colour.
    noise: f32,
    /// Largest distance of a pixel from a shade of a player's colour.
    of_colour: f32,
    /// What is added to that distance for a shade e times brighter or darker than the usual.
    unusual: f32,
    /// How dark a shadow on a tile may be, as shares of the light; all are tried.
    shadows: [f32; 5],
}

const SETTINGS: Settings =
    Settings { noise: 16.0, of_colour: 24.0, unusual: 5.0, shadows: [0.3, 0.45, 0.6, 0.8, 1.0] };

/// Finds the figures. `colours` are the players', sRGB; `grounds` what each
/// cell holds, without the cells that are hidden.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails.
pub(super) fn find(
    board: &Board<'_>,
    grounds: &[(Cell, Ground<'_>)],
    colours: &[[u8; 3]],
) -> Result<Vec<Standing>, VisionError> {
    let soft = smoothed(board.picture)?;
    let expected = expected(&soft, board.first, board.cast, grounds);
    let ranges: Vec<(Vec<u8>, Vec<u8>)> =
        expected.pictures.iter().map(ranges).collect::<Result<_, VisionError>>()?;
    let table = expected.pictures.first().and_then(|p| table_colour(p, board.first, grounds));
    let players: Vec<Vec<[f32; 3]>> = colours.iter().map(|c| shades(*c, expected.light)).collect();
    let (width, height) = soft.dimensions();
    // Whose colour a pixel has that is not the print's, in any shadow.
    let owner = |at: usize| -> Option<usize> {
        let (x, y) = ((at as u32 % width) as f32, (at as u32 / width) as f32);
        if !expected.known[at] || board.behind_wall(board.place(x, y)) {
            return None;
        }
        let seen = soft.get_pixel(at as u32 % width, at as u32 / width).0.map(f32::from);
        let off = |(low, high): &(Vec<u8>, Vec<u8>)| {
            (0..3)
                .map(|c| (f32::from(low[at * 3 + c]) - seen[c]).max(seen[c] - f32::from(high[at * 3 + c])))
                .fold(0.0, f32::max)
        };
        if ranges.iter().map(off).fold(f32::INFINITY, f32::min) < SETTINGS.noise {
            return None;
        }
        let lab = lab_of_linear(seen.map(|v| linear(v / 255.0)));
        let in_shadows = |colour: &[f32; 3]| {
            SETTINGS
                .shadows
                .iter()
                .map(|s| distance(lab, lab_of_linear([colour[0] * s, colour[1] * s, colour[2] * s])))
                .fold(f32::INFINITY, f32::min)
        };
        let print = |picture: &RgbImage| {
            let raw = &picture.as_raw()[at * 3..at * 3 + 3];
            in_shadows(&std::array::from_fn(|c| linear(f32::from(raw[c]) / 255.0)))
        };
        let mut ground = expected.pictures.iter().map(print).fold(f32::INFINITY, f32::min);
        // Between tiles the table shows.
        let edge = |v: f32| (v - v.round()).abs() < GAP;
        let place = board.place(x, y);
        if let Some(table) = &table
            && (edge(place.0) || edge(place.1))
        {
            ground = ground.min(in_shadows(table));
        }
        let nearest = players
            .iter()
            .enumerate()
            .map(|(player, shades)| {
                let off = |(at, shade): (usize, &[f32; 3])| {
                    (distance(lab, *shade), SETTINGS.unusual * strangeness(at))
                };
                let (near, unusual) =
                    shades.iter().enumerate().map(off).fold((f32::INFINITY, 0.0), |a: (f32, f32), b| {
                        if b.0 + b.1 < a.0 + a.1 { b } else { a }
                    });
                (near, near + unusual, player)
            })
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let (near, _, player) = nearest?;
        (near < SETTINGS.of_colour && near < ground).then_some(player)
    };
    let owners: Vec<Option<usize>> = (0..(width * height) as usize).into_par_iter().map(owner).collect();
    let mask_of = |player: usize| owners.iter().map(|o| if *o == Some(player) { 255 } else { 0 }).collect();
    let masks: Vec<Vec<u8>> = (0..players.len()).map(mask_of).collect();
    let tiles: Vec<Cell> =
        grounds.iter().filter(|(_, g)| matches!(g, Ground::Tile(..))).map(|(c, _)| *c).collect();
    let mut found = Vec::new();
    for (player, mask) in masks.iter().enumerate() {
        let mask = Mask { of_colour: mask, known: &expected.known, size: (width, height) };
        found.extend(patches::figures(&mask, board, player as u8, &tiles)?);
    }
    Ok(patches::agreed(found))
}
