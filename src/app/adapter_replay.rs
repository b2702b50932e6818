//! The steps of a recorded game.

use slint::ComponentHandle;

use super::replay::Replay;
use super::shown::Shown;
use super::terms::Terms;
use super::ui;
use crate::rules::plain::{LONGEST_SENTENCE, shown as plain};

/// Shows which step of a record is seen; without a record the controls hide.
pub fn show(window: &ui::AppWindow, shown: &Shown) {
    let adapter = window.global::<ui::ReplayAdapter>();
    adapter.set_active(shown.replay.is_some());
    let Some((replay, step)) = shown.replay.as_ref().map(|(replay, step)| (replay, *step)) else { return };
    let over = replay.steps.last().is_none_or(|s| s.view.sheet.is_some());
    adapter.set_may_go_on(shown.replayed.is_some() && !over);
    adapter.set_steps(i32::try_from(replay.steps.len().saturating_sub(1)).unwrap_or(i32::MAX));
    adapter.set_step(i32::try_from(step).unwrap_or(i32::MAX));
    let caption = replay.steps.get(step).map_or_else(String::new, |s| Terms::of(window).sentence(&s.caption));
    adapter.set_caption(plain(&caption, LONGEST_SENTENCE).into());
}

/// The step for a request of the window, kept within the record.
pub fn wanted(replay: &Replay, step: i32) -> usize {
    usize::try_from(step).unwrap_or(0).min(replay.steps.len().saturating_sub(1))
}
