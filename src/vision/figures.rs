//! Sees followers and keeps: what stands on a tile in a player's colour and is
//! not printed on it.

use image::{RgbImage, imageops};
use opencv::core::{BORDER_REPLICATE, CV_32S, Mat, Point, Scalar, Size};
use opencv::imgproc;
use opencv::prelude::*;

use super::VisionError;
use super::light::Cast;
use super::outline::{lab_of_linear, linear};
use super::photo::quarter_turned;
use super::pose::Pose;
use super::recogniser::CELL_PX;
use super::registration::mat_of;
use crate::observation::{Figure, FigureReading};
use crate::rules::Cell;

/// Pixels a tile side of the board picture that figures are sought in.
pub const BOARD_PX: u32 = CELL_PX;

/// Levels (of 255) that print, noise and a crooked tile may differ from the
/// reference.
const NOISE: f32 = 16.0;
/// A pixel has a player's colour within this distance (CIE76) of one of its
/// shades.
const OF_COLOUR: f32 = 24.0;
/// How brightly a figure's sides may be lit, as shares of the light on tiles.
const SHADES: [f32; 8] = [0.12, 0.2, 0.32, 0.48, 0.68, 0.9, 1.15, 1.5];
/// The usual one, and what a shade that is e times brighter or darker counts
/// against a player's colour (CIE76).
const USUAL_SHADE: f32 = 0.6;
const UNUSUAL: f32 = 5.0;
/// How dark a shadow on a tile may be.
const SHADOWS: [f32; 5] = [0.3, 0.45, 0.6, 0.8, 1.0];
/// The least area of a figure, in tiles.
const FOLLOWER_AREA: f32 = 0.018;
/// Areas as seen from straight above, in tiles: a follower's, a keep's, and the
/// least that is a keep.
const USUAL_FOLLOWER: f32 = 0.055;
const USUAL_KEEP: f32 = 0.25;
const KEEP_AREA: f32 = 0.1;
/// How much they grow with the slant at which a figure is seen (its sides come
/// into view).
const SLANT: f32 = 1.2;
/// Patches of so many followers' area may be two that touch.
const TOUCHING: std::ops::Range<f32> = 1.5..3.4;
/// The least share of a follower's area that one of two that touch shows.
const PART: f32 = 0.45;
/// A patch that meets a hidden cell along so many pixels is cut off there.
const CUT_PX: usize = 4;
/// How wide a gap between tiles may be, in tile sides: half of it lies on each.
const GAP: f32 = 0.09;
/// How near to the wall's edge nothing is believed, in tile sides.
const WALL_EDGE: f32 = 0.03;
/// A patch is another figure's gleam when it is so much smaller and so near (in
/// tile sides).
const GLEAM_SHARE: f32 = 0.6;
const GLEAM_REACH: f32 = 0.32;
/// How high the middle of what is seen of a figure is, in tile sides.
const FOLLOWER_MIDDLE: f32 = 0.15;
const KEEP_MIDDLE: f32 = 0.26;
/// Two players' colours must differ by so much in some light (CIE76).
const TELL_APART: f32 = 22.0;
/// The share of the tiles' print that may have a player's colour.
const PRINTED: f32 = 0.5;

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
    /// The cells inside the wall.
    pub inside: &'a [Cell],
    /// What the light makes of the prints' colours, where that is known.
    pub cast: Option<&'a Cast>,
}

