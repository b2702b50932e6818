//! What people are shown of a live game: one value, made anew after every
//! change, that a window or a page can draw without knowing the rules.

use serde::{Deserialize, Serialize};

use super::saying::Asks;
use crate::observation::Figure;
use crate::record::ToDo;
use crate::rules::{Cell, FigureKind, Rotation, Sentence};

/// Everything that is shown of a game at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameView {
    /// The players, in the order of [`crate::rules::Player`].
    pub players: Vec<PlayerView>,
    /// The index of the player whose turn it is; `None` when the game is over.
    pub to_move: Option<usize>,
    /// Whether the game is played inside a wall, with keeps and wall tiles.
    pub walled: bool,
    /// The number of the current turn, from 1.
    pub turn: u32,
    /// How many tiles are neither on the table nor out of the game.
    pub tiles_left: usize,
    /// What the table is doing.
    pub status: Status,
    /// What people should know where the table is read so rarely that something can be
    /// missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<LagView>,
    /// Why what lies on the table is not read, where the picture tells, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<Sentence>,
    /// The occupied cells, row by row.
    pub cells: Vec<CellView>,
    /// The places of the board that have names of their own, with who is in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<NamedPlaceView>,
    /// The figure that belongs to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neutral: Option<NeutralView>,
    /// What is special about this turn, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_note: Option<Sentence>,
    /// The cells whose tile is in the record but not on the table, while the
    /// players are asked about them.
    pub missing: Vec<Cell>,
    /// Every score of the game, newest last.
    pub scores: Vec<ScoreView>,
    /// Things that someone should do now: take a wall tile, take a follower home, move a keep.
    pub pickups: Vec<ToDoView>,
    /// What the players are asked, the most pressing first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionView>,
    /// The final sheet, once the game is over.
    pub sheet: Option<SheetView>,
}

/// Something that someone should do now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToDoView {
    /// What, in a sentence.
    pub sentence: Sentence,
    /// The same as data.
    pub to_do: ToDo,
}

/// That the table is read so rarely that something can be missed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LagView {
    /// Seconds from one reading to the next.
    pub seconds: u32,
    /// What to do about it.
    pub sentence: Sentence,
}

/// Something that the players are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionView {
    /// The question.
    pub sentence: Sentence,
    /// Where, if in one cell.
    pub cell: Option<Cell>,
    /// What may be answered.
    pub answers: Vec<AnswerView>,
    /// Whether it may be left as it is.
    pub may_stand: bool,
    /// What it asks.
    #[serde(default)]
    pub asks: Asks,
}

/// What may be answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerView {
    /// The digit that gives it.
    pub key: u8,
    /// What it says, in a sentence.
    pub words: Sentence,
}

/// One player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerView {
    /// The name.
    pub name: String,
    /// The colour as a word, such as `blue`.
    pub colour_word: String,
    /// The colour as sRGB.
    pub colour_rgb: [u8; 3],
    /// All points so far.
    pub total: u32,
    /// The track space on which the marker belongs, 0 to 99 (CA-69).
    pub marker_space: u8,
    /// Followers in the supply, 0 to 6 (CA-06).
    pub followers_left: u32,
    /// The size in tiles of the house under the keep (CA-62); `None` before it
    /// is placed.
    pub keep_size: Option<u32>,
    /// The wall tiles held, in the order in which they were taken; `None` where
    /// nobody has said the number yet.
    pub wall_tiles: Vec<Option<u8>>,
    /// What the player has besides followers and wall tiles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holdings: Vec<HoldingView>,
    /// The newest change of the total, such as `+8 path`.
    pub last_change: Option<String>,
}

/// Figures or tokens of a kind, or a card, that a player has (PL-01, PL-13, PL-25).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldingView {
    /// What it is, by its name in records: the window has a sign for each.
    pub kind: String,
    /// The word for it in a sentence.
    pub word: String,
    /// How many are in the player's supply.
    pub count: u32,
    /// Whether it is a card, of which there is one only.
    pub single: bool,
    /// The cells where more of it stand.
    pub on_board: Vec<Cell>,
}

/// The figure that belongs to nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeutralView {
    /// The word for it.
    pub word: String,
    /// The name of the place where it stands.
    pub place: String,
}

/// A place of the board with a name of its own (CO-03).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NamedPlaceView {
    /// Its name.
    pub name: String,
    /// Its middle in tile units: x right, y down, the origin is the upper left corner of `A1`.
    pub x: f32,
    /// See `x`.
    pub y: f32,
    /// Who stands in it, with places in tile units.
    pub figures: Vec<FigureView>,
}

/// What the table is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", content = "sentence", rename_all = "snake_case")]
pub enum Status {
    /// Play goes on.
    #[default]
    Playing,
    /// A hand covers part of the table: reading waits.
    HandOverTable,
    /// Something is unclear; play goes on. The sentence says what.
    Doubt(Sentence),
    /// The table and the record differ. No event is written until they agree
    /// again; the sentence names the cell.
    OutOfStep(Sentence),
    /// Many tiles of the record are gone from the table. No event is written until
    /// they are back, or the players say that the game is over or goes on.
    TilesGone(Sentence),
    /// The board is not found in the picture; the sentence says what to do.
    NoBoard(Sentence),
    /// The game is over.
    Finished,
}

/// One occupied cell, as the record has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellView {
    /// Where.
    pub cell: Cell,
    /// The tile's id in the deck.
    pub tile: String,
    /// How it is turned.
    pub rotation: Rotation,
    /// What stands on it.
    pub figures: Vec<FigureView>,
    /// How sure the camera was, 0 to 1; 1 for what a person said.
    pub confidence: f32,
    /// Whether it is the tile of the current turn.
    pub fresh: bool,
}

/// A figure on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureView {
    /// The index of its player.
    pub player: usize,
    /// Follower or keep.
    pub figure: Figure,
    /// Which of the figures that go for followers.
    #[serde(default, skip_serializing_if = "FigureKind::is_follower")]
    pub kind: FigureKind,
    /// Where its foot is, as the cell lies on the table: x right, y down, 0 to 1.
    pub x: f32,
    /// See `x`.
    pub y: f32,
}

/// One score with its reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreView {
    /// In which turn; for the final tallies the last turn.
    pub turn: u32,
    /// The indices of the players who got the points, each all of them; empty where
    /// nobody did.
    pub players: Vec<usize>,
    /// What was scored: a category of the final sheet, such as `path`.
    pub category: String,
    /// The points.
    pub points: u32,
    /// The sentence a player would say: count first, then points.
    pub sentence: String,
    /// The rules that say so, such as `CA-42, CA-46`; empty where nobody scored.
    pub rule: String,
    /// The cells to light up.
    pub cells: Vec<Cell>,
    /// What was counted; empty where nobody scored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<CountedView>,
}

/// Something that was counted for a score: its points are count × each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedView {
    /// What, such as `castle tiles`.
    pub what: String,
    /// How many.
    pub count: u32,
    /// The points of each.
    pub each: u32,
}

/// The final sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetView {
    /// A category and each player's points in it, in the order of the sheet.
    pub rows: Vec<(String, Vec<u32>)>,
    /// For each of these rows the indices in [`GameView::scores`] of what makes it up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Vec<usize>>,
    /// Each player's total.
    pub totals: Vec<u32>,
    /// The indices of the winners; two for a draw (CA-121).
    pub winners: Vec<usize>,
}
