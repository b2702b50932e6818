//! The list of the games: what they are called, how each is begun, the words that each
//! brings, and where its rules stand.

use serde::{Deserialize, Serialize};

use super::game_position::{EditionNotes, GamePosition, Setup, SetupFault};
use super::table_rules::TableRule;
use super::vocabulary::{self, Vocabulary};
use super::{castle, classic};
use crate::sentence;

/// The games that there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Game {
    /// Carcassonne: The Castle.
    #[default]
    Castle,
    /// The classic game with its expansions.
    Classic,
}

impl Game {
    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Game::Castle => "castle",
            Game::Classic => "classic",
        }
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Game::Castle => "Carcassonne: The Castle",
            Game::Classic => "Carcassonne",
        }
    }

    /// The game with this name.
    pub fn named(name: &str) -> Option<Game> {
        [Game::Castle, Game::Classic].into_iter().find(|game| game.name() == name)
    }

    /// The editions that may be named for it, the usual one first: its name in records and its
    /// title.
    pub fn editions(self) -> Vec<(&'static str, String)> {
        match self {
            Game::Castle => {
                let title = |name| castle::Edition::named(name).map(|e| e.title).unwrap_or_default();
                castle::Edition::NAMES.into_iter().map(|name| (name, title(name))).collect()
            }
            Game::Classic => vec![(classic::EDITION, "The base game, with the sets of the deck".to_owned())],
        }
    }

    /// The fewest and the most players.
    pub const fn players(self) -> (usize, usize) {
        match self {
            Game::Castle => (2, 2),
            Game::Classic => (2, classic::MOST_PLAYERS),
        }
    }
}

/// The words of all games. Those of a type are numbered, and sorted, in this order.
pub(crate) const VOCABULARIES: [Vocabulary; 3 + classic::MODULE_VOCABULARIES.len()] = vocabulary::joined(&[
    &[vocabulary::SHARED, castle::VOCABULARY, classic::VOCABULARY],
    &classic::MODULE_VOCABULARIES,
]);

/// The rules of a game in plain words.
pub(crate) struct Book {
    /// The game.
    pub game: Game,
    /// What the ids of its rules begin with.
    pub letters: &'static str,
    /// Its rules as a TOML text.
    pub text: &'static str,
}

/// The rules of all games.
pub(crate) const BOOKS: [Book; 4] = [
    Book { game: Game::Castle, letters: "CA", text: include_str!("../book/castle.toml") },
    Book { game: Game::Classic, letters: "BA", text: include_str!("../book/classic.toml") },
    Book { game: Game::Classic, letters: "PL", text: include_str!("../book/modules.toml") },
    Book { game: Game::Classic, letters: "CO", text: include_str!("../book/count.toml") },
];

/// Begins a game.
///
/// # Errors
/// [`SetupFault`] when its wall, deck, edition or players make no game.
pub fn begin(game: Game, setup: &Setup) -> Result<(Box<dyn GamePosition>, EditionNotes), SetupFault> {
    match game {
        Game::Castle => castle::begin(setup),
        Game::Classic => classic::begin(setup),
    }
}

/// What a table may decide, in the order of the rules, and how it stands. `edition` is the edition
/// with what the table chose differently, the usual one without; `sets` are those of the deck, which
/// bring switches of their own to the classic game.
///
/// # Errors
/// [`SetupFault`] when the edition or one of its switches is not known.
pub fn table_rules(game: Game, edition: Option<&str>, sets: &[String]) -> Result<Vec<TableRule>, SetupFault> {
    match game {
        Game::Castle => castle::table_rules(edition),
        Game::Classic => classic::table_rules(edition, sets),
    }
}

/// The edition with one of [`table_rules`] turned the other way; `None` where that is the usual
/// edition and nothing else.
///
/// # Errors
/// [`SetupFault`] as [`table_rules`], and when no such switch is played with.
pub fn with_table_rule(
    game: Game,
    edition: Option<&str>,
    sets: &[String],
    name: &str,
) -> Result<Option<String>, SetupFault> {
    let rules = table_rules(game, edition, sets)?;
    let rule = rules.iter().find(|rule| rule.name == name);
    let rule = rule.ok_or_else(|| SetupFault(sentence!("no switch is named `{}` here", name)))?;
    let usual = game.editions().first().map_or("", |edition| edition.0);
    Ok(rule.turned(edition, usual))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn departures(game: Game, edition: Option<&str>, sets: &[String]) -> Vec<&'static str> {
        let rules = table_rules(game, edition, sets).unwrap();
        rules.iter().filter(|rule| rule.is_departure()).map(|rule| rule.name).collect()
    }

    #[test]
    fn a_rule_is_turned_there_and_back() {
        for (game, edition) in [(Game::Castle, None), (Game::Castle, Some("rgg-2003")), (Game::Classic, None)]
        {
            for rule in table_rules(game, edition, &[]).unwrap() {
                let there = with_table_rule(game, edition, &[], rule.name).unwrap();
                assert_eq!(departures(game, there.as_deref(), &[]), [rule.name]);
                let back = with_table_rule(game, there.as_deref(), &[], rule.name).unwrap();
                assert_eq!(back.as_deref(), edition);
            }
        }
        let two = Some("hig-2003 +ring_is_closed -both_eights_add");
        let one = with_table_rule(Game::Castle, two, &[], "ring_is_closed").unwrap();
        assert_eq!(one.as_deref(), Some("hig-2003 -both_eights_add"));
    }

    #[test]
    fn sets_bring_their_own() {
        let plain = table_rules(Game::Classic, None, &[]).unwrap().len();
        let sets = ["cathars".to_owned()];
        let more = table_rules(Game::Classic, None, &sets).unwrap();
        assert!(more.len() > plain);
        let last = more.last().unwrap();
        let there = with_table_rule(Game::Classic, None, &sets, last.name).unwrap();
        assert_eq!(departures(Game::Classic, there.as_deref(), &sets), [last.name]);
        let fault = with_table_rule(Game::Classic, None, &[], last.name).unwrap_err();
        assert!(fault.to_string().contains(last.name), "{fault}");
        // Without the module's rules its switches are not asked for either.
        let without = table_rules(Game::Classic, Some("base -cathars"), &sets).unwrap();
        assert_eq!(without.len(), plain);
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (game, text) in [
            (Game::Castle, "hig-2003 +nonsense"),
            (Game::Classic, "base +nonsense"),
            (Game::Castle, "nonsense"),
        ] {
            let fault = table_rules(game, Some(text), &[]).unwrap_err().to_string();
            assert!(fault.contains("nonsense"), "{fault}");
        }
    }
}
