//! Records of older versions, and of programs that write more or less than this one.

use castellan::library;
use castellan::record::{Event, EventKind, Game, Log, Recorder, VERSION, check, play_random};
use castellan::rules::castle::Policy;
use castellan::rules::{Deck, Wall};
use predicates::prelude::*;
use serde_json::Value;

use crate::decks::house_wall;
use crate::record::parts;

/// A record of version 1, of a game of six turns on a wall of one row of six cells. Nobody
/// scores: the path is of both.
const BY_HAND: &str = include_str!("version_1.jsonl");
const COMMITTED: &str = include_str!("../../datasets/house-game/expected.jsonl");

fn house() -> (Wall, Deck) {
    (house_wall(), library::deck("house").unwrap().deck)
}

fn ended(log: &Log) -> &EventKind {
    log.events.iter().map(|e| &e.kind).rfind(|k| matches!(k, EventKind::GameEnded { .. })).unwrap()
}

/// The record is read whole, is in order, and says the sheet that its facts give.
fn assert_in_order(text: &str, wall: &Wall, deck: &Deck) -> Game {
    let log = Log::read(text).unwrap();
    assert_eq!((log.header.version, &log.torn, log.lost.len()), (1, &None, 0));
    assert_eq!(check(&log, wall, deck).unwrap(), []);
    let game = log.clone().replay(wall, deck).unwrap();
    let EventKind::GameEnded { tallies, .. } = ended(&log) else { panic!() };
    assert_eq!(game.sheet().tallies, *tallies);
    assert_eq!(game.events(), log.events);
    game
}

/// The record as version 1 had it: who scores is one `player` or null.
fn as_version_1(text: &str) -> String {
    let (header, events) = text.split_once('\n').unwrap();
    let header = header.replacen(&format!("\"version\":{VERSION}"), "\"version\":1", 1);
    let events = events.replace("\"players\":[]", "\"player\":null");
    let events = events.replace("\"players\":[0]", "\"player\":0").replace("\"players\":[1]", "\"player\":1");
    assert!(!events.contains("\"players\""));
    format!("{header}\n{events}")
}

#[test]
fn records_of_version_1_are_read_and_scored_the_same() {
    let (wall, deck) = house();
    let game = assert_in_order(COMMITTED, &wall, &deck);
    assert!(COMMITTED.contains("\"player\":1,\"items\"") && !COMMITTED.contains("\"players\":[1]"));
    // Written again it is of the newest version.
    let text = game.to_log();
    assert!(text.starts_with(&format!("{{\"format\":\"castellan\",\"version\":{VERSION},")));
    let log = Log::read(&text).unwrap();
    assert_eq!(check(&log, &wall, &deck).unwrap(), []);
    assert_eq!(log.replay(&wall, &deck).unwrap().sheet(), game.sheet());
}

#[test]
fn a_score_of_version_1_for_nobody_is_read() {
    let (wall, deck) = parts();
    let game = assert_in_order(BY_HAND, &wall, &deck);
    assert!(BY_HAND.contains("\"player\":null,\"items\":"));
    assert!(game.scores()[0].score.players.is_empty());
    assert_eq!(game.sheet().tallies[0].total, 0);
    let mut nobody = 0;
    for seed in 0..8 {
        let (wall, deck) = house();
        let live = play_random(&wall, &deck, seed, Policy::Random).unwrap();
        let old = as_version_1(&live.to_log());
        nobody += old.matches("\"player\":null").count();
        let read = assert_in_order(&old, &wall, &deck);
        assert_eq!((read.events(), read.sheet()), (live.events(), live.sheet()));
    }
    assert!(nobody > 0);
}

#[test]
fn a_record_of_version_1_is_gone_on_with() {
    let (wall, deck) = house();
    let live = Log::read(COMMITTED).unwrap().replay(&wall, &deck).unwrap();
    let header = COMMITTED.find('\n').unwrap() + 1;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    for step in 0..12 {
        let cut = header + (COMMITTED.len() - header) * step / 12;
        std::fs::write(&path, &COMMITTED[..cut]).unwrap();
        let mut recorder = Recorder::resume(&path, &wall, &deck).unwrap();
        let stands = recorder.game().events().len();
        // What is derived anew is said in this version's words.
        let bare = |events: &[Event]| events.iter().map(wordless).collect::<Vec<_>>();
        assert_eq!(bare(recorder.game().events()), bare(&live.events()[..stands]), "cut at {cut}");
        for fact in live.events()[stands..].iter().filter(|e| e.kind.is_fact()) {
            recorder.apply(fact.kind.clone(), fact.source, fact.confidence, fact.t, true).unwrap();
        }
        drop(recorder);
        let text = std::fs::read_to_string(&path).unwrap();
        let whole = COMMITTED[..cut].rfind('\n').unwrap() + 1;
        assert_eq!(text[..whole], COMMITTED[..whole], "what stood there stays");
        let game = assert_in_order(&text, &wall, &deck);
        assert_eq!(game.sheet(), live.sheet(), "cut at {cut}");
    }
    let mut command = assert_cmd::Command::cargo_bin("castellan").unwrap();
    let in_order = predicate::str::contains("the record is in order");
    command.arg("check").arg(&path).assert().code(0).stderr(in_order);
}

