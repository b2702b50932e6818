//! What the page tells of a game.

use serde::Serialize;

use crate::rules::{Sentence, sentence};
use crate::table::{GameView, ScoreView, Status};

/// The words in the language of those who look.
pub trait Words {
    /// The language, by its code, such as `de`.
    fn language(&self) -> String;
    /// A sentence of the rules or the table.
    fn sentence(&self, sentence: &Sentence) -> String;
    /// A word of the rules, such as a category of the final sheet.
    fn word(&self, english: &str) -> String;
    /// Points with their category, such as `+8 path`.
    fn change(&self, english: &str) -> String;
    /// Why a score.
    fn reason(&self, view: &GameView, score: &ScoreView) -> String;
}

/// The words as the rules have them.
#[derive(Clone, Copy, Debug, Default)]
pub struct English;

impl Words for English {
    fn language(&self) -> String {
        "en".to_owned()
    }

    fn sentence(&self, sentence: &Sentence) -> String {
        sentence.to_string()
    }

    fn word(&self, english: &str) -> String {
        english.to_owned()
    }

    fn change(&self, english: &str) -> String {
        english.to_owned()
    }

    fn reason(&self, _: &GameView, score: &ScoreView) -> String {
        score.sentence.clone()
    }
}

/// A game as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The language of its words.
    pub language: String,
    /// How the game stands, in a line.
    pub line: String,
    /// The players in their order.
    pub players: Vec<ToldPlayer>,
    /// What the last turn scored, each with its reason.
    pub news: Vec<String>,
    /// The final sheet, once the game is over.
    pub sheet: Option<ToldSheet>,
}

/// A player as the page shows one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToldPlayer {
    /// The name.
    pub name: String,
    /// The colour, as `#rrggbb`.
    pub colour: String,
    /// All points.
    pub total: u32,
    /// The newest change of the total.
    pub change: String,
    /// Whether it is the player's turn,
    pub to_move: bool,
    /// or the player has won.
    pub winner: bool,
}

/// The final sheet as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToldSheet {
    /// A category, and each player's points in it.
    pub rows: Vec<(String, Vec<u32>)>,
}

impl Told {
    /// What is told of a game, in these words.
    pub fn of(view: &GameView, words: &dyn Words) -> Told {
        let winners = view.sheet.as_ref().map_or(&[][..], |sheet| &sheet.winners);
        let player = |(i, player): (usize, &crate::table::PlayerView)| {
            let [r, g, b] = player.colour_rgb;
            ToldPlayer {
                name: player.name.clone(),
                colour: format!("#{r:02x}{g:02x}{b:02x}"),
                total: player.total,
                change: player.last_change.as_deref().map_or_else(String::new, |c| words.change(c)),
                to_move: view.to_move == Some(i),
                winner: winners.contains(&i),
            }
        };
        let turn = view.scores.last().map_or(0, |score| score.turn);
        let last = view.scores.iter().filter(|score| score.turn == turn && view.sheet.is_none());
        let sheet = view.sheet.as_ref().map(|sheet| ToldSheet {
            rows: sheet.rows.iter().map(|(what, points)| (words.word(what), points.clone())).collect(),
        });
        Told {
            language: words.language(),
            line: words.sentence(&line(view)),
            players: view.players.iter().enumerate().map(player).collect(),
            news: last.map(|score| words.reason(view, score)).collect(),
            sheet,
        }
    }
}

/// How the game stands.
fn line(view: &GameView) -> Sentence {
    match (&view.status, view.tiles_left) {
        _ if view.players.is_empty() => sentence!("no game is open"),
        (Status::Finished, _) => sentence!("the game is over"),
        (_, 1) => sentence!("turn {}, 1 tile left", view.turn),
        (_, left) => sentence!("turn {}, {} tiles left", view.turn, left),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{PlayerView, SheetView};

    fn view() -> GameView {
        let player = |name: &str, total| PlayerView {
            name: name.to_owned(),
            total,
            colour_rgb: [30, 84, 170],
            last_change: Some("+3 path".to_owned()),
            ..PlayerView::default()
        };
        let score =
            |turn, sentence: &str| ScoreView { turn, sentence: sentence.to_owned(), ..ScoreView::default() };
        GameView {
            players: vec![player("Ada", 8), player("Ben", 3)],
            to_move: Some(1),
            turn: 5,
            tiles_left: 40,
            scores: vec![score(3, "old"), score(4, "path: 3"), score(4, "tower: 5")],
            ..GameView::default()
        }
    }

    #[test]
    fn totals_whose_turn_it_is_and_the_last_scores_are_told() {
        let told = Told::of(&view(), &English);
        assert_eq!(told.line, "turn 5, 40 tiles left");
        assert_eq!(told.news, ["path: 3", "tower: 5"]);
        let players: Vec<_> = told.players.iter().map(|p| (p.total, p.to_move, p.colour.as_str())).collect();
        assert_eq!(players, [(8, false, "#1e54aa"), (3, true, "#1e54aa")]);
        assert!(told.sheet.is_none());
        assert_eq!(Told::of(&GameView::default(), &English).line, "no game is open");
    }

    #[test]
    fn at_the_end_the_sheet_is_told_instead() {
        let rows = vec![("path".to_owned(), vec![3, 0])];
        let sheet =
            SheetView { rows: rows.clone(), totals: vec![8, 3], winners: vec![0], ..SheetView::default() };
        let over = GameView { sheet: Some(sheet), status: Status::Finished, to_move: None, ..view() };
        let told = Told::of(&over, &English);
        assert_eq!((told.line.as_str(), told.news.len()), ("the game is over", 0));
        assert_eq!(told.sheet, Some(ToldSheet { rows }));
        assert!(told.players[0].winner && !told.players[1].winner);
    }
}
