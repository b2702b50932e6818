//! Finds the pixels of a board that have a player's colour and not the print's.

use image::RgbImage;
use rayon::prelude::*;

use super::board::{Board, GAP, Ground, Standing};
use super::expected::{expected, ranges, smoothed, table_colour};
use super::paint::{Paints, from_ground, is_off};
use super::patches::{self, Mask};
use crate::rules::Cell;
use crate::vision::base::colour::{lab_of_linear, linear_of_byte};
use crate::vision::base::error::VisionError;

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
    let paints = Paints::new(colours, expected.light);
    let (width, height) = soft.dimensions();
    // Whose colour a pixel has that is not the print's, in any shadow.
    let owner = |at: usize| -> Option<usize> {
        if !expected.known[at] {
            return None;
        }
        let seen = soft.get_pixel(at as u32 % width, at as u32 / width).0;
        if !ranges.iter().all(|(low, high)| is_off(seen, &low[at * 3..], &high[at * 3..])) {
            return None;
        }
        let place = board.place((at as u32 % width) as f32, (at as u32 / width) as f32);
        let lab = lab_of_linear(seen.map(linear_of_byte));
        let ground = || {
            let print = |picture: &RgbImage| {
                let raw = &picture.as_raw()[at * 3..at * 3 + 3];
                from_ground(lab, std::array::from_fn(|c| linear_of_byte(raw[c])))
            };
            let ground = expected.pictures.iter().map(print).fold(f32::INFINITY, f32::min);
            // Between tiles the table shows.
            let edge = |v: f32| (v - v.round()).abs() < GAP;
            let table = table.filter(|_| edge(place.0) || edge(place.1));
            table.map_or(ground, |table| ground.min(from_ground(lab, table)))
        };
        paints.owner(lab, ground).filter(|_| !board.behind_wall(place))
    };
    let owners: Vec<Option<usize>> = (0..(width * height) as usize).into_par_iter().map(owner).collect();
    let mask_of = |player: usize| owners.iter().map(|o| if *o == Some(player) { 255 } else { 0 }).collect();
    let masks: Vec<Vec<u8>> = (0..colours.len()).map(mask_of).collect();
    let tiles: Vec<Cell> =
        grounds.iter().filter(|(_, g)| matches!(g, Ground::Tile(..))).map(|(c, _)| *c).collect();
    let mut found = Vec::new();
    for (player, mask) in masks.iter().enumerate() {
        let mask = Mask { of_colour: mask, known: &expected.known, size: (width, height) };
        found.extend(patches::figures(&mask, board, player as u8, &tiles)?);
    }
    Ok(patches::agreed(found, board.crowded))
}
