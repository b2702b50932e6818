//! The picture of the board.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, Image, Rgba8Pixel, SharedPixelBuffer};
use tiny_skia::Pixmap;

use super::adapter_scores::lighting;
use super::board_picture::{Lighting, Spot};
use super::models::refreshed;
use super::shown::{Shown, lock};
use super::terms::Terms;
use super::ui;
use crate::observation::Figure;
use crate::rules::plain::{LONGEST_SENTENCE, shown as plain};
use crate::rules::words::figures;
use crate::rules::{FigureKind, Move, Sentence, Term, column_name, row_name, sentence};
use crate::table::{CellView, FigureView, GameView, NamedPlaceView, PlaceView};

/// No side of the picture is longer, in pixels.
const LONGEST_SIDE: f32 = 4096.0;

/// Lets the window have the picture whenever it draws the board.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let (weak, shown) = (window.as_weak(), Arc::clone(shown));
    window.global::<ui::BoardAdapter>().on_compose(move |_, width, height, dark| {
        let scale = weak.upgrade().map_or(1.0, |w| w.window().scale_factor());
        let pixels = |length: f32| (length * scale).clamp(0.0, LONGEST_SIDE).round() as u32;
        let mut shown = lock(&shown);
        let lighting = lit(&shown);
        let Shown { view, painter, .. } = &mut *shown;
        painter
            .as_mut()
            .and_then(|p| p.paint(view, &lighting, pixels(width), pixels(height), dark))
            .map_or_else(Image::default, |p| image(&p))
    });
}

/// What is lit and drawn besides the game.
fn lit(shown: &Shown) -> Lighting {
    if let Some(disputing) = &shown.disputing {
        let count = disputing.view.counts.get(disputing.lit);
        let cells = count.map_or_else(|| disputing.view.cell.into_iter().collect(), |c| c.cells.clone());
        return Lighting { cells, dim_others: true, ..Lighting::default() };
    }
    let mut lighting = lighting(&shown.view, shown.selected, shown.missing_lit);
    if let Some(aids) = &shown.aids {
        lighting.open = aids.lit();
        lighting.unfillable = if shown.agreed.unfillable { aids.now.unfillable() } else { Vec::new() };
    }
    let Some((pad, painter)) = shown.pad.as_ref().zip(shown.painter.as_ref()) else { return lighting };
    if let Some(place) = pad.looked_at() {
        lighting.cells = place.on_tile.then_some(place.cell.cell).into_iter().collect();
        let stands = matches!(place.played, Move::Claim { .. } | Move::Redeploy { .. });
        let (x, y) = on_board(place);
        lighting.spot = Some(Spot { x, y, figure: stands.then_some(FigureView { x, y, ..place.foot }) });
    }
    if pad.drawn().is_some() {
        lighting.open = pad.cells();
    }
    lighting.proposed = pad.placement().and_then(|placement| {
        Some(CellView {
            cell: placement.cell,
            tile: painter.deck().tiles.get(placement.tile)?.id.clone(),
            rotation: placement.rotation,
            figures: Vec::new(),
            confidence: 1.0,
            fresh: false,
        })
    });
    lighting
}

/// Where a figure's foot would be, in tile units.
fn on_board(place: &PlaceView) -> (f32, f32) {
    (f32::from(place.cell.cell.col) + place.foot.x, f32::from(place.cell.cell.row) + place.foot.y)
}

/// Has the picture made again, with all else on the board as it is.
pub fn paint_again(window: &ui::AppWindow) {
    let adapter = window.global::<ui::BoardAdapter>();
    adapter.set_revision(adapter.get_revision().wrapping_add(1));
}

