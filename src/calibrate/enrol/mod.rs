//! Makes a deck from pictures of its tiles.

pub mod alike;
pub mod contact_sheet;
pub mod deck_folder;
pub mod loose;
pub mod one_light;
mod sought;
mod tile_plane;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use image::RgbImage;
use thiserror::Error;

use alike::Pair;

use crate::library::LibraryError;
use crate::references::{REFERENCE_PX, ReferenceError};
use crate::rules::castle::validate::DECK_TILES;
use crate::rules::{self, Deck, FaceError, Game, Sentence, Term, Tile, sentence};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::Quad;
use crate::vision::base::photo::{self, Pyramid};
use crate::vision::tiles::recogniser::Matcher;

/// Two pictures of one tile score each other at least so (see [`Pair::score`]).
const SAME_SCORE: f32 = 0.9;
/// And correlate so.
const SAME_FIT: f32 = 0.8;

/// Why a deck could not be enrolled or its pictures not be loaded.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum EnrolError {
    /// A picture could not be read.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// The place for decks was not found.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The pictures of a deck could not be had.
    #[error(transparent)]
    References(#[from] ReferenceError),
    /// A picture that cannot be one tile.
    NotSquare(u32, u32, PathBuf),
    /// A picture without anything on it.
    Blank(PathBuf),
    /// Two pictures would be the same tile.
    #[error("two pictures are named `{0}`; give each tile a name of its own: {1} and {2}")]
    Twice(String, PathBuf, PathBuf),
    /// A file name that makes no id.
    Name(PathBuf),
    /// The deck's name is no name of a folder.
    #[error("`{0}` can't be a deck's name; use letters, digits, `-` and `_`")]
    DeckName(String),
    /// The name is taken.
    #[error("a deck named `{0}` is there already; choose another name, or write --replace")]
    Exists(String),
    /// No tile in a photo.
    NoTile(PathBuf),
    /// No such deck of the owner's.
    #[error("no enrolled deck is named `{0}`; `castellan enrol PHOTO... --game G --name {0}` makes it")]
    NoDeck(String),
    /// No such tile.
    #[error("the deck has no tile `{0}`; its contact sheet shows them all: {1}")]
    NoTileNamed(String, PathBuf),
    /// A tile left out that is to be taken back, but is not there.
    #[error("no tile `{0}` was left out: {1}")]
    NotLeftOut(String, PathBuf),
    /// A deck that has nothing to be completed by.
    #[error("the deck `{0}` did not come in a file without pictures; add tiles to it with --correct {0}")]
    Complete(String),
    /// Maps of another model.
    #[error(
        "the deck `{0}` came from another version of the recogniser; ask for a file of this version, or one with --pictures"
    )]
    OtherModel(String),
    /// A face's text is wrong.
    #[error("the face of `{0}`: {1}")]
    Face(String, FaceError),
    /// No picture was given.
    #[error("no picture was given; name the photos of the tiles")]
    Nothing,
    /// Writing failed.
    Write(String, PathBuf),
}

impl From<&EnrolError> for Sentence {
    fn from(error: &EnrolError) -> Sentence {
        let shown = |path: &PathBuf| Term::same(path.display());
        match error {
            EnrolError::Vision(error) => Sentence::from(error),
            EnrolError::Library(error) => Sentence::from(error),
            EnrolError::References(error) => Sentence::from(error),
            EnrolError::NotSquare(width, height, path) => sentence!(
                "the picture is {}x{} pixels, not one tile cut to its edges; crop it to the tile: {}",
                *width,
                *height,
                shown(path)
            ),
            EnrolError::Blank(path) => sentence!(
                "the picture shows nothing but one colour; take another of the tile: {}",
                shown(path)
            ),
            EnrolError::Name(path) => sentence!(
                "the file's name can't be a tile's id; use letters, digits, `-` and `_`: {}",
                shown(path)
            ),
            EnrolError::NoTile(path) => sentence!(
                "no tile was found in this photo; lay the tiles apart on a table of another colour, all \
                 corners in view: {}",
                shown(path)
            ),
            EnrolError::Write(why, path) => sentence!("cannot be written, {}: {}", why, shown(path)),
            // Only the commands can meet the others.
            other => Sentence::from(other.to_string()),
        }
    }
}

