//! Brings the window up to date with what is shown.

use std::sync::Mutex;

use super::shown::{Shown, desk, lock};
use super::{
    adapter_aids, adapter_board, adapter_correct, adapter_dispute, adapter_enter, adapter_live, adapter_pad,
    adapter_page, adapter_players, adapter_question, adapter_replay, adapter_scores, adapter_sheet,
    adapter_start, adapter_state, ui,
};

/// Shows what has come to the desk.
pub fn fetch(window: &ui::AppWindow, shown: &Mutex<Shown>) {
    let changed = {
        let mut shown = lock(shown);
        adapter_live::keep_in_sight(window, &shown);
        let Some(news) = shown.live.as_ref().map(|l| l.desk.fetch()) else { return };
        if let Some(picture) = &news.picture {
            adapter_live::show_picture(window, picture);
        }
        shown.take(news)
    };
    if changed {
        refresh(window, shown);
    }
    adapter_state::ring(window, &mut lock(shown));
}

/// Brings the whole window up to date with what is shown.
pub fn refresh(window: &ui::AppWindow, shown: &Mutex<Shown>) {
    let desk = desk(shown);
    let mut shown = lock(shown);
    adapter_aids::show(window, &mut shown, desk.as_deref());
    adapter_players::show(window, &shown);
    adapter_scores::show(window, &shown.view, shown.selected);
    adapter_sheet::show(window, &shown);
    adapter_pad::show(window, &mut shown, desk.as_deref());
    adapter_board::show(window, &shown);
    adapter_question::show(window, &mut shown);
    adapter_state::show(window, &shown.view, &shown.feed);
    adapter_state::show_lamp(window, &shown);
    adapter_live::show(window, &shown);
    adapter_replay::show(window, &shown);
    adapter_page::show(window, &mut shown);
}

/// Brings the window up to date, with the forms that are open, once it speaks another language.
pub fn in_its_language(window: &ui::AppWindow, shown: &Mutex<Shown>) {
    refresh(window, shown);
    adapter_start::show_again(window, &lock(shown));
    adapter_enter::show(window, &lock(shown));
    if let Some(desk) = desk(shown) {
        adapter_correct::show_again(window, shown, &desk);
        adapter_dispute::show_again(window, shown, &desk);
    }
}

/// Shows a step of the open record. The chosen score is let go: it may not
/// have happened yet.
pub fn go_to(window: &ui::AppWindow, shown: &Mutex<Shown>, step: usize) {
    {
        let mut shown = lock(shown);
        let Shown { replay: Some((replay, now)), view, selected, sheet_item, .. } = &mut *shown else {
            return;
        };
        let Some(there) = replay.steps.get(step) else { return };
        *now = step;
        *view = there.view.clone();
        (*selected, *sheet_item) = (None, None);
    }
    refresh(window, shown);
}
