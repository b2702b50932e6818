//! A webcam driven for real, through a made-up V4L2 device that is loaded before the
//! program: `../shared/tools/fakecam.c`. Skipped where that or a C compiler is missing.

#![cfg(all(target_os = "linux", feature = "camera", feature = "studio"))]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;

/// What a test waits for at most.
const LONG: Duration = Duration::from_secs(120);

/// Has the device be gone while a file is there, which `FAKECAM_GONE` names.
const UNPLUGGING: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *told(const char *name) {
  const char *gone = getenv("FAKECAM_GONE");
  if (gone && (!strcmp(name, "FAKECAM_UNPLUG") || !strcmp(name, "FAKECAM_BUSY")))
    return access(gone, F_OK) ? 0 : "0";
  return getenv(name);
}
#define getenv told
"#;

/// The device as a library, in a folder of its own.
struct Device {
    folder: tempfile::TempDir,
}

impl Device {
    /// `None`, said, where it cannot be made.
    fn new() -> Option<Device> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/tools/fakecam.c");
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("unplugging.h");
        std::fs::write(&header, UNPLUGGING).unwrap();
        if !source.exists() {
            eprintln!("skipped: {} is not there", source.display());
            return None;
        }
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-w", "-include"]).arg(&header).arg("-o");
        compiler.arg(folder.path().join("fakecam.so")).arg(&source).arg("-ldl");
        match compiler.status() {
            Ok(status) => assert!(status.success(), "the device does not compile"),
            Err(_) => {
                eprintln!("skipped: there is no C compiler");
                return None;
            }
        }
        Some(Device { folder })
    }

    fn gone(&self) -> PathBuf {
        self.folder.path().join("gone")
    }

    /// The command, with the device showing a picture of the house game.
    fn castellan(&self, arguments: &[&str]) -> Command {
        let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/house-game/0002.jpg");
        let mut command = Command::new(cargo_bin("castellan"));
        command
            .args(arguments)
            .env("LD_PRELOAD", self.folder.path().join("fakecam.so"))
            .env("FAKECAM_FRAMES", picture)
            .env("FAKECAM_SIZE", "1280x720")
            .env("FAKECAM_GONE", self.gone())
            .env_remove("RUST_LOG");
        command
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (line, lines) = channel();
    std::thread::spawn(move || BufReader::new(stream).lines().try_for_each(|l| line.send(l.unwrap())));
    lines
}

/// A program that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lines until one begins so, that one too.
fn until(lines: &Receiver<String>, begins: &str) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        match lines.recv_timeout(LONG) {
            Ok(line) => seen.push(line),
            Err(e) => panic!("no line begins with `{begins}` ({e}): {seen:#?}"),
        }
        if seen.last().is_some_and(|l| l.starts_with(begins)) {
            return seen;
        }
    }
}

#[test]
fn a_webcam_is_watched_goes_away_and_comes_back() {
    let Some(device) = Device::new() else { return };
    let arguments = ["watch", "camera:0", "--players", "Ada,Ben", "--colours", "blue,yellow"];
    let mut command = device.castellan(&arguments);
    command.args(["--resolution", "1920x1080"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let seen = lines(running.0.stdout.take().unwrap());
    let said = lines(running.0.stderr.take().unwrap());
    until(&said, "camera 0 gives 1280x720, not 1920x1080");
    until(&seen, "turn 1   Ada lays");
    std::fs::write(device.gone(), "").unwrap();
    let away = until(&said, "camera 0 ");
    assert!(away.last().unwrap().contains("went away"), "{away:?}");
    // It is asked for again and again meanwhile, and nothing more is said.
    std::thread::sleep(Duration::from_secs(5));
    std::fs::remove_file(device.gone()).unwrap();
    let back = until(&said, "the pictures come again");
    assert_eq!(back.len(), 1, "{back:?}");
}

#[test]
fn a_webcam_that_another_program_uses_is_said_in_one_sentence() {
    let Some(device) = Device::new() else { return };
    std::fs::write(device.gone(), "").unwrap();
    let output = device.castellan(&["watch", "camera:0"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said, "castellan: camera 0 is in use; close the other programs that use it\n");
}
