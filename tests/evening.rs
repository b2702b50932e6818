//! An evening in the real window on a display of its own, by key presses alone: a phone's stream is
//! typed in, the table looked at, turns are watched, a question is answered, a turn corrected and
//! taken back, one disputed, the table cleared by mistake and put back, the program killed and gone
//! on with, the end scored, the game stepped through. Wants Xvfb and xdotool; minutes.

#![cfg(all(feature = "gui", target_os = "linux"))]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use castellan::library;
use castellan::record::{Event, EventKind, Game, Log, Source};

/// What a test waits for at most.
const LONG: Duration = Duration::from_secs(120);
/// How long a still is shown before the next: readings have to stay for a while.
const SHOWN: Duration = Duration::from_millis(2600);
/// A page is drawn and takes keys after so long.
const PAGE: Duration = Duration::from_millis(1200);

/// A camera on the network that shows one of the recorded game's stills, from 0.
fn camera() -> (String, Arc<AtomicUsize>, usize) {
    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/house-game");
    let mut stills: Vec<PathBuf> = std::fs::read_dir(game).unwrap().flatten().map(|e| e.path()).collect();
    stills.retain(|p| p.extension().is_some_and(|e| e == "jpg"));
    stills.sort();
    let stills: Vec<Vec<u8>> = stills.iter().map(|p| std::fs::read(p).unwrap()).collect();
    let (shown, count) = (Arc::new(AtomicUsize::new(0)), stills.len());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/video", listener.local_addr().unwrap());
    let (of, stills) = (Arc::clone(&shown), Arc::new(stills));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (of, stills) = (Arc::clone(&of), Arc::clone(&stills));
            std::thread::spawn(move || -> std::io::Result<()> {
                let mut stream = stream?;
                if stream.read(&mut [0; 2048])? == 0 {
                    return Ok(());
                }
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n",
                )?;
                loop {
                    let still = &stills[of.load(Ordering::Relaxed)];
                    let head = format!(
                        "--next\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n",
                        still.len()
                    );
                    stream.write_all(&[head.as_bytes(), still, b"\r\n"].concat())?;
                    std::thread::sleep(Duration::from_millis(150));
                }
            });
        }
    });
    (address, shown, count)
}

/// The program in a window on a display of its own. Both end with it.
struct Evening {
    display: String,
    server: Child,
    program: Child,
    data: tempfile::TempDir,
    pictures: usize,
}

impl Drop for Evening {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Evening {
    fn new() -> Evening {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        let mut byte = [0];
        let mut said = server.stdout.take().unwrap();
        while said.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            number.push(char::from(byte[0]));
        }
        let (display, data) = (format!(":{number}"), tempfile::tempdir().unwrap());
        let program = open(&display, data.path());
        let evening = Evening { display, server, program, data, pictures: 0 };
        evening.focus();
        evening
    }

    fn xdotool(&self, arguments: &[&str]) -> bool {
        let done = Command::new("xdotool").args(arguments).env("DISPLAY", &self.display).output().unwrap();
        done.status.success()
    }

    /// Waits for the window, and has it take the keys.
    fn focus(&self) {
        let began = Instant::now();
        while !self.xdotool(&["search", "--name", "Castellan", "windowfocus"]) {
            assert!(began.elapsed() < LONG, "no window comes");
            std::thread::sleep(Duration::from_millis(300));
        }
        std::thread::sleep(PAGE);
    }

    fn keys(&self, keys: &[&str]) {
        for key in keys {
            assert!(self.xdotool(&["key", key]), "{key}");
            std::thread::sleep(Duration::from_millis(250));
        }
        std::thread::sleep(PAGE / 2);
    }

    fn types(&self, text: &str) {
        assert!(self.xdotool(&["type", "--delay", "30", text]), "{text}");
        std::thread::sleep(Duration::from_millis(300));
    }

