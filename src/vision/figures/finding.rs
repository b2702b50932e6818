//! Finds the pixels of a board that have a player's colour and not the print's.

use image::{RgbImage, imageops};
use opencv::core::{BORDER_REPLICATE, Mat, Point, Scalar, Size};
use opencv::imgproc;
use opencv::prelude::*;
use rayon::prelude::*;

use super::board::{BOARD_PX, Board, GAP, Ground, Standing};
use super::patches::{self, Mask};
use crate::rules::Cell;
use crate::vision::base::colour::{distance, lab_of_linear, linear, shades, strangeness};
use crate::vision::base::error::VisionError;
use crate::vision::base::mat::mat_of;
use crate::vision::base::photo::quarter_turned;
use crate::vision::tiles::colour_model::Cast;

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
    /// Least distance of two players' colours in some light.
    tell_apart: f32,
    /// Share of the tiles' print that may have a player's colour before owners are warned.
    printed: f32,
}

const SETTINGS: Settings = Settings {
    noise: 16.0,
    of_colour: 24.0,
    unusual: 5.0,
    shadows: [0.3, 0.45, 0.6, 0.8, 1.0],
    tell_apart: 22.0,
    printed: 0.5,
};

/// What the board would look like without figures.
struct Expected {
    /// The references, in the light that each tile shows by itself and, where it
    /// is known, in the light of all; black where nothing is known.
    pictures: Vec<RgbImage>,
    known: Vec<bool>,
    /// The light on the tiles, of the light in which the references were taken.
    light: [f32; 3],
}

/// Finds the figures. `colours` are the players', sRGB; `grounds` what each
/// cell holds, without the cells that are hidden.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails.
pub fn find(
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

/// Refuses colours that can't be told apart; gives a sentence for each that
/// vanishes on the tiles.
///
/// # Errors
/// [`VisionError::Colours`] says which.
pub fn separable(colours: &[[u8; 3]], references: &[RgbImage]) -> Result<Vec<String>, VisionError> {
    let plain = [1.0; 3];
    let all: Vec<Vec<[f32; 3]>> = colours.iter().map(|c| shades(*c, plain)).collect();
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate().skip(i + 1) {
            // Equally lit, they must differ.
            let apart = a.iter().zip(b).map(|(x, y)| distance(*x, *y)).fold(0.0, f32::max);
            if apart < SETTINGS.tell_apart {
                return Err(VisionError::Colours(format!(
                    "the figures of players {} and {} can't be told apart by their colours; choose other figures",
                    i + 1,
                    j + 1
                )));
            }
        }
    }
    let mut warnings = Vec::new();
    for (i, shades) in all.iter().enumerate() {
        let (mut like, mut count) = (0_u32, 0_u32);
        for pixel in references.iter().flat_map(|r| r.pixels().step_by(29)) {
            let lab = lab_of_linear(pixel.0.map(|v| linear(f32::from(v) / 255.0)));
            count += 1;
            like += u32::from(shades.iter().any(|s| distance(lab, *s) < 10.0));
        }
        if like as f32 > SETTINGS.printed * count.max(1) as f32 {
            warnings.push(format!(
                "the figures of player {} have the colour of the tiles and are hard to see; other figures would be better",
                i + 1
            ));
        }
    }
    Ok(warnings)
}

fn smoothed(picture: &RgbImage) -> Result<RgbImage, VisionError> {
    let mut soft = Mat::default();
    imgproc::gaussian_blur(&mat_of(picture)?, &mut soft, Size::new(0, 0), 0.8, 0.8, BORDER_REPLICATE)?;
    let raw = soft.data_bytes()?.to_vec();
    Ok(RgbImage::from_raw(picture.width(), picture.height(), raw).unwrap_or_default())
}