/// Two pictures that look like one tile photographed twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twice {
    /// Their ids.
    pub tiles: [String; 2],
    /// The photos that they are from.
    pub photos: [String; 2],
    /// Whether the second was left out of the deck.
    pub left_out: bool,
}

impl fmt::Display for Twice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([first, second], [a, b]) = (&self.tiles, &self.photos);
        write!(f, "`{first}` (in {a}) and `{second}` (in {b}) look like one tile photographed twice")
    }
}

/// A deck with its reference pictures, not stored yet.
#[derive(Clone, Debug)]
pub struct Enrolment {
    /// The deck; faces are not known yet.
    pub deck: Deck,
    /// A picture for each tile: upright, [`REFERENCE_PX`] a side.
    pub references: Vec<(String, RgbImage)>,
    /// Tiles that were seen but do not count, with their pictures: kept aside.
    pub left_out: Vec<(Tile, RgbImage)>,
    /// Pictures that look like one tile.
    pub twice: Vec<Twice>,
    /// What else people should know, in sentences.
    pub warnings: Vec<Sentence>,
    /// The deck file that this was read from, if any; comments in it are kept.
    pub former: Option<String>,
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
            .filter(|s| rules::is_name(s))
            .ok_or_else(|| EnrolError::Name(path.clone()))?
            .to_owned();
        if let Some(first) = seen.insert(id.clone(), path.clone()) {
            return Err(EnrolError::Twice(id, first, path.clone()));
        }
        references.push((id, cut_to_edges(&photo::open(path)?, path)?));
    }
    Ok(enrolment(references, game, name))
}

/// A deck of photos that show several tiles each, laid out loosely. The tiles
/// are named t01, t02 … photo by photo, in rows from above. Upright is how a tile
/// lies in its photo, to the nearest quarter turn. All pictures are brought into one
/// light ([`one_light`]).
///
/// Of two pictures that seem to be one tile photographed twice, a Castle deck
/// keeps the first while it has more than its 60; `keep_all` keeps both.
///
/// # Errors
/// [`EnrolError`] names the photo.
pub fn from_photos(
    photos: &[PathBuf],
    game: Game,
    name: &str,
    matcher: &dyn Matcher,
    keep_all: bool,
) -> Result<Enrolment, EnrolError> {
    check_name(name)?;
    let deck = Deck::new(name, game, Vec::new());
    let nothing = Enrolment {
        deck,
        references: Vec::new(),
        left_out: Vec::new(),
        twice: Vec::new(),
        warnings: Vec::new(),
        former: None,
    };
    with_photos(nothing, photos, matcher, keep_all)
}

/// A deck with the tiles of more photos; see [`from_photos`].
///
/// # Errors
/// [`EnrolError`] names the photo.
pub fn with_photos(
    mut enrolment: Enrolment,
    photos: &[PathBuf],
    matcher: &dyn Matcher,
    keep_all: bool,
) -> Result<Enrolment, EnrolError> {
    if photos.is_empty() {
        return Err(EnrolError::Nothing);
    }
    let mut from: Vec<Option<usize>> = vec![None; enrolment.references.len()];
    let mut next = next_number(&enrolment);
    for (i, path) in photos.iter().enumerate() {
        let (pictures, doubts) = cut_out(path)?;
        let of_photo = |doubt| sentence!("{}: {}", doubt, path.display().to_string());
        enrolment.warnings.extend(doubts.into_iter().map(of_photo));
        for picture in pictures {
            let id = format!("t{next:02}");
            enrolment.deck.tiles.push(Tile { id: id.clone(), face: None, doubts: Vec::new(), count: 1 });
            enrolment.references.push((id, picture));
            from.push(Some(i));
            next += 1;
        }
    }
    let (ids, mut pictures): (Vec<String>, Vec<RgbImage>) =
        std::mem::take(&mut enrolment.references).into_iter().unzip();
    one_light::bring(&mut pictures, &from);
    let pairs = alike::pairs(&pictures, matcher)?;
    enrolment.references = ids.into_iter().zip(pictures).collect();
    judge_pairs(&mut enrolment, &pairs, &from, photos, keep_all);
    enrolment.warnings.extend(count(&enrolment.deck));
    Ok(enrolment)
}

