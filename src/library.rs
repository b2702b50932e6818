//! Where decks, walls and their pictures are found: the ones that are built in,
//! the owner's data folder, or a path.
//!
//! An owner's deck is a folder `decks/NAME/` with `deck.toml` and
//! `references/ID.png` (the upright tile, cut to its edges); a wall is
//! `walls/NAME.toml`, with `walls/NAME.png` its rectified picture if there is one and the fronts of
//! its wall tiles in `walls/NAME.wall-tiles/`; the players' pieces are `pieces/NAME.toml`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::DateTime;
use thiserror::Error;

use crate::files;
use crate::pieces::{self, OwnPieces, OwnPiecesError};
use crate::rules::castle::{HOUSE_DECK, HOUSE_WALL};
use crate::rules::classic::deck_with;
use crate::rules::{Deck, DeckError, MOST_TEXT, Sentence, Term, Wall, WallError, sentence};

/// Why a deck or a wall could not be had.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum LibraryError {
    /// No deck of this name.
    NoDeck(String),
    /// No set of the classic game has this name, or it stands there twice.
    NoSet(String),
    /// No wall of this name.
    NoWall(String),
    /// The file is not a deck.
    Deck(DeckError, PathBuf),
    /// The file is not a wall.
    Wall(WallError, PathBuf),
    /// No pieces of this name.
    NoPieces(String),
    /// The file holds no pieces.
    Pieces(OwnPiecesError, PathBuf),
    /// The file cannot be read.
    Io(std::io::Error, PathBuf),
    /// There is no home for data.
    NoHome,
}

impl From<&LibraryError> for Sentence {
    fn from(error: &LibraryError) -> Sentence {
        let of_file = |why: Sentence, path: &Path| sentence!("{}: {}", why, Term::same(path.display()));
        match error {
            LibraryError::NoDeck(name) => sentence!(
                "no deck is named `{}`; `house` and `classic` are built in, others are made with `castellan enrol`",
                name
            ),
            LibraryError::NoSet(sets) => sentence!(
                "`{}` is no set that goes with the others; write classic+SET+SET with river, inns, traders, \
                 king, cathars, count or count15",
                sets
            ),
            LibraryError::NoWall(name) => sentence!(
                "no wall is named `{}`; `house` is built in, others are made with `castellan survey`",
                name
            ),
            LibraryError::Deck(why, path) => of_file(Sentence::from(why), path),
            LibraryError::Wall(why, path) => of_file(Sentence::from(why), path),
            LibraryError::NoPieces(name) => {
                sentence!("no pieces are named `{}`; they are measured with `castellan pieces`", name)
            }
            LibraryError::Pieces(why, path) => of_file(Sentence::from(why), path),
            LibraryError::Io(error, path) => {
                sentence!("cannot be read, {}: {}", Term::same(error), Term::same(path.display()))
            }
            LibraryError::NoHome => {
                sentence!("no home folder was found for decks and walls; name one with CASTELLAN_DATA")
            }
        }
    }
}

/// The name of the classic game's built-in deck; sets follow it after `+`.
const CLASSIC: &str = "classic";

/// A deck with where its reference pictures are.
#[derive(Clone, Debug)]
pub struct DeckPlace {
    /// The deck.
    pub deck: Deck,
    /// The folder of `ID.png`; `None` for the house set, which the studio draws.
    pub references: Option<PathBuf>,
}

/// The owner's data folder: `$CASTELLAN_DATA`, else the system's place for it.
///
/// # Errors
/// [`LibraryError::NoHome`] when neither exists.
pub fn data_dir() -> Result<PathBuf, LibraryError> {
    if let Some(dir) = std::env::var_os("CASTELLAN_DATA").filter(|d| !d.is_empty()) {
        return Ok(dir.into());
    }
    directories::ProjectDirs::from("", "", "castellan")
        .map(|d| d.data_dir().to_owned())
        .ok_or(LibraryError::NoHome)
}

/// Whether a deck's name is that of one that is built in.
pub fn is_built_in(deck: &str) -> bool {
    deck == "house" || deck.split('+').next() == Some(CLASSIC)
}

/// Finds a deck: `house`, `classic` (the base game, without pictures;
/// `classic+river+inns` with sets), the name of an enrolled deck, a deck's folder, or a
/// `.toml` file (its pictures in `references/` beside it).
///
/// # Errors
/// [`LibraryError`] says what to do.
pub fn deck(name: &str) -> Result<DeckPlace, LibraryError> {
    if let Some(sets) = name.strip_prefix(CLASSIC).filter(|rest| rest.is_empty() || rest.starts_with('+')) {
        let sets: Vec<&str> = sets.split('+').skip(1).collect();
        let deck = deck_with(&sets).map_err(LibraryError::NoSet)?;
        return Ok(DeckPlace { deck, references: None });
    }
    if name == "house" {
        let path = "calibration/house/deck.toml";
        let deck = Deck::from_toml(HOUSE_DECK).map_err(|e| LibraryError::Deck(e, path.into()))?;
        return Ok(DeckPlace { deck, references: None });
    }
    let path = Path::new(name);
    let file = if path.is_dir() {
        path.join("deck.toml")
    } else if path.extension().is_some_and(|e| e == "toml") {
        path.to_owned()
    } else {
        data_dir()?.join("decks").join(name).join("deck.toml")
    };
    if !file.exists() {
        return Err(LibraryError::NoDeck(name.to_owned()));
    }
    let text = files::read_text(&file, MOST_TEXT as u64).map_err(|e| LibraryError::Io(e, file.clone()))?;
    let deck = Deck::from_toml(&text).map_err(|e| LibraryError::Deck(e, file.clone()))?;
    let references = file.parent().map(|p| p.join("references")).filter(|p| p.is_dir());
    Ok(DeckPlace { deck, references })
}

