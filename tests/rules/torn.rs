//! A record cut off at any byte, as by a power cut or `kill -9`: the game stands
//! at the last whole event, the torn line is named, and play goes on.

use castellan::library;
use castellan::record::{Game, Log, LogError, Recorder, play_random};
use castellan::rules::castle::Policy;
use castellan::rules::{Deck, Wall};

use crate::decks::house_wall;

/// A self-played game on the house wall with the first tiles of the house deck.
fn played(tiles: usize) -> (Game, Wall, Deck) {
    let wall = house_wall();
    let mut deck = library::deck("house").unwrap().deck;
    deck.tiles.truncate(tiles);
    (play_random(&wall, &deck, 7, Policy::Greedy).unwrap(), wall, deck)
}

/// Reads the first `cut` bytes of a record, and plays on from there unless a
/// record with as many whole events was already; returns how many there are.
fn resume_at(
    text: &str,
    cut: usize,
    (live, wall, deck): &(Game, Wall, Deck),
    before: Option<usize>,
) -> Option<usize> {
    let log = match Log::from_bytes(&text.as_bytes()[..cut]) {
        Ok(log) => log,
        Err(error) => {
            assert!(cut < text.find('\n').unwrap(), "at byte {cut}: {error}");
            assert!(cut == 0 || matches!(error, LogError::CutHeader), "at byte {cut}: {error}");
            assert!(!error.to_string().contains('\n'));
            return None;
        }
    };
    // A last line that lacks nothing but its line end is whole.
    let ended = text[..cut].matches('\n').count();
    let whole = if text.as_bytes().get(cut) == Some(&b'\n') { ended + 1 } else { ended };
    assert_eq!(log.events[..], live.events()[..whole - 1], "at byte {cut}");
    match &log.torn {
        Some(torn) => {
            let torn = torn.to_string();
            assert!(torn.starts_with(&format!("line {} was cut off", whole + 1)), "{torn}");
            assert!(log.whole < cut);
        }
        None => assert_eq!(log.whole, cut),
    }
    if before == Some(log.events.len()) {
        return before;
    }
    let events = log.events.len();
    let mut game = log.replay(wall, deck).unwrap();
    let stands = game.events().len();
    assert!(stands >= whole - 1);
    assert_eq!(game.events(), &live.events()[..stands], "at byte {cut}");
    for event in live.events()[stands..].iter().filter(|e| e.kind.is_fact()) {
        game.apply(event.kind.clone(), event.source, event.confidence, event.t).unwrap();
    }
    assert_eq!(game.to_log(), text, "at byte {cut}");
    Some(events)
}

/// At every byte of the first twelve turns; of a whole game with
/// `CASTELLAN_LONG_TESTS=1`.
#[test]
fn a_record_cut_off_at_any_byte_goes_on() {
    let long = std::env::var("CASTELLAN_LONG_TESTS").is_ok_and(|v| v == "1");
    let played = played(if long { 60 } else { 12 });
    let text = played.0.to_log();
    let mut events = None;
    for cut in 0..=text.len() {
        events = resume_at(&text, cut, &played, events);
    }
    assert_eq!(events, Some(played.0.events().len()));
    println!("cut off at each of {} bytes", text.len());
}

/// On the disk, at the start, in the middle and at both ends of every line.
#[test]
fn a_file_cut_off_in_any_line_goes_on() {
    let (live, wall, deck) = played(9);
    let text = live.to_log();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    let mut start = text.find('\n').unwrap() + 1;
    for line in text[start..].split_inclusive('\n') {
        for cut in [start, start + 1, start + line.len() / 2, start + line.len() - 1] {
            std::fs::write(&path, &text.as_bytes()[..cut]).unwrap();
            let mut recorder = Recorder::resume(&path, &wall, &deck).unwrap();
            let stands = recorder.game().events().len();
            assert_eq!(recorder.game().events(), &live.events()[..stands], "at byte {cut}");
            let next = live.events()[stands..].iter().find(|e| e.kind.is_fact());
            if let Some(next) = next {
                recorder.apply(next.kind.clone(), next.source, next.confidence, next.t, false).unwrap();
            }
            let stands = recorder.game().events().len();
            let written = std::fs::read_to_string(&path).unwrap();
            assert_eq!(written, recorder.game().to_log(), "at byte {cut}");
            assert_eq!(recorder.game().events(), &live.events()[..stands], "at byte {cut}");
        }
        start += line.len();
    }
}
