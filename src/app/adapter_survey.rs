//! What is taken in the drawing of a surveyed wall and put right.

use image::RgbImage;
use slint::{ComponentHandle, ModelRc, VecModel};

use super::desk::small;
use super::own_copy_page::{Held, Page, Pointed, findings, lock, problem, show_still, steps_on, work};
use super::ui;
use crate::calibrate::own_copy::{Handle, OwnCopy, OwnCopyError, Surveyed, letter};
use crate::rules::castle::validate::CORNER_TOWERS;
use crate::rules::{Sentence, cell_name, sentence};
use crate::vision::base::error::VisionError;
use crate::vision::base::photo as photo_file;

/// How far from a pointer something is taken, as a share of the picture's width.
const REACH: f32 = 0.03;
/// A pointer that moves less while it takes something does not move it, as such a share.
const SLACK: f32 = 0.004;
/// How far a key moves what is held, as a share of the picture's width: some pixels of a photo.
const NUDGE: f32 = 0.0015;

/// Lets the keys and the pointer reach the drawing.
pub fn connect(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::SurveyAdapter>();
    let on = |act: fn(&ui::AppWindow, &Page)| {
        let (weak, page) = (window.as_weak(), Page::clone(page));
        move || {
            if let Some(window) = weak.upgrade() {
                act(&window, &page);
            }
        }
    };
    adapter.on_put(on(put));
    adapter.on_zero_here(on(zero_here));
    adapter.on_turn_numbers(on(turn_numbers));
    adapter.on_undo(on(undo));
    let by = |act: fn(&ui::AppWindow, &Page, i32)| {
        let (weak, page) = (window.as_weak(), Page::clone(page));
        move |by| {
            if let Some(window) = weak.upgrade() {
                act(&window, &page, by);
            }
        }
    };
    adapter.on_step(by(step));
    adapter.on_step_kind(by(step_kind));
    adapter.on_count(by(count));
    let at = |act: fn(&ui::AppWindow, &Page, (f32, f32))| {
        let (weak, page) = (window.as_weak(), Page::clone(page));
        move |x, y| {
            if let Some(window) = weak.upgrade() {
                act(&window, &page, (x, y));
            }
        }
    };
    adapter.on_hold(at(hold));
    adapter.on_drag(at(drag));
    adapter.on_point(at(point));
    let (weak, of) = (window.as_weak(), Page::clone(page));
    adapter.on_nudge(move |right, down| {
        if let Some(window) = weak.upgrade() {
            nudge(&window, &of, (right, down));
        }
    });
}

/// What a photo of the wall gave.
pub enum Measured {
    /// The wall.
    Wall(Box<Surveyed>),
    /// None was found, for this reason; the photo, for its corners to be pointed at.
    None(Sentence, RgbImage),
}

/// What `job` measures of the wall; where it finds none, its photo.
pub fn measured(
    copy: &mut OwnCopy,
    job: fn(&OwnCopy) -> Result<Surveyed, OwnCopyError>,
) -> Result<Measured, OwnCopyError> {
    match (job(copy), copy.wall_photo()) {
        (Ok(surveyed), _) => Ok(Measured::Wall(Box::new(surveyed))),
        (Err(OwnCopyError::Vision(VisionError::NoWall(why))), Some(photo)) => {
            Ok(Measured::None(why, photo_file::open(&photo)?))
        }
        (Err(error), _) => Err(error),
    }
}

/// Shows the wall that `job` measures.
pub fn survey(
    window: &ui::AppWindow,
    page: &Page,
    job: impl FnOnce(&mut OwnCopy) -> Result<Measured, OwnCopyError> + Send + 'static,
) {
    work(window, page, &sentence!("Measuring the wall…"), job, |window, page, measured| {
        lock(page).looking = None;
        match measured {
            Measured::Wall(surveyed) => {
                lock(page).surveyed = Some((*surveyed).clone());
                show_survey(window, page, &surveyed);
            }
            Measured::None(why, photo) => {
                problem(window, page, Some(why));
                show_still(window, &small(&photo));
                findings(window, page, Vec::new());
                lock(page).surveyed = None;
                ask_for_corners(window, page, photo.dimensions());
            }
        }
        steps_on(window, page);
    });
}

/// Shows a wall that was measured, to be put right.
pub fn show_survey(window: &ui::AppWindow, page: &Page, surveyed: &Surveyed) {
    show_still(window, &surveyed.drawing);
    open(window, page, surveyed);
    let towers: Vec<String> = surveyed.wall.towers.iter().map(|(a, b)| format!("{a}/{b}")).collect();
    let measured = sentence!("{} spaces; corner towers {}", surveyed.wall.cells().len(), towers.join(", "));
    findings(window, page, std::iter::once(measured).chain(surveyed.doubts.clone()).collect());
}

