//! Moves as text that a person can type and read back.
//!
//! | text | means |
//! |---|---|
//! | `lay CRr D5 1` | tile CRr to column D, row 5, one quarter turn clockwise (0 may be left out) |
//! | `knight` | a knight in the city of the tile just laid |
//! | `farmer D5 2` | a farmer on segment 2 of the tile in D5; likewise `knight`, `highwayman`, `monk` |
//! | `big_follower knight D5 2` | a big follower in that city, where players have one; likewise other figures |
//! | `discard CRr` | tile CRr fits nowhere |
//! | `citizen castle` | a follower is sent into that quarter, where the city lies |
//! | `return knight D5 2` | that knight goes home, where a rule lets it; `return big_follower knight D5 2` |
//! | `move castle to knight D5 2` | a follower in the castle goes to that city; `move big_follower castle to …` |
//! | `count market` | the count goes to the market |
//! | `pass` | nothing, or nothing more, where something could be done |
//! | `end`, `stop` | the turn, the game is over |
//!
//! The player to move does it; `2:` before a move names the second player. The start tile
//! lies in `A1`; see [`cell_name`] for cells to the left of it and above it.

use thiserror::Error;

use super::modules;
use super::position::Position;
use crate::{
    Cell, FigureKind, Move, Phase, Placement, Player, Role, Rotation, SegmentAt, Sentence, cell_from_name,
    cell_name, sentence,
};

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum NotationError {
    /// An unknown first word.
    Word(String),
    /// Words are missing or too many.
    Form(&'static str),
    /// Not a cell.
    Cell(String),
    /// Not a tile of the deck.
    Tile(String),
    /// Not a number, or one too large.
    Number(String),
    /// Not a player.
    Player(String),
    /// The tile has no such segment, or more than one.
    Segment(String),
}

impl From<&NotationError> for Sentence {
    fn from(error: &NotationError) -> Sentence {
        match error {
            NotationError::Word(word) => sentence!(
                "`{}` is no move; write lay, knight, highwayman, monk, farmer, discard, return, move, pass, \
                 end or stop",
                word
            ),
            NotationError::Form(form) => sentence!("write it as `{}`", *form),
            NotationError::Cell(text) => sentence!(
                "`{}` is not a cell; write its column as a letter and its row as a number, such as D5",
                text
            ),
            NotationError::Tile(tile) => sentence!("the deck has no tile `{}`", tile),
            NotationError::Number(text) => sentence!("`{}` is not a number that fits here", text),
            NotationError::Player(text) => {
                sentence!("`{}` is not a player; write `1:` for the first, `2:` for the second", text)
            }
            NotationError::Segment(why) => Sentence::from(why.clone()),
        }
    }
}

const ROLES: [Role; 4] = [Role::KNIGHT, Role::HIGHWAYMAN, Role::MONK, Role::FARMER];

/// The roles of the base game and of its modules.
fn roles() -> impl Iterator<Item = Role> {
    let more = modules::VOCABULARIES.iter().flat_map(|v| v.roles).filter_map(|role| Role::named(role.name));
    ROLES.into_iter().chain(more)
}

fn cell(name: &str) -> Result<Cell, NotationError> {
    cell_from_name(name).ok_or_else(|| NotationError::Cell(name.to_owned()))
}

fn number(text: &str) -> Result<u8, NotationError> {
    text.parse().map_err(|_| NotationError::Number(text.to_owned()))
}

fn role_named(word: &str) -> Result<Role, NotationError> {
    let role = roles().find(|r| r.name().eq_ignore_ascii_case(word));
    role.ok_or_else(|| NotationError::Word(word.to_owned()))
}

/// The figure that is named before a place; a follower where none is.
fn figure_in<'a, 'b>(words: &'a [&'b str]) -> (FigureKind, &'a [&'b str]) {
    match words {
        [first, rest @ ..] if FigureKind::named(first).is_some() => {
            (FigureKind::named(first).unwrap_or_default(), rest)
        }
        words => (FigureKind::FOLLOWER, words),
    }
}

