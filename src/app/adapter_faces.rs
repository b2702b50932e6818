//! The page on which the faces of an own copy are looked over.

use slint::{ComponentHandle, Model};

use super::adapter_live::photo;
use super::faces_page::{Choice, FacesPage};
use super::models::refreshed;
use super::own_copy_page::{Page, lock, problem, states, tell};
use super::terms::Terms;
use super::ui;
use crate::calibrate::faces::edit::Spot;
use crate::calibrate::own_copy::{OwnCopyError, Place, Printed};
use crate::rules::{Sentence, sentence};
use crate::vision::base::error::VisionError;

/// How large the face that is looked at is drawn, pixels.
const LARGE_PX: u32 = 640;
/// And those in the list.
const SMALL_PX: u32 = 96;

/// Lets the page's keys reach the faces.
pub fn connect(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::FacesAdapter>();
    // What is done with a number, or with none.
    let on = |act: fn(&mut FacesPage, i32) -> Result<(), OwnCopyError>| {
        let (weak, page) = (window.as_weak(), Page::clone(page));
        move |by: i32| {
            if let Some(window) = weak.upgrade() {
                change(&window, &page, |faces| act(faces, by));
            }
        }
    };
    adapter.on_select(on(|faces, at| {
        faces.show(usize::try_from(at).unwrap_or(0));
        Ok(())
    }));
    adapter.on_step_item(on(|faces, by| {
        let at = faces.at.saturating_add_signed(by as isize);
        faces.show(at);
        Ok(())
    }));
    adapter.on_step_spot(on(|faces, by| {
        let count = faces.spots().len() as i32;
        if count > 0 {
            faces.spot = (faces.spot as i32 + by).rem_euclid(count) as usize;
        }
        Ok(())
    }));
    let join = on(|faces, _| {
        match (faces.joining, faces.spot()) {
            // The spot was walked to by keys.
            (Some(from), Some(Spot::Port(to))) if from != to => return faces.point(Spot::Port(to)),
            (None, Some(Spot::Port(port))) => faces.joining = Some(port),
            _ => faces.joining = None,
        }
        Ok(())
    });
    adapter.on_join(move || join(0));
    let part = on(|faces, _| match (faces.place(), faces.spot()) {
        (Some(place), Some(Spot::Port(port))) => faces.printed.part(place, port),
        _ => Ok(()),
    });
    adapter.on_part(move || part(0));
    let accept = on(|faces, _| {
        // What is being joined is joined first.
        if let (Some(_), Some(spot)) = (faces.joining, faces.spot()) {
            return faces.point(spot);
        }
        let Some(place) = faces.place() else { return Ok(()) };
        faces.printed.accept(place)?;
        let next = faces.at + 1;
        faces.next_open(next);
        Ok(())
    });
    adapter.on_accept(move || accept(0));
    let exchange = on(|faces, _| {
        faces.exchanging = !faces.exchanging && !faces.exchanges().is_empty();
        Ok(())
    });
    adapter.on_exchange(move || exchange(0));
    let (weak, of) = (window.as_weak(), Page::clone(page));
    adapter.on_undo(move || {
        let Some(window) = weak.upgrade() else { return };
        let mut many = false;
        change(&window, &of, |faces| {
            let places = faces.printed.undo()?;
            many = places.len() > 1;
            // Of many it shows what was looked at.
            let first = places.first().filter(|_| !many);
            if let Some(at) = first.and_then(|place| faces.places.iter().position(|p| p == place)) {
                faces.show(at);
            }
            Ok(())
        });
        if many {
            show_all(&window, &of);
        }
    });
    let (weak, of) = (window.as_weak(), Page::clone(page));
    adapter.on_leave_out(move || {
        let Some(window) = weak.upgrade() else { return };
        let done = lock(&of).faces.as_mut().map(|faces| {
            let done = faces.place().map_or(Ok(()), |place| faces.printed.leave_out(place));
            faces.places = faces.printed.places();
            faces.show(faces.at);
            done
        });
        if let Some(Err(error)) = done {
            problem(&window, &of, Some(Sentence::from(&error)));
        }
        show_all(&window, &of);
        states(&window, &of);
    });
    let (weak, of) = (window.as_weak(), Page::clone(page));
    adapter.on_point(move |x, y| {
        let Some(window) = weak.upgrade() else { return };
        change(&window, &of, |faces| {
            Spot::nearest(faces.spots(), x, y).map_or(Ok(()), |spot| faces.point(spot))
        });
    });
    let (weak, of) = (window.as_weak(), Page::clone(page));
    adapter.on_do(move |key| {
        let Some(window) = weak.upgrade() else { return };
        let mut many = false;
        change(&window, &of, |faces| {
            let index = key.parse::<usize>().ok().and_then(|digit| digit.checked_sub(1));
            let choice = index.and_then(|index| faces.choices().get(index).copied());
            many = matches!(choice, Some(Choice::Exchange(..)));
            choice.map_or(Ok(()), |choice| faces.act(choice))
        });
        if many {
            show_all(&window, &of);
        }
    });
}

/// Shows all faces anew.
pub fn show_all(window: &ui::AppWindow, page: &Page) {
    if lock(page).faces.is_some() {
        tell(window, page, against_rules(page));
        show_again(window, page);
    }
}

