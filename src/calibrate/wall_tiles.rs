//! Cuts the fronts of the wall tiles out of a photo of the nine kinds.

use std::io;
use std::path::{Path, PathBuf};

use image::RgbImage;
use thiserror::Error;

use super::enrol::contact_sheet::{SheetTile, contact_sheet};
use super::enrol::loose::{self, Found};
use crate::references::REFERENCE_PX;
use crate::rules::{Sentence, Term, sentence};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::Quad;
use crate::vision::base::photo::Pyramid;
use crate::vision::wall::taken::{Fronts, KINDS};
use crate::{files, picture};

/// Why the fronts could not be had.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum WallTilesError {
    /// An image operation failed.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// More or fewer wall tiles than there are kinds.
    Count(usize),
    /// They lie in no order that is known.
    Rows(Vec<usize>),
    /// Two show the same.
    Alike(usize, usize),
    /// Their pictures cannot be written.
    Io(io::Error, PathBuf),
}

impl From<&WallTilesError> for Sentence {
    fn from(error: &WallTilesError) -> Sentence {
        match error {
            WallTilesError::Vision(error) => Sentence::from(error),
            WallTilesError::Count(seen) => sentence!(
                "{} wall tiles are seen in this photo, not {}; lay one of each number on a plain table of \
                 another colour, a finger's breadth apart, and nothing else",
                *seen,
                KINDS
            ),
            WallTilesError::Rows(rows) => sentence!(
                "the wall tiles lie in rows of {}, not in three rows of three or in one; lay them straight, 1 \
                 to 3 above, 7 to 9 below",
                rows.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
            ),
            WallTilesError::Alike(one, other) => sentence!(
                "the wall tiles at places {} and {} look alike in this photo; lay one of each number, face up, \
                 and photograph them sharp and without glare",
                *one,
                *other
            ),
            WallTilesError::Io(error, path) => sentence!(
                "the pictures of the wall tiles cannot be written ({}): {}",
                Term::same(error),
                Term::same(path.display())
            ),
        }
    }
}

/// The picture of all fronts, in their folder.
const SHEET: &str = "contact-sheet.png";

/// The nine fronts in the order of their numbers, each upright as it lies in the photo,
/// [`REFERENCE_PX`] a side. `thickness` is the wall's, tile sides.
///
/// # Errors
/// [`WallTilesError`] says what to do.
pub fn cut(photo: &RgbImage, thickness: f32) -> Result<Vec<RgbImage>, WallTilesError> {
    let Found { tiles, .. } = loose::find(photo)?;
    if tiles.len() != KINDS {
        return Err(WallTilesError::Count(tiles.len()));
    }
    let rows = rows(&tiles);
    if rows != [KINDS] && rows != [3, 3, 3] {
        return Err(WallTilesError::Rows(rows));
    }
    let pyramid = Pyramid::new(photo)?;
    let fronts = tiles
        .iter()
        .map(|quad| pyramid.crop(quad, REFERENCE_PX, 0))
        .collect::<Result<Vec<RgbImage>, VisionError>>()?;
    match Fronts::new(&fronts, thickness).alike() {
        Some((a, b)) => Err(WallTilesError::Alike(a + 1, b + 1)),
        None => Ok(fronts),
    }
}

/// All fronts on one picture, each with its number.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn sheet(fronts: &[RgbImage]) -> Result<RgbImage, VisionError> {
    let numbers: Vec<String> = (1..=fronts.len()).map(|n| n.to_string()).collect();
    let tiles: Vec<SheetTile<'_>> = numbers
        .iter()
        .zip(fronts)
        .map(|(id, picture)| SheetTile { id, picture, face: None, doubts: &[] })
        .collect();
    contact_sheet(&tiles)
}

/// Where [`keep`] has written the fronts.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The picture of each front, in the order of their numbers.
    pub fronts: Vec<PathBuf>,
    /// All of them on one, each with its number.
    pub sheet: PathBuf,
}

/// Writes the fronts to a wall's folder of them, and a sheet to look at, in place of what is there.
///
/// # Errors
/// [`WallTilesError::Io`], or what keeps the sheet from being drawn.
pub fn keep(fronts: &[RgbImage], folder: &Path) -> Result<Kept, WallTilesError> {
    let failed = |error| WallTilesError::Io(error, folder.to_owned());
    let kept = Kept {
        fronts: (1..=fronts.len()).map(|n| folder.join(format!("{n}.png"))).collect(),
        sheet: folder.join(SHEET),
    };
    let mut pictures =
        fronts.iter().map(picture::to_png).collect::<io::Result<Vec<Vec<u8>>>>().map_err(failed)?;
    pictures.push(picture::to_png(&sheet(fronts)?).map_err(failed)?);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let names = kept.fronts.iter().chain([&kept.sheet]).map(PathBuf::as_path);
    let all: Vec<(&Path, &[u8])> = names.zip(pictures.iter().map(Vec::as_slice)).collect();
    files::write_all_whole(&all).map_err(failed)?;
    Ok(kept)
}

/// How many lie in each row, from above; a row is half a side high.
fn rows(tiles: &[Quad]) -> Vec<usize> {
    let mut rows: Vec<usize> = Vec::new();
    let mut first: Option<&Quad> = None;
    for tile in tiles {
        let is_below = first.is_none_or(|f| (tile.centre()[1] - f.centre()[1]).abs() > 0.5 * f.side());
        match rows.last_mut() {
            Some(row) if !is_below => *row += 1,
            _ => {
                rows.push(1);
                first = Some(tile);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted() {
        let square = |x: f64, y: f64| Quad([[x, y], [x + 10.0, y], [x + 10.0, y + 10.0], [x, y + 10.0]]);
        let three: Vec<Quad> =
            (0..9).map(|i| square(20.0 * f64::from(i % 3), 20.0 * f64::from(i / 3))).collect();
        assert_eq!(rows(&three), [3, 3, 3]);
        let one: Vec<Quad> = (0..9).map(|i| square(20.0 * f64::from(i), 0.4 * f64::from(i))).collect();
        assert_eq!(rows(&one), [9]);
        assert!(rows(&[]).is_empty());
    }
}
