//! A window without a display: finds elements by their labels, presses keys and
//! takes pictures.

mod golden;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use castellan::app::{Desk, Replay, TableWindow};
use castellan::library;
use castellan::record::{EventKind, Game, Log, LogWriter, Source, play_random};
use castellan::rules::Cell;
use castellan::rules::castle::Policy;
use castellan::table::sim::{Noise, Rehearsal, Tempo};
use castellan::table::{Patience, Session, Update};
use i_slint_backend_testing::{
    AccessibleRole, ElementHandle, ElementQuery, TestingBackend, TestingBackendOptions,
};
use image::RgbaImage;
use slint::ComponentHandle;
use slint::platform::WindowEvent;

pub use golden::{looks, looks_alike};

/// Opens a window that is drawn into memory. Once a process.
pub fn open() -> TableWindow {
    let options =
        TestingBackendOptions { mock_time: true, threading: true, renderer_name: Some("software".into()) };
    slint::platform::set_platform(Box::new(TestingBackend::new(options))).expect("no other platform is set");
    let table = TableWindow::new().expect("the testing backend has a window");
    table.window().show().expect("the testing backend shows it");
    resize(&table, 1280, 800);
    table
}

/// A record of a game between Ada and Ben that played itself.
pub fn log(seed: u64) -> Log {
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in");
    let game = play_random(&wall, &deck.deck, seed, Policy::Greedy).expect("the house set can be played");
    let mut header = game.header().clone();
    header.players = vec!["Ada".to_owned(), "Ben".to_owned()];
    header.colours = vec!["blue".to_owned(), "tan".to_owned()];
    Log { header, ..log_of(&game) }
}

/// What was played and told by the record of this file, in order.
///
/// # Panics
/// Where it is no whole record.
pub fn facts(path: &Path) -> Vec<EventKind> {
    let log = Log::open(path).expect("the record is whole");
    log.events.into_iter().filter(|e| e.kind.is_fact()).map(|e| e.kind).collect()
}

/// A game as its whole record.
pub fn log_of(game: &Game) -> Log {
    let (header, events) = (game.header().clone(), game.events().to_vec());
    Log { header, events, torn: None, lost: Vec::new(), whole: 0 }
}

/// The same game as views.
pub fn replay(seed: u64) -> Replay {
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in");
    Replay::of(log(seed), deck, wall).expect("a record of a game can be replayed")
}

/// Lets the window come to rest after a change.
pub fn settle() {
    slint::platform::update_timers_and_animations();
    i_slint_backend_testing::mock_elapsed_time(std::time::Duration::from_millis(500));
    slint::platform::update_timers_and_animations();
}

/// Gives the window a size in pixels.
pub fn resize(table: &TableWindow, width: u32, height: u32) {
    table.window().window().set_size(slint::PhysicalSize::new(width, height));
    settle();
}

/// Presses and releases a key.
pub fn press(table: &TableWindow, key: impl Into<slint::SharedString>) {
    let text = key.into();
    let window = table.window().window();
    window.dispatch_event(WindowEvent::KeyPressed { text: text.clone() });
    window.dispatch_event(WindowEvent::KeyReleased { text });
    settle();
}

/// All elements whose accessible label begins so.
pub fn labelled(table: &TableWindow, beginning: &str) -> Vec<ElementHandle> {
    let beginning = beginning.to_owned();
    ElementQuery::from_root(table.window())
        .match_predicate(move |e| e.accessible_label().is_some_and(|l| l.starts_with(&beginning)))
        .find_all()
}

/// The rows of the list of scores that are in sight.
pub fn rows(table: &TableWindow) -> Vec<ElementHandle> {
    labelled(table, "turn ")
        .into_iter()
        .filter(|e| e.accessible_role() == Some(AccessibleRole::ListItem))
        .collect()
}

/// The one element whose accessible label begins so.
pub fn the(table: &TableWindow, beginning: &str) -> ElementHandle {
    let found = labelled(table, beginning);
    assert!(!found.is_empty(), "nothing is labelled `{beginning}`");
    found.into_iter().next().expect("it is not empty")
}

/// The one element that is labelled exactly so.
pub fn exactly(table: &TableWindow, label: &str) -> ElementHandle {
    let found = labelled(table, label).into_iter().find(|e| e.accessible_label().is_some_and(|l| l == label));
    found.unwrap_or_else(|| panic!("nothing is labelled `{label}` and no more"))
}

/// Waits until something is labelled so, at most so many times 20 ms.
///
/// # Panics
/// Where nothing is by then.
pub fn comes(table: &TableWindow, beginning: &str, times: u32) {
    until(&format!("something labelled `{beginning}`"), times, || !labelled(table, beginning).is_empty());
}

