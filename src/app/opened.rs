//! What is opened: a table that is watched, a game that is entered by hand, a record.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use slint::ComponentHandle;
use thiserror::Error;

use super::board_picture::BoardPainter;
use super::desk::Desk;
use super::refresh::{fetch, go_to, refresh};
use super::replay::{Replay, ReplayError};
use super::shelf::{Shelf, shelf as lock_shelf};
use super::shown::{Live, Shown, lock};
use super::terms::Terms;
use super::{adapter_archive, adapter_look, adapter_start, ui};
use crate::capture::{self, Viewer};
use crate::library::{self, DeckPlace};
use crate::record::LogWriter;
use crate::rules::{Sentence, Term, Wall, plain, sentence};
use crate::table::{HandGame, OpenTable, Opening, OpeningError, Prepared, Running, Session};

/// Why there is no window.
#[derive(Debug, Error)]
pub enum AppError {
    /// There is no display, or none that can be used.
    #[error("no window can be opened here ({}); `castellan watch` keeps the score in a terminal", first_line(.0))]
    NoDisplay(slint::PlatformError),
    /// The record that was named is not there.
    #[error("{}", Sentence::from(self))]
    NoRecord(PathBuf),
    /// The record cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The live game cannot be opened.
    #[error(transparent)]
    Opening(#[from] OpeningError),
}

impl From<&AppError> for Sentence {
    fn from(error: &AppError) -> Sentence {
        match error {
            // Without a window there is none that could say it.
            AppError::NoDisplay(_) => Sentence::from(error.to_string()),
            AppError::NoRecord(path) => {
                sentence!("no record is there; check the name: {}", Term::same(path.display()))
            }
            AppError::Replay(error) => Sentence::from(error),
            AppError::Opening(error) => Sentence::from(error),
        }
    }
}

/// What a platform says of itself takes several lines.
fn first_line(error: &slint::PlatformError) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}

/// What a source turned out to be.
pub enum Wanted {
    /// A record, and its file.
    Record(Box<Replay>, PathBuf),
    /// A table that can be watched.
    Table(Box<Prepared>),
}

impl Wanted {
    /// Looks at what an opening names.
    ///
    /// # Errors
    /// [`AppError`] in one sentence.
    pub fn of(opening: &Opening) -> Result<Wanted, AppError> {
        if is_record(&opening.source) {
            let (replay, file) = replay_of(&opening.source)?;
            Ok(Wanted::Record(Box::new(replay), file))
        } else {
            Ok(Wanted::Table(Box::new(opening.clone().prepare()?)))
        }
    }
}

/// Whether a source is a recorded game, or the folder of one, and not pictures of one.
fn is_record(source: &str) -> bool {
    let path = Path::new(source);
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"))
        || (library::record_file(path) != path && !capture::has_stills(path))
}

/// A record and its file.
fn replay_of(source: &str) -> Result<(Replay, PathBuf), AppError> {
    let path = Path::new(source);
    if !path.exists() {
        return Err(AppError::NoRecord(path.to_owned()));
    }
    let path = library::record_file(path);
    Ok((Replay::open(&path)?, path))
}

/// Opens a table in a thread of its own, since that takes seconds; meanwhile
/// the form says so, and afterwards why it could not.
pub fn open_when_ready(
    window: &ui::AppWindow,
    shown: &Arc<Mutex<Shown>>,
    shelf: &Arc<Mutex<Shelf>>,
    prepare: impl FnOnce() -> Result<Prepared, OpeningError> + Send + 'static,
    source: &str,
) {
    adapter_start::busy(window, shown);
    let (weak, shown, source) = (window.as_weak(), Arc::clone(shown), source.to_owned());
    let shelf = Arc::clone(shelf);
    std::thread::spawn(move || {
        let opened = prepare().and_then(|mut prepared| {
            match prepared.record_at_home() {
                // What was filmed can be watched again.
                Err(error) if !prepared.is_live() => tracing::warn!("the game is not recorded: {error}"),
                kept => kept?,
            }
            prepared.open()
        });
        let done = weak.upgrade_in_event_loop(move |window| match opened {
            Ok(table) => {
                start(&window, &shown, table, &source);
                lock_shelf(&shelf).remember(|r| r.watched(&source));
                adapter_start::problem(&window, &shown, None);
            }
            Err(error) => adapter_start::problem(&window, &shown, Some(Sentence::from(&error))),
        });
        if let Err(error) = done {
            tracing::debug!("the window was closed before the table was open: {error}");
        }
    });
}

