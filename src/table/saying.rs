//! What a question and its answers say, as data: each language makes words of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::record::turned;
use crate::rules::{Cell, FigureKind, Player, Rotation, Side, cell_name};

/// A wall tile that a player has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenView {
    /// The index of the player.
    pub player: usize,
    /// The lower track space of the tower that it lay on.
    pub tower: u8,
}

/// What a question asks. Its sentence says it too, in English and with all that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// What its sentence says.
    #[default]
    Said,
    /// Which number a wall tile has.
    WallTile(TakenView),
    /// Which tile lies in its cell, where the record has none.
    NewTile,
    /// Whether the tile in its cell is the one that it reads as now.
    Reread,
    /// What was done in its cell.
    What,
    /// In which order tiles were laid, the first of them in its cell.
    Order,
    /// Whether what is recorded in its cell happened against the rules.
    Against,
    /// What a follower in its cell means that the record does not have.
    Follower {
        /// The index of the follower's player.
        player: usize,
    },
    /// That a scored follower goes home from its cell.
    Lingering {
        /// The index of the follower's player.
        player: usize,
    },
    /// Why a marker stands elsewhere than the record has it.
    Marker {
        /// The index of the marker's player.
        player: usize,
    },
    /// What was done in its cell while nothing was seen.
    Missed,
    /// Who laid the tile in its cell.
    WhoLaid,
    /// Whether tiles lie there that are not seen.
    Gone {
        /// How many are not seen.
        gone: usize,
    },
}

/// A segment of a tile as it lies. Its text is `path (north, east)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentView {
    /// Its kind in the edition's words.
    pub kind: String,
    /// The sides that it reaches.
    pub sides: Vec<Side>,
}

impl fmt::Display for SegmentView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if self.sides.is_empty() {
            return Ok(());
        }
        let sides: Vec<&str> = self.sides.iter().map(|side| word(*side)).collect();
        write!(f, " ({})", sides.join(", "))
    }
}

/// A side of the table as a word.
pub fn word(side: Side) -> &'static str {
    match side {
        Side::North => "north",
        Side::East => "east",
        Side::South => "south",
        Side::West => "west",
    }
}

/// One of the things that an answer says, in the order in which they are said. Players are told by
/// their index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Saying {
    /// It is as the record has it.
    AsRecorded,
    /// This tile lies there.
    Tile(String, Rotation),
    /// A figure of a player was put on a segment.
    Figure(FigureKind, usize, SegmentView),
    /// A figure was put on a place with a name of its own, if it has one.
    FigureAt(FigureKind, Option<String>),
    /// A follower of a player stands on the tile.
    FollowerOnIt(usize),
    /// No follower was put there.
    NoFollower,
    /// It was this player's turn, without a follower.
    TurnWithout(usize),
    /// The figure was scored and went home in the same turn.
    Home,
    /// A wall tile with this number was used.
    Used(String),
    /// A player uses a wall tile with this number.
    Uses(usize, String),
    /// A wall tile with this number gave the turn.
    GaveTurn(String),
    /// No wall tile was used.
    WithoutWallTile,
    /// A player laid it.
    Laid(usize),
    /// All after it laid in turn.
    InTurn,
    /// Tiles were laid in this order of their cells.
    Order(Vec<Cell>),
    /// Features were scored in this order: a segment of each, and its cell.
    Scored(Vec<(SegmentView, Cell)>),
    /// What follows is of this cell.
    At(Cell),
    /// What was just said is of this cell.
    In(Cell),
    /// This tile lies in this cell, seen or not.
    Lies(String, Cell),
    /// So many tiles lie there, seen or not.
    AllLie(usize),
    /// The turn that laid it did not happen.
    NotHappened(u32),
    /// Nothing of what is asked was done.
    No,
    /// Something else, in an English sentence.
    Told(String),
}

