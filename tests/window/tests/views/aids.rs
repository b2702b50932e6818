//! The aids that a table agrees on: the tiles that are left, projected totals, places that cannot
//! be filled; and a table for purists, which has none.

use castellan::app::ui::{AidsAdapter, BoardAdapter, PlayersAdapter};
use castellan::table::sim::Noise;
use castellan_window_tests::{
    in_its_own_process, labelled, looks, open, picture, press, settle, the, watched,
};
use slint::platform::Key;
use slint::{ComponentHandle, Model};

#[test]
fn what_is_agreed_on_is_shown_and_nothing_else() {
    if in_its_own_process("aids::what_is_agreed_on_is_shown_and_nothing_else") {
        return;
    }
    let data = tempfile::tempdir().expect("a folder can be made");
    let table = open();
    table.keep_in(data.path());
    let desk = watched(&table, 30, Noise::default(), None);
    settle();
    let aids = || table.window().global::<AidsAdapter>();
    let projected = || {
        let players = table.window().global::<PlayersAdapter>().get_players();
        players.iter().map(|p| p.projected.to_string()).collect::<Vec<_>>()
    };

    // How many tiles are left can be counted at the table, so it is shown; the rest is not.
    press(&table, "l");
    let game = desk.game();
    let left = game.position().tiles_left();
    the(&table, &format!("{left} tiles left; touch a place"));
    assert_eq!(aids().get_left().row_count(), left as usize, "each tile of the house set is there once");
    assert_eq!(projected(), ["", ""]);
    looks(&table, "tiles-left");

    // A place that is touched dims the tiles that do not fit there; a tile lights its places.
    let open_cell = |fits: bool| {
        let now = castellan::table::Aids::of(game.position(), |_| true);
        let found = now.fits.into_iter().find(|(_, tiles)| tiles.is_empty() != fits);
        found.map(|(cell, tiles)| (cell, tiles.len()))
    };
    let (cell, count) = open_cell(true).expect("something fits somewhere");
    let touch = |cell: castellan::rules::Cell| {
        let (x, y) = (f32::from(cell.col) + 0.5, f32::from(cell.row) + 0.5);
        table.window().global::<BoardAdapter>().invoke_touch(x, y);
        settle();
    };
    touch(cell);
    let fitting = aids().get_left().iter().filter(|tile| tile.fits).count();
    assert_eq!(fitting, count);
    assert!(aids().get_heading().contains(&format!("of {left} tiles fit in")));
    picture(&table, "aids-fits-here");
    touch(cell);
    assert!(aids().get_left().iter().all(|tile| tile.fits), "a second touch shows all again");
    let first = aids().get_left().row_data(0).expect("a tile is left").tile;
    the(&table, &first).invoke_accessible_default_action();
    settle();
    assert_eq!(aids().get_chosen(), 0);
    assert!(aids().get_heading().starts_with("it fits"));

    // More is agreed on.
    press(&table, "y");
    the(&table, "Aids");
    looks(&table, "aids");
    press(&table, "2");
    press(&table, "3");
    press(&table, Key::Return);
    let totals: Vec<String> = game.position().final_totals().iter().map(u32::to_string).collect();
    assert_eq!(projected(), totals);
    assert!(!labelled(&table, "Ada").is_empty());
    picture(&table, "aids-all");

    // Purists see none of it, also in the next window.
    press(&table, "y");
    press(&table, "0");
    press(&table, Key::Return);
    assert_eq!(projected(), ["", ""]);
    assert!(labelled(&table, "Tiles left").is_empty(), "nothing offers what is not agreed on");
    press(&table, "l");
    assert!(!aids().get_shown());
    let kept = std::fs::read_to_string(data.path().join("window.toml")).expect("it is kept");
    assert!(kept.contains("tiles = false") && kept.contains("unfillable = false"), "{kept}");
}

#[test]
fn each_players_clock_is_shown_where_the_players_want_it() {
    if in_its_own_process("aids::each_players_clock_is_shown_where_the_players_want_it") {
        return;
    }
    let data = tempfile::tempdir().expect("a folder can be made");
    let table = open();
    table.keep_in(data.path());
    let desk = watched(&table, 30, Noise::default(), None);
    settle();
    let clocks = || {
        let clocks = table.window().global::<PlayersAdapter>().get_clocks();
        clocks.iter().map(|clock| clock.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(clocks(), [""; 0], "it is off at first");
    press(&table, "y");
    press(&table, "6");
    press(&table, Key::Return);
    let used = desk.clocks();
    assert!(used.iter().all(|seconds| *seconds > 60.0), "{used:?}");
    let shown = |seconds: &f64| format!("{}:{:02}", *seconds as u64 / 60, *seconds as u64 % 60);
    assert_eq!(clocks(), used.iter().map(shown).collect::<Vec<_>>());
    the(&table, "thinking time");
    looks(&table, "clocks");
    press(&table, "y");
    press(&table, "2");
    press(&table, Key::Return);
    picture(&table, "clocks-and-projected");

    let kept = std::fs::read_to_string(data.path().join("window.toml")).expect("it is remembered");
    assert!(kept.contains("clocks = true"), "{kept}");
    press(&table, "y");
    press(&table, "6");
    press(&table, Key::Return);
    assert_eq!(clocks(), [""; 0]);
}
