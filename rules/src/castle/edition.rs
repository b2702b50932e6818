//! Editions: which readings hold, what things are called, how wall tiles are
//! numbered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{NotationError, RuleSwitch, RuleSwitches, WALL_TILE_KINDS};
use crate::{Attribute, Kind, Role, Sentence, SetupFault, TableRule, sentence};

/// What things are called, each in the singular. The rules of 2003 by default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// The feature of the heralds.
    pub path: String,
    /// The feature of the knights.
    pub tower: String,
    /// The feature of the squires.
    pub house: String,
    /// The feature of the merchants.
    pub court: String,
    /// What a court scores for.
    pub market: String,
    /// What doubles a path, with its article.
    pub fountain: String,
    /// What splits a path.
    pub square: String,
    /// What stands on the largest house.
    pub keep: String,
    /// On a path.
    pub herald: String,
    /// On a tower.
    pub knight: String,
    /// On a house.
    pub squire: String,
    /// On a court.
    pub merchant: String,
    /// The number printed on a wall tile to its number in 2003; 1 to 9 both.
    #[serde(skip)]
    pub wall_tiles: BTreeMap<u8, u8>,
}

impl Default for Words {
    fn default() -> Words {
        let word = str::to_owned;
        Words {
            path: word("path"),
            tower: word("tower"),
            house: word("house"),
            court: word("court"),
            market: word("market"),
            fountain: word("a fountain"),
            square: word("square"),
            keep: word("keep"),
            herald: word("herald"),
            knight: word("knight"),
            squire: word("squire"),
            merchant: word("merchant"),
            wall_tiles: (1..=WALL_TILE_KINDS).map(|n| (n, n)).collect(),
        }
    }
}

impl Words {
    /// The word for a feature.
    pub fn kind(&self, kind: Kind) -> &str {
        match kind {
            Kind::PATH => &self.path,
            Kind::TOWER => &self.tower,
            Kind::HOUSE => &self.house,
            Kind::COURT => &self.court,
            other => other.name(),
        }
    }

    /// The word for a follower on a feature.
    pub fn role(&self, role: Role) -> &str {
        match role {
            Role::HERALD => &self.herald,
            Role::KNIGHT => &self.knight,
            Role::SQUIRE => &self.squire,
            Role::MERCHANT => &self.merchant,
            other => other.name(),
        }
    }

    /// The word for what is printed on a feature, without an article.
    pub fn attribute(&self, attribute: Attribute) -> &str {
        match attribute {
            Attribute::MARKET => &self.market,
            Attribute::SQUARE => &self.square,
            other => other.name(),
        }
    }

    /// The role that a word means.
    pub fn role_of(&self, word: &str) -> Option<Role> {
        [Role::HERALD, Role::KNIGHT, Role::SQUIRE, Role::MERCHANT]
            .into_iter()
            .find(|r| self.role(*r).eq_ignore_ascii_case(word))
    }

    /// The number of 2003 of the wall tile with this number printed on it, where
    /// the edition says it.
    pub fn number_of(&self, printed: u8) -> Option<u8> {
        self.wall_tiles.get(&printed).copied()
    }

    /// The number printed on the wall tile with this number of 2003, where the
    /// edition says it.
    pub fn printed(&self, number: u8) -> Option<u8> {
        self.wall_tiles.iter().find(|(_, n)| **n == number).map(|(printed, _)| *printed)
    }

    /// The number of 2003 of a wall tile as [`Words::wall_tile`] names it.
    ///
    /// # Errors
    /// [`NotationError`] when it is no number, or the edition does not say what the
    /// wall tile with it does.
    pub fn wall_tile_named(&self, text: &str) -> Result<u8, NotationError> {
        let (number, of_2003) = match text.trim().strip_suffix("of 2003") {
            Some(number) => (number.trim(), true),
            None => (text.trim(), false),
        };
        let number = number.parse().ok().filter(|n| (1..=WALL_TILE_KINDS).contains(n));
        let number = number.ok_or_else(|| NotationError::Number(text.to_owned()))?;
        match of_2003 {
            true => Ok(number),
            false => self.number_of(number).ok_or(NotationError::WallTile(number)),
        }
    }

