//! A classic game from its first picture on: photographed in the studio and watched.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::Path;

use assert_cmd::Command;
use castellan::library;
use castellan::record::{EventKind, Game, Header, Log, VERSION, play_random_with};
use castellan::rules::castle::Policy;
use castellan::rules::{self, Player};
use opencv::core::{Mat, Size};
use opencv::prelude::*;
use opencv::{imgcodecs, videoio};

/// Turns that are played.
const TURNS: usize = 10;
/// Turns that are filmed.
const FILMED: usize = 3;
/// Frames a second of the film, and for how many a picture is seen.
const FILM: (f64, usize) = (5.0, 20);
/// Turns after which the camera is taken to another place.
const MOVED: usize = 6;

fn castellan(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.args(arguments).env_remove("RUST_LOG");
    command
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What is said of the table.
const SAID: [&str; 8] =
    ["--deck", "classic", "--players", "Ada,Ben,Cleo", "--colours", "red,blue,yellow", "--starts", "Ben"];

/// The first turns of a classic game of three.
fn played() -> Game {
    let deck = library::deck("classic").unwrap().deck;
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: rules::Game::Classic,
        deck: "classic".to_owned(),
        wall: None,
        edition: None,
        players: ["Ada", "Ben", "Cleo"].map(str::to_owned).to_vec(),
        colours: ["red", "blue", "yellow"].map(str::to_owned).to_vec(),
        neutral: None,
        starts: Player(1),
        wall_tiles: [].into(),
    };
    let whole = play_random_with(header.clone(), None, &deck, 5, Policy::Random).unwrap();
    let ends = |k: &EventKind| matches!(k, EventKind::TurnEnded { .. });
    let mut game = Game::new(header, None, &deck).unwrap();
    let mut turns = 0;
    for event in whole.events().iter().filter(|e| e.kind.is_fact()) {
        game.apply(event.kind.clone(), event.source, 1.0, event.t).unwrap();
        turns += usize::from(ends(&event.kind));
        if turns == TURNS {
            break;
        }
    }
    game
}

fn facts(game: &Game) -> Vec<EventKind> {
    game.facts().into_iter().map(|(_, kind)| kind).collect()
}

/// Photographs the record and gives the number of pictures.
fn render(record: &Path, out: &Path, seed: &str, turns: usize) -> usize {
    let turns = turns.to_string();
    let calm = ["--mood", "calm", "--hands", "0", "--size", "1280x960", "--seed", seed, "--turns", &turns];
    castellan(&["render", path(record), "--out", path(out)]).args(calm).assert().success();
    std::fs::read_dir(out)
        .unwrap()
        .filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|e| e == "jpg"))
        .count()
}

#[test]
fn its_pictures_give_the_game_that_was_played_although_the_camera_is_moved() {
    let dir = tempfile::tempdir().unwrap();
    let game = played();
    let record = dir.path().join("played.jsonl");
    std::fs::write(&record, game.to_log()).unwrap();
    let (first, second) = (dir.path().join("first"), dir.path().join("second"));
    let before = render(&record, &first, "1", MOVED);
    let all = render(&record, &second, "2", TURNS);
    let frames = dir.path().join("frames");
    std::fs::create_dir(&frames).unwrap();
    for n in 1..=all {
        let name = format!("{n:04}.jpg");
        let from = if n <= before { &first } else { &second };
        std::fs::copy(from.join(&name), frames.join(&name)).unwrap();
    }
    if let Some(keep) = std::env::var_os("CASTELLAN_SNAPSHOTS") {
        for n in [1, before, before + 1, all] {
            let name = format!("{n:04}.jpg");
            std::fs::create_dir_all(&keep).unwrap();
            std::fs::copy(frames.join(&name), Path::new(&keep).join(format!("classic-game-{name}"))).unwrap();
        }
    }
    let seen = dir.path().join("seen.jsonl");
    let output = castellan(&["watch", path(&frames), "--record", path(&seen)]).args(SAID).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let log = Log::open(&seen).unwrap();
    assert_eq!((log.header.game, log.header.wall.as_deref()), (rules::Game::Classic, None));
    let watched = log.replay(None, &library::deck("classic").unwrap().deck).unwrap();
    assert_eq!(facts(&watched), facts(&game), "{stdout}{stderr}");
    assert_eq!(watched.sheet().tallies, game.sheet().tallies);
}

#[test]
fn a_film_of_its_first_turns_gives_them_too() {
    let dir = tempfile::tempdir().unwrap();
    let game = played();
    let record = dir.path().join("played.jsonl");
    std::fs::write(&record, game.to_log()).unwrap();
    let stills = dir.path().join("stills");
    let count = render(&record, &stills, "1", FILMED);
    let film = dir.path().join("film.avi");
    let fourcc = videoio::VideoWriter::fourcc('M', 'J', 'P', 'G').unwrap();
    let size = Size::new(1280, 960);
    let mut writer = videoio::VideoWriter::new_def(path(&film), fourcc, FILM.0, size).unwrap();
    writer.set(videoio::VIDEOWRITER_PROP_QUALITY, 95.0).unwrap();
    for n in 1..=count {
        let picture: Mat = imgcodecs::imread_def(path(&stills.join(format!("{n:04}.jpg")))).unwrap();
        for _ in 0..FILM.1 {
            writer.write(&picture).unwrap();
        }
    }
    writer.release().unwrap();
    let seen = dir.path().join("seen.jsonl");
    let output = castellan(&["watch", path(&film), "--record", path(&seen)])
        .args(SAID)
        .env("RUST_LOG", "castellan=debug")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let deck = library::deck("classic").unwrap().deck;
    let (watched, played) = (facts(&Log::open(&seen).unwrap().replay(None, &deck).unwrap()), facts(&game));
    let laid = |k: &&EventKind| matches!(k, EventKind::TilePlaced { .. });
    assert_eq!(watched.iter().filter(laid).count(), FILMED, "{stdout}");
    // The last turn may not be over yet.
    let whole = watched.len() - usize::from(matches!(watched.last(), Some(EventKind::TurnEnded { .. })));
    assert_eq!(watched[..whole], played[..whole], "{stdout}");
    // Each picture stands still for four seconds, and is searched once or twice.
    let searched = stderr.matches("castellan::vision::read::classic_reader: searched").count();
    assert!((count..=2 * count).contains(&searched), "{searched} searches of {count} pictures");
}
