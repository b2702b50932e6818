//! The log: a header line and one event a line, written as they come.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::damage::{self, LostLines};
use super::event::{Event, EventKind, Header, Source, VERSION};
use super::game::{Game, RecordError};
use crate::files;
use crate::rules::{Deck, Sentence, Term, Wall, sentence};

/// The largest log that is read, bytes; that of a long game has a hundredth.
const MOST_BYTES: u64 = 16 << 20;
/// The most events of a log that is read; a long game has some 600.
const MOST_EVENTS: usize = 20_000;
/// How often a locked log is tried again, and after what pause, before it is refused: half
/// a second in all.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(25);
/// How a log begins, whoever plays.
const BEGINNING: &[u8] = b"{\"format\":\"castellan\"";

/// Why a log cannot be read or written.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum LogError {
    /// The first line is not a header.
    Header(Sentence),
    /// The first line was cut off.
    CutHeader,
    /// A newer format.
    Version(u32),
    /// More lines than a game can have.
    Long,
    /// A line in the middle cannot be read, so the log is not written on.
    Damaged(Sentence, PathBuf),
    /// Another program writes it.
    Locked(PathBuf),
    /// A fact could not be recorded, or the record not replayed.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The file cannot be read or written.
    Io(std::io::Error, PathBuf),
}

impl From<&LogError> for Sentence {
    fn from(error: &LogError) -> Sentence {
        match error {
            LogError::Header(why) => {
                sentence!("the first line is not the header of a castellan record: {}", why)
            }
            LogError::CutHeader => sentence!(
                "the record was cut off in its first line, the header; nothing was played in it, so start a new one"
            ),
            LogError::Version(version) => sentence!(
                "the record has format version {}, this program reads up to version {}; use a newer program",
                *version,
                VERSION
            ),
            LogError::Long => sentence!(
                "the record has more than {} events, more than a game can have; check that it is one",
                MOST_EVENTS
            ),
            LogError::Damaged(what, path) => sentence!(
                "{}; a damaged record is not written on: keep it, see it with `castellan score`, and record \
                 into another file: {}",
                what,
                Term::same(path.display())
            ),
            LogError::Locked(path) => sentence!(
                "another program records into this file; close it there or name another file: {}",
                Term::same(path.display())
            ),
            LogError::Record(error) => Sentence::from(error),
            LogError::Io(error, path) => sentence!(
                "the record cannot be read or written, {}: {}",
                words(error),
                Term::same(path.display())
            ),
        }
    }
}

/// What the system says, for people where it is usual.
fn words(error: &io::Error) -> Sentence {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            sentence!("the disk is full, make room and go on")
        }
        _ => sentence!("{}", Term::same(error)),
    }
}

/// A log that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// The first line.
    pub header: Header,
    /// The events.
    pub events: Vec<Event>,
    /// What is wrong with the last line when the log was cut off in it, in a
    /// sentence; the line is left out.
    pub torn: Option<Sentence>,
    /// Lines in the middle that cannot be read; they are left out.
    pub lost: Vec<LostLines>,
    /// How many bytes there are before a line that was cut off.
    pub whole: usize,
}

impl Log {
    /// Reads a log. Lines that cannot be read are left out and reported.
    ///
    /// # Errors
    /// [`LogError`] when the header is not of the form, or there are too many
    /// events.
    pub fn read(text: &str) -> Result<Log, LogError> {
        Log::from_bytes(text.as_bytes())
    }

    /// Reads a log file.
    ///
    /// # Errors
    /// As [`Log::read`], and [`LogError::Io`].
    pub fn open(path: &Path) -> Result<Log, LogError> {
        let bytes = files::read(path, MOST_BYTES).map_err(|e| LogError::Io(e, path.to_owned()))?;
        Log::from_bytes(&bytes)
    }

