//! A record in any of its forms, and what it is played with.

use std::path::Path;

use anyhow::Context;

use super::input;
use crate::library;
use crate::record::{Game, Header, Log, SavedGame, Transcript};
use crate::rules::{self, Deck, Wall};

/// A record in any of its forms.
pub(super) enum Record {
    Log(Log),
    /// With what is wrong with its lines, and whether some are lost.
    Text(Transcript, Vec<String>, bool),
    Saved(SavedGame),
}

impl Record {
    /// Tells by the first letter what it is.
    pub fn from_bytes(bytes: &[u8]) -> anyhow::Result<Record> {
        let start = bytes.trim_ascii_start();
        let text = std::str::from_utf8(start).ok().filter(|text| SavedGame::is_one(text));
        if let Some(text) = text {
            return Ok(Record::Saved(SavedGame::read(text)?));
        }
        if start.is_empty() || start.starts_with(b"{") {
            return Ok(Record::Log(Log::from_bytes(bytes)?));
        }
        let input::Text { text, faults, lost } = input::text(bytes);
        Ok(Record::Text(Transcript::read(&text)?, faults, lost))
    }

    pub fn header(&self) -> &Header {
        match self {
            Record::Log(log) => &log.header,
            Record::Text(text, ..) => &text.header,
            Record::Saved(saved) => &saved.header,
        }
    }

    pub fn header_mut(&mut self) -> &mut Header {
        match self {
            Record::Log(log) => &mut log.header,
            Record::Text(text, ..) => &mut text.header,
            Record::Saved(saved) => &mut saved.header,
        }
    }

    /// What was cut away at the end, in one sentence.
    pub fn torn(&self) -> Option<String> {
        match self {
            Record::Log(log) => log.torn.as_ref().map(ToString::to_string),
            Record::Text(..) | Record::Saved(_) => None,
        }
    }

    /// The game, and what its text has lost, a sentence each.
    pub fn play(self, wall: Option<&Wall>, deck: &Deck) -> anyhow::Result<(Game, Vec<String>)> {
        Ok(match self {
            Record::Log(log) => (log.replay(wall, deck)?, Vec::new()),
            Record::Saved(saved) => (saved.play(deck)?, Vec::new()),
            Record::Text(text, faults, false) => (text.play(wall, deck)?, faults),
            Record::Text(text, mut faults, true) => {
                let (game, left_out) = text.play_what_fits(wall, deck)?;
                faults.extend(left_out.iter().map(|error| format!("left out: {error}")));
                faults.push("the scores after a line that is left out may be wrong".to_owned());
                (game, faults)
            }
        })
    }
}

/// The record in the folder of a game, where such a folder is named.
pub(super) fn file(named: String) -> String {
    library::record_file(Path::new(&named)).to_str().map(str::to_owned).unwrap_or(named)
}

/// The wall and the deck that a record names, or others.
///
/// Only games that are played inside a wall have one. A deck and a wall of the record's own,
/// beside its `file`, go before those that it names.
pub(super) fn parts(
    (header, file): (&Header, &Path),
    wall: Option<&str>,
    deck: Option<&str>,
) -> anyhow::Result<(Option<Wall>, Deck)> {
    let deck = match deck {
        Some(deck) => library::deck(deck)?,
        None => library::deck_of(file, &header.deck)?,
    };
    let wall = match (header.game, wall) {
        (rules::Game::Classic, _) => None,
        (rules::Game::Castle, Some(wall)) => Some(library::wall(wall)?),
        (rules::Game::Castle, None) => {
            let named = header.wall.as_deref().context("the record names no wall; name one with --wall")?;
            Some(library::wall_of(file, named)?)
        }
    };
    Ok((wall, deck.deck))
}