/// What is wrong with the number of tiles of a deck, if anything.
pub fn count(deck: &Deck) -> Option<Sentence> {
    if deck.game == Game::Castle { castle_count(&deck.name, deck.len()) } else { None }
}

/// What is wrong with the numbers of tiles of each set of a classic deck that has sets, by what they
/// show; while faces are missing nothing is.
pub fn set_findings(deck: &Deck) -> Vec<Sentence> {
    if deck.sets.is_empty() || deck.tiles.iter().any(|tile| tile.face.is_none()) {
        return Vec::new();
    }
    let counts = rules::classic::set_counts(deck);
    let short = counts.iter().filter(|count| count.found < count.all).map(|count| {
        sentence!(
            "{}: {} of {} tiles are there; look the faces over, or photograph those that are missing",
            Sentence::word(count.title),
            count.found,
            count.all
        )
    });
    let found: u32 = counts.iter().map(|count| count.found).sum();
    let more = (deck.len() as u32).saturating_sub(found);
    let strange = (more > 0).then(|| {
        sentence!("tiles that are of no set of the deck: {}; look their faces over, or leave them out", more)
    });
    short.chain(strange).collect()
}

/// The first number that no tile has had.
fn next_number(enrolment: &Enrolment) -> usize {
    let ids = enrolment.deck.tiles.iter().map(|t| &t.id);
    ids.chain(enrolment.left_out.iter().map(|(t, _)| &t.id))
        .filter_map(|id| id.strip_prefix('t')?.parse::<usize>().ok())
        .max()
        .map_or(1, |n| n.saturating_add(1))
}

/// The tiles of a photo, straightened, and what is doubtful about it. A photo that one
/// tile fills is that tile.
fn cut_out(path: &Path) -> Result<(Vec<RgbImage>, Vec<Sentence>), EnrolError> {
    let picture = photo::open(path)?;
    let loose::Found { tiles: quads, besides } = loose::find(&picture)?;
    if quads.is_empty() {
        return match cut_to_edges(&picture, path) {
            Ok(tile) => Ok((vec![tile], Vec::new())),
            Err(EnrolError::NotSquare(..) | EnrolError::Blank(_)) => Err(EnrolError::NoTile(path.to_owned())),
            Err(other) => Err(other),
        };
    }
    let pyramid = Pyramid::new(&picture)?;
    let tiles = quads.iter().map(|q| pyramid.crop(q, REFERENCE_PX, 0)).collect::<Result<Vec<_>, _>>()?;
    let doubts = doubts_of(&quads, besides);
    Ok((tiles, doubts))
}

/// Whether a photo in which no tile was found is one tile that fills it, as a scan is.
pub fn is_one_tile(photo: &RgbImage) -> bool {
    cut_to_edges(photo, Path::new("")).is_ok()
}

/// What is doubtful about a photo in which these tiles were found and so many areas besides that
/// are as large, a sentence each.
pub fn doubts_of(tiles: &[Quad], besides: usize) -> Vec<Sentence> {
    let mut doubts = Vec::new();
    if loose::touching(tiles) > 0 {
        doubts.push(sentence!(
            "tiles touch in this photo, so their edges may be cut wrong; lay them a finger's breadth apart"
        ));
    }
    if besides > 0 {
        let cut = match tiles.len() {
            1 => sentence!("the tile cut out here"),
            tiles => sentence!("the {} tiles cut out here", tiles),
        };
        let things = if besides == 1 { sentence!("one thing") } else { sentence!("{} things", besides) };
        doubts.push(sentence!(
            "beside {}, {} as large as a tile can be seen; if these are tiles, lay them a finger's breadth apart and photograph them again",
            cut,
            things
        ));
    }
    doubts
}

