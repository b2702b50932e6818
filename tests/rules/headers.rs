//! Headers of records, to be changed where a test wants another.

use castellan::record::{Header, VERSION};
use castellan::rules::{Game, Player};

/// A game of The Castle with the house set: the players, named also for their colours;
/// the first begins, and nobody has said which wall tile lies where.
pub fn header(players: &[&str]) -> Header {
    let names: Vec<String> = players.iter().map(|p| (*p).to_owned()).collect();
    Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: Game::Castle,
        deck: "house".to_owned(),
        wall: Some("house".to_owned()),
        edition: None,
        players: names.clone(),
        colours: names,
        neutral: None,
        starts: Player(0),
        wall_tiles: Default::default(),
    }
}

/// A game of the classic game with its 72 tiles.
pub fn classic_header(players: &[&str]) -> Header {
    Header { game: Game::Classic, deck: "classic".to_owned(), wall: None, ..header(players) }
}
