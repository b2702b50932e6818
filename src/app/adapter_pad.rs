//! A turn that is entered by hand.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image, SharedString};

use super::adapter_aids;
use super::adapter_board::{self, image};
use super::adapter_live::carry_out;
use super::board_picture::lying;
use super::command::Command;
use super::desk::Desk;
use super::models::refreshed;
use super::pad::{self, Left, Pad};
use super::shown::{Shown, desk, lock};
use super::terms::Terms;
use super::ui;
use crate::record::Game;
use crate::rules::plain::{LONGEST_NAME, LONGEST_SENTENCE, shown as plain};
use crate::rules::{Cell, Deck, Move, Phase, Rotation, Sentence, cell_name};

/// How large a tile of the list is drawn, in pixels.
const LIST_PX: u32 = 96;
/// How large the drawn tile and the places for figures are drawn, in pixels.
const TILE_PX: u32 = 192;

/// Shows what the turn waits for, where the game is entered by hand.
pub fn show(window: &ui::AppWindow, shown: &mut Shown, desk: Option<&Desk>) {
    let adapter = window.global::<ui::PadAdapter>();
    let Some(desk) = desk.filter(|desk| desk.is_by_hand()) else {
        shown.pad = None;
        adapter.set_stage(ui::PadStage::None);
        return;
    };
    let known = shown.pad.as_ref().is_some_and(|pad| pad.is_of(desk.events()));
    if !known {
        shown.pad = Some(Pad::of(desk.game(), desk.choices()));
    }
    let Some((pad, game)) = shown.pad.as_ref().and_then(|pad| Some((pad, pad.game()?))) else { return };
    let position = game.position();
    let name = plain(game.names().of(position.actor()), LONGEST_NAME);
    adapter.set_player(name.into());
    adapter.set_walled(shown.view.walled);
    let terms = Terms::of(window);
    let said = |sentence: Option<&Sentence>| sentence.map_or_else(String::new, |s| terms.sentence(s)).into();
    adapter.set_note(said(shown.view.turn_note.as_ref()));
    adapter.set_question(said(pad.choices().question.as_ref()));
    adapter.set_in_step(position.phase() == Phase::Step);
    let stage = match (position.phase(), pad.drawn()) {
        (Phase::Over, _) => ui::PadStage::None,
        (Phase::Follower | Phase::Step, _) => ui::PadStage::Figure,
        (Phase::Tile, Some(_)) => ui::PadStage::Place,
        (Phase::Tile, None) => ui::PadStage::Tile,
    };
    match stage {
        ui::PadStage::Tile => show_tiles(&adapter, shown, &game),
        ui::PadStage::Place => show_drawn(&adapter, shown, &game),
        ui::PadStage::Figure => show_choices(window, shown),
        ui::PadStage::None => {}
    }
    adapter.set_stage(stage);
}

/// The tiles that are left, with their pictures; the list is made anew only when it is
/// another.
fn show_tiles(adapter: &ui::PadAdapter<'_>, shown: &mut Shown, game: &Game) {
    let Shown { pad: Some(pad), painter: Some(painter), listed, .. } = shown else { return };
    let position = game.position();
    adapter.set_filter(pad.filter.as_str().into());
    let left = pad.tiles(position, painter.deck());
    if listed.as_ref() == Some(&left) {
        return;
    }
    let kinds: Vec<SharedString> =
        pad::kinds(painter.deck(), position).iter().map(SharedString::from).collect();
    adapter.set_kinds(refreshed(&adapter.get_kinds(), kinds));
    adapter.set_example(pad::example(painter.deck(), position).unwrap_or_default().into());
    let items: Vec<ui::TileItem> = left
        .iter()
        .map(|Left { tile, count }| {
            let id = position.tile_id(*tile).unwrap_or_default();
            let sides = pad::sides(painter.deck(), position, *tile).map(|kinds| kinds.join(" and "));
            let drawn = painter.paint_cell(&lying(id, Rotation::default()), &[], LIST_PX);
            ui::TileItem {
                tile: id.into(),
                left: i32::try_from(*count).unwrap_or(i32::MAX),
                picture: drawn.map_or_else(Image::default, |p| image(&p)),
                sides: sides.join(", ").into(),
            }
        })
        .collect();
    adapter.set_tiles(refreshed(&adapter.get_tiles(), items));
    *listed = Some(left);
}