    /// Reads a log from bytes; see [`Log::read`]. Bytes that are no letters are
    /// read as `\u{fffd}`.
    ///
    /// # Errors
    /// As [`Log::read`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Log, LogError> {
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let mut lines = text.split_inclusive(|b| *b == b'\n').zip(1_usize..).peekable();
        let (first, _) = lines.next().ok_or_else(|| LogError::Header(sentence!("the record is empty")))?;
        let header: Header = parsed(first).map_err(|e| {
            let broken = parsed::<serde_json::Value>(first).err();
            if !first.ends_with(b"\n") && broken.is_some_and(|b| b.is_eof()) {
                LogError::CutHeader
            } else {
                LogError::Header(Sentence::from(said(&e)))
            }
        })?;
        if header.format != "castellan" {
            return Err(LogError::Header(sentence!("it names another format")));
        }
        if !(1..=VERSION).contains(&header.version) {
            return Err(LogError::Version(header.version));
        }
        let whole = bytes.len() - text.len() + first.len();
        let mut log = Log { header, events: Vec::new(), torn: None, lost: Vec::new(), whole };
        while let Some((line, number)) = lines.next() {
            if line.trim_ascii().is_empty() {
                log.whole += line.len();
                continue;
            }
            match parsed::<Event>(line) {
                Ok(_) if log.events.len() == MOST_EVENTS => return Err(LogError::Long),
                Ok(event) => log.events.push(event),
                Err(error) if lines.peek().is_none() && !line.ends_with(b"\n") => {
                    log.torn =
                        Some(sentence!("line {} was cut off and is left out: {}", number, said(&error)));
                    break;
                }
                Err(error) => log.lose(number, said(&error)),
            }
            log.whole += line.len();
        }
        Ok(log)
    }

    fn lose(&mut self, line: usize, why: String) {
        match self.lost.last_mut() {
            Some(last) if last.last + 1 == line => last.last = line,
            _ => self.lost.push(LostLines { first: line, last: line, before: self.events.len(), why }),
        }
    }

    /// Plays the log. Of a log with lost lines so much is played as holds without
    /// them; [`Game::lost`] says what is missing.
    ///
    /// # Errors
    /// As [`Game::replay`].
    pub fn replay<'a>(self, wall: impl Into<Option<&'a Wall>>, deck: &Deck) -> Result<Game, RecordError> {
        if self.lost.is_empty() {
            return Game::replay(self.header, self.events, wall, deck);
        }
        damage::replay(self.header, &self.events, &self.lost, wall, deck)
    }
}

