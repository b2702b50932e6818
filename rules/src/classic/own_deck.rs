//! Decks of an owner's own copy, whose tiles have names of their own: of which set each is, and which
//! of them lies where in a block that lies from the start.

use super::board::{base_deck, deck_with};
use super::modules;
use crate::{Deck, Face, Rotation};

/// How many of a set's tiles are in a deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetCount {
    /// Its name in the names of decks; `classic` for the base game.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// How many of the deck's tiles show what one of its tiles shows.
    pub found: u32,
    /// How many it has.
    pub all: u32,
}

/// The built-in deck of the base game and the sets that a deck has.
///
/// # Errors
/// The first of its sets that is not known.
pub fn known_deck(deck: &Deck) -> Result<Deck, String> {
    let sets: Vec<&str> = deck.sets.iter().map(String::as_str).collect();
    deck_with(&sets)
}

/// How many tiles of the base game and of each of its sets a deck has, by what they show: a tile counts
/// for the first of them that has one like it left, and one without a face for none.
pub fn set_counts(deck: &Deck) -> Vec<SetCount> {
    let of = |name, title, tiles: Deck| {
        let all = tiles.tiles.iter().map(|tile| tile.count).sum();
        let faces = tiles.tiles.into_iter().filter_map(|tile| Some((tile.face?, tile.count)));
        (SetCount { name, title, found: 0, all }, faces.collect::<Vec<(Face, u32)>>())
    };
    let chosen = modules::SETS.iter().filter(|(name, ..)| deck.sets.iter().any(|set| set == name));
    let sets = chosen.filter_map(|(name, title, text)| Some(of(*name, *title, Deck::from_toml(text).ok()?)));
    let mut counts: Vec<_> =
        std::iter::once(of("classic", "the base game", base_deck())).chain(sets).collect();
    for tile in &deck.tiles {
        let Some(face) = &tile.face else { continue };
        for _ in 0..tile.count {
            counts.iter_mut().any(|(count, left)| {
                let like = left.iter_mut().find(|(known, left)| *left > 0 && turn_to(face, known).is_some());
                like.map(|(_, left)| *left -= 1).is_some_and(|()| {
                    count.found += 1;
                    true
                })
            });
        }
    }
    counts.into_iter().map(|(count, _)| count).collect()
}

/// The tile of a deck that lies in the place of a set's tile of this name, and how it is turned: the one
/// of that name, or one that shows what that shows in one of the printings, and does not lie elsewhere.
pub(super) fn in_place_of(deck: &Deck, id: &str, lies: impl Fn(usize) -> bool) -> Option<(usize, Rotation)> {
    if let Some(tile) = deck.index(id) {
        return Some((tile, Rotation::new(0)));
    }
    let printings = modules::SETS.iter().filter_map(|(.., text)| Deck::from_toml(text).ok());
    let faces = printings.filter_map(|set| set.tiles.into_iter().find(|tile| tile.id == id)?.face);
    faces.into_iter().find_map(|known| {
        let own = |(tile, own): (usize, &crate::Tile)| Some((tile, turn_to(own.face.as_ref()?, &known)?));
        deck.tiles.iter().enumerate().filter(|(tile, _)| !lies(*tile)).find_map(own)
    })
}

/// How a face has to be turned to show what another shows.
fn turn_to(face: &Face, known: &Face) -> Option<Rotation> {
    let known = known.clone().ordered();
    Rotation::ALL.into_iter().find(|by| face.turned(*by).ordered() == known)
}

#[cfg(test)]
mod tests {
    use super::super::{Position, Switches};
    use super::*;
    use crate::{Cell, Tile};

    /// The tiles of a built-in deck one by one, with names of their own, each turned somehow.
    fn own(sets: &[&str]) -> Deck {
        let known = deck_with(sets).unwrap();
        let mut tiles = Vec::new();
        let mut start = None;
        for tile in &known.tiles {
            for _ in 0..tile.count {
                let id = format!("t{:03}", tiles.len() + 1);
                if Some(&tile.id) == known.start.as_ref() {
                    start.get_or_insert(id.clone());
                }
                let face = tile.face.as_ref().map(|face| face.turned(Rotation::new(tiles.len() as u8 % 4)));
                tiles.push(Tile { id, face, doubts: Vec::new(), count: 1 });
            }
        }
        Deck { name: "mine".to_owned(), start, tiles, ..known }
    }

    #[test]
    fn tiles_are_counted_by_sets() {
        let deck = own(&["river", "inns", "count"]);
        let counts = |deck: &Deck| -> Vec<(&'static str, u32, u32)> {
            set_counts(deck).into_iter().map(|c| (c.name, c.found, c.all)).collect()
        };
        let all = [("classic", 72, 72), ("river", 12, 12), ("inns", 18, 18), ("count", 12, 12)];
        assert_eq!(counts(&deck), all);
        let mut fewer = deck.clone();
        let inn =
            fewer.tiles.iter().position(|t| t.face.as_ref().is_some_and(|f| f.to_string().contains("+inn")));
        fewer.tiles[inn.unwrap()].face = None;
        fewer.tiles.retain(|t| t.face.as_ref().is_none_or(|f| !f.to_string().contains("river")));
        assert_eq!(
            counts(&fewer),
            [("classic", 72, 72), ("river", 0, 12), ("inns", 17, 18), ("count", 12, 12)]
        );
    }

    #[test]
    fn a_block_is_made_of_tiles_with_names_of_their_own() {
        let (own, known) = (own(&["count"]), deck_with(&["count"]).unwrap());
        let [own_game, game] =
            [&own, &known].map(|deck| Position::new(deck, 2, Switches::default()).unwrap());
        let lies = |position: &Position, deck: &Deck, cell: Cell| {
            let (tile, rotation) = position.tile_at(cell)?;
            Some(deck.tiles[tile].face.as_ref()?.turned(rotation).ordered())
        };
        for cell in game.cells() {
            let known = lies(&game, &known, cell);
            // The middle looks alike from all sides.
            if known.is_some() && cell != Cell::new(0, 0) {
                assert_eq!(lies(&own_game, &own, cell), known, "{cell:?}");
            }
        }
        assert_eq!(own_game.placements(0).is_empty(), game.placements(0).is_empty());
        let mut without = own.clone();
        without.tiles.retain(|t| {
            t.face
                .as_ref()
                .is_none_or(|f| !f.to_string().contains("carcassonne") || f.to_string().contains("castle"))
        });
        assert!(Position::new(&without, 2, Switches::default()).is_err());
    }
}
