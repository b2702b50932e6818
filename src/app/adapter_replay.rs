//! The steps of a recorded game.

use slint::ComponentHandle;

use super::replay::Replay;
use super::ui;
use crate::rules::plain::{LONGEST_SENTENCE, shown};

/// Shows which step of a record is seen; without a record the controls hide.
pub fn show(window: &ui::AppWindow, replay: Option<(&Replay, usize)>) {
    let adapter = window.global::<ui::ReplayAdapter>();
    adapter.set_active(replay.is_some());
    let Some((replay, step)) = replay else { return };
    adapter.set_steps(i32::try_from(replay.steps.len().saturating_sub(1)).unwrap_or(i32::MAX));
    adapter.set_step(i32::try_from(step).unwrap_or(i32::MAX));
    let caption = replay.steps.get(step).map_or("", |s| s.caption.as_str());
    adapter.set_caption(shown(caption, LONGEST_SENTENCE).into());
}

/// The step for a request of the window, kept within the record.
pub fn wanted(replay: &Replay, step: i32) -> usize {
    usize::try_from(step).unwrap_or(0).min(replay.steps.len().saturating_sub(1))
}