/// An event without the sentence of its score.
fn wordless(event: &Event) -> Event {
    let mut event = event.clone();
    if let EventKind::FeatureScored { score, .. } = &mut event.kind {
        score.sentence.clear();
    }
    event
}

/// What the whole of a game's record becomes when each line is changed.
fn changed(text: &str, change: impl Fn(&mut Value)) -> String {
    let line = |line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        change(&mut line);
        format!("{line}\n")
    };
    text.lines().map(line).collect()
}

#[test]
fn fields_that_are_not_known_are_left_out() {
    let (wall, deck) = house();
    let live = play_random(&wall, &deck, 3, Policy::Greedy).unwrap();
    let more = changed(&live.to_log(), |line| {
        line["weather"] = "rain".into();
        for part in ["/score", "/score/items/0", "/score/followers/0", "/tallies/0"] {
            if let Some(part) = line.pointer_mut(part) {
                part["weather"] = [1, 2].as_slice().into();
            }
        }
    });
    assert!(more.matches("weather").count() > live.events().len() + 9);
    let log = Log::read(&more).unwrap();
    assert_eq!((&log.torn, log.lost.len()), (&None, 0));
    assert_eq!(log.header, *live.header());
    assert_eq!(check(&log, &wall, &deck).unwrap(), []);
    let game = log.replay(&wall, &deck).unwrap();
    assert_eq!(game.to_log(), live.to_log());
}

/// A place is a cell and a segment: with more it could mean another place.
#[test]
fn fields_that_are_not_known_are_refused_in_a_place_on_a_tile() {
    let header = COMMITTED.lines().next().unwrap();
    let used = |on: &str| {
        let event = format!(
            "{{\"seq\":1,\"t\":0,\"source\":\"hand\",\"confidence\":1,\"type\":\"wall_tile_used\",\"player\":0,\"number\":4,\"on\":{on}}}"
        );
        Log::read(&format!("{header}\n{event}\n")).unwrap()
    };
    assert_eq!(used("{\"cell\":[1,1],\"segment\":0}").events.len(), 1);
    let log = used("{\"cell\":[1,1],\"segment\":0,\"weather\":1}");
    assert_eq!((log.events.len(), log.lost.len()), (0, 1));
    assert!(log.lost[0].why.contains("weather"), "{}", log.lost[0].why);
}

#[test]
fn rulings_and_evidence_are_kept() {
    let (wall, deck) = house();
    let live = play_random(&wall, &deck, 6, Policy::Greedy).unwrap();
    let said = changed(&live.to_log(), |line| {
        if let Some(seq) = line["seq"].as_u64() {
            line["ruling"] = format!("so it stands: {seq}").into();
            line["evidence"] = vec![format!("{seq}.jpg"), "table.png".to_owned()].into();
        }
    });
    let log = Log::read(&said).unwrap();
    assert!(log.events.iter().all(|e| e.ruling.is_some() && e.evidence.len() == 2));
    assert_eq!(check(&log, &wall, &deck).unwrap(), []);
    let game = log.clone().replay(&wall, &deck).unwrap();
    assert_eq!(game.events(), log.events);
    assert_eq!(Log::read(&game.to_log()).unwrap().events, log.events);
    assert_eq!(game.sheet(), live.sheet());
    // Cut off, mended and gone on with; and with a line lost.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    std::fs::write(&path, &said[..said.len() * 2 / 3]).unwrap();
    let recorder = Recorder::resume(&path, &wall, &deck).unwrap();
    let stands = recorder.game().events().iter().filter(|e| e.ruling.is_some()).count();
    assert!(stands > log.events.len() / 2);
    assert_eq!(recorder.game().events()[..stands], log.events[..stands]);
    assert_eq!(Log::open(&path).unwrap().events, recorder.game().events());
    let spoilt = said.replacen("{\"confidence\"", "{confidence", 1);
    let game = Log::read(&spoilt).unwrap().replay(&wall, &deck).unwrap();
    assert_eq!(game.lost().len(), 1);
    let kept =
        |game: &Game| game.events().iter().filter(|e| e.kind.is_fact() && !e.evidence.is_empty()).count();
    assert!(kept(&game) > 0);
}
