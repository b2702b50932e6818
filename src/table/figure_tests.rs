//! Classic games with figures of several kinds before a table that plays them.

use std::collections::BTreeSet;

use super::sim::{Noise, Rehearsal, Tempo};
use super::steps::{CHOICES, choices};
use super::tests::facts;
use super::*;
use crate::record::{
    Event, EventKind, Game, Header, Source, VERSION, are_one_feature, is_same_move, play_eventful,
    play_random_with, to_fact,
};
use crate::rules::{self, Cell, Deck, FigureKind, Move, Phase, Player, SegmentAt};

/// So many turns are played: enough for figures of all kinds.
const TURNS: usize = 45;

/// A random game of so many players with these sets, as in a deck's name: before its first fact,
/// and its facts.
fn random_game(sets: &str, players: usize, seed: u64) -> Option<(Game, Vec<EventKind>, Deck)> {
    let words = |words: [&str; 3]| words.iter().take(players).map(|w| (*w).to_owned()).collect();
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: rules::Game::Classic,
        deck: format!("classic{sets}"),
        wall: None,
        edition: None,
        players: words(["Ada", "Ben", "Cleo"]),
        colours: words(["red", "blue", "green"]),
        neutral: None,
        starts: Player(0),
        wall_tiles: [].into(),
    };
    let deck = crate::library::deck(&header.deck).ok()?.deck;
    let start = Game::new(header.clone(), None, &deck).ok()?;
    let whole = play_random_with(header, None, &deck, seed, rules::castle::Policy::Random).ok()?;
    Some((start, facts(&whole), deck))
}

/// The first turns of a random game of three with all modules in which a camera sees all that is
/// done, where every tile found a place: the game before its first fact, and after them.
fn module_game(seed: u64) -> Option<(Game, Game, Deck)> {
    let (start, whole, deck) = random_game("+river+inns+traders+king", 3, seed)?;
    let mut played = start.clone();
    let mut turns = 0;
    for kind in whole {
        let ends = matches!(kind, EventKind::TurnEnded { .. });
        if matches!(kind, EventKind::TileDiscarded { .. }) {
            return None;
        }
        played.apply(kind, Source::Hand, 1.0, 0.0).ok()?;
        turns += usize::from(ends);
        if turns == TURNS {
            break;
        }
    }
    let put = figures(&played);
    let all = start.position().figures();
    all.iter().all(|figure| put.contains(figure)).then_some((start, played, deck))
}

fn watch(start: &Game, game: &Game, deck: &Deck, noise: Noise) -> Session {
    let tempo = Tempo { calm: 1.4, ..Tempo::live() };
    let mut session = Session::resume(start.clone(), deck.clone()).with_patience(Patience::live());
    for (t, seen) in &Rehearsal::of(game, start.clone(), deck, tempo, noise, 1).observations {
        session.observe(seen, *t);
    }
    session.finish();
    session
}

fn figures(game: &Game) -> Vec<FigureKind> {
    let figure = |kind: EventKind| match kind {
        EventKind::FollowerPlaced { figure, .. } => Some(figure),
        _ => None,
    };
    facts(game).into_iter().filter_map(figure).collect()
}

#[test]
fn big_followers_are_told_by_their_size_builders_and_pigs_by_the_rules() {
    let (start, game, deck) = (0..).find_map(module_game).unwrap();
    assert_eq!(start.position().figures().len(), 4);
    let noise = Noise { missing: 0.05, shift: 0.02, size: 0.4, ..Noise::default() };
    let session = watch(&start, &game, &deck, noise);
    assert_eq!(facts(session.game()), facts(&game));
    assert_eq!(session.game().sheet(), game.sheet());
    assert_eq!(session.doubts(), []);
}

