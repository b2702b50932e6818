//! `castellan watch` from the outside: what it says to bad input.

#![cfg(all(feature = "vision", feature = "studio"))]

mod command_support;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use castellan::library;
use castellan::record::Log;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;

fn watch(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.arg("watch").args(arguments).env_remove("RUST_LOG");
    command
}

/// The command fails with one line on stderr and nothing on stdout.
fn fails_with(arguments: &[&str], sentence: &str) {
    command_support::fails_with(&mut watch(arguments), sentence);
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn noise(folder: &Path, frames: u32) {
    for n in 0..frames {
        let picture = image::RgbImage::from_fn(640, 480, |x, y| {
            let v = (x * 7919 + y * 104_729 + n * 31).wrapping_mul(2_654_435_761) >> 24;
            image::Rgb([v as u8, (v / 2) as u8, (255 - v) as u8])
        });
        picture.save(folder.join(format!("{n}.png"))).unwrap();
    }
}

#[test]
fn a_source_that_is_none_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    fails_with(&[path(dir.path())], "the folder holds no picture");
    fails_with(&[path(&dir.path().join("nothing.mp4"))], "nothing is there");
    fails_with(&["camera:front"], "`camera:front` is not a camera");
    let video = dir.path().join("game.mp4");
    std::fs::write(&video, "not a video at all").unwrap();
    fails_with(&[path(&video)], "this is no video that can be read");
    std::fs::write(&video, b"\x00\x00\x00\x10ftypisom\x00\x00\x02\x00\x00\x10\x00\x00mdat\x00\x00").unwrap();
    fails_with(&[path(&video)], "the video is cut off before its index");
}

#[test]
fn a_deck_or_wall_that_is_not_whole_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    noise(dir.path(), 1);
    let mut deck = library::deck("house").unwrap().deck;
    deck.tiles.pop();
    let file = dir.path().join("deck.toml");
    std::fs::write(&file, deck.to_toml()).unwrap();
    fails_with(&[path(dir.path()), "--deck", path(&file)], "the deck has 59 tiles; 60 are needed");
    let mut wall = library::wall("house").unwrap();
    let cell = wall.outline.iter_mut().rev().find(|line| line.contains('#')).unwrap();
    *cell = cell.replacen('#', ".", 1);
    let file = dir.path().join("wall.toml");
    std::fs::write(&file, wall.to_toml()).unwrap();
    fails_with(&[path(dir.path()), "--wall", path(&file)], "75");
    fails_with(&[path(dir.path()), "--deck", "nowhere"], "no deck is named `nowhere`");
}

#[test]
fn a_game_file_that_does_not_fit_is_said_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    noise(dir.path(), 1);
    let file = dir.path().join("game.toml");
    std::fs::write(&file, "players = ['A', 'B', 'C']").unwrap();
    fails_with(&[path(dir.path())], "The Castle is for two players, not 3");
    std::fs::write(&file, "player = ['A', 'B']").unwrap();
    fails_with(&[path(dir.path())], "the game file is not of the form");
    fails_with(&[path(dir.path()), "--game", "nowhere.toml"], "the game file cannot be read");
}

#[test]
fn pictures_of_something_else_end_in_one_sentence_and_a_record_that_can_go_on() {
    let dir = tempfile::tempdir().unwrap();
    noise(dir.path(), 2);
    let record = dir.path().join("game.jsonl");
    let arguments = [path(dir.path()), "--players", "Ada,Ben", "--record", path(&record)];
    for run in 0..2 {
        let output = watch(&arguments).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let last = stderr.lines().last().unwrap();
        assert!(last.starts_with("castellan: the wall was found in none of the 2 frames"), "{stderr}");
        assert_eq!(stderr.contains("going on after 0 events"), run == 1, "{stderr}");
        let text = std::fs::read_to_string(&record).unwrap();
        assert!(text.lines().count() == 1 && text.contains("Ada"), "{text}");
    }
}

#[test]
fn the_edition_that_is_played_is_said_and_recorded() {
    let dir = tempfile::tempdir().unwrap();
    noise(dir.path(), 1);
    let record = dir.path().join("game.jsonl");
    let edition = "zamek-2020 +pickup_after_all_moves";
    let arguments = [path(dir.path()), "--edition", edition, "--record", path(&record)];
    let output = watch(&arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("Zamek, Nasza Księgarnia 2020\n"), "{stderr}");
    assert!(stderr.contains("at this table, not in the edition, "), "{stderr}");
    assert!(std::fs::read_to_string(&record).unwrap().contains(edition));
    fails_with(&[path(dir.path()), "--edition", "2021"], "no edition is named `2021`; choose hig-2003");
}

