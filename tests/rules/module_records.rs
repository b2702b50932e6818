//! Records of the classic game with its modules: replayed, written as text, accounted for,
//! corrected and typed.

use assert_cmd::Command;
use castellan::library;
use castellan::record::{
    Change, Edit, EventKind, Game, Header, Log, Transcript, TurnFacts, check, play_random_with,
};
use castellan::rules::castle::Policy;
use castellan::rules::{Deck, Player, book};
use predicates::prelude::*;

use crate::headers::classic_header;

const DECKS: [&str; 4] = [
    "classic+inns+traders",
    "classic+river+inns+traders+king+cathars",
    "classic+inns+traders+king+cathars+count",
    "classic+river+count15",
];

fn played(seed: u64) -> (Game, Deck) {
    let name = DECKS[seed as usize % DECKS.len()];
    let deck = library::deck(name).unwrap().deck;
    let names = &["Ada", "Ben", "Cleo", "Dora"][..2 + seed as usize % 3];
    let edition = (seed % 2 == 1).then(|| "base +siege_beside_a_city +pigs_add_up".to_owned());
    let header = Header { deck: name.to_owned(), edition, ..classic_header(names) };
    (play_random_with(header, None, &deck, seed, Policy::Random).unwrap(), deck)
}

#[test]
fn log_and_text_read_back() {
    let mut kinds = [0; 6];
    for seed in 0..16 {
        let (live, deck) = played(seed);
        let log = Log::read(&live.to_log()).unwrap();
        assert_eq!(log.lost.len(), 0);
        let read = log.clone().replay(None, &deck).unwrap();
        assert_eq!((read.events(), read.sheet()), (live.events(), live.sheet()), "seed {seed}");
        assert_eq!(check(&log, None, &deck).unwrap(), [], "seed {seed}");
        let text = live.to_text();
        let typed =
            Transcript::read(&text).unwrap().play(None, &deck).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!((typed.sheet(), typed.to_text()), (live.sheet(), text.clone()), "seed {seed}");
        for event in live.events() {
            let kind = match &event.kind {
                EventKind::FigureReturned { .. } => 0,
                EventKind::FigureMoved { .. } => 1,
                EventKind::NeutralMoved { .. } => 2,
                EventKind::Passed { .. } => 3,
                EventKind::TokensTaken { .. } => 4,
                EventKind::Noted { .. } => 5,
                _ => continue,
            };
            kinds[kind] += 1;
            let sentence = live.describe(&event.kind);
            assert!(!sentence.to_string().is_empty() && !sentence.to_string().ends_with('.'), "{sentence}");
            if kind > 3 {
                assert!(text.contains(&sentence.to_string()), "{sentence} is not in\n{text}");
                let said = sentence.to_string();
                let id = said.rsplit_once('(').map_or("", |(_, id)| id.trim_end_matches(')'));
                assert!(book::rule(id).is_some(), "{sentence}");
            }
        }
        for (p, tally) in live.sheet().tallies.iter().enumerate() {
            assert_eq!(tally.total, live.position().final_totals()[p], "seed {seed}");
            assert_eq!(tally.by_category.values().sum::<u32>(), tally.total);
        }
    }
    assert!(kinds.iter().all(|n| *n > 0), "{kinds:?}");
}

#[test]
fn every_turn_is_accounted_for_by_rules_of_the_book() {
    for seed in 0..8 {
        let (game, _) = played(seed);
        for turn in 1..=game.position().turn() {
            let Some(account) = game.account(turn) else { continue };
            for (p, side) in account.before.players.iter().enumerate() {
                let made: u32 = account.scores.iter().map(|s| s.points_of(Player(p as u8))).sum();
                assert_eq!(side.total + made, account.after.players[p].total, "seed {seed}, turn {turn}");
            }
            for reason in account.reasons.iter().chain(&account.final_reasons) {
                assert!(book::rule(&reason.rule).is_some(), "{reason:?}");
            }
            let rules = account.scores.iter().chain(&account.finals).flat_map(|s| &s.items);
            for item in rules {
                assert!(book::rule(&item.rule).is_some(), "{item:?}");
            }
            assert!(account.to_lines().len() > 4);
        }
    }
}

/// A turn with everything after its end is one turn of the record, and can be corrected.
#[test]
fn turns_with_steps_are_corrected() {
    let mut corrections = 0;
    for seed in (2..30).step_by(4) {
        let (game, _) = played(seed);
        let turns = game.turns();
        let laid = |kind: &EventKind| matches!(kind, EventKind::TilePlaced { .. });
        for turn in &turns {
            assert!(turn.facts.iter().filter(|(_, kind)| laid(kind)).count() <= 1, "{turn:?}");
        }
        // A figure is put on the tile, and somebody passes after the end of the turn.
        let claimed = |t: &&TurnFacts| {
            let until_end = t.facts.iter().take_while(|(_, k)| !matches!(k, EventKind::TurnEnded { .. }));
            until_end.into_iter().any(|(_, kind)| matches!(kind, EventKind::FollowerPlaced { .. }))
        };
        let mut claimed = turns.iter().filter(claimed);
        let Some(stepped) = claimed.find(|t| t.moves.contains("pass")) else { continue };
        let mut corrected = game.clone();
        corrected.correct(&Change::Turn(stepped.turn, vec![Edit::Figure(None)]), 0.0).unwrap();
        let log = Log::read(&corrected.to_log()).unwrap();
        let deck = library::deck(&game.header().deck).unwrap().deck;
        assert_eq!(log.replay(None, &deck).unwrap().sheet(), corrected.sheet());
        corrections += 1;
    }
    assert!(corrections > 2, "{corrections}");
}

#[test]
fn a_game_is_typed_at_the_terminal() {
    let text = "game classic\ndeck classic+count\nplayer Ada\nplayer Ben\n\
        lay RFr A3 1; highwayman; end\nlay LR A4 2; end\n";
    let more = format!("{text}citizen castle\ncount market\n");
    Command::cargo_bin("castellan")
        .unwrap()
        .args(["score", "-"])
        .write_stdin(more)
        .assert()
        .stdout(predicate::str::contains("Ada").and(predicate::str::contains("a completed road of 3 tiles")))
        .stderr(predicate::str::contains("citizen castle").or(predicate::str::is_empty()));
    Command::cargo_bin("castellan")
        .unwrap()
        .args(["score", "-"])
        .write_stdin("game classic\ndeck classic+dragon\nlay RFr A3\n")
        .assert()
        .failure()
        .stderr(predicate::str::contains("`dragon` is no set"));
}