#[test]
fn a_figure_whose_size_is_not_told_is_asked_about() {
    let (start, game, deck) = (0..).find_map(module_game).unwrap();
    let session = watch(&start, &game, &deck, Noise::default());
    let asks = |kind: &EventKind| matches!(kind, EventKind::Doubt { sentence, .. } if sentence.contains("big follower of"));
    let asked = session.game().events().iter().filter(|e| asks(&e.kind)).count();
    assert!(asked >= 3, "asked {asked} times");
    let question =
        session.questions().into_iter().find(|q| q.sentence.to_string().contains("big follower of"));
    let words: Vec<String> =
        question.into_iter().flat_map(|q| q.answers).map(|a| a.words.to_string()).collect();
    assert!(words.is_empty() || words.iter().any(|w| w.starts_with("a big follower of")), "{words:?}");
}

/// What is done in steps between turns, and what is asked in them.
mod steps {
    use super::*;

    /// The first turns of a random game of two with one set, up to a fact like this one.
    fn game_with(set: &str, seed: u64, wanted: impl Fn(&EventKind) -> bool) -> Option<(Game, Game, Deck)> {
        let (start, whole, deck) = random_game(&format!("+{set}"), 2, seed)?;
        let at = whole.iter().position(wanted)?;
        let turns =
            |facts: &[EventKind]| facts.iter().filter(|k| matches!(k, EventKind::TilePlaced { .. })).count();
        let discards = whole[..at].iter().any(|k| matches!(k, EventKind::TileDiscarded { .. }));
        if discards || turns(&whole[..at]) > 30 {
            return None;
        }
        let ends = |k: &&EventKind| matches!(k, EventKind::TurnEnded { .. });
        let last = at + 2 + whole[at..].iter().skip(1).position(|k| ends(&k))?;
        let mut played = start.clone();
        for kind in whole.iter().take(last) {
            played.apply(kind.clone(), Source::Hand, 1.0, 0.0).ok()?;
        }
        Some((start, played, deck))
    }

    #[test]
    fn a_knight_that_leaves_a_besieged_city_has_escaped() {
        let escapes = |kind: &EventKind| matches!(kind, EventKind::FigureReturned { .. });
        let (start, game, deck) = (0..400).find_map(|seed| game_with("cathars", seed, escapes)).unwrap();
        let session = watch(&start, &game, &deck, Noise { size: 0.1, ..Noise::default() });
        let of = |game: &Game| facts(game).into_iter().filter(escapes).collect::<Vec<_>>();
        assert_eq!(of(session.game()), of(&game));
        let totals = |game: &Game| game.players().map(|p| game.position().total(p)).collect::<Vec<_>>();
        assert_eq!(totals(session.game()), totals(&game));
    }

    /// A game with the count in which much is done in the city: before its first fact, and after so many
    /// turns and what was done after the last of them.
    fn count_game(sets: &str, players: usize, turns: usize, seed: u64) -> Option<(Game, Game, Deck)> {
        let (start, _, deck) = random_game(sets, players, seed)?;
        let game = play_eventful(start.header().clone(), None, &deck, seed, turns).ok()?;
        let discards = facts(&game).iter().any(|k| matches!(k, EventKind::TileDiscarded { .. }));
        (!discards).then_some((start, game, deck))
    }

