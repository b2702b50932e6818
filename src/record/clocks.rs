//! How long each player's turns have taken.

use super::event::EventKind;
use super::game::Game;
use crate::rules::{Phase, Player};

/// How long each player's turns have taken. A turn lasts from the last piece of the one before to its own
/// last piece, a tile or a figure; the first from its tile on, since nobody knows when the players sat down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clocks {
    /// Of the turns that are over, by player, seconds.
    used: Vec<f64>,
    /// Whose turn goes on, and since when, in seconds of the record; `None` before the first tile and after
    /// the end of the game.
    running: Option<(Player, f64)>,
}

impl Clocks {
    /// The clocks of a game, as far as it is recorded. What was put into the record later tells no time.
    pub fn of(game: &Game) -> Clocks {
        let players: Vec<Player> = game.players().collect();
        let mut used = vec![0.0; players.len()];
        let events = game.events();
        // When a fact was recorded, where it was when it happened.
        let at = |seq: u64| {
            let event = events.get(usize::try_from(seq.checked_sub(1)?).ok()?)?;
            (!matches!(event.kind, EventKind::Inserted { .. })).then_some(event.t)
        };
        let mut last: Option<(Player, f64)> = None;
        for turn in game.turns() {
            let pieces = turn.facts.iter().filter_map(|(seq, kind)| match kind {
                EventKind::TilePlaced { player, .. } | EventKind::FollowerPlaced { player, .. } => {
                    Some((*player, at(*seq)?))
                }
                _ => None,
            });
            let Some((player, from, until)) = pieces
                .map(|(player, t)| (player, t, t))
                .reduce(|first, next| (first.0, first.1.min(next.1), first.2.max(next.2)))
            else {
                continue;
            };
            let since = last.map_or(from, |(_, since)| since);
            if let Some(used) = used.get_mut(player.index()) {
                *used += (until - since).max(0.0);
            }
            last = Some((player, since.max(until)));
        }
        let position = game.position();
        let running = last.filter(|_| position.phase() != Phase::Over).map(|(player, since)| {
            // Who has laid has done, until a figure tells otherwise.
            let next = Player(((player.index() + 1) % players.len().max(1)) as u8);
            (if position.phase() == Phase::Tile { position.to_move() } else { next }, since)
        });
        Clocks { used, running }
    }

    /// Seconds by player, `now` seconds after the record began.
    pub fn at(&self, now: f64) -> Vec<f64> {
        let mut all = self.used.clone();
        if let Some((player, since)) = self.running
            && let Some(used) = all.get_mut(player.index())
        {
            *used += (now - since).max(0.0);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::record::{Change, Edit, Source, play_random};
    use crate::rules::FigureKind;
    use crate::rules::castle::Policy;

    /// A game of the house set in which each turn takes 10 s and its follower comes 2 s later, as far as so
    /// many facts go.
    fn game(facts: usize) -> Game {
        let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
        let played = play_random(&wall, &deck, 7, Policy::Greedy).unwrap();
        let mut game = Game::new(played.header().clone(), &wall, &deck).unwrap();
        let mut t = 0.0;
        for (_, fact) in played.facts().into_iter().take(facts) {
            t += match fact {
                EventKind::TilePlaced { .. } => 8.0,
                EventKind::FollowerPlaced { .. } => 2.0,
                // A camera sees the end of a turn when the next tile lies.
                _ => 0.0,
            };
            game.apply(fact, Source::Hand, 1.0, t).unwrap();
        }
        game
    }

    #[test]
    fn a_turn_lasts_from_the_last_piece_before_to_its_own() {
        assert_eq!(Clocks::of(&game(0)).at(100.0), [0.0, 0.0], "nobody has begun");
        let (one, begins) = (game(1), game(0).position().to_move());
        assert_eq!(Clocks::of(&one).at(8.0), [0.0, 0.0]);
        let used = Clocks::of(&one).at(11.0);
        assert_eq!((used[begins.index()], used[1 - begins.index()]), (0.0, 3.0), "who has laid has done");
        let all = game(usize::MAX);
        let end = all.events().iter().map(|event| event.t).fold(0.0, f64::max);
        let used = Clocks::of(&all).at(end + 100.0);
        assert!((used.iter().sum::<f64>() - (end - 8.0)).abs() < 1e-6, "{used:?} of {end}: the game is over");
        assert!(used.iter().all(|used| *used > 100.0), "{used:?}");
    }

    #[test]
    fn what_is_put_into_the_record_later_takes_no_time() {
        let mut game = game(150);
        let before = Clocks::of(&game);
        let free = |turn: &&crate::record::TurnFacts| {
            turn.facts.iter().all(|(_, kind)| !matches!(kind, EventKind::FollowerPlaced { .. }))
        };
        let mut corrected = 0;
        let turns = game.turns();
        // A follower of the turn that goes on is put down now.
        let over = turns[..turns.len() - 1].iter().filter(free);
        for turn in over.map(|turn| turn.turn).collect::<Vec<_>>() {
            for segment in 0..4 {
                let figure = Edit::Figure(Some((FigureKind::FOLLOWER, segment)));
                corrected += usize::from(game.correct(&Change::Turn(turn, vec![figure]), 5000.0).is_ok());
            }
        }
        assert!(corrected > 0);
        assert_eq!(Clocks::of(&game), before);
    }
}
