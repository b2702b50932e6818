//! What players hold besides followers, and places with names, as people are shown them.

use crate::SegmentAt;

/// Figures or tokens of a kind, or a card, that a player has (PL-01, PL-13, PL-25).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Its name in records.
    pub name: &'static str,
    /// The word for it in a sentence.
    pub word: &'static str,
    /// How many are in the player's supply.
    pub count: u32,
    /// Whether it is a card, of which there is one only.
    pub single: bool,
    /// Where more of it stand, for figures.
    pub on_board: Vec<SegmentAt>,
}

/// A place of the board with a name of its own (CO-03).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedPlace {
    /// Its name.
    pub name: &'static str,
    /// Where those are who are in it.
    pub at: SegmentAt,
    /// Its middle in tile sides from the upper left corner of `A1`, to the right.
    pub x: f32,
    /// The same, downwards.
    pub y: f32,
}