/// Says which tiles seem to be there twice, and leaves out what a Castle deck
/// has too many.
fn judge_pairs(
    enrolment: &mut Enrolment,
    pairs: &[Pair],
    from: &[Option<usize>],
    photos: &[PathBuf],
    keep_all: bool,
) {
    let mut out: Vec<usize> = Vec::new();
    for pair in pairs.iter().filter(|p| is_same(p)) {
        let (Some(a), Some(b)) = (from.get(pair.first), from.get(pair.second)) else { continue };
        if b.is_none() || out.contains(&pair.first) || out.contains(&pair.second) {
            continue;
        }
        let [first, second] =
            [pair.first, pair.second].map(|i| enrolment.deck.tiles.get(i).map_or("", |t| t.id.as_str()));
        if a == b {
            // One photo does not show a tile twice.
            continue;
        }
        let photo = |i: Option<usize>| {
            i.and_then(|i| photos.get(i)).map_or_else(|| "the deck".to_owned(), |p| p.display().to_string())
        };
        let surplus = enrolment.deck.game == Game::Castle
            && enrolment.deck.tiles.len() - out.len() > DECK_TILES
            && !keep_all;
        enrolment.twice.push(Twice {
            tiles: [first.to_owned(), second.to_owned()],
            photos: [photo(*a), photo(*b)],
            left_out: surplus,
        });
        if surplus {
            out.push(pair.second);
        }
    }
    out.sort_unstable();
    for index in out.into_iter().rev() {
        let tile = enrolment.deck.tiles.remove(index);
        let (_, picture) = enrolment.references.remove(index);
        enrolment.left_out.insert(0, (tile, picture));
    }
}

/// Whether two pictures seem to be of one tile, or of one print.
pub fn is_same(pair: &Pair) -> bool {
    pair.score >= SAME_SCORE && pair.fit >= SAME_FIT
}

fn enrolment(references: Vec<(String, RgbImage)>, game: Game, name: &str) -> Enrolment {
    let tiles: Vec<Tile> = references
        .iter()
        .map(|(id, _)| Tile { id: id.clone(), face: None, doubts: Vec::new(), count: 1 })
        .collect();
    let deck = Deck::new(name, game, tiles);
    let warnings = count(&deck).into_iter().collect();
    Enrolment { deck, references, left_out: Vec::new(), twice: Vec::new(), warnings, former: None }
}

/// What is wrong with the number of tiles of a Castle deck, if anything.
pub fn castle_count(name: &str, tiles: usize) -> Option<Sentence> {
    let what = match tiles.cmp(&DECK_TILES) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less if tiles + 1 == DECK_TILES => sentence!("enrol the missing one"),
        std::cmp::Ordering::Less => sentence!("enrol the {} missing ones", DECK_TILES - tiles),
        std::cmp::Ordering::Greater => sentence!("leave out the ones that don't belong to it"),
    };
    Some(match tiles {
        1 => sentence!("the deck `{}` has 1 tile; The Castle needs {}: {}", name, DECK_TILES, what),
        _ => sentence!("the deck `{}` has {} tiles; The Castle needs {}: {}", name, tiles, DECK_TILES, what),
    })
}

fn check_name(name: &str) -> Result<(), EnrolError> {
    if rules::is_name(name) && name != "house" {
        Ok(())
    } else {
        Err(EnrolError::DeckName(rules::quoted(name)))
    }
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
            castle_count("x", 59).unwrap().to_string(),
            "the deck `x` has 59 tiles; The Castle needs 60: enrol the missing one"
        );
        assert!(castle_count("x", 61).unwrap().to_string().contains("leave out"));
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
