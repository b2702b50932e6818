//! The page on which the owner's wall and tiles are photographed.

use std::path::PathBuf;
use std::sync::Arc;

use image::RgbImage;
use slint::ComponentHandle;

use super::adapter_survey::{measured, survey};
use super::desk::small;
use super::faces_page::FacesPage;
use super::looking::{Looking, photos};
use super::own_copy_page::{
    OwnCopyPage, Page, findings, lock, problem, show_picture, show_still, states, steps_on, tell, work,
};
use super::terms::Terms;
use super::{adapter_faces, adapter_start, adapter_survey, ui};
use crate::calibrate::own_copy::{Cut, Enrolled, OwnCopy, OwnCopyError, Photo, cut, sizes};
use crate::rules::{Game, Sentence, sentence};
use crate::table::GameFile;
use crate::vision::base::photo as photo_file;

/// Lets the page's keys and buttons reach the copy; what is known while the page is open is given back.
pub fn connect(window: &ui::AppWindow) -> Page {
    let page = Page::default();
    let adapter = window.global::<ui::OwnCopyAdapter>();
    let on = |act: fn(&ui::AppWindow, &Page)| {
        let (weak, page) = (window.as_weak(), Arc::clone(&page));
        move || {
            if let Some(window) = weak.upgrade() {
                act(&window, &page);
            }
        }
    };
    adapter.on_open(on(open));
    adapter.on_begin(on(begin));
    adapter.on_look(on(look));
    adapter.on_take(on(take));
    adapter.on_drop_photo(on(drop_photo));
    adapter.on_go_on(on(go_on));
    adapter.on_close(on(close));
    let (weak, of) = (window.as_weak(), Arc::clone(&page));
    adapter.on_choose(move |step| {
        if let Some(window) = weak.upgrade() {
            choose(&window, &of, step);
        }
    });
    adapter_survey::connect(window, &page);
    adapter_faces::connect(window, &page);
    page
}

/// The page begins with the copy's name.
fn open(window: &ui::AppWindow, page: &Page) {
    let begun = lock(page).begun;
    *lock(page) = OwnCopyPage { begun: begun + 1, ..OwnCopyPage::default() };
    let adapter = window.global::<ui::OwnCopyAdapter>();
    let start = window.global::<ui::StartAdapter>();
    adapter.set_classic(start.get_classic());
    adapter.set_sets(adapter_start::chosen_sets(window).1.join(", ").into());
    adapter.set_step(ui::OwnStep::Name);
    for state in [
        ui::OwnCopyAdapter::set_wall_state,
        ui::OwnCopyAdapter::set_tiles_state,
        ui::OwnCopyAdapter::set_faces_state,
        ui::OwnCopyAdapter::set_pieces_state,
        ui::OwnCopyAdapter::set_fronts_state,
    ] {
        state(&adapter, ui::StepState::default());
    }
    name_colours(window);
    adapter.set_busy("".into());
    adapter_survey::clear(window, page);
    problem(window, page, None);
}

/// Says the players' colours, in the language of the window.
pub(super) fn name_colours(window: &ui::AppWindow) {
    let terms = Terms::of(window);
    let colours: Vec<String> = adapter_start::colours(window).iter().map(|word| terms.word(word)).collect();
    window.global::<ui::OwnCopyAdapter>().set_colours(colours.join(", ").into());
}

/// The copy has a name: it goes on where it was left.
fn begin(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::OwnCopyAdapter>();
    let game = if adapter.get_classic() { Game::Classic } else { Game::Castle };
    let (sets, _) = adapter_start::chosen_sets(window);
    let copy = match OwnCopy::open(adapter.get_name().trim(), game, &sets) {
        Ok(copy) => copy,
        Err(error) => return problem(window, page, Some(Sentence::from(&error))),
    };
    let step = if game == Game::Castle && !copy.has_wall() {
        ui::OwnStep::Wall
    } else if !copy.has_deck() {
        ui::OwnStep::Tiles
    } else {
        ui::OwnStep::Faces
    };
    adapter.set_name(copy.name().into());
    lock(page).copy = Some(copy);
    choose(window, page, step);
}

