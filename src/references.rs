//! The pictures that the tiles of a deck are known by: kept in its folder, or drawn for
//! the house set.

use std::path::{Path, PathBuf};

use image::RgbImage;
use thiserror::Error;

use crate::library::{self, DeckPlace, LibraryError};
use crate::picture::Limits;
use crate::rules::castle::WALL_TILE_KINDS;
use crate::rules::{Deck, Sentence, Term, Tile, sentence};
use crate::vision::base::error::VisionError;
use crate::vision::base::photo;

/// The side of a stored reference, pixels.
pub const REFERENCE_PX: u32 = 256;

/// Why the pictures of a deck could not be had.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum ReferenceError {
    /// A picture could not be read.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// The place for walls was not found.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// More pixels than a deck's pictures can have.
    Pixels(PathBuf),
    /// The house set is drawn, and the drawing part is not built in.
    NoStudio,
}

impl From<&ReferenceError> for Sentence {
    fn from(error: &ReferenceError) -> Sentence {
        match error {
            ReferenceError::Vision(error) => Sentence::from(error),
            ReferenceError::Library(error) => Sentence::from(error),
            ReferenceError::Pixels(path) => sentence!(
                "the tiles' pictures have more than {} megapixels together; make them smaller: {}",
                Limits::MOST_OF_DECK >> 20,
                Term::same(path.display())
            ),
            ReferenceError::NoStudio => sentence!(
                "the house set is drawn by the studio, which this build leaves out; enrol a deck, or build \
                 with the feature `studio`"
            ),
        }
    }
}

/// The reference pictures of a deck: from its folder, or drawn for the house
/// set. Tiles without a picture are left out.
///
/// # Errors
/// [`ReferenceError`] names the file that can't be read.
pub fn of_deck(place: &DeckPlace) -> Result<Vec<(String, RgbImage)>, ReferenceError> {
    let Some(folder) = &place.references else { return drawn(&place.deck) };
    let mut there = Vec::new();
    for tile in &place.deck.tiles {
        if picture_file(folder, tile).exists() {
            there.push(tile);
        }
    }
    pictures(folder, there)
}

/// The pictures of tiles in a folder, in their order.
///
/// # Errors
/// [`ReferenceError`] names the file that can't be read, or says that all are too large.
pub fn pictures<'a>(
    folder: &Path,
    tiles: impl IntoIterator<Item = &'a Tile>,
) -> Result<Vec<(String, RgbImage)>, ReferenceError> {
    let mut pixels = 0;
    let mut found = Vec::new();
    for tile in tiles {
        let picture = photo::open_tile(&picture_file(folder, tile))?;
        pixels += u64::from(picture.width()) * u64::from(picture.height());
        if pixels > Limits::MOST_OF_DECK {
            return Err(ReferenceError::Pixels(folder.to_owned()));
        }
        found.push((tile.id.clone(), picture));
    }
    Ok(found)
}

/// Where in a folder the picture of a tile is.
pub fn picture_file(folder: &Path, tile: &Tile) -> PathBuf {
    folder.join(format!("{}.png", tile.id))
}

/// The fronts of the wall tiles of a wall, in the order of the numbers printed on them, 1 to 9:
/// from the folder beside the wall ([`library::wall_tiles_folder`]), or drawn for the house set.
/// `None` where there are none.
///
/// # Errors
/// [`ReferenceError`] names the file that can't be read.
pub fn of_wall_tiles(wall: &str) -> Result<Option<Vec<RgbImage>>, ReferenceError> {
    if wall == "house" {
        return Ok(drawn_wall_tiles());
    }
    let folder = library::wall_tiles_folder(&library::wall_file(wall)?);
    let files: Vec<PathBuf> = (1..=WALL_TILE_KINDS).map(|n| folder.join(format!("{n}.png"))).collect();
    if !files.iter().any(|file| file.exists()) {
        return Ok(None);
    }
    let pictures = files.iter().map(|file| photo::open_tile(file)).collect::<Result<_, VisionError>>()?;
    Ok(Some(pictures))
}

#[cfg(feature = "studio")]
fn drawn_wall_tiles() -> Option<Vec<RgbImage>> {
    let style = crate::studio::Style::house();
    let front = |n: u8| {
        let drawn = crate::studio::draw_wall_tile(Some(n), &style, REFERENCE_PX);
        image::DynamicImage::ImageRgba8(drawn).into_rgb8()
    };
    Some((1..=WALL_TILE_KINDS).map(front).collect())
}

#[cfg(not(feature = "studio"))]
fn drawn_wall_tiles() -> Option<Vec<RgbImage>> {
    None
}

#[cfg(feature = "studio")]
fn drawn(deck: &Deck) -> Result<Vec<(String, RgbImage)>, ReferenceError> {
    let style = crate::studio::Style::house();
    Ok(deck
        .tiles
        .iter()
        .enumerate()
        .filter_map(|(i, tile)| {
            let face = tile.face.as_ref()?;
            Some((tile.id.clone(), crate::studio::draw_tile(face, i as u64, &style, REFERENCE_PX)))
        })
        .collect())
}

#[cfg(not(feature = "studio"))]
fn drawn(_deck: &Deck) -> Result<Vec<(String, RgbImage)>, ReferenceError> {
    Err(ReferenceError::NoStudio)
}
