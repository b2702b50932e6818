//! A game without a camera: tiles and figures are put on the drawn board by keys and by touch,
//! the record is that of any game, and a live game whose camera fails is gone on with.

use std::path::Path;
use std::sync::Arc;

use castellan::app::ui::{BoardAdapter, LiveAdapter, PadAdapter, PadStage, StartAdapter};
use castellan::app::{Desk, TableWindow};
use castellan::library;
use castellan::record::{EventKind, Log, LogWriter, Source};
use castellan::rules::Cell;
use castellan::table::{GameFile, Opening, Session, Update};
use castellan_window_tests::{
    facts, in_its_own_process, labelled, log, looks, open, picture, press, rest, settle, the,
};
use slint::platform::Key;
use slint::{ComponentHandle, Model};

#[test]
fn a_game_is_entered_by_hand_recorded_and_gone_on_with() {
    if in_its_own_process("by_hand::a_game_is_entered_by_hand_recorded_and_gone_on_with") {
        return;
    }
    let table = open();
    let pad = || table.window().global::<PadAdapter>();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("game.jsonl");
    let said = GameFile {
        players: vec!["Ada".to_owned(), "Ben".to_owned()],
        colours: vec!["blue".to_owned(), "tan".to_owned()],
        ..GameFile::default()
    };
    table
        .open_by_hand(Opening { said, record: Some(path.clone()), ..Opening::default() })
        .expect("the house set can be played");
    rest(&table);
    the(&table, "Which tile does Ada lay?");
    the(&table, "By hand");
    assert_eq!(pad().get_tiles().row_count(), 60);
    looks(&table, "hand-tile");

    // By keys: found by its id, moved and turned among its places, laid.
    press(&table, "f");
    assert!(pad().get_finding());
    ["h", "0", "7"].into_iter().for_each(|key| press(&table, key));
    assert_eq!(pad().get_tiles().row_count(), 1, "{}", pad().get_filter());
    press(&table, Key::Return);
    the(&table, "Where does h07 lie?");
    assert!(!pad().get_finding(), "the keys are the table's again");
    let first = pad().get_cell();
    press(&table, Key::RightArrow);
    press(&table, Key::DownArrow);
    press(&table, "r");
    assert_ne!(pad().get_cell(), first);
    looks(&table, "hand-place");
    // Another tile after all, and this one again.
    press(&table, Key::Escape);
    the(&table, "Which tile does Ada lay?");
    the(&table, "tile h07").invoke_accessible_default_action();
    settle();
    press(&table, Key::Return);
    rest(&table);
    the(&table, "Does Ada put a figure on it?");
    assert!(pad().get_figures().row_count() > 0);
    looks(&table, "hand-figure");
    press(&table, "t");
    picture(&table, "hand-figure-dark");
    press(&table, "t");
    press(&table, "1");
    rest(&table);
    the(&table, "Which tile does Ben lay?");
    let written = facts(&path);
    assert!(matches!(
        written[..],
        [EventKind::TilePlaced { .. }, EventKind::FollowerPlaced { .. }, EventKind::TurnEnded { .. }]
    ));
    let events = Log::open(&path).expect("the record is whole").events;
    assert!(events.iter().filter(|e| e.kind.is_fact()).all(|e| e.source == Source::Hand));

    // By touch: kinds of sides, a tile, a cell, the same cell again, a button.
    the(&table, "path").invoke_accessible_default_action();
    the(&table, "path").invoke_accessible_default_action();
    settle();
    assert_eq!(pad().get_filter(), "path path");
    let few = pad().get_tiles().row_count();
    assert!((1..59).contains(&few), "{few}");
    picture(&table, "hand-filter");
    pad().invoke_take_first();
    settle();
    let board = || table.window().global::<BoardAdapter>();
    let shown = desk_cell(&pad().get_cell());
    let turned = pad().get_turned();
    let touch = |cell: Cell| {
        board().invoke_touch(f32::from(cell.col) + 0.5, f32::from(cell.row) + 0.5);
        settle();
    };
    // As often as it fits there in other ways, it comes back.
    (0..4).any(|_| {
        touch(shown);
        pad().get_turned() == turned
    });
    assert_eq!((desk_cell(&pad().get_cell()), pad().get_turned()), (shown, turned));
    the(&table, "Lay it here").invoke_accessible_default_action();
    rest(&table);
    let on_board = labelled(&table, "1: ");
    assert!(on_board.len() >= 2, "a place is a row of the list and a digit on the board");
    the(&table, "None: the turn ends").invoke_accessible_default_action();
    rest(&table);
    the(&table, "Which tile does Ada lay?");
    assert_eq!(facts(&path).len(), 5);

    // What was entered last is taken back, step by step.
    press(&table, "u");
    rest(&table);
    the(&table, "Does Ben put a figure on it?");
    press(&table, Key::Return);
    rest(&table);
    the(&table, "Which tile does Ada lay?");

    // The form asks once before it is left; the record is gone on with by its name.
    press(&table, "o");
    the(&table, "Leave this game?");
    press(&table, Key::Return);
    settle();
    the(&table, "How to begin");
    table.window().global::<StartAdapter>().set_source(path.to_string_lossy().into_owned().into());
    the(&table, "Play without a camera").invoke_accessible_default_action();
    rest(&table);
    the(&table, "Which tile does Ada lay?");
    assert_eq!(pad().get_tiles().row_count(), 58);

    // To its end.
    for _ in 0..400 {
        match pad().get_stage() {
            PadStage::Tile => pad().invoke_take_first(),
            PadStage::Place => pad().invoke_lay(),
            PadStage::Figure if pad().get_figures().row_count() > 0 => pad().invoke_put("1".into()),
            PadStage::Figure => pad().invoke_end_turn(),
            PadStage::None => break,
        }
        rest(&table);
    }
    the(&table, "The game is over");
    the(&table, "Final sheet");
    looks(&table, "sheet");
    let deck = library::deck("house").expect("the house deck is built in").deck;
    let wall = library::wall("house").expect("the house wall is built in");
    let played = Log::open(&path).expect("it is whole").replay(&wall, &deck).expect("it can be played");
    assert_eq!(played.position().tiles_left(), 0);
    assert!(played.broken().is_empty() && played.conflicts().is_empty());
    press(&table, "o");
    settle();

    a_camera_that_fails_is_done_without(&table, folder.path());
}

