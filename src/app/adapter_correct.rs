//! The form in which a turn is corrected.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image, SharedString};

use super::adapter_board::image;
use super::adapter_live::{carry_out, photo};
use super::adapter_players::colour;
use super::board_picture::BoardPainter;
use super::command::Command;
use super::correcting::Correcting;
use super::desk::Desk;
use super::models::refreshed;
use super::shown::{Shown, desk, lock};
use super::terms::Terms;
use super::ui;
use crate::record::{EventKind, Game, TurnFacts};
use crate::rules::cell_name;
use crate::rules::plain::{LONGEST_SENTENCE, shown as plain};
use crate::table::CellView;

/// How large the turn's tile is drawn, in pixels.
const TILE_PX: u32 = 256;

/// Lets the form's keys reach the correction.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::CorrectAdapter>();
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_begin(move || {
        let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return false };
        let game = desk.game();
        let cell = {
            let shown = lock(&of);
            let question = || shown.view.questions.get(shown.question).and_then(|q| q.cell);
            shown.disputing.as_ref().map_or_else(question, |d| d.view.cell)
        };
        let Some(correcting) = Correcting::of(&game, cell) else { return false };
        lock(&of).correcting = Some(correcting);
        show_again(&window, &of, &desk);
        true
    });
    let act = |act: fn(&mut Correcting, &Game, &mut Shown, i32)| {
        let (weak, of) = (window.as_weak(), Arc::clone(shown));
        move |by: i32| {
            let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return };
            let game = desk.game();
            {
                let mut shown = lock(&of);
                let Some(mut correcting) = shown.correcting.take() else { return };
                act(&mut correcting, &game, &mut shown, by);
                shown.correcting = Some(correcting);
            }
            show(&window, &of, &desk);
        }
    };
    adapter.on_select(act(|c, _, _, by| c.step(by)));
    adapter.on_choose(act(|c, _, _, row| c.choose(c.turns().len().saturating_sub(1 + row.max(0) as usize))));
    adapter.on_step_tile(act(|c, game, shown, by| {
        if let Some(painter) = &shown.painter {
            c.step_tile(by, game, painter.deck());
        }
    }));
    adapter.on_step_figure(act(|c, _, shown, by| {
        if let Some(painter) = &shown.painter {
            c.step_figure(by, painter.deck());
        }
    }));
    let turn = act(|c, _, _, _| c.turn_tile());
    adapter.on_turn_tile(move || turn(1));
    let player = act(|c, game, _, _| c.step_player(game));
    adapter.on_step_player(move || player(1));
    let across = act(|c, _, _, by| c.move_tile(by as i8, 0));
    let down = act(|c, _, _, by| c.move_tile(0, by as i8));
    adapter.on_move_tile(move |x, y| if x == 0 { down(y) } else { across(x) });

    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_write(move |moves| {
        let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return };
        if let Some(correcting) = &mut lock(&of).correcting {
            let written = correcting.turns().get(correcting.at()).map(|t| t.moves.clone());
            let moves = moves.trim().to_owned();
            correcting.moves = (!moves.is_empty() && Some(&moves) != written.as_ref()).then_some(moves);
        }
        show(&window, &of, &desk);
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    let take = move || {
        let Some(window) = weak.upgrade() else { return };
        let correcting = lock(&of).correcting.take();
        let change = correcting.and_then(|c| Some((c.change()?, c.turns().get(c.at())?.clone())));
        if let Some((change, turn)) = change {
            let command = if lock(&of).disputing.is_some() {
                let words = window.global::<ui::DisputeAdapter>().get_words();
                Command::Rule(turn, Some(change), words.trim().to_owned())
            } else {
                Command::Correct(change, turn)
            };
            carry_out(&window, &of, &command);
        }
    };
    adapter.on_take(take.clone());
    let of = Arc::clone(shown);
    adapter.on_delete(move || {
        if let Some(correcting) = &mut lock(&of).correcting {
            correcting.deleted = true;
        }
        take();
    });
    let of = Arc::clone(shown);
    adapter.on_close(move || lock(&of).correcting = None);
}

