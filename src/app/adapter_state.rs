//! The state line.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use slint::ComponentHandle;

use super::desk::Feed;
use super::shown::{Shown, lock};
use super::terms::Terms;
use super::{adapter_players, chime, ui};
use crate::rules::Sentence;
use crate::rules::plain::{LONGEST_SENTENCE, shown};
use crate::table::{GameView, Status};

/// Shows what the table is doing.
pub fn show(window: &ui::AppWindow, view: &GameView, feed: &Feed) {
    let adapter = window.global::<ui::StateAdapter>();
    let terms = Terms::of(window);
    let (state, mut sentence) = state(&view.status, feed);
    if let (ui::TableState::Playing | ui::TableState::HandOverTable, Some(lag)) = (state, &view.lag) {
        sentence = lag.sentence.clone();
    }
    let why = view.unread.as_ref().map_or_else(String::new, |why| terms.sentence(why));
    adapter.set_why(shown(&why, LONGEST_SENTENCE).into());
    adapter.set_unwatched(matches!(feed, Feed::ByHand { has_source: true }));
    adapter.set_state(state);
    adapter.set_sentence(shown(&terms.sentence(&sentence), LONGEST_SENTENCE).into());
    adapter.set_turn(i32::try_from(view.turn).unwrap_or(i32::MAX));
    adapter.set_tiles_left(i32::try_from(view.tiles_left).unwrap_or(i32::MAX));
}

/// Shows how long ago the table was read.
pub fn show_lamp(window: &ui::AppWindow, shown: &Shown) {
    let seconds = shown
        .read
        .filter(|_| shown.live.is_some() && shown.view.sheet.is_none())
        .map(|read| read.elapsed().as_secs());
    let seconds = seconds.map_or(-1, |s| i32::try_from(s).unwrap_or(i32::MAX));
    window.global::<ui::StateAdapter>().set_last_read(seconds);
}

/// Makes a sound where something needs a look and the players want one.
pub fn ring(window: &ui::AppWindow, shown: &mut Shown) {
    let needs = if shown.live.is_some() {
        chime::needs(&shown.view, &shown.feed, state(&shown.view.status, &shown.feed).0)
    } else {
        Vec::new()
    };
    let adapter = window.global::<ui::AidsAdapter>();
    if shown.chime.rings(&needs, Instant::now()) && adapter.get_sound() {
        adapter.invoke_ring();
    }
}

/// Keeps the lamp and the players' clocks right, and makes a sound once something has needed a look for a while.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let (weak, shown) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::StateAdapter>().on_tick(move || {
        if let Some(window) = weak.upgrade() {
            show_lamp(&window, &lock(&shown));
            adapter_players::show_clocks(&window, &lock(&shown));
            ring(&window, &mut lock(&shown));
        }
    });
}

/// The state for the window and its sentence. A record that is not written goes
/// before all, then the end of the game, then what keeps the table from being
/// seen.
fn state(status: &Status, feed: &Feed) -> (ui::TableState, Sentence) {
    match (feed, status) {
        (Feed::NotRecorded(sentence), _) => (ui::TableState::NotRecorded, sentence.clone()),
        (_, Status::Finished) => (ui::TableState::Finished, Sentence::default()),
        (Feed::NoPicture(sentence), _) => (ui::TableState::NoPicture, sentence.clone()),
        (Feed::ByHand { .. }, _) => (ui::TableState::ByHand, Sentence::default()),
        (Feed::Paused, _) => (ui::TableState::Paused, Sentence::default()),
        (Feed::Ended, _) => (ui::TableState::Ended, Sentence::default()),
        (Feed::Running, Status::Playing) => (ui::TableState::Playing, Sentence::default()),
        (Feed::Running, Status::HandOverTable) => (ui::TableState::HandOverTable, Sentence::default()),
        (Feed::Running, Status::Doubt(sentence)) => (ui::TableState::Doubt, sentence.clone()),
        (Feed::Running, Status::OutOfStep(sentence)) => (ui::TableState::OutOfStep, sentence.clone()),
        (Feed::Running, Status::TilesGone(sentence)) => (ui::TableState::TilesGone, sentence.clone()),
        (Feed::Running, Status::NoBoard(sentence)) => (ui::TableState::NoBoard, sentence.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_record_is_said_even_of_a_finished_game_and_a_lost_camera_is_not() {
        let lost = Feed::NotRecorded("the disk is full".to_owned().into());
        assert_eq!(state(&Status::Finished, &lost).0, ui::TableState::NotRecorded);
        let dark = Feed::NoPicture("camera 0 went away".to_owned().into());
        assert_eq!(state(&Status::Finished, &dark).0, ui::TableState::Finished);
        let doubt = Status::Doubt("what is this?".to_owned().into());
        assert_eq!(state(&doubt, &dark).0, ui::TableState::NoPicture);
    }
}
