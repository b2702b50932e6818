//! What a question and its answers say, as data, and the sentences that it makes.

use serde::{Deserialize, Serialize};

use crate::record::turned;
use crate::rules::words::cells;
use crate::rules::{Cell, FigureKind, Player, Rotation, Sentence, Side, sentence};

/// A wall tile that a player has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenView {
    /// The index of the player.
    pub player: usize,
    /// The lower track space of the tower that it lay on.
    pub tower: u8,
}

/// What a question asks. Its sentence says it too, with all that is known.
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

impl SegmentView {
    /// In words: `path (north, east)`.
    pub fn said(&self) -> Sentence {
        let kind = Sentence::word(&self.kind);
        let sides = self.sides.iter().map(|side| Sentence::word(word(*side)));
        match sides.reduce(|one, other| sentence!("{}, {}", one, other)) {
            Some(sides) => sentence!("{} ({})", kind, sides),
            None => kind,
        }
    }
}

/// A side of the table as a word.
fn word(side: Side) -> &'static str {
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
    /// A figure went from a place with a name of its own to a segment in a cell.
    FigureTo(FigureKind, String, SegmentView, Cell),
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
    /// Something else, in a sentence.
    Told(Sentence),
}

/// What is said, in a sentence. `name` gives players' names.
pub fn said<'a>(says: &[Saying], name: &dyn Fn(Player) -> &'a str) -> Sentence {
    let mut all: Option<(Sentence, &Saying)> = None;
    for saying in says {
        let said = saying.said(all.is_none(), name);
        let joined = match all {
            None => said,
            Some((all, last)) => match (last, saying) {
                (Saying::Tile(..), Saying::Figure(..) | Saying::NoFollower | Saying::TurnWithout(_)) => {
                    sentence!("{} with {}", all, said)
                }
                (_, Saying::Used(_)) => sentence!("{}, and {}", all, said),
                (_, Saying::At(_)) => sentence!("{}; {}", all, said),
                (Saying::At(_), _) | (_, Saying::In(_)) => sentence!("{} {}", all, said),
                (Saying::In(_), _) => sentence!("{} and {}", all, said),
                _ => sentence!("{}, {}", all, said),
            },
        };
        all = Some((joined, saying));
    }
    all.map(|(said, _)| said).unwrap_or_default()
}

impl Saying {
    /// One of the things that are said; `alone` is the first of them.
    fn said<'a>(&self, alone: bool, name: &dyn Fn(Player) -> &'a str) -> Sentence {
        let name = |index: &usize| u8::try_from(*index).map_or("", |index| name(Player(index)));
        let word = |figure: &FigureKind| Sentence::word(figure.word());
        match self {
            Saying::AsRecorded if alone => sentence!("the record as it is"),
            Saying::AsRecorded => sentence!("as it is recorded"),
            Saying::Tile(tile, rotation) => turned(tile, *rotation),
            Saying::Figure(figure, player, on) => {
                sentence!("a {} of {} on the {}", word(figure), name(player), on.said())
            }
            Saying::FigureAt(figure, None) => sentence!("a {}", word(figure)),
            Saying::FigureAt(figure, Some(place)) => {
                sentence!("a {}: {}", word(figure), Sentence::word(place))
            }
            Saying::FigureTo(figure, place, on, cell) => {
                let place = Sentence::word(place);
                sentence!("a {} from the {} to the {} in {}", word(figure), place, on.said(), *cell)
            }
            Saying::FollowerOnIt(player) => sentence!("a follower of {} on it", name(player)),
            Saying::NoFollower => sentence!("no follower"),
            Saying::TurnWithout(player) => sentence!("{}'s turn without a follower", name(player)),
            Saying::Home => sentence!("scored and home"),
            Saying::Used(number) => sentence!("{} used", number),
            Saying::Uses(player, number) => sentence!("{} uses wall tile {}", name(player), number),
            Saying::GaveTurn(number) => sentence!("wall tile {} gave the turn", number),
            Saying::WithoutWallTile => sentence!("without a wall tile"),
            Saying::Laid(player) if alone => sentence!("{} laid it", name(player)),
            Saying::Laid(player) => sentence!("laid by {}", name(player)),
            Saying::InTurn => sentence!("and all after it in turn"),
            Saying::Order(order) => Sentence::word(&cells(order)),
            Saying::Scored(order) => {
                let each = order.iter().map(|(on, cell)| sentence!("{} in {}", on.said(), *cell));
                let each = each.reduce(|one, next| sentence!("{}, then {}", one, next));
                sentence!("scored in this order: {}", each.unwrap_or_default())
            }
            Saying::At(cell) | Saying::In(cell) => sentence!("in {}", *cell),
            Saying::Lies(tile, cell) => sentence!("{} lies in {}; go on", tile, *cell),
            Saying::AllLie(count) => sentence!("all {} lie there; go on", *count),
            Saying::NotHappened(turn) => sentence!("turn {}, which laid it, did not happen", *turn),
            Saying::No => sentence!("no"),
            Saying::Told(sentence) => sentence.clone(),
        }
    }
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
                vec![Saying::FigureTo(FigureKind::FOLLOWER, "market".to_owned(), path.clone(), cell)],
                "a follower from the market to the path (north, east) in D5",
            ),
            (
                vec![Saying::Scored(vec![(path.clone(), cell), (path, Cell::new(3, 5))])],
                "scored in this order: path (north, east) in D5, then path (north, east) in D6",
            ),
        ] {
            assert_eq!(said(&says, &name).to_string(), text);
        }
    }
}
