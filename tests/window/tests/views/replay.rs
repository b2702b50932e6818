//! A recorded game in the window: steps, scores, keys and the size of the
//! totals.

use castellan::app::TableWindow;
use castellan::app::ui::{ReplayAdapter, ScoresAdapter};
use castellan_window_tests::{
    in_its_own_process, labelled, log, looks, open, picture, press, replay, resize, rows, settle, the,
};
use image::RgbaImage;
use slint::ComponentHandle;
use slint::platform::Key;

#[test]
fn a_recorded_game_is_stepped_through_by_keys() {
    if in_its_own_process("replay::a_recorded_game_is_stepped_through_by_keys") {
        return;
    }
    let table = open();
    let replay = replay(7);
    let last = i32::try_from(replay.steps.len() - 1).expect("a game has few steps");
    let totals = replay.steps[replay.steps.len() - 1].view.sheet.clone().expect("the game is over").totals;
    table.open_replay(replay, "game.jsonl");
    let adapter = || table.window().global::<ReplayAdapter>();

    assert_eq!(adapter().get_step(), last);
    the(&table, "Final sheet");
    the(&table, &format!("Ada, blue: {} points", totals[0]));
    the(&table, &format!("Ben, tan: {} points", totals[1]));
    picture(&table, "sheet");

    press(&table, Key::Home);
    assert_eq!(adapter().get_step(), 0);
    the(&table, "0 tiles on the table");
    assert!(labelled(&table, "Final sheet").is_empty());
    press(&table, Key::LeftArrow);
    assert_eq!(adapter().get_step(), 0, "there is no step before the first");
    press(&table, Key::RightArrow);
    the(&table, "1 tile on the table");
    press(&table, Key::End);
    assert_eq!(adapter().get_step(), last);

    adapter().invoke_go(last / 2);
    settle();
    looks(&table, "play");
    let live = picture(&table, "play");
    press(&table, Key::DownArrow);
    press(&table, Key::DownArrow);
    assert_eq!(table.window().global::<ScoresAdapter>().get_selected(), 1);
    assert_ne!(picture(&table, "chosen"), live, "the chosen score is lit");
    press(&table, Key::Escape);
    assert_eq!(table.window().global::<ScoresAdapter>().get_selected(), -1);
    assert_eq!(picture(&table, "live-again"), live);

    let row = rows(&table).into_iter().nth(2).expect("three scores are in sight");
    row.invoke_accessible_default_action();
    settle();
    assert_eq!(table.window().global::<ScoresAdapter>().get_selected(), 2);
    press(&table, Key::Escape);

    press(&table, Key::F1);
    the(&table, "About Castellan");
    looks(&table, "about");
    the(&table, "Close").invoke_accessible_default_action();
    settle();
    assert!(labelled(&table, "About Castellan").is_empty());

    press(&table, "t");
    picture(&table, "play-dark");
    resize(&table, 1920, 1080);
    picture(&table, "play-dark-tv");
    press(&table, "t");
    picture(&table, "play-tv");
    resize(&table, 960, 600);
    picture(&table, "play-small");
    resize(&table, 1280, 800);

    the_totals_are_readable_from_far(&table);
    assert_eq!(log(7).header.players, ["Ada", "Ben"]);
}

/// At 1280 by 800 the digits of both totals are at least 120 px high, three of
/// them too.
fn the_totals_are_readable_from_far(table: &TableWindow) {
    let mut view = replay(7).steps.swap_remove(20).view;
    view.players[0].total = 108;
    view.players[1].total = 888;
    view.to_move = Some(1);
    table.show(view);
    let picture = picture(table, "three-digits");
    for (name, fill) in [("Ada", false), ("Ben", true)] {
        let panel = the(table, &format!("{name}, "));
        let (at, size) = (panel.absolute_position(), panel.size());
        let inside = |v: f32| v.round() as u32;
        let (left, right) = (inside(at.x) + 20, inside(at.x + size.width) - 8);
        let (top, bottom) = (inside(at.y) + 8, inside(at.y + size.height) - 8);
        let ground = *picture.get_pixel(inside(at.x + size.width) - 12, inside(at.y + size.height) - 12);
        let tallest = tallest_ink(&picture, ground, (left, right), (top, bottom));
        assert!(tallest >= 120, "{name}: the digits are {tallest} px high, filled {fill}");
        let edge = (top..bottom).any(|y| distance(picture.get_pixel(right, y).0, ground.0) > 60);
        assert!(!edge, "{name}: something runs into the edge of the panel");
    }
}

/// The longest run of rows with ink in them.
fn tallest_ink(picture: &RgbaImage, ground: image::Rgba<u8>, x: (u32, u32), y: (u32, u32)) -> u32 {
    let (mut tallest, mut run) = (0, 0);
    for row in y.0..y.1 {
        let inked = (x.0..x.1).any(|col| distance(picture.get_pixel(col, row).0, ground.0) > 200);
        run = if inked { run + 1 } else { 0 };
        tallest = tallest.max(run);
    }
    tallest
}

fn distance(a: [u8; 4], b: [u8; 4]) -> u32 {
    a.iter().zip(b).take(3).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}
