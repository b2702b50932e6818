//! The window in each language: no text is missing, none has lost what is filled in, and the
//! language is chosen and remembered.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use castellan::app::LANGUAGES;
use castellan::app::ui::{StartAdapter, Terms};
use castellan::library;
use castellan::record::{Game, Header, play_random, play_random_with};
use castellan::rules::book;
use castellan::rules::castle::{Edition, Policy};
use castellan::rules::{Token, classic};
use castellan_window_tests::{
    in_its_own_process, labelled, open, picture, press, replay, resize, rows, settle, the,
};
use slint::platform::Key;
use slint::{ComponentHandle, Model};

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui")
}

/// The text between the quote at the beginning and the next that is not escaped, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let inside = text.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// All texts that the window can show, as its sources have them.
fn texts(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the window has sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts(&path, found);
        } else if path.extension().is_some_and(|e| e == "slint") {
            let source = std::fs::read_to_string(&path).expect("it is read");
            for after in source.split("@tr(").skip(1) {
                let (text, _) = quoted(after).expect("a text stands in quotes");
                found.push(text.to_owned());
            }
        }
    }
}

/// The texts of all sentences that the program makes, as its sources have them, without tests.
fn sentences(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("the program has sources").flatten() {
        let path = entry.path();
        let is_test = || path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"));
        if path.is_dir() {
            sentences(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !is_test() {
            let source = std::fs::read_to_string(&path).expect("it is read");
            let own = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code: Vec<&str> = own.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
            for after in code.join("\n").split("sentence!(").skip(1) {
                let Some((text, _)) = quoted(after) else { continue };
                let mut lines = text.split("\\\n");
                let first = lines.next().unwrap_or_default().to_owned();
                found.insert(lines.fold(first, |all, line| all + line.trim_start()));
            }
        }
    }
}

/// The words of both games that are put into sentences.
fn words() -> BTreeSet<String> {
    let editions = Edition::NAMES.iter().map(|name| Edition::named(name).expect("it is known"));
    let of_castle = editions.flat_map(|edition| {
        let w = edition.words;
        let features = [w.path, w.tower, w.house, w.court, w.market, w.fountain, w.square, w.keep];
        features.into_iter().chain([w.herald, w.knight, w.squire, w.merchant])
    });
    let of_classic =
        ["road", "city", "field", "cloister", "highwayman", "farmer", "monk", "citizen", "count"];
    let quarters = ["castle", "market", "blacksmith", "cathedral"];
    let figures = ["follower", "big follower", "builder", "pig", "north", "east", "south", "west"];
    let tokens = Token::ALL.map(Token::word);
    let sets = classic::sets().map(|(_, title)| title).chain(["the base game"]);
    let others = of_classic.into_iter().chain(quarters).chain(figures).chain(tokens).chain(sets);
    let others = others.map(str::to_owned);
    of_castle.chain(others).collect()
}

/// The words that the window itself has in each language.
fn words_of_the_window() -> BTreeSet<String> {
    let source = std::fs::read_to_string(ui().join("terms.slint")).expect("it is read");
    let words = source.split("word == ").skip(1).filter_map(|after| Some(quoted(after)?.0.to_owned()));
    words.collect()
}

/// A catalogue of the window or of the sentences: the texts, and how each is said.
fn catalogue(code: &str, file: &str) -> BTreeMap<String, Vec<String>> {
    let file = ui().join("lang").join(code).join("LC_MESSAGES").join(file);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut all = BTreeMap::new();
    for entry in text.split("\n\n") {
        let text = entry.lines().find_map(|l| Some(quoted(l.strip_prefix("msgid ")?)?.0.to_owned()));
        let said = entry.lines().filter(|l| l.starts_with("msgstr"));
        let said = said.filter_map(|l| Some(quoted(&l[l.find('"')?..])?.0.to_owned())).collect();
        if let Some(text) = text {
            all.insert(text, said);
        }
    }
    all
}

/// What is filled into a text: how many of each.
fn filled_in(text: &str) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for after in text.split('{').skip(1) {
        if let Some((name, _)) = after.split_once('}') {
            *found.entry(name).or_default() += 1;
        }
    }
    found
}

/// The gaps of a sentence by their numbers, and whether some have none.
fn gaps(text: &str) -> (BTreeSet<usize>, bool) {
    let names = text.split('{').skip(1).filter_map(|after| Some(after.split_once('}')?.0));
    let names: Vec<&str> = names.collect();
    let plain = names.iter().any(|name| name.is_empty());
    (names.iter().enumerate().map(|(at, name)| name.parse().unwrap_or(at)).collect(), plain)
}

#[test]
fn the_rule_book_is_there_in_every_language() {
    let wanted: BTreeSet<&str> = book::rules().iter().flat_map(|r| [r.title.as_str(), &r.text]).collect();
    for (code, _) in LANGUAGES.iter().filter(|(code, _)| *code != "en") {
        let told = catalogue(code, "castellan-rules.po");
        let have = told.iter().filter(|(text, said)| !text.is_empty() && said.iter().all(|s| !s.is_empty()));
        let have: BTreeSet<String> = have.map(|(text, _)| text.replace("\\\"", "\"")).collect();
        let have: BTreeSet<&str> = have.iter().map(String::as_str).collect();
        let (missing, strange) = (wanted.difference(&have), have.difference(&wanted));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new(), "{code} lacks them");
        assert_eq!(strange.collect::<Vec<_>>(), Vec::<&&str>::new(), "{code} has them for nothing");
        let numbers = |text: &str| {
            let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
            numbers.map(str::to_owned).collect::<BTreeSet<_>>()
        };
        for (text, said) in &told {
            let lost = numbers(text).difference(&numbers(&said.concat())).cloned().collect::<Vec<_>>();
            assert!(lost.is_empty(), "{code} has lost {lost:?} of {text}");
        }
    }
}

