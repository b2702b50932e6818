//! Sentences whose words can be put into another language.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Cell, Names, Player, cell_name};

/// A sentence: an English text with gaps, and what stands in them. [`fmt::Display`] writes it in
/// English; a catalogue of texts puts it into another language by [`Sentence::translated`].
///
/// [`sentence!`](crate::sentence) makes one. It is serialised as its English text, and is a text
/// without gaps when it was read from one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sentence {
    /// The text; `{}` is a gap, `{{` and `}}` are braces.
    text: Cow<'static, str>,
    /// What stands in the gaps, in their order.
    terms: Vec<Term>,
}

/// What stands in a gap of a [`Sentence`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// Something that is the same in all languages: a name, a number, a cell, the id of a tile.
    Same(String),
    /// A word of the game, or a sentence within the sentence.
    Says(Sentence),
    /// A player whose name is not known here: `player 1`, until [`Sentence::named`] puts the name there.
    Player(Player),
}

/// Makes a [`Sentence`] from an English text, in which `{}` is a gap, and what stands in the gaps:
/// a [`Sentence`] is translated with it, anything else that can be a [`Term`] stays as it is.
///
/// ```
/// use castellan_rules::{Sentence, sentence};
///
/// let said = sentence!("a {} is on this {} already", Sentence::word("knight"), Sentence::word("tower"));
/// assert_eq!(said.to_string(), "a knight is on this tower already");
/// ```
#[macro_export]
macro_rules! sentence {
    ($text:literal $(, $term:expr)* $(,)?) => {
        $crate::Sentence::new($text, vec![$($crate::Term::from($term)),*])
    };
}

impl Sentence {
    /// What [`sentence!`](crate::sentence) makes. A text that is not written there is in no
    /// catalogue.
    #[doc(hidden)]
    pub fn new(text: &'static str, terms: Vec<Term>) -> Sentence {
        Sentence { text: Cow::Borrowed(text), terms }
    }

    /// A word of the game by its English name, such as `tower`.
    pub fn word(word: &str) -> Sentence {
        Sentence { text: Cow::Owned(word.replace('{', "{{").replace('}', "}}")), terms: Vec::new() }
    }

    /// `a or b or c`.
    pub fn either(all: impl IntoIterator<Item = Sentence>) -> Sentence {
        all.into_iter().reduce(|one, other| sentence!("{} or {}", one, other)).unwrap_or_default()
    }

    /// `a, and b, and c`.
    pub fn both(all: impl IntoIterator<Item = Sentence>) -> Sentence {
        all.into_iter().reduce(|one, other| sentence!("{}, and {}", one, other)).unwrap_or_default()
    }

    /// `a; b; c`.
    pub fn in_turn(all: impl IntoIterator<Item = Sentence>) -> Sentence {
        all.into_iter().reduce(|one, other| sentence!("{}; {}", one, other)).unwrap_or_default()
    }

    /// The sentence with the players' names in it.
    pub fn named(mut self, names: &Names) -> Sentence {
        for term in &mut self.terms {
            match term {
                Term::Player(player) => *term = Term::same(names.of(*player)),
                Term::Says(sentence) => *sentence = std::mem::take(sentence).named(names),
                Term::Same(_) => {}
            }
        }
        self
    }

    /// The sentence in another language: `text` gives what the language has for an English text,
    /// with the gaps `{}` in the same order or numbered from 0, as in `{1}`. What it does not
    /// have is English.
    pub fn translated(&self, text: &dyn Fn(&str) -> Option<String>) -> String {
        let own = text(&self.text);
        let mut said = String::new();
        let mut gaps = 0;
        let mut rest = own.as_deref().unwrap_or(&self.text);
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            said.push_str(before);
            if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
                said.push_str(&from[..1]);
                rest = after;
                continue;
            }
            let gap = from.strip_prefix('{').and_then(|from| from.split_once('}'));
            let numbered = gap.and_then(|(number, after)| match number {
                "" => Some((gaps, after)),
                number => Some((number.parse().ok()?, after)),
            });
            let Some((gap, after)) = numbered else {
                said.push_str(&from[..1]);
                rest = &from[1..];
                continue;
            };
            match self.terms.get(gap) {
                Some(Term::Same(term)) => said.push_str(term),
                Some(Term::Says(sentence)) => said.push_str(&sentence.translated(text)),
                Some(Term::Player(player)) => {
                    let number = sentence!("player {}", player.index() + 1);
                    said.push_str(&number.translated(text));
                }
                None => {}
            }
            gaps += 1;
            rest = after;
        }
        said.push_str(rest);
        said
    }
}

impl Term {
    /// What was said or made by others and is the same in all languages: a path, a number, the
    /// words of the system.
    pub fn same(shown: impl fmt::Display) -> Term {
        Term::Same(shown.to_string())
    }

    /// `a, b and c`, each of them a sentence or something that is the same in all languages.
    ///
    /// ```
    /// use castellan_rules::{Term, sentence};
    ///
    /// let said = sentence!("{} share the win", Term::listed(["Ada", "Ben", "Cleo"]));
    /// assert_eq!(said.to_string(), "Ada, Ben and Cleo share the win");
    /// ```
    pub fn listed<T: Into<Term>>(all: impl IntoIterator<Item = T>) -> Term {
        let mut all: Vec<Term> = all.into_iter().map(T::into).collect();
        let last = all.pop();
        match last {
            Some(last) if !all.is_empty() => sentence!("{} and {}", Term::in_a_row(all), last).into(),
            last => Term::in_a_row(last),
        }
    }

