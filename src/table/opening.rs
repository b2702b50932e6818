//! From what a person says to a table that can be watched: header, deck, wall,
//! source, reader and record.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use thiserror::Error;

use super::evidence::{Evidence, USUAL_BYTES};
use super::game_file::{GameFile, GameFileError};
use super::instruments::{self, InstrumentError, Instruments};
use super::session::Session;
use super::steady::Patience;
use crate::capture::{self, CaptureError, FrameSource, SourceOptions};
use crate::library::{self, DeckPlace, LibraryError};
use crate::pieces::{OwnPiecesError, PlayerPieces};
use crate::record::{Game, Header, Log, LogError, LogWriter, RecordError, Recorder};
use crate::rules::plain::{LONGEST_SENTENCE, shown};
use crate::rules::{Deck, Sentence, Term, Wall, sentence};
use crate::vision::Reader;

/// What a person says before a live game.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// `camera:0` or `camera:` and a part of its name, a video file, a folder of stills, or an
    /// http or rtsp address.
    pub source: String,
    /// What is said about the game; it goes before what a game file says.
    pub said: GameFile,
    /// A game file; without one the `game.toml` in a folder of stills.
    pub game: Option<PathBuf>,
    /// Where the record is written, event by event; a record that is there is
    /// gone on with.
    pub record: Option<PathBuf>,
    /// Read with this model, not the built-in one.
    pub model: Option<PathBuf>,
    /// How long each still of a folder lasts, in seconds.
    pub seconds_per_still: f64,
    /// A recording is played as a camera would have seen it.
    pub real_time: bool,
    /// The width and height in pixels that a webcam is asked for.
    pub resolution: Option<(u32, u32)>,
    /// The source shows the whole game: it is scored at the source's end even
    /// when tiles are left.
    pub whole_game: bool,
    /// Bytes that the pictures of all records beside this one may take; 0 for no pictures.
    pub evidence: u64,
}