/// Starts to watch a table.
fn start(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>, table: OpenTable, source: &str) {
    let OpenTable { source: mut frames, reader, session, deck, wall, record, evidence, notes, whole_game } =
        table;
    open_table(window, shown, deck, wall, source);
    told(&notes);
    let writer = recorded_in(window, record);
    let desk = attach(window, shown, session, writer, whole_game);
    let (takes, ends) = (Arc::clone(&desk), Arc::clone(&desk));
    let viewer: Arc<dyn Viewer> = Arc::clone(&desk) as Arc<dyn Viewer>;
    if frames.show_to(&viewer) {
        desk.shown_by_source();
    }
    let running = Running::start(
        frames,
        reader,
        desk.session(),
        evidence,
        move |u| takes.take(u),
        move |r| ends.ended(r),
    );
    if let Some(live) = &mut lock(shown).live {
        live.running = Some(running);
    }
}

/// Shows a live game from now on, whenever something comes to its desk.
pub fn attach(
    window: &ui::AppWindow,
    shown: &Arc<Mutex<Shown>>,
    session: Session,
    record: Option<LogWriter>,
    whole_game: bool,
) -> Arc<Desk> {
    let bell = {
        let (weak, shown) = (window.as_weak(), Arc::clone(shown));
        move || {
            let shown = Arc::clone(&shown);
            // It only fails when the window is gone.
            let _ = weak.upgrade_in_event_loop(move |window| fetch(&window, &shown));
        }
    };
    let desk = Arc::new(Desk::new(session, record, whole_game, bell));
    lock(shown).live = Some(Live { desk: Arc::clone(&desk), running: None });
    fetch(window, shown);
    desk
}

/// Opens an empty table; what was open before is let go.
pub fn open_table(
    window: &ui::AppWindow,
    shown: &Mutex<Shown>,
    deck: DeckPlace,
    wall: Option<Wall>,
    source: &str,
) {
    lock(shown).begin(Some(BoardPainter::new(deck, wall)));
    window.global::<ui::StateAdapter>().set_source(plain::shown(source, plain::LONGEST_SENTENCE).into());
    window.global::<ui::AboutAdapter>().set_record("".into());
    window.global::<ui::Screens>().invoke_begin(ui::Screen::Table);
    refresh(window, shown);
}

/// Opens a record at its last step.
pub fn open_replay(window: &ui::AppWindow, shown: &Mutex<Shown>, replay: Replay, source: &str) {
    open_table(window, shown, replay.deck.clone(), replay.wall.clone(), source);
    let last = replay.steps.len().saturating_sub(1);
    lock(shown).replay = Some((replay, last));
    go_to(window, shown, last);
}

/// Opens a record of which the file is known: it can be gone on with.
pub fn open_record(window: &ui::AppWindow, shown: &Mutex<Shown>, replay: Replay, file: PathBuf) {
    let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    open_replay(window, shown, replay, &name);
    lock(shown).replayed = Some(file);
    refresh(window, shown);
}

/// Opens a game that is entered by hand: a new one, recorded with those of the camera, or the
/// record that is named as the source.
///
/// # Errors
/// [`OpeningError`] in one sentence.
pub fn open_by_hand(
    window: &ui::AppWindow,
    shown: &Arc<Mutex<Shown>>,
    mut opening: Opening,
) -> Result<(), OpeningError> {
    if is_record(&opening.source) {
        let record = library::record_file(Path::new(&opening.source));
        // What the form says is of another game.
        opening = Opening { record: Some(record), ..Opening::default() };
    } else {
        opening.source.clear();
    }
    opening.record_at_home()?;
    let HandGame { session, deck, wall, record, notes } = HandGame::open(&opening)?;
    // A record that was replayed is let go before it is written.
    open_table(window, shown, deck, wall, "");
    told(&notes);
    let writer = recorded_in(window, record);
    attach(window, shown, session, writer, false).without_source();
    fetch(window, shown);
    Ok(())
}

fn told(notes: &[String]) {
    notes.iter().for_each(|note| tracing::warn!("{note}"));
}