fn desk_cell(name: &str) -> Cell {
    castellan::rules::cell_from_name(name).expect("it is a cell's name")
}

/// From a live game whose source is gone, one key; the same key goes back.
fn a_camera_that_fails_is_done_without(table: &TableWindow, folder: &Path) {
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in");
    let header = log(5).header;
    let path = folder.join("live.jsonl");
    let writer = LogWriter::create(&path, &header).expect("a record can be begun");
    let session = Session::new(header, &wall, deck.deck.clone()).expect("the house set makes a game");
    let view = session.view();
    let desk: Arc<Desk> = table.open_live(deck, wall, session, Some(writer), "camera:0");
    let live = || table.window().global::<LiveAdapter>();
    let trouble = Some("camera 0 went away; plug it in again".to_owned().into());
    desk.take(Update { view, picture: None, places: Vec::new(), seen: None, trouble });
    rest(table);
    the(table, "No picture comes: camera 0 went away");
    the(table, "Go on by hand");
    picture(table, "hand-camera-gone");
    press(table, "h");
    rest(table);
    the(table, "By hand: nothing is watched; H goes back to the camera");
    assert!(live().get_by_hand());
    press(table, " ");
    the(table, "the game is entered by hand");
    let pad = table.window().global::<PadAdapter>();
    pad.invoke_take_first();
    pad.invoke_lay();
    rest(table);
    pad.invoke_end_turn();
    rest(table);
    assert_eq!(facts(&path).len(), 2);
    press(table, "h");
    rest(table);
    assert!(!live().get_by_hand());
    assert_eq!(pad.get_stage(), PadStage::None);
}