/// Shows a step.
fn choose(window: &ui::AppWindow, page: &Page, step: ui::OwnStep) {
    problem(window, page, None);
    leave_faces(window, page);
    let adapter = window.global::<ui::OwnCopyAdapter>();
    let Some(copy) = lock(page).copy.clone() else { return };
    if step == ui::OwnStep::Faces {
        if !copy.has_deck() {
            let words = sentence!("the tiles are not enrolled yet; photograph them first");
            return problem(window, page, Some(words));
        }
        lock(page).looking = None;
        adapter_survey::clear(window, page);
        match FacesPage::open(copy) {
            Ok(faces) => lock(page).faces = Some(faces),
            Err(error) => return problem(window, page, Some(Sentence::from(&error))),
        }
        adapter.set_step(step);
        adapter_faces::show_all(window, page);
        return states(window, page);
    }
    adapter.set_step(step);
    states(window, page);
    if step == ui::OwnStep::Wall && copy.wall_photo().is_some() && lock(page).surveyed.is_none() {
        return survey(window, page, |copy| measured(copy, OwnCopy::look_at_wall));
    }
    let surveyed = lock(page).surveyed.clone().filter(|_| step == ui::OwnStep::Wall);
    match surveyed {
        Some(surveyed) => {
            lock(page).looking = None;
            adapter_survey::show_survey(window, page, &surveyed);
        }
        None => look(window, page),
    }
    if matches!(step, ui::OwnStep::Pieces | ui::OwnStep::Fronts) && !copy.has_wall() {
        problem(window, page, Some(Sentence::from(&OwnCopyError::NoWall)));
    }
}

/// What is seen of the faces is let go, the contact sheet drawn as they are now.
fn leave_faces(window: &ui::AppWindow, page: &Page) {
    let left = lock(page).faces.take();
    if let Some(error) = left.and_then(|faces| faces.printed.draw_sheet().err()) {
        problem(window, page, Some(Sentence::from(&error)));
    }
}

/// Looks through the source that is named.
fn look(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::OwnCopyAdapter>();
    let source = window.global::<ui::StartAdapter>().get_source().trim().to_owned();
    {
        let mut page = lock(page);
        (page.looking, page.photos) = (None, Vec::new());
        page.begun += 1;
    }
    adapter.set_looked(adapter.get_looked().wrapping_add(1));
    adapter.set_photos(0);
    adapter.set_has_picture(false);
    adapter_survey::clear(window, page);
    adapter.set_picture(slint::Image::default());
    findings(window, page, words_before(page, adapter.get_step()));
    steps_on(window, page);
    adapter.set_live(true);
    if source.is_empty() {
        return;
    }
    problem(window, page, None);
    match photos(&source) {
        Err(error) => problem(window, page, Some(Sentence::from(&error))),
        Ok(files) if files.is_empty() => {
            let begun = lock(page).begun;
            let (weak, of) = (window.as_weak(), Arc::clone(page));
            let show = move |frame: &RgbImage| {
                let (picture, of) = (small(frame), Arc::clone(&of));
                // It only fails when the window is gone.
                let _ = weak.upgrade_in_event_loop(move |window| {
                    let adapter = window.global::<ui::OwnCopyAdapter>();
                    if lock(&of).begun == begun && adapter.get_live() {
                        show_picture(&window, &picture);
                    }
                });
            };
            let (weak, of) = (window.as_weak(), Arc::clone(page));
            let failed = move |sentence: Sentence| {
                let _ = weak.upgrade_in_event_loop(move |window| {
                    if lock(&of).begun == begun {
                        problem(&window, &of, Some(sentence));
                    }
                });
            };
            let looking = Looking::start(&source, show, failed);
            lock(page).looking = Some(looking);
        }
        Ok(files) => {
            adapter.set_photos(i32::try_from(files.len()).unwrap_or(i32::MAX));
            if let Some(first) = files.first() {
                match photo_file::open(first) {
                    Ok(picture) => show_picture(window, &small(&picture)),
                    Err(error) => problem(window, page, Some(Sentence::from(&error))),
                }
            }
            lock(page).photos = files;
        }
    }
}

