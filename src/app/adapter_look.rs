//! The page on which the camera's picture of the table is judged before a game.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use image::RgbImage;
use slint::{ComponentHandle, Model, ModelRc};

use super::adapter_live::photo;
use super::desk::at_most;
use super::looking::{Looking, Newest, frame};
use super::models::refreshed;
use super::previews::{self, Previews};
use super::terms::Terms;
use super::{adapter_start, ui};
use crate::rules::plain::{LONGEST_SENTENCE, shown};
use crate::rules::{Sentence, sentence};
use crate::table::{Exposing, Judged, LookOver, Looked, Opening, Remark, Saw};
use crate::vision::read::drawing;

/// No side of the picture is longer, in pixels.
const LONGEST_PX: u32 = 960;
/// Between two looks for a frame that was not looked at yet.
const ASK_AGAIN: Duration = Duration::from_millis(30);

/// What is looked at while the page is open; dropping it lets the source go.
#[derive(Debug, Default)]
struct LookPage {
    looking: Option<Looking>,
    /// What the other sources see.
    previews: Previews,
    /// Tells the reading thread to stop.
    stop: Option<Arc<AtomicBool>>,
    /// Counts the looks, so that what comes late is let go.
    begun: u64,
}

impl LookPage {
    /// Lets go what is looked through.
    fn end(&mut self) {
        self.begun += 1;
        // All stop before the first is waited for.
        if let Some(looking) = &self.looking {
            looking.stop();
        }
        self.previews = Previews::default();
        self.looking = None;
        if let Some(stop) = self.stop.take() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

type Page = Arc<Mutex<LookPage>>;

/// Each field is set whole, so that a thread that panicked leaves nothing half written.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the page look through the source of the form; what the form does not ask for is as in
/// `known`.
pub fn connect(window: &ui::AppWindow, known: &Rc<RefCell<Opening>>) {
    let page = Page::default();
    let adapter = window.global::<ui::LookAdapter>();
    let (weak, of, known) = (window.as_weak(), Arc::clone(&page), Rc::clone(known));
    adapter.on_look(move || {
        if let Some(window) = weak.upgrade() {
            let opening = adapter_start::filled_in(&window, &known.borrow());
            look(&window, &of, opening);
        }
    });
    let weak = window.as_weak();
    adapter.on_take_colour(move || {
        let Some(window) = weak.upgrade() else { return };
        let adapter = window.global::<ui::LookAdapter>();
        if let Ok(player) = usize::try_from(adapter.get_other_player()) {
            adapter_start::play_in(&window, player, &adapter.get_other_colour());
            adapter.invoke_look();
        }
    });
    let weak = window.as_weak();
    adapter.on_choose(move |index| {
        let Some(window) = weak.upgrade() else { return };
        let adapter = window.global::<ui::LookAdapter>();
        let chosen = usize::try_from(index).ok().and_then(|index| adapter.get_sources().row_data(index));
        if let Some(chosen) = chosen {
            window.global::<ui::StartAdapter>().set_source(chosen.source);
            adapter.invoke_look();
        }
    });
    adapter.on_close(move || lock(&page).end());
}

/// Looks through the source of an opening until another is looked through or the page is left.
fn look(window: &ui::AppWindow, page: &Page, opening: Opening) {
    let adapter = window.global::<ui::LookAdapter>();
    let begun = {
        let mut page = lock(page);
        page.end();
        page.begun
    };
    adapter.set_looked(adapter.get_looked().wrapping_add(1));
    adapter.set_has_picture(false);
    adapter.set_picture(slint::Image::default());
    adapter.set_remarks(ModelRc::default());
    adapter.set_other_player(-1);
    adapter.set_problem("".into());
    adapter.set_busy("".into());
    previews::list(window);
    let of = Arc::clone(page);
    let previews = previews::start(window, &opening.source, move || lock(&of).begun == begun);
    lock(page).previews = previews;
    if opening.source.is_empty() {
        return;
    }
    adapter.set_busy(Terms::of(window).sentence(&sentence!("Looking…")).into());
    // Says something in the window, unless something else is looked at by then. It only fails
    // when the window is gone.
    let (weak, of) = (window.as_weak(), Arc::clone(page));
    let say = move |words: Box<dyn FnOnce(&ui::AppWindow) + Send>| {
        let of = Arc::clone(&of);
        let _ = weak.upgrade_in_event_loop(move |window| {
            if lock(&of).begun == begun {
                words(&window);
            }
        });
    };
    let say = Arc::new(say);
    let seen: Arc<Mutex<Option<Looked>>> = Arc::default();
    let (shows, over, through) = (Arc::clone(&say), Arc::clone(&seen), opening.source.clone());
    let show = move |frame: &RgbImage| {
        let picture = drawn(frame, lock(&over).as_ref());
        let source = through.clone();
        shows(Box::new(move |window| {
            previews::show(window, &source, Some(&picture));
            show_picture(window, &picture);
        }));
    };
    let fails = Arc::clone(&say);
    let failed = move |sentence: Sentence| fails(Box::new(move |window| problem(window, &sentence)));
    let looking = Looking::start(&opening.source, show, failed);
    let stop = Arc::<AtomicBool>::default();
    let (newest, exposure, stopped) = (looking.newest(), looking.exposure(), Arc::clone(&stop));
    {
        let mut page = lock(page);
        (page.looking, page.stop) = (Some(looking), Some(stop));
    }
    thread::spawn(move || {
        let told = Arc::clone(&say);
        let mut exposing = Exposing::default();
        let began = Instant::now();
        let read = LookOver::open(&opening).map_err(|error| Sentence::from(&error)).and_then(|mut over| {
            judge(&mut over, &newest, &stopped, |frame, looked| {
                if let Some(factor) = exposing.looked(&looked, began.elapsed().as_secs_f64()) {
                    *lock(&exposure) = Some(factor);
                }
                let picture = drawn(frame, Some(&looked));
                let (remarks, other) = (looked.remarks.clone(), looked.other_colour.clone());
                *lock(&seen) = Some(looked);
                told(Box::new(move |window| {
                    show_picture(window, &picture);
                    let adapter = window.global::<ui::LookAdapter>();
                    let items = items(&remarks, &Terms::of(window));
                    adapter.set_remarks(refreshed(&adapter.get_remarks(), items));
                    let (player, colour) = other.unzip();
                    adapter.set_other_colour(colour.unwrap_or_default().into());
                    adapter.set_other_player(player.and_then(|p| i32::try_from(p).ok()).unwrap_or(-1));
                    adapter.set_busy("".into());
                }));
            })
        });
        if let Err(sentence) = read {
            say(Box::new(move |window| problem(window, &sentence)));
        }
    });
}

/// Judges each frame that comes, until it is told to stop.
fn judge(
    over: &mut LookOver,
    newest: &Newest,
    stop: &AtomicBool,
    mut on: impl FnMut(&RgbImage, Looked),
) -> Result<(), Sentence> {
    let mut last: Option<Arc<RgbImage>> = None;
    while !stop.load(Ordering::Relaxed) {
        match frame(newest) {
            Some(now) if last.as_ref().is_none_or(|last| !Arc::ptr_eq(last, &now)) => {
                let looked = over.look(&now).map_err(|error| Sentence::from(&error))?;
                on(&now, looked);
                last = Some(now);
            }
            _ => thread::sleep(ASK_AGAIN),
        }
    }
    Ok(())
}

fn items(remarks: &[Remark], terms: &Terms<'_>) -> Vec<ui::RemarkItem> {
    let item = |remark: &Remark| {
        let judged = match remark.judged {
            Judged::Good => 0,
            Judged::Open => 1,
            Judged::Poor => 2,
            Judged::Bad => 3,
        };
        let (saw, count, words) = worded(remark, terms);
        ui::RemarkItem { judged, saw, count, words: shown(&words, LONGEST_SENTENCE).into() }
    };
    remarks.iter().map(item).collect()
}

/// A remark with its number and its words, for the window to say.
fn worded(remark: &Remark, terms: &Terms<'_>) -> (ui::Saw, i32, String) {
    let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    let measured = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    let plain = |kind| (kind, 0, String::new());
    match &remark.saw {
        Saw::Wall => plain(ui::Saw::Wall),
        Saw::Tiles(count) => (ui::Saw::Tiles, number(*count), String::new()),
        Saw::NoTile => plain(ui::Saw::NoTile),
        Saw::NoTileYet => plain(ui::Saw::NoTileYet),
        Saw::TilesRead(count) => (ui::Saw::TilesRead, number(*count), String::new()),
        Saw::TilesUnsure(all, unsure) => (ui::Saw::TilesUnsure, number(*all), unsure.to_string()),
        Saw::NoPiece(colour) => (ui::Saw::NoPiece, 0, colour.clone()),
        Saw::Pieces(count, colour) => (ui::Saw::Pieces, number(*count), colour.clone()),
        Saw::NobodysPieces(colour) => (ui::Saw::NobodysPieces, 0, colour.clone()),
        Saw::TilesWide(px) => (ui::Saw::TilesWide, measured(*px), String::new()),
        Saw::TilesSmall(px) => (ui::Saw::TilesSmall, measured(*px), String::new()),
        Saw::Sharp => plain(ui::Saw::Sharp),
        Saw::Soft => plain(ui::Saw::Soft),
        Saw::GoodLight => plain(ui::Saw::GoodLight),
        Saw::Dark => plain(ui::Saw::Dark),
        Saw::BurntOut(share) => (ui::Saw::BurntOut, measured(*share), String::new()),
        Saw::White | Saw::Other(_) => (ui::Saw::Other, 0, terms.sentence(&remark.sentence())),
    }
}

/// A frame for the window, with the grid and what was read last.
fn drawn(frame: &RgbImage, looked: Option<&Looked>) -> RgbImage {
    let picture = at_most(frame, LONGEST_PX);
    let Some((looked, seen)) = looked.and_then(|looked| Some((looked, looked.seen.as_ref()?))) else {
        return picture;
    };
    let scale = f64::from(picture.width()) / f64::from(frame.width().max(1));
    let places: Vec<drawing::Placed> = looked
        .places
        .iter()
        .map(|(cell, corners)| (*cell, corners.map(|corner| corner.map(|v| (v + 0.5) * scale - 0.5))))
        .collect();
    let over = drawing::grid(&picture, &places).and_then(|grid| drawing::draw(&grid, seen, &places));
    over.unwrap_or_else(|error| {
        tracing::warn!("what is read cannot be drawn: {error}");
        picture
    })
}

fn show_picture(window: &ui::AppWindow, picture: &RgbImage) {
    let adapter = window.global::<ui::LookAdapter>();
    adapter.set_picture(photo(picture));
    adapter.set_has_picture(true);
}

/// Says what went wrong.
fn problem(window: &ui::AppWindow, sentence: &Sentence) {
    let adapter = window.global::<ui::LookAdapter>();
    let words = Terms::of(window).sentence(sentence);
    adapter.set_problem(shown(&words, LONGEST_SENTENCE).into());
    adapter.set_busy("".into());
}
