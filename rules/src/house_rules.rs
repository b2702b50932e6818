//! What a table may decide of a game's rules before it plays, and how it is said with the
//! edition: its name, then `+switch` for what is on and `-switch` for what is off.

use super::castle::{Edition, RuleSwitch};
use super::game_position::SetupFault;
use super::games::Game;
use super::{castle, classic};

/// A reading of a rule that a table may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HouseRule {
    /// The switch, as it is named in records.
    pub name: &'static str,
    /// The id of the rule that leaves it open.
    pub rule: &'static str,
    /// Whether it is on.
    pub on: bool,
    /// Whether it is on where the table says nothing.
    pub usual: bool,
    /// What holds, in a sentence without a full stop.
    pub says: &'static str,
    /// What holds with the switch the other way.
    pub otherwise: &'static str,
}

impl HouseRule {
    /// Whether the table plays otherwise than the edition.
    pub fn is_departure(&self) -> bool {
        self.on != self.usual
    }
}

/// What may be decided, in the order of the rules, and how it stands. `edition` is the edition with
/// what the table chose differently, the usual one without; `sets` are those of the deck, which
/// bring switches of their own to the classic game.
///
/// # Errors
/// [`SetupFault`] when the edition or one of its switches is not known.
pub fn house_rules(game: Game, edition: Option<&str>, sets: &[String]) -> Result<Vec<HouseRule>, SetupFault> {
    match game {
        Game::Castle => {
            let edition = Edition::named(edition.unwrap_or(Edition::default_name()))
                .map_err(|e| SetupFault(e.to_string()))?;
            let rule = |switch: RuleSwitch| {
                let on = switch.get(edition.switches);
                let usual = edition.reasons.get(switch.name).map_or(on, |own| own.on);
                let (says, otherwise) = (switch.means(on), switch.means(!on));
                HouseRule { name: switch.name, rule: switch.rule, on, usual, says, otherwise }
            };
            Ok(castle::RuleSwitch::ALL.into_iter().map(rule).collect())
        }
        Game::Classic => {
            let (switches, sets) = classic::read_edition(edition, sets)?;
            let rule = |switch: classic::Switch| {
                let (on, usual) = (switch.get(switches), switch.get(classic::Switches::default()));
                let (says, otherwise) = (switch.means(on), switch.means(!on));
                HouseRule { name: switch.name, rule: switch.rule, on, usual, says, otherwise }
            };
            Ok(classic::Switch::of(&sets).map(rule).collect())
        }
    }
}

/// The edition with a house rule turned the other way; `None` where that is the usual edition and
/// nothing else.
///
/// # Errors
/// [`SetupFault`] as [`house_rules`], and when no such switch is played with.
pub fn with_house_rule(
    game: Game,
    edition: Option<&str>,
    sets: &[String],
    name: &str,
) -> Result<Option<String>, SetupFault> {
    let rules = house_rules(game, edition, sets)?;
    let rule = rules.iter().find(|rule| rule.name == name);
    let rule = rule.ok_or_else(|| SetupFault(format!("no switch is named `{name}` here")))?;
    let mut words = edition.unwrap_or_default().split_whitespace();
    let usual = game.editions().first().map_or("", |edition| edition.0);
    let own = words.next().unwrap_or(usual);
    let others = words.filter(|word| word.strip_prefix(['+', '-']) != Some(name)).map(str::to_owned);
    // Where it stood as is usual, the other way has to be said.
    let said = (rule.on == rule.usual).then(|| format!("{}{name}", if rule.on { '-' } else { '+' }));
    let text = std::iter::once(own.to_owned()).chain(others).chain(said).collect::<Vec<_>>().join(" ");
    Ok(Some(text).filter(|text| text != usual))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn departures(game: Game, edition: Option<&str>, sets: &[String]) -> Vec<&'static str> {
        let rules = house_rules(game, edition, sets).unwrap();
        rules.iter().filter(|rule| rule.is_departure()).map(|rule| rule.name).collect()
    }

    #[test]
    fn a_rule_is_turned_there_and_back() {
        for (game, edition) in [(Game::Castle, None), (Game::Castle, Some("rgg-2003")), (Game::Classic, None)]
        {
            for rule in house_rules(game, edition, &[]).unwrap() {
                let there = with_house_rule(game, edition, &[], rule.name).unwrap();
                assert_eq!(departures(game, there.as_deref(), &[]), [rule.name]);
                let back = with_house_rule(game, there.as_deref(), &[], rule.name).unwrap();
                assert_eq!(back.as_deref(), edition);
            }
        }
        let two = Some("hig-2003 +ring_is_closed -both_eights_add");
        let one = with_house_rule(Game::Castle, two, &[], "ring_is_closed").unwrap();
        assert_eq!(one.as_deref(), Some("hig-2003 -both_eights_add"));
    }

    #[test]
    fn sets_bring_their_own() {
        let plain = house_rules(Game::Classic, None, &[]).unwrap().len();
        let sets = ["cathars".to_owned()];
        let more = house_rules(Game::Classic, None, &sets).unwrap();
        assert!(more.len() > plain);
        let last = more.last().unwrap();
        let there = with_house_rule(Game::Classic, None, &sets, last.name).unwrap();
        assert_eq!(departures(Game::Classic, there.as_deref(), &sets), [last.name]);
        let fault = with_house_rule(Game::Classic, None, &[], last.name).unwrap_err();
        assert!(fault.to_string().contains(last.name), "{fault}");
        // Without the module's rules its switches are not asked for either.
        let without = house_rules(Game::Classic, Some("base -cathars"), &sets).unwrap();
        assert_eq!(without.len(), plain);
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (game, text) in [
            (Game::Castle, "hig-2003 +nonsense"),
            (Game::Classic, "base +nonsense"),
            (Game::Castle, "nonsense"),
        ] {
            let fault = house_rules(game, Some(text), &[]).unwrap_err().to_string();
            assert!(fault.contains("nonsense"), "{fault}");
        }
    }
}