/// Takes the photo; where one lies, looks again.
fn take(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::OwnCopyAdapter>();
    if !adapter.get_live() {
        return look(window, page);
    }
    let (files, frame) = {
        let page = lock(page);
        (page.photos.clone(), page.looking.as_ref().and_then(Looking::frame))
    };
    if files.is_empty() && frame.is_none() {
        let words = sentence!("there is no picture yet; name a camera or a folder of photos, and look");
        return problem(window, page, Some(words));
    }
    match adapter.get_step() {
        ui::OwnStep::Wall => {
            return survey(window, page, move |copy| {
                match (&frame, files.first()) {
                    (_, Some(file)) => copy.keep_wall_photo(Photo::File(file))?,
                    (Some(frame), None) => copy.keep_wall_photo(Photo::Frame(frame))?,
                    (None, None) => {}
                }
                measured(copy, OwnCopy::survey)
            });
        }
        ui::OwnStep::Pieces => return take_pieces(window, page, (frame, files)),
        ui::OwnStep::Fronts => return take_wall_tiles(window, page, (frame, files)),
        _ => {}
    }
    let job = move |copy: &mut OwnCopy| match frame {
        Some(frame) if files.is_empty() => {
            let found = cut(&frame)?;
            if found.tiles > 0 {
                copy.keep_tile_photo(Photo::Frame(&frame))?;
            }
            Ok(vec![found])
        }
        _ => {
            let mut all = Vec::new();
            for file in &files {
                let mut found = cut(&photo_file::open(file)?)?;
                let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                found.doubts =
                    found.doubts.into_iter().map(|doubt| sentence!("{}: {}", &name, doubt)).collect();
                if found.tiles > 0 {
                    copy.keep_tile_photo(Photo::File(file))?;
                }
                all.push(found);
            }
            Ok(all)
        }
    };
    work(window, page, &sentence!("Looking for tiles…"), job, |window, page, found: Vec<Cut>| {
        let Some(last) = found.last() else { return };
        show_still(window, &small(&last.drawing));
        let tiles: usize = found.iter().map(|f| f.tiles).sum();
        let photos = match found.len() {
            1 => sentence!("this photo"),
            photos => sentence!("{} photos", photos),
        };
        let mut words = vec![match tiles {
            1 => sentence!("1 tile in {}", photos),
            _ => sentence!("{} tiles in {}", tiles, photos),
        }];
        words.extend(found.iter().flat_map(|f| f.doubts.clone()));
        words.extend(waiting_words(page));
        findings(window, page, words);
    });
}

/// A photo as the source gives it: the newest frame, or the files that it is.
type Taken = (Option<Arc<RgbImage>>, Vec<PathBuf>);

/// The picture of a photo.
fn opened((frame, files): &Taken) -> Result<RgbImage, OwnCopyError> {
    match (files.first(), frame) {
        (Some(file), _) => Ok(photo_file::open(file)?),
        (None, Some(frame)) => Ok(RgbImage::clone(frame)),
        (None, None) => Ok(RgbImage::default()),
    }
}

/// Measures the players' pieces.
fn take_pieces(window: &ui::AppWindow, page: &Page, taken: Taken) {
    let colours = adapter_start::colours(window);
    let job = move |copy: &mut OwnCopy| copy.measure_pieces(&opened(&taken)?, &colours);
    work(window, page, &sentence!("Measuring the pieces…"), job, |window, page, measured| {
        show_still(window, &small(&measured.drawing));
        findings(window, page, sizes(&measured.pieces).into_iter().chain(measured.doubts).collect());
    });
}

