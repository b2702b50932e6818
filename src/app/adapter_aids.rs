//! The aids that the table has agreed on: the tiles that are left, where they fit, and what the
//! totals would be.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image};

use super::adapter_board::{self, image};
use super::aided::ShownAids;
use super::board_picture::lying;
use super::desk::Desk;
use super::models::refreshed;
use super::remembered::AgreedAids;
use super::shown::{Shown, lock};
use super::ui;
use crate::rules::{Cell, Rotation, cell_name};
use crate::table::Aids;

/// How large a tile that is left is drawn, in pixels.
const TILE_PX: u32 = 96;

/// Takes over what was agreed on before.
pub fn agree(window: &ui::AppWindow, agreed: AgreedAids) {
    let adapter = window.global::<ui::AidsAdapter>();
    adapter.set_tiles(agreed.tiles);
    adapter.set_projected(agreed.projected);
    adapter.set_unfillable(agreed.unfillable);
}

/// What is agreed on.
pub fn agreed(window: &ui::AppWindow) -> AgreedAids {
    let adapter = window.global::<ui::AidsAdapter>();
    AgreedAids {
        tiles: adapter.get_tiles(),
        projected: adapter.get_projected(),
        unfillable: adapter.get_unfillable(),
    }
}

/// Lets the tiles that are left be chosen.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::AidsAdapter>();
    let (weak, of) = (window.as_weak(), Arc::clone(shown));
    adapter.on_choose(move |index| {
        let Some(window) = weak.upgrade() else { return };
        let mut shown = lock(&of);
        if let Some(aids) = &mut shown.aids {
            let index = usize::try_from(index).ok().filter(|index| *index < aids.now.left.len());
            aids.tile = index.filter(|_| aids.tile != index);
            aids.cell = None;
        }
        show_left(&window, &mut shown);
        adapter_board::show(&window, &shown);
    });
}

/// A place of the board was touched: what fits there is shown. A touch of the same place, or of
/// one that is no place for a tile, shows all again.
pub fn touch(window: &ui::AppWindow, shown: &mut Shown, cell: Cell) {
    if let Some(aids) = &mut shown.aids {
        let there = aids.now.fits.contains_key(&cell) && aids.cell != Some(cell);
        (aids.cell, aids.tile) = (there.then_some(cell), None);
    }
    show_left(window, shown);
    adapter_board::show(window, shown);
}

/// Brings the aids up to date with the game; a record that is replayed has none.
pub fn show(window: &ui::AppWindow, shown: &mut Shown, desk: Option<&Desk>) {
    let agreed = agreed(window);
    shown.agreed = agreed;
    let wanted = agreed != AgreedAids { tiles: false, projected: false, unfillable: false };
    let Some(desk) = desk.filter(|_| wanted) else {
        shown.aids = None;
        window.global::<ui::AidsAdapter>().set_shown(false);
        return;
    };
    let events = desk.events();
    if shown.aids.as_ref().is_none_or(|aids| aids.events != events) {
        let game = desk.game();
        let painter = shown.painter.as_ref();
        let now = Aids::of(game.position(), |cell| painter.is_none_or(|p| p.is_inside(cell)));
        shown.aids = Some(ShownAids { now, events, ..ShownAids::default() });
    }
    show_left(window, shown);
}

/// Shows the tiles that are left; pictures are drawn only when others are left.
fn show_left(window: &ui::AppWindow, shown: &mut Shown) {
    let adapter = window.global::<ui::AidsAdapter>();
    let Shown { aids: Some(aids), painter: Some(painter), .. } = shown else { return };
    if !adapter.get_shown() {
        aids.drawn = false;
        return;
    }
    let fitting = aids.cell.and_then(|cell| aids.now.fits.get(&cell));
    let deck = painter.deck().clone();
    let before = adapter.get_left();
    let items: Vec<ui::LeftTile> = aids
        .now
        .left
        .iter()
        .enumerate()
        .map(|(index, (tile, count))| {
            let id = deck.tiles.get(*tile).map_or("", |tile| tile.id.as_str());
            let known = slint::Model::row_data(&before, index).filter(|_| aids.drawn);
            let mut drawn = || painter.paint_cell(&lying(id, Rotation::default()), &[], TILE_PX);
            let picture =
                known.map_or_else(|| drawn().map_or_else(Image::default, |p| image(&p)), |k| k.picture);
            ui::LeftTile {
                tile: id.into(),
                picture,
                count: if *count > 1 { count.to_string() } else { String::new() }.into(),
                fits: fitting.is_none_or(|fitting| fitting.contains(&index)),
            }
        })
        .collect();
    aids.drawn = true;
    adapter.set_left(refreshed(&adapter.get_left(), items));
    adapter.set_chosen(aids.tile.and_then(|tile| i32::try_from(tile).ok()).unwrap_or(-1));
    adapter.set_count(i32::try_from(aids.count()).unwrap_or(i32::MAX));
    adapter.set_place(aids.cell.map(cell_name).unwrap_or_default().into());
    adapter.set_fitting(i32::try_from(aids.fitting()).unwrap_or(i32::MAX));
}