/// A line of JSON; bytes that are no letters stand as `\u{fffd}`.
fn parsed<T: serde::de::DeserializeOwned>(line: &[u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(line) {
        Ok(line) => serde_json::from_str(line),
        Err(_) => serde_json::from_str(&String::from_utf8_lossy(line)),
    }
}

/// What a parser says, without the long words of a file that it quotes.
fn said(error: &serde_json::Error) -> String {
    const MOST: usize = 120;
    let text = error.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A value as a line of a log.
fn line(value: &impl serde::Serialize) -> String {
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}

impl Game {
    /// The whole record as it is written, in the format's newest version whatever it was
    /// read from: the header and one event a line.
    pub fn to_log(&self) -> String {
        let mut text = line(&Header { version: VERSION, ..self.header().clone() });
        for event in self.events() {
            text.push_str(&line(event));
        }
        text
    }
}

/// Writes the log of a game, each event to the disk before the next. The file is
/// locked for as long as it is written: nobody else writes into it.
#[derive(Debug)]
pub struct LogWriter {
    file: File,
    path: PathBuf,
    /// How many events stand in it.
    written: usize,
    /// The length of the file up to its last whole line, bytes.
    whole: u64,
    /// Whether something that is not whole may stand after it.
    torn: bool,
    /// Whether that line lacks its end.
    unended: bool,
}

impl LogWriter {
    /// A new log with its header. A file in which something was played is not
    /// touched; one that is empty or was cut off in its header is begun anew.
    ///
    /// # Errors
    /// [`LogError::Io`], also when a log is there; [`LogError::Locked`].
    pub fn create(path: &Path, header: &Header) -> Result<LogWriter, LogError> {
        let error = |e| LogError::Io(e, path.to_owned());
        let (file, made) = match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => (file, true),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                (OpenOptions::new().read(true).write(true).open(path).map_err(error)?, false)
            }
            Err(e) => return Err(error(e)),
        };
        let mut writer =
            LogWriter { file, path: path.to_owned(), written: 0, whole: 0, torn: true, unended: false };
        writer.lock()?;
        if !made && !is_new(&writer.bytes()?) {
            return Err(error(io::ErrorKind::AlreadyExists.into()));
        }
        if let Err(error) = writer.put(&line(header)) {
            // Nothing stands in it yet, and an empty file would only be in the way.
            let _ = writer.file.set_len(0);
            if made {
                let _ = std::fs::remove_file(path);
            }
            return Err(error);
        }
        Ok(writer)
    }

    /// Opens a log to write on after its whole lines; nothing is changed before
    /// [`Recorder::go_on`] or the next event. `None` where no log has been begun: the file is
    /// not there, empty, or cut off in its header.
    ///
    /// # Errors
    /// [`LogError::Locked`], [`LogError::Damaged`], and as [`Log::open`].
    pub fn resume(path: &Path) -> Result<Option<(Log, LogWriter)>, LogError> {
        let error = |e| LogError::Io(e, path.to_owned());
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(error(e)),
        };
        let mut writer =
            LogWriter { file, path: path.to_owned(), written: 0, whole: 0, torn: false, unended: false };
        writer.lock()?;
        let bytes = writer.bytes()?;
        if is_new(&bytes) {
            return Ok(None);
        }
        let log = Log::from_bytes(&bytes)?;
        if let Some(lost) = log.lost.first() {
            return Err(LogError::Damaged(lost.sentence(), path.to_owned()));
        }
        writer.written = log.events.len();
        writer.whole = log.whole as u64;
        writer.torn = log.whole < bytes.len();
        writer.unended = bytes.get(log.whole.saturating_sub(1)) != Some(&b'\n');
        Ok(Some((log, writer)))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many of the game's events stand in the log.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Writes what the log still lacks of its game, and waits after each event until
    /// it is on the disk. After an error, as on a full disk, it may be called again:
    /// half a line is cut away, and it goes on with the event that failed.
    ///
    /// # Errors
    /// [`LogError::Io`]; [`LogWriter::written`] says how far it came.
    pub fn write(&mut self, game: &Game) -> Result<(), LogError> {
        for event in game.events().iter().skip(self.written) {
            self.put(&line(event))?;
            self.written += 1;
        }
        Ok(())
    }

    /// Cuts away a torn last line and sets a missing line end.
    fn mend(&mut self) -> Result<(), LogError> {
        if self.torn || self.unended { self.put("") } else { Ok(()) }
    }

    /// Keeps all other programs from writing the file until it is closed.
    fn lock(&self) -> Result<(), LogError> {
        let mut locked = self.file.try_lock();
        // A program that is being started holds all locks of the one that starts it for a
        // moment.
        for _ in 0..LOCK_TRIES {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(LOCK_PAUSE);
            locked = self.file.try_lock();
        }
        match locked {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(LogError::Locked(self.path.clone())),
            Err(TryLockError::Error(e)) => {
                // Some network folders know no locks.
                tracing::warn!("the record cannot be locked, {e}: {}", self.path.display());
                Ok(())
            }
        }
    }

    fn bytes(&mut self) -> Result<Vec<u8>, LogError> {
        let error = |e| LogError::Io(e, self.path.clone());
        if !self.file.metadata().map_err(error)?.is_file() {
            return Err(error(io::Error::other("it is no regular file")));
        }
        files::read_stream(&self.file, MOST_BYTES).map_err(error)
    }

    fn put(&mut self, text: &str) -> Result<(), LogError> {
        self.try_put(text).map_err(|e| LogError::Io(e, self.path.clone()))
    }

    fn try_put(&mut self, text: &str) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.whole)?;
        }
        self.torn = true;
        self.file.seek(SeekFrom::Start(self.whole))?;
        let text = if self.unended { format!("\n{text}") } else { text.to_owned() };
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.whole += text.len() as u64;
        (self.torn, self.unended) = (false, false);
        Ok(())
    }
}

/// Whether nothing has been recorded in a file: it is empty, or a header of ours
/// that was cut off.
fn is_new(bytes: &[u8]) -> bool {
    let ours = BEGINNING.starts_with(bytes) || bytes.starts_with(BEGINNING);
    bytes.is_empty() || (ours && matches!(Log::from_bytes(bytes), Err(LogError::CutHeader)))
}

