//! The form that is seen while no game is open.

use slint::{ComponentHandle, ModelRc, SharedString, VecModel};

use super::setup::Setup;
use super::ui;

/// The colours that wooden figures come in.
const COLOURS: [&str; 9] = ["black", "blue", "brown", "green", "orange", "purple", "red", "tan", "yellow"];

/// Fills the form in.
pub fn show(window: &ui::AppWindow, setup: &Setup) {
    let adapter = window.global::<ui::StartAdapter>();
    let colours = COLOURS.into_iter().map(str::to_owned);
    let others = setup.colours.iter().filter(|c| !COLOURS.contains(&c.as_str())).cloned();
    let colours: Vec<SharedString> = colours.chain(others).map(SharedString::from).collect();
    adapter.set_colours(ModelRc::new(VecModel::from(colours)));
    adapter.set_source(setup.source.as_str().into());
    adapter.set_deck(setup.deck.as_str().into());
    adapter.set_wall(setup.wall.as_str().into());
    adapter.set_first_name(setup.players[0].as_str().into());
    adapter.set_second_name(setup.players[1].as_str().into());
    adapter.set_first_colour(setup.colours[0].as_str().into());
    adapter.set_second_colour(setup.colours[1].as_str().into());
}

/// Calls `open` with what the form says when it is sent off.
pub fn connect(window: &ui::AppWindow, open: impl Fn(&ui::AppWindow, Setup) + 'static) {
    let weak = window.as_weak();
    window.global::<ui::StartAdapter>().on_start(move || {
        if let Some(window) = weak.upgrade() {
            let setup = filled_in(&window);
            open(&window, setup);
        }
    });
}

/// Says what went wrong, or nothing with an empty sentence.
pub fn problem(window: &ui::AppWindow, sentence: &str) {
    window.global::<ui::StartAdapter>().set_problem(sentence.into());
}

fn filled_in(window: &ui::AppWindow) -> Setup {
    let adapter = window.global::<ui::StartAdapter>();
    let text = |s: SharedString| s.trim().to_owned();
    Setup {
        source: text(adapter.get_source()),
        deck: text(adapter.get_deck()),
        wall: text(adapter.get_wall()),
        players: [text(adapter.get_first_name()), text(adapter.get_second_name())],
        colours: [text(adapter.get_first_colour()), text(adapter.get_second_colour())],
    }
}