/// The file of a wall that is not built in; [`wall_picture`] is beside it.
///
/// # Errors
/// [`LibraryError::NoHome`].
pub fn wall_file(name: &str) -> Result<PathBuf, LibraryError> {
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e == "toml") {
        Ok(path.to_owned())
    } else {
        Ok(data_dir()?.join("walls").join(format!("{name}.toml")))
    }
}

/// The files of a wall's picture and of the picture's scale, beside the wall's own.
pub fn wall_picture(file: &Path) -> (PathBuf, PathBuf) {
    (file.with_extension("png"), file.with_extension("json"))
}

/// The folder of the fronts of a wall's wall tiles, `1.png` to `9.png`: `NAME.wall-tiles` beside
/// the wall's own file.
pub fn wall_tiles_folder(file: &Path) -> PathBuf {
    file.with_extension("wall-tiles")
}

/// Finds a wall: `house`, the name of a surveyed wall, or a `.toml` file.
///
/// # Errors
/// [`LibraryError`] says what to do.
pub fn wall(name: &str) -> Result<Wall, LibraryError> {
    let (text, path) = if name == "house" {
        (HOUSE_WALL.to_owned(), PathBuf::from("calibration/house/wall.toml"))
    } else {
        let file = wall_file(name)?;
        if !file.exists() {
            return Err(LibraryError::NoWall(name.to_owned()));
        }
        (files::read_text(&file, MOST_TEXT as u64).map_err(|e| LibraryError::Io(e, file.clone()))?, file)
    };
    Wall::from_toml(&text).map_err(|e| LibraryError::Wall(e, path))
}

/// The file of the players' pieces of this name, or at this path.
///
/// # Errors
/// [`LibraryError::NoHome`].
pub fn pieces_file(name: &str) -> Result<PathBuf, LibraryError> {
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e == "toml") {
        Ok(path.to_owned())
    } else {
        Ok(data_dir()?.join("pieces").join(format!("{name}.toml")))
    }
}

/// Finds the players' pieces: a name that they were measured by, or a `.toml` file.
///
/// # Errors
/// [`LibraryError`] says what to do.
pub fn pieces(name: &str) -> Result<OwnPieces, LibraryError> {
    let file = pieces_file(name)?;
    if !file.exists() {
        return Err(LibraryError::NoPieces(name.to_owned()));
    }
    let text = files::read_text(&file, pieces::MOST_TEXT).map_err(|e| LibraryError::Io(e, file.clone()))?;
    OwnPieces::from_toml(&text).map_err(|e| LibraryError::Pieces(e, file))
}

/// The names of the pieces that were measured, in the order of the alphabet.
pub fn own_pieces() -> Vec<String> {
    named_in("pieces", stem_of_toml)
}

/// Writes the players' pieces to their file, in place of what is there.
///
/// # Errors
/// When the file or its folder cannot be written.
pub fn write_pieces(file: &Path, pieces: &OwnPieces) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    files::write_whole(file, pieces.to_toml().as_bytes())
}

/// The folder of the games that are recorded without being told where: `games/` in the owner's
/// data folder.
///
/// # Errors
/// [`LibraryError::NoHome`].
pub fn games_dir() -> Result<PathBuf, LibraryError> {
    Ok(games_in(&data_dir()?))
}

/// The folder of the games in a data folder.
pub fn games_in(data: &Path) -> PathBuf {
    data.join("games")
}

/// How a record is called that nobody has named, without its ending: the time at which it was
/// begun (UTC), such as `2026-03-01-184500Z`. By name such records stand in the order of time.
pub fn stamp(begun: SystemTime) -> String {
    Timestamp::try_from(begun).unwrap_or_default().strftime("%Y-%m-%d-%H%M%SZ").to_string()
}

/// Whether a record's name without its ending is one of [`stamp`], be it with a number behind as
/// where several were begun in one second.
pub fn is_stamp(name: &str) -> bool {
    let (time, rest) = name.split_at_checked(18).unwrap_or((name, ""));
    let number = rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok());
    (rest.is_empty() || number) && DateTime::strptime("%Y-%m-%d-%H%M%SZ", time).is_ok()
}