/// A game and its log on the disk.
#[derive(Debug)]
pub struct Recorder {
    game: Game,
    writer: LogWriter,
}

impl Recorder {
    /// A new game with a new log.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn create<'a>(
        path: &Path,
        header: Header,
        wall: impl Into<Option<&'a Wall>>,
        deck: &Deck,
    ) -> Result<Recorder, LogError> {
        let game = Game::new(header, wall, deck)?;
        let writer = LogWriter::create(path, game.header())?;
        Ok(Recorder { game, writer })
    }

    /// Goes on with a log where it broke off: the game stands at the last whole
    /// event, and what had followed from it but was not written is written now.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn resume<'a>(
        path: &Path,
        wall: impl Into<Option<&'a Wall>>,
        deck: &Deck,
    ) -> Result<Recorder, LogError> {
        let (log, writer) = LogWriter::resume(path)?.ok_or_else(|| match path.exists() {
            true => LogError::CutHeader,
            false => LogError::Io(io::ErrorKind::NotFound.into(), path.to_owned()),
        })?;
        Recorder::go_on(log, writer, wall, deck)
    }

    /// As [`Recorder::resume`], with what [`LogWriter::resume`] gave.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn go_on<'a>(
        log: Log,
        mut writer: LogWriter,
        wall: impl Into<Option<&'a Wall>>,
        deck: &Deck,
    ) -> Result<Recorder, LogError> {
        let game = log.replay(wall, deck)?;
        writer.mend()?;
        writer.write(&game)?;
        Ok(Recorder { game, writer })
    }

    /// The game and what writes its log, for a caller that plays the game and calls
    /// [`LogWriter::write`] whenever something has happened in it.
    pub fn into_parts(self) -> (Game, LogWriter) {
        (self.game, self.writer)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Records a fact ([`Game::apply`]; with `anyway` [`Game::apply_anyway`])
    /// and writes all that came of it, after what a failing disk left unwritten before.
    ///
    /// # Errors
    /// [`LogError`]. When the disk failed, the game has gone on and the log has
    /// not.
    pub fn apply(
        &mut self,
        kind: EventKind,
        source: Source,
        confidence: f32,
        t: f64,
        anyway: bool,
    ) -> Result<Vec<Event>, LogError> {
        let events = if anyway {
            self.game.apply_anyway(kind, source, confidence, t)?
        } else {
            self.game.apply(kind, source, confidence, t)?
        };
        self.writer.write(&self.game)?;
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::record::play_random;
    use crate::rules::castle::Policy;

    #[test]
    fn what_a_failing_disk_left_unwritten_is_written_with_the_next_fact() {
        let wall = library::wall("house").unwrap();
        let mut deck = library::deck("house").unwrap().deck;
        deck.tiles.truncate(6);
        let live = play_random(&wall, &deck, 1, Policy::Greedy).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.jsonl");
        let mut recorder = Recorder::create(&path, live.header().clone(), &wall, &deck).unwrap();
        let facts: Vec<&Event> = live.events().iter().filter(|e| e.kind.is_fact()).collect();
        for (i, fact) in facts.iter().enumerate() {
            let (kind, written) = (fact.kind.clone(), recorder.writer.written());
            // Of three facts only the third finds a file that can be written.
            let whole = (i % 3 != 2).then(|| {
                let unwritable = File::open(&path).unwrap();
                std::mem::replace(&mut recorder.writer.file, unwritable)
            });
            let done = recorder.apply(kind, fact.source, fact.confidence, fact.t, false);
            match whole {
                Some(file) => {
                    assert!(matches!(done, Err(LogError::Io(..))));
                    assert_eq!(recorder.writer.written(), written);
                    recorder.writer.file = file;
                }
                None => {
                    done.unwrap();
                    let text = std::fs::read_to_string(&path).unwrap();
                    assert_eq!(text, recorder.game().to_log(), "after {} facts", i + 1);
                }
            }
        }
        recorder.writer.write(&recorder.game).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), live.to_log());
    }
}