/// Nothing is held or pointed at: what is seen is another picture.
pub fn clear(window: &ui::AppWindow, page: &Page) {
    {
        let mut page = lock(page);
        (page.held, page.pointed) = (None, None);
    }
    window.global::<ui::SurveyAdapter>().set_open(false);
    show(window, page);
}

/// The drawing of a wall can be put right; what was held stays held where it now is.
fn open(window: &ui::AppWindow, page: &Page, surveyed: &Surveyed) {
    {
        let mut page = lock(page);
        page.pointed = None;
        let place = page.held.and_then(|held| Some((held.handle, surveyed.place(held.handle)?)));
        page.held = place.map(|(handle, from)| Held { handle, from, at: from });
    }
    window.global::<ui::SurveyAdapter>().set_open(true);
    show(window, page);
}

/// No wall was found in a photo of this size: its corners are pointed at.
fn ask_for_corners(window: &ui::AppWindow, page: &Page, size: (u32, u32)) {
    {
        let mut page = lock(page);
        (page.held, page.pointed) = (None, Some(Pointed { size, corners: Vec::new() }));
    }
    window.global::<ui::SurveyAdapter>().set_open(false);
    show(window, page);
}

/// Writes what is held and pointed at into the window.
fn show(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::SurveyAdapter>();
    let page = lock(page);
    let place = |(x, y): (f32, f32)| ui::PicturePlace { x, y };
    adapter.set_corners(CORNER_TOWERS as i32);
    adapter.set_pointing(page.pointed.is_some());
    let pointed = page.pointed.as_ref().map_or(&[][..], |pointed| &pointed.corners[..]);
    adapter.set_pointed(ModelRc::new(VecModel::from_iter(pointed.iter().copied().map(place))));
    let said = page.copy.as_ref().is_some_and(OwnCopy::may_take_back);
    adapter.set_may_undo(!pointed.is_empty() || (said && adapter.get_open()));
    let held = page.held.zip(page.surveyed.as_ref());
    let (kind, name, tower) = match held.map(|(held, surveyed)| (held.handle, surveyed)) {
        None => (ui::SurveyHandle::None, String::new(), String::new()),
        Some((Handle::Corner(corner), surveyed)) => {
            let tower = surveyed.tower(corner).map(|(low, high)| format!("{low}/{high}"));
            (ui::SurveyHandle::Corner, letter(corner).to_string(), tower.unwrap_or_default())
        }
        Some((Handle::Start(start), surveyed)) => {
            let cell = surveyed.wall.starts.get(start).map(|start| cell_name(start.cell));
            (ui::SurveyHandle::Start, cell.unwrap_or_default(), String::new())
        }
        Some((Handle::Space(number), _)) => (ui::SurveyHandle::Space, number.to_string(), String::new()),
    };
    adapter.set_held(kind);
    adapter.set_name(name.into());
    adapter.set_tower(tower.into());
    let (at, from) = page.held.map_or_else(Default::default, |held| (held.at, held.from));
    adapter.set_at(place(at));
    adapter.set_from(place(from));
    adapter.set_moved(page.held.is_some_and(|held| held.at != held.from));
}

/// Takes a handle, or lets go with none.
fn take(window: &ui::AppWindow, page: &Page, choose: impl FnOnce(&Surveyed) -> Option<Handle>) {
    {
        let mut page = lock(page);
        let held = page.surveyed.as_ref().and_then(|surveyed| {
            let handle = choose(surveyed)?;
            let from = surveyed.place(handle)?;
            Some(Held { handle, from, at: from })
        });
        page.held = held;
    }
    show(window, page);
}

fn hold(window: &ui::AppWindow, page: &Page, at: (f32, f32)) {
    take(window, page, |surveyed| surveyed.nearest(at, REACH));
}

fn drag(window: &ui::AppWindow, page: &Page, at: (f32, f32)) {
    let Some(held) = lock(page).held else { return };
    let is_still = held.at == held.from && (at.0 - held.from.0).hypot(at.1 - held.from.1) < SLACK;
    move_to(window, page, if is_still { held.from } else { at });
}

fn move_to(window: &ui::AppWindow, page: &Page, (x, y): (f32, f32)) {
    if let Some(held) = &mut lock(page).held {
        held.at = (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0));
    }
    show(window, page);
}

fn nudge(window: &ui::AppWindow, page: &Page, (right, down): (i32, i32)) {
    let aspect = window.global::<ui::OwnCopyAdapter>().get_aspect();
    let Some(held) = lock(page).held else { return };
    let at = (held.at.0 + NUDGE * right as f32, held.at.1 + NUDGE * aspect * down as f32);
    move_to(window, page, at);
}

