//! A recorded game, step by step.

use std::path::Path;

use thiserror::Error;

use crate::library::{self, DeckPlace, LibraryError};
use crate::record::{Log, LogError, RecordError};
use crate::rules::{Sentence, Wall, sentence};
use crate::table::{GameView, Session, Status};

/// A recorded game as the views that people had of it.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The deck it was played with.
    pub deck: DeckPlace,
    /// The wall, in games that have one.
    pub wall: Option<Wall>,
    /// The views, the empty table first, then one for each fact that holds
    /// after all corrections.
    pub steps: Vec<Step>,
}

/// One step of a replay.
#[derive(Clone, Debug)]
pub struct Step {
    /// What happened, in a sentence.
    pub caption: Sentence,
    /// The game after it.
    pub view: GameView,
}

/// Why a record cannot be replayed.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Its deck or wall cannot be had.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// It is not a record.
    #[error(transparent)]
    Log(#[from] LogError),
    /// It is not of a game that can be played with its deck and wall.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl From<&ReplayError> for Sentence {
    fn from(error: &ReplayError) -> Sentence {
        match error {
            ReplayError::Library(error) => Sentence::from(error),
            ReplayError::Log(error) => Sentence::from(error),
            ReplayError::Record(error) => Sentence::from(error),
        }
    }
}

/// A game that nobody is asked about any more.
fn shown(session: &Session) -> GameView {
    GameView { questions: Vec::new(), ..session.view() }
}

impl Replay {
    /// Reads a record and plays it with the deck and wall that its header
    /// names.
    ///
    /// # Errors
    /// [`ReplayError`] says what is wrong in one sentence.
    pub fn open(path: &Path) -> Result<Replay, ReplayError> {
        let log = Log::open(path)?;
        let deck = library::deck_of(path, &log.header.deck)?;
        let wall = log.header.wall.as_deref().map(|name| library::wall_of(path, name)).transpose()?;
        Replay::of(log, deck, wall)
    }

    /// Plays a record with a deck and, in games that have one, a wall.
    ///
    /// # Errors
    /// [`ReplayError::Record`].
    pub fn of(log: Log, deck: DeckPlace, wall: impl Into<Option<Wall>>) -> Result<Replay, ReplayError> {
        let wall = wall.into();
        let header = log.header.clone();
        let torn = log.torn.clone();
        let game = log.replay(wall.as_ref(), &deck.deck)?;
        let mut session = Session::new(header, wall.as_ref(), deck.deck.clone())?;
        let wording = game.wording();
        let mut steps = vec![Step { caption: sentence!("the empty table"), view: shown(&session) }];
        for (seq, fact) in game.facts() {
            let mut caption = wording.told(&fact);
            session.accept_doubts();
            if let Err(error) = session.apply_by_hand(fact) {
                caption = sentence!("{}: left out, {}", caption, Sentence::from(&error));
            } else if let Some((_, broken)) = game.broken().iter().find(|(s, _)| *s == seq) {
                caption = sentence!("{}, against the rules: {}", caption, Sentence::from(broken));
            }
            steps.push(Step { caption, view: shown(&session) });
        }
        if let (Some(torn), Some(last)) = (torn, steps.last_mut()) {
            last.caption = sentence!("{}; {}", last.caption.clone(), torn);
        }
        if let (false, Some(last)) = (game.lost().is_empty(), steps.last_mut()) {
            last.view.status = Status::Doubt(Sentence::in_turn(game.lost().iter().cloned()));
        }
        Ok(Replay { deck, wall, steps })
    }
}
