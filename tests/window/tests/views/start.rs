//! The window without a game: what it says, what it does with a wrong name, and
//! how a record is opened from it.

use std::io::Write;

use castellan_window_tests::{in_its_own_process, labelled, log, looks, open, press, settle, the};
use slint::platform::Key;

#[test]
fn a_game_is_opened_from_the_form() {
    if in_its_own_process("start::a_game_is_opened_from_the_form") {
        return;
    }
    let table = open();
    the(&table, "How to begin");
    looks(&table, "start");
    let start = || the(&table, "Start");
    assert_eq!(start().accessible_enabled(), Some(false), "there is nothing to open yet");

    // The form is filled in by keys alone, and what lies over it keeps them.
    let classic = || labelled(&table, "Wall").is_empty();
    press(&table, Key::Tab);
    press(&table, Key::Tab);
    press(&table, " ");
    assert!(classic(), "Tab stops at the games, and Space chooses one");
    press(&table, Key::F1);
    for _ in 0..6 {
        press(&table, Key::Tab);
        press(&table, "x");
    }
    press(&table, Key::Escape);
    let source = the(&table, "Source").accessible_value();
    assert_eq!(source.as_deref(), Some(""), "no field below a page has the focus");
    press(&table, Key::Tab);
    press(&table, Key::Return);
    assert!(!classic(), "after the page Tab begins at the first button again");
    // A page takes the focus off the button.
    press(&table, Key::F1);
    press(&table, Key::Escape);

    the(&table, "Source").set_accessible_value("nothing-here.jsonl");
    settle();
    assert_eq!(start().accessible_enabled(), Some(true));
    start().invoke_accessible_default_action();
    settle();
    the(&table, "no record is there");
    looks(&table, "start-problem");
    press(&table, Key::F11);

    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("game.jsonl");
    let mut file = std::fs::File::create(&path).expect("a file can be made");
    let log = log(3);
    writeln!(file, "{}", serde_json::to_string(&log.header).expect("a header is JSON"))
        .expect("it is written");
    for event in &log.events {
        writeln!(file, "{}", serde_json::to_string(event).expect("an event is JSON")).expect("it is written");
    }
    drop(file);
    the(&table, "Source").set_accessible_value(path.to_string_lossy().into_owned());
    settle();
    start().invoke_accessible_default_action();
    settle();
    assert!(labelled(&table, "How to begin").is_empty(), "the game is open");
    the(&table, "Final sheet");
}