    /// Keeps a picture of the window, where `CASTELLAN_SNAPSHOTS` names a folder and ImageMagick is
    /// there.
    ///
    /// # Panics
    /// Where the window has another size than at first.
    fn picture(&mut self, name: &str) {
        self.pictures += 1;
        let geometry = Command::new("xdotool")
            .args(["search", "--name", "Castellan", "getwindowgeometry"])
            .env("DISPLAY", &self.display)
            .output()
            .unwrap();
        let geometry = String::from_utf8_lossy(&geometry.stdout).into_owned();
        assert!(geometry.contains("Geometry: 1280x800"), "{name}: {geometry}");
        let Some(folder) = std::env::var_os("CASTELLAN_SNAPSHOTS") else { return };
        std::fs::create_dir_all(&folder).unwrap();
        let file = Path::new(&folder).join(format!("evening-{:02}-{name}.png", self.pictures));
        let kept = Command::new("import")
            .args(["-window", "root"])
            .arg(&file)
            .env("DISPLAY", &self.display)
            .status();
        if !kept.is_ok_and(|status| status.success()) {
            eprintln!("no picture is kept: `import` of ImageMagick is missing");
        }
    }

    /// The record that is being written.
    fn game(&self) -> Option<Game> {
        let mut records = Vec::new();
        find_records(self.data.path(), &mut records);
        let [record] = &records[..] else { return None };
        let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
        Log::open(record).ok()?.replay(&wall, &deck).ok()
    }

    fn events(&self) -> Vec<Event> {
        self.game().map_or_else(Vec::new, |game| game.events().to_vec())
    }

    fn tiles(&self) -> usize {
        self.events().iter().filter(|e| matches!(e.kind, EventKind::TilePlaced { .. })).count()
    }

