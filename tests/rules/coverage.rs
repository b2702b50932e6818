//! Every rule of The Castle has a scenario or a test that names it.

use std::collections::BTreeSet;

use crate::scenarios;

/// Rules that are no behaviour of the engine, and why.
const NOT_PLAYED: [(&str, &str); 3] = [
    ("CA-12", "showing the drawn tile and giving advice has no effect on the game"),
    ("CA-26", "an offset drawing of a path: the face says where a path is, not the picture"),
    ("CA-123", "a slip of one text that is not followed"),
];

/// All rules: CA-01 to CA-125, those with letters among them.
fn all_rules() -> BTreeSet<String> {
    let mut rules: BTreeSet<String> = (1..=125).filter(|n| *n != 40).map(|n| format!("CA-{n:02}")).collect();
    rules.extend("abcdefghijk".chars().map(|c| format!("CA-40{c}")));
    rules.extend(["CA-36b", "CA-101b"].map(str::to_owned));
    rules
}

#[test]
fn every_rule_has_a_scenario_or_a_test() {
    let mut named: BTreeSet<String> = NOT_PLAYED.iter().map(|(rule, _)| (*rule).to_owned()).collect();
    for (_, scenario) in scenarios::all() {
        named.extend(scenario.rules);
    }
    // Tests say `/// CA-03 CA-08:` above their function.
    for text in
        [include_str!("components.rs"), include_str!("properties.rs"), include_str!("second_scorer.rs")]
    {
        for line in text.lines().filter_map(|l| l.trim().strip_prefix("/// CA-")) {
            let rules = line.split(':').next().unwrap_or_default();
            named.extend(
                format!("CA-{rules}").split([' ', ',']).filter(|w| w.starts_with("CA-")).map(str::to_owned),
            );
        }
    }
    let all = all_rules();
    let missing: Vec<&String> = all.difference(&named).collect();
    assert!(missing.is_empty(), "no scenario names {missing:?}");
    let unknown: Vec<&String> = named.difference(&all).collect();
    assert!(unknown.is_empty(), "there is no rule {unknown:?}");
}
