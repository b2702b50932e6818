//! The table window: Slint glue, one adapter a view.
//!
//! The adapters' `show` functions map a [`GameView`] to what the window draws;
//! nothing here knows the rules.

mod adapter_board;
mod adapter_correct;
mod adapter_enter;
mod adapter_live;
mod adapter_players;
mod adapter_question;
mod adapter_replay;
mod adapter_scores;
mod adapter_sheet;
mod adapter_start;
mod adapter_state;
mod board_picture;
mod correcting;
mod desk;
mod replay;
mod shown;
#[allow(
    clippy::all,
    missing_docs,
    missing_debug_implementations,
    reason = "made by slint-build, whose style is not ours"
)]
pub mod ui;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use slint::ComponentHandle;
use thiserror::Error;

use self::shown::{Live, Shown, lock};
use crate::capture;
use crate::library::{self, DeckPlace};
use crate::record::LogWriter;
use crate::rules::{Wall, plain};
use crate::table::{GameView, OpenTable, Opening, OpeningError, Prepared, Running, Session};

pub use board_picture::{BoardPainter, Lighting};
pub use desk::{Asked, Command, Desk, Done, Feed, News};
pub use replay::{Replay, ReplayError, Step};

/// Why there is no window.
#[derive(Debug, Error)]
pub enum AppError {
    /// There is no display, or none that can be used.
    #[error("no window can be opened here ({}); `castellan watch` keeps the score in a terminal", first_line(.0))]
    NoDisplay(slint::PlatformError),
    /// The record that was named is not there.
    #[error("no record is there; check the name: {0}")]
    NoRecord(PathBuf),
    /// The record cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The live game cannot be opened.
    #[error(transparent)]
    Opening(#[from] OpeningError),
}

/// What a platform says of itself takes several lines.
fn first_line(error: &slint::PlatformError) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}

/// Opens the window on what `opening` names, a live table or a record; with an
/// empty source it asks. Returns when the window is closed.
///
/// # Errors
/// [`AppError`] in one sentence.
pub fn run(opening: Opening) -> Result<(), AppError> {
    let wanted = if opening.source.is_empty() { None } else { Some(Wanted::of(&opening)?) };
    let table = TableWindow::new()?;
    table.ask(&opening);
    match wanted {
        Some(Wanted::Record(replay, name)) => table.open_replay(*replay, &name),
        Some(Wanted::Table(prepared)) => {
            open_when_ready(&table.window, &table.shown, move || Ok(*prepared), &opening.source)
        }
        None => {}
    }
    table.run()
}

/// What a source turned out to be.
enum Wanted {
    Record(Box<Replay>, String),
    Table(Box<Prepared>),
}

impl Wanted {
    fn of(opening: &Opening) -> Result<Wanted, AppError> {
        if is_record(&opening.source) {
            let (replay, name) = replay_of(&opening.source)?;
            Ok(Wanted::Record(Box::new(replay), name))
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

/// A record and the name of its file.
fn replay_of(source: &str) -> Result<(Replay, String), AppError> {
    let path = Path::new(source);
    if !path.exists() {
        return Err(AppError::NoRecord(path.to_owned()));
    }
    let path = &library::record_file(path);
    let name = path.file_name().map_or_else(|| source.to_owned(), |n| n.to_string_lossy().into_owned());
    Ok((Replay::open(path)?, name))
}

/// The window and what it shows.
pub struct TableWindow {
    window: ui::AppWindow,
    shown: Arc<Mutex<Shown>>,
    /// What the form does not ask for.
    known: Rc<RefCell<Opening>>,
}

impl std::fmt::Debug for TableWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableWindow").finish_non_exhaustive()
    }
}

impl TableWindow {
    /// A window in which no game is open yet.
    ///
    /// # Errors
    /// [`AppError::NoDisplay`] where there is no display.
    pub fn new() -> Result<TableWindow, AppError> {
        let window = ui::AppWindow::new().map_err(AppError::NoDisplay)?;
        let shown = Arc::new(Mutex::new(Shown::default()));
        window.set_game_open(false);
        window.global::<ui::AboutAdapter>().set_version(env!("CARGO_PKG_VERSION").into());
        window.global::<ui::AboutAdapter>().set_licence(env!("CARGO_PKG_LICENSE").into());
        adapter_board::connect(&window, &shown);
        adapter_live::connect(&window, &shown);
        adapter_question::connect(&window, &shown);
        adapter_correct::connect(&window, &shown);
        adapter_enter::connect(&window, &shown);
        connect_selection(&window, &shown);
        connect_replay(&window, &shown);
        let known = Rc::new(RefCell::new(Opening::default()));
        connect_start(&window, &shown, &known);
        refresh(&window, &shown);
        let table = TableWindow { window, shown, known };
        table.ask(&Opening::default());
        Ok(table)
    }

