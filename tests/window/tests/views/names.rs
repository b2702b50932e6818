//! Names that are too long, or that a terminal would obey, in the window.

use std::io::Write;
use std::time::Duration;

use castellan_window_tests::{in_its_own_process, labelled, log, open, picture, settle, the};

#[test]
fn names_are_cut_in_a_record_and_refused_in_the_form() {
    if in_its_own_process("names::names_are_cut_in_a_record_and_refused_in_the_form") {
        return;
    }
    let table = open();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("game.jsonl");
    let mut log = log(3);
    log.header.players = vec!["B".repeat(65_536), "Ada\u{1b}[2J\nundo".to_owned()];
    log.header.colours = vec!["c".repeat(65_536), "tan\u{7}".to_owned()];
    let mut file = std::fs::File::create(&path).expect("a file can be made");
    writeln!(file, "{}", serde_json::to_string(&log.header).expect("a header is JSON"))
        .expect("it is written");
    for event in &log.events {
        writeln!(file, "{}", serde_json::to_string(event).expect("an event is JSON")).expect("it is written");
    }
    drop(file);

    // A folder with a picture: the names of the form are looked at before the wall.
    let stills = folder.path().join("stills");
    std::fs::create_dir(&stills).expect("a folder can be made");
    image::RgbImage::new(64, 48).save(stills.join("1.png")).expect("it is written");
    the(&table, "Source").set_accessible_value(stills.to_string_lossy().into_owned());
    the(&table, "Player 1").set_accessible_value("B".repeat(65_536));
    settle();
    the(&table, "Start").invoke_accessible_default_action();
    let sentence = "a name has 1 to 40 letters, not 65536; choose another";
    // What a table is opened with is looked at in a thread of its own.
    for _ in 0..200 {
        std::thread::spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            slint::quit_event_loop().expect("the loop runs");
        });
        slint::run_event_loop_until_quit().expect("the loop runs");
        settle();
        if !labelled(&table, sentence).is_empty() {
            break;
        }
    }
    the(&table, sentence);
    picture(&table, "name-refused");

    the(&table, "Source").set_accessible_value(path.to_string_lossy().into_owned());
    settle();
    the(&table, "Start").invoke_accessible_default_action();
    settle();
    assert!(labelled(&table, "How to begin").is_empty(), "the game is open");
    the(&table, &format!("{}…, {}…: ", "B".repeat(39), "c".repeat(39)));
    the(&table, "Ada\u{fffd}[2J undo, tan\u{fffd}: ");
    the(&table, "Final sheet");
    picture(&table, "names-cut");
}
