//! What the window says when something is wrong at the table.

use castellan::app::ui::StartAdapter;
use castellan::library;
use castellan::rules::sentence;
use castellan::table::Status;
use castellan_window_tests::{in_its_own_process, looks, open, picture, press, replay, resize, rows, the};
use slint::ComponentHandle;

#[test]
fn each_state_of_the_table_is_said_in_words() {
    if in_its_own_process("states::each_state_of_the_table_is_said_in_words") {
        return;
    }
    let table = open();
    let mut view = replay(11).steps.swap_remove(70).view;
    view.players[0].name = "Maximiliane von und zu Hohenstein-Sigmaringen".to_owned();
    view.players[1].name = "Zoë".to_owned();
    let deck = library::deck("house").expect("the house deck is built in");
    table.open_table(deck, Some(library::wall("house").expect("the house wall is built in")), "camera:0");

    let doubt = "the tile in E7 is k07 or k12; say which one lies there".to_owned();
    let step = "the record has k07 in C4, the table has nothing there; put it back or correct it";
    let gone = "12 of 14 tiles are gone from the table, the first in E7; the record stays: put back what is missing, end the game or go on without";
    let wall = "the wall is not seen: move the camera so that all of it is in the picture".to_owned();
    let states = [
        (Status::Playing, "Playing".to_owned(), "playing"),
        (Status::HandOverTable, "Hand over the table".to_owned(), "hand"),
        (Status::Doubt(doubt.clone().into()), format!("Doubt: {doubt}"), "doubt"),
        (Status::OutOfStep(step.to_owned().into()), format!("Out of step: {step}"), "out-of-step"),
        (Status::TilesGone(gone.to_owned().into()), format!("Is the game over?: {gone}"), "tiles-gone"),
        (Status::NoBoard(wall.clone().into()), format!("The board is not in sight: {wall}"), "no-board"),
        (Status::Finished, "The game is over".to_owned(), "finished"),
    ];
    for (status, words, name) in states {
        view.status = status;
        table.show(view.clone());
        for (width, height, size) in [(960, 600, "small"), (1920, 1080, "tv")] {
            resize(&table, width, height);
            the(&table, &words);
            picture(&table, &format!("{name}-{size}"));
        }
        if matches!(name, "doubt" | "out-of-step" | "no-board") {
            looks(&table, name);
        }
        press(&table, "t");
    }
    // Why nothing is read stands beside the state, in the window's language.
    let why = "what lies on the table is burnt out to white, so that no print is seen; lower the camera's exposure, or dim \
               the lamp";
    let german = "was auf dem Tisch liegt, ist weiß überbelichtet, sodass kein Druck zu sehen ist; verringert die Belichtung \
                  der Kamera, oder dimmt die Lampe";
    (view.status, view.unread) = (
        Status::Playing,
        Some(sentence!(
            "what lies on the table is burnt out to white, so that no print is seen; lower the camera's exposure, or dim \
             the lamp"
        )),
    );
    table.show(view.clone());
    the(&table, &format!("Playing: {why}"));
    picture(&table, "unread");
    table.window().global::<StartAdapter>().invoke_language_chosen("Deutsch".into());
    table.show(view.clone());
    the(&table, &format!("Läuft: {german}"));
    table.window().global::<StartAdapter>().invoke_language_chosen("English".into());
    view.unread = None;
    view.scores.clear();
    table.show(view);
    the(&table, "Nothing is scored yet");
    assert!(rows(&table).is_empty());
}