    /// The generated window.
    pub fn window(&self) -> &ui::AppWindow {
        &self.window
    }

    /// Asks for a source and players; `opening` is what is known of them.
    pub fn ask(&self, opening: &Opening) {
        adapter_start::show(&self.window, opening);
        *self.known.borrow_mut() = opening.clone();
    }

    /// Opens an empty table; `source` names where its pictures come from.
    pub fn open_table(&self, deck: DeckPlace, wall: Option<Wall>, source: &str) {
        open_table(&self.window, &self.shown, deck, wall, source);
    }

    /// Shows a game as it stands now.
    pub fn show(&self, view: GameView) {
        lock(&self.shown).view = view;
        refresh(&self.window, &self.shown);
    }

    /// Opens a live game that somebody else watches: frames are brought to the
    /// desk that is given back, from any thread. Events so far are in `record`.
    pub fn open_live(
        &self,
        deck: DeckPlace,
        wall: impl Into<Option<Wall>>,
        session: Session,
        record: Option<LogWriter>,
        source: &str,
    ) -> Arc<Desk> {
        open_table(&self.window, &self.shown, deck, wall.into(), source);
        attach(&self.window, &self.shown, session, record, false)
    }

    /// Opens a recorded game at its last step.
    pub fn open_replay(&self, replay: Replay, source: &str) {
        open_replay(&self.window, &self.shown, replay, source);
    }