    #[test]
    fn what_is_done_with_the_count_is_seen() {
        let (mut games, mut steps) = (0, 0);
        let noise = Noise { size: 0.1, ..Noise::default() };
        let is_step =
            |k: &&EventKind| matches!(k, EventKind::FigureMoved { .. } | EventKind::NeutralMoved { .. });
        for seed in 0..6 {
            let (sets, players) = if seed % 2 == 0 { ("+count", 2) } else { ("+count+inns", 3) };
            let Some((start, game, deck)) = count_game(sets, players, 30, seed) else { continue };
            let tempo = Tempo { calm: 1.4, ..Tempo::live() };
            let mut session = Session::resume(start.clone(), deck.clone()).with_patience(Patience::live());
            for (t, seen) in &Rehearsal::of(&game, start, &deck, tempo, noise, seed).observations {
                session.observe(seen, *t);
                let asked: Vec<String> = session.questions().iter().map(|q| q.sentence.to_string()).collect();
                let asks = asked.iter().any(|q| q.contains("The record waits"));
                assert!(!asks, "game {seed}, {t} s: {asked:?}\n{:?}", facts(session.game()).last());
            }
            let (played, mut recorded) = (facts(&game), facts(session.game()));
            // The last turn's end waits for the next tile.
            recorded.truncate(played.len());
            let are_one = |a, b| are_one_feature(game.position(), a, b);
            let same = played.iter().zip(&recorded).take_while(|(a, b)| is_same_move(a, b, are_one)).count();
            assert!(
                same == recorded.len() && same + 4 >= played.len(),
                "game {seed}: {:?} instead of {:?}",
                recorded.get(same),
                played.get(same)
            );
            games += 1;
            steps += recorded.iter().filter(is_step).count();
        }
        assert!(games >= 3 && steps >= 12, "{games} games, {steps} steps");
    }

    #[test]
    fn a_step_offers_each_feature_once_and_always_that_nothing_was_done() {
        let mut most = 0;
        for (mut game, whole, _) in (0..12).filter_map(|seed| count_game("+count", 3, 72, seed)) {
            for kind in facts(&whole) {
                let position = game.position();
                if position.phase() == Phase::Step {
                    let moves = position.legal_moves(&[]);
                    let from = |m: &Move| match m {
                        Move::Redeploy { from, .. } => Some(*from),
                        _ => None,
                    };
                    let left: Vec<SegmentAt> =
                        moves.iter().filter_map(from).next_back().into_iter().collect();
                    let offered = choices(position, &moves, &left);
                    assert!(offered.len() <= CHOICES && matches!(offered.last(), Some(Move::Pass { .. })));
                    assert_eq!(offered.first().and_then(|m| from(m)), left.first().copied());
                    for (i, one) in offered.iter().enumerate() {
                        let same = |other: &&&Move| {
                            let (Some(a), Some(b)) = (to_fact(position, one), to_fact(position, other))
                            else {
                                return false;
                            };
                            is_same_move(&a, &b, |a, b| are_one_feature(position, a, b))
                        };
                        assert_eq!(offered.iter().filter(same).count(), 1, "{i} of {offered:?}");
                    }
                    most = most.max(moves.len());
                }
                game.apply(kind, Source::Hand, 1.0, 0.0).expect("it was played");
            }
        }
        assert!(most > 3 * CHOICES, "at most {most} moves");
    }

    #[test]
    fn who_may_still_do_something_is_told_by_name() {
        let (mut game, whole, _) = (0..12).find_map(|seed| count_game("+count", 3, 72, seed)).unwrap();
        let mut steps = 0;
        for kind in facts(&whole) {
            let position = game.position();
            if position.phase() == Phase::Step {
                let actor = position.actor();
                let ends = EventKind::TurnEnded { player: actor, turn: position.turn() };
                let refused = game.apply(ends, Source::Hand, 1.0, 0.0).unwrap_err().to_string();
                let expected = format!("{} may still do something, or pass", game.names().of(actor));
                assert!(refused.contains(&expected) && !refused.contains("player "), "{refused}");
                steps += 1;
            }
            game.apply(kind, Source::Hand, 1.0, 0.0).expect("it was played");
        }
        assert!(steps > 10, "{steps} steps");
    }