/// Takes the next handle, round the end.
fn step(window: &ui::AppWindow, page: &Page, by: i32) {
    let held = lock(page).held.map(|held| held.handle);
    take(window, page, |surveyed| {
        let all = surveyed.handles();
        let at = held.and_then(|held| all.iter().position(|handle| *handle == held));
        let next = match at {
            Some(at) => (at as i32 + by).rem_euclid(all.len().max(1) as i32) as usize,
            None => 0,
        };
        all.get(next).copied()
    });
}

/// Takes the first handle of the next kind.
fn step_kind(window: &ui::AppWindow, page: &Page, by: i32) {
    let kind = |handle: &Handle| match handle {
        Handle::Corner(_) => 0,
        Handle::Start(_) => 1,
        Handle::Space(_) => 2,
    };
    let held = lock(page).held.map(|held| kind(&held.handle));
    let next = held.map_or(0, |held: i32| (held + by).rem_euclid(3));
    take(window, page, |surveyed| surveyed.handles().into_iter().find(|handle| kind(handle) == next));
}

/// What is held stays where it now is.
fn put(window: &ui::AppWindow, page: &Page) {
    let (held, surveyed) = {
        let page = lock(page);
        (page.held, page.surveyed.clone())
    };
    let Some((held, surveyed)) = held.zip(surveyed) else { return };
    if held.at == held.from {
        return;
    }
    correct(window, page, move |copy| copy.put(&surveyed, held.handle, held.at));
}

/// The corner that is held, with what was surveyed.
fn corner(page: &Page) -> Option<(usize, Surveyed)> {
    let page = lock(page);
    match page.held?.handle {
        Handle::Corner(corner) => Some((corner, page.surveyed.clone()?)),
        _ => None,
    }
}

fn zero_here(window: &ui::AppWindow, page: &Page) {
    let Some((corner, surveyed)) = corner(page) else { return };
    let clockwise = surveyed.clockwise.unwrap_or(true);
    correct(window, page, move |copy| copy.say_numbers(corner, clockwise));
}

/// The tower at the corner that is held has other numbers.
fn count(window: &ui::AppWindow, page: &Page, by: i32) {
    let Some((corner, surveyed)) = corner(page) else { return };
    let Some((low, _)) = surveyed.tower(corner) else { return };
    let Ok(low) = u8::try_from(i32::from(low) + by) else {
        return problem(window, page, Some(Sentence::from(&OwnCopyError::NoTower)));
    };
    correct(window, page, move |copy| copy.say_tower(&surveyed, corner, low));
}

/// The numbers grow the other way from the same tower.
fn turn_numbers(window: &ui::AppWindow, page: &Page) {
    let Some(surveyed) = lock(page).surveyed.clone() else { return };
    let Some((tower, clockwise)) = surveyed.first.zip(surveyed.clockwise) else { return };
    correct(window, page, move |copy| copy.say_numbers(tower, !clockwise));
}

/// Takes the last corner that was pointed at back, or the last change.
fn undo(window: &ui::AppWindow, page: &Page) {
    if let Some(pointed) = &mut lock(page).pointed {
        pointed.corners.pop();
    }
    if lock(page).pointed.is_some() {
        return show(window, page);
    }
    survey(window, page, |copy| {
        copy.take_back()?;
        Ok(Measured::Wall(Box::new(copy.survey()?)))
    });
}

/// A corner is pointed at where no wall was found; with the last one it is measured.
fn point(window: &ui::AppWindow, page: &Page, at: (f32, f32)) {
    let corners = {
        let mut page = lock(page);
        let Some(pointed) = &mut page.pointed else { return };
        if pointed.corners.len() >= CORNER_TOWERS {
            // They were no wall: some are taken back first.
            return;
        }
        pointed.corners.push(at);
        (pointed.corners.len() >= CORNER_TOWERS).then(|| pointed.clone())
    };
    show(window, page);
    if let Some(Pointed { size, corners }) = corners {
        correct(window, page, move |copy| copy.say_corners(&corners, size));
    }
}

/// Puts something right and measures the wall again; where it cannot be so, nothing is changed.
fn correct(
    window: &ui::AppWindow,
    page: &Page,
    change: impl FnOnce(&mut OwnCopy) -> Result<(), OwnCopyError> + Send + 'static,
) {
    let at = lock(page).held.map(|held| held.from);
    survey(window, page, move |copy| {
        change(copy)?;
        copy.survey().map(|surveyed| Measured::Wall(Box::new(surveyed))).or_else(|error| {
            copy.take_back()?;
            Err(error)
        })
    });
    // Until it is measured, and where it is refused, it is where it was.
    if let (Some(from), Some(held)) = (at, &mut lock(page).held) {
        held.at = from;
    }
    show(window, page);
}
