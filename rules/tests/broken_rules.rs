//! Every rule of the classic game and its modules has a scenario that fails when the rule is
//! broken. `broken.toml` says what breaks each.
//!
//! With `CASTELLAN_LONG_TESTS=1` each change is made to a copy of the source, and the scenarios
//! are played on it; without, only the list itself is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// The list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    idle: Vec<Idle>,
    broken: Vec<Broken>,
}

/// A rule that nothing can break.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Idle {
    rule: String,
    why: String,
}

/// A change that breaks rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Broken {
    rules: Vec<String>,
    file: String,
    from: String,
    to: String,
}

fn rules_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn list() -> List {
    toml::from_str(&std::fs::read_to_string(rules_folder().join("tests/broken.toml")).unwrap()).unwrap()
}

/// All rules of the base game, of the modules of the Polish text and of the Count.
fn all_rules() -> BTreeSet<String> {
    let ids = |name: &'static str, range: std::ops::RangeInclusive<u8>| {
        range.map(move |number| format!("{name}-{number:02}"))
    };
    ids("BA", 1..=36).chain(ids("PL", 0..=32)).chain(ids("CO", 1..=36)).collect()
}

#[test]
fn every_rule_is_broken_once_or_cannot_be() {
    let list = list();
    let broken: BTreeSet<String> = list.broken.iter().flat_map(|b| b.rules.clone()).collect();
    let idle: BTreeSet<String> = list.idle.iter().map(|i| i.rule.clone()).collect();
    assert_eq!(broken.intersection(&idle).count(), 0);
    assert_eq!(broken.union(&idle).cloned().collect::<BTreeSet<_>>(), all_rules());
    assert!(list.idle.iter().all(|i| i.why.ends_with('.')));
    for change in &list.broken {
        let file = rules_folder().join("src/classic").join(&change.file);
        let text = std::fs::read_to_string(&file).unwrap();
        let found = text.matches(&change.from).count();
        assert_eq!(found, 1, "{:?}: `{}` in {}", change.rules, change.from, file.display());
        assert_ne!(change.from, change.to);
    }
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// A copy of the crate that is built by itself, with its scenarios as its only test.
fn crate_copy() -> PathBuf {
    let copied = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken_rules");
    let _ = std::fs::remove_dir_all(copied.join("src"));
    for part in ["src", "classic", "castle", "book", "house", "editions", "tests/scenarios"] {
        if rules_folder().join(part).is_dir() {
            copy(&rules_folder().join(part), &copied.join(part));
        }
    }
    for file in ["README.md", "tests/scenarios.rs"] {
        std::fs::copy(rules_folder().join(file), copied.join(file)).unwrap();
    }
    let _ = std::fs::copy(rules_folder().join("../Cargo.lock"), copied.join("Cargo.lock"));
    let manifest = std::fs::read_to_string(rules_folder().join("Cargo.toml")).unwrap();
    let (manifest, _) = manifest.split_once("[dev-dependencies]").unwrap();
    let own = "[workspace]\n[profile.dev]\nincremental = true\ndebug = false\n";
    std::fs::write(copied.join("Cargo.toml"), format!("{manifest}\n{own}")).unwrap();
    copied
}

/// Plays the scenarios of the copy; gives the rules of those that fail.
///
/// # Errors
/// What the compiler says.
fn failing(copied: &Path) -> Result<BTreeSet<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = |args: &[&str]| {
        Command::new(&cargo)
            .args(["test", "--offline", "--quiet", "--test", "scenarios"])
            .args(args)
            .current_dir(copied)
            .env("CARGO_TARGET_DIR", copied.join("target"))
            .env_remove("CARGO_MANIFEST_DIR")
            .output()
            .unwrap()
    };
    let built = run(&["--no-run"]);
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let output = run(&["every_scenario_comes_out_as_written", "--", "--nocapture"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let heads = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("] "));
    Ok(heads.flat_map(|(rules, _)| rules.split_whitespace().map(str::to_owned)).collect())
}

#[test]
fn a_broken_rule_fails_in_a_scenario() {
    if std::env::var_os("CASTELLAN_LONG_TESTS").is_none() {
        println!("skipped: set CASTELLAN_LONG_TESTS=1 to break each rule and play the scenarios");
        return;
    }
    let copied = crate_copy();
    assert_eq!(failing(&copied), Ok(BTreeSet::new()), "nothing is broken yet");
    let mut unseen: BTreeMap<String, String> = BTreeMap::new();
    let list = list();
    for (number, change) in list.broken.iter().enumerate() {
        let file = copied.join("src/classic").join(&change.file);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace(&change.from, &change.to)).unwrap();
        let failing = failing(&copied);
        std::fs::write(&file, text).unwrap();
        for rule in &change.rules {
            let place = format!("{rule}, change {}", number + 1);
            let seen = match &failing {
                Ok(rules) if rules.contains(rule) => "seen".to_owned(),
                Ok(rules) => format!("only {rules:?} fail"),
                Err(error) => format!("does not compile: {error}"),
            };
            println!("{place}: {seen}");
            if seen != "seen" {
                unseen.insert(place, format!("`{}`: {seen}", change.to));
            }
        }
    }
    assert!(unseen.is_empty(), "no scenario fails with {unseen:#?}");
    println!("{} changes, each seen by a scenario of its rule", list.broken.len());
}
