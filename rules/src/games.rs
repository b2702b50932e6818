//! The list of the games: what they are called, how each is begun, the words that each
//! brings, and where its rules stand.

use serde::{Deserialize, Serialize};

use super::game_position::{EditionNotes, GamePosition, Setup, SetupFault};
use super::vocabulary::{self, Vocabulary};
use super::{castle, classic};

/// The games that there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Game {
    /// Carcassonne: The Castle.
    #[default]
    Castle,
    /// The classic game with its expansions.
    Classic,
}

impl Game {
    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Game::Castle => "castle",
            Game::Classic => "classic",
        }
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Game::Castle => "Carcassonne: The Castle",
            Game::Classic => "Carcassonne",
        }
    }

    /// The game with this name.
    pub fn named(name: &str) -> Option<Game> {
        [Game::Castle, Game::Classic].into_iter().find(|game| game.name() == name)
    }

    /// The editions that may be named for it, the usual one first: its name in records and its
    /// title.
    pub fn editions(self) -> Vec<(&'static str, String)> {
        match self {
            Game::Castle => {
                let title = |name| castle::Edition::named(name).map(|e| e.title).unwrap_or_default();
                castle::Edition::NAMES.into_iter().map(|name| (name, title(name))).collect()
            }
            Game::Classic => vec![(classic::EDITION, "The base game, with the sets of the deck".to_owned())],
        }
    }

    /// The fewest and the most players.
    pub const fn players(self) -> (usize, usize) {
        match self {
            Game::Castle => (2, 2),
            Game::Classic => (2, classic::MOST_PLAYERS),
        }
    }
}

/// The words of all games. Those of a type are numbered, and sorted, in this order.
pub(crate) const VOCABULARIES: [Vocabulary; 3 + classic::MODULE_VOCABULARIES.len()] = vocabulary::joined(&[
    &[vocabulary::SHARED, castle::VOCABULARY, classic::VOCABULARY],
    &classic::MODULE_VOCABULARIES,
]);

/// The rules of a game in plain words.
pub(crate) struct Book {
    /// The game.
    pub game: Game,
    /// What the ids of its rules begin with.
    pub letters: &'static str,
    /// Its rules as a TOML text.
    pub text: &'static str,
}

/// The rules of all games.
pub(crate) const BOOKS: [Book; 4] = [
    Book { game: Game::Castle, letters: "CA", text: include_str!("../book/castle.toml") },
    Book { game: Game::Classic, letters: "BA", text: include_str!("../book/classic.toml") },
    Book { game: Game::Classic, letters: "PL", text: include_str!("../book/modules.toml") },
    Book { game: Game::Classic, letters: "CO", text: include_str!("../book/count.toml") },
];

/// Begins a game.
///
/// # Errors
/// [`SetupFault`] when its wall, deck, edition or players make no game.
pub fn begin(game: Game, setup: &Setup) -> Result<(Box<dyn GamePosition>, EditionNotes), SetupFault> {
    match game {
        Game::Castle => castle::begin(setup),
        Game::Classic => classic::begin(setup),
    }
}
