//! A deck, compiled: turned faces, edges, and which fields touch which cities.

use thiserror::Error;

use super::modules;
use super::vocabulary::VOCABULARY;
use crate::features::PlaceSet;
use crate::{Attribute, Deck, Face, Game, Kind, Port, Rotation, Segment, Sentence, Side, sentence};

/// The base game's 72 tiles as a TOML text.
pub const BASE_DECK: &str = include_str!("../../classic/deck.toml");

/// The base game's tiles and those of some sets, by their names: `river`, `inns`, `traders`,
/// `king`, `cathars`, `count` and `count15`, the city as one piece with a city at its north
/// side (CO-02).
///
/// # Errors
/// The first name that no set has, or that stands there twice.
pub fn deck_with(sets: &[&str]) -> Result<Deck, String> {
    let mut deck = base_deck();
    let known = |name: &str| modules::SETS.iter().any(|(set, ..)| *set == name);
    let fault = |i: &usize| !known(sets[*i]) || sets[..*i].contains(&sets[*i]);
    if let Some(fault) = (0..sets.len()).find(fault) {
        return Err(sets[fault].to_owned());
    }
    for (name, _, text) in modules::SETS.iter().filter(|(name, ..)| sets.contains(name)) {
        let more = Deck::from_toml(text).map_err(|e| e.to_string())?;
        if more.sets.iter().any(|set| deck.sets.contains(set)) {
            return Err((*name).to_owned());
        }
        deck.name = format!("{}+{name}", deck.name);
        deck.start = more.start.or(deck.start);
        deck.sets.extend(more.sets);
        deck.tiles.extend(more.tiles);
    }
    Ok(deck)
}

/// The name of the base game's deck with these sets, as decks are named that are built in:
/// `classic+river`.
pub fn deck_name<'a>(sets: impl IntoIterator<Item = &'a str>) -> String {
    std::iter::once("classic").chain(sets).collect::<Vec<_>>().join("+")
}

/// The 72 tiles of the base game (BA-02).
///
/// # Panics
/// Never: the tests read the text.
pub fn base_deck() -> Deck {
    Deck::from_toml(BASE_DECK).expect("the base game's deck reads")
}

/// Laid tiles by number, in the order in which they were laid; the start tile is 0.
pub(super) type Places = PlaceSet<3>;
/// The number of a laid tile.
pub(super) type Place = u8;
/// No segment at this port.
pub(super) const NO_SEGMENT: u8 = u8::MAX;
/// The most columns or rows on each side of the start tile: cells are named by `i8`, and
/// round the last there is an empty border.
const FARTHEST: usize = 126;

/// Why a deck cannot be played with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum SetupError {
    /// The deck is of another game.
    Game(String),
    /// A tile without a face.
    NoFace(String),
    /// A tile with a kind of another game, or one whose sides are none of the game's.
    Face(String, Sentence),
    /// No tile at all, or too many.
    Tiles(usize),
    /// The start tile is not named, or is not one of the deck.
    Start,
    /// A set that is not known.
    Set(String),
    /// A tile that lies from the start with one of its sets.
    Block(&'static str),
    /// Too few or too many players (BA-01).
    Players(usize, usize),
}

impl From<&SetupError> for Sentence {
    fn from(error: &SetupError) -> Sentence {
        match error {
            SetupError::Game(deck) => sentence!(
                "the deck `{}` is not one of the classic game; choose one whose game is `classic`",
                deck
            ),
            SetupError::NoFace(tile) => sentence!(
                "tile `{}` has no face; write what is printed on it into the deck, or enrol the deck again",
                tile
            ),
            SetupError::Face(tile, why) => sentence!(
                "tile `{}` cannot be part of the classic game: {}; correct its face in the deck",
                tile,
                why
            ),
            SetupError::Tiles(tiles) => sentence!(
                "the deck has {} tiles; a deck of 1 to {} can be played with",
                *tiles,
                Places::CAPACITY
            ),
            SetupError::Start => {
                sentence!("the deck names no start tile of its own; write `start = \"ID\"` above its tiles")
            }
            SetupError::Set(set) => {
                sentence!("no set of the classic game is named `{}`; write {}", set, set_names())
            }
            SetupError::Block(tile) => sentence!(
                "the deck has no tile `{}`, which lies from the start with its sets; add it, or leave the set out",
                *tile
            ),
            SetupError::Players(players, most) => {
                sentence!("{} players cannot play the classic game; 2 to {} can (BA-01)", *players, *most)
            }
        }
    }
}