/// The tile that was drawn, as it would lie.
fn show_drawn(adapter: &ui::PadAdapter<'_>, shown: &mut Shown, game: &Game) {
    let Shown { pad: Some(pad), painter: Some(painter), .. } = shown else { return };
    let id = pad.drawn().and_then(|tile| game.position().tile_id(tile)).unwrap_or_default();
    let placement = pad.placement();
    let rotation = placement.map_or_else(Rotation::default, |p| p.rotation);
    adapter.set_tile(id.into());
    adapter.set_turned(i32::from(rotation.quarters()) * 90);
    adapter.set_cell(placement.map_or_else(String::new, |p| cell_name(p.cell)).into());
    adapter.set_cells(i32::try_from(pad.cells().len()).unwrap_or(i32::MAX));
    let drawn = painter.paint_cell(&lying(id, rotation), &[], TILE_PX);
    adapter.set_picture(drawn.map_or_else(Image::default, |p| image(&p)));
}

/// What may be chosen after the tile is laid: a page of it.
fn show_choices(window: &ui::AppWindow, shown: &mut Shown) {
    let adapter = window.global::<ui::PadAdapter>();
    let Shown { pad: Some(pad), view, painter: Some(painter), .. } = shown else { return };
    let groups = pad.choices().places.iter().any(|place| place.group != pad.choices().places[0].group);
    let terms = Terms::of(window);
    let mut heading: Option<&Sentence> = None;
    let mut items = Vec::new();
    for (place, key) in pad.on_page().iter().zip(1u8..) {
        let drawn = place.on_tile.then(|| painter.paint_cell(&place.cell, &view.players, TILE_PX));
        let drawn = drawn.flatten();
        let first = groups && heading != Some(&place.group);
        heading = Some(&place.group);
        let heading = if first { plain(&terms.sentence(&place.group), LONGEST_NAME) } else { String::new() };
        let text = if groups { &place.place } else { &place.words };
        items.push(ui::ChoiceItem {
            key: key.to_string().into(),
            heading: heading.into(),
            text: plain(&terms.sentence(text), LONGEST_SENTENCE).into(),
            words: plain(&terms.sentence(&place.words), LONGEST_SENTENCE).into(),
            drawn: drawn.is_some(),
            picture: drawn.map_or_else(Image::default, |p| image(&p)),
        });
    }
    adapter.set_figures(refreshed(&adapter.get_figures(), items));
    let (page, pages) = pad.page();
    adapter.set_page(as_int(page));
    adapter.set_pages(as_int(pages));
    show_looked_at(window, pad);
}

/// Which of the choices is lit on the board.
fn show_looked_at(window: &ui::AppWindow, pad: &Pad) {
    let looked = pad.looked_at_on_page().map_or(-1, as_int);
    window.global::<ui::PadAdapter>().set_looked(looked);
    window.global::<ui::BoardAdapter>().set_looked(looked);
}

fn as_int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// What a key or a touch changes in a turn, with what was said.
type Act = fn(&mut Pad, &Game, &Deck, &SharedString);

