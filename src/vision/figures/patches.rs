//! Patches of a player's colour, and the figures that they are.

use opencv::core::{CV_32S, Mat, Point, Size};
use opencv::imgproc;
use opencv::prelude::*;

use super::board::{BOARD_PX, Board, GAP, Standing};
use crate::observation::{Figure, FigureReading};
use crate::rules::Cell;
use crate::vision::base::error::VisionError;

/// How large figures of a kind look from straight above, and how high they are seen.
pub(super) struct Looks {
    /// Least area, in tiles. Smaller takes specks for figures.
    pub least: f32,
    /// Usual area, in tiles: what confidence falls off from.
    pub usual: f32,
    /// Height of the middle of what is seen, tile sides: by it the foot is found.
    pub middle: f32,
}

pub(super) const FOLLOWER: Looks = Looks { least: 0.018, usual: 0.055, middle: 0.15 };
const KEEP: Looks = Looks { least: 0.1, usual: 0.25, middle: 0.26 };

/// How patches are parted, joined and left out.
struct Settings {
    /// Area, in usual followers, at which a patch may be two that touch.
    touching: std::ops::Range<f32>,
    /// Least share of a usual follower's area that each of the two then shows.
    part: f32,
    /// Pixels along which a patch meets a hidden cell for it to be cut off there: such a
    /// patch is no figure.
    cut_px: usize,
    /// A patch is the gleam of another player's figure when its area is less than this share
    /// of that one's
    gleam_share: f32,
    /// and it is nearer than this, tile sides.
    gleam_reach: f32,
    /// Longest side of a figure from straight above, tile sides. Larger joins neighbours.
    across: f32,
    /// Area from which on parts are a keep even where they stand on two tiles.
    sure_keep: f32,
}

const SETTINGS: Settings = Settings {
    touching: 1.5..3.4,
    part: 0.45,
    cut_px: 4,
    gleam_share: 0.6,
    gleam_reach: 0.32,
    across: 0.65,
    sure_keep: 0.2,
};

/// The pixels of a board picture that have a player's colour and not the print's.
pub(super) struct Mask<'a> {
    /// 255 for each of them, else 0; row by row.
    pub of_colour: &'a [u8],
    /// Where it is known what lies there.
    pub known: &'a [bool],
    /// Width and height.
    pub size: (u32, u32),
}

/// The figures of a player that the mask shows on these tiles, with their areas in tiles.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails.
pub(super) fn figures(
    mask: &Mask<'_>,
    board: &Board<'_>,
    player: u8,
    tiles: &[Cell],
) -> Result<Vec<(f32, Standing)>, VisionError> {
    let whole = patches(mask)?.into_iter().filter(|p| !is_cut(p, board, mask));
    let parts = whole.map(|p| apart(p, board)).collect::<Result<Vec<_>, _>>()?.concat();
    let with_area = |patch: &Patch| Some((patch.area(), stood(patch, board, player, tiles)?));
    Ok(joined(parts, board).iter().filter_map(with_area).collect())
}

/// What all figures that seem to be there leave of one another, row by row; `crowded` as
/// [`Board::crowded`].
pub(super) fn agreed(found: Vec<(f32, Standing)>, crowded: bool) -> Vec<Standing> {
    let found = one_follower_a_cell(with_one_keep(without_gleams(found)), crowded);
    let mut agreed: Vec<Standing> = found.into_iter().map(|(_, standing)| standing).collect();
    agreed.sort_by_key(|standing| (standing.cell.row, standing.cell.col));
    agreed
}

/// A connected patch of a player's colour.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// Its pixels in the board picture.
    pixels: Vec<(i32, i32)>,
}

impl Patch {
    /// In tiles.
    pub(super) fn area(&self) -> f32 {
        self.pixels.len() as f32 / (BOARD_PX * BOARD_PX) as f32
    }

    /// Its first and last column, then row, in the board picture.
    fn bounds(&self) -> [(i32, i32); 2] {
        let reach = |of: fn(&(i32, i32)) -> i32| {
            let values = || self.pixels.iter().map(of);
            (values().min().unwrap_or(0), values().max().unwrap_or(0))
        };
        [reach(|p| p.0), reach(|p| p.1)]
    }