/// Lays the references into the picture's light.
fn expected(board: &RgbImage, first: Cell, cast: Option<&Cast>, grounds: &[(Cell, Ground<'_>)]) -> Expected {
    let (width, height) = board.dimensions();
    let mut pictures = vec![RgbImage::new(width, height); if cast.is_some() { 2 } else { 1 }];
    let mut known = vec![false; (width * height) as usize];
    let mut ratios: [Vec<f32>; 3] = Default::default();
    let px = BOARD_PX as i32;
    for (cell, ground) in grounds {
        let left = (i32::from(cell.col) - i32::from(first.col)) * px;
        let top = (i32::from(cell.row) - i32::from(first.row)) * px;
        if left < 0 || top < 0 || left + px > width as i32 || top + px > height as i32 {
            continue;
        }
        let (left, top) = (left as u32, top as u32);
        let seen = imageops::crop_imm(board, left, top, BOARD_PX, BOARD_PX).to_image();
        let lying = match ground {
            Ground::Tile(reference, turn, shift) => {
                let turned = quarter_turned(reference, *turn);
                let side = turned.width() as f32;
                let moved = RgbImage::from_fn(BOARD_PX, BOARD_PX, |x, y| {
                    let at = |v: u32, s: f32| {
                        let v = ((v as f32 + 0.5) / BOARD_PX as f32 - s) * side;
                        v.clamp(0.0, side - 1.0) as u32
                    };
                    *turned.get_pixel(at(x, shift.0), at(y, shift.1))
                });
                for (c, ratios) in ratios.iter_mut().enumerate() {
                    let mean =
                        |p: &RgbImage| -> f32 { p.pixels().map(|p| linear(f32::from(p.0[c]) / 255.0)).sum() };
                    let print = mean(&moved);
                    if print > 1.0 {
                        ratios.push(mean(&seen) / print);
                    }
                }
                let mut lying = vec![in_light_of(&moved, &seen)];
                lying.extend(cast.map(|c| in_light_of(&c.over(&moved, *cell), &seen)));
                lying
            }
            Ground::Table => {
                let middle: [u8; 3] = std::array::from_fn(|c| {
                    let mut values: Vec<u8> = seen.pixels().map(|p| p.0[c]).collect();
                    values.sort_unstable();
                    values[values.len() / 2]
                });
                vec![RgbImage::from_pixel(BOARD_PX, BOARD_PX, image::Rgb(middle)); pictures.len()]
            }
        };
        for (picture, lying) in pictures.iter_mut().zip(&lying) {
            imageops::replace(picture, lying, i64::from(left), i64::from(top));
        }
        for y in top..top + BOARD_PX {
            let row = (y * width + left) as usize;
            known[row..row + BOARD_PX as usize].fill(true);
        }
    }
    let light = ratios.map(|mut r| {
        r.sort_by(f32::total_cmp);
        r.get(r.len() / 2).copied().unwrap_or(1.0)
    });
    Expected { pictures, known, light }
}

/// A reference with the gain and offset of each colour that make most of it
/// equal to what is seen.
fn in_light_of(reference: &RgbImage, seen: &RgbImage) -> RgbImage {
    let mut fits = [(1.0_f32, 0.0_f32); 3];
    let mut weights = vec![1.0_f32; (seen.width() * seen.height()) as usize];
    for _ in 0..4 {
        for (c, fit) in fits.iter_mut().enumerate() {
            let (mut n, mut x, mut y, mut xx, mut xy) = (1e-3, 0.0, 0.0, 0.0, 0.0);
            for ((r, s), w) in reference.pixels().zip(seen.pixels()).zip(&weights) {
                let (a, b) = (f32::from(r.0[c]), f32::from(s.0[c]));
                (n, x, y) = (n + w, x + w * a, y + w * b);
                (xx, xy) = (xx + w * a * a, xy + w * a * b);
            }
            // A flat reference tells no gain: it is drawn to the ratio of means.
            let prior = 60.0 * n;
            let (mx, my) = (x / n, y / n);
            let usual = my / mx.max(8.0);
            let gain = ((xy - n * mx * my + prior * usual) / (xx - n * mx * mx + prior)).clamp(0.1, 3.0);
            *fit = (gain, my - gain * mx);
        }
        for ((r, s), w) in reference.pixels().zip(seen.pixels()).zip(weights.iter_mut()) {
            let off = (0..3)
                .map(|c| (fits[c].0 * f32::from(r.0[c]) + fits[c].1 - f32::from(s.0[c])).abs())
                .fold(0.0, f32::max);
            *w = 1.0 / (1.0 + (off / 14.0).powi(4));
        }
    }
    let mut lit = reference.clone();
    for pixel in lit.pixels_mut() {
        for (c, v) in pixel.0.iter_mut().enumerate() {
            *v = (fits[c].0 * f32::from(*v) + fits[c].1).round().clamp(0.0, 255.0) as u8;
        }
    }
    lit
}

/// The darkest and the brightest that each pixel may be when the tile lies a
/// little off.
fn ranges(picture: &RgbImage) -> Result<(Vec<u8>, Vec<u8>), VisionError> {
    let source = mat_of(picture)?;
    let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_RECT, Size::new(5, 5))?;
    let (mut low, mut high) = (Mat::default(), Mat::default());
    let anchor = Point::new(-1, -1);
    let border = Scalar::all(f64::MAX);
    imgproc::erode(&source, &mut low, &kernel, anchor, 1, opencv::core::BORDER_REPLICATE, border)?;
    imgproc::dilate(&source, &mut high, &kernel, anchor, 1, opencv::core::BORDER_REPLICATE, border)?;
    Ok((low.data_bytes()?.to_vec(), high.data_bytes()?.to_vec()))
}

/// The colour of the table in the empty cells, linear.
fn table_colour(expected: &RgbImage, first: Cell, grounds: &[(Cell, Ground<'_>)]) -> Option<[f32; 3]> {
    let px = BOARD_PX as i32;
    let colours: Vec<[u8; 3]> = grounds
        .iter()
        .filter(|(_, g)| matches!(g, Ground::Table))
        .filter_map(|(cell, _)| {
            let x = (i32::from(cell.col) - i32::from(first.col)) * px + px / 2;
            let y = (i32::from(cell.row) - i32::from(first.row)) * px + px / 2;
            expected.get_pixel_checked(u32::try_from(x).ok()?, u32::try_from(y).ok()?).map(|p| p.0)
        })
        .collect();
    let middle = |c: usize| {
        let mut values: Vec<u8> = colours.iter().map(|v| v[c]).collect();
        values.sort_unstable();
        values.get(values.len() / 2).map(|v| linear(f32::from(*v) / 255.0))
    };
    Some([middle(0)?, middle(1)?, middle(2)?])
}
