//! The table window: Slint glue, one adapter a view.
//!
//! The adapters' `show` functions map a [`GameView`] to what the window draws;
//! nothing here knows the rules.

mod adapter_board;
mod adapter_players;
mod adapter_replay;
mod adapter_scores;
mod adapter_sheet;
mod adapter_start;
mod adapter_state;
mod board_picture;
mod replay;
mod setup;
mod shown;

use std::path::Path;
use std::sync::{Arc, Mutex};

use slint::ComponentHandle;
use thiserror::Error;

use self::shown::{Shown, lock};
use crate::library::DeckPlace;
use crate::rules::Wall;
use crate::table::GameView;

pub use board_picture::{BoardPainter, Lighting};
pub use replay::{Replay, ReplayError, Step};
pub use setup::Setup;

/// The window as Slint generates it from `ui/`.
#[allow(
    clippy::all,
    missing_docs,
    missing_debug_implementations,
    reason = "made by slint-build, whose style is not ours"
)]
pub mod ui {
    slint::include_modules!();
}

/// Why there is no window.
#[derive(Debug, Error)]
pub enum AppError {
    /// There is no display, or none that can be used.
    #[error("no window can be opened here; `castellan watch` keeps the score in a terminal: {0}")]
    NoDisplay(slint::PlatformError),
    /// What was named cannot be opened.
    #[error("{0}")]
    Open(String),
}

/// Opens the window on what `setup` names; with an empty source it says how to
/// begin. Returns when the window is closed.
///
/// # Errors
/// [`AppError`] in one sentence.
pub fn run(setup: &Setup) -> Result<(), AppError> {
    let table = TableWindow::new()?;
    adapter_start::show(&table.window, setup);
    if !setup.source.is_empty() {
        table.open(setup)?;
    }
    table.run()
}

/// The window and what it shows.
pub struct TableWindow {
    window: ui::AppWindow,
    shown: Arc<Mutex<Shown>>,
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
        connect_selection(&window, &shown);
        connect_replay(&window, &shown);
        connect_start(&window, &shown);
        adapter_start::show(&window, &Setup::default());
        refresh(&window, &shown);
        Ok(TableWindow { window, shown })
    }

    /// The generated window.
    pub fn window(&self) -> &ui::AppWindow {
        &self.window
    }

    /// Opens what is named.
    ///
    /// # Errors
    /// [`AppError::Open`] says why it cannot be.
    pub fn open(&self, setup: &Setup) -> Result<(), AppError> {
        open(&self.window, &self.shown, setup)
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

fn open(window: &ui::AppWindow, shown: &Mutex<Shown>, setup: &Setup) -> Result<(), AppError> {
    if setup.is_record() {
        let path = Path::new(&setup.source);
        if !path.exists() {
            return Err(AppError::Open(format!("no record is there; check the name: {}", path.display())));
        }
        let replay = Replay::open(path).map_err(|e| AppError::Open(e.to_string()))?;
        let name = path.file_name().map_or(setup.source.clone(), |n| n.to_string_lossy().into_owned());
        open_replay(window, shown, replay, &name);
        return Ok(());
    }
    Err(AppError::Open("the window shows recorded games; give a `.jsonl` file".to_owned()))
}

fn open_table(
    window: &ui::AppWindow,
    shown: &Mutex<Shown>,
    deck: DeckPlace,
    wall: Option<Wall>,
    source: &str,
) {
    *lock(shown) = Shown { painter: Some(BoardPainter::new(deck, wall)), ..Shown::default() };
    window.global::<ui::StateAdapter>().set_source(source.into());
    window.set_game_open(true);
    refresh(window, shown);
}

fn open_replay(window: &ui::AppWindow, shown: &Mutex<Shown>, replay: Replay, source: &str) {
    open_table(window, shown, replay.deck.clone(), replay.wall.clone(), source);
    let last = replay.steps.len().saturating_sub(1);
    lock(shown).replay = Some((replay, last));
    go_to(window, shown, last);
}

/// Opens what the form names, or says there why it cannot be.
fn connect_start(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let shown = Arc::clone(shown);
    adapter_start::connect(window, move |window, setup| {
        let problem = open(window, &shown, &setup).err().map(|e| e.to_string());
        adapter_start::problem(window, &problem.unwrap_or_default());
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
    adapter_state::show(window, &view);
    adapter_sheet::show(window, &view);
    adapter_board::show(window, &view);
    let shown = lock(shown);
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
