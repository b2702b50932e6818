//! Makes a deck from pictures of its tiles.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use image::RgbImage;
use thiserror::Error;

use super::{VisionError, photo};
use crate::library::{self, DeckPlace, LibraryError};
use crate::rules::{Deck, Game, Tile};

/// The side of a stored reference, pixels.
pub const REFERENCE_PX: u32 = 256;
/// How many tiles a Castle deck has (CA-02).
pub const CASTLE_TILES: usize = 60;

/// Why a deck could not be enrolled or its pictures not be loaded.
#[derive(Debug, Error)]
pub enum EnrolError {
    /// A picture could not be read.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// The place for decks was not found.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A picture that cannot be one tile.
    #[error("the picture is {0}x{1} pixels, not one tile cut to its edges; crop it to the tile: {2}")]
    NotSquare(u32, u32, PathBuf),
    /// A picture without anything on it.
    #[error("the picture shows nothing but one colour; take another of the tile: {0}")]
    Blank(PathBuf),
    /// Two pictures would be the same tile.
    #[error("two pictures are named `{0}`; give each tile a name of its own: {1} and {2}")]
    Twice(String, PathBuf, PathBuf),
    /// A file name that makes no id.
    #[error("the file's name can't be a tile's id; use letters, digits, `-` and `_`: {0}")]
    Name(PathBuf),
    /// The deck's name is no name of a folder.
    #[error("`{0}` can't be a deck's name; use letters, digits, `-` and `_`")]
    DeckName(String),
    /// The name is taken.
    #[error("a deck named `{0}` is there already; choose another name, or write --replace")]
    Exists(String),
    /// No picture was given.
    #[error("no picture was given; name the photos of the tiles")]
    Nothing,
    /// Writing failed.
    #[error("cannot be written, {0}: {1}")]
    Write(String, PathBuf),
    /// The house set is drawn, and the drawing part is not built in.
    #[error(
        "the house set is drawn by the studio, which this build leaves out; enrol a deck, or build with the feature `studio`"
    )]
    NoStudio,
}

/// A deck with its reference pictures, not stored yet.
#[derive(Clone, Debug)]
pub struct Enrolment {
    /// The deck; faces are not known yet.
    pub deck: Deck,
    /// A picture for each tile: upright, [`REFERENCE_PX`] a side.
    pub references: Vec<(String, RgbImage)>,
    /// What people should know, in sentences.
    pub warnings: Vec<String>,
}

/// A deck of pictures that each show one upright tile, as scans do; a tile's id
/// is its file's stem. A border of one colour is cut off.
///
/// # Errors
/// [`EnrolError`] names the file.
pub fn one_per_photo(photos: &[PathBuf], game: Game, name: &str) -> Result<Enrolment, EnrolError> {
    check_name(name)?;
    if photos.is_empty() {
        return Err(EnrolError::Nothing);
    }
    let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut references = Vec::new();
    for path in photos {
        let id = path
            .file_stem()
            .and_then(|s| s.to_str())
            .filter(|s| is_name(s))
            .ok_or_else(|| EnrolError::Name(path.clone()))?
            .to_owned();
        if let Some(first) = seen.insert(id.clone(), path.clone()) {
            return Err(EnrolError::Twice(id, first, path.clone()));
        }
        references.push((id, cut_to_edges(&photo::open(path)?, path)?));
    }
    Ok(enrolment(references, game, name))
}

fn enrolment(references: Vec<(String, RgbImage)>, game: Game, name: &str) -> Enrolment {
    let tiles: Vec<Tile> =
        references.iter().map(|(id, _)| Tile { id: id.clone(), face: None, count: 1 }).collect();
    let mut warnings = Vec::new();
    if game == Game::Castle
        && let Some(sentence) = castle_count(name, tiles.len())
    {
        warnings.push(sentence);
    }
    let deck = Deck { name: name.to_owned(), game, note: String::new(), tiles };
    Enrolment { deck, references, warnings }
}

