//! What is known of an own copy while its page is open, and what the page says of it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use slint::{ComponentHandle, ModelRc, SharedString, VecModel};

use super::faces_page::FacesPage;
use super::looking::Looking;
use super::ui;
use crate::calibrate::own_copy::{Handle, OwnCopy, Surveyed};
use crate::rules::plain::{LONGEST_SENTENCE, shown};

/// Something of the wall's drawing that is held, at places that are shares of its width and height.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// What it is.
    pub handle: Handle,
    /// Where it was taken.
    pub from: (f32, f32),
    /// Where it is held now.
    pub at: (f32, f32),
}

/// The corners that were pointed at in a photo.
#[derive(Clone, Debug)]
pub struct Pointed {
    /// The photo's width and height, pixels.
    pub size: (u32, u32),
    /// One after the other, shares of its width and height.
    pub corners: Vec<(f32, f32)>,
}

/// What is known while the page is open.
#[derive(Debug, Default)]
pub struct OwnCopyPage {
    /// The copy, once it has a name.
    pub copy: Option<OwnCopy>,
    /// The camera.
    pub looking: Option<Looking>,
    /// The photos that the source is, where it is no camera.
    pub photos: Vec<PathBuf>,
    /// The wall as it was measured last.
    pub surveyed: Option<Surveyed>,
    /// What is held in its drawing.
    pub held: Option<Held>,
    /// The corners that were pointed at, where no wall was found.
    pub pointed: Option<Pointed>,
    /// The faces, while they are looked over.
    pub faces: Option<FacesPage>,
    /// Counts what is begun, so that what comes late is let go.
    pub begun: u64,
}

/// The page's state, between the window and the threads that work for it.
pub type Page = Arc<Mutex<OwnCopyPage>>;

/// Locks the page. Each field is set whole, so that a thread that panicked leaves nothing half
/// written.
pub fn lock(page: &Page) -> MutexGuard<'_, OwnCopyPage> {
    page.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What can be done in this step.
pub fn steps_on(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::OwnCopyAdapter>();
    let page = lock(page);
    let Some(copy) = &page.copy else { return };
    let waiting = copy.waiting().is_ok_and(|waiting| !waiting.is_empty());
    let step = adapter.get_step();
    adapter.set_may_drop(step == ui::OwnStep::Tiles && waiting);
    adapter.set_may_go_on(match step {
        ui::OwnStep::Wall => copy.has_wall(),
        ui::OwnStep::Tiles => waiting || copy.has_deck(),
        // Nobody needs these.
        _ => true,
    });
}

/// How far each step is.
pub fn states(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::OwnCopyAdapter>();
    let page = lock(page);
    let Some(copy) = &page.copy else { return };
    let wall = match &page.surveyed {
        Some(surveyed) if !surveyed.numbered => "numbers open",
        _ if copy.has_wall() => "measured",
        _ => "no photo yet",
    };
    adapter.set_wall_state(wall.into());
    let waiting = copy.waiting().map_or(0, |waiting| waiting.len());
    let tiles = match (copy.tiles(), waiting) {
        ((0, _), 0) => "no photo yet".to_owned(),
        ((0, _), 1) => "1 photo".to_owned(),
        ((0, _), waiting) => format!("{waiting} photos"),
        ((tiles, Some(whole)), _) => format!("{tiles} of {whole}"),
        ((tiles, None), _) => tiles.to_string(),
    };
    adapter.set_tiles_state(tiles.into());
    let faces = match page.faces.as_ref().map(|faces| faces.printed.open_ones()) {
        Some(0) => match page.faces.as_ref().map_or(0, |faces| faces.printed.against_rules().len()) {
            0 => "all seen".to_owned(),
            wrong => format!("{wrong} against the rules"),
        },
        Some(open) => format!("{open} to look at"),
        None if copy.has_deck() => "proposed".to_owned(),
        None => "–".to_owned(),
    };
    adapter.set_faces_state(faces.into());
    let pieces = copy.pieces().map_or_else(|| "–".to_owned(), |pieces| pieces.words().join(", "));
    adapter.set_pieces_state(pieces.into());
    adapter.set_fronts_state(if copy.has_wall_tiles() { "known" } else { "–" }.into());
}

/// Says what went wrong, or nothing with an empty sentence.
pub fn problem(window: &ui::AppWindow, sentence: &str) {
    window.global::<ui::OwnCopyAdapter>().set_problem(shown(sentence, LONGEST_SENTENCE).into());
}

/// Sentences for the window, a line each.
pub fn list(sentences: &[String]) -> ModelRc<SharedString> {
    let words = sentences.iter().map(|sentence| shown(sentence, LONGEST_SENTENCE).into());
    ModelRc::new(VecModel::from(words.collect::<Vec<_>>()))
}
