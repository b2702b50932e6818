//! What the camera did not see, told by people.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image};

use super::adapter_live::carry_out;
use super::command::Command;
use super::models::refreshed;
use super::shown::{Shown, desk, lock};
use super::terms::Terms;
use super::ui;
use crate::rules::plain::{LONGEST_SENTENCE, shown as plain};

/// Lets what is told reach the game.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::EnterAdapter>();
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_begin(move || {
        let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return };
        let mut shown = lock(&of);
        shown.unseen = Some(desk.unseen());
        show(&window, &shown);
        window.global::<ui::EnterAdapter>().set_problem("".into());
    });
    let tell = |command: fn(&str, &Shown) -> Option<Command>| {
        let (weak, of) = (window.as_weak(), Arc::clone(shown));
        move |told: slint::SharedString| {
            let command = command(&told, &lock(&of));
            let (Some(window), Some(command)) = (weak.upgrade(), command) else { return false };
            let done = carry_out(&window, &of, &command);
            let state = window.global::<ui::StateAdapter>();
            if !done {
                window.global::<ui::EnterAdapter>().set_problem(state.get_notice());
                state.set_notice("".into());
            }
            done
        }
    };
    adapter.on_answer(tell(|key, shown| Some(Command::Unseen(shown.unseen.clone()?, key.parse().ok()?))));
    adapter.on_write(tell(|moves, _| Some(Command::Enter(moves.to_owned()))));
}

/// Shows what can be told, in the language of the window.
pub fn show(window: &ui::AppWindow, shown: &Shown) {
    let Some(unseen) = &shown.unseen else { return };
    let terms = Terms::of(window);
    let items = unseen.answers.iter().map(|answer| ui::AnswerItem {
        key: answer.key.to_string().into(),
        words: plain(&terms.sentence(&answer.words), LONGEST_SENTENCE).into(),
        drawn: false,
        picture: Image::default(),
    });
    let adapter = window.global::<ui::EnterAdapter>();
    adapter.set_answers(refreshed(&adapter.get_answers(), items));
}
