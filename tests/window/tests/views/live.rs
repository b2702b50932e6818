//! A live table in the window: a thread brings what a camera would, people lend
//! a hand by keys, and the record on the disk is the session's.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use castellan::app::ui::{CameraAdapter, LiveAdapter};
use castellan::app::{Desk, Feed, TableWindow};
use castellan::capture::Viewer;
use castellan::library;
use castellan::observation::Observation;
use castellan::record::{Event, EventKind, Game, Log, LogWriter};
use castellan::table::sim::{Noise, Rehearsal, Tempo};
use castellan::table::{Patience, Session, Update};
use castellan_window_tests::{facts, in_its_own_process, labelled, log, open, picture, press, settle, the};
use slint::ComponentHandle;

/// Brings observations to a desk as the thread that watches a table does, the
/// first with a picture.
fn bring(desk: &Desk, observations: &[(f64, Observation)], brought: &AtomicUsize) {
    for (i, (t, observation)) in observations.iter().enumerate() {
        let session = desk.session();
        let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
        session.observe(observation, *t);
        let view = session.view();
        drop(session);
        let picture = (i == 0).then(|| image::RgbImage::from_pixel(1280, 720, image::Rgb([120, 90, 60])));
        desk.take(Update { view, picture, places: Vec::new(), seen: None, trouble: None });
        brought.fetch_add(1, Ordering::Relaxed);
    }
}

/// Does something in another thread while the window handles what comes of it.
fn meanwhile(table: &TableWindow, act: impl FnOnce() + Send + 'static) {
    let thread = std::thread::spawn(move || {
        act();
        slint::quit_event_loop().expect("the event loop runs");
    });
    slint::run_event_loop_until_quit().expect("the testing backend has an event loop");
    thread.join().expect("the thread does not panic");
    settle();
    assert!(table.window().get_game_open());
}

fn written(path: &Path) -> Log {
    Log::open(path).expect("the record is whole")
}

#[test]
fn a_live_game_is_shown_lent_a_hand_and_recorded() {
    if in_its_own_process("live::a_live_game_is_shown_lent_a_hand_and_recorded") {
        return;
    }
    let table = open();
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in");
    let played = log(5).replay(&wall, &deck.deck).expect("the record can be played");
    let header = played.header().clone();
    let start = Game::new(header.clone(), &wall, &deck.deck).expect("the house set makes a game");
    let rehearsal = Rehearsal::of(&played, start, &deck.deck, Tempo::live(), Noise::default(), 1);
    let seen = rehearsal.observations;

    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("game.jsonl");
    let writer = LogWriter::create(&path, &header).expect("a record can be begun");
    let session = Session::new(header, &wall, deck.deck.clone()).expect("the house set makes a game");
    let session = session.with_patience(Patience::live());
    let desk: Arc<Desk> = table.open_live(deck.clone(), wall.clone(), session, Some(writer), "camera:0");
    let live = || table.window().global::<LiveAdapter>();
    assert!(live().get_active());
    the(&table, "0 tiles on the table");
    assert!(labelled(&table, "What the camera sees").is_empty(), "no picture has come yet");

    // The first tile lies, the hand has gone, nobody stands on it yet.
    let first = seen.iter().position(|(_, o)| o.cells.iter().any(|c| c.figures.is_empty() && is_tile(c)));
    let first = first.expect("a game has a tile") + 5;
    let (before, rest) = seen.split_at(first);
    let (brings, some) = (Arc::clone(&desk), before.to_vec());
    meanwhile(&table, move || bring(&brings, &some, &AtomicUsize::new(0)));
    the(&table, "1 tile on the table");
    the(&table, "What the camera sees");
    let size = table.window().global::<CameraAdapter>().get_picture().size();
    assert_eq!((size.width, size.height), (640, 360));
    what_the_camera_sees_is_made_ready_while_it_is_in_sight(&table, &desk);

    assert!(live().get_turn_open());
    assert_eq!(facts(&path).len(), 1);
    press(&table, "n");
    meanwhile(&table, || {});
    assert_eq!(facts(&path).len(), 2, "the turn is ended by hand, on the disk too");
    assert!(!live().get_turn_open(), "no tile of the next turn lies");
    press(&table, "n");
    assert_eq!(facts(&path).len(), 2, "a turn without a tile cannot be ended");

    // While it is paused the watching thread waits with its frame.
    press(&table, " ");
    meanwhile(&table, || {});
    the(&table, "Paused: Space goes on");
    let (brings, rest, brought) = (Arc::clone(&desk), rest.to_vec(), Arc::new(AtomicUsize::new(0)));
    let counts = Arc::clone(&brought);
    let watching = std::thread::spawn(move || bring(&brings, &rest, &counts));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(brought.load(Ordering::Relaxed), 0);
    let waiting = desk.fetch().view;
    press(&table, " ");
    assert_eq!(desk.fetch().feed, Feed::Running);
    let ends = Arc::clone(&desk);
    meanwhile(&table, move || {
        watching.join().expect("the thread does not panic");
        ends.ended(Ok(()));
    });
    let news = desk.fetch();
    assert!(news.view.cells.len() > waiting.cells.len());
    let sheet = news.view.sheet.clone().expect("the whole game was seen");
    let recorded = written(&path).replay(&wall, &deck.deck).expect("the record can be played");
    assert_eq!(sheet.totals, recorded.sheet().tallies.iter().map(|t| t.total).collect::<Vec<_>>());
    // Wall tiles that are used are said, not seen.
    let seen_facts = |game: &Game| -> Vec<EventKind> {
        let facts = game.facts().into_iter().map(|(_, fact)| fact);
        facts
            .filter(|f| matches!(f, EventKind::TilePlaced { .. } | EventKind::FollowerPlaced { .. }))
            .collect()
    };
    assert_eq!(seen_facts(&recorded), seen_facts(&played), "the game is the one that was played");
    the(&table, "Final sheet");
    the(&table, "The game is over");
    assert!(!live().get_active(), "there is nothing to lend a hand with");
    picture(&table, "live-sheet");

    let session = desk.session();
    let session = session.lock().unwrap_or_else(PoisonError::into_inner);
    let facts = |events: &[Event]| events.iter().map(|e| (e.seq, e.kind.clone())).collect::<Vec<_>>();
    assert_eq!(facts(&written(&path).events), facts(session.game().events()), "all is on the disk, in order");
    drop(session);

    press(&table, "o");
    the(&table, "How to begin");
    assert_eq!(Arc::strong_count(&desk), 1, "the window has let the table go");

    a_source_that_ends_early_waits_for_a_word(&table, &seen[..first + 40]);
    a_cleared_table_is_asked_about(&table, &seen[..first + 200]);
}