    /// Waits until the events are as they should be.
    fn until(&self, what: &str, is_so: impl Fn(&[Event]) -> bool) {
        let began = Instant::now();
        while !is_so(&self.events()) {
            assert!(began.elapsed() < LONG, "not so after {LONG:?}: {what}");
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

fn open(display: &str, data: &Path) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("castellan"))
        .arg("open")
        .env("DISPLAY", display)
        .env_remove("WAYLAND_DISPLAY")
        .env("CASTELLAN_DATA", data)
        .env("SLINT_BACKEND", "winit-software")
        .env("LANG", "C.UTF-8")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn find_records(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
        if path.is_dir() {
            find_records(&path, found);
        } else if path.extension().is_some_and(|e| e == "jsonl") {
            found.push(path);
        }
    }
}

fn by_hand(events: &[Event]) -> usize {
    events.iter().filter(|e| e.source == Source::Hand).count()
}

fn is_missing(program: &str) -> bool {
    Command::new(program).arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
}

#[test]
fn an_evening_by_key_presses_alone() {
    if std::env::var_os("CASTELLAN_LONG_TESTS").is_none() {
        eprintln!("skipped: CASTELLAN_LONG_TESTS is not set; it takes minutes");
        return;
    }
    if let Some(program) = ["Xvfb", "xdotool"].into_iter().find(|p| is_missing(p)) {
        eprintln!("skipped: {program} is not installed");
        return;
    }
    let (address, shown, stills) = camera();
    let show = |still: usize| {
        shown.store(still, Ordering::Relaxed);
        std::thread::sleep(SHOWN);
    };
    let mut evening = Evening::new();

    // The form: the phone's address and the players; the table is looked at, and Ben takes the
    // colour that lies there.
    evening.keys(&["Tab"]);
    evening.types(&address);
    evening.keys(&["Tab"]);
    evening.types("Ada");
    evening.keys(&["Tab", "Tab"]);
    evening.types("Ben");
    evening.keys(&["Tab"]);
    evening.picture("form");
    shown.store(stills - 1, Ordering::Relaxed);
    evening.keys(&["l"]);
    std::thread::sleep(8 * PAGE);
    evening.picture("look");
    evening.keys(&["p"]);
    std::thread::sleep(4 * PAGE);
    shown.store(0, Ordering::Relaxed);
    std::thread::sleep(2 * PAGE);
    evening.keys(&["Return"]);
    let began = Instant::now();
    while evening.game().is_none() {
        assert!(began.elapsed() < LONG, "no record is begun");
        std::thread::sleep(Duration::from_millis(300));
    }
    let header = evening.game().unwrap().header().clone();
    assert_eq!(
        (&header.players[..], &header.colours[..]),
        (&["Ada", "Ben"].map(String::from)[..], &["blue", "yellow"].map(String::from)[..])
    );

    // Turns are watched; what is asked is answered with the first answer.
    let mut still = 0;
    let mut answered = false;
    while evening.tiles() < 10 || !answered {
        still += 1;
        assert!(still < stills, "ten turns and a question: {} turns", evening.tiles());
        show(still);
        let asks = evening.events().iter().any(|e| {
            matches!(&e.kind, EventKind::Doubt { .. } | EventKind::WallTileTaken { number: None, .. })
        });
        if asks && !answered {
            evening.picture("question");
            evening.keys(&["1"]);
            answered = true;
        }
    }
    std::thread::sleep(2 * PAGE);
    evening.picture("ten-turns");

    // In a late turn stood another figure after all, and that is taken back.
    let facts = evening.game().unwrap().facts();
    let before = by_hand(&evening.events());
    evening.keys(&["k", "Down", "f"]);
    evening.picture("correct");
    evening.keys(&["Return"]);
    evening.until("a correction by hand", |events| by_hand(events) > before);
    evening.keys(&["u"]);
    let began = Instant::now();
    while evening.game().unwrap().facts() != facts {
        assert!(began.elapsed() < LONG, "it is taken back: {:?}", evening.game().unwrap().facts());
        std::thread::sleep(Duration::from_millis(300));
    }

    // A dispute: what is counted is lit one after the other, and the table lets it stand.
    evening.keys(&["d", "Left", "Down"]);
    evening.picture("dispute");
    evening.keys(&["1"]);

    // Somebody clears the table, and puts everything back.
    let facts = evening.game().unwrap().facts();
    let lies = still;
    show(0);
    std::thread::sleep(6 * PAGE);
    evening.picture("cleared");
    show(lies);
    std::thread::sleep(6 * PAGE);
    assert_eq!(evening.game().unwrap().facts().len(), facts.len(), "the record stays");

    // Killed, and gone on with.
    evening.program.kill().unwrap();
    evening.program.wait().unwrap();
    assert_eq!(evening.game().unwrap().facts().len(), facts.len(), "nothing is lost");
    evening.program = open(&evening.display, evening.data.path());
    evening.focus();
    evening.picture("going-on");
    evening.keys(&["a"]);
    std::thread::sleep(2 * PAGE);
    evening.picture("archive");
    evening.keys(&["g"]);
    std::thread::sleep(2 * PAGE);
    evening.picture("gone-on");
    evening.keys(&["Return"]);
    std::thread::sleep(4 * PAGE);
    let tiles = evening.tiles();
    while evening.tiles() == tiles {
        still += 1;
        assert!(still < stills, "the game goes on");
        show(still);
    }
    evening.picture("after-the-kill");

    // The table is cleared, this time for good: the sheet, and the game step by step.
    show(0);
    std::thread::sleep(6 * PAGE);
    evening.keys(&["e"]);
    evening.picture("asked-once");
    evening.keys(&["Return"]);
    evening.until("the end", |events| events.iter().any(|e| matches!(e.kind, EventKind::GameEnded { .. })));
    evening.picture("sheet");
    evening.keys(&["o"]);
    std::thread::sleep(PAGE);
    evening.keys(&["a"]);
    std::thread::sleep(2 * PAGE);
    evening.keys(&["Return"]);
    std::thread::sleep(2 * PAGE);
    evening.keys(&["Home", "Right", "Right"]);
    evening.picture("replay");
    assert!(evening.game().is_some(), "no other game was begun");
    assert!(evening.program.try_wait().unwrap().is_none(), "the program still runs");
}