    /// The longer side of what it spans, in pixels of the board picture.
    fn extent(&self) -> f32 {
        let [across, down] = self.bounds().map(|(first, last)| last - first + 1);
        across.max(down) as f32
    }

    /// The cell and the place on the board, in tile sides, of what is seen here at a
    /// height: it appears farther from the camera than its foot.
    pub(super) fn foot(&self, board: &Board<'_>, height: f32) -> (Cell, (f32, f32)) {
        let (x, y) = self.middle();
        let (x, y) = board.place(x, y);
        let (cx, cy, above) = board.pose.camera();
        let k = height / (above + board.depth).max(1.0);
        let (x, y) = (x - (x - cx) * k, y - (y - cy) * k);
        (Cell::new(x.floor() as i8, y.floor() as i8), (x, y))
    }

    /// In pixels of the board picture.
    pub(super) fn middle(&self) -> (f32, f32) {
        let n = self.pixels.len().max(1) as f32;
        let mean = |of: fn(&(i32, i32)) -> i32| self.pixels.iter().map(|p| of(p) as f32).sum::<f32>() / n;
        (mean(|p| p.0), mean(|p| p.1))
    }
}

/// The connected patches of a mask, without specks.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails.
pub(super) fn patches(mask: &Mask<'_>) -> Result<Vec<Patch>, VisionError> {
    let (width, height) = mask.size;
    let source = Mat::new_rows_cols_with_data(height as i32, width as i32, mask.of_colour)?;
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
fn is_cut(patch: &Patch, board: &Board<'_>, mask: &Mask<'_>) -> bool {
    let (width, height) = mask.size;
    let is_hidden = |x: i32, y: i32| {
        let inside = (0..width as i32).contains(&x) && (0..height as i32).contains(&y);
        if !inside || mask.known[(y as u32 * width + x as u32) as usize] {
            return false;
        }
        let (x, y) = board.place(x as f32, y as f32);
        board.inside.is_none_or(|inside| inside.contains(&Cell::new(x.floor() as i8, y.floor() as i8)))
    };
    // In a gap's width from the border the table's own colour hides figures.
    let reach = (GAP * BOARD_PX as f32) as i32 + 2;
    let at_border = |(x, y): &&(i32, i32)| {
        [(-reach, 0), (reach, 0), (0, -reach), (0, reach)].iter().any(|d| is_hidden(x + d.0, y + d.1))
    };
    patch.pixels.iter().filter(at_border).count() >= SETTINGS.cut_px
}

/// The connected parts of a mask.
fn components(mask: &impl opencv::core::ToInputArray) -> Result<Vec<Patch>, VisionError> {
    let mut labels = Mat::default();
    let count = imgproc::connected_components(mask, &mut labels, 8, CV_32S)?;
    let mut found = vec![Patch { pixels: Vec::new() }; count.max(1) as usize - 1];
    for y in 0..labels.rows() {
        for (x, label) in labels.at_row::<i32>(y)?.iter().enumerate() {
            if let Some(patch) = usize::try_from(label - 1).ok().and_then(|i| found.get_mut(i)) {
                patch.pixels.push((x as i32, y));
            }
        }
    }
    Ok(found)
}

/// A patch as the figures it is: two followers that touch are one patch with a
/// waist, which wears through first when the patch is worn down from its rim. They
/// stand on tiles of their own.
fn apart(patch: Patch, board: &Board<'_>) -> Result<Vec<Patch>, VisionError> {
    let (x, y) = patch.middle();
    let usual = FOLLOWER.usual * board.widened(board.place(x, y));
    if !SETTINGS.touching.contains(&(patch.area() / usual)) {
        return Ok(vec![patch]);
    }
    let [(left, right), (top, bottom)] = patch.bounds().map(|(first, last)| (first - 1, last + 1));
    let mut mask = Mat::zeros(bottom - top + 1, right - left + 1, opencv::core::CV_8U)?.to_mat()?;
    for (x, y) in &patch.pixels {
        *mask.at_2d_mut::<u8>(y - top, x - left)? = 255;
    }
    let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(3, 3))?;
    let border = imgproc::morphology_default_border_value()?;
    for _ in 0..BOARD_PX / 8 {
        let mut worn = Mat::default();
        let constant = opencv::core::BORDER_CONSTANT;
        imgproc::erode(&mask, &mut worn, &kernel, Point::new(-1, -1), 1, constant, border)?;
        let cores: Vec<(f32, f32)> =
            components(&worn)?.iter().filter(|c| c.pixels.len() >= 4).map(Patch::middle).collect();
        if cores.is_empty() {
            break;
        }
        if cores.len() > 1 {
            let mut parts = vec![Patch { pixels: Vec::new() }; cores.len()];
            for (x, y) in &patch.pixels {
                let far = |c: &(f32, f32)| ((x - left) as f32 - c.0).hypot((y - top) as f32 - c.1);
                let nearest = (0..cores.len()).min_by(|a, b| far(&cores[*a]).total_cmp(&far(&cores[*b])));
                if let Some(part) = nearest.and_then(|i| parts.get_mut(i)) {
                    part.pixels.push((*x, *y));
                }
            }
            parts.retain(|p| p.area() >= SETTINGS.part * usual);
            let mut cells: Vec<Cell> = parts.iter().map(|p| p.foot(board, FOLLOWER.middle).0).collect();
            cells.sort_by_key(|c| (c.row, c.col));
            cells.dedup();
            return Ok(if parts.len() > 1 && cells.len() == parts.len() { parts } else { vec![patch] });
        }
        mask = worn;
    }
    Ok(vec![patch])
}

