//! The state line.

use slint::ComponentHandle;

use super::ui;
use crate::table::{GameView, Status};

/// Shows what the table is doing.
pub fn show(window: &ui::AppWindow, view: &GameView) {
    let adapter = window.global::<ui::StateAdapter>();
    let (state, sentence) = state(&view.status);
    adapter.set_state(state);
    adapter.set_sentence(sentence.into());
    adapter.set_turn(i32::try_from(view.turn).unwrap_or(i32::MAX));
    adapter.set_tiles_left(i32::try_from(view.tiles_left).unwrap_or(i32::MAX));
}

/// The state for the window and its sentence.
fn state(status: &Status) -> (ui::TableState, &str) {
    match status {
        Status::Playing => (ui::TableState::Playing, ""),
        Status::HandOverTable => (ui::TableState::HandOverTable, ""),
        Status::Doubt(sentence) => (ui::TableState::Doubt, sentence),
        Status::OutOfStep(sentence) => (ui::TableState::OutOfStep, sentence),
        Status::NoWall(sentence) => (ui::TableState::NoWall, sentence),
        Status::Finished => (ui::TableState::Finished, ""),
    }
}
