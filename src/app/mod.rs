//! The table window: Slint glue, one adapter a view.
//!
//! The adapters' `show` functions map a [`GameView`] to what the window draws;
//! nothing here knows the rules.

mod adapter_aids;
mod adapter_archive;
mod adapter_board;
mod adapter_correct;
mod adapter_dispute;
mod adapter_enter;
mod adapter_faces;
mod adapter_house_rules;
mod adapter_live;
mod adapter_look;
mod adapter_own_copy;
mod adapter_pad;
mod adapter_page;
mod adapter_players;
mod adapter_question;
mod adapter_replay;
mod adapter_scores;
mod adapter_sheet;
mod adapter_start;
mod adapter_state;
mod adapter_survey;
mod aided;
mod board_picture;
mod catalogue;
mod chime;
mod command;
mod correcting;
mod desk;
mod faces_page;
mod language;
mod looking;
mod models;
mod opened;
mod own_copy_page;
mod pad;
mod previews;
mod qr;
mod refresh;
mod remembered;
mod replay;
mod shelf;
mod shown;
mod shown_page;
mod speaker;
mod terms;
pub mod ui;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use slint::ComponentHandle;

use self::opened::{
    Wanted, attach, connect_start, open_by_hand, open_record, open_replay, open_table, open_when_ready,
};
use self::refresh::{go_to, refresh};
use self::remembered::Remembered;
use self::shelf::Shelf;
use self::shown::{Shown, lock};
use crate::library::{self, DeckPlace};
use crate::record::LogWriter;
use crate::rules::Wall;
use crate::table::{GameView, Opening, Session};

pub use board_picture::{BoardPainter, Lighting};
pub use command::{Command, Done};
pub use desk::{Asked, Desk, Feed, News};
pub use language::LANGUAGES;
pub use opened::AppError;
pub use replay::{Replay, ReplayError, Step};
pub use shown_page::ShownPage;

/// Opens the window on what `opening` names, a live table or a record; with an
/// empty source it asks. Returns when the window is closed.
///
/// # Errors
/// [`AppError`] in one sentence.
pub fn run(opening: Opening) -> Result<(), AppError> {
    let wanted = if opening.source.is_empty() { None } else { Some(Wanted::of(&opening)?) };
    let table = TableWindow::at_home()?;
    table.ask(&opening);
    match wanted {
        Some(Wanted::Record(replay, file)) => open_record(&table.window, &table.shown, *replay, file),
        Some(Wanted::Table(prepared)) => {
            open_when_ready(&table.window, &table.shown, &table.shelf, move || Ok(*prepared), &opening.source)
        }
        None => {}
    }
    table.run()
}

/// Opens the window on a game that is entered by hand: a new one, or the record that `opening`
/// names as its source. Returns when the window is closed.
///
/// # Errors
/// [`AppError`] in one sentence.
pub fn run_by_hand(opening: Opening) -> Result<(), AppError> {
    let table = TableWindow::at_home()?;
    table.ask(&opening);
    table.open_by_hand(opening)?;
    table.run()
}

/// The name by which a desktop finds the program's entry and icon (`packaging/castellan.desktop`).
const APP_ID: &str = "castellan";