#[test]
fn every_sentence_is_there_in_every_language() {
    let (mut wanted, root, own) = (BTreeSet::new(), ui().join(".."), words_of_the_window());
    sentences(&root.join("src"), &mut wanted);
    sentences(&root.join("rules/src"), &mut wanted);
    assert!(wanted.len() > 200, "{} sentences are not all", wanted.len());
    let words = words();
    for (code, _) in LANGUAGES.iter().filter(|(code, _)| *code != "en") {
        let (told, window) = (catalogue(code, "castellan.po"), catalogue(code, "castellan-ui.po"));
        for text in &wanted {
            let said = told.get(text).unwrap_or_else(|| panic!("{code} has no `{text}`"));
            let [said] = said.as_slice() else { panic!("{code} does not say `{text}` once") };
            let ((there, _), (filled, plain)) = (gaps(text), gaps(said));
            assert!(!said.is_empty() && there == filled, "{code}: `{text}` is not filled in `{said}`");
            assert!(!plain || !said.contains("{0}"), "{code}: number all gaps of `{said}` or none");
        }
        for word in &words {
            let known = told.contains_key(word) || (own.contains(word) && window.contains_key(word));
            assert!(known, "{code} has no `{word}`");
        }
        let is_said = |text: &String| wanted.contains(text) || words.contains(text);
        let known = |text: &&String| is_said(text) || text.split_whitespace().count() < 4;
        let strange: Vec<&String> = told.keys().filter(|text| !known(text)).collect();
        assert!(strange.is_empty(), "nobody says {strange:?}");
    }
}

#[test]
fn every_text_is_there_in_every_language() {
    let mut wanted = Vec::new();
    texts(&ui(), &mut wanted);
    assert!(wanted.len() > 250, "{} texts are no window's", wanted.len());
    for (code, _) in LANGUAGES.iter().filter(|(code, _)| *code != "en") {
        let catalogue = catalogue(code, "castellan-ui.po");
        for text in &wanted {
            let said = catalogue.get(text).unwrap_or_else(|| panic!("{code} has no `{text}`"));
            assert!(!said.is_empty(), "{code} does not say `{text}`");
            for said in said {
                assert!(!said.is_empty(), "{code} does not say `{text}`");
                // One of several forms may say its number in letters.
                if catalogue[text].len() == 1 {
                    assert_eq!(filled_in(said), filled_in(text), "{code}: `{text}` is said `{said}`");
                }
            }
        }
        let old: Vec<&String> =
            catalogue.keys().filter(|text| !text.is_empty() && !wanted.contains(text)).collect();
        assert!(old.is_empty(), "{code} says what the window does not: {old:?}");
    }
}

