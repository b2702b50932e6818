//! The rules in our own words, by their ids.
//!
//! An id such as CA-72 stands beside every score and every refused move. Here is what
//! it means. The texts are data, a file a game, such as `book/castle.toml`. How an edition
//! reads a rule that has a switch stands in the edition, for games that have editions
//! ([`Edition`](crate::castle::Edition)).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::Game;
use crate::games::BOOKS;

/// A rule of a game, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its id: `CA-72` for The Castle, `BA-10` for the classic game, `PL-10` and `CO-10` for
    /// its modules.
    pub id: String,
    /// What it is about, in a few words without a full stop.
    pub title: String,
    /// The rule, one to three sentences.
    pub text: String,
    /// The names of the switches by which a table may read it otherwise; mostly none.
    #[serde(default)]
    pub switches: Vec<String>,
    /// Whether the published texts disagree or are silent. The text then says what
    /// holds here.
    #[serde(default)]
    pub open: bool,
}

impl Rule {
    /// The game that it belongs to.
    pub fn game(&self) -> Game {
        let own = BOOKS.iter().find(|book| self.id.starts_with(book.letters));
        own.map_or_else(Game::default, |book| book.game)
    }
}

/// An id taken apart, so that `ca72` and `CA 72` are one: letters, number, letter.
type Key = (String, u32, String);

#[derive(Deserialize)]
struct File {
    rule: Vec<Rule>,
}

struct Book {
    rules: Vec<Rule>,
    by_key: BTreeMap<Key, usize>,
}

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let rules: Vec<Rule> = BOOKS
        .iter()
        .flat_map(|book| toml::from_str::<File>(book.text).expect("the book reads").rule)
        .collect();
    let by_key = rules.iter().enumerate().filter_map(|(at, rule)| Some((key(&rule.id)?, at))).collect();
    Book { rules, by_key }
});

fn key(id: &str) -> Option<Key> {
    let plain: String = id
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let number = plain.find(|c: char| c.is_ascii_digit())?;
    let rest = &plain[number..];
    let letter = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((plain[..number].to_owned(), rest[..letter].parse().ok()?, rest[letter..].to_owned()))
}

/// All rules, game by game, in the order of their ids.
///
/// # Panics
/// Never: the tests read the texts.
pub fn rules() -> &'static [Rule] {
    &BOOK.rules
}

/// The rule with this id, in capitals or not, with a hyphen, a space or nothing
/// between letters and number.
///
/// ```
/// use castellan_rules::book::rule;
///
/// let found = rule("CA-72").unwrap();
/// assert_eq!(found.title, "Each feature is a move of its own");
/// assert_eq!(rule("ca72"), Some(found));
/// assert_eq!(rule("CA 72"), Some(found));
/// assert_eq!(rule("CA-999"), None);
/// ```
pub fn rule(id: &str) -> Option<&'static Rule> {
    BOOK.by_key.get(&key(id)?).map(|at| &BOOK.rules[*at])
}