    /// Shows the window until it is closed.
    ///
    /// # Errors
    /// [`AppError::NoDisplay`] where the display went away.
    pub fn run(&self) -> Result<(), AppError> {
        self.window.run().map_err(AppError::NoDisplay)
    }
}

/// Opens a table in a thread of its own, since that takes seconds; meanwhile
/// the form says so, and afterwards why it could not.
fn open_when_ready(
    window: &ui::AppWindow,
    shown: &Arc<Mutex<Shown>>,
    prepare: impl FnOnce() -> Result<Prepared, OpeningError> + Send + 'static,
    source: &str,
) {
    adapter_start::busy(window);
    let (weak, shown, source) = (window.as_weak(), Arc::clone(shown), source.to_owned());
    std::thread::spawn(move || {
        let opened = prepare().and_then(|mut prepared| {
            if prepared.is_live() {
                prepared.record_at_home()?;
            }
            prepared.open()
        });
        let done = weak.upgrade_in_event_loop(move |window| match opened {
            Ok(table) => {
                start(&window, &shown, table, &source);
                adapter_start::problem(&window, "");
            }
            Err(error) => adapter_start::problem(&window, &error.to_string()),
        });
        if let Err(error) = done {
            tracing::debug!("the window was closed before the table was open: {error}");
        }
    });
}

/// Starts to watch a table.
fn start(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>, table: OpenTable, source: &str) {
    let OpenTable { source: frames, reader, session, deck, wall, record, evidence, notes, whole_game } =
        table;
    open_table(window, shown, deck, wall, source);
    for note in notes {
        tracing::warn!("{note}");
    }
    let (writer, path) = record.unzip();
    let path = path.map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    window.global::<ui::AboutAdapter>().set_record(path.into());
    let desk = attach(window, shown, session, writer, whole_game);
    let (takes, ends) = (Arc::clone(&desk), Arc::clone(&desk));
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
fn attach(
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

/// Shows what has come to the desk.
fn fetch(window: &ui::AppWindow, shown: &Mutex<Shown>) {
    let changed = {
        let mut shown = lock(shown);
        let Some(news) = shown.live.as_ref().map(|l| l.desk.fetch()) else { return };
        if let Some(picture) = &news.picture {
            adapter_live::show_picture(window, picture);
        }
        shown.take(news)
    };
    if changed {
        refresh(window, shown);
    }
}

fn open_table(
    window: &ui::AppWindow,
    shown: &Mutex<Shown>,
    deck: DeckPlace,
    wall: Option<Wall>,
    source: &str,
) {
    *lock(shown) = Shown { painter: Some(BoardPainter::new(deck, wall)), ..Shown::default() };
    window.global::<ui::StateAdapter>().set_source(plain::shown(source, plain::LONGEST_SENTENCE).into());
    window.global::<ui::AboutAdapter>().set_record("".into());
    window.set_game_open(true);
    refresh(window, shown);
}

fn open_replay(window: &ui::AppWindow, shown: &Mutex<Shown>, replay: Replay, source: &str) {
    open_table(window, shown, replay.deck.clone(), replay.wall.clone(), source);
    let last = replay.steps.len().saturating_sub(1);
    lock(shown).replay = Some((replay, last));
    go_to(window, shown, last);
}

/// Opens what the form names, or says there why it cannot be; and goes back to
/// the form.
fn connect_start(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>, known: &Rc<RefCell<Opening>>) {
    let (weak, left, forgotten) = (window.as_weak(), Arc::clone(shown), Rc::clone(known));
    window.global::<ui::LiveAdapter>().on_leave(move || {
        let Some(window) = weak.upgrade() else { return };
        *lock(&left) = Shown::default();
        // The next game has a record of its own.
        *forgotten.borrow_mut() = Opening::default();
        window.set_game_open(false);
        refresh(&window, &left);
    });
    let shown = Arc::clone(shown);
    adapter_start::connect(window, Rc::clone(known), move |window, opening| {
        if !is_record(&opening.source) {
            let source = opening.source.clone();
            return open_when_ready(window, &shown, move || opening.prepare(), &source);
        }
        match replay_of(&opening.source) {
            Ok((replay, name)) => {
                open_replay(window, &shown, replay, &name);
                adapter_start::problem(window, "");
            }
            Err(error) => adapter_start::problem(window, &error.to_string()),
        }
    });
}

/// Brings the whole window up to date with what is shown.
fn refresh(window: &ui::AppWindow, shown: &Mutex<Shown>) {
    let (view, selected) = {
        let shown = lock(shown);
        (shown.view.clone(), shown.selected)
    };
    adapter_players::show(window, &view);
    adapter_scores::show(window, &view, selected);
    adapter_sheet::show(window, &view);
    adapter_board::show(window, &view);
    let mut shown = lock(shown);
    adapter_question::show(window, &mut shown);
    adapter_state::show(window, &shown.view, &shown.feed);
    adapter_live::show(window, &shown);
    adapter_replay::show(window, shown.replay.as_ref().map(|(r, step)| (r, *step)));
}

/// Lights the score that is chosen in the list.
fn connect_selection(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let (weak, shown) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::ScoresAdapter>().on_select(move |row| {
        let Some(window) = weak.upgrade() else { return };
        let view = {
            let mut shown = lock(&shown);
            shown.selected = adapter_scores::index(&shown.view, row);
            window
                .global::<ui::ScoresAdapter>()
                .set_selected(adapter_scores::row(&shown.view, shown.selected));
            shown.view.clone()
        };
        adapter_board::show(&window, &view);
    });
}

/// Steps through a record.
fn connect_replay(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let (weak, shown) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::ReplayAdapter>().on_go(move |step| {
        let Some(window) = weak.upgrade() else { return };
        let wanted = lock(&shown).replay.as_ref().map(|(r, now)| (adapter_replay::wanted(r, step), *now));
        if let Some((wanted, now)) = wanted
            && wanted != now
        {
            go_to(&window, &shown, wanted);
        }
    });
}

/// Shows a step of the open record. The chosen score is let go: it may not
/// have happened yet.
fn go_to(window: &ui::AppWindow, shown: &Mutex<Shown>, step: usize) {
    {
        let mut shown = lock(shown);
        let Shown { replay: Some((replay, now)), view, selected, .. } = &mut *shown else { return };
        let Some(there) = replay.steps.get(step) else { return };
        *now = step;
        *view = there.view.clone();
        *selected = None;
    }
    refresh(window, shown);
}
