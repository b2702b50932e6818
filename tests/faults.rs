//! Kills, cuts, flipped bits and full disks, at random but with seeds, over whole
//! records and shared files: what was whole before stays, nothing panics, and what
//! is lost is said.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use castellan::observation::Observation;
use castellan::record::{EventKind, Game, Log, LogError, LogWriter, Recorder, check, play_random};
use castellan::rules::castle::Policy;
use castellan::rules::{Deck, Wall};
use castellan::table::sim::{Noise, Rehearsal, Tempo};
use castellan::table::{Patience, Session};
use castellan::{library, share};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

const KILLS: usize = 200;
const CUTS: usize = 200;
const FLIPS: usize = 200;
const FULL_DISKS: usize = 50;
const LIVE_TILES: usize = 7;

/// Where a child of this test records, and which game.
const RECORD: &str = "CASTELLAN_TEST_RECORD";
const SEED: &str = "CASTELLAN_TEST_SEED";

fn parts() -> (Wall, Deck) {
    (library::wall("house").unwrap(), library::deck("house").unwrap().deck)
}

fn played(seed: u64) -> Game {
    let (wall, deck) = parts();
    play_random(&wall, &deck, seed, Policy::Greedy).unwrap()
}

/// Not a test of its own: what is killed by the others. Records a game from where
/// its record stands, fact by fact.
#[test]
fn recording_child() {
    let Some(path) = std::env::var_os(RECORD) else { return };
    let live = played(std::env::var(SEED).unwrap().parse().unwrap());
    let (wall, deck) = parts();
    let path = Path::new(&path);
    let resumed = if path.metadata().is_ok_and(|m| m.len() > 0) {
        Recorder::resume(path, &wall, &deck)
    } else {
        Recorder::create(path, live.header().clone(), &wall, &deck)
    };
    let recorded = resumed.and_then(|mut recorder| {
        while let Some(next) =
            live.events()[recorder.game().events().len()..].iter().find(|e| e.kind.is_fact())
        {
            recorder.apply(next.kind.clone(), next.source, next.confidence, next.t, false)?;
            std::thread::sleep(Duration::from_micros(300));
        }
        Ok(())
    });
    if let Err(error) = recorded {
        println!("refused: {error}");
        std::process::exit(if matches!(error, LogError::Io(..)) { 9 } else { 10 });
    }
}

