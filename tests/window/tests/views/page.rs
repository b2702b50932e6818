//! The page for other screens in the network.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use castellan::app::ui::{AidsAdapter, StartAdapter};
use castellan::table::sim::Noise;
use castellan_window_tests::{in_its_own_process, open, picture, press, resize, settle, the, watched};
use slint::ComponentHandle;
use slint::platform::Key;

/// What is given at a path of the page on this machine, whatever its address in the network is.
fn got(address: &str, path: &str) -> Option<Vec<u8>> {
    let port: u16 = address.trim_end_matches('/').rsplit(':').next()?.parse().ok()?;
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n").ok()?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all).ok()?;
    let end = all.windows(4).position(|w| w == b"\r\n\r\n")?;
    all.starts_with(b"HTTP/1.1 200").then(|| all[end + 4..].to_vec())
}

#[test]
fn other_screens_see_the_game_and_its_board_while_the_players_want_it() {
    if in_its_own_process("page::other_screens_see_the_game_and_its_board_while_the_players_want_it") {
        return;
    }
    let data = tempfile::tempdir().expect("a folder can be made");
    let table = open();
    table.keep_in(data.path());
    let aids = || table.window().global::<AidsAdapter>();
    assert!(!aids().get_page() && aids().get_page_address().is_empty(), "it is off at first");
    press(&table, "y");
    press(&table, "5");
    the(&table, "A page for other screens in your network");
    let addresses = aids().get_page_address();
    let address = addresses.lines().next().expect("there is an address").to_owned();
    assert!(address.starts_with("http://"), "{address}");
    assert!(aids().get_page_code().size().width > 0, "a phone can read it");
    picture(&table, "aids-page");
    resize(&table, 800, 480);
    picture(&table, "aids-page-small");
    resize(&table, 1280, 800);
    let now = |address: &str| -> serde_json::Value {
        serde_json::from_slice(&got(address, "/now").expect("the page is there")).expect("it is JSON")
    };
    assert_eq!(now(&address)["told"]["line"], "no game is open");

    press(&table, Key::Return);
    let desk = watched(&table, 14, Noise::default(), None);
    let told = now(&address)["told"].clone();
    let view = desk.fetch().view;
    assert_eq!(told["players"][0]["name"], view.players[0].name.as_str());
    assert_eq!(told["players"][1]["total"], view.players[1].total);
    assert_eq!(told["line"], format!("turn {}, {} tiles left", view.turn, view.tiles_left));
    let board = got(&address, "/board.png").expect("there is a board");
    let board = image::load_from_memory(&board).expect("it is a picture");
    assert!(board.width().max(board.height()) > 1000);
    table.window().global::<StartAdapter>().invoke_language_chosen("Deutsch".into());
    settle();
    let line = now(&address)["told"]["line"].clone();
    assert_eq!(line, format!("Zug {}, noch {} Plättchen", view.turn, view.tiles_left));

    press(&table, "y");
    press(&table, "5");
    assert!(got(&address, "/now").is_none(), "nobody looks any more");
    assert!(aids().get_page_address().is_empty());
}