/// A face in one of its four turns.
#[derive(Clone, Debug)]
pub(super) struct Turned {
    /// The segment at each port, or [`NO_SEGMENT`].
    pub ports: [u8; 12],
    /// What each side shows, four bits a side from north: 1 field, 2 road, 3 city,
    /// 4 river, 5 what only meets its like.
    pub edges: u16,
}

/// A face with its four turns.
#[derive(Clone, Debug)]
pub(super) struct CompiledFace {
    pub segments: Vec<Segment>,
    pub turned: [Turned; 4],
    /// The cloister, or [`NO_SEGMENT`].
    pub cloister: u8,
    /// For each segment that is a field: bit i, whether it touches city segment i.
    pub cities: Vec<u32>,
}

/// All that stays the same through a game.
#[derive(Clone, Debug)]
pub(super) struct Board {
    /// Faces of the deck's tiles.
    pub faces: Vec<CompiledFace>,
    pub ids: Vec<String>,
    pub counts: Vec<u16>,
    pub start: usize,
    /// How many tiles there are.
    pub total: u32,
    /// The most columns, and rows, on each side of the start tile on which tiles can come to
    /// lie.
    pub reach: u8,
}

impl Board {
    pub fn new(deck: &Deck) -> Result<Board, SetupError> {
        if deck.game != Game::Classic {
            return Err(SetupError::Game(deck.name.clone()));
        }
        if !(1..=Places::CAPACITY).contains(&deck.len()) {
            return Err(SetupError::Tiles(deck.len()));
        }
        let start = deck.start.as_deref().and_then(|id| deck.index(id)).ok_or(SetupError::Start)?;
        if deck.tiles[start].count == 0 {
            return Err(SetupError::Start);
        }
        let faces = deck.tiles.iter().map(|tile| {
            let face = tile.face.as_ref().ok_or_else(|| SetupError::NoFace(tile.id.clone()))?;
            compile(face).map_err(|why| SetupError::Face(tile.id.clone(), why))
        });
        Ok(Board {
            faces: faces.collect::<Result<_, _>>()?,
            ids: deck.tiles.iter().map(|t| t.id.clone()).collect(),
            counts: deck.tiles.iter().map(|t| t.count as u16).collect(),
            start,
            total: deck.len() as u32,
            reach: deck.len().min(FARTHEST) as u8,
        })
    }
}

/// What a side shows, as in [`Turned::edges`].
fn edge(face: &Face, side: Side) -> Result<u16, Sentence> {
    let kind = |port| face.at(port).map(|i| face.segments()[i].kind);
    let [left, middle, right] = [Port::left(side), Port::middle(side), Port::right(side)].map(kind);
    let same_city = face.at(Port::left(side)) == face.at(Port::right(side));
    Ok(match (left, middle, right) {
        (Some(Kind::FIELD), None, Some(Kind::FIELD)) => 1,
        (Some(Kind::FIELD), Some(Kind::ROAD), Some(Kind::FIELD)) => 2,
        (Some(Kind::CITY), None, Some(Kind::CITY)) if same_city => 3,
        (Some(Kind::FIELD), Some(Kind::RIVER), Some(Kind::FIELD)) => 4,
        (Some(left), None, Some(right)) if is_built_up(left) || is_built_up(right) => 5,
        _ => {
            let name = ["north", "east", "south", "west"][side.index()];
            return Err(sentence!(
                "its {} side is neither field, road, city nor river",
                Sentence::word(name)
            ));
        }
    })
}

/// Whether it is none of what the base game's tiles show at their sides.
fn is_built_up(kind: Kind) -> bool {
    is_classic(kind) && kind != Kind::FIELD && kind != Kind::CITY
}

/// Whether the base game or one of its modules has a kind.
fn is_classic(kind: Kind) -> bool {
    let modules = modules::VOCABULARIES.iter().flat_map(|v| v.kinds);
    VOCABULARY.kinds.iter().chain(modules).any(|facts| facts.name == kind.name())
}

fn set_names() -> Sentence {
    let [first @ .., last] = modules::MODULES.map(|module| module.set());
    sentence!("{} or {}", first.join(", "), last)
}