/// The command that starts [`recording_child`]; `prefix` is what goes before it.
fn child(prefix: &[&str], path: &Path, seed: u64) -> Command {
    let own = std::env::current_exe().unwrap();
    let mut words = prefix.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    words.extend([own.to_string_lossy().into_owned(), "--exact".into(), "recording_child".into()]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env(RECORD, path).env(SEED, seed.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// How many whole events a record has, all as in the game.
fn whole_events(path: &Path, live: &Game) -> usize {
    let Ok(log) = Log::open(path) else {
        let text = std::fs::read(path).unwrap_or_default();
        assert!(!text.contains(&b'\n'), "only in its header a record may be cut off");
        return 0;
    };
    assert!(log.lost.is_empty());
    assert_eq!(log.events[..], live.events()[..log.events.len()]);
    log.events.len()
}

#[test]
fn kills_lose_nothing() {
    let mut rng = Pcg64Mcg::seed_from_u64(1501);
    let folder = tempfile::tempdir().unwrap();
    let (mut kills, mut seed) = (0, 0);
    while kills < KILLS {
        let path = folder.path().join(format!("{seed}.jsonl"));
        let live = played(seed);
        let mut before = 0;
        loop {
            let mut running = child(&[], &path, seed).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(rng.random_range(1..120)));
            let ended = running.try_wait().unwrap();
            if ended.is_none() {
                running.kill().unwrap();
                kills += 1;
            }
            let status = running.wait().unwrap();
            let now = whole_events(&path, &live);
            assert!(now >= before, "{before} events were whole, {now} are");
            before = now;
            if ended.is_some() {
                assert!(status.success());
                assert_eq!(std::fs::read_to_string(&path).unwrap(), live.to_log());
                break;
            }
        }
        seed += 1;
    }
    println!("{kills} kills over {seed} games");
}

#[test]
fn cuts_lose_nothing_that_was_whole() {
    let mut rng = Pcg64Mcg::seed_from_u64(1502);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    let (wall, deck) = parts();
    let games: Vec<Game> = (0..4).map(played).collect();
    for _ in 0..CUTS {
        let live = &games[rng.random_range(0..games.len())];
        let text = live.to_log();
        let cut = rng.random_range(0..text.len());
        std::fs::write(&path, &text.as_bytes()[..cut]).unwrap();
        let whole = whole_events(&path, live);
        let ended = text[..cut].matches('\n').count();
        assert!(whole + 1 >= ended, "cut at {cut}");
        let resumed = if ended == 0 && !text.as_bytes()[cut..].starts_with(b"\n") {
            Recorder::create(&path, live.header().clone(), &wall, &deck)
        } else {
            Recorder::resume(&path, &wall, &deck)
        };
        let mut recorder = resumed.unwrap();
        let stands = recorder.game().events().len();
        assert_eq!(recorder.game().events(), &live.events()[..stands]);
        for fact in live.events()[stands..].iter().filter(|e| e.kind.is_fact()) {
            recorder.apply(fact.kind.clone(), fact.source, fact.confidence, fact.t, false).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "cut at {cut}");
    }
}

/// Watches a table to its end; gives how many events were on the disk after each look.
fn watch(session: &mut Session, record: &mut LogWriter, seen: &[(f64, Observation)]) -> Vec<usize> {
    let begin = seen.first().map_or(0.0, |(t, _)| *t);
    let mut written = Vec::new();
    for (t, observation) in seen {
        session.observe(observation, t - begin);
        record.write(session.game()).unwrap();
        written.push(record.written());
    }
    session.finish();
    record.write(session.game()).unwrap();
    written
}

/// The live table with its record: killed after any event and in the middle of any line, and
/// begun again before the table as it lies then.
#[test]
fn a_live_table_killed_at_any_event_goes_on() {
    let (wall, mut deck) = parts();
    deck.tiles.truncate(LIVE_TILES);
    let played = play_random(&wall, &deck, 11, Policy::Greedy).unwrap();
    let facts = |game: &Game| game.facts().into_iter().map(|(_, kind)| kind).collect::<Vec<EventKind>>();
    let start = Game::new(played.header().clone(), &wall, &deck).unwrap();
    let seen = Rehearsal::of(&played, start, &deck, Tempo::live(), Noise::default(), 1).observations;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.jsonl");
    let table = |recorder: Recorder| {
        let (game, record) = recorder.into_parts();
        (Session::resume(game, deck.clone()).with_patience(Patience::live()), record)
    };
    let (mut session, mut record) =
        table(Recorder::create(&path, played.header().clone(), &wall, &deck).unwrap());
    let written = watch(&mut session, &mut record, &seen);
    drop(record);
    assert_eq!(facts(session.game()), facts(&played));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, session.game().to_log());
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    assert_eq!(ends.len(), session.game().events().len() + 1);
    for (events, line) in ends.windows(2).enumerate() {
        // The look after which so much was on the disk.
        let look = written.iter().position(|w| *w > events).unwrap_or(seen.len());
        for cut in [line[0], (line[0] + line[1]) / 2] {
            std::fs::write(&path, &text.as_bytes()[..cut]).unwrap();
            let (log, writer) = LogWriter::resume(&path).unwrap().unwrap();
            assert_eq!((log.events.len(), log.torn.is_some()), (events, cut > line[0]));
            let (mut session, mut record) = table(Recorder::go_on(log, writer, &wall, &deck).unwrap());
            assert!(record.written() >= events && record.written() == session.game().events().len());
            watch(&mut session, &mut record, &seen[look..]);
            drop(record);
            assert_eq!(facts(session.game()), facts(&played), "killed after {events} events");
            let log = Log::open(&path).unwrap();
            assert_eq!(log.events, session.game().events());
            assert_eq!(check(&log, &wall, &deck).unwrap(), [], "killed after {events} events");
            assert_eq!(session.game().sheet().tallies, played.sheet().tallies);
        }
    }
    println!("killed twice after each of {} events", ends.len() - 1);
}

#[test]
fn flipped_bits_are_scored_around_or_said() {
    let mut rng = Pcg64Mcg::seed_from_u64(1503);
    let (wall, deck) = parts();
    let games: Vec<Game> = (0..4).map(played).collect();
    let (mut same, mut said, mut refused) = (0, 0, 0);
    for _ in 0..FLIPS {
        let live = &games[rng.random_range(0..games.len())];
        let mut bytes = live.to_log().into_bytes();
        let at = rng.random_range(0..bytes.len());
        bytes[at] ^= 1 << rng.random_range(0..8);
        let header = at < bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
        let log = match Log::from_bytes(&bytes) {
            Ok(log) => log,
            Err(error) => {
                assert!(header && !error.to_string().contains('\n'), "byte {at}: {error}");
                refused += 1;
                continue;
            }
        };
        let found = match check(&log, &wall, &deck) {
            Ok(found) => found,
            Err(error) => {
                assert!(header, "byte {at}: {error}");
                refused += 1;
                continue;
            }
        };
        let game = log.replay(&wall, &deck).unwrap();
        if game.sheet().tallies == live.sheet().tallies {
            same += 1;
        } else {
            assert!(!found.is_empty(), "byte {at} changed the score in silence");
            said += 1;
        }
    }
    println!(
        "of {FLIPS} flips {same} left the scores as they were, {said} changed them and were said, {refused} spoilt the header"
    );
    assert!(same * 100 >= FLIPS * 90, "{same} of {FLIPS}");
}

#[test]
fn cut_and_flipped_shared_files_are_refused() {
    let mut rng = Pcg64Mcg::seed_from_u64(1504);
    let (wall, deck) = parts();
    let photo = share::WallPhoto { png: vec![7; 4000], scale: "{}".to_owned() };
    let maps = share::Maps { model: 3, tiles: vec![vec![9; 700]; deck.tiles.len()] };
    let files = [
        share::pack(&share::Shared::Wall { wall, picture: Some(photo) }).unwrap(),
        share::pack(&share::Shared::Deck { deck, pictures: Vec::new(), maps: Some(maps) }).unwrap(),
    ];
    for i in 0..CUTS + FLIPS {
        let mut bytes = files[i % 2].clone();
        let at = rng.random_range(0..bytes.len());
        if i < CUTS {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << rng.random_range(0..8);
        }
        let error = share::unpack(&bytes).expect_err("a damaged file is refused").to_string();
        assert!(!error.contains('\n'), "{error}");
    }
}

/// Writes beyond so many blocks of 512 bytes fail as on a full disk.
#[cfg(unix)]
fn disk_of(blocks: u64) -> String {
    format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$@\"")
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_loses_nothing_that_was_whole() {
    let mut rng = Pcg64Mcg::seed_from_u64(1505);
    let folder = tempfile::tempdir().unwrap();
    for moment in 0..FULL_DISKS {
        let seed = moment as u64 % 5;
        let live = played(seed);
        let path = folder.path().join(format!("{moment}.jsonl"));
        let blocks = if moment == 0 { 0 } else { rng.random_range(0..live.to_log().len() as u64 / 512) };
        let script = disk_of(blocks);
        let status = child(&["sh", "-c", &script, "sh"], &path, seed).status().unwrap();
        assert_eq!(status.code(), Some(9), "moment {moment}, {blocks} blocks");
        let whole = whole_events(&path, &live);
        let kept = std::fs::read(&path).map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count());
        assert!(whole + 1 >= kept, "moment {moment}: {whole} events of {kept} lines");
        // With room again it goes on.
        assert!(child(&[], &path, seed).status().unwrap().success(), "moment {moment}, {blocks} blocks");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), live.to_log());
    }
}
