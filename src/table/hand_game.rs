//! A game without a camera, opened: it is entered by hand and recorded as all are.

use std::path::PathBuf;

use super::instruments;
use super::opening::{Begun, Opening, OpeningError, recorded};
use super::session::Session;
use crate::library::{self, DeckPlace};
use crate::record::LogWriter;
use crate::rules::Wall;

/// A game that is entered by hand.
pub struct HandGame {
    /// The game, as far as it has been recorded.
    pub session: Session,
    /// The deck.
    pub deck: DeckPlace,
    /// The wall, in games that have one.
    pub wall: Option<Wall>,
    /// The record and the file that it is in.
    pub record: Option<(LogWriter, PathBuf)>,
    /// What people should know of the record that is gone on with, a sentence each.
    pub notes: Vec<String>,
}

impl HandGame {
    /// Opens a game without its source. A record that is gone on with may have its own deck
    /// and wall beside it.
    ///
    /// # Errors
    /// [`OpeningError`].
    pub fn open(opening: &Opening) -> Result<HandGame, OpeningError> {
        let Begun { header, colours, words, begun, .. } = opening.begin()?;
        let own = opening.record.as_deref().filter(|_| begun.is_some());
        let deck = match own {
            Some(record) => {
                library::deck_of(record, &header.deck).map_err(instruments::InstrumentError::from)?
            }
            None => instruments::game_deck(header.game, &header.deck)?,
        };
        let wall = match (&header.wall, own) {
            (None, _) => None,
            (Some(name), Some(record)) => {
                Some(library::wall_of(record, name).map_err(instruments::InstrumentError::from)?)
            }
            (Some(name), None) => Some(instruments::castle_wall(name)?),
        };
        let mut notes = Vec::new();
        let (game, writer) =
            recorded(begun, opening.record.as_deref(), header, wall.as_ref(), &deck.deck, &mut notes)?;
        let session = Session::resume(game, deck.deck.clone())
            .with_colours(&colours)
            .with_colour_words(words.unwrap_or_default());
        Ok(HandGame { session, deck, wall, record: writer.zip(opening.record.clone()), notes })
    }
}
