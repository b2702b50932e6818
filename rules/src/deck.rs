//! A deck: the tiles of one physical copy.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::bounds::{self, MOST_TEXT};
use super::face::Face;
use super::games::Game;
use super::port::Port;
use crate::{Sentence, sentence};

/// A tile of a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// Its name, unique in the deck ([`is_name`](super::is_name)); also the stem of its
    /// reference picture.
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
    /// The id of the tile that lies on the table from the start, for games that have
    /// one; it is one of its `count`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The sets that it has besides the game's own tiles, by the names of the rules that
    /// come with them, for games that have such sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// Its tiles.
    #[serde(rename = "tile")]
    pub tiles: Vec<Tile>,
}

/// Why a text is not a deck.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum DeckError {
    /// Not TOML, or not of the form.
    Form(String),
    /// Two tiles have one id.
    Twice(String),
    /// More text than a deck can have.
    Long,
    /// A name that cannot be shown.
    Name,
    /// An id that no file can be called by.
    Id(String),
    /// More tiles than a deck can have.
    Many(u64),
}

impl From<&DeckError> for Sentence {
    fn from(error: &DeckError) -> Sentence {
        match error {
            DeckError::Form(why) => sentence!("the deck cannot be read: {}", why),
            DeckError::Twice(tile) => {
                sentence!("tile `{}` is listed twice; give each tile an id of its own, or a count", tile)
            }
            DeckError::Long => {
                sentence!("the deck's text is longer than {} MB; name the file of a deck", MOST_TEXT >> 20)
            }
            DeckError::Name => {
                sentence!("the deck's name is no line of at most 200 letters; shorten it")
            }
            DeckError::Id(id) => {
                sentence!("`{}` can't be a tile's id; use letters, digits, `-` and `_`, at most 64", id)
            }
            DeckError::Many(tiles) => {
                sentence!("the deck has {} tiles; at most {} are possible", *tiles, Deck::MOST_TILES)
            }
        }
    }
}

impl Deck {
    /// A deck of these tiles, with no note and no tile that lies from the start.
    pub fn new(name: impl Into<String>, game: Game, tiles: Vec<Tile>) -> Deck {
        Deck { name: name.into(), game, note: String::new(), start: None, sets: Vec::new(), tiles }
    }

    /// The most tiles that a deck may list, and have in all.
    pub const MOST_TILES: usize = 400;

    /// Reads a deck file. Ids must be unique names; whether the tiles are those of a
    /// game is not judged here (a deck may be half enrolled).
    ///
    /// # Errors
    /// [`DeckError`] says what is wrong in one line.
    pub fn from_toml(text: &str) -> Result<Deck, DeckError> {
        if text.len() > MOST_TEXT {
            return Err(DeckError::Long);
        }
        let deck: Deck = toml::from_str(text).map_err(|e| DeckError::Form(bounds::toml_fault(&e, text)))?;
        if !bounds::is_title(&deck.name) {
            return Err(DeckError::Name);
        }
        let tiles = deck.tiles.iter().map(|t| u64::from(t.count)).sum::<u64>().max(deck.tiles.len() as u64);
        if tiles > Deck::MOST_TILES as u64 {
            return Err(DeckError::Many(tiles));
        }
        let mut seen = std::collections::HashSet::new();
        for tile in &deck.tiles {
            if !bounds::is_name(&tile.id) {
                return Err(DeckError::Id(bounds::quoted(&tile.id)));
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(rest: &str) -> DeckError {
        Deck::from_toml(&format!("name = \"d\"\ngame = \"castle\"\n{rest}")).unwrap_err()
    }

    #[test]
    fn ids_that_are_paths_are_refused() {
        for id in ["../../x", "/tmp/x", "a/b", "..", "", "a b", "a\\u0007", &"x".repeat(65)] {
            let error = fault(&format!("[[tile]]\nid = \"{id}\"\n"));
            assert!(matches!(error, DeckError::Id(_)), "{id}: {error}");
        }
    }

    #[test]
    fn a_deck_has_a_bounded_number_of_tiles() {
        let tile = |i: usize, count: u32| format!("[[tile]]\nid = \"t{i}\"\ncount = {count}\n");
        assert_eq!(
            fault(&(tile(0, u32::MAX) + &tile(1, u32::MAX))),
            DeckError::Many(2 * u64::from(u32::MAX))
        );
        assert_eq!(fault(&(0..401).map(|i| tile(i, 0)).collect::<String>()), DeckError::Many(401));
        let most: String = (0..400).map(|i| tile(i, 1)).collect();
        assert!(Deck::from_toml(&format!("name = \"d\"\ngame = \"castle\"\n{most}")).is_ok());
    }

    #[test]
    fn errors_are_short_and_name_the_line() {
        assert_eq!(fault(&format!("note = \"{}\"", "x".repeat(MOST_TEXT))), DeckError::Long);
        let error = fault(&format!("[[tile]]\nid = \"t\"\ncount = \"{}\"\n", "x".repeat(90_000))).to_string();
        assert!(error.starts_with("the deck cannot be read: line 5: invalid type"), "{error}");
        assert!(error.len() < 200, "{error}");
        let error = Deck::from_toml(&format!("name = \"{}\"\ngame = \"castle\"\ntile = []", "x".repeat(201)));
        assert_eq!(error, Err(DeckError::Name));
    }
}