/// Rules whose ids are nearest to one that may be mistyped, the nearest first; none
/// when it has no number. Rules of the same letters come before all others.
///
/// ```
/// use castellan_rules::book::near;
///
/// let ids: Vec<&str> = near("ca-40", 3).map(|rule| rule.id.as_str()).collect();
/// assert_eq!(ids, ["CA-40a", "CA-40b", "CA-40c"]);
/// ```
pub fn near(id: &str, most: usize) -> impl Iterator<Item = &'static Rule> {
    let mut found: Vec<(bool, u32, &Key, usize)> = Vec::new();
    if let Some((letters, number, _)) = key(id) {
        found.extend(BOOK.by_key.iter().map(|(k, at)| (k.0 != letters, k.1.abs_diff(number), k, *at)));
        found.sort();
    }
    found.into_iter().take(most).map(|(.., at)| &BOOK.rules[at])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::castle::RuleSwitch;

    fn sources(folder: &Path, texts: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, texts);
            } else if path.extension().is_some_and(|e| e == "rs") {
                texts.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }

    /// The ids that stand by themselves in the strings of a source.
    fn ids_in<'a>(text: &'a str, letters: &str) -> Vec<&'a str> {
        let quoted = format!("\"{letters}-");
        let begins = text.match_indices(&quoted).map(|(at, _)| at + 1);
        let strings = begins.filter_map(|at| Some(&text[at..at + text[at..].find('"')?]));
        strings.flat_map(str::split_whitespace).collect()
    }

    #[test]
    fn the_book_has_every_rule_once_and_in_order() {
        let letters = |id: &str, of: std::ops::RangeInclusive<char>| of.map(|c| format!("{id}{c}")).collect();
        let mut expected: Vec<String> = Vec::new();
        for number in 1..=125 {
            let id = format!("CA-{number:02}");
            expected.extend(if number == 40 { letters(&id, 'a'..='k') } else { vec![id.clone()] });
            if matches!(number, 36 | 101) {
                expected.push(id + "b");
            }
        }
        expected.extend((1..=36).map(|number| format!("BA-{number:02}")));
        expected.extend((0..=32).map(|number| format!("PL-{number:02}")));
        expected.extend((1..=36).map(|number| format!("CO-{number:02}")));
        let ids: Vec<&str> = rules().iter().map(|r| r.id.as_str()).collect();
        assert_eq!(ids, expected);
        assert_eq!(BOOK.by_key.len(), ids.len());
        for found in rules() {
            assert_eq!(found.game(), if found.id.starts_with("CA") { Game::Castle } else { Game::Classic });
        }
    }

    #[test]
    fn every_id_that_the_crate_gives_has_a_rule() {
        let mut texts = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut texts);
        let mut seen = BTreeSet::new();
        for (file, text) in &texts {
            // The tests of this file name rules that are none.
            if file.ends_with("book.rs") {
                continue;
            }
            for id in ["CA", "BA", "PL", "CO"].into_iter().flat_map(|letters| ids_in(text, letters)) {
                assert_eq!(rule(id).map(|r| r.id.as_str()), Some(id), "{file}");
                seen.insert(id);
            }
        }
        assert!(seen.len() > 60, "{seen:?}");
    }

    #[test]
    fn the_switches_of_the_castle_and_its_rules_name_each_other() {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for found in rules().iter().filter(|r| r.game() == Game::Castle) {
            pairs.extend(found.switches.iter().map(|switch| (found.id.as_str(), switch.as_str())));
        }
        assert_eq!(pairs, RuleSwitch::ALL.map(|switch| (switch.rule, switch.name)));
    }

    #[test]
    fn titles_and_texts_read_well() {
        for Rule { id, title, text, open, .. } in rules() {
            assert!((3..=8).contains(&title.split(' ').count()), "{id}: {title}");
            assert!(title.starts_with(char::is_uppercase) && !title.ends_with('.'), "{id}: {title}");
            assert!(text.starts_with(char::is_uppercase) && text.ends_with('.'), "{id}: {text}");
            assert!(text.chars().count() <= 400 && text.split(". ").count() <= 4, "{id}: {text}");
            let plain = |s: &str| !s.contains(['\n', '\t', '"', '`']) && !s.contains("  ") && s.trim() == s;
            assert!(plain(title) && plain(text), "{id}");
            let here = text.split(|c: char| !c.is_alphabetic()).any(|word| word == "Here" || word == "here");
            assert!(!open || here, "{id} is open and does not say what holds here");
        }
        let titles: BTreeSet<(bool, &str)> =
            rules().iter().map(|r| (r.game() == Game::Castle, r.title.as_str())).collect();
        assert_eq!(titles.len(), rules().len(), "two rules have the same title");
    }

    #[test]
    fn ids_that_are_none_lead_to_near_ones() {
        let ids = |id: &str| near(id, 2).map(|rule| rule.id.as_str()).collect::<Vec<_>>();
        assert_eq!(ids("CA-126"), ["CA-125", "CA-124"]);
        assert_eq!(ids("ba 0"), ["BA-01", "BA-02"]);
        assert_eq!(ids("72"), ["CA-72", "CA-71"]);
        assert_eq!(ids("keep"), Vec::<&str>::new());
        assert_eq!(ids("CA-99999999999999999999"), Vec::<&str>::new());
        for odd in ["", "-", "7", "ca7z", "çà72", "CA-72-"] {
            assert_eq!(rule(odd).map(|r| r.id.as_str()), (odd == "CA-72-").then_some("CA-72"), "{odd}");
        }
    }
}