/// Patches with those together that are one figure: what its shades and edges part,
/// as no tile has two followers of a player, and no two followers are as large as a keep.
pub(super) fn joined(mut patches: Vec<Patch>, board: &Board<'_>) -> Vec<Patch> {
    let is_one = |a: &Patch, b: &Patch| {
        let both = Patch { pixels: [a.pixels.as_slice(), &b.pixels].concat() };
        let (x, y) = both.middle();
        let widened = board.widened(board.place(x, y));
        let same_cell = || a.foot(board, FOLLOWER.middle).0 == b.foot(board, FOLLOWER.middle).0;
        let specks = a.area().min(b.area()) < FOLLOWER.least;
        both.extent() < SETTINGS.across * widened * BOARD_PX as f32
            && (both.area() > SETTINGS.sure_keep * widened || (!specks && same_cell()))
    };
    patches.sort_by_key(|b| std::cmp::Reverse(b.pixels.len()));
    let mut out: Vec<Patch> = Vec::new();
    for patch in patches {
        match out.iter_mut().find(|o| is_one(o, &patch)) {
            Some(one) => one.pixels.extend(patch.pixels),
            None => out.push(patch),
        }
    }
    out
}

/// Where tiles are not crowded one has at most one follower: of several the largest is it.
fn one_follower_a_cell(found: Vec<(f32, Standing)>, crowded: bool) -> Vec<(f32, Standing)> {
    if crowded {
        return found;
    }
    let mut kept: Vec<(f32, Standing)> = Vec::new();
    for (area, standing) in found {
        let other = kept.iter_mut().find(|(_, k)| {
            k.cell == standing.cell && [k, &standing].iter().all(|s| s.figure.figure == Figure::Follower)
        });
        match other {
            Some(other) if other.0 < area => *other = (area, standing),
            Some(_) => {}
            None => kept.push((area, standing)),
        }
    }
    kept
}

/// Leaves out what is only a gleam or a shadow on another player's figure: a
/// smaller patch close to a larger one.
fn without_gleams(found: Vec<(f32, Standing)>) -> Vec<(f32, Standing)> {
    let place = |s: &Standing| (f32::from(s.cell.col) + s.figure.x, f32::from(s.cell.row) + s.figure.y);
    let is_gleam = |area: f32, standing: &Standing| {
        found.iter().any(|(other_area, other)| {
            let (a, b) = (place(standing), place(other));
            other.figure.player != standing.figure.player
                && area < SETTINGS.gleam_share * other_area
                && (a.0 - b.0).hypot(a.1 - b.1) < SETTINGS.gleam_reach
        })
    };
    found.iter().filter(|(area, standing)| !is_gleam(*area, standing)).cloned().collect()
}

/// A player has one keep: of several the largest is it.
fn with_one_keep(found: Vec<(f32, Standing)>) -> Vec<(f32, Standing)> {
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
            (area, standing)
        })
        .collect()
}

