//! What the rules and the table say, in the language of the window: scores, questions and answers,
//! and what is to be done.

use slint::ComponentHandle;

use super::language::LANGUAGES;
use super::ui;
use crate::record::{EventKind, Game, ToDo};
use crate::rules::{Cell, FigureKind, Player, cell_name};
use crate::table::{AnswerView, Asks, GameView, LagView, Saying, ScoreView, SegmentView, ToDoView, word};

/// The words of the rules in the language of the window. Of a score the rules make a sentence in
/// English; in other languages it is put together from what was counted.
pub struct Terms<'a>(Option<ui::Terms<'a>>);

impl<'a> Terms<'a> {
    /// In the language that the window speaks.
    pub fn of(window: &'a ui::AppWindow) -> Terms<'a> {
        let is_english = window.global::<ui::StartAdapter>().get_language() == LANGUAGES[0].1;
        Terms((!is_english).then(|| window.global::<ui::Terms>()))
    }

    /// As the rules have them.
    #[cfg(test)]
    pub fn english() -> Terms<'static> {
        Terms(None)
    }

    /// A word of the rules: a category such as `path` or `wall tile 4`, what is counted, or a colour.
    pub fn word(&self, english: &str) -> String {
        let Some(terms) = &self.0 else { return english.to_owned() };
        match english.strip_prefix("wall tile ") {
            Some(number) => format!("{} {number}", terms.invoke_of("wall tile".into())),
            None => terms.invoke_of(english.into()).into(),
        }
    }

    /// Points with their category, such as `+8 path`.
    pub fn change(&self, english: &str) -> String {
        match english.split_once(' ') {
            Some((points, category)) => format!("{points} {}", self.word(category)),
            None => english.to_owned(),
        }
    }

    /// Why a score: the sentence of the rules, or `house: tiles 3 × 1 = 3, Ada`, no line of which
    /// breaks within the sum.
    pub fn reason(&self, view: &GameView, score: &ScoreView) -> String {
        let Some(terms) = &self.0 else { return score.sentence.clone() };
        let category = self.word(&score.category);
        if score.players.is_empty() {
            return format!("{category}: {}", terms.invoke_nobody_scores());
        }
        let counted =
            score.items.iter().map(|i| format!("{} {}\u{a0}×\u{a0}{}", self.word(&i.what), i.count, i.each));
        let names = score.players.iter().filter_map(|p| Some(view.players.get(*p)?.name.as_str()));
        format!(
            "{category}: {}\u{a0}=\u{a0}{}, {}",
            counted.collect::<Vec<_>>().join(" + "),
            score.points,
            names.collect::<Vec<_>>().join(", ")
        )
    }

    /// An answer: the sentence of the table, or what it says, one thing after the other.
    pub fn answer(&self, view: &GameView, answer: &AnswerView) -> String {
        if self.0.is_none() || answer.says.is_empty() {
            return answer.words.clone();
        }
        let mut text = String::new();
        for (i, saying) in answer.says.iter().enumerate() {
            let before = i.checked_sub(1).and_then(|i| answer.says.get(i));
            text.push_str(match (before, saying) {
                (None, _) => "",
                (Some(Saying::At(_)), _) => " ",
                (_, Saying::At(_)) => "; ",
                _ => ", ",
            });
            text.push_str(&self.saying(view, saying));
        }
        text
    }

    fn saying(&self, view: &GameView, saying: &Saying) -> String {
        let Some(terms) = &self.0 else { return String::new() };
        let name = |player: &usize| view.players.get(*player).map_or("", |p| p.name.as_str());
        let figure = |figure: &FigureKind| self.word(figure.word());
        let as_int = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        match saying {
            Saying::AsRecorded => terms.invoke_as_recorded().into(),
            Saying::Tile(tile, rotation) if rotation.quarters() == 0 => tile.clone(),
            Saying::Tile(tile, rotation) => format!("{tile} {}°", 90 * u32::from(rotation.quarters())),
            Saying::Figure(kind, player, on) => {
                format!("{}: {}, {}", name(player), figure(kind), self.segment(on))
            }
            Saying::FigureAt(kind, None) => figure(kind),
            Saying::FigureAt(kind, Some(place)) => format!("{}: {place}", figure(kind)),
            Saying::FollowerOnIt(player) => format!("{}: {}", name(player), figure(&FigureKind::FOLLOWER)),
            Saying::NoFollower => terms.invoke_no_follower().into(),
            Saying::TurnWithout(player) => format!("{}: {}", name(player), terms.invoke_no_follower()),
            Saying::Home => terms.invoke_scored_and_home().into(),
            Saying::Used(number) => terms.invoke_used(number.as_str().into()).into(),
            Saying::Uses(player, number) => {
                format!("{}: {}", name(player), terms.invoke_used(number.as_str().into()))
            }
            Saying::GaveTurn(number) => terms.invoke_gave_turn(number.as_str().into()).into(),
            Saying::WithoutWallTile => terms.invoke_without_wall_tile().into(),
            Saying::Laid(player) => terms.invoke_laid_by(name(player).into()).into(),
            Saying::InTurn => terms.invoke_in_turn().into(),
            Saying::Order(cells) => cells.iter().map(|c| cell_name(*c)).collect::<Vec<_>>().join(", "),
            Saying::Scored(order) => {
                let each =
                    order.iter().map(|(on, cell)| format!("{} {}", cell_name(*cell), self.segment(on)));
                terms.invoke_scored_in_order(each.collect::<Vec<_>>().join("; ").into()).into()
            }
            Saying::At(cell) => format!("{}:", cell_name(*cell)),
            Saying::In(cell) => cell_name(*cell),
            Saying::Lies(tile, cell) => {
                format!("{tile}, {}: {}", cell_name(*cell), terms.invoke_lies_there())
            }
            Saying::AllLie(count) => terms.invoke_all_lie_there(as_int(*count)).into(),
            Saying::NotHappened(turn) => {
                terms.invoke_did_not_happen(i32::try_from(*turn).unwrap_or(i32::MAX)).into()
            }
            Saying::No => terms.invoke_no().into(),
            Saying::Told(sentence) => self.word(sentence),
        }
    }

