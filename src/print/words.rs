//! What is written on the pages.

use crate::rules::{Attribute, Deck, Game, Tile};

/// How a castle set is put together.
pub const CASTLE: [&str; 17] = [
    "1. Print all pages at 100 % (\"actual size\"), not \"fit to page\", on one side.",
    "    Then measure the line at the foot of a page: it must be 50 mm long. If it isn't,",
    "    tiles and wall would not fit together and the camera would read them badly.",
    "2. Glue the tile pages onto card of 1 to 2 mm. Leave the backs bare: all tiles must",
    "    look the same from behind.",
    "3. Cut along the marks in the margins, from mark to mark, with a knife and a ruler.",
    "    The tiles of a page share their edges. A tile is 45 mm on each side.",
    "4. Glue the wall pieces onto card of 2 to 3 mm, or onto one layer of corrugated card,",
    "    and cut along the edge of the picture.",
    "5. Lay the pieces out by their track numbers, 0 to 99 clockwise, as on the plan below.",
    "    Each piece butts against the next; hold the joints with tape underneath, so that",
    "    the wall can be folded up. Where a start space runs over a joint, its halves meet.",
    "6. Wall tiles: cut out the pair of front and back, fold it at the dashed line and glue",
    "    it together. There are two of each number.",
    "",
    "Followers, keeps and score markers come from any copy of the game you own, or take",
    "pawns of two strong colours, 7 each, and a larger one.",
];

/// How the tiles of the classic game are made.
const CLASSIC: [&str; 11] = [
    "1. Print all pages at 100 % (\"actual size\"), not \"fit to page\", on one side.",
    "    Then measure the line at the foot of a page: it must be 50 mm long. If it isn't,",
    "    the camera would read the tiles badly.",
    "2. Glue the tile pages onto card of 1 to 2 mm. Leave the backs bare: all tiles must",
    "    look the same from behind.",
    "3. Cut along the marks in the margins, from mark to mark, with a knife and a ruler.",
    "    The tiles of a page share their edges. A tile is 45 mm on each side.",
    "",
    "Followers come from any copy of the game you own, or take pawns of strong colours, one",
    "colour and 7 pawns a player.",
    "",
];

/// What each set of the classic game needs besides its tiles, by its name in decks.
const SETS: [(&str, [&str; 2]); 6] = [
    (
        "river",
        [
            "The River: lay the spring first. Its other tiles are drawn before all others,",
            "    the lake as the last of them.",
        ],
    ),
    ("inns", ["Inns & Cathedrals: a larger follower for each player. Six may play.", ""]),
    (
        "traders",
        [
            "Traders & Builders: a builder and a pig for each player. The goods are cut out like",
            "    the tiles.",
        ],
    ),
    (
        "king",
        [
            "King & Robber Baron: the cards go to whoever completes the largest city and the",
            "    longest road.",
        ],
    ),
    ("cathars", ["The Cathars: mix the four tiles with the others.", ""]),
    (
        "count",
        [
            "The Count: the twelve tiles of the City of Carcassonne lie from the start, as on the",
            "    plan below. One more figure is the count; he begins in the castle.",
        ],
    ),
];

/// How the tiles of a deck of the classic game are made, and what its sets need; `first` is the
/// tile that the game begins with, where it is one and is shown below.
pub fn classic(deck: &Deck, first: Option<&Tile>) -> Vec<String> {
    let mut lines: Vec<String> = CLASSIC.iter().map(|line| (*line).to_owned()).collect();
    if let Some(first) = first {
        let one = if first.count > 1 { "one of the tiles" } else { "the tile" };
        lines.push(format!("The game begins with {one} below."));
    }
    for (_, words) in SETS.iter().filter(|(name, _)| deck.sets.iter().any(|set| set == name)) {
        lines.extend(words.iter().filter(|w| !w.is_empty()).map(|w| (*w).to_owned()));
    }
    lines
}

/// What a sign on the tiles of the classic game means, in two lines; `None` where nothing is
/// drawn.
pub fn meaning(attribute: Attribute) -> Option<[&'static str; 2]> {
    match attribute {
        Attribute::PENNANT => Some(["A pennant:", "it counts as a tile more."]),
        Attribute::SPRING => Some(["The spring:", "the river begins here."]),
        Attribute::INN => Some(["An inn at the road:", "2 a tile, or nothing."]),
        Attribute::CATHEDRAL => Some(["A cathedral:", "3 a tile, or nothing."]),
        Attribute::CLOTH => Some(["Cloth:", "for who completes the city."]),
        Attribute::GRAIN => Some(["Grain:", "for who completes the city."]),
        Attribute::WINE => Some(["Wine:", "for who completes the city."]),
        Attribute::BESIEGED => Some(["A siege:", "1 a tile less, or nothing."]),
        _ => None,
    }
}

/// What the tiles of a game are called on its pages.
pub fn tiles(game: Game) -> &'static str {
    match game {
        Game::Castle => "castle tiles",
        Game::Classic => "tiles",
    }
}