    #[test]
    fn what_was_done_in_the_city_while_nobody_looked_is_told_when_it_is_seen_again() {
        let watch = |(start, game, deck): &(Game, Game, Deck), seed: u64, blind: std::ops::Range<f64>| {
            let tempo = Tempo { calm: 3.0, ..Tempo::live() };
            let mut session = Session::resume(start.clone(), deck.clone()).with_patience(Patience::live());
            let all = Rehearsal::of(game, start.clone(), deck, tempo, Noise::default(), seed).observations;
            for (t, seen) in all.iter().filter(|(t, _)| !blind.contains(t)) {
                session.observe(seen, *t);
            }
            session.game().clone()
        };
        let leaves = |kind: &EventKind| matches!(kind, EventKind::FigureMoved { .. });
        let left = |game: &Game| -> Vec<(Player, SegmentAt)> {
            let left = |kind: EventKind| match kind {
                EventKind::FigureMoved { player, from, .. } => Some((player, from)),
                _ => None,
            };
            facts(game).into_iter().filter_map(left).collect()
        };
        let mut tried = 0;
        for seed in 0..8 {
            let Some(all) = count_game("+count", 2, 24, seed) else { continue };
            let seen = watch(&all, seed, 0.0..0.0);
            let events = seen.events();
            let Some(at) = events.iter().position(|e| leaves(&e.kind)) else { continue };
            let laid = |e: &&Event| matches!(e.kind, EventKind::TilePlaced { .. });
            let (before, after) = events.split_at(at);
            let (Some(before), Some(after)) = (before.iter().rfind(laid), after.iter().find(laid)) else {
                continue;
            };
            let blind = watch(&all, seed, before.t + 1.0..after.t + 0.5);
            assert_eq!(left(&blind), left(&all.1), "game {seed}");
            tried += 1;
        }
        assert!(tried >= 2, "{tried} games");
    }

    #[test]
    fn two_turns_with_a_step_between_that_nobody_saw_break_no_rule() {
        let mut tried = 0;
        for seed in 0..10 {
            let Some((start, game, deck)) = count_game("+count", 2, 40, seed) else { continue };
            let tempo = Tempo { calm: 3.0, ..Tempo::live() };
            let all = Rehearsal::of(&game, start.clone(), &deck, tempo, Noise::default(), seed).observations;
            let watch = |blind: std::ops::Range<f64>, until: f64| {
                let session = Session::resume(start.clone(), deck.clone());
                let mut session = session.with_patience(Patience::live());
                for (t, seen) in all.iter().filter(|(t, _)| !blind.contains(t) && *t <= until) {
                    session.observe(seen, *t);
                }
                session.finish();
                session.game().clone()
            };
            let seen = watch(0.0..0.0, f64::INFINITY);
            let laid = |e: &&Event| matches!(e.kind, EventKind::TilePlaced { .. });
            let order = |game: &Game| -> Vec<Cell> {
                let cell = |kind: EventKind| match kind {
                    EventKind::TilePlaced { cell, .. } => Some(cell),
                    _ => None,
                };
                facts(game).into_iter().filter_map(cell).collect()
            };
            let cells = |game: &Game| -> BTreeSet<Cell> { order(game).into_iter().collect() };
            let passes = |e: &Event| matches!(e.kind, EventKind::Passed { .. });
            let tiles: Vec<&Event> = seen.events().iter().filter(laid).collect();
            let between = |a: &Event, b: &Event| {
                seen.events().iter().any(|e| e.seq > a.seq && e.seq < b.seq && passes(e))
            };
            for two in tiles.windows(2).filter(|two| between(two[0], two[1])).take(2) {
                let blind = watch(two[0].t - 1.0..two[1].t + 0.5, f64::INFINITY);
                let refused: Vec<&str> = blind.broken().iter().map(|b| b.1.rule).collect();
                assert_eq!(refused, Vec::<&str>::new(), "game {seed}, {} s", two[0].t);
                assert_eq!(cells(&blind), cells(&seen), "game {seed}, {} s", two[0].t);
                let told = |e: &Event| matches!(&e.kind, EventKind::Doubt { sentence, .. } if sentence.contains("several tiles came at once"));
                let told = blind.events().iter().any(told);
                assert!(order(&blind) == order(&seen) || told, "game {seed}, {} s", two[0].t);
                // The recording ends in the gap.
                let last = watch(two[0].t - 1.0..two[1].t + 0.5, two[1].t + 1.8);
                let until = tiles.iter().filter(|tile| tile.seq <= two[1].seq).count();
                assert!(cells(&last).len() >= until, "game {seed}, {} s", two[0].t);
                tried += 1;
            }
        }
        assert!(tried >= 4, "{tried} gaps");
    }