/// What is wrong with the number of tiles of a Castle deck, if anything.
pub fn castle_count(name: &str, tiles: usize) -> Option<String> {
    let what = match tiles.cmp(&CASTLE_TILES) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less if tiles + 1 == CASTLE_TILES => "enrol the missing one".to_owned(),
        std::cmp::Ordering::Less => format!("enrol the {} missing ones", CASTLE_TILES - tiles),
        std::cmp::Ordering::Greater => "leave out the ones that don't belong to it".to_owned(),
    };
    let noun = if tiles == 1 { "tile" } else { "tiles" };
    Some(format!("the deck `{name}` has {tiles} {noun}; The Castle needs {CASTLE_TILES}: {what}"))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

fn check_name(name: &str) -> Result<(), EnrolError> {
    if is_name(name) && name != "house" { Ok(()) } else { Err(EnrolError::DeckName(name.to_owned())) }
}

/// A tile's picture without a border of one colour, [`REFERENCE_PX`] a side.
fn cut_to_edges(picture: &RgbImage, path: &Path) -> Result<RgbImage, EnrolError> {
    let (x, y, width, height) = inner(picture);
    if width * 20 < height * 17 || height * 20 < width * 17 {
        return Err(EnrolError::NotSquare(picture.width(), picture.height(), path.to_owned()));
    }
    let cut = image::imageops::crop_imm(picture, x, y, width, height).to_image();
    let bytes = cut.as_raw();
    let (low, high) = bytes.iter().fold((255u8, 0u8), |(a, b), v| (a.min(*v), b.max(*v)));
    if high - low < 12 {
        return Err(EnrolError::Blank(path.to_owned()));
    }
    let px = REFERENCE_PX as i32;
    Ok(photo::to_picture(&photo::resized(&photo::to_mat(&cut)?, px, px)?)?)
}

/// The part of a picture that a border of one colour encloses: left, top,
/// width, height. At most a quarter goes on each side; art that runs to the
/// edge stays whole.
fn inner(picture: &RgbImage) -> (u32, u32, u32, u32) {
    let (w, h) = picture.dimensions();
    let corners = [(0, 0), (w - 1, 0), (0, h - 1), (w - 1, h - 1)].map(|(x, y)| picture.get_pixel(x, y).0);
    let near = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 14);
    let colour = corners[0];
    if !corners.iter().all(|c| near(*c, colour)) {
        return (0, 0, w, h);
    }
    let plain = |line: &mut dyn Iterator<Item = (u32, u32)>| {
        let (mut all, mut same) = (0u32, 0u32);
        for (x, y) in line {
            all += 1;
            same += u32::from(near(picture.get_pixel(x, y).0, colour));
        }
        same * 100 >= all * 99
    };
    let left = (0..w / 4).take_while(|x| plain(&mut (0..h).map(|y| (*x, y)))).count() as u32;
    let right = (0..w / 4).take_while(|x| plain(&mut (0..h).map(|y| (w - 1 - x, y)))).count() as u32;
    let top = (0..h / 4).take_while(|y| plain(&mut (0..w).map(|x| (x, *y)))).count() as u32;
    let bottom = (0..h / 4).take_while(|y| plain(&mut (0..w).map(|x| (x, h - 1 - y)))).count() as u32;
    if [left, right, top, bottom].contains(&0) {
        return (0, 0, w, h);
    }
    (left, top, w - left - right, h - top - bottom)
}

/// Stores a deck in the owner's data folder and gives its folder. Half a deck
/// is never left behind: the folder appears when all is written.
///
/// # Errors
/// [`EnrolError::Exists`] unless `replace`, or [`EnrolError::Write`].
pub fn store(enrolment: &Enrolment, replace: bool) -> Result<PathBuf, EnrolError> {
    check_name(&enrolment.deck.name)?;
    let decks = library::data_dir()?.join("decks");
    let place = decks.join(&enrolment.deck.name);
    if place.exists() && !replace {
        return Err(EnrolError::Exists(enrolment.deck.name.clone()));
    }
    let draft = decks.join(format!(".{}.new", enrolment.deck.name));
    let io = |path: &Path| {
        let path = path.to_owned();
        move |e: std::io::Error| EnrolError::Write(e.to_string(), path)
    };
    if draft.exists() {
        std::fs::remove_dir_all(&draft).map_err(io(&draft))?;
    }
    let pictures = draft.join("references");
    std::fs::create_dir_all(&pictures).map_err(io(&pictures))?;
    for (id, picture) in &enrolment.references {
        let file = pictures.join(format!("{id}.png"));
        picture.save(&file).map_err(|e| EnrolError::Write(e.to_string(), file.clone()))?;
    }
    let file = draft.join("deck.toml");
    std::fs::write(&file, enrolment.deck.to_toml()).map_err(io(&file))?;
    if place.exists() {
        std::fs::remove_dir_all(&place).map_err(io(&place))?;
    }
    std::fs::rename(&draft, &place).map_err(io(&place))?;
    Ok(place)
}

