//! A recorded game, step by step.

use std::path::Path;

use thiserror::Error;

use crate::library::{self, DeckPlace, LibraryError};
use crate::record::{EventKind, Log, LogError, RecordError};
use crate::rules::{Names, Player, Wall, cell_name};
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
    pub caption: String,
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
    /// The header names no wall.
    #[error("the record names no wall; The Castle is played inside one")]
    NoWall,
}

impl Replay {
    /// Reads a record and plays it with the deck and wall that its header
    /// names.
    ///
    /// # Errors
    /// [`ReplayError`] says what is wrong in one sentence.
    pub fn open(path: &Path) -> Result<Replay, ReplayError> {
        let log = Log::open(path)?;
        let deck = library::deck(&log.header.deck)?;
        let wall = library::wall(log.header.wall.as_deref().ok_or(ReplayError::NoWall)?)?;
        Replay::of(log, deck, wall)
    }

    /// Plays a record with a deck and a wall.
    ///
    /// # Errors
    /// [`ReplayError::Record`].
    pub fn of(log: Log, deck: DeckPlace, wall: Wall) -> Result<Replay, ReplayError> {
        let header = log.header.clone();
        let torn = log.torn.clone();
        let game = log.replay(&wall, &deck.deck)?;
        let mut session = Session::new(header, &wall, deck.deck.clone())?;
        let mut steps = vec![Step { caption: "the empty table".to_owned(), view: session.view() }];
        for (seq, fact) in game.facts() {
            let mut caption = caption(game.names(), &fact);
            session.accept_doubts();
            if let Err(error) = session.apply_by_hand(fact) {
                caption = format!("{caption}: left out, {error}");
            } else if let Some((_, broken)) = game.broken().iter().find(|(s, _)| *s == seq) {
                caption = format!("{caption}, against the rules: {broken}");
            }
            steps.push(Step { caption, view: session.view() });
        }
        if let (Some(torn), Some(last)) = (torn, steps.last_mut()) {
            last.caption = format!("{}; {torn}", last.caption);
        }
        if let (false, Some(last)) = (game.lost().is_empty(), steps.last_mut()) {
            last.view.status = Status::Doubt(game.lost().join("; "));
        }
        Ok(Replay { deck, wall: Some(wall), steps })
    }
}

/// A fact in a sentence.
fn caption(names: &Names, fact: &EventKind) -> String {
    let name = |player: &Player| names.of(*player);
    match fact {
        EventKind::TilePlaced { player, tile, cell, .. } => {
            format!("{} lays {tile} in {}", name(player), cell_name(*cell))
        }
        EventKind::FollowerPlaced { player, role, .. } => {
            format!("{} puts a {} on it", name(player), role.name())
        }
        EventKind::TileDiscarded { player, tile } => {
            format!("{} puts {tile} aside, it fits nowhere", name(player))
        }
        EventKind::WallTileUsed { player, number, .. } => format!("{} uses wall tile {number}", name(player)),
        EventKind::WallTileShown { tower, number } => {
            format!("the wall tile of tower {tower} is number {number}")
        }
        EventKind::TurnEnded { player, turn } => format!("{}'s turn {turn} is over", name(player)),
        EventKind::OrderChosen { player, .. } => format!("{} chooses what is scored first", name(player)),
        EventKind::PlayStopped => "the players end the game".to_owned(),
        EventKind::Correction { .. }
        | EventKind::Inserted { .. }
        | EventKind::Recomputed { .. }
        | EventKind::FeatureScored { .. }
        | EventKind::MarkerMoved { .. }
        | EventKind::WallTileTaken { .. }
        | EventKind::KeepPlaced { .. }
        | EventKind::FollowersReturned { .. }
        | EventKind::Doubt { .. }
        | EventKind::GameEnded { .. } => String::new(),
    }
}
