//! Moves as text that a person can type and read back.
//!
//! | text | means |
//! |---|---|
//! | `lay h07 D5 1` | tile h07 to column D, row 5, one quarter turn clockwise (0 may be left out) |
//! | `knight` | a knight on the tower of the tile just laid |
//! | `knight D5 2` | a knight on segment 2 of the tile in D5; likewise `herald`, `squire`, `merchant` |
//! | `discard h07` | tile h07 fits nowhere |
//! | `use 2`, `use 2 D5 1` | wall tile 2 is used, on the tower at D5 |
//! | `show 32 7` | the wall tile of tower 32 is a 7 |
//! | `order D5 1, C4 0` | in which order features are scored |
//! | `end`, `stop` | the turn, the game is over |
//!
//! The player to move does it; `1:` or `2:` before a move names another. Where
//! the edition has words or wall tile numbers of its own, they are written: the
//! number printed on the wall tile, or `8 of 2003` for one of which the edition does
//! not say what is printed on it.

use thiserror::Error;

use super::legality::SIDES;
use super::{Move, Phase, Placement, Position, SegmentAt, WALL_TILE_KINDS, cell_from_name, cell_name};
use crate::{Cell, Player, Port, Role, Rotation, Sentence, Side, sentence};

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum NotationError {
    /// An unknown first word, and the edition's words for followers.
    Word(String, String),
    /// Words are missing or too many.
    Form(String),
    /// Not the number of a player before a colon.
    Player(String),
    /// Not a cell.
    Cell(String),
    /// Not a tile of the deck.
    Tile(String),
    /// Not a number, or one too large.
    Number(String),
    /// A wall tile number of which the edition does not say what it does.
    WallTile(u8),
    /// The tile has no such segment, or more than one.
    Segment(String),
}

impl From<&NotationError> for Sentence {
    fn from(error: &NotationError) -> Sentence {
        match error {
            NotationError::Word(word, followers) => sentence!(
                "`{}` is no move; write lay, {}, discard, use, show, order, end or stop",
                word,
                followers
            ),
            NotationError::Form(form) => sentence!("write it as `{}`", form),
            NotationError::Player(text) => sentence!(
                "`{}` is no player's number; write `1:` or `2:` before a move, or nothing if it is whose turn it is",
                text
            ),
            NotationError::Cell(text) => sentence!(
                "`{}` is not a cell; write its column as a letter and its row as a number, such as D5",
                text
            ),
            NotationError::Tile(tile) => sentence!("the deck has no tile `{}`", tile),
            NotationError::Number(text) => sentence!("`{}` is not a number that fits here", text),
            NotationError::WallTile(number) => sentence!(
                "what wall tile {0} does in this edition is not known; say it with the edition, as in `{0}=4`",
                *number
            ),
            NotationError::Segment(why) => Sentence::from(why.clone()),
        }
    }
}

/// A segment as it is typed: `D5 1`.
pub(super) fn segment_name(at: SegmentAt) -> String {
    format!("{} {}", cell_name(at.cell), at.segment)
}

fn cell(name: &str) -> Result<Cell, NotationError> {
    cell_from_name(name).ok_or_else(|| NotationError::Cell(name.to_owned()))
}

fn number(text: &str) -> Result<u8, NotationError> {
    text.parse().map_err(|_| NotationError::Number(text.to_owned()))
}

/// How a move is written, by its first word.
fn form(word: &str) -> NotationError {
    let form = match word {
        "lay" => "lay TILE CELL TURNS`, such as `lay h07 D5 1",
        "discard" => "discard TILE`, such as `discard h07",
        "use" => "use NUMBER`, or `use NUMBER CELL SEGMENT`, such as `use 2 D5 1",
        "show" => "show TOWER NUMBER`, such as `show 32 7",
        "order" => "order CELL SEGMENT, CELL SEGMENT`, such as `order D5 1, C4 0",
        word => word,
    };
    NotationError::Form(form.to_owned())
}

