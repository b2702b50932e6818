//! The recorded-game suite: which games are filmed, as seeds.
//!
//! | what | seeds |
//! |---|---|
//! | decks, faces and art | [`SUITE_SEEDS`] + 0 to 11: twelve castle decks, each with a painter of its own; `+ 50` to 55: six painters of the classic deck; `+ 60` to 69: ten of the classic deck with modules |
//! | walls | + 100 to 107 |
//! | play, table, light, camera, hands, disturbances | + 1000 and up, one a game |
//!
//! Nothing else may draw from [`SUITE_SEEDS`] on: no training, no setting, no test of a
//! setting. The networks are trained on art of their own that is made without the studio
//! (`models/*/README.md`; the seeds in `models/recogniser/train.py` are 900 000, 1 000 000
//! and 2 000 000 on, in `evaluate.py` 5 000 000 on). Decks of the studio from which settings were taken or that other
//! tables measure have seeds below 1000 or 90 001 and 90 002 (`examples/measure_faces.rs`,
//! `benches`, `tests`), or 64-bit numbers that `castellan render --boards` draws for each board
//! from its `--seed`.

use serde::{Deserialize, Serialize};

use super::hazard::Hazard;
use crate::rules::Game;

/// The first of the seeds that only the suite uses.
pub const SUITE_SEEDS: u64 = 17_000_000_000;
/// How many games of The Castle the suite has.
pub const CASTLE_GAMES: u64 = 30;
/// How many classic games the suite has, after those.
pub const CLASSIC_GAMES: u64 = 6;
/// How many classic games with modules the suite has, after those.
pub const MODULE_GAMES: u64 = 10;
/// Decks and painters of the castle games.
const DECKS: u64 = 12;
/// Walls.
const WALLS: u64 = 8;
/// Hazards of a game. With six of eighteen each is in every third game, and half of a
/// game's turns have none.
const HAZARDS_A_GAME: u64 = 6;

/// Colours of players' pieces that lie on the tables of the suite: black beside natural
/// wood, white on pale paths and green on courts among them.
const COLOURS: [&[&str]; 9] = [
    &["red", "blue"],
    &["black", "white"],
    &["yellow", "green"],
    &["blue", "yellow"],
    &["purple", "white"],
    &["orange", "black"],
    &["green", "white"],
    &["pink", "brown"],
    &["grey", "red"],
];

/// Pieces of the classic games: two to five players.
const CLASSIC_COLOURS: [&[&str]; 6] = [
    &["red", "blue"],
    &["black", "yellow", "green"],
    &["white", "purple"],
    &["blue", "green", "red", "yellow"],
    &["orange", "black", "white"],
    &["red", "green", "blue", "yellow", "black"],
];

/// The sets that are added in the games with modules: those in which all that is done can be
/// seen.
const MODULE_SETS: [&[&str]; 14] = [
    &["river"],
    &["inns"],
    &["traders"],
    &["king"],
    &["river", "inns"],
    &["inns", "traders"],
    &["traders", "king"],
    &["inns", "traders", "king"],
    &["river", "inns", "traders"],
    &["river", "inns", "traders", "king"],
    // Beyond those of the suite.
    &["count"],
    &["cathars"],
    &["count", "inns"],
    &["count", "cathars", "traders"],
];

/// How hard table, light and camera are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conditions {
    /// A good camera nearly overhead, even light.
    Calm,
    /// What a living room gives.
    Usual,
}

/// A game of the suite: the seeds that all of it follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What it is called in tables: `castle 7`, `classic 2`.
    pub name: String,
    /// Which game.
    pub game: Game,
    /// Of the deck's faces and of how it and the wall are painted; of the classic deck only
    /// of how it is painted.
    pub deck: u64,
    /// Of the wall, in games that have one.
    pub wall: u64,
    /// Whether deck and wall are made up from these seeds, or the house set's.
    pub unseen: bool,
    /// Of all else.
    pub seed: u64,
    /// The players' colours.
    pub colours: Vec<String>,
    /// The sets that are added to the classic deck.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// Table, light and camera.
    pub conditions: Conditions,
    /// What happens in it.
    pub hazards: Vec<Hazard>,
}