#[test]
fn the_window_speaks_the_language_that_is_chosen() {
    if in_its_own_process("languages::the_window_speaks_the_language_that_is_chosen") {
        return;
    }
    let data = tempfile::tempdir().expect("a folder can be made");
    let table = open();
    table.keep_in(data.path());
    let start = || table.window().global::<StartAdapter>();
    let names: Vec<String> = start().get_languages().iter().map(|name| name.to_string()).collect();
    assert_eq!(names, LANGUAGES.map(|(_, name)| name));
    let mut seen = Vec::new();
    for (code, name) in LANGUAGES {
        start().invoke_language_chosen(name.into());
        settle();
        assert_eq!(start().get_language(), name);
        let kept = std::fs::read_to_string(data.path().join("window.toml")).expect("it is kept");
        assert!(kept.contains(&format!("language = \"{code}\"")), "{kept}");
        seen.push(picture(&table, &format!("language-{code}")));
        press(&table, Key::F1);
        picture(&table, &format!("language-{code}-about"));
        press(&table, Key::Escape);
    }
    for (i, one) in seen.iter().enumerate() {
        assert!(!seen[..i].contains(one), "two languages look alike");
    }
    start().invoke_language_chosen("Deutsch".into());
    settle();
    the(&table, "Start");
    press(&table, "c");
    picture(&table, "language-de-own-copy");
    press(&table, Key::Escape);
    resize(&table, 800, 480);
    picture(&table, "language-de-small");
}

/// Games of each kind that played themselves.
fn games() -> Vec<Game> {
    let wall = library::wall("house").expect("it is built in");
    let castle = library::deck("house").expect("it is built in").deck;
    let sets = "classic+river+inns+traders+king+cathars+count";
    let classic = library::deck(sets).expect("it is built in").deck;
    let header = Header {
        game: castellan::rules::Game::Classic,
        players: ["Ada", "Ben", "Cy"].map(str::to_owned).to_vec(),
        colours: ["blue", "red", "green"].map(str::to_owned).to_vec(),
        deck: sets.to_owned(),
        ..play_random(&wall, &castle, 1, Policy::Greedy).expect("it can be played").header().clone()
    };
    let header = Header { wall: None, edition: None, wall_tiles: [].into(), ..header };
    let of_each = (1..8).flat_map(|seed| {
        let castle = play_random(&wall, &castle, seed, Policy::Greedy);
        let classic = play_random_with(header.clone(), None, &classic, seed, Policy::Greedy);
        [castle, classic].map(|game| game.expect("it can be played"))
    });
    of_each.collect()
}

/// What the rules call what they count: categories and items.
fn words_of_scores() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for game in games() {
        let played = game.scores().iter().map(|s| s.score.clone());
        for score in played.chain(game.final_scores()) {
            words.insert(score.category);
            words.extend(score.items.into_iter().map(|item| item.what));
        }
        words.extend(game.position().categories().into_iter().map(str::to_owned));
    }
    words
}

#[test]
fn the_reasons_of_scores_are_there_in_every_language() {
    let mut asked = BTreeSet::new();
    for game in games() {
        for account in (1..=game.position().turn()).filter_map(|turn| game.account(turn)) {
            for reason in account.reasons.iter().chain(&account.final_reasons) {
                let texts = RefCell::new(BTreeSet::new());
                let ask = |text: &str| {
                    texts.borrow_mut().insert(text.to_owned());
                    None
                };
                assert_eq!(reason.sentence, reason.sentence.translated(&ask));
                asked.append(&mut texts.into_inner());
            }
        }
    }
    assert!(asked.len() > 80, "{} texts are not all", asked.len());
    let own = words_of_the_window();
    for (code, _) in LANGUAGES.iter().filter(|(code, _)| *code != "en") {
        let told = catalogue(code, "castellan.po");
        let missing: Vec<&String> =
            asked.iter().filter(|text| !told.contains_key(*text) && !own.contains(*text)).collect();
        assert!(missing.is_empty(), "{code} has no {missing:?}");
    }
}

