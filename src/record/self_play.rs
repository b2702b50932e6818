//! Whole records of games that played themselves.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::event::{EventKind, Header, Source, VERSION};
use super::fold;
use super::game::{Game, RecordError};
use crate::rules::castle::{Policy, random_wall_tiles};
use crate::rules::{self, Deck, Player, Wall, castle, classic};

/// Seconds that a turn takes in the record of a game that played itself.
const SECONDS_A_TURN: f64 = 20.0;

/// A whole record of a game that plays itself. The same seed gives the same
/// game.
///
/// # Errors
/// [`RecordError`] when the wall and the deck cannot be played with.
pub fn play_random(wall: &Wall, deck: &Deck, seed: u64, policy: Policy) -> Result<Game, RecordError> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: rules::Game::Castle,
        deck: deck.name.clone(),
        wall: Some(wall.name.clone()),
        edition: None,
        players: ["White", "Black"].map(str::to_owned).to_vec(),
        colours: ["white", "black"].map(str::to_owned).to_vec(),
        starts: Player((seed % 2) as u8),
        wall_tiles: random_wall_tiles(&wall.towers, &mut rng),
    };
    play_random_with(header, wall, deck, seed, policy)
}

/// As [`play_random`], under a header of one's own, of any game; the classic game is
/// always played at random.
///
/// # Errors
/// As [`play_random`].
pub fn play_random_with<'a>(
    header: Header,
    wall: impl Into<Option<&'a Wall>>,
    deck: &Deck,
    seed: u64,
    policy: Policy,
) -> Result<Game, RecordError> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut game = Game::new(header, wall, deck)?;
    let mut facts = Vec::new();
    let start = game.start_position();
    if let Some(start) = start.as_any().downcast_ref::<castle::Position>() {
        castle::play_out(&mut start.clone(), policy, &mut rng, |position, played| {
            facts.extend(fold::to_fact(position, played));
        });
    } else if let Some(start) = start.as_any().downcast_ref::<classic::Position>() {
        classic::play_out(&mut start.clone(), &mut rng, |position, played| {
            facts.extend(fold::to_fact(position, played));
        });
    }
    let mut t = 0.0;
    for fact in facts {
        if matches!(fact, EventKind::TurnEnded { .. }) {
            t = (t / SECONDS_A_TURN).floor() * SECONDS_A_TURN + SECONDS_A_TURN;
        } else {
            t += 2.0;
        }
        game.apply(fact, Source::Table, 1.0, t)?;
    }
    Ok(game)
}