    /// Whether it is told that nothing was taken to be done where nobody said.
    fn takes_as_no(game: &Game) -> bool {
        let told = |kind: &EventKind| matches!(kind, EventKind::Doubt { sentence, .. } if sentence.contains("it is taken as no"));
        game.events().iter().any(|event| told(&event.kind))
    }

    #[test]
    fn what_nobody_answers_holds_up_no_game() {
        let (start, game, deck) = (0..40).find_map(|seed| count_game("+count", 2, 20, seed)).unwrap();
        let tempo = Tempo { calm: 9.0, ..Tempo::live() };
        let mut session = Session::resume(start.clone(), deck.clone()).with_patience(Patience::live());
        let noise = Noise { neutral_unseen: true, ..Noise::default() };
        for (t, seen) in &Rehearsal::of(&game, start, &deck, tempo, noise, 1).observations {
            session.observe(seen, *t);
        }
        let tiles =
            |game: &Game| facts(game).iter().filter(|k| matches!(k, EventKind::TilePlaced { .. })).count();
        let moves =
            |game: &Game| facts(game).iter().filter(|k| matches!(k, EventKind::NeutralMoved { .. })).count();
        assert!(moves(&game) > 0 && moves(session.game()) == 0);
        assert_eq!(tiles(session.game()), tiles(&game));
        assert!(takes_as_no(session.game()));
    }

    #[test]
    fn a_game_is_over_though_its_players_pack_up_before_its_last_steps_are_told() {
        let left_open = |seed| {
            let (start, game, deck) = count_game("+count", 2, usize::MAX, seed)?;
            let tempo = Tempo { packing: true, ..Tempo::live() };
            let mut session = Session::resume(start.clone(), deck.clone()).with_patience(Patience::live());
            for (t, seen) in &Rehearsal::of(&game, start, &deck, tempo, Noise::default(), seed).observations {
                session.observe(seen, *t);
            }
            (session.game().position().phase() == Phase::Step).then_some(session)
        };
        let mut session = (0..12).find_map(left_open).unwrap();
        session.finish();
        assert_eq!(session.game().position().phase(), Phase::Over);
        assert!(takes_as_no(session.game()));
    }

    #[test]
    fn where_the_count_went_is_asked_where_it_is_not_seen() {
        let moved = |kind: &EventKind| matches!(kind, EventKind::NeutralMoved { .. });
        let (start, game, deck) = (0..400).find_map(|seed| game_with("count", seed, moved)).unwrap();
        let tempo = Tempo { calm: 12.0, ..Tempo::live() };
        let mut session = Session::resume(start.clone(), deck.clone()).with_patience(Patience::live());
        let mut asked = 0;
        let noise = Noise { neutral_unseen: true, ..Noise::default() };
        for (t, seen) in &Rehearsal::of(&game, start, &deck, tempo, noise, 1).observations {
            session.observe(seen, *t);
            let waits = |q: &Question| q.sentence.to_string().contains("The record waits for the answer");
            while let Some(question) = session.questions().into_iter().find(waits) {
                // As it was played.
                let told = facts(session.game()).len();
                let next = facts(&game)[told].clone();
                let answer = question.answers.iter().find(|a| a.kinds == [next.clone()]);
                session.answer(&question, answer.unwrap().key).unwrap();
                asked += 1;
            }
        }
        assert!(asked >= 1, "asked {asked} times");
        assert_eq!(facts(session.game()), facts(&game));
    }
}
