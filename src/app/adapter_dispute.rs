//! A turn that players disagree about.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image, SharedString};

use super::adapter_board::{self, image};
use super::adapter_live::{carry_out, photo};
use super::command::Command;
use super::desk::Desk;
use super::models::refreshed;
use super::shown::{Disputing, Shown, desk, lock};
use super::terms::Terms;
use super::ui;
use crate::rules::plain::{LONGEST_SENTENCE, shown as plain};
use crate::table::{CellView, CountView, DisputeView};

/// How large the turn's tile is drawn, in pixels.
const TILE_PX: u32 = 256;

/// Lets the keys reach the dispute.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::DisputeAdapter>();
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_begin(move || {
        let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return false };
        let game = desk.game();
        let turns: Vec<u32> = game.turns().iter().map(|t| t.turn).collect();
        let wanted = {
            let shown = lock(&of);
            let cell = shown.view.questions.get(shown.question).and_then(|q| q.cell);
            let score = shown.selected.and_then(|i| shown.view.scores.get(i)).map(|s| s.turn);
            score.or_else(|| desk.turn_of(cell?)).filter(|turn| turns.contains(turn))
        };
        // The newest turn is begun, at most: what is disputed is mostly the one that is over.
        let Some(turn) = wanted.or(turns.last().copied()) else { return false };
        desk.freeze(true);
        window.global::<ui::DisputeAdapter>().set_words(SharedString::new());
        take_up(&window, &of, &desk, turn)
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_go_turn(move |by| {
        let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return };
        let turn = lock(&of).disputing.as_ref().map(|d| d.view.facts.turn);
        let to = turn.and_then(|turn| turn.checked_add_signed(by)).filter(|to| *to >= 1);
        if let Some(to) = to {
            take_up(&window, &of, &desk, to);
        }
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_light(move |by| {
        let Some(window) = weak.upgrade() else { return };
        let mut shown = lock(&of);
        let Some(disputing) = &mut shown.disputing else { return };
        let count = disputing.view.counts.len().max(1) as i64;
        disputing.lit = (disputing.lit as i64 + i64::from(by)).rem_euclid(count) as usize;
        window.global::<ui::DisputeAdapter>().set_lit(disputing.lit as i32);
        adapter_board::show(&window, &shown);
    });
    let rule = |change: fn(&DisputeView) -> Option<Option<crate::record::Change>>| {
        let (weak, of) = (window.as_weak(), Arc::clone(shown));
        move || {
            let Some(window) = weak.upgrade() else { return };
            let view = lock(&of).disputing.as_ref().map(|d| d.view.clone());
            let Some((view, change)) = view.and_then(|v| change(&v).map(|change| (v, change))) else {
                return;
            };
            let words = window.global::<ui::DisputeAdapter>().get_words();
            carry_out(&window, &of, &Command::Rule(view.facts, change, words.trim().to_owned()));
        }
    };
    adapter.on_stands(rule(|_| Some(None)));
    adapter.on_take_seen(rule(|view| view.as_seen.clone().map(Some)));
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_close(move || {
        let Some(window) = weak.upgrade() else { return };
        if let Some(desk) = desk(&of) {
            desk.freeze(false);
        }
        let mut shown = lock(&of);
        shown.disputing = None;
        adapter_board::show(&window, &shown);
    });
}

/// Shows the turn that is disputed in the language of the window.
pub fn show_again(window: &ui::AppWindow, shown: &Mutex<Shown>, desk: &Desk) {
    let turn = lock(shown).disputing.as_ref().map(|disputing| disputing.view.facts.turn);
    if let Some(turn) = turn {
        take_up(window, shown, desk, turn);
    }
}

/// Looks at a turn; whether there is such a one.
fn take_up(window: &ui::AppWindow, shown: &Mutex<Shown>, desk: &Desk, turn: u32) -> bool {
    let Some(view) = desk.dispute(turn) else { return false };
    let [before, after] = desk.pictures(&view.pictures);
    let now = view.cell.and_then(|cell| desk.look_at(cell));
    let (adapter, terms) = (window.global::<ui::DisputeAdapter>(), Terms::of(window));
    adapter.set_turn(i32::try_from(turn).unwrap_or(i32::MAX));
    adapter.set_told(plain(&terms.sentences(&view.told), LONGEST_SENTENCE).into());
    adapter.set_has_before(before.is_some());
    adapter.set_before(before.as_ref().map_or_else(Image::default, photo));
    adapter.set_has_after(after.is_some());
    adapter.set_after(after.as_ref().map_or_else(Image::default, photo));
    adapter.set_has_now(now.is_some());
    adapter.set_now(now.as_ref().map_or_else(Image::default, photo));
    adapter.set_recorded_words(plain(&terms.sentence(&view.recorded_words), LONGEST_SENTENCE).into());
    adapter.set_seen_words(plain(&terms.sentence(&view.seen_words), LONGEST_SENTENCE).into());
    adapter.set_may_take_seen(view.as_seen.is_some());
    let mut shown = lock(shown);
    let in_words = |count: &CountView| match &count.score {
        Some(score) => terms.reason(&shown.view, score),
        None => terms.sentence(&count.words),
    };
    let counts: Vec<SharedString> =
        view.counts.iter().map(|count| plain(&in_words(count), LONGEST_SENTENCE).into()).collect();
    adapter.set_counts(refreshed(&adapter.get_counts(), counts));
    adapter.set_lit(0);
    let rules = view.rules.iter().map(|rule| ui::RuleItem {
        id: rule.id.as_str().into(),
        title: terms.rule(&rule.title).into(),
        text: terms.rule(&rule.text).into(),
        here: plain(&terms.sentences(&rule.here), LONGEST_SENTENCE).into(),
    });
    adapter.set_rules(refreshed(&adapter.get_rules(), rules));
    let drawn = |shown: &mut Shown, cell: Option<&CellView>| {
        let Shown { view, painter, .. } = shown;
        painter.as_mut().and_then(|p| p.paint_cell(cell?, &view.players, TILE_PX)).map(|p| image(&p))
    };
    let (recorded, seen) = (drawn(&mut shown, view.recorded.as_ref()), drawn(&mut shown, view.seen.as_ref()));
    adapter.set_has_recorded(recorded.is_some());
    adapter.set_recorded(recorded.unwrap_or_default());
    adapter.set_has_seen(seen.is_some());
    adapter.set_seen(seen.unwrap_or_default());
    shown.disputing = Some(Disputing { view, lit: 0 });
    adapter_board::show(window, &shown);
    true
}