/// A castle game of the suite, counted from 0. Numbers beyond those of [`Games::SUITE`] make further
/// games of the same kind.
pub fn castle_entry(number: u64, seeds: u64) -> Entry {
    let colours = COLOURS[(number % COLOURS.len() as u64) as usize];
    Entry {
        name: format!("castle {}", number + 1),
        game: Game::Castle,
        deck: seeds + number % DECKS,
        wall: seeds + 100 + number % WALLS,
        unseen: true,
        seed: seeds + 1000 + number,
        colours: colours.iter().map(|c| (*c).to_owned()).collect(),
        sets: Vec::new(),
        conditions: if number.is_multiple_of(3) { Conditions::Calm } else { Conditions::Usual },
        hazards: hazards(number, &Hazard::ALL),
    }
}

/// A classic game of the suite, counted from 0.
pub fn classic_entry(number: u64, seeds: u64) -> Entry {
    let colours = CLASSIC_COLOURS[(number % CLASSIC_COLOURS.len() as u64) as usize];
    // There is no track on the table.
    let without: Vec<Hazard> = Hazard::ALL.into_iter().filter(|h| *h != Hazard::Straightened).collect();
    Entry {
        name: format!("classic {}", number + 1),
        game: Game::Classic,
        deck: seeds + 50 + number % CLASSIC_GAMES,
        wall: 0,
        unseen: true,
        seed: seeds + 2000 + number,
        colours: colours.iter().map(|c| (*c).to_owned()).collect(),
        sets: Vec::new(),
        conditions: if number.is_multiple_of(3) { Conditions::Calm } else { Conditions::Usual },
        hazards: hazards(number, &without),
    }
}

/// A classic game with modules of the suite, counted from 0.
pub fn module_entry(number: u64, seeds: u64) -> Entry {
    let sets = MODULE_SETS[(number % MODULE_SETS.len() as u64) as usize];
    Entry {
        name: format!("modules {}", number + 1),
        deck: seeds + 60 + number % MODULE_GAMES,
        seed: seeds + 3000 + number,
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        ..classic_entry(number, seeds)
    }
}

/// How many games of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Games {
    /// Games of The Castle.
    pub castle: u64,
    /// Classic games.
    pub classic: u64,
    /// Classic games with modules.
    pub modules: u64,
}

impl Games {
    /// Those of the suite.
    pub const SUITE: Games = Games { castle: CASTLE_GAMES, classic: CLASSIC_GAMES, modules: MODULE_GAMES };
}

/// All games of the suite, or of another one with seeds of its own.
pub fn suite(games: Games, seeds: u64) -> Vec<Entry> {
    let castle = (0..games.castle).map(|n| castle_entry(n, seeds));
    let classic = (0..games.classic).map(|n| classic_entry(n, seeds));
    castle.chain(classic).chain((0..games.modules).map(|n| module_entry(n, seeds))).collect()
}

/// What happens in a game: each of `all` in every third game, so that every pair meets.
fn hazards(number: u64, all: &[Hazard]) -> Vec<Hazard> {
    let n = all.len() as u64;
    // Steps of 1, 5 and 7 through 17 or 18 hazards, by the round of games.
    let step = [1, 5, 7][(number / 3 % 3) as usize];
    let mut picked: Vec<Hazard> =
        (0..HAZARDS_A_GAME).map(|k| all[((number * HAZARDS_A_GAME + k * step) % n) as usize]).collect();
    picked.sort();
    picked.dedup();
    picked
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn the_suite_is_as_large_and_as_mixed_as_it_says() {
        let all = suite(Games::SUITE, SUITE_SEEDS);
        assert_eq!(all.len(), 46);
        let castle: Vec<&Entry> = all.iter().filter(|e| e.game == Game::Castle).collect();
        let count = |of: BTreeSet<u64>| of.len();
        assert_eq!(count(castle.iter().map(|e| e.deck).collect()), 12);
        assert_eq!(count(castle.iter().map(|e| e.wall).collect()), 8);
        assert_eq!(count(all.iter().map(|e| e.seed).collect()), 46);
        let sets = |set: &str| all.iter().filter(|e| e.sets.iter().any(|s| s == set)).count();
        assert!(["river", "inns", "traders", "king"].into_iter().all(|set| sets(set) >= 4));
        assert!(all.iter().all(|e| e.deck >= SUITE_SEEDS && e.seed >= SUITE_SEEDS));
        let mut met: BTreeMap<Hazard, u32> = BTreeMap::new();
        for hazard in all.iter().flat_map(|e| &e.hazards) {
            *met.entry(*hazard).or_default() += 1;
        }
        for hazard in Hazard::ALL {
            assert!(met.get(&hazard).is_some_and(|n| *n >= 6), "{hazard:?}: {met:?}");
        }
    }
}
