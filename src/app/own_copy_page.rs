//! What is known of an own copy while its page is open, and what the page says of it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use image::RgbImage;
use slint::{ComponentHandle, ModelRc, SharedString, VecModel};

use super::adapter_live::photo;
use super::faces_page::FacesPage;
use super::looking::Looking;
use super::terms::Terms;
use super::ui;
use crate::calibrate::own_copy::{Handle, OwnCopy, OwnCopyError, Surveyed};
use crate::rules::Sentence;
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
    /// What went wrong.
    pub problem: Option<Sentence>,
    /// What is said of the photo, a sentence each.
    pub findings: Vec<Sentence>,
    /// What is said beside the face that is looked at.
    pub told: Vec<Sentence>,
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
    let terms = Terms::of(window);
    let stand = |stand| ui::StepState { stand, ..ui::StepState::default() };
    let counted = |stand, count: usize| ui::StepState {
        stand,
        count: i32::try_from(count).unwrap_or(i32::MAX),
        ..ui::StepState::default()
    };
    adapter.set_wall_state(stand(match &page.surveyed {
        Some(surveyed) if !surveyed.numbered => ui::StepStand::NumbersOpen,
        _ if copy.has_wall() => ui::StepStand::Measured,
        _ => ui::StepStand::NoPhoto,
    }));
    let waiting = copy.waiting().map_or(0, |waiting| waiting.len());
    adapter.set_tiles_state(match (copy.tiles(), waiting) {
        ((0, _), 0) => stand(ui::StepStand::NoPhoto),
        ((0, _), waiting) => counted(ui::StepStand::Photos, waiting),
        ((tiles, Some(whole)), _) => {
            let whole = i32::try_from(whole).unwrap_or(i32::MAX);
            ui::StepState { whole, ..counted(ui::StepStand::TilesOf, tiles) }
        }
        ((tiles, None), _) => counted(ui::StepStand::Tiles, tiles),
    });
    adapter.set_faces_state(match page.faces.as_ref() {
        Some(faces) => match (faces.printed.open_ones(), faces.printed.against_rules().len()) {
            (0, 0) => stand(ui::StepStand::Seen),
            (0, wrong) => counted(ui::StepStand::AgainstRules, wrong),
            (open, _) => counted(ui::StepStand::ToLookAt, open),
        },
        None if copy.has_deck() => stand(ui::StepStand::Proposed),
        None => ui::StepState::default(),
    });
    adapter.set_pieces_state(match copy.pieces() {
        Some(pieces) => {
            let words: Vec<String> = pieces.words().iter().map(|word| terms.word(word)).collect();
            ui::StepState { words: words.join(", ").into(), ..stand(ui::StepStand::Named) }
        }
        None => ui::StepState::default(),
    });
    let fronts = if copy.has_wall_tiles() { ui::StepStand::Known } else { ui::StepStand::Nothing };
    adapter.set_fronts_state(stand(fronts));
}

/// Says what went wrong, or nothing.
pub fn problem(window: &ui::AppWindow, page: &Page, sentence: Option<Sentence>) {
    show_problem(window, sentence.as_ref());
    lock(page).problem = sentence;
}

fn show_problem(window: &ui::AppWindow, sentence: Option<&Sentence>) {
    let words = sentence.map(|sentence| Terms::of(window).sentence(sentence)).unwrap_or_default();
    window.global::<ui::OwnCopyAdapter>().set_problem(shown(&words, LONGEST_SENTENCE).into());
}

/// Sentences in the language of the window, a line each.
fn list(window: &ui::AppWindow, sentences: &[Sentence]) -> ModelRc<SharedString> {
    let terms = Terms::of(window);
    let words = sentences.iter().map(|one| shown(&terms.sentence(one), LONGEST_SENTENCE).into());
    ModelRc::new(VecModel::from(words.collect::<Vec<_>>()))
}

/// Works on the copy in a thread of its own; what comes of it is shown unless the page was left.
pub fn work<T: Send + 'static>(
    window: &ui::AppWindow,
    page: &Page,
    words: &Sentence,
    job: impl FnOnce(&mut OwnCopy) -> Result<T, OwnCopyError> + Send + 'static,
    done: impl FnOnce(&ui::AppWindow, &Page, T) + Send + 'static,
) {
    let Some(mut copy) = lock(page).copy.clone() else { return };
    let begun = lock(page).begun;
    window.global::<ui::OwnCopyAdapter>().set_busy(Terms::of(window).sentence(words).into());
    problem(window, page, None);
    let (weak, page) = (window.as_weak(), Arc::clone(page));
    thread::spawn(move || {
        let worked = job(&mut copy);
        // It only fails when the window is gone; what was done is on the disk.
        let _ = weak.upgrade_in_event_loop(move |window| {
            if lock(&page).begun != begun {
                return;
            }
            lock(&page).copy = Some(copy);
            window.global::<ui::OwnCopyAdapter>().set_busy("".into());
            match worked {
                Ok(worked) => done(&window, &page, worked),
                Err(error) => problem(&window, &page, Some(Sentence::from(&error))),
            }
            steps_on(&window, &page);
            states(&window, &page);
        });
    });
}

/// A picture that stays, not what the camera sees.
pub fn show_still(window: &ui::AppWindow, picture: &RgbImage) {
    window.global::<ui::OwnCopyAdapter>().set_live(false);
    show_picture(window, picture);
}

/// Shows a picture.
pub fn show_picture(window: &ui::AppWindow, picture: &RgbImage) {
    let adapter = window.global::<ui::OwnCopyAdapter>();
    adapter.set_aspect(picture.width() as f32 / picture.height().max(1) as f32);
    adapter.set_picture(photo(picture));
    adapter.set_has_picture(true);
}

/// Shows what was found, a sentence each.
pub fn findings(window: &ui::AppWindow, page: &Page, found: Vec<Sentence>) {
    window.global::<ui::OwnCopyAdapter>().set_findings(list(window, &found));
    lock(page).findings = found;
}

/// Says something beside the face that is looked at.
pub fn tell(window: &ui::AppWindow, page: &Page, sentences: Vec<Sentence>) {
    window.global::<ui::FacesAdapter>().set_findings(list(window, &sentences));
    lock(page).told = sentences;
}

/// Shows what was found and what went wrong in the language of the window.
pub fn show_again(window: &ui::AppWindow, page: &Page) {
    {
        let page = lock(page);
        show_problem(window, page.problem.as_ref());
        window.global::<ui::OwnCopyAdapter>().set_findings(list(window, &page.findings));
        window.global::<ui::FacesAdapter>().set_findings(list(window, &page.told));
    }
    states(window, page);
}
