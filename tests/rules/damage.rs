//! Records with lines that cannot be read: what is left is scored as far as it
//! holds, what is lost is said, and nobody writes on.

use std::path::Path;

use castellan::library;
use castellan::record::{Game, Log, LogError, LogWriter, Recorder, play_random};
use castellan::rules::castle::Policy;
use castellan::rules::{Deck, Wall};

use crate::decks::house_wall;

fn played(seed: u64, tiles: usize) -> (Game, Wall, Deck) {
    let wall = house_wall();
    let mut deck = library::deck("house").unwrap().deck;
    deck.tiles.truncate(tiles);
    (play_random(&wall, &deck, seed, Policy::Greedy).unwrap(), wall, deck)
}

/// The text with a line, counted from 0, that cannot be read.
fn without_line(text: &str, line: usize) -> String {
    let spoilt = |(i, l): (usize, &str)| if i == line { format!("~{l}\n") } else { format!("{l}\n") };
    text.lines().enumerate().map(spoilt).collect()
}

/// How a record stands without one of its lines.
#[derive(Debug, Default)]
struct Count {
    lines: usize,
    /// The scores are those of the whole game.
    whole: usize,
    /// The game is that up to the line, or a little further.
    cut: usize,
}

#[test]
fn a_record_without_any_one_line_is_scored_as_far_as_it_holds() {
    let (live, wall, deck) = played(7, 30);
    let text = live.to_log();
    let (mut facts, mut derived) = (Count::default(), Count::default());
    for (line, event) in live.events().iter().enumerate().map(|(i, e)| (i + 1, e)) {
        let log = Log::read(&without_line(&text, line)).unwrap();
        assert_eq!((log.lost.len(), log.lost[0].first), (1, line + 1));
        let game = log.replay(&wall, &deck).unwrap();
        assert_eq!(game.lost().len(), 1);
        let said = game.lost()[0].to_string();
        assert!(said.starts_with(&format!("line {} of the record cannot be read (", line + 1)), "{said}");
        let count = if event.kind.is_fact() { &mut facts } else { &mut derived };
        count.lines += 1;
        if game.sheet().tallies == live.sheet().tallies {
            assert!(!said.contains("left out"), "{said}");
            count.whole += 1;
        } else {
            assert!(said.contains("left out") || said.contains("is lost"), "{said}");
            count.cut += 1;
            // No score that the game did not have.
            for score in game.scores() {
                assert!(
                    live.scores().iter().any(|s| (s.turn, &s.score) == (score.turn, &score.score)),
                    "{said}"
                );
            }
            let before = live.events()[..line - 1].iter().filter(|e| e.kind.is_fact()).count();
            assert!(game.facts().len() >= before.saturating_sub(1), "{said}");
        }
    }
    println!("facts {facts:?}, what follows from them {derived:?}");
    assert_eq!(derived.cut, 0, "what only follows is no loss");
    assert!(facts.whole * 10 >= facts.lines * 9, "{facts:?}");
}

#[test]
fn many_bad_lines_are_told_apart() {
    let (live, wall, deck) = played(3, 20);
    let lines = live.to_log().lines().count();
    let mut text = live.to_log();
    for line in [4, 5, 6, lines - 3] {
        text = without_line(&text, line);
    }
    let log = Log::read(&text).unwrap();
    let ranges: Vec<_> = log.lost.iter().map(|l| (l.first, l.last)).collect();
    assert_eq!(ranges, [(5, 7), (lines - 2, lines - 2)]);
    let game = log.replay(&wall, &deck).unwrap();
    assert_eq!(game.lost().len(), 2, "{:?}", game.lost());
}

#[test]
fn a_damaged_record_is_not_written_on() {
    let (live, wall, deck) = played(3, 6);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    let text = without_line(&live.to_log(), 3);
    std::fs::write(&path, &text[..text.len() - 9]).unwrap();
    let error = Recorder::resume(&path, &wall, &deck).unwrap_err();
    assert!(error.to_string().starts_with("line 4 of the record cannot be read ("), "{error}");
    assert!(matches!(error, LogError::Damaged(..)));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text[..text.len() - 9]);
}

#[test]
fn two_programs_do_not_record_into_one_file() {
    let (live, wall, deck) = played(3, 6);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    let first = Recorder::create(&path, live.header().clone(), &wall, &deck).unwrap();
    for second in
        [Recorder::resume(&path, &wall, &deck), Recorder::create(&path, live.header().clone(), &wall, &deck)]
    {
        let error = second.unwrap_err();
        assert!(error.to_string().starts_with("another program records into this file;"), "{error}");
    }
    drop(first);
    assert!(Recorder::resume(&path, &wall, &deck).is_ok());
}

#[test]
fn bytes_that_are_no_letters_are_counted_as_bytes() {
    let (live, wall, deck) = played(3, 6);
    let text = live.to_log().replacen("White", "Zo\u{1}", 1);
    let mut bytes: Vec<u8> = text.into_bytes();
    let at = bytes.windows(3).position(|w| w == b"Zo\x01").unwrap() + 2;
    bytes[at] = 0xeb;
    let torn = bytes.len() - 7;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    std::fs::write(&path, &bytes[..torn]).unwrap();
    for _ in 0..3 {
        let recorder = Recorder::resume(&path, &wall, &deck).unwrap();
        assert_eq!(recorder.game().header().players[0], "Zo\u{fffd}");
        assert_eq!(recorder.game().events(), live.events());
        drop(recorder);
        let log = Log::open(&path).unwrap();
        assert_eq!((log.torn, log.lost.len()), (None, 0));
    }
    let written = std::fs::read(&path).unwrap();
    assert_eq!(written[..torn / 2], bytes[..torn / 2], "what was whole stays to the byte");
}

#[test]
fn a_file_in_which_nothing_was_played_is_begun_anew() {
    let (live, wall, deck) = played(3, 6);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    let text = live.to_log();
    let header = text.lines().next().unwrap();
    for cut in [0, 1, 9, header.len() / 2, header.len() - 1] {
        std::fs::write(&path, &header[..cut]).unwrap();
        assert!(LogWriter::resume(&path).unwrap().is_none(), "cut at {cut}");
        drop(Recorder::create(&path, live.header().clone(), &wall, &deck).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{header}\n"), "cut at {cut}");
    }
    // A header that lacks nothing but its line end, and another's file.
    for other in [header, "{\"mine\":", "dear diary", "\n"] {
        std::fs::write(&path, other).unwrap();
        assert!(Recorder::create(&path, live.header().clone(), &wall, &deck).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
    }
}

#[test]
fn what_is_no_file_is_no_record() {
    for path in ["/dev/null", "/dev/full", "/dev"] {
        let path = Path::new(path);
        if path.exists() {
            assert!(Log::open(path).is_err() && LogWriter::resume(path).is_err(), "{}", path.display());
        }
    }
}

#[test]
fn a_log_beyond_all_measure_is_refused() {
    let header = played(3, 1).0.to_log().lines().next().unwrap().to_owned();
    let event = "{\"seq\":1,\"t\":0,\"source\":\"hand\",\"confidence\":1,\"type\":\"play_stopped\"}\n";
    let text = format!("{header}\n{}", event.repeat(20_001));
    assert!(matches!(Log::read(&text), Err(LogError::Long)));
}