/// Says in which file a game is recorded.
fn recorded_in(window: &ui::AppWindow, record: Option<(LogWriter, PathBuf)>) -> Option<LogWriter> {
    let (writer, path) = record.unzip();
    let path = path.map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    window.global::<ui::AboutAdapter>().set_record(path.into());
    writer
}

/// Opens what the form names, or says there why it cannot be; and goes back to
/// the form.
pub fn connect_start(
    window: &ui::AppWindow,
    shown: &Arc<Mutex<Shown>>,
    known: &Rc<RefCell<Opening>>,
    shelf: &Arc<Mutex<Shelf>>,
) {
    connect_archive(window, shown, shelf);
    adapter_look::connect(window, known);
    let (weak, left, forgotten) = (window.as_weak(), Arc::clone(shown), Rc::clone(known));
    let games = Arc::clone(shelf);
    window.global::<ui::LiveAdapter>().on_leave(move || {
        let Some(window) = weak.upgrade() else { return };
        lock(&left).begin(None);
        // The next game has a record of its own.
        *forgotten.borrow_mut() = Opening::default();
        window.global::<ui::Screens>().invoke_begin(ui::Screen::Start);
        window.global::<ui::StartAdapter>().set_going_on("".into());
        adapter_archive::look(&window, &games);
        refresh(&window, &left);
    });
    let of = Arc::clone(shown);
    adapter_start::connect_by_hand(window, Rc::clone(known), move |window, opening| {
        let problem = open_by_hand(window, &of, opening).err();
        adapter_start::problem(window, &of, problem.as_ref().map(Sentence::from));
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::ReplayAdapter>().on_go_on(move || {
        let Some(window) = weak.upgrade() else { return };
        let Some(record) = lock(&of).replayed.clone() else { return };
        let opening = Opening { source: record.to_string_lossy().into_owned(), ..Opening::default() };
        if let Err(error) = open_by_hand(&window, &of, opening) {
            let words = Terms::of(&window).sentence(&Sentence::from(&error));
            window.global::<ui::StateAdapter>().set_notice(words.into());
        }
    });
    let (shown, shelf) = (Arc::clone(shown), Arc::clone(shelf));
    adapter_start::connect(window, Rc::clone(known), move |window, opening| {
        if !is_record(&opening.source) {
            let source = opening.source.clone();
            return open_when_ready(window, &shown, &shelf, move || opening.prepare(), &source);
        }
        match replay_of(&opening.source) {
            Ok((replay, file)) => {
                open_record(window, &shown, replay, file);
                adapter_start::problem(window, &shown, None);
            }
            Err(error) => adapter_start::problem(window, &shown, Some(Sentence::from(&error))),
        }
    });
}

/// Shows and goes on with recorded games.
fn connect_archive(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>, shelf: &Arc<Mutex<Shelf>>) {
    let of = Arc::clone(shown);
    let open = move |window: &ui::AppWindow, file: &Path| {
        let replay = Replay::open(file).map_err(|error| Sentence::from(&error))?;
        open_record(window, &of, replay, file.to_owned());
        Ok::<(), Sentence>(())
    };
    let adapter = window.global::<ui::StartAdapter>();
    let (weak, games, opens) = (window.as_weak(), Arc::clone(shelf), open.clone());
    let of = Arc::clone(shown);
    adapter.on_choose(move |file| {
        let Some(window) = weak.upgrade() else { return };
        let file = Path::new(file.as_str());
        let over = lock_shelf(&games).game(file).is_some_and(|game| game.over);
        if !over {
            return adapter_start::go_on(&window, &of, file);
        }
        if let Err(sentence) = opens(&window, file) {
            adapter_start::problem(&window, &of, Some(sentence));
        }
    });
    let (weak, games) = (window.as_weak(), Arc::clone(shelf));
    adapter.on_archive(move || {
        let Some(window) = weak.upgrade() else { return };
        window.global::<ui::ArchiveAdapter>().set_notice("".into());
        window.global::<ui::Screens>().invoke_open(ui::Screen::Archive);
        adapter_archive::look(&window, &games);
    });
    let of = Arc::clone(shown);
    adapter_archive::connect(window, shelf, open, move |window, file| {
        adapter_start::go_on(window, &of, file)
    });
}
