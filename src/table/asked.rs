//! Questions to the players, and their answers, as plain data.

use super::doubts::OpenDoubt;
use super::saying::{Asks, TakenView};
use super::view::{AnswerView, QuestionView, Status};
use crate::record::EventKind;
use crate::rules::{Cell, Player, Sentence};

/// Something that the players are asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question.
    pub sentence: Sentence,
    /// Where, if in one cell.
    pub cell: Option<Cell>,
    /// What may be answered; empty where something has to be done at the table.
    pub answers: Vec<Answer>,
    /// Whether it may be left as it is.
    pub may_stand: bool,
    pub(super) about: About,
}

/// One answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The digit that gives it, 1 to 9: a wall tile's number, else its place in the list.
    pub key: u8,
    /// What it says, in a sentence.
    pub words: Sentence,
    /// The facts that it adds to the record; none where the record has it so.
    pub kinds: Vec<EventKind>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum About {
    /// What the camera cannot see.
    Unseen,
    /// These tiles of the record are not on the table.
    Gone(Vec<Cell>),
    Doubt(OpenDoubt),
    /// The number of a wall tile that a player took, and the lower track space of its tower.
    WallTile(Player, u8),
}

/// The questions of a session, for as long as nothing that they follow from has changed.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub events: usize,
    pub doubts: Vec<OpenDoubt>,
    pub left: usize,
    pub gone: Vec<Cell>,
    pub status: Status,
    pub questions: Vec<Question>,
}

impl Answer {
    fn view(&self) -> AnswerView {
        AnswerView { key: self.key, words: self.words.clone() }
    }
}

impl Question {
    /// As it is shown.
    pub fn view(&self) -> QuestionView {
        QuestionView {
            sentence: self.sentence.clone(),
            cell: self.cell,
            answers: self.answers.iter().map(Answer::view).collect(),
            may_stand: self.may_stand,
            asks: match &self.about {
                About::WallTile(player, tower) => {
                    Asks::WallTile(TakenView { player: player.index(), tower: *tower })
                }
                About::Gone(cells) => Asks::Gone { gone: cells.len() },
                About::Doubt(doubt) => doubt.asks,
                About::Unseen => Asks::Said,
            },
        }
    }
}
