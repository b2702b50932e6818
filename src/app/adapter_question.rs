//! What the table asks, with the answers that can be given.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image};

use super::adapter_board::image;
use super::adapter_live::{carry_out, photo};
use super::command::Command;
use super::models::refreshed;
use super::shown::{Shown, lock};
use super::terms::Terms;
use super::ui;
use crate::rules::cell_name;
use crate::rules::plain::{LONGEST_SENTENCE, shown as plain};
use crate::table::{Asks, GameView, QuestionView};

/// How large the cell of an answer is drawn, in pixels: sharp on a large screen too.
const ANSWER_PX: u32 = 128;

/// Shows the question that is up, if there is one.
pub fn show(window: &ui::AppWindow, shown: &mut Shown) {
    let adapter = window.global::<ui::QuestionAdapter>();
    let there = shown.live.is_some() && !shown.view.questions.is_empty();
    adapter.set_there(there);
    window.global::<ui::StateAdapter>().set_asked_beside(there);
    if !there {
        return;
    }
    let Shown { view, asked, question, painter, .. } = shown;
    let Some(up) = view.questions.get(*question) else { return };
    let seen = asked.get(*question);
    let as_int = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    adapter.set_count(as_int(view.questions.len()));
    adapter.set_index(as_int(*question));
    let terms = Terms::of(window);
    adapter.set_sentence(plain(&terms.sentence(&up.sentence), LONGEST_SENTENCE).into());
    let (kind, player, place) = asks(view, up);
    adapter.set_kind(kind);
    adapter.set_player(plain(&player, LONGEST_SENTENCE).into());
    adapter.set_place(place.into());
    adapter.set_may_stand(up.may_stand);
    let picture = seen.and_then(|a| a.seen.as_ref());
    adapter.set_is_seen(picture.is_some());
    adapter.set_seen(picture.map_or_else(Image::default, photo));
    let answers = up.answers.iter().enumerate().map(|(i, answer)| {
        let cell = seen.and_then(|a| a.answers.get(i)?.as_ref());
        let drawn = cell.zip(painter.as_mut()).and_then(|(c, p)| p.paint_cell(c, &view.players, ANSWER_PX));
        ui::AnswerItem {
            key: answer.key.to_string().into(),
            words: plain(&terms.sentence(&answer.words), LONGEST_SENTENCE).into(),
            drawn: drawn.is_some(),
            picture: drawn.map_or_else(Image::default, |p| image(&p)),
        }
    });
    adapter.set_answers(refreshed(&adapter.get_answers(), answers));
}

/// What it asks, with the player and the place that it is about; what is not one of the usual
/// questions is said in its sentence.
fn asks(view: &GameView, question: &QuestionView) -> (ui::QuestionKind, String, String) {
    let name = |player: usize| view.players.get(player).map_or_else(String::new, |p| p.name.clone());
    let cell = question.cell.map(cell_name);
    let none = String::new;
    let (kind, player, place) = match question.asks {
        Asks::WallTile(taken) => {
            let tower = format!("{}/{}", taken.tower, taken.tower.saturating_add(1));
            (ui::QuestionKind::WallTile, name(taken.player), Some(tower))
        }
        Asks::Marker { player } => {
            let space = view.players.get(player).map(|p| p.marker_space.to_string());
            (ui::QuestionKind::Marker, name(player), space)
        }
        Asks::Gone { .. } => (ui::QuestionKind::Gone, none(), Some(none())),
        Asks::Said => (ui::QuestionKind::Said, none(), Some(none())),
        Asks::NewTile => (ui::QuestionKind::NewTile, none(), cell),
        Asks::Reread => (ui::QuestionKind::Reread, none(), cell),
        Asks::What if question.answers.len() > 1 => (ui::QuestionKind::WhatIsIn, none(), cell),
        Asks::What => (ui::QuestionKind::Said, none(), cell),
        Asks::Order => (ui::QuestionKind::Order, none(), cell),
        Asks::Against => (ui::QuestionKind::Against, none(), cell),
        Asks::Follower { player } => (ui::QuestionKind::Follower, name(player), cell),
        Asks::Lingering { player } => (ui::QuestionKind::Lingering, name(player), cell),
        Asks::Missed => (ui::QuestionKind::Missed, none(), cell),
        Asks::WhoLaid => (ui::QuestionKind::WhoLaid, none(), cell),
    };
    // Without its place a headline says nothing.
    place.map_or((ui::QuestionKind::Said, none(), none()), |place| (kind, player, place))
}

/// Lets answers reach the game.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::QuestionAdapter>();
    let up = |shown: &Mutex<Shown>| -> Option<QuestionView> {
        let shown = lock(shown);
        shown.view.questions.get(shown.question).cloned()
    };
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_answer(move |key| {
        if let (Some(window), Some(up), Ok(key)) = (weak.upgrade(), up(&of), key.parse()) {
            carry_out(&window, &of, &Command::Answer(up, key));
        }
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_leave(move || {
        if let (Some(window), Some(up)) = (weak.upgrade(), up(&of)) {
            carry_out(&window, &of, &Command::Leave(up));
        }
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_step(move |by| {
        let Some(window) = weak.upgrade() else { return };
        let mut shown = lock(&of);
        let count = shown.view.questions.len() as i64;
        let to = (shown.question as i64 + i64::from(by)).rem_euclid(count.max(1));
        shown.question = usize::try_from(to).unwrap_or(0);
        show(&window, &mut shown);
    });
}
