//! A turn that is entered by hand.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image, ModelRc, SharedString, VecModel};

use super::adapter_board::{self, image};
use super::adapter_live::carry_out;
use super::command::Command;
use super::desk::Desk;
use super::pad::{self, Left, Pad};
use super::shown::{Shown, desk, lock};
use super::ui;
use crate::record::Game;
use crate::rules::plain::{LONGEST_NAME, LONGEST_SENTENCE, shown as plain};
use crate::rules::{Cell, Deck, Phase, Rotation, cell_name};
use crate::table::CellView;

/// How large a tile of the list is drawn, in pixels.
const LIST_PX: u32 = 96;
/// How large the drawn tile and the places for figures are drawn, in pixels.
const TILE_PX: u32 = 192;

/// Shows what the turn waits for, where the game is entered by hand.
pub fn show(window: &ui::AppWindow, shown: &mut Shown, desk: Option<&Desk>) {
    let adapter = window.global::<ui::PadAdapter>();
    let by_hand = desk.filter(|desk| desk.is_by_hand());
    let Some(desk) = by_hand else {
        shown.pad = None;
        shown.places.clear();
        adapter.set_stage(ui::PadStage::None);
        return;
    };
    let game = desk.game();
    let position = game.position();
    let pad = shown.pad.get_or_insert_with(Pad::default);
    pad.follow(&game);
    shown.places = desk.places();
    let name = plain(game.names().of(position.actor()), LONGEST_NAME);
    adapter.set_player(name.into());
    let stage = match (position.phase(), pad.drawn()) {
        (Phase::Over, _) => ui::PadStage::None,
        (Phase::Follower | Phase::Step, _) => ui::PadStage::Figure,
        (Phase::Tile, Some(_)) => ui::PadStage::Place,
        (Phase::Tile, None) => ui::PadStage::Tile,
    };
    match stage {
        ui::PadStage::Tile => show_tiles(&adapter, shown, &game),
        ui::PadStage::Place => show_drawn(&adapter, shown, &game),
        ui::PadStage::Figure => show_places(&adapter, shown),
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
    adapter.set_kinds(ModelRc::new(VecModel::from(kinds)));
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
    adapter.set_tiles(ModelRc::new(VecModel::from(items)));
    *listed = Some(left);
}

/// A tile that lies nowhere yet.
fn lying(id: &str, rotation: Rotation) -> CellView {
    let cell = Cell::new(0, 0);
    CellView { cell, tile: id.to_owned(), rotation, figures: Vec::new(), confidence: 1.0, fresh: false }
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

/// Where a figure may be put.
fn show_places(adapter: &ui::PadAdapter<'_>, shown: &mut Shown) {
    let Shown { places, view, painter: Some(painter), .. } = shown else { return };
    let items = places.iter().zip(1..).map(|(place, key): (_, u8)| {
        let drawn = painter.paint_cell(&place.cell, &view.players, TILE_PX);
        ui::AnswerItem {
            key: key.to_string().into(),
            words: plain(&place.words, LONGEST_SENTENCE).into(),
            drawn: drawn.is_some(),
            picture: drawn.map_or_else(Image::default, |p| image(&p)),
        }
    });
    adapter.set_figures(ModelRc::new(VecModel::from(items.collect::<Vec<_>>())));
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
            let game = desk.game();
            let mut shown = lock(&of);
            if let Shown { pad: Some(pad), painter: Some(painter), .. } = &mut *shown {
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
        let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return };
        let played = lock(&of).pad.as_ref().and_then(|pad| pad.played(desk.game().position()));
        if let Some(played) = played {
            carry_out(&window, &of, &Command::Play(played));
        }
    });
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    let put = move |key: SharedString| {
        let Some(window) = weak.upgrade() else { return };
        let at = key.parse::<usize>().ok().and_then(|key| key.checked_sub(1));
        let played = at.and_then(|at| lock(&of).places.get(at).map(|place| place.played.clone()));
        if let Some(played) = played {
            carry_out(&window, &of, &Command::Play(played));
        }
    };
    adapter.on_put(put.clone());
    window.global::<ui::BoardAdapter>().on_choose(put);
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_end_turn(move || {
        if let Some(window) = weak.upgrade() {
            carry_out(&window, &of, &Command::EndTurn);
        }
    });
    let touched = |x: f32, y: f32| {
        let whole = |v: f32| v.floor().clamp(f32::from(i8::MIN), f32::from(i8::MAX)) as i8;
        Cell::new(whole(x), whole(y))
    };
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::BoardAdapter>().on_touch(move |x, y| {
        let Some((window, desk)) = weak.upgrade().zip(desk(&of)) else { return };
        let mut shown = lock(&of);
        if let Some(pad) = &mut shown.pad {
            pad.touch(touched(x, y));
        }
        show(&window, &mut shown, Some(&desk));
        adapter_board::show(&window, &shown);
    });
}