fn compile(face: &Face) -> Result<CompiledFace, Sentence> {
    let segments = face.segments().to_vec();
    if let Some(other) = segments.iter().find(|s| !is_classic(s.kind)) {
        return Err(sentence!("it shows a {}", Sentence::word(other.kind.name())));
    }
    let mut cloisters = segments.iter().zip(0u8..).filter(|(s, _)| s.kind == Kind::CLOISTER);
    let cloister = cloisters.next().map_or(NO_SEGMENT, |(_, i)| i);
    if cloisters.next().is_some() {
        return Err(sentence!("it shows two cloisters"));
    }
    for side in Side::ALL {
        edge(face, side)?;
    }
    let turned = Rotation::ALL.map(|rotation| {
        let face = face.turned(rotation);
        let ports = Port::ALL.map(|port| face.at(port).map_or(NO_SEGMENT, |s| s as u8));
        let edges = Side::ALL.map(|side| edge(&face, side).unwrap_or(0) << (4 * side.index()));
        Turned { ports, edges: edges.iter().sum() }
    });
    let cities = (0..segments.len()).map(|field| touched_cities(face, field)).collect();
    Ok(CompiledFace { segments, turned, cloister, cities })
}

/// The cities that a field touches: those whose half-side lies next to one of the
/// field's round a corner of the tile; all of the tile, where that is printed on the field,
/// or where the field reaches no side.
fn touched_cities(face: &Face, field: usize) -> u32 {
    if face.segments()[field].kind != Kind::FIELD {
        return 0;
    }
    let mut cities = 0;
    let ours = face.segments()[field];
    if ours.attributes.has(Attribute::CITY) || ours.ports.iter().next().is_none() {
        let all = face.segments().iter().zip(0..).filter(|(s, _)| s.kind == Kind::CITY);
        return all.fold(0, |cities, (_, city): (_, u32)| cities | 1 << city);
    }
    for side in Side::ALL {
        let next = Side::from_index(side.index() + 1);
        let (before, after) = (face.at(Port::right(side)), face.at(Port::left(next)));
        for (ours, theirs) in [(before, after), (after, before)] {
            if let (true, Some(city)) = (ours == Some(field), theirs)
                && face.segments()[city].kind == Kind::CITY
            {
                cities |= 1 << city;
            }
        }
    }
    cities
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attribute;

    #[test]
    fn the_base_game_has_72_tiles_of_24_kinds() {
        let deck = base_deck();
        assert_eq!((deck.len(), deck.tiles.len()), (72, 24));
        let count = |test: &dyn Fn(&Segment) -> bool| -> u32 {
            let with = deck.tiles.iter().filter(|t| t.face.as_ref().unwrap().segments().iter().any(test));
            with.map(|t| t.count).sum()
        };
        assert_eq!(count(&|s| s.kind == Kind::CLOISTER), 6);
        assert_eq!(count(&|s| s.attributes.has(Attribute::PENNANT)), 10);
        let board = Board::new(&deck).unwrap();
        assert_eq!(board.ids[board.start], "RCr");
    }

    #[test]
    fn a_field_touches_the_cities_round_its_corners() {
        let cities = |text: &str, field: usize| compile(&text.parse().unwrap()).unwrap().cities[field];
        assert_eq!(cities("city n; road e-w; field el-wr; field er-s-wl", 2), 0b1);
        assert_eq!(cities("city n; road e-w; field el-wr; field er-s-wl", 3), 0);
        assert_eq!(cities("city n; city w; field e-s", 2), 0b11);
        assert_eq!(cities("road s; city n-e-w; field sl; field sr", 2), 0b10);
    }

    #[test]
    fn decks_that_cannot_be_played_with_are_refused() {
        let says = |change: fn(&mut Deck)| {
            let mut deck = base_deck();
            change(&mut deck);
            Board::new(&deck).unwrap_err().to_string()
        };
        assert!(says(|d| d.game = Game::Castle).contains("is not one of the classic game"));
        assert!(says(|d| d.start = None).contains("no start tile"));
        assert!(says(|d| d.start = Some("x".into())).contains("no start tile"));
        assert!(says(|d| d.tiles[0].face = None).contains("tile `L` has no face"));
        assert!(says(|d| d.tiles[0].count = 400).contains("has 468 tiles"));
        assert!(says(|d| d.tiles[0].face = "court n-e-s-w".parse().ok()).contains("it shows a court"));
        assert!(says(|d| d.tiles[0].face = "city n-el; field er-s-w".parse().ok()).contains("its east side"));
        assert!(says(|d| d.tiles[0].face = "city nl; city nr; field e-s-w".parse().ok()).contains("north"));
        assert!(says(|d| d.tiles[0].face = "cloister; cloister; field n-e-s-w".parse().ok()).contains("two"));
    }
}
