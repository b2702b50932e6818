use anyhow::bail;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::rules::book::{self, Rule};
use crate::rules::castle::{Edition, RuleSwitch};
use crate::rules::{Game, classic, quoted};

/// The width of what is printed where no terminal says its own, letters.
const WIDTH: usize = 80;

/// The narrowest terminal that lines are broken for, letters.
const NARROWEST: usize = 20;

/// How many rules are named when there is none of an id.
const NEAR: usize = 3;

/// Says what a rule is, by the id that stands beside a score.
///
/// Without an id it lists the ids and titles of the game.
#[derive(Debug, Args)]
pub struct Rules {
    /// Ids of rules, such as CA-72 for The Castle and BA-10 for the classic game.
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Says what this edition of The Castle makes of them: hig-2003, rgg-2003 or
    /// zamek-2020, then what is different at the table, such as +wall4_fountain.
    #[arg(long)]
    edition: Option<String>,
    /// Lists the rules of this game; without it those of The Castle, or with --search
    /// those of both.
    #[arg(long, value_enum, conflicts_with = "ids")]
    game: Option<GameName>,
    /// Lists only rules with this word in the title or the text.
    #[arg(long, value_name = "WORD", conflicts_with = "ids")]
    search: Option<String>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GameName {
    Castle,
    Classic,
}

impl From<GameName> for Game {
    fn from(name: GameName) -> Game {
        match name {
            GameName::Castle => Game::Castle,
            GameName::Classic => Game::Classic,
        }
    }
}

/// A rule with how an edition reads it.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    rule: &'a Rule,
    /// What the edition says of its switches, then other editions that read it
    /// otherwise.
    says: Vec<String>,
}

#[derive(Serialize)]
struct Report<'a> {
    edition: &'a str,
    edition_title: &'a str,
    rules: Vec<Told<'a>>,
}

impl Rules {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let rules = self.chosen()?;
        let edition = Edition::named(self.edition.as_deref().unwrap_or(Edition::default_name()))?;
        if self.edition.is_some() && !rules.is_empty() && rules.iter().all(|r| r.game() == Game::Classic) {
            bail!("editions are those of The Castle; leave --edition out for the classic game");
        }
        if self.json {
            let rules = rules
                .into_iter()
                .map(|rule| Ok(Told { rule, says: says(rule, &edition)? }))
                .collect::<anyhow::Result<_>>()?;
            out::json(&Report { edition: &edition.name, edition_title: &edition.title, rules })?;
            return Ok(Outcome::Done);
        }
        if self.ids.is_empty() {
            list(&rules)?;
            return Ok(Outcome::Done);
        }
        self.tell(&rules, &edition)?;
        Ok(Outcome::Done)
    }

    /// The rules that were asked for.
    fn chosen(&self) -> anyhow::Result<Vec<&'static Rule>> {
        if !self.ids.is_empty() {
            return self.ids.iter().map(|id| book::rule(id).map_or_else(|| unknown(id), Ok)).collect();
        }
        let game = match (self.game, &self.search) {
            (None, Some(_)) => None,
            (game, _) => Some(Game::from(game.unwrap_or(GameName::Castle))),
        };
        let word = self.search.as_deref().unwrap_or_default().trim().to_lowercase();
        let has = |rule: &&Rule| {
            game.is_none_or(|g| g == rule.game())
                && (rule.title.to_lowercase().contains(&word) || rule.text.to_lowercase().contains(&word))
        };
        Ok(book::rules().iter().filter(has).collect())
    }

    fn tell(&self, rules: &[&Rule], edition: &Edition) -> anyhow::Result<()> {
        let width = width();
        let print = |text: &str| wrapped(text, width).into_iter().try_for_each(|line| outln!("{line}"));
        let note = |text: &str| wrapped(text, width - 2).into_iter().try_for_each(|line| outln!("  {line}"));
        if self.edition.is_some() {
            outln!("{}", edition.title)?;
            edition.naming().iter().try_for_each(|n| print(n))?;
            outln!()?;
        }
        for (number, rule) in rules.iter().enumerate() {
            if number > 0 {
                outln!()?;
            }
            print(&format!("{}  {}", rule.id, rule.title))?;
            print(&rule.text)?;
            says(rule, edition)?.iter().try_for_each(|n| note(n))?;
        }
        Ok(())
    }
}