impl Board<'_> {
    /// The place of a pixel, in tile sides.
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        let along = |v: f32, first: i8| (v + 0.5) / BOARD_PX as f32 + f32::from(first);
        (along(x, self.first.col), along(y, self.first.row))
    }

    /// Whether the wall stands between the camera and a place on the tiles.
    fn behind_wall(&self, (x, y): (f32, f32)) -> bool {
        let (cx, cy, above) = self.pose.camera();
        let k = above / (above + self.depth.max(0.0)).max(0.1);
        let (x, y) = (cx + (x - cx) * k, cy + (y - cy) * k);
        [(-WALL_EDGE, 0.0), (WALL_EDGE, 0.0), (0.0, -WALL_EDGE), (0.0, WALL_EDGE)].iter().any(|(dx, dy)| {
            let cell = Cell::new((x + dx).floor() as i8, (y + dy).floor() as i8);
            !self.inside.contains(&cell)
        })
    }

    /// How much larger a figure appears than from straight above.
    fn widened(&self, (x, y): (f32, f32)) -> f32 {
        let (cx, cy, above) = self.pose.camera();
        1.0 + SLANT * (x - cx).hypot(y - cy) / (above + self.depth).max(1.0)
    }
}

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
    let mut masks = vec![vec![0_u8; (width * height) as usize]; players.len()];
    for (at, pixel) in soft.pixels().enumerate() {
        let (x, y) = ((at as u32 % width) as f32, (at as u32 / width) as f32);
        if !expected.known[at] || board.behind_wall(board.place(x, y)) {
            continue;
        }
        let seen = pixel.0.map(f32::from);
        let off = |(low, high): &(Vec<u8>, Vec<u8>)| {
            (0..3)
                .map(|c| (f32::from(low[at * 3 + c]) - seen[c]).max(seen[c] - f32::from(high[at * 3 + c])))
                .fold(0.0, f32::max)
        };
        if ranges.iter().map(off).fold(f32::INFINITY, f32::min) < NOISE {
            continue;
        }
        let lab = lab_of_linear(seen.map(|v| linear(v / 255.0)));
        let in_shadows = |colour: &[f32; 3]| {
            SHADOWS
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
                let off =
                    |(at, shade): (usize, &[f32; 3])| (distance(lab, *shade), UNUSUAL * strangeness(at));
                let (near, unusual) =
                    shades.iter().enumerate().map(off).fold((f32::INFINITY, 0.0), |a: (f32, f32), b| {
                        if b.0 + b.1 < a.0 + a.1 { b } else { a }
                    });
                (near, near + unusual, player)
            })
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((near, _, player)) = nearest
            && near < OF_COLOUR
            && near < ground
        {
            masks[player][at] = 255;
        }
    }
    let tiles: Vec<Cell> =
        grounds.iter().filter(|(_, g)| matches!(g, Ground::Tile(..))).map(|(c, _)| *c).collect();
    let mut found = Vec::new();
    for (player, mask) in masks.iter().enumerate() {
        let patches = blobs(mask, width, height)?;
        let whole = patches.into_iter().filter(|b| !is_cut(b, board, &expected.known, (width, height)));
        for blob in whole.map(|b| apart(b, board)).collect::<Result<Vec<_>, _>>()?.concat() {
            if let Some(standing) = stood(&blob, board, player as u8, &tiles) {
                found.push((blob.area(), standing));
            }
        }
    }
    let mut found = with_one_keep(without_gleams(found));
    found.sort_by_key(|standing| (standing.cell.row, standing.cell.col));
    Ok(found)
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
            if apart < TELL_APART {
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
        if like as f32 > PRINTED * count.max(1) as f32 {
            warnings.push(format!(
                "the figures of player {} have the colour of the tiles and are hard to see; other figures would be better",
                i + 1
            ));
        }
    }
    Ok(warnings)
}

/// How far a shade is from the usual light on a figure, in natural logarithms.
fn strangeness(shade: usize) -> f32 {
    (SHADES[shade] / USUAL_SHADE).ln().abs()
}

/// A player's colour in all shades under a light, CIE L*a*b*.
pub(super) fn shades(colour: [u8; 3], light: [f32; 3]) -> Vec<[f32; 3]> {
    let base: [f32; 3] = std::array::from_fn(|i| linear(f32::from(colour[i]) / 255.0) * light[i]);
    SHADES.iter().map(|s| lab_of_linear(base.map(|v| (v * s).min(1.0)))).collect()
}

/// How far two colours are apart to the eye (CIE76, lightness counting less).
pub(super) fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    // Lightness tells least: shades lie between the ones that are tried.
    let (l, x, y) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    (0.6 * l * l + x * x + y * y).sqrt()
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

/// A connected patch of a player's colour.
#[derive(Clone, Debug)]
struct Blob {
    /// Its pixels in the board picture.
    pixels: Vec<(i32, i32)>,
}