/// The figure that a patch is, if its foot is on a tile.
fn stood(patch: &Patch, board: &Board<'_>, player: u8, tiles: &[Cell]) -> Option<Standing> {
    let area = patch.area();
    if area < FOLLOWER.least {
        return None;
    }
    let (x, y) = patch.middle();
    let widened = board.widened(board.place(x, y));
    let figure = if area > KEEP.least * widened { Figure::Keep } else { Figure::Follower };
    let looks = if figure == Figure::Keep { KEEP } else { FOLLOWER };
    let (cell, (x, y)) = patch.foot(board, looks.middle);
    if !tiles.contains(&cell) {
        return None;
    }
    let confidence = (1.0 - 0.35 * (area / (looks.usual * widened)).ln().abs()).clamp(0.2, 0.95);
    let (fx, fy) = (x - x.floor(), y - y.floor());
    Some(Standing {
        cell,
        figure: FigureReading {
            figure,
            player,
            x: fx,
            y: fy,
            confidence,
            lying: None,
            size: None,
            there: None,
        },
        seen: None,
    })
}

#[cfg(test)]
mod tests {
    use image::RgbImage;

    use super::*;
    use crate::vision::base::camera::Pose;

    /// The figures of one player whose colour is seen in these rectangles (left, top,
    /// width, height, in tile sides) on a board of 4 x 4 tiles from straight above.
    fn seen(rectangles: &[[f32; 4]]) -> Vec<(Figure, Cell)> {
        let side = 4 * BOARD_PX;
        let picture = RgbImage::new(side, side);
        let pose = Pose::looking((1280, 720), 0.0, (0.0, 0.0), (2.0, 2.0), (640.0, 360.0), 60.0);
        let inside: Vec<Cell> = (0..16).map(|i| Cell::new(i % 4, i / 4)).collect();
        let board = Board {
            noted: &[],
            crowded: false,
            picture: &picture,
            first: Cell::new(0, 0),
            pose: &pose,
            depth: 0.0,
            inside: Some(&inside),
            cast: None,
            pieces: &[],
        };
        let mut of_colour = vec![0; (side * side) as usize];
        for (at, value) in of_colour.iter_mut().enumerate() {
            let (x, y) = board.place((at as u32 % side) as f32, (at as u32 / side) as f32);
            let holds = |r: &[f32; 4]| (r[0]..r[0] + r[2]).contains(&x) && (r[1]..r[1] + r[3]).contains(&y);
            *value = if rectangles.iter().any(holds) { 255 } else { 0 };
        }
        let known = vec![true; of_colour.len()];
        let mask = Mask { of_colour: &of_colour, known: &known, size: (side, side) };
        let found = agreed(figures(&mask, &board, 0, &inside).unwrap(), board.crowded);
        found.iter().map(|s| (s.figure.figure, s.cell)).collect()
    }

    #[test]
    fn a_keep_in_two_shades_is_one_keep() {
        let keep = seen(&[[1.25, 1.25, 0.24, 0.5], [1.53, 1.25, 0.24, 0.5]]);
        assert_eq!(keep, [(Figure::Keep, Cell::new(1, 1))]);
        let across_a_border = seen(&[[0.7, 1.25, 0.25, 0.5], [1.0, 1.25, 0.25, 0.5]]);
        assert_eq!(across_a_border.len(), 1);
        assert_eq!(across_a_border[0].0, Figure::Keep);
    }

    #[test]
    fn followers_on_tiles_of_their_own_stay_two() {
        let apart = seen(&[[0.7, 1.3, 0.23, 0.23], [1.07, 1.3, 0.23, 0.23]]);
        assert_eq!(apart, [(Figure::Follower, Cell::new(0, 1)), (Figure::Follower, Cell::new(1, 1))]);
        let on_one = seen(&[[1.1, 1.1, 0.2, 0.24], [1.36, 1.1, 0.16, 0.24]]);
        assert_eq!(on_one, [(Figure::Follower, Cell::new(1, 1))]);
    }

    #[test]
    fn specks_are_no_figures() {
        assert_eq!(seen(&[[1.1, 1.1, 0.1, 0.1], [1.3, 1.1, 0.1, 0.1], [1.2, 1.3, 0.1, 0.1]]), []);
    }
}
