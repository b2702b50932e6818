//! The log: a header line and one event a line, written as they come.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::event::{Event, EventKind, Header, Source};
use super::game::{Game, RecordError};
use crate::rules::{Deck, Wall};

/// Why a log cannot be read or written.
#[derive(Debug, Error)]
pub enum LogError {
    /// The first line is not a header.
    #[error("the first line is not the header of a castellan record: {0}")]
    Header(String),
    /// The first line was cut off.
    #[error(
        "the record was cut off in its first line, the header; nothing was played in it, so start a new one"
    )]
    CutHeader,
    /// A newer format.
    #[error("the record has format version {0}, this program reads version 1; use a newer program")]
    Version(u32),
    /// A line that is not an event, and not the last one.
    #[error("line {0} is not an event: {1}")]
    Line(usize, String),
    /// A fact could not be recorded, or the record not replayed.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The file cannot be read or written.
    #[error("the record cannot be read or written, {0}: {1}")]
    Io(std::io::Error, PathBuf),
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
    pub torn: Option<String>,
    /// How many bytes of the text are whole lines.
    pub whole: usize,
}

impl Log {
    /// Reads a log. A last line that was cut off is left out and reported.
    ///
    /// # Errors
    /// [`LogError`] when the header or any other line is not of the form.
    pub fn read(text: &str) -> Result<Log, LogError> {
        let mut lines = text.split_inclusive('\n').enumerate();
        let (_, first) = lines.next().ok_or_else(|| LogError::Header("the record is empty".to_owned()))?;
        let header: Header = serde_json::from_str(first).map_err(|e| {
            let broken = serde_json::from_str::<serde_json::Value>(first).err();
            if !first.ends_with('\n') && broken.is_some_and(|b| b.is_eof()) {
                LogError::CutHeader
            } else {
                LogError::Header(e.to_string())
            }
        })?;
        if header.format != "castellan" {
            return Err(LogError::Header(format!("its format is `{}`", header.format)));
        }
        if header.version != 1 {
            return Err(LogError::Version(header.version));
        }
        let mut log = Log { header, events: Vec::new(), torn: None, whole: first.len() };
        let last = text.split_inclusive('\n').count() - 1;
        for (i, line) in lines {
            if line.trim().is_empty() {
                log.whole += line.len();
                continue;
            }
            match serde_json::from_str::<Event>(line) {
                Ok(event) => log.events.push(event),
                Err(error) if i == last && !line.ends_with('\n') => {
                    log.torn = Some(format!("line {} was cut off and is left out: {error}", i + 1));
                    break;
                }
                Err(error) => return Err(LogError::Line(i + 1, error.to_string())),
            }
            log.whole += line.len();
        }
        Ok(log)
    }

    /// Reads a log file; bytes cut off in the middle of a letter count as a torn
    /// last line.
    ///
    /// # Errors
    /// As [`Log::read`], and [`LogError::Io`].
    pub fn open(path: &Path) -> Result<Log, LogError> {
        let bytes = std::fs::read(path).map_err(|e| LogError::Io(e, path.to_owned()))?;
        Log::from_bytes(&bytes)
    }

    /// Reads a log from bytes; see [`Log::open`].
    ///
    /// # Errors
    /// As [`Log::read`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Log, LogError> {
        Log::read(&String::from_utf8_lossy(bytes)).map(|mut log| {
            log.whole = log.whole.min(bytes.len());
            log
        })
    }

    /// Plays the log.
    ///
    /// # Errors
    /// As [`Game::replay`].
    pub fn replay(self, wall: &Wall, deck: &Deck) -> Result<Game, RecordError> {
        Game::replay(self.header, self.events, wall, deck)
    }
}

/// A value as a line of a log.
pub(super) fn line(value: &impl serde::Serialize) -> String {
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}

/// Writes a log, each event to the disk before the next.
#[derive(Debug)]
pub struct LogWriter {
    file: File,
    path: PathBuf,
}

impl LogWriter {
    /// A new log with its header; an existing file is not touched.
    ///
    /// # Errors
    /// [`LogError::Io`], also when the file exists.
    pub fn create(path: &Path, header: &Header) -> Result<LogWriter, LogError> {
        let error = |e| LogError::Io(e, path.to_owned());
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(error)?;
        let mut writer = LogWriter { file, path: path.to_owned() };
        writer.write(&line(header))?;
        Ok(writer)
    }

    /// Opens a log to write on after its whole lines; a torn last line is cut
    /// away.
    ///
    /// # Errors
    /// [`LogError::Io`].
    pub fn resume(path: &Path, log: &Log) -> Result<LogWriter, LogError> {
        let error = |e| LogError::Io(e, path.to_owned());
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(error)?;
        let text = std::fs::read(path).map_err(error)?;
        let whole = log.whole.min(text.len());
        file.set_len(whole as u64).map_err(error)?;
        file.seek(SeekFrom::End(0)).map_err(error)?;
        let mut writer = LogWriter { file, path: path.to_owned() };
        if whole > 0 && text[whole - 1] != b'\n' {
            writer.write("\n")?;
        }
        Ok(writer)
    }

    /// Writes an event and waits until it is on the disk.
    ///
    /// # Errors
    /// [`LogError::Io`].
    pub fn append(&mut self, event: &Event) -> Result<(), LogError> {
        self.write(&line(event))
    }

    fn write(&mut self, text: &str) -> Result<(), LogError> {
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|e| LogError::Io(e, self.path.clone()))
    }
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
    pub fn create(path: &Path, header: Header, wall: &Wall, deck: &Deck) -> Result<Recorder, LogError> {
        let game = Game::new(header, wall, deck)?;
        let writer = LogWriter::create(path, game.header())?;
        Ok(Recorder { game, writer })
    }

    /// Goes on with a log where it broke off: the game stands at the last whole
    /// event, and what had followed from it but was not written is written now.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn resume(path: &Path, wall: &Wall, deck: &Deck) -> Result<Recorder, LogError> {
        let log = Log::open(path)?;
        let mut writer = LogWriter::resume(path, &log)?;
        let written = log.events.len();
        let game = log.replay(wall, deck)?;
        for event in &game.events()[written..] {
            writer.append(event)?;
        }
        Ok(Recorder { game, writer })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Records a fact ([`Game::apply`]; with `anyway` [`Game::apply_anyway`])
    /// and writes all that came of it.
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
        for event in &events {
            self.writer.append(event)?;
        }
        Ok(events)
    }
}
