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

/// Gives it the two controls of an exposure, which it writes into the file that `FAKECAM_CONTROLS` names:
/// who sets the exposure (1 by hand, 3 the camera), and the time. Of its pictures, each taken with four fifths of the
/// light of the one before, it shows the one of that time; 250 is that of the first.
const CONTROLS: &str = r#"
static int auto_exposure = 3, exposure_time = 250;
static int controls(unsigned long r, void *a) {
  static const unsigned ids[2] = {0x009a0901, 0x009a0902};
  int *values[2] = {&auto_exposure, &exposure_time};
  if (r == (VIDIOC_QUERY_EXT_CTRL & 0xffffffffUL)) {
    struct v4l2_query_ext_ctrl *c = a;
    unsigned after = c->id & 0x0fffffff, next = !!(c->id & V4L2_CTRL_FLAG_NEXT_CTRL);
    for (int i = 0; i < 2; i++)
      if (next ? ids[i] > after : ids[i] == after) {
        memset(c, 0, sizeof *c);
        c->id = ids[i];
        c->type = i ? V4L2_CTRL_TYPE_INTEGER : V4L2_CTRL_TYPE_MENU;
        strcpy(c->name, i ? "Exposure Time, Absolute" : "Auto Exposure");
        c->minimum = i ? 3 : 0;
        c->maximum = i ? 2047 : 3;
        c->step = 1;
        c->default_value = i ? 250 : 3;
        c->elem_size = c->elems = 1;
        return 0;
      }
    errno = EINVAL;
    return -1;
  }
  if (r == (VIDIOC_QUERYMENU & 0xffffffffUL)) {
    struct v4l2_querymenu *m = a;
    if (m->id == ids[0] && (m->index == 1 || m->index == 3)) {
      strcpy((char *)m->name, m->index == 1 ? "Manual Mode" : "Aperture Priority Mode");
      return 0;
    }
    errno = EINVAL;
    return -1;
  }
  int set = r == (VIDIOC_S_EXT_CTRLS & 0xffffffffUL);
  if (!set && r != (VIDIOC_G_EXT_CTRLS & 0xffffffffUL)) return -2;
  struct v4l2_ext_controls *all = a;
  for (unsigned k = 0; k < all->count; k++)
    for (int i = 0; i < 2; i++)
      if (all->controls[k].id == ids[i]) {
        // The time is the camera's own while it sets its exposure itself.
        if (set && i && auto_exposure != 1) { errno = EACCES; return -1; }
        if (set) *values[i] = all->controls[k].value;
        else all->controls[k].value = *values[i];
      }
  FILE *f = set ? fopen(getenv("FAKECAM_CONTROLS"), "w") : 0;
  if (f) fprintf(f, "%d %d", auto_exposure, exposure_time), fclose(f);
  return 0;
}
static int of_time(int pictures) {
  int k = 0;
  double time = 250;
  while (auto_exposure == 1 && k + 1 < pictures && exposure_time < time * 0.9) time *= 0.8, k++;
  return k;
}
"#;

/// Where the device's source is changed for its controls: what stands there, and what shall.
const WITH_CONTROLS: [(&str, &str); 3] = [
    ("static int err(int e)", "#include \"controls.h\"\nstatic int err(int e)"),
    ("int k = seq % (nj ? nj : 1);", "int k = of_time(nj ? nj : 1);"),
    (
        "  default: return err(",
        "  default: { int done = controls(r, a); if (done != -2) return done; } return err(",
    ),
];

/// The device as a library, in a folder of its own.
struct Device {
    folder: tempfile::TempDir,
}

impl Device {
    /// `None`, said, where it cannot be made.
    fn new() -> Option<Device> {
        Device::changed(&[])
    }

    /// The device with other words in its source.
    fn changed(changes: &[(&str, &str)]) -> Option<Device> {
        let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/tools/fakecam.c");
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("unplugging.h");
        std::fs::write(&header, UNPLUGGING).unwrap();
        std::fs::write(folder.path().join("controls.h"), CONTROLS).unwrap();
        let Ok(mut code) = std::fs::read_to_string(&known) else {
            eprintln!("skipped: {} is not there", known.display());
            return None;
        };
        for (there, instead) in changes {
            assert!(code.contains(there), "the device has changed: {there}");
            code = code.replacen(there, instead, 1);
        }
        let source = folder.path().join("device.c");
        std::fs::write(&source, code).unwrap();
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
fn a_webcam_takes_darker_pictures_until_the_tiles_are_not_burnt_out_and_is_left_as_it_was() {
    let Some(device) = Device::changed(&WITH_CONTROLS) else { return };
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/house-game/0002.jpg");
    let picture = image::open(picture).unwrap().into_rgb8();
    let exposed = |k: usize| {
        let times = 3.0 * 0.8_f32.powi(k as i32);
        let mut picture = picture.clone();
        let light = |v: u8| times * (0.1 + 2.0 * (f32::from(v) / 255.0).powf(2.2));
        let lit = |v: u8| 255.0 * light(v).min(1.0).powf(1.0 / 2.2);
        picture.pixels_mut().for_each(|p| p.0 = p.0.map(|v| lit(v) as u8));
        let path = device.folder.path().join(format!("{k}.jpg"));
        picture.save(&path).unwrap();
        path.display().to_string()
    };
    let pictures: Vec<String> = (0..8).map(exposed).collect();
    let controls = device.folder.path().join("controls");
    let mut command =
        device.castellan(&["watch", "camera:0", "--players", "Ada,Ben", "--colours", "blue,yellow"]);
    command.env("FAKECAM_FRAMES", pictures.join(":")).env("FAKECAM_CONTROLS", &controls);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let seen = lines(running.0.stdout.take().unwrap());
    until(&seen, "turn 1   Ada lays");
    let set = || -> Vec<i32> {
        let text = std::fs::read_to_string(&controls).unwrap_or_default();
        text.split_whitespace().filter_map(|v| v.parse().ok()).collect()
    };
    // It is changed no more once it is right.
    let mut last = set();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_secs(3));
        let now = set();
        if !now.is_empty() && now == last {
            break;
        }
        last = now;
    }
    assert_eq!(last[0], 1, "it is set by hand");
    assert!((40..240).contains(&last[1]), "{last:?}");
    let interrupted = Command::new("kill").args(["-INT", &running.0.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    assert_eq!(running.0.wait().unwrap().code(), Some(130));
    assert_eq!(set(), [3, 250], "the camera sets it itself again");
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