/// Lets keys and touches reach the turn.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::PadAdapter>();
    // What only changes how the turn is put together.
    let change = |act: Act| {
        let (weak, of) = (window.as_weak(), Arc::clone(shown));
        move |said: SharedString| {
            let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return };
            let mut shown = lock(&of);
            if let Shown { pad: Some(pad), painter: Some(painter), .. } = &mut *shown
                && let Some(game) = pad.game()
            {
                act(pad, &game, painter.deck(), &said);
            }
            show(&window, &mut shown, Some(&desk));
            adapter_board::show(&window, &shown);
        }
    };
    adapter.on_filtered(change(|pad, _, _, words| pad.filter = words.to_string()));
    adapter.on_add_word(change(|pad, _, _, word| {
        pad.filter = format!("{} {word}", pad.filter).trim().to_owned();
    }));
    adapter.on_take(change(|pad, game, _, id| {
        if let Some(tile) = game.position().tile_index(id) {
            pad.draw(game.position(), tile);
        }
    }));
    // What nothing is said with.
    let change = |act: Act| {
        let change = change(act);
        move || change(SharedString::new())
    };
    adapter.on_take_first(change(|pad, game, deck, _| {
        if let Some(first) = pad.tiles(game.position(), deck).first() {
            pad.draw(game.position(), first.tile);
        }
    }));
    adapter.on_put_back(change(|pad, _, _, _| pad.put_back()));
    let [left, right] = [change(|pad, _, _, _| pad.step(-1, 0)), change(|pad, _, _, _| pad.step(1, 0))];
    let [up, down] = [change(|pad, _, _, _| pad.step(0, -1)), change(|pad, _, _, _| pad.step(0, 1))];
    adapter.on_step(move |x, y| match (x.signum(), y.signum()) {
        (-1, _) => left(),
        (1, _) => right(),
        (_, -1) => up(),
        _ => down(),
    });
    let [back, on] = [change(|pad, _, _, _| pad.turn(-1)), change(|pad, _, _, _| pad.turn(1))];
    adapter.on_turn(move |by| if by < 0 { back() } else { on() });

    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_lay(move || {
        let Some(window) = weak.upgrade() else { return };
        let played = lock(&of).pad.as_ref().and_then(|pad| pad.played(pad.game()?.position()));
        if let Some(played) = played {
            carry_out(&window, &of, &Command::Play(played));
        }
    });
    connect_choices(window, shown);
    let touched = |x: f32, y: f32| {
        let whole = |v: f32| v.floor().clamp(f32::from(i8::MIN), f32::from(i8::MAX)) as i8;
        Cell::new(whole(x), whole(y))
    };
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::BoardAdapter>().on_touch(move |x, y| {
        let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return };
        let mut shown = lock(&of);
        match &mut shown.pad {
            Some(pad) if pad.drawn().is_some() => pad.touch(touched(x, y)),
            _ => return adapter_aids::touch(&window, &mut shown, touched(x, y)),
        }
        show(&window, &mut shown, Some(&desk));
        adapter_board::show(&window, &shown);
    });
}

/// Lets keys and touches reach what may be chosen after the tile is laid.
fn connect_choices(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::PadAdapter>();
    let tell = |chosen: fn(&Pad, &str) -> Option<Move>| {
        let (weak, of) = (window.as_weak(), Arc::clone(shown));
        move |key: SharedString| {
            let Some(window) = weak.upgrade() else { return };
            let played = lock(&of).pad.as_ref().and_then(|pad| chosen(pad, &key));
            if let Some(played) = played {
                carry_out(&window, &of, &Command::Play(played));
            }
        }
    };
    let put = tell(|pad, key| Some(pad.chosen(key)?.played.clone()));
    adapter.on_put(put.clone());
    window.global::<ui::BoardAdapter>().on_choose(put);
    let put_looked_at = tell(|pad, _| Some(pad.looked_at()?.played.clone()));
    adapter.on_put_looked(move || put_looked_at(SharedString::new()));
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_end_turn(move || {
        if let Some(window) = weak.upgrade() {
            carry_out(&window, &of, &Command::EndTurn);
        }
    });
    // What is only lit: the digits on the board stay as they are on the same page.
    let look = |act: fn(&mut Pad, &str, i32)| {
        let (weak, of) = (window.as_weak(), Arc::clone(shown));
        move |key: &str, by: i32| {
            let Some(window) = weak.upgrade() else { return };
            let mut shown = lock(&of);
            let Some(pad) = &mut shown.pad else { return };
            let before = pad.page();
            act(pad, key, by);
            if before == pad.page() {
                show_looked_at(&window, pad);
                adapter_board::paint_again(&window);
            } else {
                show_choices(&window, &mut shown);
                adapter_board::show(&window, &shown);
            }
        }
    };
    let (look_on, look_at) = (look(|pad, _, by| pad.look(by)), look(|pad, key, _| pad.look_at(key)));
    let turn_page = look(|pad, _, by| pad.turn_page(by));
    adapter.on_look(move |by| look_on("", by));
    let look_at = move |key: SharedString| look_at(&key, 0);
    adapter.on_look_at(look_at.clone());
    window.global::<ui::BoardAdapter>().on_look_at(look_at);
    adapter.on_turn_page(move |by| turn_page("", by));
}
