//! A sound for what needs a look, where the players want one.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use castellan::app::ui::{AidsAdapter, QuestionAdapter, StateAdapter};
use castellan::table::sim::Noise;
use castellan_window_tests::{in_its_own_process, open, picture, press, settle, the, watched};
use slint::ComponentHandle;
use slint::platform::Key;

#[test]
fn a_question_that_stays_is_heard_once_and_only_where_a_sound_is_wanted() {
    if in_its_own_process("sound::a_question_that_stays_is_heard_once_and_only_where_a_sound_is_wanted") {
        return;
    }
    let data = tempfile::tempdir().expect("a folder can be made");
    let table = open();
    table.keep_in(data.path());
    let rung = Rc::new(Cell::new(0));
    let count = Rc::clone(&rung);
    table.window().global::<AidsAdapter>().on_ring(move || count.set(count.get() + 1));
    let wanted = || table.window().global::<AidsAdapter>().get_sound();
    // How often it is heard in a game with a question that stays.
    let heard_in_a_game = || {
        let before = rung.get();
        let _desk = watched(&table, 14, Noise { mistaken: 0.3, phantom: 0.2, ..Noise::default() }, None);
        assert!(table.window().global::<QuestionAdapter>().get_there());
        assert_eq!(rung.get(), before, "what was just asked may settle by itself");
        for _ in 0..4 {
            std::thread::sleep(Duration::from_millis(700));
            table.window().global::<StateAdapter>().invoke_tick();
            settle();
        }
        rung.get() - before
    };

    assert!(!wanted(), "it is off at first");
    assert_eq!(heard_in_a_game(), 0);
    press(&table, "y");
    press(&table, "4");
    assert_eq!(rung.get(), 1, "what is chosen can be heard");
    the(&table, "A sound when something needs a look");
    picture(&table, "aids-sound");
    press(&table, Key::Return);
    assert_eq!(heard_in_a_game(), 1);
    table.keep_in(data.path());
    assert!(wanted(), "it is remembered");
    press(&table, "y");
    press(&table, "0");
    assert!(wanted(), "it is no aid");
    press(&table, "4");
    press(&table, Key::Return);
    assert_eq!(heard_in_a_game(), 0);
    table.keep_in(data.path());
    assert!(!wanted());
}
