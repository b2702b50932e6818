//! What the table decides of the rules before a game: the page that lists it.

use slint::ComponentHandle;

use super::models::refreshed;
use super::terms::Terms;
use super::ui;
use crate::library;
use crate::rules::{Game, TableRule, table_rules, with_table_rule};
use crate::table::GameFile;

/// What may be decided in a game, as it stands; nothing where its edition or deck is not known,
/// which is said when the game is begun.
fn rules_of(game: Game, file: &GameFile) -> (Vec<TableRule>, Vec<String>) {
    let deck = file.deck.as_deref().and_then(|name| library::deck(name).ok());
    let sets = deck.map(|place| place.deck.sets.clone()).unwrap_or_default();
    (table_rules(game, file.edition.as_deref(), &sets).unwrap_or_default(), sets)
}

/// Lists what may be decided in a game, in the language of the window; `words` is what the table
/// chose, as it is said with the edition.
pub(super) fn show(window: &ui::AppWindow, game: Game, file: &GameFile, words: &str) {
    let adapter = window.global::<ui::HouseRulesAdapter>();
    let (rules, _) = rules_of(game, file);
    let departures = rules.iter().filter(|rule| rule.is_departure()).count();
    let terms = Terms::of(window);
    let items = rules.iter().map(|rule| ui::HouseRuleItem {
        id: rule.rule.into(),
        says: terms.sentence(&rule.says).into(),
        edition: if rule.is_departure() { terms.sentence(&rule.otherwise).into() } else { "".into() },
    });
    adapter.set_rules(refreshed(&adapter.get_rules(), items));
    adapter.set_departures(i32::try_from(departures).unwrap_or(i32::MAX));
    adapter.set_words(words.into());
    let last = i32::try_from(rules.len()).unwrap_or(i32::MAX) - 1;
    adapter.set_chosen(adapter.get_chosen().min(last).max(0));
}

/// Calls `change` with how the edition follows from what the form says, once a rule is turned.
pub(super) fn connect(
    window: &ui::AppWindow,
    change: impl Fn(&dyn Fn(&GameFile) -> Option<String>) + Clone + 'static,
) {
    let adapter = window.global::<ui::HouseRulesAdapter>();
    let with = change.clone();
    adapter.on_turn(move |index| {
        with(&|file| {
            let game = file.game.unwrap_or_default();
            let (rules, sets) = rules_of(game, file);
            let rule = usize::try_from(index).ok().and_then(|index| rules.get(index));
            let turned = rule.map(|rule| with_table_rule(game, file.edition.as_deref(), &sets, rule.name));
            match turned {
                Some(Ok(edition)) => edition,
                _ => file.edition.clone(),
            }
        });
    });
    adapter.on_as_in_edition(move || {
        change(&|file| {
            let is_switch = |word: &&str| word.starts_with(['+', '-']);
            let words: Vec<&str> =
                file.edition.as_deref()?.split_whitespace().filter(|w| !is_switch(w)).collect();
            Some(words.join(" "))
        });
    });
}