#[test]
fn scores_are_in_the_language_of_the_window() {
    if in_its_own_process("languages::scores_are_in_the_language_of_the_window") {
        return;
    }
    let table = open();
    let words = words_of_scores();
    assert!(words.len() > 20, "{words:?}");
    table.window().global::<StartAdapter>().invoke_language_chosen("Esperanto".into());
    settle();
    let terms = table.window().global::<Terms>();
    for word in words {
        let bare = if word.starts_with("wall tile ") { "wall tile" } else { word.as_str() };
        assert_ne!(terms.invoke_of(bare.into()), bare, "Esperanto does not say it");
    }
    assert_eq!(terms.invoke_of("no word of the rules".into()), "no word of the rules");

    table.window().global::<StartAdapter>().invoke_language_chosen("Deutsch".into());
    settle();
    table.open_replay(replay(3), "game.jsonl");
    settle();
    press(&table, Key::End);
    let label = the(&table, "Letzter Zug: ").accessible_label().expect("it has one");
    assert!(label.contains("\u{a0}×\u{a0}") && label.contains("\u{a0}=\u{a0}"), "{label}");
    assert!(!labelled(&table, "Zug ").is_empty(), "the list of scores");
    assert!(rows(&table).is_empty(), "none is in English");
}

#[test]
fn what_went_wrong_is_said_again_in_the_language_that_is_chosen() {
    if in_its_own_process("languages::what_went_wrong_is_said_again_in_the_language_that_is_chosen") {
        return;
    }
    let table = open();
    the(&table, "Source").set_accessible_value("nothing-here.jsonl");
    settle();
    the(&table, "Start").invoke_accessible_default_action();
    settle();
    let english = "no record is there; check the name: nothing-here.jsonl";
    the(&table, english);
    let german = "dort ist keine Aufzeichnung; prüft den Namen: nothing-here.jsonl";
    for (name, said) in [("Deutsch", german), (LANGUAGES[0].1, english)] {
        table.window().global::<StartAdapter>().invoke_language_chosen(name.into());
        settle();
        the(&table, said);
    }
}

#[test]
fn the_colours_that_can_be_chosen_are_named_in_the_language_that_is_chosen() {
    if in_its_own_process(
        "languages::the_colours_that_can_be_chosen_are_named_in_the_language_that_is_chosen",
    ) {
        return;
    }
    let table = open();
    let form = || table.window().global::<StartAdapter>();
    let speak = |name: &str| {
        form().invoke_language_chosen(name.into());
        settle();
    };
    let said = |label: &str| the(&table, label).accessible_value().map(String::from);
    assert_eq!(said("Colour of player 2").as_deref(), Some("red"));
    speak("Deutsch");
    assert_eq!(said("Farbe von Spieler 1").as_deref(), Some("blau"));
    assert_eq!(said("Farbe von Spieler 2").as_deref(), Some("rot"));
    the(&table, "Farbe von Spieler 2").invoke_accessible_expand_action();
    settle();
    press(&table, Key::DownArrow);
    press(&table, Key::Return);
    let chosen = form().get_players().row_data(1).expect("two play");
    let colours: Vec<String> = form().get_colours().iter().map(String::from).collect();
    let words: Vec<String> = form().get_colour_words().iter().map(String::from).collect();
    let at = usize::try_from(chosen.at).expect("it is one of them");
    assert_ne!(chosen.colour, "red");
    assert_eq!(chosen.colour, colours[at], "the colour itself is not translated");
    assert_eq!(said("Farbe von Spieler 2").as_ref(), Some(&words[at]));
    speak(LANGUAGES[0].1);
    assert_eq!(said("Colour of player 2").as_ref(), Some(&colours[at]), "it stays chosen");
}