/// Shows the form with its list of turns, in the language of the window.
pub fn show_again(window: &ui::AppWindow, shown: &Mutex<Shown>, desk: &Desk) {
    let game = desk.game();
    {
        let shown = lock(shown);
        let Some(correcting) = &shown.correcting else { return };
        let adapter = window.global::<ui::CorrectAdapter>();
        let items = items(&game, correcting.turns(), &Terms::of(window));
        adapter.set_turns(refreshed(&adapter.get_turns(), items));
    }
    show(window, shown, desk);
}

/// The turns, the newest on top.
fn items(game: &Game, turns: &[TurnFacts], terms: &Terms<'_>) -> Vec<ui::TurnItem> {
    let words = |turn: &TurnFacts| {
        let told: Vec<String> = turn
            .facts
            .iter()
            .filter(|(_, kind)| !matches!(kind, EventKind::TurnEnded { .. }))
            .map(|(_, kind)| terms.sentence(&game.wording().told(kind)))
            .collect();
        ui::TurnItem {
            turn: i32::try_from(turn.turn).unwrap_or(i32::MAX),
            words: plain(&told.join("; "), LONGEST_SENTENCE).into(),
        }
    };
    turns.iter().rev().map(words).collect()
}

/// Shows the turn that is chosen, as it is taken for, and what that changes.
fn show(window: &ui::AppWindow, shown: &Mutex<Shown>, desk: &Desk) {
    let adapter = window.global::<ui::CorrectAdapter>();
    let Some(correcting) = lock(shown).correcting.clone() else { return };
    let row = correcting.turns().len().saturating_sub(1 + correcting.at());
    adapter.set_selected(i32::try_from(row).unwrap_or(0));
    adapter.set_there(correcting.now.is_some());
    adapter.set_changed(false);
    adapter.set_problem(SharedString::new());
    let terms = Terms::of(window);
    let mut lines = Vec::new();
    let mut lies = None;
    match correcting.change().map(|change| desk.preview(&change)) {
        Some(Ok((told, cell))) => {
            (lines, lies) = (told, cell);
            adapter.set_changed(true);
        }
        Some(Err(why)) => adapter.set_problem(plain(&terms.sentence(&why), LONGEST_SENTENCE).into()),
        None => {}
    }
    let lines: Vec<SharedString> =
        lines.iter().map(|l| plain(&terms.sentence(l), LONGEST_SENTENCE).into()).collect();
    adapter.set_preview(refreshed(&adapter.get_preview(), lines));
    let turn = correcting.turns().get(correcting.at());
    if correcting.moves.is_none() {
        adapter.set_moves(turn.map_or("", |t| &t.moves).into());
    }
    let Some(now) = &correcting.now else { return };
    let seen = desk.look_at(now.cell);
    let mut shown = lock(shown);
    let Shown { view, painter, .. } = &mut *shown;
    let lies =
        lies.or_else(|| view.cells.iter().find(|c| c.cell == now.cell && !correcting.is_changed()).cloned());
    let lies = lies.unwrap_or_else(|| CellView {
        cell: now.cell,
        tile: now.tile.clone(),
        rotation: now.rotation,
        figures: Vec::new(),
        confidence: 1.0,
        fresh: false,
    });
    let drawn = painter.as_mut().and_then(|p| p.paint_cell(&lies, &view.players, TILE_PX));
    adapter.set_picture(drawn.map_or_else(Image::default, |p| image(&p)));
    adapter.set_is_seen(seen.is_some());
    adapter.set_seen(seen.as_ref().map_or_else(Image::default, photo));
    adapter.set_tile(now.tile.as_str().into());
    adapter.set_cell(cell_name(now.cell).into());
    adapter.set_turned(i32::from(now.rotation.quarters()) * 90);
    let player = view.players.get(now.player.index());
    adapter.set_player(player.map_or("", |p| p.name.as_str()).into());
    adapter.set_colour(player.map_or_else(slint::Color::default, |p| colour(p.colour_rgb)));
    let deck = painter.as_ref().map(BoardPainter::deck);
    let face = deck.and_then(|d| d.tiles.iter().find(|t| t.id == now.tile)).and_then(|t| t.face.as_ref());
    let on = |segment: u8| face.and_then(|f| f.segments().get(usize::from(segment))).map(|s| s.kind.name());
    let figure = now.figure.map(|(kind, segment)| (kind.word(), on(segment)));
    adapter.set_figure(Terms::of(window).figure_on(figure).into());
}
