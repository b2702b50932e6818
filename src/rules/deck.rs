//! A deck: the tiles of one physical copy.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::face::Face;
use super::port::Port;

/// Which game a deck belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Game {
    /// Carcassonne: The Castle.
    Castle,
    /// The classic game with its expansions.
    Classic,
}

/// A tile of a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// Its name, unique in the deck; also the stem of its reference picture.
    pub id: String,
    /// What is printed on it, upright; `None` while nobody has said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub face: Option<Face>,
    /// Ports at which a proposed face is in doubt, until a person has looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Port>,
    /// How many of it there are.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_one(count: &u32) -> bool {
    *count == 1
}

/// The tiles of one physical copy, as a TOML file: `name`, `game`, an optional
/// `note`, and `[[tile]]` tables with `id`, `face` and `count`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deck {
    /// The deck's name.
    pub name: String,
    /// Its game.
    pub game: Game,
    /// Where it comes from, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Its tiles.
    #[serde(rename = "tile")]
    pub tiles: Vec<Tile>,
}

/// Why a text is not a deck.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeckError {
    /// Not TOML, or not of the form.
    #[error("the deck cannot be read: {0}")]
    Form(String),
    /// Two tiles have one id.
    #[error("tile `{0}` is listed twice; give each tile an id of its own, or a count")]
    Twice(String),
}

impl Deck {
    /// Reads a deck file. Ids must be unique; the number of tiles is not judged
    /// here (a deck may be half enrolled).
    ///
    /// # Errors
    /// [`DeckError`] says what is wrong in one line.
    pub fn from_toml(text: &str) -> Result<Deck, DeckError> {
        let deck: Deck = toml::from_str(text)
            .map_err(|e| DeckError::Form(e.to_string().lines().collect::<Vec<_>>().join(" ")))?;
        let mut seen = std::collections::HashSet::new();
        for tile in &deck.tiles {
            if !seen.insert(&tile.id) {
                return Err(DeckError::Twice(tile.id.clone()));
            }
        }
        Ok(deck)
    }

    /// The deck as a TOML file.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).unwrap_or_default()
    }

    /// How many tiles there are, counting each as often as it exists.
    pub fn len(&self) -> usize {
        self.tiles.iter().map(|t| t.count as usize).sum()
    }

    /// Whether it has no tile.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of the tile with this id.
    pub fn index(&self, id: &str) -> Option<usize> {
        self.tiles.iter().position(|t| t.id == id)
    }
}