/// A camera shows its pictures by itself, as long as they are in sight and nothing waits.
fn what_the_camera_sees_is_made_ready_while_it_is_in_sight(table: &TableWindow, desk: &Arc<Desk>) {
    let brings = |pixels: u32| {
        let desk = Arc::clone(desk);
        meanwhile(table, move || desk.show(&image::RgbImage::new(pixels, pixels)));
        let size = table.window().global::<CameraAdapter>().get_picture().size();
        (size.width, size.height)
    };
    assert!(desk.wants());
    assert_eq!(brings(1000), (640, 640));
    assert_eq!(brings(30), (30, 30), "a small one is shown as it is");
    press(table, "c");
    brings(30);
    assert!(!desk.wants(), "the camera is hidden");
    press(table, "c");
    brings(30);
    assert!(desk.wants());
    press(table, " ");
    assert!(!desk.wants(), "it is paused");
    press(table, " ");
    meanwhile(table, || {});
    assert!(desk.wants());
}

fn is_tile(cell: &castellan::observation::CellReading) -> bool {
    matches!(cell.state, castellan::observation::CellState::Tile)
}

/// With tiles left the game is scored only when somebody says so; and a record
/// that cannot be written any more is said.
fn a_source_that_ends_early_waits_for_a_word(table: &TableWindow, seen: &[(f64, Observation)]) {
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in");
    let header = log(5).header;
    let session = Session::new(header, &wall, deck.deck.clone()).expect("the house set makes a game");
    let desk = table.open_live(deck, wall, session, None, "game.mp4");
    let (brings, seen) = (Arc::clone(&desk), seen.to_vec());
    meanwhile(table, move || {
        bring(&brings, &seen, &AtomicUsize::new(0));
        brings.ended(Ok(()));
    });
    the(table, "The source has ended: ");
    assert!(labelled(table, "Final sheet").is_empty());
    picture(table, "live-ended");
    ends_after_a_second_word(table);
    let session = desk.session();
    let session = session.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(session.game().facts().iter().any(|(_, kind)| *kind == EventKind::PlayStopped));
}

/// The game is scored by two keys, and not by one.
fn ends_after_a_second_word(table: &TableWindow) {
    press(table, "e");
    the(table, "End the game here and score it?");
    picture(table, "confirm");
    press(table, slint::platform::Key::Escape);
    assert!(labelled(table, "Final sheet").is_empty(), "nothing is scored unasked");
    press(table, "e");
    press(table, slint::platform::Key::Return);
    meanwhile(table, || {});
    the(table, "Final sheet");
}

/// When the tiles are gone the record stays, and the players say what is meant.
fn a_cleared_table_is_asked_about(table: &TableWindow, seen: &[(f64, Observation)]) {
    let wall = library::wall("house").expect("the house wall is built in");
    let deck = library::deck("house").expect("the house deck is built in");
    let session = Session::new(log(5).header, &wall, deck.deck.clone()).expect("the house set makes a game");
    let desk = table.open_live(deck, wall, session, None, "camera:0");
    let live = || table.window().global::<LiveAdapter>();
    let shows = |observations: Vec<(f64, Observation)>| {
        let brings = Arc::clone(&desk);
        meanwhile(table, move || bring(&brings, &observations, &AtomicUsize::new(0)));
    };
    let (last, full) = seen.last().cloned().expect("something was seen");
    let from = |start: f64, what: &Observation| -> Vec<(f64, Observation)> {
        (1..60).map(|i| (start + 0.2 * f64::from(i), what.clone())).collect()
    };
    shows(seen.to_vec());
    let before = desk.fetch().view;
    assert!(before.cells.len() >= 3 && !live().get_tiles_gone());
    shows(from(last, &Observation::default()));
    the(table, "Is the game over?: ");
    assert_eq!(desk.fetch().view.cells, before.cells, "the record stays");
    picture(table, "live-cleared");
    press(table, "m");
    assert!(live().get_missing_lit());
    picture(table, "live-cleared-lit");
    press(table, "g");
    meanwhile(table, || {});
    assert!(labelled(table, "Is the game over?").is_empty() && !live().get_tiles_gone());
    shows(from(last + 20.0, &Observation::default()));
    assert!(labelled(table, "Is the game over?").is_empty(), "they go on without the tiles");
    shows(from(last + 40.0, &full));
    shows(from(last + 60.0, &Observation::default()));
    the(table, "Is the game over?: ");
    ends_after_a_second_word(table);
    assert_eq!(desk.fetch().view.cells.len(), before.cells.len());
}