/// Shows all faces in the language of the window.
pub fn show_again(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::FacesAdapter>();
    {
        let terms = Terms::of(window);
        let page = lock(page);
        let Some(faces) = &page.faces else { return };
        let items: Vec<ui::FaceItem> =
            faces.places.iter().map(|place| item(&terms, &faces.printed, *place)).collect();
        adapter.set_items(refreshed(&adapter.get_items(), items));
    }
    show(window, page);
}

/// What the rules find wrong, once all has been looked at.
fn against_rules(page: &Page) -> Vec<Sentence> {
    let page = lock(page);
    let seen = page.faces.as_ref().filter(|faces| faces.printed.open_ones() == 0);
    seen.map(|faces| faces.printed.against_rules()).unwrap_or_default()
}

/// Does something with the faces, and shows what has come of it: the item that was looked at
/// before, and the one that is now.
fn change(window: &ui::AppWindow, page: &Page, act: impl FnOnce(&mut FacesPage) -> Result<(), OwnCopyError>) {
    let items = window.global::<ui::FacesAdapter>().get_items();
    let terms = Terms::of(window);
    let done = {
        let mut page = lock(page);
        let Some(faces) = &mut page.faces else { return };
        let before = faces.at;
        let done = act(faces);
        let other = Some(faces.at).filter(|at| *at != before);
        for index in std::iter::once(before).chain(other) {
            if let Some(place) = faces.places.get(index) {
                items.set_row_data(index, item(&terms, &faces.printed, *place));
            }
        }
        done
    };
    match done.err() {
        // What cannot be done is said beside the face.
        Some(OwnCopyError::Edit(error)) => tell(window, page, vec![Sentence::from(&error)]),
        Some(error) => problem(window, page, Some(Sentence::from(&error))),
        None => tell(window, page, against_rules(page)),
    }
    show(window, page);
    states(window, page);
}

fn item(terms: &Terms<'_>, printed: &Printed, place: Place) -> ui::FaceItem {
    ui::FaceItem {
        title: terms.sentence(&printed.title(place)).into(),
        picture: drawn(printed.draw(place, SMALL_PX, None)),
        open: printed.is_open(place),
        left_out: matches!(place, Place::LeftOut(_)),
    }
}

fn drawn(picture: Result<image::RgbImage, VisionError>) -> slint::Image {
    picture.map(|picture| photo(&picture)).unwrap_or_else(|error| {
        tracing::warn!("a tile cannot be drawn: {error}");
        slint::Image::default()
    })
}

/// Shows the face that is looked at.
fn show(window: &ui::AppWindow, page: &Page) {
    let adapter = window.global::<ui::FacesAdapter>();
    let terms = Terms::of(window);
    let page = lock(page);
    let Some(faces) = &page.faces else { return };
    adapter.set_at(i32::try_from(faces.at).unwrap_or(0));
    adapter.set_open_ones(i32::try_from(faces.printed.open_ones()).unwrap_or(i32::MAX));
    adapter.set_joining(faces.joining.is_some());
    adapter.set_exchanging(faces.exchanging);
    let Some(place) = faces.place() else { return };
    let face = faces.printed.face(place);
    adapter.set_is_start(matches!(place, Place::Start(_)));
    adapter.set_picture(drawn(faces.printed.draw(place, LARGE_PX, faces.spot())));
    adapter
        .set_face(face.map_or_else(|| terms.sentence(&sentence!("not known")), ToString::to_string).into());
    let spot = faces.spot().map(|spot| terms.sentence(&spot_words(spot)));
    adapter.set_spot(spot.unwrap_or_default().into());
    let segment = face.and_then(|face| {
        let spot = faces.spot()?;
        face.segments().get(spot.segment(face)?)
    });
    let word = |word: &str| terms.sentence(&Sentence::word(word));
    let choices: Vec<ui::FaceChoice> = faces
        .choices()
        .into_iter()
        .enumerate()
        .map(|(i, choice)| {
            let (text, chosen) = match choice {
                Choice::Kind(Some(kind)) => (word(kind.name()), segment.is_some_and(|s| s.kind == kind)),
                Choice::Kind(None) => (terms.sentence(&sentence!("nothing")), segment.is_none()),
                Choice::Exchange(a, b) => (format!("{} ↔ {}", word(a.name()), word(b.name())), false),
                Choice::Attribute(attribute) => {
                    let count = segment.map_or(0, |s| s.attributes.count(attribute));
                    let name = Sentence::word(attribute.name());
                    let text = if count > 1 {
                        sentence!("{}, {} of them", name, count)
                    } else {
                        sentence!("with {}", name)
                    };
                    (terms.sentence(&text), count > 0)
                }
            };
            ui::FaceChoice { key: (i + 1).to_string().into(), text: text.into(), chosen }
        })
        .collect();
    adapter.set_choices(refreshed(&adapter.get_choices(), choices));
}

/// A spot in words.
fn spot_words(spot: Spot) -> Sentence {
    let Spot::Port(port) = spot else { return sentence!("within the tile") };
    match port.index() {
        0 => sentence!("above, left"),
        1 => sentence!("above, middle"),
        2 => sentence!("above, right"),
        3 => sentence!("right, upper"),
        4 => sentence!("right, middle"),
        5 => sentence!("right, lower"),
        6 => sentence!("below, right"),
        7 => sentence!("below, middle"),
        8 => sentence!("below, left"),
        9 => sentence!("left, lower"),
        10 => sentence!("left, middle"),
        _ => sentence!("left, upper"),
    }
}