#[test]
fn an_option_out_of_range_is_a_usage_error() {
    watch(&["x", "--seconds-per-still", "0"]).assert().code(2);
    watch(&[]).assert().code(2);
}

fn house(picture: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("datasets/house-game/{picture:04}.jpg"))
}

#[test]
fn a_picture_that_is_none_is_left_out_of_a_folder_and_told() {
    let dir = tempfile::tempdir().unwrap();
    for n in 1..=3 {
        std::fs::copy(house(n), dir.path().join(format!("{n}.jpg"))).unwrap();
    }
    let lines = || {
        let output =
            watch(&[path(dir.path()), "--players", "Ada,Ben", "--colours", "blue,yellow"]).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, seen, _) = lines();
    assert_eq!(code, Some(0));
    assert!(seen.contains("Ben lays"), "{seen}");

    let bytes = std::fs::read(house(1)).unwrap();
    std::fs::write(dir.path().join("0.jpg"), &bytes[..bytes.len() / 2]).unwrap();
    image::RgbImage::new(1, 1).save(dir.path().join("1b.png")).unwrap();
    let (code, still_seen, said) = lines();
    assert_eq!((code, still_seen), (Some(3), seen), "{said}");
    let left_out: Vec<&str> = said.lines().filter(|l| l.starts_with("this picture is left out")).collect();
    assert!(
        left_out.len() == 2 && left_out[0].ends_with("0.jpg") && left_out[1].ends_with("1b.png"),
        "{said}"
    );

    for name in ["1.jpg", "2.jpg", "3.jpg"] {
        std::fs::remove_file(dir.path().join(name)).unwrap();
    }
    let (code, _, said) = lines();
    assert_eq!(code, Some(1));
    assert!(said.contains("castellan: none of the folder's pictures can be read"), "{said}");
    fails_with(&[path(&dir.path().join("0.jpg"))], "the picture cannot be read (its end is missing");
}

