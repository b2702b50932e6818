//! The window on a classic game: no wall, a board that grows, more than two players.

use castellan::app::Replay;
use castellan::library;
use castellan::record::{Header, VERSION, play_random_with};
use castellan::rules::castle::Policy;
use castellan::rules::{Game, Player};
use castellan::table::Status;
use castellan_window_tests::{
    in_its_own_process, labelled, log_of, open, picture, press, replay as castle, resize, rows, the,
};

/// A classic game that played itself, as views.
fn classic(players: &[&str], seed: u64) -> Replay {
    let deck = library::deck("classic").expect("the classic deck is built in");
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: Game::Classic,
        deck: "classic".to_owned(),
        wall: None,
        edition: None,
        players: players.iter().map(|n| (*n).to_owned()).collect(),
        neutral: None,
        colours: ["red", "blue", "green", "yellow", "black"][..players.len()]
            .iter()
            .map(|c| (*c).to_owned())
            .collect(),
        starts: Player(0),
        wall_tiles: [].into(),
    };
    let game =
        play_random_with(header, None, &deck.deck, seed, Policy::Random).expect("the deck can be played");
    Replay::of(log_of(&game), deck, None).expect("a record of a game can be replayed")
}

#[test]
fn a_classic_game_is_shown_without_wall_and_keeps() {
    if in_its_own_process("classic::a_classic_game_is_shown_without_wall_and_keeps") {
        return;
    }
    let table = open();
    let deck = || library::deck("classic").expect("the classic deck is built in");
    for players in [&["Ada", "Ben", "Cleo"][..], &["Ada", "Ben", "Cleo", "Dora", "Eli"]] {
        let replay = classic(players, 4);
        let count = players.len();
        table.open_table(deck(), None, "camera:0");
        for (at, name) in [(0, "start"), (40, "early"), (110, "middle"), (replay.steps.len() - 1, "end")] {
            let view = &replay.steps[at].view;
            table.show(view.clone());
            for (width, height, size) in [(960, 600, "small"), (1920, 1080, "tv")] {
                resize(&table, width, height);
                picture(&table, &format!("classic-{count}-{name}-{size}"));
            }
            for player in &view.players {
                the(&table, &format!("{}, {}: {} points", player.name, player.colour_word, player.total));
            }
        }
        let last = &replay.steps[replay.steps.len() - 1].view;
        assert_eq!(last.status, Status::Finished);
        assert!(!rows(&table).is_empty());
        press(&table, "t");
        picture(&table, &format!("classic-{count}-sheet"));
        press(&table, "t");
    }
    let view = classic(&["Ada", "Ben"], 7).steps.swap_remove(60).view;
    table.open_table(deck(), None, "camera:0");
    let facts = |what: &str| labelled(&table, &format!("– {what}")).len();
    let on_track = format!("{} on track", view.players[0].marker_space);
    table.show(view);
    the(&table, &on_track);
    assert_eq!(facts("keep"), 0);
    picture(&table, "classic-2-early");
    // In The Castle it is said that no keep stands yet.
    table.show(castle(3).steps.swap_remove(0).view);
    assert_eq!(facts("keep"), 2);
}
