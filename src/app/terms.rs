//! What the rules and the table say, in the language of the window: scores, questions and answers,
//! and what is to be done.

use slint::ComponentHandle;

use super::catalogue::Catalogue;
use super::language::LANGUAGES;
use super::ui;
use crate::rules::{Sentence, sentence};
use crate::table::{GameView, ScoreView};

/// The words of the rules in the language of the window. Of a score the rules make a sentence in
/// English; in other languages it is put together from what was counted.
pub struct Terms<'a>(Option<Other<'a>>);

/// A language other than English.
struct Other<'a> {
    code: &'static str,
    words: ui::Terms<'a>,
    catalogue: Option<&'static Catalogue>,
}

impl<'a> Terms<'a> {
    /// In the language that the window speaks.
    pub fn of(window: &'a ui::AppWindow) -> Terms<'a> {
        let language = window.global::<ui::StartAdapter>().get_language();
        let other = || Other {
            code: code_of(&language),
            words: window.global::<ui::Terms>(),
            catalogue: Catalogue::called(&language),
        };
        Terms((language != LANGUAGES[0].1).then(other))
    }

    /// As the rules have them.
    #[cfg(test)]
    pub fn english() -> Terms<'static> {
        Terms(None)
    }

    /// The language, by its code.
    pub fn code(&self) -> &'static str {
        self.0.as_ref().map_or(LANGUAGES[0].0, |other| other.code)
    }

    /// A sentence of the rules, the table or the record.
    pub fn sentence(&self, sentence: &Sentence) -> String {
        let Some(Other { words, catalogue, .. }) = &self.0 else { return sentence.to_string() };
        sentence.translated(&|text| {
            let known = catalogue.and_then(|catalogue| catalogue.get(text)).map(str::to_owned);
            known.or_else(|| Some(words.invoke_of(text.into()).into()))
        })
    }

    /// Sentences one after the other: `a; b`.
    pub fn sentences<'s>(&self, all: impl IntoIterator<Item = &'s Sentence>) -> String {
        all.into_iter().map(|sentence| self.sentence(sentence)).collect::<Vec<_>>().join("; ")
    }

    /// A title or a text of the rule book.
    pub fn rule(&self, english: &str) -> String {
        let catalogue = self.0.as_ref().and_then(|other| other.catalogue);
        catalogue.and_then(|catalogue| catalogue.rule(english)).unwrap_or(english).to_owned()
    }

    /// A word of the rules: a category such as `path` or `wall tile 4`, what is counted, or a colour.
    pub fn word(&self, english: &str) -> String {
        let Some(Other { words: terms, .. }) = &self.0 else { return english.to_owned() };
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
        let Some(Other { words: terms, .. }) = &self.0 else { return score.sentence.clone() };
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

    /// A figure in the form for corrections, with the kind of segment that it stands on.
    pub fn figure_on(&self, figure: Option<(&str, Option<&str>)>) -> String {
        match (&self.0, figure) {
            (None, None) => "no follower".to_owned(),
            (Some(_), None) => self.sentence(&sentence!("no follower")),
            (_, Some((figure, None))) => self.word(figure),
            (None, Some((figure, Some(on)))) => format!("{figure} on the {on}"),
            (Some(_), Some((figure, Some(on)))) => format!("{}, {}", self.word(figure), self.word(on)),
        }
    }
}

/// The code of a language, given its name.
fn code_of(name: &str) -> &'static str {
    LANGUAGES.iter().find(|(_, known)| *known == name).unwrap_or(&LANGUAGES[0]).0
}
