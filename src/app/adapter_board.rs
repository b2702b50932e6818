//! The picture of the board.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image, Rgba8Pixel, SharedPixelBuffer};
use tiny_skia::Pixmap;

use super::adapter_scores::lighting;
use super::shown::{Shown, lock};
use super::ui;
use crate::observation::Figure;
use crate::rules::cell_name;
use crate::table::GameView;

/// No side of the picture is longer, in pixels.
const LONGEST_SIDE: f32 = 4096.0;

/// Lets the window have the picture whenever it draws the board.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let (weak, shown) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::BoardAdapter>().on_compose(move |_, width, height, dark| {
        let scale = weak.upgrade().map_or(1.0, |w| w.window().scale_factor());
        let pixels = |length: f32| (length * scale).clamp(0.0, LONGEST_SIDE).round() as u32;
        let mut shown = lock(&shown);
        let Shown { view, selected, painter, missing_lit, .. } = &mut *shown;
        let lighting = lighting(view, *selected, *missing_lit);
        painter
            .as_mut()
            .and_then(|p| p.paint(view, &lighting, pixels(width), pixels(height), dark))
            .map_or_else(Image::default, |p| image(&p))
    });
}

/// Has the picture made again.
pub fn show(window: &ui::AppWindow, view: &GameView) {
    let adapter = window.global::<ui::BoardAdapter>();
    adapter.set_description(description(view).into());
    adapter.set_revision(adapter.get_revision().wrapping_add(1));
}

/// A drawing for the window.
pub fn image(canvas: &Pixmap) -> Image {
    Image::from_rgba8_premultiplied(SharedPixelBuffer::<Rgba8Pixel>::clone_from_slice(
        canvas.data(),
        canvas.width(),
        canvas.height(),
    ))
}

/// The board in words.
fn description(view: &GameView) -> String {
    let mut parts = vec![match view.cells.len() {
        1 => "1 tile on the table".to_owned(),
        n => format!("{n} tiles on the table"),
    }];
    if let Some(cell) = view.cells.iter().find(|c| c.fresh) {
        parts.push(format!("the newest is {} in {}", cell.tile, cell_name(cell.cell)));
    }
    for (i, player) in view.players.iter().enumerate() {
        let figures = || view.cells.iter().flat_map(|c| &c.figures).filter(|f| f.player == i);
        let followers = figures().filter(|f| f.figure == Figure::Follower).count();
        let keep = if figures().any(|f| f.figure == Figure::Keep) { " and the keep" } else { "" };
        parts.push(format!("{} has {followers} followers{keep} there", player.name));
    }
    parts.join("; ")
}
