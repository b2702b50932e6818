//! What the rules say of scores, in the language of the window.

use slint::ComponentHandle;

use super::language::LANGUAGES;
use super::ui;
use crate::table::{GameView, ScoreView};

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
}