impl Blob {
    /// In tiles.
    fn area(&self) -> f32 {
        self.pixels.len() as f32 / (BOARD_PX * BOARD_PX) as f32
    }

    /// In pixels of the board picture.
    fn middle(&self) -> (f32, f32) {
        let n = self.pixels.len().max(1) as f32;
        let mean = |of: fn(&(i32, i32)) -> i32| self.pixels.iter().map(|p| of(p) as f32).sum::<f32>() / n;
        (mean(|p| p.0), mean(|p| p.1))
    }
}

fn blobs(mask: &[u8], width: u32, height: u32) -> Result<Vec<Blob>, VisionError> {
    let source = Mat::new_rows_cols_with_data(height as i32, width as i32, mask)?;
    let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(5, 5))?;
    let small = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(3, 3))?;
    let (mut closed, mut opened) = (Mat::default(), Mat::default());
    let anchor = Point::new(-1, -1);
    let border = imgproc::morphology_default_border_value()?;
    let constant = opencv::core::BORDER_CONSTANT;
    imgproc::morphology_ex(&source, &mut opened, imgproc::MORPH_OPEN, &small, anchor, 1, constant, border)?;
    imgproc::morphology_ex(&opened, &mut closed, imgproc::MORPH_CLOSE, &kernel, anchor, 1, constant, border)?;
    components(&closed)
}

/// Whether a patch goes on in a cell of which nothing is known.
fn is_cut(blob: &Blob, board: &Board<'_>, known: &[bool], (width, height): (u32, u32)) -> bool {
    let is_hidden = |x: i32, y: i32| {
        let inside = (0..width as i32).contains(&x) && (0..height as i32).contains(&y);
        if !inside || known[(y as u32 * width + x as u32) as usize] {
            return false;
        }
        let (x, y) = board.place(x as f32, y as f32);
        board.inside.contains(&Cell::new(x.floor() as i8, y.floor() as i8))
    };
    // In a gap's width from the border the table's own colour hides figures.
    let reach = (GAP * BOARD_PX as f32) as i32 + 2;
    let at_border = |(x, y): &&(i32, i32)| {
        [(-reach, 0), (reach, 0), (0, -reach), (0, reach)].iter().any(|d| is_hidden(x + d.0, y + d.1))
    };
    blob.pixels.iter().filter(at_border).count() >= CUT_PX
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

/// The connected parts of a mask.
fn components(mask: &impl opencv::core::ToInputArray) -> Result<Vec<Blob>, VisionError> {
    let mut labels = Mat::default();
    let count = imgproc::connected_components(mask, &mut labels, 8, CV_32S)?;
    let mut found = vec![Blob { pixels: Vec::new() }; count.max(1) as usize - 1];
    for y in 0..labels.rows() {
        for (x, label) in labels.at_row::<i32>(y)?.iter().enumerate() {
            if let Some(blob) = usize::try_from(label - 1).ok().and_then(|i| found.get_mut(i)) {
                blob.pixels.push((x as i32, y));
            }
        }
    }
    Ok(found)
}

/// A patch as the figures it is: two followers that touch are one patch with a
/// waist, which wears through first when the patch is worn down from its rim.
fn apart(blob: Blob, board: &Board<'_>) -> Result<Vec<Blob>, VisionError> {
    let (x, y) = blob.middle();
    let usual = USUAL_FOLLOWER * board.widened(board.place(x, y));
    if !TOUCHING.contains(&(blob.area() / usual)) {
        return Ok(vec![blob]);
    }
    let left = blob.pixels.iter().map(|p| p.0).min().unwrap_or(0) - 1;
    let top = blob.pixels.iter().map(|p| p.1).min().unwrap_or(0) - 1;
    let right = blob.pixels.iter().map(|p| p.0).max().unwrap_or(0) + 1;
    let bottom = blob.pixels.iter().map(|p| p.1).max().unwrap_or(0) + 1;
    let mut mask = Mat::zeros(bottom - top + 1, right - left + 1, opencv::core::CV_8U)?.to_mat()?;
    for (x, y) in &blob.pixels {
        *mask.at_2d_mut::<u8>(y - top, x - left)? = 255;
    }
    let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(3, 3))?;
    let border = imgproc::morphology_default_border_value()?;
    for _ in 0..BOARD_PX / 8 {
        let mut worn = Mat::default();
        let constant = opencv::core::BORDER_CONSTANT;
        imgproc::erode(&mask, &mut worn, &kernel, Point::new(-1, -1), 1, constant, border)?;
        let cores: Vec<(f32, f32)> =
            components(&worn)?.iter().filter(|c| c.pixels.len() >= 4).map(Blob::middle).collect();
        if cores.is_empty() {
            break;
        }
        if cores.len() > 1 {
            let mut parts = vec![Blob { pixels: Vec::new() }; cores.len()];
            for (x, y) in &blob.pixels {
                let far = |c: &(f32, f32)| ((x - left) as f32 - c.0).hypot((y - top) as f32 - c.1);
                let nearest = (0..cores.len()).min_by(|a, b| far(&cores[*a]).total_cmp(&far(&cores[*b])));
                if let Some(part) = nearest.and_then(|i| parts.get_mut(i)) {
                    part.pixels.push((*x, *y));
                }
            }
            parts.retain(|p| p.area() >= PART * usual);
            return Ok(if parts.len() > 1 { parts } else { vec![blob] });
        }
        mask = worn;
    }
    Ok(vec![blob])
}

