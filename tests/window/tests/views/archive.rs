//! The recorded games: offered again on the first screen, looked through by keys, named,
//! deleted, counted; and what the form remembers of them.

use std::path::Path;

use castellan::app::ui::{ArchiveAdapter, StartAdapter};
use castellan::archive;
use castellan::record::{Game, LogWriter, Source};
use castellan::{app::TableWindow, library};
use castellan_window_tests::{
    comes, in_its_own_process, labelled, log, open, picture, press, resize, settle, the,
};
use slint::platform::Key;
use slint::{ComponentHandle, Model};

/// Records the first turns of a game, or all of it.
fn record(folder: &Path, name: &str, seed: u64, players: [&str; 2], facts: usize) {
    let (wall, deck) = (library::wall("house"), library::deck("house"));
    let (wall, deck) = (wall.expect("it is built in"), deck.expect("it is built in").deck);
    let played = log(seed).replay(&wall, &deck).expect("the record can be played");
    let mut header = played.header().clone();
    header.players = players.map(str::to_owned).to_vec();
    let mut game = Game::new(header.clone(), &wall, &deck).expect("the house set makes a game");
    for (_, fact) in played.facts().into_iter().take(facts) {
        game.apply(fact, Source::Hand, 1.0, 0.0).expect("it was played");
    }
    let file = folder.join(format!("{name}.jsonl"));
    let mut writer = LogWriter::create(&file, &header).expect("a record can be begun");
    writer.write(&game).expect("it can be written");
}

/// Waits until the list that is read in a thread of its own has come.
fn listed(table: &TableWindow, beginning: &str) {
    comes(table, beginning, 500);
}

#[test]
fn recorded_games_are_gone_on_with_named_deleted_and_counted() {
    if in_its_own_process("archive::recorded_games_are_gone_on_with_named_deleted_and_counted") {
        return;
    }
    let data = tempfile::tempdir().expect("a folder can be made");
    let games = data.path().join("games");
    std::fs::create_dir(&games).expect("a folder can be made");
    record(&games, "2026-03-01-184500Z", 3, ["Ada", "Ben"], usize::MAX);
    record(&games, "2026-03-08-184500Z", 4, ["Ada", "Ben"], usize::MAX);
    record(&games, "2026-03-15-184500Z", 5, ["Ada", "Cleo"], 30);
    std::fs::write(games.join("torn.jsonl"), "{}\n").expect("it is written");

    let table = open();
    table.keep_in(data.path());
    table.ask(&Default::default());
    listed(&table, "Recorded games");
    let players = table.window().global::<StartAdapter>().get_players();
    let names: Vec<String> = players.iter().map(|p| p.name.to_string()).collect();
    assert_eq!(names, ["Ada", "Cleo"], "as in the game that was played last");
    picture(&table, "start-returning");

    // An unfinished game is gone on with: its players stand, its source is asked for.
    let unfinished = labelled(&table, "Ada ")
        .into_iter()
        .find(|e| e.accessible_label().is_some_and(|l| l.contains("Cleo") && l.contains("tiles left")));
    unfinished.expect("it is offered").invoke_accessible_default_action();
    settle();
    assert_eq!(the(&table, "Player 1").accessible_enabled(), Some(false));
    picture(&table, "start-going-on");
    the(&table, "Go on without a camera").invoke_accessible_default_action();
    settle();
    assert!(labelled(&table, "How to begin").is_empty(), "the game is open");
    let open_now = archive::delete(&games.join("2026-03-15-184500Z.jsonl"));
    assert!(open_now.is_err(), "it is being recorded");
    press(&table, "o");
    press(&table, Key::Return);
    listed(&table, "How to begin");

    // The list, by keys alone.
    press(&table, "a");
    listed(&table, "All recorded games");
    listed(&table, "The chosen game");
    press(&table, Key::DownArrow);
    picture(&table, "archive");
    press(&table, "/");
    the(&table, "Search").set_accessible_value("cleo");
    settle();
    let games_listed = table.window().global::<ArchiveAdapter>().get_games().row_count();
    assert_eq!(games_listed, 1, "one game has the word");
    the(&table, "Search").set_accessible_value("");
    press(&table, Key::Escape);
    the(&table, "All recorded games");

    press(&table, "r");
    the(&table, "New name").set_accessible_value("A: B");
    the(&table, "Name it so").invoke_accessible_default_action();
    settle();
    the(&table, "New name");
    the(&table, "a game's name has 1 to");
    the(&table, "New name").set_accessible_value("Rainy Sunday");
    the(&table, "Name it so").invoke_accessible_default_action();
    settle();
    assert!(games.join("Rainy Sunday.jsonl").is_file());
    assert!(labelled(&table, "New name").is_empty());

    press(&table, "p");
    assert!(games.join("Rainy Sunday.png").is_file() && games.join("Rainy Sunday.txt").is_file());

    press(&table, "b");
    assert!(!table.window().global::<ArchiveAdapter>().get_code_shown(), "this game is not over");
    press(&table, Key::DownArrow);
    press(&table, "b");
    let code = the(&table, "https://app.bgstatsapp.com/createPlay.html?data=%7B");
    assert!(code.accessible_label().is_some_and(|link| link.contains("Ada") && link.contains("7717")));
    picture(&table, "archive-code");
    press(&table, Key::UpArrow);
    assert!(!table.window().global::<ArchiveAdapter>().get_code_shown(), "the code is the other game's");

    press(&table, "s");
    listed(&table, "Statistics");
    the(&table, "Ada: 2 games");
    the(&table, "Ada and Ben: 2 games");
    picture(&table, "statistics");
    press(&table, "s");

    // Deleting asks twice; Esc leaves all as it is.
    press(&table, Key::Delete);
    the(&table, "Delete this game");
    press(&table, Key::Return);
    the(&table, "It cannot be had back");
    press(&table, Key::Escape);
    assert!(games.join("Rainy Sunday.jsonl").is_file());
    press(&table, Key::Delete);
    press(&table, Key::Return);
    press(&table, Key::Return);
    assert!(!games.join("Rainy Sunday.jsonl").exists() && !games.join("Rainy Sunday.png").exists());
    the(&table, "All recorded games");

    // A game is shown turn by turn.
    press(&table, Key::Return);
    listed(&table, "Step of the record");

    resize(&table, 800, 480);
}
