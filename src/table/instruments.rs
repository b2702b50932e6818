//! What a table is read with: a deck's references, the players' colours and, in games
//! that have one, a surveyed wall make a [`Reader`].

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files;
use crate::library::{self, DeckPlace, LibraryError};
use crate::picture::Limits;
use crate::references::{self, ReferenceError};
use crate::rules::castle::validate;
use crate::rules::{FaceMap, Game, Sentence, Term, Wall, classic, sentence};
use crate::vision::faces;
use crate::vision::tiles::recogniser::OnnxMatcher;
use crate::vision::{Reader, ReaderSetup, SurveyedWall, VisionError, WallPictureError, WallScale};

/// Why a table cannot be read.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum InstrumentError {
    /// The deck or the wall cannot be had.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The deck cannot be that of a game.
    Deck(Sentence, String),
    /// The wall cannot be that of a game.
    Wall(Sentence, String),
    /// The wall has no picture to find it by.
    NoPicture(PathBuf),
    /// The wall's picture cannot be used.
    Picture(Sentence, PathBuf),
    /// The house set's pictures cannot be drawn.
    NoStudio,
    /// The deck's pictures cannot be read.
    #[error(transparent)]
    References(#[from] ReferenceError),
    /// The reader cannot be made.
    #[error(transparent)]
    Vision(#[from] VisionError),
}

impl From<&InstrumentError> for Sentence {
    fn from(error: &InstrumentError) -> Sentence {
        match error {
            InstrumentError::Library(error) => Sentence::from(error),
            InstrumentError::Deck(why, name) => sentence!("{}; see `castellan check`: deck `{}`", why, name),
            InstrumentError::Wall(why, name) => sentence!("{}; see `castellan check`: wall `{}`", why, name),
            InstrumentError::NoPicture(path) => sentence!(
                "the wall has no picture to find it by; survey it with `castellan survey`: {}",
                Term::same(path.display())
            ),
            InstrumentError::Picture(why, path) => sentence!(
                "the wall's picture cannot be used ({}); survey it again with `castellan survey`: {}",
                why,
                Term::same(path.display())
            ),
            InstrumentError::NoStudio => {
                sentence!("this build cannot draw the house set; build it with the feature `studio`")
            }
            InstrumentError::References(error) => Sentence::from(error),
            InstrumentError::Vision(error) => Sentence::from(error),
        }
    }
}

/// A deck, a wall and what reads them.
pub struct Instruments {
    /// The deck.
    pub deck: DeckPlace,
    /// The wall, in games that have one.
    pub wall: Option<Wall>,
    /// What reads frames.
    pub reader: Reader,
    /// Where the segments of the deck's tiles are printed, in the deck's order; `None` where
    /// the canonical layout holds.
    pub layouts: Vec<Option<FaceMap>>,
}

/// Finds the deck and, for games that have one, the wall; holds them against the rules
/// and makes their reader. `colours` are the players' figures' (sRGB); without `model`
/// the built-in recogniser reads.
///
/// # Errors
/// [`InstrumentError`].
pub fn instruments(
    (game, deck): (Game, &str),
    wall: Option<&str>,
    colours: Vec<[u8; 3]>,
    model: Option<&Path>,
) -> Result<Instruments, InstrumentError> {
    let deck = game_deck(game, deck)?;
    let named = wall;
    let (wall, survey) = match named {
        Some(name) => {
            let wall = castle_wall(name)?;
            let survey = surveyed(name, &wall)?;
            (Some(wall), Some(survey))
        }
        None => (None, None),
    };
    let references = references::of_deck(&deck)?;
    let matcher = OnnxMatcher::open(model)?;
    // What the studio draws is laid out canonically.
    let layouts = if deck.references.is_some() {
        faces::layouts(&deck.deck, &references)?
    } else {
        vec![None; deck.deck.len()]
    };
    let setup = ReaderSetup { deck: deck.deck.clone(), references, wall: survey, colours, matcher: &matcher };
    let mut reader = Reader::new(setup)?;
    if let Some(fronts) = named.map(references::of_wall_tiles).transpose()?.flatten() {
        reader.know_wall_tiles(&fronts);
    }
    Ok(Instruments { deck, wall, reader, layouts })
}

/// A deck that a game can be played with.
///
/// # Errors
/// [`InstrumentError::Library`] or [`InstrumentError::Deck`].
pub fn game_deck(game: Game, name: &str) -> Result<DeckPlace, InstrumentError> {
    match game {
        Game::Castle => castle_deck(name),
        Game::Classic => classic_deck(name),
    }
}

fn classic_deck(name: &str) -> Result<DeckPlace, InstrumentError> {
    let place = library::deck(name)?;
    match classic::Position::new(&place.deck, 2, classic::Switches::default()) {
        Ok(_) => Ok(place),
        Err(fault) => Err(InstrumentError::Deck(Sentence::from(&fault), place.deck.name)),
    }
}

/// A deck that a game of The Castle can be played with.
///
/// # Errors
/// [`InstrumentError::Library`] or [`InstrumentError::Deck`].
fn castle_deck(name: &str) -> Result<DeckPlace, InstrumentError> {
    let place = library::deck(name)?;
    let deck = &place.deck;
    // Tiles that differ in nothing but their art are no hindrance to a game.
    let whole = deck.len() == validate::DECK_TILES && deck.tiles.iter().all(|t| t.face.is_some());
    match validate::check_deck(deck).into_iter().next() {
        Some(finding) if !whole => Err(InstrumentError::Deck(finding.sentence, deck.name.clone())),
        _ => Ok(place),
    }
}

/// A wall that a game of The Castle can be played in.
///
/// # Errors
/// [`InstrumentError::Library`] or [`InstrumentError::Wall`].
pub fn castle_wall(name: &str) -> Result<Wall, InstrumentError> {
    let wall = library::wall(name)?;
    match validate::check_wall(&wall).into_iter().next() {
        Some(finding) => Err(InstrumentError::Wall(finding.sentence, wall.name)),
        None => Ok(wall),
    }
}

/// The picture of a wall: drawn for the house set, else the `.png` beside the
/// wall's `.toml`, with its scale in the `.json` beside it.
///
/// # Errors
/// [`InstrumentError::NoPicture`] or [`InstrumentError::Picture`].
pub fn surveyed(name: &str, wall: &Wall) -> Result<SurveyedWall, InstrumentError> {
    if name == "house" {
        return house_wall(wall);
    }
    let (png, json) = library::wall_picture(&library::wall_file(name)?);
    if !png.exists() || !json.exists() {
        return Err(InstrumentError::NoPicture(png));
    }
    let fail = |e: Sentence, path: &Path| InstrumentError::Picture(e, path.to_owned());
    let picture =
        files::read(&png, Limits::WALL.bytes).map_err(|e| fail(sentence!("{}", Term::same(e)), &png))?;
    let scale = files::read_text(&json, WallScale::MOST_TEXT)
        .map_err(|e| fail(sentence!("{}", Term::same(e)), &json))?;
    SurveyedWall::from_files(wall, &picture, &scale).map_err(|e| match e {
        WallPictureError::Picture(_) => fail(Sentence::from(&e), &png),
        WallPictureError::Form(_) | WallPictureError::Unfit(..) => fail(Sentence::from(&e), &json),
    })
}

#[cfg(feature = "studio")]
fn house_wall(wall: &Wall) -> Result<SurveyedWall, InstrumentError> {
    const PX_PER_TILE: u32 = 96;
    let drawn = crate::studio::draw_wall(wall, &crate::studio::Style::house(), PX_PER_TILE);
    Ok(SurveyedWall {
        wall: wall.clone(),
        picture: drawn.image,
        px_per_tile: PX_PER_TILE as f32,
        origin_px: drawn.origin_px,
    })
}

#[cfg(not(feature = "studio"))]
fn house_wall(_wall: &Wall) -> Result<SurveyedWall, InstrumentError> {
    Err(InstrumentError::NoStudio)
}
