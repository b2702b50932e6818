//! A set of our own to play with: a wall and sixty castle tiles.

use crate::{Deck, Wall};

/// The house set's wall as a TOML text.
pub const HOUSE_WALL: &str = include_str!("../../house/wall.toml");
/// The house set's deck as a TOML text.
pub const HOUSE_DECK: &str = include_str!("../../house/deck.toml");

/// The wall and the deck of the house set. They are not those of the published game,
/// whose tiles are not described in any text; they follow all that its rules say.
///
/// # Panics
/// Never: the tests read both texts.
pub fn house_set() -> (Wall, Deck) {
    let read = "the house set reads";
    (Wall::from_toml(HOUSE_WALL).expect(read), Deck::from_toml(HOUSE_DECK).expect(read))
}