/// Leaves out what is only a gleam or a shadow on another player's figure: a
/// smaller patch close to a larger one.
fn without_gleams(found: Vec<(f32, Standing)>) -> Vec<(f32, Standing)> {
    let place = |s: &Standing| (f32::from(s.cell.col) + s.figure.x, f32::from(s.cell.row) + s.figure.y);
    let is_gleam = |area: f32, standing: &Standing| {
        found.iter().any(|(other_area, other)| {
            let (a, b) = (place(standing), place(other));
            other.figure.player != standing.figure.player
                && area < GLEAM_SHARE * other_area
                && (a.0 - b.0).hypot(a.1 - b.1) < GLEAM_REACH
        })
    };
    found.iter().filter(|(area, standing)| !is_gleam(*area, standing)).cloned().collect()
}

/// A player has one keep: of several the largest is it.
fn with_one_keep(found: Vec<(f32, Standing)>) -> Vec<Standing> {
    let largest = |player: u8| {
        let keeps =
            found.iter().filter(|(_, s)| s.figure.player == player && s.figure.figure == Figure::Keep);
        keeps.map(|(area, _)| *area).fold(0.0, f32::max)
    };
    let limits: Vec<f32> = found.iter().map(|(_, s)| largest(s.figure.player)).collect();
    found
        .into_iter()
        .zip(limits)
        .map(|((area, mut standing), limit)| {
            if area < limit {
                standing.figure.figure = Figure::Follower;
            }
            standing
        })
        .collect()
}

/// The figure that a blob is, if its foot is on a tile.
fn stood(blob: &Blob, board: &Board<'_>, player: u8, tiles: &[Cell]) -> Option<Standing> {
    let area = blob.area();
    if area < FOLLOWER_AREA {
        return None;
    }
    let (x, y) = blob.middle();
    let (x, y) = board.place(x, y);
    // What is seen at a height appears farther from the camera than its foot.
    let (cx, cy, above) = board.pose.camera();
    let height = (above + board.depth).max(1.0);
    let widened = board.widened((x, y));
    let figure = if area > KEEP_AREA * widened { Figure::Keep } else { Figure::Follower };
    let middle = if figure == Figure::Keep { KEEP_MIDDLE } else { FOLLOWER_MIDDLE };
    let k = middle / height;
    let (x, y) = (x - (x - cx) * k, y - (y - cy) * k);
    let cell = Cell::new(x.floor() as i8, y.floor() as i8);
    if !tiles.contains(&cell) {
        return None;
    }
    let usual = if figure == Figure::Keep { USUAL_KEEP } else { USUAL_FOLLOWER };
    let confidence = (1.0 - 0.35 * (area / (usual * widened)).ln().abs()).clamp(0.2, 0.95);
    let (fx, fy) = (x - x.floor(), y - y.floor());
    Some(Standing { cell, figure: FigureReading { figure, player, x: fx, y: fy, confidence } })
}