impl Position {
    /// Reads a move; it may still be illegal.
    ///
    /// # Errors
    /// [`NotationError`] says how to write it.
    pub fn read_move(&self, text: &str) -> Result<Move, NotationError> {
        let text = text.trim();
        let (player, text) = match text.split_once(':') {
            Some((n, rest)) => match n.trim().parse::<u8>() {
                Ok(n) if n >= 1 => (Player(n - 1), rest),
                _ => return Err(NotationError::Player(n.trim().to_owned())),
            },
            None => (self.mover(text.split_whitespace().next() == Some("lay")), text),
        };
        let mut words: Vec<&str> = text.split([' ', ',', '\t']).filter(|w| !w.is_empty()).collect();
        let of_2003 = words.windows(2).position(|w| w == ["of", "2003"]);
        if let Some(at) = of_2003 {
            words.drain(at..at + 2);
        }
        let tile = |id: &str| self.tile_index(id).ok_or_else(|| NotationError::Tile(id.to_owned()));
        // A number past 9 is not one of the edition's: the rules refuse it.
        let wall_tile = |n: &str| {
            let printed = number(n)?;
            if of_2003.is_some() {
                return Ok(printed);
            }
            match self.words.number_of(printed) {
                None if (1..=WALL_TILE_KINDS).contains(&printed) => Err(NotationError::WallTile(printed)),
                known => Ok(known.unwrap_or(printed)),
            }
        };
        Ok(match words.as_slice() {
            ["lay", id, at, turns @ ..] => {
                let rotation = match turns {
                    [] => 0,
                    [n] => number(n)?,
                    _ => return Err(form("lay")),
                };
                if rotation > 3 {
                    return Err(NotationError::Number(rotation.to_string()));
                }
                let placement =
                    Placement { tile: tile(id)?, cell: cell(at)?, rotation: Rotation::new(rotation) };
                Move::Lay { player, placement }
            }
            ["discard", id] => Move::Discard { player, tile: tile(id)? },
            ["use", n] => Move::Use { player, number: wall_tile(n)?, on: None },
            ["use", n, at, segment] => {
                let on = SegmentAt { cell: cell(at)?, segment: number(segment)? };
                Move::Use { player, number: wall_tile(n)?, on: Some(on) }
            }
            ["show", tower, n] => Move::Show { space: number(tower)?, number: wall_tile(n)? },
            ["order", pairs @ ..] if !pairs.is_empty() => {
                let (pairs, []) = pairs.as_chunks::<2>() else {
                    return Err(form("order"));
                };
                let features = pairs
                    .iter()
                    .map(|[at, segment]| Ok(SegmentAt { cell: cell(at)?, segment: number(segment)? }))
                    .collect::<Result<_, NotationError>>()?;
                Move::Order { player, features }
            }
            ["end"] => Move::End { player },
            ["stop"] => Move::Stop,
            [word @ ("lay" | "discard" | "use" | "show" | "order" | "end" | "stop"), ..] => {
                return Err(form(word));
            }
            [word, at @ ..] => {
                let role = self.words.role_of(word).ok_or_else(|| self.no_move(word))?;
                Move::follower(player, self.read_claim(role, at)?)
            }
            [] => return Err(self.no_move("")),
        })
    }

    fn no_move(&self, word: &str) -> NotationError {
        let roles = [Role::HERALD, Role::KNIGHT, Role::SQUIRE, Role::MERCHANT].map(|r| self.words.role(r));
        NotationError::Word(word.to_owned(), roles.join(", "))
    }

    /// Who does a move that names nobody: the player to move, and who lays a tile
    /// while a turn has not ended is the one whose turn comes next.
    fn mover(&self, lays: bool) -> Player {
        if lays && self.phase() == Phase::Follower && self.state.extra == 0 {
            self.to_move().opponent()
        } else {
            self.to_move()
        }
    }