    /// A wall tile's number as players read it: `4`, or `8 of 2003` where the
    /// edition does not say what is printed on it.
    pub fn wall_tile(&self, number: u8) -> String {
        self.printed(number).map_or_else(|| format!("{number} of 2003"), |printed| printed.to_string())
    }
}

/// A switch in an edition, and why it stands so.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditionSwitch {
    /// Whether it is on.
    pub on: bool,
    /// Why, for people.
    pub reason: String,
}

/// An edition of the game, with what the table chose differently in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edition {
    /// Its name in records and on the command line.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// What is particular in it, for people.
    pub note: String,
    /// Its switches by name, each with its reason.
    pub reasons: BTreeMap<String, EditionSwitch>,
    /// The readings that hold at this table.
    pub switches: RuleSwitches,
    /// The switches in which the table departs from the edition.
    pub departures: Vec<String>,
    /// Its words and wall tile numbers.
    pub words: Words,
}

/// Why a text is not an edition.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum EditionError {
    /// Not TOML, or not of the form.
    Form(String),
    /// A switch is left out, or is none.
    Missing(String),
    /// A name that is no switch.
    Switch(String),
    /// A wall tile number out of range, or one given twice.
    WallTile(String),
    /// No edition of this name.
    Unknown(String),
}

impl From<&EditionError> for Sentence {
    fn from(error: &EditionError) -> Sentence {
        match error {
            EditionError::Form(why) => sentence!("the edition cannot be read: {}", why),
            EditionError::Missing(switch) => {
                sentence!("the edition has no switch `{}`; give it a value and a reason", switch)
            }
            EditionError::Switch(word) => {
                let all = RuleSwitch::ALL.map(|s| s.name).join(", ");
                sentence!("`{}` is no switch; choose one of {}", word, all)
            }
            EditionError::WallTile(text) => sentence!(
                "`{}` numbers no wall tile anew; write it as 5=4, each number from 1 to 9 and once",
                text
            ),
            EditionError::Unknown(name) => {
                sentence!("no edition is named `{}`; choose {}", name, Edition::NAMES.join(", "))
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    title: String,
    #[serde(default)]
    note: String,
    switches: BTreeMap<String, EditionSwitch>,
    words: Words,
    wall_tiles: BTreeMap<String, u8>,
}

impl Edition {
    /// The editions that are known, the default first.
    pub const NAMES: [&'static str; 3] = ["hig-2003", "rgg-2003", "zamek-2020"];

    /// Reads an edition file.
    ///
    /// # Errors
    /// [`EditionError`] when a switch is missing or unknown, or a wall tile is
    /// numbered twice.
    pub fn from_toml(text: &str) -> Result<Edition, EditionError> {
        let file: File = toml::from_str(text)
            .map_err(|e| EditionError::Form(e.to_string().lines().collect::<Vec<_>>().join(" ")))?;
        let mut switches = RuleSwitches::default();
        for (name, value) in &file.switches {
            let switch = RuleSwitch::named(name).ok_or_else(|| EditionError::Switch(name.clone()))?;
            switch.set(&mut switches, value.on);
        }
        if let Some(missing) = RuleSwitch::ALL.iter().find(|s| !file.switches.contains_key(s.name)) {
            return Err(EditionError::Missing(missing.name.to_owned()));
        }
        let mut edition = Edition {
            name: file.name,
            title: file.title,
            note: file.note,
            reasons: file.switches,
            switches,
            departures: Vec::new(),
            words: file.words,
        };
        for (printed, number) in file.wall_tiles {
            edition.number(&format!("{printed}={number}"))?;
        }
        Ok(edition)
    }

    /// An edition that is built in, and what the table chose differently: its
    /// name, then words such as `+wall4_fountain` (on), `-count_free_start_spaces`
    /// (off) and `5=4` (the wall tile with a 5 printed on it is the 4 of 2003).
    ///
    /// # Errors
    /// [`EditionError`].
    pub fn named(text: &str) -> Result<Edition, EditionError> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let mut edition = Edition::from_toml(match name {
            "hig-2003" => include_str!("../../editions/hig-2003.toml"),
            "rgg-2003" => include_str!("../../editions/rgg-2003.toml"),
            "zamek-2020" => include_str!("../../editions/zamek-2020.toml"),
            _ => return Err(EditionError::Unknown(name.to_owned())),
        })?;
        for word in words {
            let on = word.starts_with('+');
            match word.strip_prefix(['+', '-']) {
                Some(name) => {
                    let switch =
                        RuleSwitch::named(name).ok_or_else(|| EditionError::Switch(name.to_owned()))?;
                    if switch.get(edition.switches) != on {
                        switch.set(&mut edition.switches, on);
                        edition.departures.push(switch.says(on));
                    }
                }
                None => edition.number(word)?,
            }
        }
        Ok(edition)
    }

    /// The edition of the game when nobody named one.
    pub fn default_name() -> &'static str {
        Edition::NAMES[0]
    }

    fn number(&mut self, text: &str) -> Result<(), EditionError> {
        let error = || EditionError::WallTile(text.to_owned());
        let (printed, number) = text.split_once('=').ok_or_else(error)?;
        let read =
            |n: &str| n.parse::<u8>().ok().filter(|n| (1..=WALL_TILE_KINDS).contains(n)).ok_or_else(error);
        let (printed, number) = (read(printed)?, read(number)?);
        let taken = self.words.printed(number).is_some_and(|p| p != printed);
        if taken || self.words.number_of(printed).is_some_and(|n| n != number) {
            return Err(error());
        }
        self.words.wall_tiles.insert(printed, number);
        Ok(())
    }

    /// What a table must know: its title, and in a sentence each what differs
    /// from the edition, and from the game of 2003 in German.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut standard = RuleSwitches::default();
        for switch in RuleSwitch::ALL {
            if let Some(own) = self.reasons.get(switch.name) {
                if own.on != switch.get(RuleSwitches::default()) {
                    notes.push(format!("in this edition {}: {}", switch.says(own.on), own.reason));
                }
                switch.set(&mut standard, own.on);
            }
        }
        for sentence in self.switches.differing(standard) {
            notes.push(format!("at this table, not in the edition, {sentence}"));
        }
        notes.extend(self.naming());
        notes
    }

    /// What is called or numbered otherwise in it than in the game of 2003, a sentence
    /// each.
    pub fn naming(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let renamed = self.renamed();
        if !renamed.is_empty() {
            notes.push(format!("in this edition {}", renamed.join(", ")));
        }
        let numbers: Vec<String> = self
            .words
            .wall_tiles
            .iter()
            .filter(|(printed, number)| printed != number)
            .map(|(printed, number)| format!("wall tile {printed} is the {number} of 2003"))
            .collect();
        if !numbers.is_empty() {
            notes.push(format!("in this edition {}", numbers.join(", ")));
        }
        let unknown: Vec<String> = (1..=WALL_TILE_KINDS)
            .filter(|n| self.words.number_of(*n).is_none())
            .map(|n| n.to_string())
            .collect();
        if !unknown.is_empty() {
            notes.push(format!(
                "what the wall tiles {} of this edition do is not known here; say it with the edition, as in \
                 `{} {}=4`",
                unknown.join(", "),
                self.name,
                unknown[0]
            ));
        }
        notes
    }

    /// How it reads a switch, a sentence with the reason, and another one where the
    /// table departs from it. `None` for a name that is no switch.
    ///
    /// ```
    /// use castellan_rules::castle::Edition;
    ///
    /// let says = Edition::named("rgg-2003")?.says("wall4_fountain").unwrap();
    /// assert!(says[0].starts_with("in this edition an open path with a fountain counts 2 points a tile: "));
    /// # Ok::<(), castellan_rules::castle::EditionError>(())
    /// ```
    pub fn says(&self, switch: &str) -> Option<Vec<String>> {
        let switch = RuleSwitch::named(switch)?;
        let (own, here) = (self.reasons.get(switch.name)?, switch.get(self.switches));
        let mut says = vec![format!("in this edition {}: {}", switch.means(own.on), own.reason)];
        if here != own.on {
            says.push(format!("at this table, not in the edition, {}", switch.means(here)));
        }
        Some(says)
    }

    /// `a pigsty is the tower of 2003`, for every word that differs.
    fn renamed(&self) -> Vec<String> {
        let (own, standard) = (&self.words, Words::default());
        let pairs = [
            (&own.path, &standard.path),
            (&own.tower, &standard.tower),
            (&own.house, &standard.house),
            (&own.court, &standard.court),
            (&own.market, &standard.market),
            (&own.fountain, &standard.fountain),
            (&own.square, &standard.square),
            (&own.keep, &standard.keep),
            (&own.herald, &standard.herald),
            (&own.knight, &standard.knight),
            (&own.squire, &standard.squire),
            (&own.merchant, &standard.merchant),
        ];
        let bare = |word: &str| word.strip_prefix("a ").unwrap_or(word).to_owned();
        pairs
            .into_iter()
            .filter(|(own, standard)| own != standard)
            .map(|(own, standard)| format!("{} stands for {}", bare(own), bare(standard)))
            .collect()
    }
}

/// What a table may decide; see [`crate::table_rules`].
///
/// # Errors
/// [`SetupFault`] when the edition or one of its switches is not known.
pub(crate) fn table_rules(edition: Option<&str>) -> Result<Vec<TableRule>, SetupFault> {
    let edition = Edition::named(edition.unwrap_or(Edition::default_name()))
        .map_err(|e| SetupFault(Sentence::from(&e)))?;
    let rule = |switch: RuleSwitch| {
        let on = switch.get(edition.switches);
        let usual = edition.reasons.get(switch.name).map_or(on, |own| own.on);
        TableRule::new(switch.name, switch.rule, (on, usual), |on| switch.means(on))
    };
    Ok(RuleSwitch::ALL.into_iter().map(rule).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edition_reads_and_gives_a_reason_for_every_switch() {
        for name in Edition::NAMES {
            let edition = Edition::named(name).unwrap();
            assert_eq!(edition.name, name);
            assert_eq!(edition.reasons.len(), RuleSwitch::ALL.len());
            assert!(edition.reasons.values().all(|s| s.reason.len() > 20), "{name}");
        }
        let default = Edition::named(Edition::default_name()).unwrap();
        assert_eq!(default.switches, RuleSwitches::default());
        assert_eq!(default.words, Words::default());
        assert_eq!(default.notes(), Vec::<String>::new());
    }

    #[test]
    fn what_the_table_chose_differently_is_said() {
        let edition = Edition::named("rgg-2003 +pickup_after_all_moves -wall4_fountain").unwrap();
        assert!(edition.switches.pickup_after_all_moves && !edition.switches.wall4_fountain);
        assert_eq!(edition.departures.len(), 2);
        let notes = edition.notes();
        assert!(notes[0].starts_with("in this edition an open path with a fountain"), "{notes:?}");
        assert_eq!(notes.iter().filter(|n| n.starts_with("at this table")).count(), 2);
    }

    #[test]
    fn the_polish_edition_has_its_own_words_and_numbers() {
        let words = Edition::named("zamek-2020 5=8").unwrap().words;
        assert_eq!((words.number_of(4), words.number_of(5), words.number_of(6)), (Some(7), Some(8), None));
        assert_eq!((words.wall_tile(7), words.wall_tile(2)), ("4".to_owned(), "2 of 2003".to_owned()));
        assert_eq!((words.wall_tile_named("4"), words.wall_tile_named("2 of 2003")), (Ok(7), Ok(2)));
        assert!(words.wall_tile_named("6").is_err() && words.wall_tile_named("six").is_err());
        assert!(words.wall_tile_named("77").is_err() && words.wall_tile_named("0 of 2003").is_err());
        assert_eq!(words.role_of("farmer"), Some(Role::KNIGHT));
        assert_eq!(words.role_of("knight"), None);
        let notes = Edition::named("zamek-2020").unwrap().notes().join("\n");
        assert!(
            notes.contains("pigsty stands for tower") && notes.contains("2, 3, 5, 6, 7, 8, 9"),
            "{notes}"
        );
    }

    #[test]
    fn texts_that_name_no_edition_are_refused_in_one_sentence() {
        for text in
            ["", "castle", "hig-2003 wall4_fountain", "hig-2003 +nothing", "zamek-2020 5=7", "zamek-2020 0=1"]
        {
            let error = Edition::named(text).unwrap_err().to_string();
            assert!(!error.contains('\n') && error.contains("; "), "{error}");
        }
    }
}
