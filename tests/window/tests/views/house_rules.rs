//! The rules that a table decides before a game: listed, turned by key and by touch, and kept in
//! the game's record.

use castellan::app::ui::{HouseRulesAdapter, StartAdapter};
use castellan::library;
use castellan::record::Log;
use castellan::rules::castle::{Edition, RuleSwitch};
use castellan_window_tests::{exactly, in_its_own_process, labelled, looks, open, press, rest, settle, the};
use slint::platform::Key;
use slint::{ComponentHandle, Model, SharedString};

#[test]
fn a_table_decides_and_the_record_says_it() {
    if in_its_own_process("house_rules::a_table_decides_and_the_record_says_it") {
        return;
    }
    let table = open();
    let adapter = || table.window().global::<HouseRulesAdapter>();
    let edition = Edition::named(Edition::default_name()).expect("it is built in");
    let says = |i: usize, usual: bool| {
        let switch = RuleSwitch::ALL[i];
        switch.means(switch.get(edition.switches) == usual).to_string()
    };

    press(&table, "r");
    assert_eq!(adapter().get_rules().row_count(), RuleSwitch::ALL.len());
    // By keys: the third is turned there and back, then the fifth.
    press(&table, Key::DownArrow);
    press(&table, Key::DownArrow);
    press(&table, " ");
    assert_eq!(adapter().get_departures(), 1);
    the(&table, &says(2, false));
    press(&table, " ");
    assert_eq!(adapter().get_departures(), 0);
    press(&table, Key::DownArrow);
    press(&table, Key::DownArrow);
    press(&table, " ");
    // By touch, or what stands for it.
    the(&table, &says(1, true)).invoke_accessible_default_action();
    settle();
    assert_eq!(adapter().get_departures(), 2);
    assert_eq!(adapter().get_chosen(), 1);
    looks(&table, "house-rules");
    // In another language all of them are, while the page is open.
    let speak = |language: &str| {
        table.window().global::<StartAdapter>().invoke_language_chosen(language.into());
        settle();
    };
    let said = || adapter().get_rules().iter().flat_map(|rule| [rule.says, rule.edition]).collect::<Vec<_>>();
    let english = said();
    speak("Čeština");
    let other = said();
    assert_eq!(other.len(), english.len());
    let same = |(one, other): (&SharedString, &SharedString)| !one.is_empty() && one == other;
    assert!(!english.iter().zip(&other).any(same), "{other:?}");
    speak("English");
    assert_eq!(said(), english);
    // The last is brought into sight.
    for _ in 0..RuleSwitch::ALL.len() {
        press(&table, Key::DownArrow);
    }
    the(&table, &says(RuleSwitch::ALL.len() - 1, true));
    press(&table, Key::Return);
    assert!(labelled(&table, "All as in the edition").is_empty(), "the page is closed");

    // The form says how many, another edition keeps them, another game does not have them.
    exactly(&table, "2 house rules");
    let start = || table.window().global::<StartAdapter>();
    let editions: Vec<_> = start().get_editions().iter().collect();
    assert_eq!(editions.len(), Edition::NAMES.len(), "what the table chose makes no edition of its own");
    start().set_edition(editions[1].clone());
    start().invoke_deck_chosen();
    settle();
    let rules: Vec<_> = adapter().get_rules().iter().filter(|rule| !rule.edition.is_empty()).collect();
    assert!(!rules.is_empty());
    start().set_edition(editions[0].clone());
    start().invoke_deck_chosen();
    settle();
    exactly(&table, "2 house rules");

    start().invoke_by_hand();
    rest(&table);
    let games = library::data_dir().expect("there is a data folder").join("games");
    let records: Vec<_> = std::fs::read_dir(games)
        .expect("games are kept")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    let [record] = &records[..] else { panic!("one record, not {records:?}") };
    let log = Log::open(record).expect("it can be read");
    let (first, second) = (RuleSwitch::ALL[1], RuleSwitch::ALL[4]);
    let word = |switch: RuleSwitch| {
        format!("{}{}", if switch.get(edition.switches) { '-' } else { '+' }, switch.name)
    };
    let said = log.header.edition.clone().unwrap_or_default();
    let mut words: Vec<&str> = said.split_whitespace().collect();
    words.sort_unstable();
    let mut expected = [Edition::default_name().to_owned(), word(first), word(second)];
    expected.sort_unstable();
    assert_eq!(words, expected);
}