#[test]
fn what_is_typed_answers_corrects_and_is_undone() {
    let dir = tempfile::tempdir().unwrap();
    for n in 1..=3 {
        std::fs::copy(house(n), dir.path().join(format!("{n}.jpg"))).unwrap();
    }
    let record = dir.path().join("typed.jsonl");
    let mut watching = std::process::Command::new(cargo_bin("castellan"))
        .args(["watch", path(dir.path()), "--players", "Ada,Ben", "--colours", "blue,yellow", "--stdin"])
        .args(["--record", path(&record)])
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(watching.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("Ben lays") {
        line.clear();
        assert!(told.read_line(&mut line).unwrap() > 0, "the second turn is seen");
    }
    let mut types = watching.stdin.take().unwrap();
    types
        .write_all(
            b"# nobody reads this\n7\nok\nlay nothing\ncorrect 99 --delete\ncorrect 1 --follower none\n",
        )
        .unwrap();
    types.write_all(b"correct 1 --rotation 7\nundo\nundo\ncorrect 1 --player Ben\n").unwrap();
    drop(types);
    let mut rest = String::new();
    told.read_to_string(&mut rest).unwrap();
    let output = watching.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    for words in [
        "`7`: nothing is asked now",
        "`ok`: nothing is asked now",
        "`lay nothing`: ",
        "`correct 99 --delete`: there is no turn 99",
        "- Ada puts a knight on segment 2",
        "`correct 1 --rotation 7`: invalid value '7'",
        "`undo`: nothing was entered that could be taken back",
        "+ Ben lays h03",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
    let game = Log::open(&record).unwrap().replay(&wall, &deck).unwrap();
    let first: Vec<String> =
        game.facts().iter().take(2).map(|(_, kind)| game.wording().told(kind).to_string()).collect();
    assert!(first[0].starts_with("Ben lays h03") && first[1].starts_with("Ben puts a knight"), "{first:?}");
}

#[test]
fn figures_of_a_colour_that_nobody_chose_are_told_once() {
    let dir = tempfile::tempdir().unwrap();
    for n in 1..=8 {
        std::fs::copy(house(n), dir.path().join(format!("{n}.jpg"))).unwrap();
    }
    let told = |colours: &str| {
        let output =
            watch(&[path(dir.path()), "--players", "Ada,Ben", "--colours", colours]).output().unwrap();
        let seen = String::from_utf8(output.stdout).unwrap();
        seen.lines().filter(|l| l.contains("figures lie on the board")).map(str::to_owned).collect::<Vec<_>>()
    };
    let wrong = told("blue,red");
    assert!(
        wrong.len() == 1
            && wrong[0].contains("?  yellow figures lie on the board, as in ")
            && wrong[0].ends_with(" and no player has yellow; choose Ben's colour again"),
        "{wrong:?}"
    );
    assert_eq!(told("blue,yellow"), [""; 0]);
}

/// What a camera on the network shows now, and how often it has been asked.
#[derive(Clone, Default)]
struct Camera {
    shown: Arc<Mutex<Vec<u8>>>,
    asked: Arc<AtomicUsize>,
}

impl Camera {
    /// Listens on a port of its own, and gives the address. Each time somebody
    /// asks, those who asked before are hung up on.
    fn listen(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/video", listener.local_addr().unwrap());
        let camera = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let camera = camera.clone();
                std::thread::spawn(move || camera.answer(stream.unwrap()));
            }
        });
        address
    }

    fn answer(&self, mut stream: TcpStream) -> Option<()> {
        // Whether anybody is here is tried without a word.
        stream.read(&mut [0; 1024]).ok().filter(|n| *n > 0)?;
        let mine = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n")
            .ok()?;
        while self.asked.load(Ordering::Relaxed) == mine {
            let picture = self.shown.lock().unwrap().clone();
            let head =
                format!("--next\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", picture.len());
            stream.write_all(&[head.as_bytes(), &picture, b"\r\n"].concat()).ok()?;
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }

    /// Shows a picture of the house game so many pixels wide.
    fn show(&self, picture: u32, width: u32) {
        let picture = image::open(house(picture)).unwrap().resize(width, width, FilterType::Triangle);
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, 95).encode_image(&picture).unwrap();
        *self.shown.lock().unwrap() = bytes;
    }

    /// Hangs up on all who look.
    fn hang_up(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_stream_may_break_off_and_change_its_size() {
    let camera = Camera::default();
    camera.show(2, 1280);
    let dir = tempfile::tempdir().unwrap();
    let (record, said) = (dir.path().join("game.jsonl"), dir.path().join("said.txt"));
    let mut watching = std::process::Command::new(cargo_bin("castellan"))
        .args(["watch", &camera.listen(), "--players", "Ada,Ben", "--colours", "blue,yellow", "--json"])
        .args(["--record", path(&record)])
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .stderr(File::create(&said).unwrap())
        .spawn()
        .unwrap();
    let (line, lines) = std::sync::mpsc::channel();
    let stdout = BufReader::new(watching.stdout.take().unwrap());
    std::thread::spawn(move || stdout.lines().try_for_each(|l| line.send(l.unwrap())));
    // When a follower stands the next turn is shown, in another size.
    for next in [Some((3, 1120)), Some((4, 1600)), None] {
        while !lines.recv_timeout(Duration::from_secs(60)).expect("a turn").contains("follower_placed") {}
        if let Some((picture, width)) = next {
            camera.show(picture, width);
        }
        if next == Some((4, 1600)) {
            camera.hang_up();
        }
    }
    watching.kill().unwrap();
    watching.wait().unwrap();
    let facts = |record: &Path| {
        let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
        let game = Log::open(record).unwrap().replay(&wall, &deck).unwrap();
        game.facts().into_iter().map(|(_, kind)| kind).collect::<Vec<_>>()
    };
    let (seen, played) = (facts(&record), facts(&house(1).with_file_name("expected.jsonl")));
    // The third turn may have ended before the program was.
    assert_eq!(seen[..8], played[..8]);
    // What is said is the program's, not a library's.
    let said = std::fs::read_to_string(&said).unwrap();
    let ours = |l: &str| {
        l.starts_with("no video comes from http://127.0.0.1")
            || l.starts_with("the castle wall was")
            || l.starts_with("the table is read every")
            || l == "the pictures come again"
    };
    assert!(said.lines().all(ours) && said.contains("no video comes"), "{said}");
    let times = |what: &str| said.lines().filter(|l| l.starts_with(what)).count();
    assert_eq!(times("no video comes"), times("the pictures come again"), "{said}");
}
