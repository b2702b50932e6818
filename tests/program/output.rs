//! What is printed when nobody reads it, when the disk is full, and when what is
//! printed comes from files of others.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use castellan::library;
use castellan::record::{Game, play_random};
use castellan::rules::castle::Policy;

fn castellan(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("castellan"));
    command.args(arguments).env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

fn game() -> Game {
    let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
    play_random(&wall, &deck, 5, Policy::Greedy).unwrap()
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Arguments with which a command prints on stdout; quick ones only.
fn printing(folder: &Path) -> Vec<Vec<String>> {
    let record = write(folder, "game.jsonl", game().to_log());
    let forged = write(folder, "forged.jsonl", game().to_log().replacen("\"points\":", "\"points\":1", 1));
    let table = write(folder, "table.txt", "lay h01 E6\n1: points 97\n");
    let mut all = vec![
        vec!["score", &record],
        vec!["score", "--text", &record],
        vec!["score", "--json", &record],
        vec!["score", "--turn", "3", &record],
        vec!["score", "--turn", "3", "--json", &record],
        vec!["score", "--table", &table],
        vec!["score", "--table", "--json", &table],
        vec!["score", "-"],
        vec!["check", &forged],
        vec!["check", "--json", &record],
        vec!["completions", "bash"],
        vec!["completions", "zsh"],
        vec!["completions", "fish"],
        vec!["--help"],
        vec!["score", "--help"],
        vec!["--version"],
    ];
    if cfg!(feature = "camera") {
        all.push(vec!["cameras", "--json"]);
    }
    all.into_iter().map(|a| a.into_iter().map(str::to_owned).collect()).collect()
}

fn of(arguments: &[String]) -> Command {
    castellan(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let dir = tempfile::tempdir().unwrap();
    for arguments in printing(dir.path()) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = of(&arguments).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_sentence_in_every_command() {
    let dir = tempfile::tempdir().unwrap();
    for arguments in printing(dir.path()) {
        let output = of(&arguments).stdout(full()).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.starts_with("castellan: the output cannot be written: "), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
    }
}

/// Talk that nobody can hear changes nothing: the exit status stays.
#[cfg(target_os = "linux")]
#[test]
fn stderr_may_be_closed_or_full() {
    let dir = tempfile::tempdir().unwrap();
    let record = game().to_log();
    let cut = write(dir.path(), "cut.jsonl", &record[..record.len() - 30]);
    let cases: [(&[&str], i32); 5] =
        [(&["score", &cut], 3), (&["check", &cut], 3), (&["score", "none"], 1), (&["read"], 2), (&["-h"], 0)];
    for (arguments, code) in cases {
        let output = castellan(arguments).stdout(Stdio::null()).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "full, {arguments:?}");
        let program = assert_cmd::cargo::cargo_bin!("castellan");
        for redirect in ["2>&-", ">/dev/full 2>&-", ">/dev/full 2>/dev/full"] {
            let status = Command::new("sh")
                .args(["-c", &format!("exec \"$0\" \"$@\" {redirect}")])
                .arg(program)
                .args(arguments)
                .stdout(Stdio::null())
                .status()
                .unwrap();
            let code = if redirect.starts_with('>') && matches!(code, 0 | 3) { 1 } else { code };
            assert_eq!(status.code(), Some(code), "{redirect}, {arguments:?}");
        }
    }
}

/// The first pictures of the shipped game: what is seen is printed as it comes.
#[cfg(all(target_os = "linux", feature = "vision", feature = "studio"))]
#[test]
fn a_watched_game_ends_with_its_output() {
    let dir = tempfile::tempdir().unwrap();
    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/house-game");
    for still in ["0001.jpg", "0002.jpg"] {
        std::fs::copy(game.join(still), dir.path().join(still)).unwrap();
    }
    let watch = ["watch", dir.path().to_str().unwrap(), "--players", "Ada,Ben", "--colours", "blue,yellow"];
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = castellan(&watch).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let output = castellan(&watch).arg("--json").stdout(full()).output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("castellan: the output cannot be written: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// No byte that a terminal obeys, a line break aside.
fn is_plain(bytes: &[u8]) -> bool {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.chars().all(|c| c == '\n' || !castellan::rules::plain::is_control(c))
}

/// A terminal would clear the screen, ring, and write backwards.
const EVIL: &str = "\u{1b}[2J\u{7}\u{9b}31m\u{202e}\r\nx";

#[test]
fn names_in_a_record_reach_the_terminal_plainly() {
    let dir = tempfile::tempdir().unwrap();
    let mut record: Vec<String> = game().to_log().lines().map(str::to_owned).collect();
    let mut header: serde_json::Value = serde_json::from_str(&record[0]).unwrap();
    header["players"] = serde_json::json!([format!("Ada{EVIL}"), "B".repeat(65_536)]);
    header["colours"] = serde_json::json!([EVIL, EVIL]);
    record[0] = header.to_string();
    let record = write(dir.path(), "game.jsonl", record.join("\n") + "\n");
    let json = ["score", &record, "--json"];
    let runs: [&[&str]; 6] = [
        &["score", &record],
        &["score", &record, "--text"],
        &json,
        &["score", &record, "--turn", "4"],
        &["check", &record],
        &["check", &record, "--json"],
    ];
    for arguments in runs {
        let output = castellan(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        assert!(is_plain(&output.stdout) && is_plain(&output.stderr), "{arguments:?}");
        let longest = String::from_utf8_lossy(&output.stdout).lines().map(str::len).max().unwrap_or(0);
        assert!(arguments == json || longest < 400, "{arguments:?}: a line of {longest} bytes");
    }
    let read: serde_json::Value = serde_json::from_slice(&castellan(&json).output().unwrap().stdout).unwrap();
    assert_eq!(read["players"][1].as_str().unwrap(), format!("{}…", "B".repeat(39)));
    // The text can be read back.
    let text = castellan(&["score", &record, "--text"]).output().unwrap().stdout;
    let text = write(dir.path(), "game.txt", text);
    let again = castellan(&["score", &text, "--json"]).output().unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&again.stdout).unwrap(), read);
    // What an error quotes is plain, too, and one line.
    for field in ["deck", "wall", "edition"] {
        let mut other = header.clone();
        other[field] = EVIL.into();
        let record = write(dir.path(), "other.jsonl", format!("{other}\n"));
        let output = castellan(&["score", &record]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(is_plain(&output.stderr) && stderr(&output).lines().count() == 1, "{}", stderr(&output));
    }
}

#[test]
fn ids_and_names_in_a_deck_reach_the_terminal_plainly() {
    let dir = tempfile::tempdir().unwrap();
    let mut deck = library::deck("house").unwrap().deck;
    deck.name = format!("mine{EVIL}");
    deck.tiles[0].id = format!("h01{EVIL}");
    deck.tiles[1].id = "h".repeat(70_000);
    let deck = write(dir.path(), "deck.toml", deck.to_toml());
    let mut wall = library::wall("house").unwrap();
    wall.name = EVIL.to_owned();
    wall.outline[0] = EVIL.to_owned();
    let wall = write(dir.path(), "wall.toml", wall.to_toml());
    let record = write(dir.path(), "game.jsonl", game().to_log());
    let table = write(dir.path(), "table.txt", format!("lay {} E6\n", EVIL.replace('\n', "")));
    let odd = write(dir.path(), "odd.toml", format!("# \u{1b}[2J\nname = {EVIL}\n"));
    let runs: [&[&str]; 8] = [
        &["check", &deck],
        &["check", &deck, "--json"],
        &["check", &wall],
        &["check", &odd],
        &["check", EVIL],
        &["score", &record, "--deck", &deck],
        &["score", &record, "--wall", &wall],
        &["score", "--table", &table],
    ];
    for arguments in runs {
        let output = castellan(arguments).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{arguments:?}: {}", stderr(&output));
        assert!(is_plain(&output.stdout), "{arguments:?}: {:?}", String::from_utf8_lossy(&output.stdout));
        assert!(is_plain(&output.stderr), "{arguments:?}: {:?}", stderr(&output));
    }
    #[cfg(feature = "vision")]
    {
        let runs: [&[&str]; 3] = [
            &["enrol", "--correct", EVIL, "--face", "h01=path n-s"],
            &["read", EVIL, "--deck", &deck],
            &["import", &deck],
        ];
        for arguments in runs {
            let output = castellan(arguments).env("CASTELLAN_DATA", dir.path()).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stderr(&output));
            assert!(is_plain(&output.stderr) && stderr(&output).lines().count() == 1, "{}", stderr(&output));
        }
    }
}

/// Files of others may be arguments: what clap says of them is plain.
#[test]
fn arguments_are_quoted_plainly() {
    for arguments in [&["score", "a", EVIL][..], &[EVIL], &["score", "--turn", EVIL, "a"]] {
        let output = castellan(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(is_plain(&output.stderr), "{:?}", stderr(&output));
        assert!(stderr(&output).contains("Usage:") || stderr(&output).contains("--help"));
    }
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man");
    let output = castellan(&["man", &folder.to_string_lossy()]).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("castellan.1").contains("castellan\\-score(1)"), "{}", page("castellan.1"));
    assert!(page("castellan-score.1").contains(".TH castellan-score 1"), "{}", page("castellan-score.1"));

    let taken = write(dir.path(), "taken", String::new());
    let output = castellan(&["man", &taken]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write manual pages to"), "{}", stderr(&output));
}