/// Looks so many times, 20 ms apart, until something is so.
///
/// # Panics
/// When it is not by then.
pub fn until(what: &str, times: u32, is_so: impl Fn() -> bool) {
    for _ in 0..times {
        take_in();
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{what} does not come in {times} looks");
}

/// The window as it is drawn now, kept as `NAME.png` where
/// `CASTELLAN_SNAPSHOTS` names a folder.
pub fn picture(table: &TableWindow, name: &str) -> RgbaImage {
    settle();
    drawn(table, name)
}

/// The same at once.
fn drawn(table: &TableWindow, name: &str) -> RgbaImage {
    let buffer = table.window().window().take_snapshot().expect("the software renderer draws");
    let picture = RgbaImage::from_raw(buffer.width(), buffer.height(), buffer.as_bytes().to_vec())
        .expect("the buffer is as large as it says");
    if let Some(folder) = std::env::var_os("CASTELLAN_SNAPSHOTS") {
        let folder = PathBuf::from(folder);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        picture.save(folder.join(Path::new(name).with_extension("png"))).expect("the folder can be written");
    }
    picture
}

/// A table that was watched for some turns, with a camera so noisy, and on which nobody has said
/// the numbers of the wall tiles; the record is that of the game that is watched.
///
/// # Panics
/// Where the house set cannot be played.
pub fn watched(table: &TableWindow, turns: usize, noise: Noise, record: Option<&Path>) -> Arc<Desk> {
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in");
    let played = log(5).replay(&wall, &deck.deck).expect("the record can be played");
    let mut header = played.header().clone();
    header.wall_tiles.clear();
    let start = || Game::new(header.clone(), &wall, &deck.deck).expect("the house set makes a game");
    let mut some = start();
    let used = |kind: &EventKind| matches!(kind, EventKind::WallTileUsed { .. });
    let mut ended = 0;
    for (_, kind) in played.facts().into_iter().filter(|f| !used(&f.1)) {
        ended += usize::from(matches!(kind, EventKind::TurnEnded { .. }));
        let _ = some.apply_anyway(kind, Source::Hand, 1.0, 0.0);
        if ended == turns {
            break;
        }
    }
    let seen = Rehearsal::of(&some, start(), &deck.deck, Tempo::live(), noise, 3).observations;
    let session = Session::resume(start(), deck.deck.clone()).with_patience(Patience::live());
    let record = record.map(|path| LogWriter::create(path, &header).expect("a record can be begun"));
    let desk = table.open_live(deck, wall.clone(), session, record, "camera:0");
    let cells: Vec<Cell> = wall.cells();
    for (t, observation) in seen {
        let session = desk.session();
        let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
        session.observe(&observation, t);
        let view = session.view();
        drop(session);
        let frame = image::RgbImage::from_fn(640, 480, |x, y| {
            image::Rgb([90 + (x / 8) as u8, 110, 60 + (y / 8) as u8])
        });
        let place = |cell: &Cell| {
            let (x, y) = (100.0 + 40.0 * f64::from(cell.col), 60.0 + 40.0 * f64::from(cell.row));
            (*cell, [[x, y], [x + 40.0, y], [x + 40.0, y + 40.0], [x, y + 40.0]])
        };
        let places = cells.iter().map(place).collect();
        desk.take(Update { view, picture: Some(frame), places, seen: None, trouble: None });
    }
    rest(table);
    desk
}

/// Lets the window take in what has come to the desk.
pub fn rest(table: &TableWindow) {
    take_in();
    assert!(table.window().get_game_open());
}

/// Has the window do what other threads have brought to it.
pub fn take_in() {
    let thread = std::thread::spawn(|| slint::quit_event_loop().expect("the event loop runs"));
    slint::run_event_loop_until_quit().expect("the testing backend has an event loop");
    thread.join().expect("the thread does not panic");
    settle();
}

/// Runs a test, named with its file as `look::the_table_is_judged_before_a_game`, again in a process of
/// its own, with a data folder of its own; whether it was run so. Where not, this is that process, and
/// the test has to go on. A process can have one window's event loop.
///
/// # Panics
/// Where the test fails there, or there is no test of that name.
pub fn in_its_own_process(test: &str) -> bool {
    const DATA: &str = "CASTELLAN_DATA";
    const INSIDE: &str = "CASTELLAN_WINDOW_TEST";
    if let Some(began) = std::env::var_os(INSIDE) {
        std::fs::write(began, test).expect("a file can be written");
        return false;
    }
    let data = tempfile::tempdir().expect("a folder can be made");
    let marks = tempfile::tempdir().expect("a folder can be made");
    let began = marks.path().join("began");
    let this = std::env::current_exe().expect("a test has a file");
    let run = std::process::Command::new(this)
        .args([test, "--exact", "--nocapture"])
        .env(DATA, data.path())
        .env(INSIDE, &began)
        .status();
    assert!(run.expect("it can be run").success(), "the test fails in a process of its own");
    let ran = std::fs::read_to_string(began);
    assert!(ran.is_ok_and(|ran| ran == test), "no test is called {test}");
    true
}