/// The window and what it shows.
pub struct TableWindow {
    window: ui::AppWindow,
    shown: Arc<Mutex<Shown>>,
    /// What the form does not ask for.
    known: Rc<RefCell<Opening>>,
    /// The recorded games and what is remembered.
    shelf: Arc<Mutex<Shelf>>,
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
        window.global::<ui::AboutAdapter>().set_version(env!("CARGO_PKG_VERSION").into());
        window.global::<ui::AboutAdapter>().set_licence(env!("CARGO_PKG_LICENSE").into());
        adapter_board::connect(&window, &shown);
        adapter_live::connect(&window, &shown);
        adapter_question::connect(&window, &shown);
        adapter_correct::connect(&window, &shown);
        adapter_dispute::connect(&window, &shown);
        adapter_enter::connect(&window, &shown);
        adapter_pad::connect(&window, &shown);
        let own_copy = adapter_own_copy::connect(&window);
        adapter_sheet::connect(&window, &shown);
        adapter_state::connect(&window, &shown);
        connect_selection(&window, &shown);
        connect_replay(&window, &shown);
        let known = Rc::new(RefCell::new(Opening::default()));
        let shelf = Arc::new(Mutex::new(Shelf::default()));
        connect_start(&window, &shown, &known, &shelf);
        adapter_aids::connect(&window, &shown);
        connect_aids(&window, &shown, &shelf);
        refresh(&window, &shown);
        let (kept, of) = (Arc::clone(&shelf), Arc::clone(&shown));
        language::connect(&window, move |window, code| {
            shelf::shelf(&kept).remember(|r| r.language = Some(code.to_owned()));
            refresh::in_its_language(window, &of);
            adapter_archive::show(window, &kept);
            adapter_own_copy::name_colours(window);
            own_copy_page::show_again(window, &own_copy);
            adapter_faces::show_again(window, &own_copy);
        });
        language::speak(&window, "en");
        let table = TableWindow { window, shown, known, shelf };
        table.ask(&Opening::default());
        Ok(table)
    }

    /// The generated window.
    pub fn window(&self) -> &ui::AppWindow {
        &self.window
    }

    /// A window of the program itself, in the system's language, that keeps and lists games in the
    /// owner's data folder; without one nothing is remembered.
    fn at_home() -> Result<TableWindow, AppError> {
        let table = TableWindow::new()?;
        if let Err(error) = slint::set_xdg_app_id(APP_ID) {
            tracing::warn!("the desktop will not know the window: {error}");
        }
        connect_sound(&table.window);
        language::speak(&table.window, language::of_system());
        match library::data_dir() {
            Ok(data) => table.keep_in(&data),
            Err(error) => tracing::warn!("{error}"),
        }
        Ok(table)
    }

    /// Remembers and lists in this folder, the games in its folder `games`.
    pub fn keep_in(&self, data: &Path) {
        let remembered = Remembered::read(data);
        if let Some(dark) = remembered.dark {
            self.window.global::<ui::Theme>().invoke_set_dark(dark);
        }
        adapter_aids::agree(&self.window, remembered.aids);
        self.window.global::<ui::AidsAdapter>().set_sound(remembered.sound);
        self.window.global::<ui::AidsAdapter>().set_page(remembered.page);
        self.window.global::<ui::AidsAdapter>().set_clocks(remembered.clocks);
        adapter_page::open(&self.window, &self.shown);
        if let Some(code) = &remembered.language {
            language::speak(&self.window, code);
        }
        *shelf::shelf(&self.shelf) = Shelf { data: Some(data.to_owned()), remembered, ..Shelf::default() };
        let of = Arc::clone(&self.shelf);
        self.window.global::<ui::Theme>().on_chosen(move |dark| {
            shelf::shelf(&of).remember(|r| r.dark = Some(dark));
        });
        adapter_archive::look(&self.window, &self.shelf);
    }

    /// Asks for a source and players; `opening` is what is known of them.
    pub fn ask(&self, opening: &Opening) {
        adapter_start::show(&self.window, opening, &self.shelf);
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

    /// Opens a game that is entered by hand: a new one, or the record that `opening` names as
    /// its source.
    ///
    /// # Errors
    /// [`AppError::Opening`] in one sentence.
    pub fn open_by_hand(&self, opening: Opening) -> Result<(), AppError> {
        Ok(open_by_hand(&self.window, &self.shown, opening)?)
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

/// Lights the score that is chosen in the list.
fn connect_selection(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let (weak, shown) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::ScoresAdapter>().on_select(move |row| {
        let Some(window) = weak.upgrade() else { return };
        let mut shown = lock(&shown);
        shown.selected = adapter_scores::index(&shown.view, row);
        shown.sheet_item = None;
        adapter_scores::show_selected(&window, &shown);
        adapter_sheet::show_item(&window, &shown);
        adapter_board::show(&window, &shown);
    });
}

/// Shows what is agreed on or looked at of the aids; what is agreed on is remembered.
fn connect_aids(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>, shelf: &Arc<Mutex<Shelf>>) {
    let adapter = window.global::<ui::AidsAdapter>();
    let (weak, of, kept) = (window.as_weak(), Arc::clone(shown), Arc::clone(shelf));
    adapter.on_agreed(move || {
        let Some(window) = weak.upgrade() else { return };
        let agreed = adapter_aids::agreed(&window);
        let adapter = window.global::<ui::AidsAdapter>();
        let (sound, page, clocks) = (adapter.get_sound(), adapter.get_page(), adapter.get_clocks());
        shelf::shelf(&kept).remember(|r| (r.aids, r.sound, r.page, r.clocks) = (agreed, sound, page, clocks));
        adapter_page::open(&window, &of);
        if !agreed.tiles {
            window.global::<ui::AidsAdapter>().set_shown(false);
        }
        refresh(&window, &of);
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_looked(move || {
        let Some(window) = weak.upgrade() else { return };
        if let Some(aids) = &mut lock(&of).aids {
            (aids.tile, aids.cell) = (None, None);
        }
        refresh(&window, &of);
    });
}

/// Lets the sound be heard, and says why where it cannot be.
fn connect_sound(window: &ui::AppWindow) {
    let weak = window.as_weak();
    window.global::<ui::AidsAdapter>().on_ring(move || {
        let weak = weak.clone();
        speaker::ring(move |played| {
            if let Err(problem) = &played {
                tracing::warn!("no sound can be heard: {problem}");
            }
            // It only fails when the window is gone.
            let _ = weak.upgrade_in_event_loop(move |window| {
                window.global::<ui::AidsAdapter>().set_no_sound(played.is_err());
            });
        });
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