/// A figure before a place; nothing for a follower.
fn figure_word(figure: FigureKind) -> String {
    if figure.is_follower() { String::new() } else { format!("{} ", figure.name()) }
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
            ["pass"] => Move::Pass { player },
            ["return", rest @ ..] => {
                let (figure, rest) = figure_in(rest);
                Move::Return { player, at: self.read_place(rest, "return knight CELL SEGMENT")?, figure }
            }
            ["move", rest @ ..] => {
                let form = NotationError::Form("move QUARTER to knight CELL SEGMENT");
                let (figure, rest) = figure_in(rest);
                let to = rest.iter().position(|word| *word == "to").ok_or(form)?;
                let from = self.read_place(&rest[..to], "move QUARTER to knight CELL SEGMENT")?;
                let to = self.read_place(&rest[to + 1..], "move QUARTER to knight CELL SEGMENT")?;
                Move::Redeploy { player, from, to, figure }
            }
            [name, place @ ..] if self.neutral().is_some_and(|(neutral, _)| neutral == *name) => {
                Move::MoveNeutral { player, to: self.read_place(place, "count QUARTER")? }
            }
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
        let open = matches!(self.state.phase, Phase::Follower | Phase::Step);
        if lays && open { Player(next as u8) } else { self.actor() }
    }

    /// Reads where a figure stands: a place with a name, or a role with its segment.
    fn read_place(&self, words: &[&str], form: &'static str) -> Result<SegmentAt, NotationError> {
        match words {
            [name] if self.place_named(name).is_some() => {
                self.place_named(name).ok_or(NotationError::Form(form))
            }
            [role, at @ ..] => self.read_claim(role_named(role)?, at),
            [] => Err(NotationError::Form(form)),
        }
    }

    fn place_named(&self, name: &str) -> Option<SegmentAt> {
        self.modules().find_map(|module| module.place_named(self, name))
    }

    /// The name of a place that has one, such as a quarter of the city (CO-03).
    pub fn place_name(&self, at: SegmentAt) -> Option<&'static str> {
        self.modules().find_map(|module| module.place_name(self, at))
    }

    /// Writes where a figure stands, as [`Position::read_place`] reads it.
    fn write_place(&self, at: SegmentAt) -> String {
        match self.place_name(at) {
            Some(name) => name.to_owned(),
            None => {
                let role = self.role_at(at).map_or("farmer", Role::name);
                format!("{role} {} {}", cell_name(at.cell), at.segment)
            }
        }
    }

    /// The figure that belongs to nobody: what it is called and where it stands.
    pub fn neutral(&self) -> Option<(&'static str, SegmentAt)> {
        self.modules().find_map(|module| module.neutral(self))
    }

    fn read_claim(&self, role: Role, at: &[&str]) -> Result<SegmentAt, NotationError> {
        if let [name] = at
            && let Some(place) = self.place_named(name)
            && self.role_at(place) == Some(role)
        {
            return Ok(place);
        }
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
                let place = match self.place_name(*at) {
                    Some(name) => name.to_owned(),
                    None => format!("{} {}", cell_name(at.cell), at.segment),
                };
                format!("{}{role} {place}", figure_word(*figure))
            }
            Move::Return { at, figure, .. } => {
                format!("return {}{}", figure_word(*figure), self.write_place(*at))
            }
            Move::Redeploy { from, to, figure, .. } => {
                let (from, to) = (self.write_place(*from), self.write_place(*to));
                format!("move {}{from} to {to}", figure_word(*figure))
            }
            Move::MoveNeutral { to, .. } => {
                let name = self.neutral().map_or("neutral", |(name, _)| name);
                format!("{name} {}", self.write_place(*to))
            }
            Move::Pass { .. } => "pass".to_owned(),
            Move::Discard { tile: t, .. } => format!("discard {}", tile(*t)),
            Move::End { .. } => "end".to_owned(),
            Move::Stop => "stop".to_owned(),
            Move::Use { .. } | Move::Show { .. } | Move::Order { .. } => return String::new(),
        };
        by + &text
    }
}
