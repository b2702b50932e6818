//! The sheet: every score with its turn, and tallies by category.

use serde::{Deserialize, Serialize};

use super::event::Tally;
use super::fold;
use super::game::Game;
use crate::rules::{Phase, Player, Score, winners};

/// A turn and what was scored in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetTurn {
    /// The turn, from 1.
    pub turn: u32,
    /// Its scores, in order.
    pub scores: Vec<Score>,
}

/// All scores of a game and what they add up to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// The players' names.
    pub players: Vec<String>,
    /// The title of the edition that was played.
    pub edition: String,
    /// What differs in it from the rules of 2003, and at this table from the
    /// edition, in sentences.
    pub edition_notes: Vec<String>,
    /// The turns in which something was scored.
    pub turns: Vec<SheetTurn>,
    /// The final scoring; empty while the game goes on.
    pub finals: Vec<Score>,
    /// The categories of the game, in the order of its sheet.
    pub categories: Vec<String>,
    /// Points by category, a player each: the sums of the items of the scores.
    pub tallies: Vec<Tally>,
    /// Whether the game is over.
    pub over: bool,
    /// Who won; several for a draw, nobody while the game goes on.
    pub winners: Vec<Player>,
}

impl Game {
    /// The final sheet, or the sheet so far.
    pub fn sheet(&self) -> Sheet {
        let finals = self.final_scores();
        let mut turns: Vec<SheetTurn> = Vec::new();
        for at in self.scores() {
            match turns.last_mut() {
                Some(turn) if turn.turn == at.turn => turn.scores.push(at.score.clone()),
                _ => turns.push(SheetTurn { turn: at.turn, scores: vec![at.score.clone()] }),
            }
        }
        let tallies = fold::tallies(self.position(), self.scores().iter().map(|s| &s.score).chain(&finals));
        let over = self.position().phase() == Phase::Over;
        let winners =
            if over { winners(&tallies.iter().map(|t| t.total).collect::<Vec<_>>()) } else { Vec::new() };
        Sheet {
            players: self.names().all().to_vec(),
            edition: self.edition().title.clone(),
            edition_notes: self.edition().notes.clone(),
            turns,
            finals,
            categories: self.position().categories().iter().map(|c| (*c).to_owned()).collect(),
            tallies,
            over,
            winners,
        }
    }
}