/// The names of the decks that were enrolled, in the order of the alphabet.
pub fn own_decks() -> Vec<String> {
    let has_deck =
        |path: &Path| path.join("deck.toml").is_file().then(|| path.file_name()).flatten().map(lossy);
    named_in("decks", has_deck)
}

/// The names of the walls that were surveyed, in the order of the alphabet.
pub fn own_walls() -> Vec<String> {
    named_in("walls", stem_of_toml)
}

fn stem_of_toml(path: &Path) -> Option<String> {
    path.extension().is_some_and(|e| e == "toml").then(|| path.file_stem()).flatten().map(lossy)
}

fn lossy(name: &std::ffi::OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// What stands in a folder of the data folder, as `name` names it.
fn named_in(folder: &str, name: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let entries = data_dir().ok().and_then(|d| std::fs::read_dir(d.join(folder)).ok());
    let mut names: Vec<String> =
        entries.into_iter().flatten().flatten().filter_map(|e| name(&e.path())).collect();
    names.sort_unstable();
    names
}

/// The name of the record in a game's folder, as `castellan export game:` writes it.
pub const RECORD: &str = "game.jsonl";

/// The record that a person names: a file, or the folder of a game with its [`RECORD`].
pub fn record_file(named: &Path) -> PathBuf {
    let inside = named.join(RECORD);
    if inside.is_file() { inside } else { named.to_owned() }
}

/// Where a record's own deck lies, if it has one: `game.jsonl.deck` beside `game.jsonl`, a
/// folder as [`deck`] reads it.
pub fn deck_beside(record: &Path) -> PathBuf {
    with_ending(record, ".deck")
}

/// Where a record's own wall lies, if it has one: `game.jsonl.wall.toml` beside `game.jsonl`,
/// a file as [`wall`] reads it.
pub fn wall_beside(record: &Path) -> PathBuf {
    with_ending(record, ".wall.toml")
}

/// The folder of a record's pictures: `game.jsonl.evidence` beside `game.jsonl`.
pub fn evidence_beside(record: &Path) -> PathBuf {
    with_ending(record, ".evidence")
}

/// The picture of a record's table as it stood last, where one was saved: `game.png` beside
/// `game.jsonl`.
pub fn picture_beside(record: &Path) -> PathBuf {
    record.with_extension("png")
}

/// A record's sheet as text, where it was saved: `game.txt` beside `game.jsonl`.
pub fn sheet_beside(record: &Path) -> PathBuf {
    record.with_extension("txt")
}

/// A record as a saved game of JCloisterZone, where one was saved: `game.jcz` beside `game.jsonl`.
pub fn jcz_beside(record: &Path) -> PathBuf {
    record.with_extension("jcz")
}

fn with_ending(record: &Path, ending: &str) -> PathBuf {
    let mut name = record.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    record.with_file_name(name)
}

/// The deck of a record: its own beside it, else the one of this name.
///
/// # Errors
/// As [`deck`].
pub fn deck_of(record: &Path, name: &str) -> Result<DeckPlace, LibraryError> {
    deck(deck_beside(record).to_str().filter(|own| Path::new(own).is_dir()).unwrap_or(name))
}

/// The wall of a record: its own beside it, else the one of this name.
///
/// # Errors
/// As [`wall`].
pub fn wall_of(record: &Path, name: &str) -> Result<Wall, LibraryError> {
    wall(wall_beside(record).to_str().filter(|own| Path::new(own).is_file()).unwrap_or(name))
}

/// The first of a wall's three files (see [`wall_file`]) that is there already, be it a
/// link that leads nowhere.
pub fn wall_there(file: &Path) -> Option<PathBuf> {
    let (png, json) = wall_picture(file);
    [file.to_owned(), png, json].into_iter().find(|f| std::fs::symlink_metadata(f).is_ok())
}

/// Writes a wall's text to its file and, where there is one, its picture (a PNG file's
/// bytes) and the picture's scale beside it: all whole, or none.
///
/// # Errors
/// The system's own.
pub fn write_wall(file: &Path, text: &str, picture: Option<(&[u8], &str)>) -> std::io::Result<()> {
    let (png, json) = wall_picture(file);
    let mut all: Vec<(&Path, &[u8])> = Vec::new();
    if let Some((picture, scale)) = picture {
        all.extend([(png.as_path(), picture), (json.as_path(), scale.as_bytes())]);
    }
    all.push((file, text.as_bytes()));
    files::write_all_whole(&all)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn records_are_called_by_the_time() {
        let of = |seconds| stamp(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(of(951_782_400), "2000-02-29-000000Z");
        assert_eq!(of(1_772_390_700), "2026-03-01-184500Z");
        assert!(is_stamp(&of(0)) && is_stamp("2026-03-01-184500Z-12"));
        for other in
            ["", "game", "2026-03-01", "2026-13-01-184500Z", "2026-03-01-184500Z Ada", "2026-03-01-184500Z-x"]
        {
            assert!(!is_stamp(other), "{other}");
        }
    }
}
