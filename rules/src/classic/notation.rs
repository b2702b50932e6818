//! Moves as text that a person can type and read back.
//!
//! | text | means |
//! |---|---|
//! | `lay CRr D5 1` | tile CRr to column D, row 5, one quarter turn clockwise (0 may be left out) |
//! | `knight` | a knight in the city of the tile just laid |
//! | `farmer D5 2` | a farmer on segment 2 of the tile in D5; likewise `knight`, `highwayman`, `monk` |
//! | `big_follower knight D5 2` | a big follower in that city, where players have one; likewise other figures |
//! | `discard CRr` | tile CRr fits nowhere |
//! | `end`, `stop` | the turn, the game is over |
//!
//! The player to move does it; `2:` before a move names the second player. The start tile
//! lies in `A1`; see [`cell_name`] for cells to the left of it and above it.

use thiserror::Error;

use super::position::Position;
use crate::{
    Cell, FigureKind, Move, Phase, Placement, Player, Role, Rotation, SegmentAt, cell_from_name, cell_name,
};

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotationError {
    /// An unknown first word.
    #[error("`{0}` is no move; write lay, knight, highwayman, monk, farmer, discard, end or stop")]
    Word(String),
    /// Words are missing or too many.
    #[error("write it as `{0}`")]
    Form(&'static str),
    /// Not a cell.
    #[error("`{0}` is not a cell; write its column as a letter and its row as a number, such as D5")]
    Cell(String),
    /// Not a tile of the deck.
    #[error("the deck has no tile `{0}`")]
    Tile(String),
    /// Not a number, or one too large.
    #[error("`{0}` is not a number that fits here")]
    Number(String),
    /// Not a player.
    #[error("`{0}` is not a player; write `1:` for the first, `2:` for the second")]
    Player(String),
    /// The tile has no such segment, or more than one.
    #[error("{0}")]
    Segment(String),
}

const ROLES: [Role; 4] = [Role::KNIGHT, Role::HIGHWAYMAN, Role::MONK, Role::FARMER];

fn cell(name: &str) -> Result<Cell, NotationError> {
    cell_from_name(name).ok_or_else(|| NotationError::Cell(name.to_owned()))
}

fn number(text: &str) -> Result<u8, NotationError> {
    text.parse().map_err(|_| NotationError::Number(text.to_owned()))
}

fn role_named(word: &str) -> Result<Role, NotationError> {
    let role = ROLES.into_iter().find(|r| r.name().eq_ignore_ascii_case(word));
    role.ok_or_else(|| NotationError::Word(word.to_owned()))
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
        let words: Vec<&str> = text.split_whitespace().collect();
        let tile = |id: &str| self.tile_index(id).ok_or_else(|| NotationError::Tile(id.to_owned()));
        Ok(match words.as_slice() {
            ["lay", id, at, turns @ ..] => {
                let turns = match turns {
                    [] => 0,
                    [n] => number(n)?,
                    _ => return Err(NotationError::Form("lay TILE CELL TURNS")),
                };
                let rotation =
                    Rotation::try_from(turns).map_err(|_| NotationError::Number(turns.to_string()))?;
                let placement = Placement { tile: tile(id)?, cell: cell(at)?, rotation };
                Move::Lay { player, placement }
            }
            ["lay", ..] => return Err(NotationError::Form("lay TILE CELL TURNS")),
            ["discard", id] => Move::Discard { player, tile: tile(id)? },
            ["discard", ..] => return Err(NotationError::Form("discard TILE")),
            ["end"] => Move::End { player },
            ["stop"] => Move::Stop,
            [figure, word, at @ ..] if FigureKind::named(figure).is_some() => {
                let figure = FigureKind::named(figure).unwrap_or_default();
                Move::Claim { player, at: self.read_claim(role_named(word)?, at)?, figure }
            }
            [word, at @ ..] => Move::follower(player, self.read_claim(role_named(word)?, at)?),
            [] => return Err(NotationError::Word(String::new())),
        })
    }

    /// Who does a move that names nobody: the player to move, and who lays a tile while a
    /// turn has not ended is the one whose turn comes next.
    fn mover(&self, lays: bool) -> Player {
        let next = (self.state.to_move.index() + 1) % self.players;
        if lays && self.state.phase == Phase::Follower { Player(next as u8) } else { self.state.to_move }
    }

    fn read_claim(&self, role: Role, at: &[&str]) -> Result<SegmentAt, NotationError> {
        let (at, segment) = match at {
            [] => (None, None),
            [n] if n.bytes().all(|b| b.is_ascii_digit()) => (None, Some(number(n)?)),
            [at] => (Some(cell(at)?), None),
            [at, n] => (Some(cell(at)?), Some(number(n)?)),
            _ => return Err(NotationError::Form("knight CELL SEGMENT")),
        };
        let none = || NotationError::Segment("no tile was laid in this turn; name its cell".to_owned());
        let at = at.or_else(|| self.last_cell()).ok_or_else(none)?;
        let (name, word) = (cell_name(at), role.name());
        if self.tile_at(at).is_none() {
            return Err(NotationError::Segment(format!("no tile lies in {name}")));
        }
        let of = |wanted: Option<Role>| -> Vec<u8> {
            let all = (0..32).filter(|s| match wanted {
                Some(role) => self.role_at(SegmentAt { cell: at, segment: *s }) == Some(role),
                None => self.kind_at(SegmentAt { cell: at, segment: *s }).is_some(),
            });
            all.collect()
        };
        let fitting: Vec<u8> =
            of(Some(role)).into_iter().filter(|s| segment.is_none_or(|n| n == *s)).collect();
        if let [segment] = fitting[..] {
            return Ok(SegmentAt { cell: at, segment });
        }
        let described = |segments: Vec<u8>| -> String {
            let kind = |s| self.kind_at(SegmentAt { cell: at, segment: s }).map_or("", |k| k.name());
            segments.iter().map(|s| format!("{s} {}", kind(*s))).collect::<Vec<_>>().join(", ")
        };
        Err(NotationError::Segment(match fitting.is_empty() {
            true => format!("a {word} cannot stand there; the tile in {name} has {}", described(of(None))),
            false => format!(
                "the tile in {name} has several segments for a {word}: {}; say which, such as `{word} {name} {}`",
                described(fitting.clone()),
                fitting[0]
            ),
        }))
    }

    /// Writes a move as [`Position::read_move`] reads it; `self` is the position before
    /// it.
    pub fn write_move(&self, played: &Move) -> String {
        let player = played.player().unwrap_or(self.state.to_move);
        let mover = self.mover(matches!(played, Move::Lay { .. }));
        let by = if player == mover { String::new() } else { format!("{}: ", player.index() + 1) };
        let tile = |tile: usize| self.tile_id(tile).unwrap_or("?").to_owned();
        let text = match played {
            Move::Lay { placement: p, .. } => match p.rotation.quarters() {
                0 => format!("lay {} {}", tile(p.tile), cell_name(p.cell)),
                n => format!("lay {} {} {n}", tile(p.tile), cell_name(p.cell)),
            },
            Move::Claim { at, figure, .. } => {
                let role = self.role_at(*at).map_or("farmer", Role::name);
                let figure = if figure.is_follower() { String::new() } else { format!("{} ", figure.name()) };
                format!("{figure}{role} {} {}", cell_name(at.cell), at.segment)
            }
            Move::Discard { tile: t, .. } => format!("discard {}", tile(*t)),
            Move::End { .. } => "end".to_owned(),
            Move::Stop => "stop".to_owned(),
            Move::Use { .. } | Move::Show { .. } | Move::Order { .. } => return String::new(),
        };
        by + &text
    }
}