    fn segment(&self, segment: &SegmentView) -> String {
        let kind = self.word(&segment.kind);
        if segment.sides.is_empty() {
            return kind;
        }
        let sides: Vec<String> = segment.sides.iter().map(|side| self.word(word(*side))).collect();
        format!("{kind} ({})", sides.join(", "))
    }

    /// What is wrong at the table while tiles are not seen: what the table says, or the same from
    /// what it asks.
    pub fn gone(&self, view: &GameView, sentence: &str) -> String {
        let asked = view.questions.iter().find_map(|question| match question.asks {
            Asks::Gone { gone } => Some((gone, question.cell)),
            _ => None,
        });
        match (&self.0, asked) {
            (Some(terms), Some((_, Some(cell)))) => terms.invoke_put_back(cell_name(cell).into()).into(),
            (Some(terms), Some((gone, None))) => {
                terms.invoke_tiles_gone(i32::try_from(gone).unwrap_or(i32::MAX)).into()
            }
            _ => sentence.to_owned(),
        }
    }

    /// What someone should do at the table.
    pub fn to_do(&self, view: &GameView, item: &ToDoView) -> String {
        let Some(terms) = &self.0 else { return item.sentence.clone() };
        let name = |player: &usize| view.players.get(*player).map_or("", |p| p.name.as_str()).into();
        let place = |cell: &Cell| cell_name(*cell).into();
        match &item.to_do {
            ToDo::WallTile { player, tower } => {
                let tower = format!("{tower}/{}", tower.saturating_add(1));
                terms.invoke_takes_wall_tile(name(player), tower.into()).into()
            }
            ToDo::Keep { player, cell, .. } => terms.invoke_moves_keep(name(player), place(cell)).into(),
            ToDo::Home { player, count } => {
                terms.invoke_takes_home(name(player), i32::try_from(*count).unwrap_or(i32::MAX)).into()
            }
            ToDo::Scored { player, cell } => terms.invoke_is_scored(name(player), place(cell)).into(),
            ToDo::CutOff { cell } => terms.invoke_is_cut_off(place(cell)).into(),
            ToDo::Told { sentence } => sentence.clone(),
        }
    }

    /// That the table is read too rarely.
    pub fn lag(&self, lag: &LagView) -> String {
        match &self.0 {
            Some(terms) => terms.invoke_lags(i32::try_from(lag.seconds).unwrap_or(i32::MAX)).into(),
            None => lag.sentence.clone(),
        }
    }

    /// What happened in a turn, as far as it is told without a sentence; `None` in English.
    pub fn fact(&self, game: &Game, kind: &EventKind) -> Option<String> {
        let terms = self.0.as_ref()?;
        let name = |player: &Player| game.names().of(*player);
        Some(match kind {
            EventKind::TilePlaced { player, tile, cell, .. } => {
                format!("{}: {tile}, {}", name(player), cell_name(*cell))
            }
            EventKind::FollowerPlaced { figure, .. } => self.word(figure.word()),
            EventKind::WallTileUsed { player, number, .. } => {
                let number = game.position().prize_word(*number);
                format!("{}: {}", name(player), terms.invoke_used(number.into()))
            }
            _ => return None,
        })
    }

    /// A figure in the form for corrections, with the kind of segment that it stands on.
    pub fn figure_on(&self, figure: Option<(&str, Option<&str>)>) -> String {
        match (&self.0, figure) {
            (None, None) => "no follower".to_owned(),
            (Some(terms), None) => terms.invoke_no_follower().into(),
            (_, Some((figure, None))) => self.word(figure),
            (None, Some((figure, Some(on)))) => format!("{figure} on the {on}"),
            (Some(_), Some((figure, Some(on)))) => format!("{}, {}", self.word(figure), self.word(on)),
        }
    }
}