/// Keeps the fronts of the wall tiles.
fn take_wall_tiles(window: &ui::AppWindow, page: &Page, taken: Taken) {
    let job = move |copy: &mut OwnCopy| copy.keep_wall_tiles(&opened(&taken)?);
    work(window, page, &sentence!("Looking for the wall tiles…"), job, |window, page, sheet| {
        show_still(window, &sheet);
        let words = sentence!(
            "each wall tile stands above its number; if one does not, lay them out again and take another photo"
        );
        findings(window, page, vec![words]);
    });
}

fn drop_photo(window: &ui::AppWindow, page: &Page) {
    let dropped = lock(page).copy.as_ref().map(OwnCopy::drop_last_photo);
    match dropped {
        Some(Ok(_)) => look(window, page),
        Some(Err(error)) => problem(window, page, Some(Sentence::from(&error))),
        None => {}
    }
}

/// On to the tiles, or their photos become a deck.
fn go_on(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::OwnCopyAdapter>();
    if !adapter.get_may_go_on() {
        return;
    }
    match adapter.get_step() {
        ui::OwnStep::Wall => return choose(window, page, ui::OwnStep::Tiles),
        ui::OwnStep::Pieces => return choose(window, page, ui::OwnStep::Fronts),
        ui::OwnStep::Fronts => return window.global::<ui::Actions>().invoke_close(),
        _ => {}
    }
    let waiting = lock(page).copy.as_ref().is_some_and(|copy| copy.waiting().is_ok_and(|w| !w.is_empty()));
    if !waiting {
        return choose(window, page, ui::OwnStep::Faces);
    }
    work(
        window,
        page,
        &sentence!("Enrolling the tiles…"),
        OwnCopy::enrol,
        |window, page, enrolled: Enrolled| {
            lock(page).surveyed = None;
            choose(window, page, ui::OwnStep::Faces);
            tell(window, page, words_of(&enrolled));
        },
    );
}

/// What is to be known of the deck after tiles were enrolled.
fn words_of(enrolled: &Enrolled) -> Vec<Sentence> {
    let twice = enrolled.twice.iter().map(|twice| {
        let [first, second] = &twice.tiles;
        if twice.left_out {
            sentence!(
                "{} looks like {} photographed twice and was left out; Del on it takes it back",
                second,
                first
            )
        } else {
            sentence!("{0} and {1} look alike; if they are one tile, Del leaves {1} out", first, second)
        }
    });
    twice.chain(enrolled.warnings.iter().cloned()).collect()
}

/// The page is left: the form plays with the copy that is there.
fn close(window: &ui::AppWindow, page: &Page) {
    leave_faces(window, page);
    let begun = lock(page).begun;
    let copy =
        std::mem::replace(&mut *lock(page), OwnCopyPage { begun: begun + 1, ..OwnCopyPage::default() });
    let Some(copy) = copy.copy else { return };
    let deck = copy.has_deck().then(|| copy.name().to_owned());
    let wall = copy.has_wall().then(|| copy.name().to_owned());
    let pieces = copy.pieces().map(|_| copy.name().to_owned());
    adapter_start::play_with(window, GameFile { deck, wall, pieces, ..GameFile::default() });
}

/// What is known of a step before its photo is taken.
fn words_before(page: &Page, step: ui::OwnStep) -> Vec<Sentence> {
    match step {
        ui::OwnStep::Tiles => waiting_words(page),
        ui::OwnStep::Pieces => {
            lock(page).copy.as_ref().and_then(OwnCopy::pieces).map_or_else(Vec::new, |pieces| sizes(&pieces))
        }
        _ => Vec::new(),
    }
}

/// How many photos wait to become tiles.
fn waiting_words(page: &Page) -> Vec<Sentence> {
    let page = lock(page);
    let Some(copy) = &page.copy else { return Vec::new() };
    let (tiles, _) = copy.tiles();
    let in_deck = (tiles > 0).then(|| sentence!("{} tiles are enrolled", tiles));
    let waiting = match copy.waiting().map_or(0, |waiting| waiting.len()) {
        0 => None,
        1 => Some(sentence!("1 photo is kept, not enrolled yet")),
        n => Some(sentence!("{} photos are kept, not enrolled yet", n)),
    };
    in_deck.into_iter().chain(waiting).collect()
}