/// What an edition makes of a rule: a sentence for each of its switches, then those of
/// other editions that differ. The classic game has one edition, in which all switches
/// are off: what holds there, then what a table may choose.
fn says(rule: &Rule, edition: &Edition) -> anyhow::Result<Vec<String>> {
    let mut says = Vec::new();
    for name in &rule.switches {
        if let (Game::Classic, Some(switch)) = (rule.game(), classic::Switch::named(name)) {
            says.push(format!("here {}", switch.says(false)));
            says.push(format!("with the switch {name} on: {}", switch.says(true)));
            continue;
        }
        says.extend(edition.says(name).unwrap_or_default());
        let Some(switch) = RuleSwitch::named(name) else { continue };
        for other in Edition::NAMES {
            let other = Edition::named(other)?;
            let (Some(own), Some(its)) = (edition.reasons.get(name), other.reasons.get(name)) else {
                continue;
            };
            if own.on != its.on {
                says.push(format!("in the edition {} {}: {}", other.name, switch.means(its.on), its.reason));
            }
        }
    }
    Ok(says)
}

fn unknown(id: &str) -> anyhow::Result<&'static Rule> {
    let near: Vec<&str> = book::near(id, NEAR).map(|rule| rule.id.as_str()).collect();
    match near.split_last() {
        Some((last, first)) => bail!("no rule is named `{}`; try {} or {last}", quoted(id), first.join(", ")),
        None => bail!(
            "no rule is named `{}`; write an id such as CA-72, or look for a word with --search",
            quoted(id)
        ),
    }
}

fn list(rules: &[&Rule]) -> anyhow::Result<()> {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    for rule in rules {
        outln!("{:<width$}  {}", rule.id, rule.title)?;
    }
    match rules.len() {
        0 => talk!("no rule has this word"),
        1 => talk!("1 rule"),
        n => talk!("{n} rules"),
    }
    Ok(())
}

/// How wide the terminal is that reads stdout, letters.
fn width() -> usize {
    let terminal = terminal_size::terminal_size_of(std::io::stdout());
    terminal.map_or(WIDTH, |(width, _)| usize::from(width.0).max(NARROWEST))
}

/// A text broken between words into lines of at most so many letters; a longer word
/// stands on a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim_end();
    while rest.chars().count() > width {
        let end = rest.char_indices().nth(width).map_or(rest.len(), |(at, _)| at);
        // A space just behind the line is as good a place.
        let next = rest[end..].chars().next().map_or(0, char::len_utf8);
        let Some(space) = rest[..end + next].rfind(' ').or_else(|| rest.find(' ')) else { break };
        lines.push(rest[..space].trim_end().to_owned());
        rest = rest[space..].trim_start();
    }
    lines.push(rest.to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 6), ["one", "two", "three"]);
        assert_eq!(wrapped("one two three", 13), ["one two three"]);
        assert_eq!(wrapped("CA-72  Each move", 9), ["CA-72", "Each move"]);
        assert_eq!(wrapped("a lengthy word", 4), ["a", "lengthy", "word"]);
        assert_eq!(wrapped("é é é é", 3), ["é é", "é é"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn every_rule_fits_every_terminal() {
        for rule in book::rules() {
            for width in [NARROWEST, 40, WIDTH] {
                let lines = wrapped(&rule.text, width);
                assert!(lines.iter().all(|l| l.chars().count() <= width), "{lines:?}");
                assert_eq!(lines.join(" "), rule.text);
            }
        }
    }
}