/// Has the picture made again.
pub fn show(window: &ui::AppWindow, shown: &Shown) {
    let (adapter, view) = (window.global::<ui::BoardAdapter>(), &shown.view);
    let terms = Terms::of(window);
    adapter.set_description(terms.sentences(&description(view)).into());
    if let Some(painter) = &shown.painter {
        let area = painter.area(view);
        adapter.set_frame(ui::BoardFrame {
            left: area.left,
            top: area.top,
            width: area.width,
            height: area.height,
        });
        let name = |at: i8, text: String| ui::RimName { at: f32::from(at) + 0.5, text: text.into() };
        let (cols, rows) = painter.span(view);
        let columns: Vec<ui::RimName> = cols.map(|col| name(col, column_name(col))).collect();
        adapter.set_columns(refreshed(&adapter.get_columns(), columns));
        let rows: Vec<ui::RimName> = rows.map(|row| name(row, row_name(row))).collect();
        adapter.set_rows(refreshed(&adapter.get_rows(), rows));
    }
    let choices = shown.pad.iter().flat_map(|pad| pad.on_page());
    let marks = choices.zip(1u8..).map(|(place, key)| {
        let ((x, y), words) =
            (on_board(place), plain(&terms.sentence(&place.words), LONGEST_SENTENCE).into());
        ui::BoardMark { x, y, key: key.to_string().into(), words }
    });
    adapter.set_marks(refreshed(&adapter.get_marks(), marks));
    let count = view.places.len().max(1) as f32;
    adapter.set_places_middle(view.places.iter().map(|place| place.x).sum::<f32>() / count);
    let places = view.places.iter().map(|place| place_item(view, place, &terms));
    adapter.set_places(refreshed(&adapter.get_places(), places));
    let aids = shown.aids.is_some() && window.global::<ui::AidsAdapter>().get_shown();
    adapter.set_touchable(aids || shown.pad.as_ref().is_some_and(|pad| pad.drawn().is_some()));
    paint_again(window);
}

/// A place with a name, and who is in it.
fn place_item(view: &GameView, place: &NamedPlaceView, terms: &Terms<'_>) -> ui::BoardPlace {
    ui::BoardPlace {
        x: place.x,
        y: place.y,
        name: terms.sentence(&Sentence::word(&place.name)).into(),
        words: terms.sentence(&place_in_words(view, place)).into(),
        neutral: view.neutral.as_ref().is_some_and(|neutral| neutral.place == place.name),
    }
}

/// A place with a name, and who is in it, in words.
fn place_in_words(view: &GameView, place: &NamedPlaceView) -> Sentence {
    let neutral = view.neutral.iter().filter(|neutral| neutral.place == place.name);
    let neutral = neutral.map(|neutral| sentence!("the {}", Sentence::word(&neutral.word)));
    let players = view.players.iter().enumerate().filter_map(|(i, player)| {
        let theirs = figures_in_words(place.figures.iter().filter(|f| f.player == i))?;
        Some(sentence!("{} of {}", theirs, &player.name))
    });
    let there: Vec<Sentence> = neutral.chain(players).collect();
    let who = if there.is_empty() { sentence!("nobody").into() } else { Term::listed(there) };
    sentence!("{}: {}", sentence!("the {}", Sentence::word(&place.name)), who)
}

/// Figures by their kinds: `2 followers and 1 builder`; `None` where there are none.
fn figures_in_words<'a>(all: impl Iterator<Item = &'a FigureView>) -> Option<Term> {
    let mut kinds: Vec<(FigureKind, u32)> = Vec::new();
    for figure in all.filter(|f| f.figure == Figure::Follower) {
        match kinds.iter_mut().find(|(kind, _)| *kind == figure.kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((figure.kind, 1)),
        }
    }
    kinds.sort_unstable();
    let words = |(kind, count): (FigureKind, u32)| figures(count, kind.word());
    (!kinds.is_empty()).then(|| Term::listed(kinds.into_iter().map(words)))
}

/// A drawing for the window.
pub fn image(canvas: &Pixmap) -> Image {
    Image::from_rgba8_premultiplied(SharedPixelBuffer::<Rgba8Pixel>::clone_from_slice(
        canvas.data(),
        canvas.width(),
        canvas.height(),
    ))
}

/// The board in words, a sentence each.
fn description(view: &GameView) -> Vec<Sentence> {
    let mut parts = vec![match view.cells.len() {
        1 => sentence!("1 tile on the table"),
        n => sentence!("{} tiles on the table", n),
    }];
    if let Some(cell) = view.cells.iter().find(|c| c.fresh) {
        parts.push(sentence!("the newest is {} in {}", &cell.tile, cell.cell));
    }
    for (i, player) in view.players.iter().enumerate() {
        let theirs = || view.cells.iter().flat_map(|c| &c.figures).filter(|f| f.player == i);
        let followers = figures_in_words(theirs()).unwrap_or_else(|| sentence!("no followers").into());
        parts.push(match theirs().any(|f| f.figure == Figure::Keep) {
            true => sentence!("{} has {} and the keep there", &player.name, followers),
            false => sentence!("{} has {} there", &player.name, followers),
        });
    }
    parts.extend(view.places.iter().map(|place| place_in_words(view, place)));
    parts
}