    /// `a, b, c`, likewise.
    pub fn in_a_row<T: Into<Term>>(all: impl IntoIterator<Item = T>) -> Term {
        let all = all.into_iter().map(T::into);
        let row = all.reduce(|one, other| sentence!("{}, {}", one, other).into());
        row.unwrap_or_else(|| Term::Same(String::new()))
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.translated(&|_| None))
    }
}

impl std::error::Error for Sentence {}

/// A text that was said by others, such as a rule's own error: it is in no catalogue.
impl From<String> for Sentence {
    fn from(text: String) -> Sentence {
        Sentence::word(&text)
    }
}

impl PartialEq<str> for Sentence {
    /// Whether it is this in English.
    fn eq(&self, english: &str) -> bool {
        self.translated(&|_| None) == english
    }
}

impl PartialEq<String> for Sentence {
    /// Whether it is this in English.
    fn eq(&self, english: &String) -> bool {
        *self == **english
    }
}

impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sentence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sentence, D::Error> {
        String::deserialize(deserializer).map(Sentence::from)
    }
}

impl From<Sentence> for Term {
    fn from(sentence: Sentence) -> Term {
        Term::Says(sentence)
    }
}

impl From<&Sentence> for Term {
    fn from(sentence: &Sentence) -> Term {
        Term::Says(sentence.clone())
    }
}

impl From<Player> for Term {
    fn from(player: Player) -> Term {
        Term::Player(player)
    }
}

impl From<Cell> for Term {
    fn from(cell: Cell) -> Term {
        Term::Same(cell_name(cell))
    }
}

macro_rules! same_in_all_languages {
    ($($type:ty),*) => {
        $(impl From<$type> for Term {
            fn from(same: $type) -> Term {
                Term::Same(same.to_string())
            }
        })*
    };
}
same_in_all_languages!(String, &String, &str, u8, u32, u64, usize);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_language_may_say_the_terms_in_another_order() {
        let said = sentence!("{} laid {} tiles on this {}", "Ada", 2_u32, Sentence::word("tower"));
        let german = |text: &str| match text {
            "{} laid {} tiles on this {}" => Some("{2}: {1} Plättchen von {0}".to_owned()),
            "tower" => Some("Turm".to_owned()),
            _ => None,
        };
        assert_eq!(said.to_string(), "Ada laid 2 tiles on this tower");
        assert_eq!(said.translated(&german), "Turm: 2 Plättchen von Ada");
    }

    #[test]
    fn a_sentence_within_one_is_translated_with_it() {
        let said = sentence!("{} ({})", Sentence::either([sentence!("one"), sentence!("two")]), "CA-21");
        let french = |text: &str| match text {
            "{} or {}" => Some("{} ou {}".to_owned()),
            "one" => Some("un".to_owned()),
            _ => None,
        };
        assert_eq!(said.to_string(), "one or two (CA-21)");
        assert_eq!(said.translated(&french), "un ou two (CA-21)");
    }

    #[test]
    fn a_player_is_a_number_until_the_names_are_known() {
        let who = sentence!("{} waits", Player(1));
        let said = sentence!("{}, and {} plays", who, Player(0));
        assert_eq!(said.to_string(), "player 2 waits, and player 1 plays");
        let german = |text: &str| (text == "player {}").then(|| "Spieler {}".to_owned());
        assert_eq!(said.translated(&german), "Spieler 2 waits, and Spieler 1 plays");
        let names = Names::new(&["Ada".to_owned(), "Ben".to_owned()]);
        assert_eq!(said.named(&names).translated(&german), "Ben waits, and Ada plays");
    }

    #[test]
    fn a_list_has_its_commas_and_its_and() {
        let listed = |all: &[&str]| sentence!("{} wait", Term::listed(all.iter().copied())).to_string();
        assert_eq!(listed(&[]), " wait");
        assert_eq!(listed(&["Ada"]), "Ada wait");
        assert_eq!(listed(&["Ada", "Ben"]), "Ada and Ben wait");
        assert_eq!(listed(&["Ada", "Ben", "Cy", "Di"]), "Ada, Ben, Cy and Di wait");
        let row = |all: &[&str]| sentence!("{}", Term::in_a_row(all.iter().copied())).to_string();
        assert_eq!((row(&[]), row(&["Ada", "Ben", "Cy"])), (String::new(), "Ada, Ben, Cy".to_owned()));
        let german = |text: &str| match text {
            "{} and {}" => Some("{} und {}".to_owned()),
            "tower" => Some("Turm".to_owned()),
            "Ada" => Some("no name".to_owned()),
            _ => None,
        };
        let mixed = [Term::from("Ada"), Term::from(sentence!("{}!", "Ben")), Sentence::word("tower").into()];
        assert_eq!(sentence!("{}", Term::listed(mixed)).translated(&german), "Ada, Ben! und Turm");
    }

    proptest! {
        #[test]
        fn what_stands_in_a_gap_is_no_text(name in ".*", word in ".*") {
            let said = sentence!("{} and {}", name.as_str(), Sentence::word(&word));
            prop_assert_eq!(said.to_string(), format!("{name} and {word}"));
            let read: Sentence = serde_json::from_str(&serde_json::to_string(&said).unwrap()).unwrap();
            prop_assert_eq!(read.to_string(), said.to_string());
        }

        #[test]
        fn no_translation_panics(text in ".*") {
            let _ = sentence!("{} and {}", "Ada", 3_u32).translated(&|_| Some(text.clone()));
        }
    }
}
