//! The form that is seen while no game is open.

use std::cell::RefCell;
use std::rc::Rc;

use slint::{ComponentHandle, ModelRc, SharedString, VecModel};

use super::ui;
use crate::record::Log;
use crate::rules::Game;
use crate::rules::plain::{LONGEST_NAME, LONGEST_SENTENCE, shown};
use crate::table::{GameFile, Opening, titled};

/// The colours that wooden figures come in.
const COLOURS: [&str; 10] =
    ["black", "blue", "brown", "green", "orange", "purple", "red", "tan", "white", "yellow"];

/// The colours that are proposed where nobody has said any.
const PROPOSED: [&str; 2] = ["blue", "red"];

/// Fills the form in with what is known, also from the record that is gone on
/// with or a game file in the folder that the source names, and lists the cameras.
pub fn show(window: &ui::AppWindow, opening: &Opening) {
    let adapter = window.global::<ui::StartAdapter>();
    adapter.set_source(opening.source.as_str().into());
    let begun = opening.record.as_deref().and_then(|path| Log::open(path).ok());
    let known = match begun {
        Some(log) => GameFile::of(&log.header),
        None => GameFile::beside(&opening.source).ok().flatten().unwrap_or_default(),
    };
    fill(window, &opening.said.clone().or(known));
    list_cameras(window);
}

/// Calls `open` with what the form says when it is sent off; what the form does
/// not ask for is as in `known`.
pub fn connect(
    window: &ui::AppWindow,
    known: Rc<RefCell<Opening>>,
    open: impl Fn(&ui::AppWindow, Opening) + 'static,
) {
    let adapter = window.global::<ui::StartAdapter>();
    let weak = window.as_weak();
    adapter.on_start(move || {
        if let Some(window) = weak.upgrade() {
            let opening = filled_in(&window, &known.borrow());
            open(&window, opening);
        }
    });
    let weak = window.as_weak();
    adapter.on_edited(move || {
        let Some(window) = weak.upgrade() else { return };
        let source = window.global::<ui::StartAdapter>().get_source();
        if let Ok(Some(file)) = GameFile::beside(source.trim()) {
            fill(&window, &file);
        }
    });
}

/// Calls `open` with what the form says when a game without a camera is wanted.
pub fn connect_by_hand(
    window: &ui::AppWindow,
    known: Rc<RefCell<Opening>>,
    open: impl Fn(&ui::AppWindow, Opening) + 'static,
) {
    let weak = window.as_weak();
    window.global::<ui::StartAdapter>().on_by_hand(move || {
        if let Some(window) = weak.upgrade() {
            let opening = filled_in(&window, &known.borrow());
            open(&window, opening);
        }
    });
}

/// Says that a table is being opened.
pub fn busy(window: &ui::AppWindow) {
    window.global::<ui::StartAdapter>().set_problem("".into());
    window.global::<ui::StartAdapter>().set_busy(true);
}

/// Says what went wrong, or nothing with an empty sentence.
pub fn problem(window: &ui::AppWindow, sentence: &str) {
    window.global::<ui::StartAdapter>().set_problem(shown(sentence, LONGEST_SENTENCE).into());
    window.global::<ui::StartAdapter>().set_busy(false);
}

fn fill(window: &ui::AppWindow, file: &GameFile) {
    let adapter = window.global::<ui::StartAdapter>();
    let said =
        |list: &[String], i: usize| list.get(i).map(|word| shown(word, LONGEST_NAME)).unwrap_or_default();
    let [first, second] = [0, 1].map(|i| match said(&file.colours, i) {
        word if word.is_empty() => PROPOSED[i].to_owned(),
        word => word,
    });
    let mut colours: Vec<SharedString> = COLOURS.into_iter().map(SharedString::from).collect();
    let others = [&first, &second].into_iter().filter(|c| !COLOURS.contains(&c.as_str()));
    colours.extend(others.map(SharedString::from));
    adapter.set_colours(ModelRc::new(VecModel::from(colours)));
    adapter.set_first_colour(first.into());
    adapter.set_second_colour(second.into());
    adapter.set_first_name(said(&file.players, 0).into());
    adapter.set_second_name(said(&file.players, 1).into());
    let starts =
        file.starts.as_ref().and_then(|s| file.players.iter().position(|p| p.eq_ignore_ascii_case(s)));
    adapter.set_second_starts(starts == Some(1));
    adapter.set_deck(file.deck.as_deref().unwrap_or("house").into());
    let usual = if file.game == Some(Game::Classic) { "" } else { "house" };
    adapter.set_wall(file.wall.as_deref().unwrap_or(usual).into());
}

/// What is known of the game besides the form: what was said before, then what a game file
/// beside the source says.
fn beside(source: &str, known: &Opening) -> GameFile {
    let said = known.said.clone().or(GameFile::beside(source).ok().flatten().unwrap_or_default());
    said.clone().with_colours_of_pieces().unwrap_or(said)
}

/// What the form says. A player without a name is called by the colour.
fn filled_in(window: &ui::AppWindow, known: &Opening) -> Opening {
    let adapter = window.global::<ui::StartAdapter>();
    let text = |s: SharedString| s.trim().to_owned();
    let word = |s: SharedString| Some(text(s)).filter(|s| !s.is_empty());
    // The form asks for two players; a game file may know of more.
    let more = beside(adapter.get_source().trim(), known).header();
    let (more_players, more_colours, first) =
        more.map_or_else(|_| Default::default(), |h| (h.players, h.colours, h.starts.index()));
    let mut colours = vec![text(adapter.get_first_colour()), text(adapter.get_second_colour())];
    let names = [adapter.get_first_name(), adapter.get_second_name()];
    let mut players: Vec<String> = names
        .into_iter()
        .zip(&colours)
        .map(|(name, colour)| word(name).unwrap_or_else(|| titled(colour)))
        .collect();
    players.extend(more_players.into_iter().skip(2));
    colours.extend(more_colours.into_iter().skip(2));
    let starts = match adapter.get_second_starts() {
        true => players.get(1),
        false if first >= 2 => players.get(first),
        false => players.first(),
    }
    .cloned();
    Opening {
        source: text(adapter.get_source()),
        said: GameFile {
            players,
            colours,
            starts,
            deck: word(adapter.get_deck()),
            wall: word(adapter.get_wall()),
            ..known.said.clone()
        },
        ..known.clone()
    }
}

/// Lists the cameras, in a thread of its own since a driver may be slow.
#[cfg(feature = "camera")]
fn list_cameras(window: &ui::AppWindow) {
    let weak = window.as_weak();
    std::thread::spawn(move || {
        let cameras = crate::capture::cameras().unwrap_or_else(|error| {
            tracing::info!("{error}");
            Vec::new()
        });
        // It only fails when the window is gone.
        let _ = weak.upgrade_in_event_loop(move |window| {
            let item = |c: crate::capture::CameraInfo| ui::CameraItem {
                source: format!("camera:{}", c.index).into(),
                name: c.name.into(),
            };
            let items: Vec<ui::CameraItem> = cameras.into_iter().map(item).collect();
            window.global::<ui::StartAdapter>().set_cameras(ModelRc::new(VecModel::from(items)));
        });
    });
}

#[cfg(not(feature = "camera"))]
fn list_cameras(_window: &ui::AppWindow) {}