/// What is said, in English. `name` gives players' names.
pub fn english<'a>(says: &[Saying], name: &dyn Fn(Player) -> &'a str) -> String {
    let name = |index: usize| u8::try_from(index).map_or("", |index| name(Player(index)));
    let mut text = String::new();
    let mut last: Option<&Saying> = None;
    for saying in says {
        text.push_str(match (last, saying) {
            (None, _) => "",
            (Some(Saying::Tile(..)), Saying::Figure(..) | Saying::NoFollower | Saying::TurnWithout(_)) => {
                " with "
            }
            (_, Saying::Used(_)) => ", and ",
            (_, Saying::At(_)) => "; ",
            (Some(Saying::At(_)), _) => " ",
            (_, Saying::In(_)) => " ",
            (Some(Saying::In(_)), _) => " and ",
            _ => ", ",
        });
        let alone = last.is_none();
        last = Some(saying);
        let cells = |cells: &[Cell]| cells.iter().map(|c| cell_name(*c)).collect::<Vec<_>>().join(", ");
        text.push_str(&match saying {
            Saying::AsRecorded if alone => "the record as it is".to_owned(),
            Saying::AsRecorded => "as it is recorded".to_owned(),
            Saying::Tile(tile, rotation) => turned(tile, *rotation),
            Saying::Figure(figure, player, on) => {
                format!("a {} of {} on the {on}", figure.word(), name(*player))
            }
            Saying::FigureAt(figure, None) => format!("a {}", figure.word()),
            Saying::FigureAt(figure, Some(place)) => format!("a {}: {place}", figure.word()),
            Saying::FollowerOnIt(player) => format!("a follower of {} on it", name(*player)),
            Saying::NoFollower => "no follower".to_owned(),
            Saying::TurnWithout(player) => format!("{}'s turn without a follower", name(*player)),
            Saying::Home => "scored and home".to_owned(),
            Saying::Used(number) => format!("{number} used"),
            Saying::Uses(player, number) => format!("{} uses wall tile {number}", name(*player)),
            Saying::GaveTurn(number) => format!("wall tile {number} gave the turn"),
            Saying::WithoutWallTile => "without a wall tile".to_owned(),
            Saying::Laid(player) if alone => format!("{} laid it", name(*player)),
            Saying::Laid(player) => format!("laid by {}", name(*player)),
            Saying::InTurn => "and all after it in turn".to_owned(),
            Saying::Order(order) => cells(order),
            Saying::Scored(order) => {
                let each: Vec<String> =
                    order.iter().map(|(on, cell)| format!("{on} in {}", cell_name(*cell))).collect();
                format!("scored in this order: {}", each.join(", then "))
            }
            Saying::At(cell) | Saying::In(cell) => format!("in {}", cell_name(*cell)),
            Saying::Lies(tile, cell) => format!("{tile} lies in {}; go on", cell_name(*cell)),
            Saying::AllLie(count) => format!("all {count} lie there; go on"),
            Saying::NotHappened(turn) => format!("turn {turn}, which laid it, did not happen"),
            Saying::No => "no".to_owned(),
            Saying::Told(sentence) => sentence.clone(),
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_makes_a_sentence() {
        let name = |player: Player| if player == Player(0) { "Ada" } else { "Ben" };
        let path = SegmentView { kind: "path".to_owned(), sides: vec![Side::North, Side::East] };
        let cell: Cell = Cell::new(3, 4);
        for (says, text) in [
            (vec![Saying::AsRecorded], "the record as it is"),
            (
                vec![
                    Saying::Tile("c07".to_owned(), Rotation::new(1)),
                    Saying::FollowerOnIt(1),
                    Saying::AsRecorded,
                ],
                "c07 turned once, a follower of Ben on it, as it is recorded",
            ),
            (
                vec![
                    Saying::Tile("c07".to_owned(), Rotation::new(0)),
                    Saying::Figure(FigureKind::FOLLOWER, 0, path.clone()),
                    Saying::Used("2".to_owned()),
                    Saying::In(cell),
                    Saying::NoFollower,
                    Saying::In(Cell::new(3, 5)),
                ],
                "c07 with a follower of Ada on the path (north, east), and 2 used in D5 and no follower in D6",
            ),
            (
                vec![Saying::Order(vec![cell, Cell::new(3, 5)]), Saying::At(cell), Saying::NoFollower],
                "D5, D6; in D5 no follower",
            ),
            (vec![Saying::Laid(1), Saying::WithoutWallTile], "Ben laid it, without a wall tile"),
            (vec![Saying::Laid(1), Saying::InTurn], "Ben laid it, and all after it in turn"),
            (
                vec![Saying::Scored(vec![(path.clone(), cell), (path, Cell::new(3, 5))])],
                "scored in this order: path (north, east) in D5, then path (north, east) in D6",
            ),
        ] {
            assert_eq!(english(&says, &name), text);
        }
    }
}
