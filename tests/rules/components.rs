//! What the game consists of, as the validator and the set-up see it.

use castellan::library;
use castellan::record::{EventKind, Game, RecordError, play_random};
use castellan::rules::castle::validate::{check_deck, check_wall};
use castellan::rules::castle::{FOLLOWERS, Policy, Position, random_wall_tiles};
use castellan::rules::{Attribute, Kind, Player};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::decks::house_wall;
use crate::headers::header;

fn house() -> castellan::rules::Deck {
    library::deck("house").unwrap().deck
}

/// CA-01: exactly two play.
#[test]
fn one_or_three_players_are_refused() {
    for players in [&["White"][..], &["White", "Black", "Red"][..]] {
        let error = Game::new(header(players), &house_wall(), &house()).unwrap_err();
        assert!(matches!(error, RecordError::Setup(_)), "{error}");
    }
    assert!(Game::new(header(&["White", "Black"]), &house_wall(), &house()).is_ok());
}

/// CA-02 CA-09 CA-15: the track of 0 to 99, towers that cover pairs of it, 76 cells.
#[test]
fn the_wall_has_its_cells_and_its_track() {
    let wall = house_wall();
    assert_eq!(check_wall(&wall), []);
    assert_eq!(wall.cells().len(), 76);
    assert_eq!(wall.track.len(), 100);
    assert!(wall.towers.iter().all(|t| t.1 == t.0 + 1));
    let mut small = wall.clone();
    small.outline[0] = small.outline[0].replacen('#', ".", 1);
    assert!(check_wall(&small).iter().any(|f| f.rule == "CA-15"), "{:?}", check_wall(&small));
    let mut short = wall;
    short.track.pop();
    assert!(check_wall(&short).iter().any(|f| f.rule == "CA-02"));
}

/// CA-03 CA-16: sixty tiles, each once.
#[test]
fn the_deck_has_sixty_tiles() {
    let mut deck = house();
    assert_eq!(check_deck(&deck), []);
    deck.tiles.pop();
    assert!(check_deck(&deck).iter().any(|f| f.rule == "CA-03"));
}

/// CA-04 CA-07 CA-08: two of each of nine wall tiles; thirteen lie on the towers, five are put aside.
#[test]
fn thirteen_of_eighteen_wall_tiles_are_laid() {
    let wall = house_wall();
    let tiles = random_wall_tiles(&wall.towers, &mut Pcg64Mcg::seed_from_u64(1));
    assert_eq!(tiles.len(), 13);
    assert!(!tiles.contains_key(&0));
    for number in 1..=9 {
        assert!(tiles.values().filter(|n| **n == number).count() <= 2);
    }
    // Nobody has said which is which: no view shows a number.
    let position = Position::new(&wall, &house()).unwrap();
    assert_eq!(position.wall_tiles_on_wall().len(), 13);
    assert!(position.wall_tiles_on_wall().iter().all(|t| t.1.is_none()));
}

/// CA-05 CA-06: seven followers a player, one of them the marker on space 0.
#[test]
fn six_followers_are_in_each_supply() {
    let position = Position::new(&house_wall(), &house()).unwrap();
    for player in [Player(0), Player(1)] {
        assert_eq!(position.supply(player), FOLLOWERS);
        assert_eq!(position.total(player), 0);
        assert_eq!(position.keep(player), None);
    }
}

/// CA-11: any unused tile may be drawn.
#[test]
fn every_tile_may_be_the_first() {
    let position = Position::new(&house_wall(), &house()).unwrap();
    for tile in 0..position.tiles() {
        assert_eq!(position.remaining(tile), 1);
    }
}

/// CA-13 CA-32: a face knows path, tower, house, court, market, square and fountain, nothing else.
#[test]
fn faces_carry_what_the_rules_know() {
    let kinds = [Kind::PATH, Kind::TOWER, Kind::HOUSE, Kind::COURT];
    for tile in house().tiles {
        for segment in tile.face.unwrap().segments() {
            assert!(kinds.contains(&segment.kind));
            assert_eq!(segment.attributes.count(Attribute::PENNANT), 0);
        }
    }
    let mut deck = house();
    deck.tiles[0].face = Some("city n; road s".parse().unwrap());
    assert!(Position::new(&house_wall(), &deck).is_err());
    deck.tiles[0].face = None;
    assert!(Position::new(&house_wall(), &deck).unwrap_err().to_string().contains("has no face"));
}

/// CA-14 CA-116: sixty castle tiles end the game; sixteen cells stay empty, one more for each discarded tile.
#[test]
fn a_whole_game_leaves_sixteen_cells_empty() {
    for seed in 0..8 {
        let game = play_random(&house_wall(), &house(), seed, Policy::Random).unwrap();
        let discarded =
            game.events().iter().filter(|e| matches!(e.kind, EventKind::TileDiscarded { .. })).count();
        let position = game.position();
        let empty = position.cells().iter().filter(|c| position.tile_at(**c).is_none()).count();
        assert_eq!(empty, 16 + discarded);
        assert!(matches!(game.events().last().unwrap().kind, EventKind::GameEnded { .. }));
    }
}