/// The reference pictures of a deck: from its folder, or drawn for the house
/// set. Tiles without a picture are left out.
///
/// # Errors
/// [`EnrolError`] names the file that can't be read.
pub fn references(place: &DeckPlace) -> Result<Vec<(String, RgbImage)>, EnrolError> {
    let Some(folder) = &place.references else { return drawn(&place.deck) };
    let mut found = Vec::new();
    for tile in &place.deck.tiles {
        let file = folder.join(format!("{}.png", tile.id));
        if file.exists() {
            found.push((tile.id.clone(), photo::open(&file)?));
        }
    }
    Ok(found)
}

#[cfg(feature = "studio")]
fn drawn(deck: &Deck) -> Result<Vec<(String, RgbImage)>, EnrolError> {
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
fn drawn(_deck: &Deck) -> Result<Vec<(String, RgbImage)>, EnrolError> {
    Err(EnrolError::NoStudio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn art(side: u32) -> RgbImage {
        RgbImage::from_fn(side, side, |x, y| {
            image::Rgb([(x * 3 % 200) as u8, (y * 5 % 200) as u8, ((x * y) % 200) as u8])
        })
    }

    #[test]
    fn a_border_of_one_colour_is_cut_off_and_art_stays() {
        let mut scan = RgbImage::from_pixel(220, 220, image::Rgb([250, 250, 248]));
        image::imageops::overlay(&mut scan, &art(200), 8, 12);
        assert_eq!(inner(&scan), (8, 12, 200, 200));
        assert_eq!(inner(&art(200)), (0, 0, 200, 200));
    }

    #[test]
    fn a_castle_deck_is_counted() {
        assert_eq!(castle_count("x", 60), None);
        assert_eq!(
            castle_count("x", 59).unwrap(),
            "the deck `x` has 59 tiles; The Castle needs 60: enrol the missing one"
        );
        assert!(castle_count("x", 61).unwrap().contains("leave out"));
    }

    #[test]
    fn bad_pictures_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        art(64).save(file("a.png")).unwrap();
        RgbImage::new(200, 100).save(file("wide.png")).unwrap();
        RgbImage::new(64, 64).save(file("black.png")).unwrap();
        std::fs::create_dir(file("two")).unwrap();
        art(64).save(file("two/a.png")).unwrap();
        std::fs::write(file("torn.jpg"), [0xff, 0xd8, 0xff, 0xe0]).unwrap();
        let error = |names: &[&str]| {
            let paths: Vec<PathBuf> = names.iter().map(|n| file(n)).collect();
            one_per_photo(&paths, Game::Classic, "d").unwrap_err().to_string()
        };
        assert!(error(&["a.png", "wide.png"]).contains("wide.png"));
        assert!(error(&["black.png"]).contains("black.png"));
        assert!(error(&["a.png", "two/a.png"]).starts_with("two pictures are named `a`"));
        assert!(error(&["torn.jpg"]).contains("torn.jpg"));
        assert!(one_per_photo(&[], Game::Classic, "d").is_err());
        assert!(one_per_photo(&[file("a.png")], Game::Classic, "../d").is_err());
        let good = one_per_photo(&[file("a.png")], Game::Castle, "d").unwrap();
        assert_eq!(good.references[0].1.dimensions(), (256, 256));
        assert_eq!(good.warnings.len(), 1);
    }
}