/// Why a game cannot be opened.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum OpeningError {
    /// Players, colours or the game file.
    #[error(transparent)]
    GameFile(#[from] GameFileError),
    /// Deck, wall or model.
    #[error(transparent)]
    Instruments(#[from] InstrumentError),
    /// The source.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The record cannot be written or gone on with.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The header, wall and deck make no game.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The record that is gone on with says otherwise.
    Contradiction {
        /// What is said twice.
        what: Sentence,
        /// What the record says.
        recorded: String,
        /// What was said now.
        said: String,
        /// The record.
        path: PathBuf,
    },
    /// The pieces that are named are not those of the game.
    #[error(transparent)]
    Pieces(#[from] OwnPiecesError),
    /// There is no place for records.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The folder for records cannot be made.
    Folder(std::io::Error, PathBuf),
}

impl From<&OpeningError> for Sentence {
    fn from(error: &OpeningError) -> Sentence {
        match error {
            OpeningError::GameFile(error) => Sentence::from(error),
            OpeningError::Instruments(error) => Sentence::from(error),
            OpeningError::Capture(error) => Sentence::from(error),
            OpeningError::Log(error) => Sentence::from(error),
            OpeningError::Record(error) => Sentence::from(error),
            OpeningError::Contradiction { what, recorded, said, path } => sentence!(
                "the record was begun with {} {}, not {}; leave that out, or record into another file: {}",
                what,
                recorded,
                said,
                Term::same(path.display())
            ),
            OpeningError::Pieces(error) => Sentence::from(error),
            OpeningError::Library(error) => Sentence::from(error),
            OpeningError::Folder(error, path) => sentence!(
                "the folder for records cannot be made ({}); name a file with --record: {}",
                Term::same(error),
                Term::same(path.display())
            ),
        }
    }
}

/// Who plays what, in which colours.
pub(super) struct Begun {
    pub header: Header,
    /// The colours of the figures, sRGB.
    pub colours: Vec<[u8; 3]>,
    /// The colour of the figure that is nobody's: its word, and sRGB.
    pub neutral: (String, [u8; 3]),
    /// The players' pieces, where they were measured.
    pub pieces: Vec<PlayerPieces>,
    /// The words of the colours, where they are not the header's.
    pub words: Option<Vec<String>>,
    /// The record that is gone on with.
    pub begun: Option<(Log, LogWriter)>,
}

/// An opening whose words are all good, with its source open.
pub struct Prepared {
    opening: Opening,
    header: Header,
    colours: Vec<[u8; 3]>,
    neutral: (String, [u8; 3]),
    /// The players' pieces, where they were measured.
    pieces: Vec<PlayerPieces>,
    /// The words of the colours, where they are not the header's.
    words: Option<Vec<String>>,
    source: Box<dyn FrameSource>,
    /// The record that is gone on with.
    begun: Option<(Log, LogWriter)>,
}

/// A table that can be watched.
pub struct OpenTable {
    /// Where frames come from.
    pub source: Box<dyn FrameSource>,
    /// What reads them.
    pub reader: Reader,
    /// The game, as far as it has been recorded.
    pub session: Session,
    /// The deck.
    pub deck: DeckPlace,
    /// The wall, in games that have one.
    pub wall: Option<Wall>,
    /// The record and the file that it is in; all of [`OpenTable::session`]'s
    /// events are in it.
    pub record: Option<(LogWriter, PathBuf)>,
    /// Where pictures of what is seen go, beside the record.
    pub evidence: Option<Evidence>,
    /// What people should know of the record that is gone on with, a sentence
    /// each.
    pub notes: Vec<String>,
    /// See [`Opening::whole_game`].
    pub whole_game: bool,
}

impl Default for Opening {
    fn default() -> Opening {
        Opening {
            source: String::new(),
            said: GameFile::default(),
            game: None,
            record: None,
            model: None,
            seconds_per_still: SourceOptions::default().seconds_per_still,
            real_time: false,
            resolution: None,
            whole_game: false,
            evidence: USUAL_BYTES,
        }
    }
}

impl Opening {
    /// Checks what was said and opens the source: deck and wall before the
    /// source, since they are checked at once and a camera is not. The header of
    /// a record that is gone on with holds, whatever a game file says; what a
    /// person says against it is refused, but for the colours of the figures.
    ///
    /// # Errors
    /// [`OpeningError`].
    pub fn prepare(self) -> Result<Prepared, OpeningError> {
        let Begun { header, colours, neutral, pieces, words, begun } = self.begin()?;
        instruments::game_deck(header.game, &header.deck)?;
        header.wall.as_deref().map(instruments::castle_wall).transpose()?;
        let options = SourceOptions {
            seconds_per_still: self.seconds_per_still,
            real_time: self.real_time,
            resolution: self.resolution,
            ..SourceOptions::default()
        };
        let source = capture::open(&self.source, options)?;
        Ok(Prepared { opening: self, header, colours, neutral, pieces, words, source, begun })
    }

    /// Who plays what in which colours, and the record that is gone on with.
    pub(super) fn begin(&self) -> Result<Begun, OpeningError> {
        let mut file = self.game_file()?;
        let begun = self.record.as_deref().map(LogWriter::resume).transpose()?.flatten();
        let mut words = None;
        let named = file.pieces.clone();
        let header = match (&begun, &self.record) {
            (Some((log, _)), Some(path)) => {
                let said = self.agrees(&log.header, path)?;
                words = said.other_colours(&log.header)?;
                if words.is_some() {
                    file = said;
                }
                log.header.clone()
            }
            _ => {
                // Who names a deck need not say which game it is of.
                if let (None, Some(deck)) = (file.game, &file.deck) {
                    file.game = Some(library::deck(deck)?.deck.game);
                }
                file.header()?
            }
        };
        let looks = words.clone().map(|colours| Header { colours, ..header.clone() });
        let looks = looks.as_ref().unwrap_or(&header);
        let pieces = match named.map(|name| library::pieces(&name)).transpose()? {
            // What lies beside a record that is gone on with may be another game's.
            Some(pieces) if begun.is_some() && self.said.pieces.is_none() => {
                pieces.of(&looks.colours).unwrap_or_default()
            }
            Some(pieces) => pieces.of(&looks.colours)?,
            None => Vec::new(),
        };
        let colours = if pieces.is_empty() || !file.rgb.is_empty() {
            file.figure_colours(looks)?
        } else {
            pieces.iter().map(|p| p.rgb).collect()
        };
        let neutral = file.neutral_colour(looks)?;
        Ok(Begun { header, colours, neutral, pieces, words, begun })
    }

    /// Has the game recorded in the owner's data folder, in a file named by the
    /// time (UTC), unless it is to be recorded elsewhere.
    ///
    /// # Errors
    /// [`OpeningError::Library`] or [`OpeningError::Folder`].
    pub fn record_at_home(&mut self) -> Result<(), OpeningError> {
        if self.record.is_none() {
            let folder = library::games_dir()?;
            std::fs::create_dir_all(&folder).map_err(|e| OpeningError::Folder(e, folder.clone()))?;
            self.record = Some(free_name(&folder, &library::stamp(SystemTime::now())));
        }
        Ok(())
    }

    /// Holds what a person said, also in a game file that they named, against a
    /// record's header, and gives it.
    fn agrees(&self, header: &Header, path: &Path) -> Result<GameFile, OpeningError> {
        let said = match &self.game {
            Some(_) => self.game_file()?,
            None => self.said.clone(),
        };
        match said.contradicts(header) {
            None => Ok(said),
            Some((what, recorded, said)) => {
                Err(OpeningError::Contradiction { what, recorded, said, path: path.to_owned() })
            }
        }
    }

    /// What is said, before what the game file says. A deck, wall or pieces that a game
    /// file names with their `.toml` may lie beside that file.
    fn game_file(&self) -> Result<GameFile, GameFileError> {
        let (mut file, folder) = match &self.game {
            Some(path) => (GameFile::read(path)?, path.parent()),
            None => (GameFile::beside(&self.source)?.unwrap_or_default(), Some(Path::new(&self.source))),
        };
        for name in [&mut file.deck, &mut file.wall, &mut file.pieces].into_iter().flatten() {
            let local = folder.map(|f| f.join(&*name)).filter(|f| name.ends_with(".toml") && f.is_file());
            if let Some(local) = local {
                *name = local.to_string_lossy().into_owned();
            }
        }
        self.said.clone().or(file).with_colours_of_pieces()
    }
}

impl Prepared {
    /// Whether frames come as they are taken, as from a camera.
    pub fn is_live(&self) -> bool {
        self.source.is_live()
    }

    /// As [`Opening::record_at_home`].
    ///
    /// # Errors
    /// [`OpeningError::Library`] or [`OpeningError::Folder`].
    pub fn record_at_home(&mut self) -> Result<(), OpeningError> {
        self.opening.record_at_home()
    }

    /// Makes the reader, which takes seconds, and begins the record or goes on
    /// with it.
    ///
    /// # Errors
    /// [`OpeningError`].
    pub fn open(self) -> Result<OpenTable, OpeningError> {
        let Prepared { opening, header, colours, neutral, pieces, words, source, begun } = self;
        let Instruments { deck, wall, mut reader, layouts } = instruments::instruments(
            (header.game, &header.deck),
            header.wall.as_deref(),
            colours.clone(),
            opening.model.as_deref(),
        )?;
        reader.know_pieces(pieces);
        let mut notes = source.notes();
        let (game, writer) =
            recorded(begun, opening.record.as_deref(), header, wall.as_ref(), &deck.deck, &mut notes)?;
        if let Some(words) = &words {
            let begun = shown(&game.header().colours.join(" and "), LONGEST_SENTENCE);
            let now = words.join(" and ");
            notes.push(format!("the record was begun with the colours {begun}; figures are sought in {now}"));
        }
        if game.position().neutral().is_some()
            && let Err(error) = reader.know_neutral(neutral.1)
        {
            notes.push(error.to_string());
        }
        let edition = game.edition();
        if game.header().edition.is_some() {
            notes.push(edition.title.clone());
        }
        notes.extend(edition.notes.clone());
        let stills = capture::is_stills(&opening.source);
        if !stills {
            reader.expect_film();
        }
        let patience = if stills && !opening.real_time {
            Patience::stills(opening.seconds_per_still)
        } else {
            Patience::live()
        };
        let session = Session::resume(game, deck.deck.clone())
            .with_patience(patience)
            .with_colours(&colours)
            .with_layouts(layouts)
            .with_colour_words(words.unwrap_or_default());
        let record = writer.zip(opening.record);
        let pictures = record.as_ref().filter(|_| opening.evidence > 0);
        let evidence = match pictures.map(|(_, path)| Evidence::of(path, opening.evidence)).transpose() {
            Ok(evidence) => evidence,
            Err(error) => {
                notes.push(format!(
                    "no pictures are kept, the folder of the record cannot be listed: {error}"
                ));
                None
            }
        };
        let whole_game = opening.whole_game;
        Ok(OpenTable { source, reader, session, deck, wall, record, evidence, notes, whole_game })
    }
}

/// The game as far as it was recorded, or its beginning, and what writes it; `notes` are told
/// where it is gone on with.
pub(super) fn recorded(
    begun: Option<(Log, LogWriter)>,
    path: Option<&Path>,
    header: Header,
    wall: Option<&Wall>,
    deck: &Deck,
    notes: &mut Vec<String>,
) -> Result<(Game, Option<LogWriter>), OpeningError> {
    let (game, writer) = match (begun, path) {
        (Some((log, writer)), Some(path)) => {
            notes.extend(log.torn.as_ref().map(|torn| format!("{}: {torn}", path.display())));
            let (game, writer) = Recorder::go_on(log, writer, wall, deck)?.into_parts();
            notes.push(format!("{}: going on after {} events", path.display(), game.events().len()));
            (game, Some(writer))
        }
        (_, Some(path)) => {
            let (game, writer) = Recorder::create(path, header, wall, deck)?.into_parts();
            (game, Some(writer))
        }
        _ => (Game::new(header, wall, deck)?, None),
    };
    Ok((game, writer))
}

/// A file in a folder that is not there yet: another game may have begun in the
/// same second, or the clock may have been set back.
fn free_name(folder: &Path, stem: &str) -> PathBuf {
    let first = folder.join(format!("{stem}.jsonl"));
    let others = (2..u32::MAX).map(|n| folder.join(format!("{stem}-{n}.jsonl")));
    std::iter::once(first.clone()).chain(others).find(|path| !path.exists()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a picture, and a record in it that was begun.
    fn begun(text: &str) -> (tempfile::TempDir, Opening) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("0001.jpg"), "").unwrap();
        let record = folder.path().join("game.jsonl");
        let header = toml::from_str::<GameFile>(text).unwrap().header().unwrap();
        drop(LogWriter::create(&record, &header).unwrap());
        let source = folder.path().to_string_lossy().into_owned();
        (folder, Opening { source, record: Some(record), ..Opening::default() })
    }

    const BEGUN: &str =
        "players = ['Ada', 'Ben']\ncolours = ['red', 'green']\nstarts = 'Ben'\nedition = 'zamek-2020'";

    #[test]
    fn the_header_of_a_record_holds_when_it_is_gone_on_with() {
        let (folder, opening) = begun(BEGUN);
        // What lies beside is another game's.
        let beside = "players = ['Eve', 'Bob']\ncolours = ['blue', 'tan']\nrgb = [[1, 2, 3], [4, 5, 6]]";
        std::fs::write(folder.path().join("game.toml"), beside).unwrap();
        let prepared = opening.clone().prepare().unwrap();
        let header = prepared.header.clone();
        assert_eq!((header.players[0].as_str(), header.starts.index()), ("Ada", 1));
        assert_eq!(header.edition.as_deref(), Some("zamek-2020"));
        assert_eq!(prepared.colours, ["red", "green"].map(|c| crate::colours::known_colour(c).unwrap()));
        let second = opening.clone().prepare().err().unwrap().to_string();
        assert!(second.starts_with("another program records into this file"), "{second}");
        drop(prepared);
        let mut same = opening;
        same.said = GameFile::of(&header);
        assert!(same.prepare().is_ok(), "what agrees may be said");
    }

    #[test]
    fn what_contradicts_a_record_is_refused() {
        for (said, sentence) in [
            ("players = ['Ada', 'Eve']", "the players Ada and Ben, not Ada and Eve;"),
            ("starts = 'Ada'", "the first turn of Ben, not Ada;"),
            ("deck = 'gran'", "the deck `house`, not `gran`;"),
            ("wall = 'gran'", "the wall `house`, not `gran`;"),
            ("edition = 'hig-2003'", "the edition `zamek-2020`, not `hig-2003`;"),
        ] {
            let (folder, mut opening) = begun(BEGUN);
            opening.said = toml::from_str(said).unwrap();
            let error = opening.clone().prepare().err().unwrap().to_string();
            assert!(error.starts_with(&format!("the record was begun with {sentence}")), "{error}");
            let file = folder.path().join("other.toml");
            std::fs::write(&file, said).unwrap();
            (opening.said, opening.game) = (GameFile::default(), Some(file));
            assert!(matches!(opening.prepare(), Err(OpeningError::Contradiction { .. })), "{said}");
        }
    }

    #[test]
    fn a_colour_is_chosen_again_when_a_record_is_gone_on_with() {
        let (_folder, mut opening) = begun(BEGUN);
        opening.said.colours = vec!["red".into(), "yellow".into()];
        let prepared = opening.clone().prepare().unwrap();
        assert_eq!(prepared.header.colours, ["red", "green"], "the record stays as it was begun");
        assert_eq!(prepared.colours, ["red", "yellow"].map(|c| crate::colours::known_colour(c).unwrap()));
        assert_eq!(prepared.words, Some(vec!["red".to_owned(), "yellow".to_owned()]));
        drop(prepared);
        for wrong in [&["red"][..], &["red", "red"], &["red", "ultraviolent"]] {
            opening.said.colours = wrong.iter().map(|&w| w.into()).collect();
            assert!(matches!(opening.clone().prepare(), Err(OpeningError::GameFile(_))), "{wrong:?}");
        }
    }

    #[test]
    fn pieces_give_colours_and_paints() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("0001.jpg"), "").unwrap();
        std::fs::write(folder.path().join("game.toml"), "pieces = 'own.toml'").unwrap();
        let own = |word: &str, rgb: [u8; 3]| {
            let size = crate::pieces::Size { length: 0.4, width: 0.3, height: 0.2 };
            PlayerPieces { colour: word.into(), rgb, standing: size, lying: size, keep: size }
        };
        let players = vec![own("red", [201, 30, 40]), own("tan", [200, 190, 150])];
        let text = crate::pieces::OwnPieces { players }.to_toml();
        std::fs::write(folder.path().join("own.toml"), &text).unwrap();
        let source = folder.path().to_string_lossy().into_owned();
        let opening = Opening { source, ..Opening::default() };
        let prepared = opening.clone().prepare().unwrap();
        assert_eq!(prepared.header.colours, ["red", "tan"]);
        assert_eq!(prepared.colours, [[201, 30, 40], [200, 190, 150]]);
        assert_eq!(prepared.pieces.len(), 2);

        let mut turned = opening.clone();
        turned.said.colours = vec!["tan".into(), "red".into()];
        assert_eq!(turned.prepare().unwrap().colours[0], [200, 190, 150]);
        let mut other = opening.clone();
        other.said.colours = vec!["blue".into(), "red".into()];
        let sentence = other.prepare().err().unwrap().to_string();
        assert!(sentence.starts_with("no pieces of the colour `blue` were measured"), "{sentence}");
        let mut shades = opening.clone();
        shades.said.rgb = vec![[1, 2, 3], [200, 200, 200]];
        assert_eq!(shades.prepare().unwrap().colours[0], [1, 2, 3], "what is said goes before");

        std::fs::write(folder.path().join("own.toml"), "player = 3").unwrap();
        let sentence = opening.prepare().err().unwrap().to_string();
        assert!(sentence.starts_with("this is not a file of pieces"), "{sentence}");
    }

    #[test]
    fn games_of_one_second_are_recorded_in_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<PathBuf> = (0..3)
            .map(|_| {
                let path = free_name(folder.path(), "2026-03-01-184500Z");
                std::fs::write(&path, "").unwrap();
                path
            })
            .collect();
        assert!(names[0] != names[1] && names[1] != names[2]);
    }

    #[test]
    fn what_is_said_goes_before_the_game_file_beside() {
        let folder = tempfile::tempdir().unwrap();
        let text = "players = ['Ada', 'Ben']\ncolours = ['blue', 'tan']\nrgb = [[1, 2, 3], [4, 5, 6]]\n";
        std::fs::write(folder.path().join("game.toml"), format!("{text}deck = 'deck.toml'")).unwrap();
        std::fs::write(folder.path().join("deck.toml"), "").unwrap();
        let source = folder.path().to_string_lossy().into_owned();
        let mut opening = Opening { source, ..Opening::default() };
        let file = opening.game_file().unwrap();
        assert_eq!((file.players[0].as_str(), file.rgb.len()), ("Ada", 2));
        assert_eq!(file.deck.map(PathBuf::from), Some(folder.path().join("deck.toml")));

        opening.said.colours = vec!["red".into(), "green".into()];
        opening.said.deck = Some("house".into());
        let file = opening.game_file().unwrap();
        assert_eq!((file.players[1].as_str(), file.colours[0].as_str()), ("Ben", "red"));
        assert!(file.rgb.is_empty(), "the file's shades are of other colours");
        assert_eq!(file.deck.as_deref(), Some("house"));

        opening.said.colours = vec!["blue".into(), "tan".into()];
        assert_eq!(opening.game_file().unwrap().rgb.len(), 2);
    }
}
