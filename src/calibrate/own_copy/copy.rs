//! The photos of an own copy, and what the owner has said, in their folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use image::RgbImage;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::calibrate::enrol::EnrolError;
use crate::calibrate::faces::edit::EditError;
use crate::calibrate::pieces::PiecesError;
use crate::calibrate::survey::tile_edges::EdgesError;
use crate::calibrate::wall_tiles::WallTilesError;
use crate::library::{self, LibraryError};
use crate::rules::{self, Game, Sentence, Term, sentence};
use crate::vision::base::error::VisionError;
use crate::{files, picture};

/// The longest text of what was said, in bytes.
const MOST_TEXT: u64 = 64 * 1024;
const PROGRESS: &str = "progress.toml";
const WALL_PHOTO: &str = "wall";
const TILES_PHOTO: &str = "tiles-";
/// The formats in which photos are kept.
const FORMATS: [&str; 3] = ["png", "jpg", "jpeg"];

/// Why a step towards an own copy failed.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum OwnCopyError {
    /// A name that cannot be one of files.
    Name(String),
    /// A name that is built in.
    BuiltIn(String),
    /// The name is that of a copy of another game.
    OtherGame(String),
    /// The name is that of a deck or wall that was not made here.
    Taken(String),
    /// No photo of the wall yet.
    NoWallPhoto,
    /// No photo of tiles yet.
    NoTilePhotos,
    /// No wall in the library.
    NoWall,
    /// A word that is no colour's.
    Colour(String),
    /// The players' pieces cannot be measured.
    #[error(transparent)]
    Pieces(#[from] PiecesError),
    /// The fronts of the wall tiles cannot be had.
    #[error(transparent)]
    WallTiles(#[from] WallTilesError),
    /// Reading or writing failed.
    Io(io::Error, PathBuf),
    /// What was said cannot be read.
    Progress(String, PathBuf),
    /// The place for decks and walls, or what lies there.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A photo cannot be measured.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// Tiles cannot be enrolled.
    #[error(transparent)]
    Enrol(#[from] EnrolError),
    /// The edges of the tiles cannot be had.
    #[error(transparent)]
    Edges(#[from] EdgesError),
    /// A face cannot be changed so.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A track space was put where there is no wall.
    OffTrack(u8),
    /// A start space was put where none can be.
    NoStart,
    /// A number that no tower can have.
    NoTower,
}

impl From<&OwnCopyError> for Sentence {
    fn from(error: &OwnCopyError) -> Sentence {
        match error {
            OwnCopyError::Name(name) => {
                sentence!("call it by letters, digits, `-` and `_`, not {}", name)
            }
            OwnCopyError::BuiltIn(name) => sentence!("`{}` is built in; give yours another name", name),
            OwnCopyError::OtherGame(name) => {
                sentence!("`{}` is a copy of another game; give this one another name", name)
            }
            OwnCopyError::Taken(name) => {
                sentence!("`{}` is there already, made without these steps; give this one another name", name)
            }
            OwnCopyError::NoWallPhoto => sentence!("take a photo of the empty wall first"),
            OwnCopyError::NoTilePhotos => sentence!("take a photo of some tiles first"),
            OwnCopyError::NoWall => sentence!("photograph the empty wall first"),
            OwnCopyError::Colour(word) => sentence!(
                "`{}` is no colour that is known; choose the players' colours on the first screen, blue or \
                 yellow, say",
                word
            ),
            OwnCopyError::Pieces(error) => Sentence::from(error),
            OwnCopyError::WallTiles(error) => Sentence::from(error),
            OwnCopyError::Io(error, path) => {
                sentence!("{}: {}", Term::same(error), Term::same(path.display()))
            }
            OwnCopyError::Progress(why, path) => sentence!(
                "cannot be read ({}); delete the file, only what was said of numbers is lost: {}",
                why,
                Term::same(path.display())
            ),
            OwnCopyError::Library(error) => Sentence::from(error),
            OwnCopyError::Vision(error) => Sentence::from(error),
            OwnCopyError::Enrol(error) => Sentence::from(error),
            OwnCopyError::Edges(error) => Sentence::from(error),
            OwnCopyError::Edit(error) => Sentence::from(error),
            OwnCopyError::OffTrack(space) => {
                sentence!("space {} of the track lies on the wall; put it there", *space)
            }
            OwnCopyError::NoStart => sentence!(
                "a start space lies along one tile side of the inner edge, beside no tower and no other start \
                 space; put it there"
            ),
            OwnCopyError::NoTower => {
                sentence!("a tower has two numbers of 0 to 99, one after the other")
            }
        }
    }
}

/// What the owner has said, and how far it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Progress {
    /// The name of the game.
    pub game: String,
    /// The sets of the classic game that are among the tiles, as a deck has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// The corner with 0 and 1, as the drawing of the survey letters them: 0 is A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_tower: Option<usize>,
    /// Whether the numbers grow clockwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clockwise: Option<bool>,
    /// The corners of the inner edge, one after the other, pixels of the photo, where the owner
    /// has set them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corners: Vec<[f64; 2]>,
    /// The outline of the wall of which the rest is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<String>,
    /// Where the start spaces are, each as [`super::steps::start_key`] has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub start_places: Vec<String>,
    /// Corners, as the drawing letters them, with the lower number of their tower.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub towers: Vec<(usize, u8)>,
    /// Spaces of the track with the place of each, tile sides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spaces: Vec<(u8, f32, f32)>,
    /// The photos of which the tiles are in the deck.
    pub enrolled: Vec<String>,
    /// What the owner has said that start spaces show, by the cell and the side of each.
    pub starts: BTreeMap<String, String>,
}

/// A photo to be kept.
#[derive(Clone, Copy, Debug)]
pub enum Photo<'a> {
    /// A frame of a camera.
    Frame(&'a RgbImage),
    /// A file, which is copied.
    File(&'a Path),
}

/// An owner's copy that is being made.
#[derive(Clone, Debug)]
pub struct OwnCopy {
    pub(super) name: String,
    pub(super) game: Game,
    folder: PathBuf,
    pub(super) progress: Progress,
    /// What was said of the wall before each change, the last one last.
    pub(super) before: Vec<Progress>,
}

impl OwnCopy {
    /// Begins a copy, or goes on with the one of this name.
    ///
    /// # Errors
    /// [`OwnCopyError`] where the name cannot be used, or its folder not be made.
    pub fn open(name: &str, game: Game, sets: &[String]) -> Result<OwnCopy, OwnCopyError> {
        if !rules::is_name(name) {
            return Err(OwnCopyError::Name(rules::quoted(name)));
        }
        if library::is_built_in(name) {
            return Err(OwnCopyError::BuiltIn(name.to_owned()));
        }
        let data = library::data_dir()?;
        let folder = data.join("photos").join(name);
        let file = folder.join(PROGRESS);
        let mut progress = match files::read_text(&file, MOST_TEXT) {
            Ok(text) => toml::from_str::<Progress>(&text)
                .map_err(|error| OwnCopyError::Progress(error.message().to_owned(), file))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let deck = data.join("decks").join(name);
                let wall = data.join("walls").join(format!("{name}.toml"));
                if deck.exists() || library::wall_there(&wall).is_some() {
                    return Err(OwnCopyError::Taken(name.to_owned()));
                }
                Progress { game: game.name().to_owned(), ..Progress::default() }
            }
            Err(error) => return Err(OwnCopyError::Io(error, file)),
        };
        if progress.game != game.name() {
            return Err(OwnCopyError::OtherGame(name.to_owned()));
        }
        if progress.sets.is_empty() {
            progress.sets = sets.to_vec();
        }
        std::fs::create_dir_all(&folder).map_err(|error| OwnCopyError::Io(error, folder.clone()))?;
        let copy = OwnCopy { name: name.to_owned(), game, folder, progress, before: Vec::new() };
        copy.save()?;
        Ok(copy)
    }

    /// The name of the wall and of the deck.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The game that it is a copy of.
    pub fn game(&self) -> Game {
        self.game
    }

    /// Keeps the photo of the empty wall, in place of the one before. What was put right in its
    /// drawing is forgotten, since letters and places are those of one photo.
    ///
    /// # Errors
    /// [`OwnCopyError::Io`], or [`OwnCopyError::Vision`] for a file that is no picture.
    pub fn keep_wall_photo(&mut self, photo: Photo<'_>) -> Result<(), OwnCopyError> {
        let before = self.wall_photo();
        let file = self.keep(photo, WALL_PHOTO)?;
        if let Some(before) = before.filter(|before| *before != file) {
            std::fs::remove_file(&before).map_err(|error| OwnCopyError::Io(error, before))?;
        }
        self.before.clear();
        let Progress { game, enrolled, starts, .. } = std::mem::take(&mut self.progress);
        self.progress = Progress { game, enrolled, starts, ..Progress::default() };
        self.save()
    }

    /// The photo of the empty wall, if there is one.
    pub fn wall_photo(&self) -> Option<PathBuf> {
        FORMATS.iter().map(|format| self.folder.join(format!("{WALL_PHOTO}.{format}"))).find(|f| f.is_file())
    }

    /// Keeps one more photo of loose tiles, unless it is a file that is kept already.
    ///
    /// # Errors
    /// As [`OwnCopy::keep_wall_photo`].
    pub fn keep_tile_photo(&self, photo: Photo<'_>) -> Result<PathBuf, OwnCopyError> {
        let kept = self.tile_photos()?;
        if let Photo::File(file) = photo {
            let bytes = std::fs::read(file).map_err(|error| OwnCopyError::Io(error, file.to_owned()))?;
            if let Some(same) = kept.iter().find(|k| std::fs::read(k).is_ok_and(|known| known == bytes)) {
                return Ok(same.clone());
            }
        }
        let last = kept.last().and_then(|file| number(file)).unwrap_or(0);
        self.keep(photo, &format!("{TILES_PHOTO}{:03}", last.saturating_add(1)))
    }

    /// The photos of loose tiles that are not in the deck yet, in their order.
    ///
    /// # Errors
    /// [`OwnCopyError::Io`].
    pub fn waiting(&self) -> Result<Vec<PathBuf>, OwnCopyError> {
        let in_deck = |file: &PathBuf| self.progress.enrolled.contains(&name_of(file));
        Ok(self.tile_photos()?.into_iter().filter(|file| !in_deck(file)).collect())
    }

    /// Gives up the newest photo of tiles that are not in the deck yet; whether there was one.
    ///
    /// # Errors
    /// [`OwnCopyError::Io`].
    pub fn drop_last_photo(&self) -> Result<bool, OwnCopyError> {
        let Some(last) = self.waiting()?.pop() else { return Ok(false) };
        std::fs::remove_file(&last).map_err(|error| OwnCopyError::Io(error, last))?;
        Ok(true)
    }

    /// All photos of loose tiles, in the order in which they were kept.
    fn tile_photos(&self) -> Result<Vec<PathBuf>, OwnCopyError> {
        let failed = |error| OwnCopyError::Io(error, self.folder.clone());
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if number(&file).is_some() && file.is_file() {
                found.push(file);
            }
        }
        found.sort_by_key(|file| number(file));
        Ok(found)
    }

    /// Keeps a photo under a name; a file in the format that it has.
    fn keep(&self, photo: Photo<'_>, stem: &str) -> Result<PathBuf, OwnCopyError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| OwnCopyError::Io(error, path)
        };
        match photo {
            Photo::Frame(frame) => {
                let file = self.folder.join(format!("{stem}.png"));
                picture::save(&file, frame).map_err(failed(&file))?;
                Ok(file)
            }
            Photo::File(from) => {
                // Only what can be read as a photo is kept.
                crate::vision::base::photo::open(from)?;
                let format = from.extension().map(|e| e.to_string_lossy().to_lowercase());
                let format = format.filter(|f| FORMATS.contains(&f.as_str()));
                let Some(format) = format else { return Err(OwnCopyError::Io(no_format(), from.to_owned())) };
                let file = self.folder.join(format!("{stem}.{format}"));
                let bytes = std::fs::read(from).map_err(failed(from))?;
                files::write_whole(&file, &bytes).map_err(failed(&file))?;
                Ok(file)
            }
        }
    }

    /// Keeps what was said.
    pub(super) fn save(&self) -> Result<(), OwnCopyError> {
        let file = self.folder.join(PROGRESS);
        let text = toml::to_string(&self.progress).map_err(io::Error::other);
        text.and_then(|text| files::write_whole(&file, text.as_bytes()))
            .map_err(|error| OwnCopyError::Io(error, file))
    }
}

fn no_format() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("save the photo as one of {}", FORMATS.join(", ")))
}

/// The number of a photo of tiles.
fn number(file: &Path) -> Option<u32> {
    let known = file.extension().is_some_and(|e| FORMATS.iter().any(|format| e == *format));
    file.file_stem()?.to_str()?.strip_prefix(TILES_PHOTO)?.parse().ok().filter(|_| known)
}

/// The name of a file.
pub(super) fn name_of(file: &Path) -> String {
    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
