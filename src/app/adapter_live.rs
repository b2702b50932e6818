//! What only a live table has: the camera's picture, and the keys that people
//! lend the camera a hand with.

use std::sync::{Arc, Mutex};

use image::RgbImage;
use slint::{ComponentHandle, Image, Rgb8Pixel, SharedPixelBuffer};

use super::adapter_board;
use super::command::{Command, Done};
use super::desk::Feed;
use super::shown::{Shown, desk, lock};
use super::terms::Terms;
use super::ui;
use crate::rules::sentence;
use crate::table::Status;

/// Shows which keys there are now.
pub fn show(window: &ui::AppWindow, shown: &Shown) {
    let adapter = window.global::<ui::LiveAdapter>();
    let live = shown.live.is_some() && shown.view.status != Status::Finished;
    let paused = shown.feed == Feed::Paused;
    let ended = matches!(shown.feed, Feed::Ended);
    let by_hand = shown.live.as_ref().is_some_and(|l| l.desk.is_by_hand());
    let has_source = !matches!(shown.feed, Feed::ByHand { has_source: false });
    let blind = matches!(shown.view.status, Status::NoBoard(_));
    adapter.set_active(live);
    adapter.set_paused(paused);
    adapter.set_ended(ended);
    adapter.set_by_hand(live && by_hand);
    adapter.set_has_source(has_source);
    adapter.set_in_need(live && (paused || ended || blind || matches!(shown.feed, Feed::NoPicture(_))));
    adapter.set_turn_open(live && shown.turn_open);
    adapter.set_there(shown.live.is_some());
    adapter.set_undoable(live && shown.undoable);
    let gone = matches!(shown.view.status, Status::TilesGone(_));
    adapter.set_may_score(live && (paused || ended || gone || by_hand));
    adapter.set_tiles_gone(live && !shown.view.missing.is_empty());
    adapter.set_missing_lit(shown.missing_lit);
    if shown.live.is_none() {
        window.global::<ui::CameraAdapter>().set_there(false);
    }
}

/// Tells the desk whether what the camera sees is in sight: a question stands in its place, and the pad of a game
/// that is entered by hand.
pub fn keep_in_sight(window: &ui::AppWindow, shown: &Shown) {
    let Some(live) = &shown.live else { return };
    let adapter = window.global::<ui::CameraAdapter>();
    let hidden = window.global::<ui::QuestionAdapter>().get_there() || live.desk.is_by_hand();
    // A first picture says that there is a camera.
    live.desk.keep_in_sight(!adapter.get_there() || adapter.get_shown() && !hidden);
}

/// Shows what the camera sees.
pub fn show_picture(window: &ui::AppWindow, picture: &RgbImage) {
    let (width, height) = picture.dimensions();
    let adapter = window.global::<ui::CameraAdapter>();
    adapter.set_picture(photo(picture));
    adapter.set_aspect(width as f32 / height.max(1) as f32);
    adapter.set_there(true);
}

/// A frame, or a part of one, for the window.
pub fn photo(picture: &RgbImage) -> Image {
    let (width, height) = picture.dimensions();
    Image::from_rgb8(SharedPixelBuffer::<Rgb8Pixel>::clone_from_slice(picture.as_raw(), width, height))
}

/// Lets the keys reach the game.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::LiveAdapter>();
    let with = |command: Command| {
        let (weak, shown) = (window.as_weak(), Arc::clone(shown));
        move || {
            if let Some(window) = weak.upgrade() {
                carry_out(&window, &shown, &command);
            }
        }
    };
    adapter.on_pause(with(Command::Pause));
    adapter.on_end_turn(with(Command::EndTurn));
    adapter.on_go_by_hand(with(Command::ByHand));
    adapter.on_score_now(with(Command::ScoreNow));
    adapter.on_go_on(with(Command::GoOn));
    adapter.on_undo(with(Command::Undo));
    let (weak, shown) = (window.as_weak(), Arc::clone(shown));
    adapter.on_light_missing(move || {
        let Some(window) = weak.upgrade() else { return };
        let mut shown = lock(&shown);
        shown.missing_lit = !shown.missing_lit;
        show(&window, &shown);
        adapter_board::show(&window, &shown);
    });
}

/// Has the game do what people say, and says so where it cannot; whether it is done.
pub fn carry_out(window: &ui::AppWindow, shown: &Mutex<Shown>, command: &Command) -> bool {
    let Some(desk) = desk(shown) else { return false };
    let done = desk.carry_out(command);
    let terms = Terms::of(window);
    let notice = match &done {
        Done::Done => String::new(),
        Done::Undone => terms.sentence(&sentence!("taken back")),
        Done::Refused(why) => terms.sentence(why),
    };
    window.global::<ui::StateAdapter>().set_notice(notice.into());
    !matches!(done, Done::Refused(_))
}