    fn read_claim(&self, role: Role, at: &[&str]) -> Result<SegmentAt, NotationError> {
        let word = self.words.role(role);
        let (named, segment) = match at {
            [] => (None, None),
            [n] if n.bytes().all(|b| b.is_ascii_digit()) => (None, Some(number(n)?)),
            [at] => (Some(cell(at)?), None),
            [at, n] => (Some(cell(at)?), Some(number(n)?)),
            _ => return Err(NotationError::Form(format!("{word} CELL SEGMENT`, such as `{word} D5 1"))),
        };
        let laid = self.last_cell().filter(|_| self.phase() == Phase::Follower);
        let Some(cell) = named.or(laid) else {
            return Err(NotationError::Segment(format!(
                "no tile was laid in this turn; lay one, or say where the {word} stands, as in `{word} D5 1`"
            )));
        };
        let name = cell_name(cell);
        if self.tile_at(cell).is_none() {
            let what = if self.cells().contains(&cell) { "no tile lies in" } else { "outside the wall is" };
            return Err(NotationError::Segment(format!("{what} {name}; name the cell of a tile that lies")));
        }
        let of_role: Vec<u8> = (0..32)
            .filter(|segment| self.role_at(SegmentAt { cell, segment: *segment }) == Some(role))
            .collect();
        let known = segment.filter(|n| of_role.contains(n));
        match (known, segment, of_role.as_slice()) {
            (Some(segment), ..) | (None, None, &[segment]) => Ok(SegmentAt { cell, segment }),
            (None, _, []) => Err(NotationError::Segment(format!(
                "the tile in {name} has nothing for a {word}; choose {}",
                self.claim_choices(cell, None)
            ))),
            (None, Some(n), _) => Err(NotationError::Segment(format!(
                "the tile in {name} has no segment {n} for a {word}; choose {}",
                self.claim_choices(cell, Some(role))
            ))),
            (None, None, _) => Err(NotationError::Segment(format!(
                "the tile in {name} has several segments for a {word}; choose {}",
                self.claim_choices(cell, Some(role))
            ))),
        }
    }

    /// The followers that the tile in a cell has a segment for, one role or all of
    /// them, as they are typed and where they lie: `knight D5 0` (north, west).
    fn claim_choices(&self, cell: Cell, role: Option<Role>) -> String {
        let choices: Vec<String> = (0..32)
            .map(|segment| SegmentAt { cell, segment })
            .filter_map(|at| {
                let of = self.role_at(at).filter(|of| role.is_none_or(|role| role == *of))?;
                Some(format!("`{} {}` ({})", self.words.role(of), segment_name(at), self.sides_of(at)))
            })
            .collect();
        choices.join(" or ")
    }

    /// The sides of its tile that a segment lies at: `north, west`.
    fn sides_of(&self, at: SegmentAt) -> String {
        let Some((place, node)) = self.board.place(at.cell).zip(self.node_at(at)) else {
            return String::new();
        };
        let lies = |side: &Side| {
            let ports = [Port::left(*side), Port::middle(*side), Port::right(*side)];
            ports.into_iter().any(|port| self.node_at_port(place, port) == Some(node))
        };
        let sides: Vec<&str> = Side::ALL.into_iter().filter(lies).map(|side| SIDES[side.index()]).collect();
        if sides.is_empty() { "inside".to_owned() } else { sides.join(", ") }
    }

    /// Writes a move as [`Position::read_move`] reads it; `self` is the position
    /// before it.
    pub fn write_move(&self, played: &Move) -> String {
        let player = played.player().unwrap_or(self.to_move());
        let mover = self.mover(matches!(played, Move::Lay { .. }));
        let by = if player == mover { String::new() } else { format!("{}: ", u32::from(player.0) + 1) };
        let tile = |tile: usize| self.tile_id(tile).unwrap_or("?").to_owned();
        let at = segment_name;
        let wall_tile = |n: u8| self.words.wall_tile(n);
        let text = match played {
            Move::Lay { placement: p, .. } => match p.rotation.quarters() {
                0 => format!("lay {} {}", tile(p.tile), cell_name(p.cell)),
                n => format!("lay {} {} {n}", tile(p.tile), cell_name(p.cell)),
            },
            Move::Claim { at: on, .. } => {
                let role = self.role_at(*on).unwrap_or(Role::HERALD);
                format!("{} {}", self.words.role(role), at(*on))
            }
            Move::Discard { tile: t, .. } => format!("discard {}", tile(*t)),
            Move::Use { number, on: None, .. } => format!("use {}", wall_tile(*number)),
            Move::Use { number, on: Some(on), .. } => format!("use {} {}", wall_tile(*number), at(*on)),
            Move::Show { space, number } => format!("show {space} {}", wall_tile(*number)),
            Move::Order { features, .. } => {
                format!("order {}", features.iter().map(|f| at(*f)).collect::<Vec<_>>().join(", "))
            }
            Move::End { .. } => "end".to_owned(),
            Move::Stop => "stop".to_owned(),
            Move::Return { .. } | Move::Redeploy { .. } | Move::MoveNeutral { .. } | Move::Pass { .. } => {
                return String::new();
            }
        };
        by + &text
    }
}
