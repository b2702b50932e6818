//! Cameras on the network, each a small server of the test's own, that stall, send garbage,
//! change the size of their pictures and hang up; and an RTSP server where one is installed.

#![cfg(feature = "vision")]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use castellan::capture::{self, FrameSource, SourceOptions, Viewer};
use image::{Rgb, RgbImage};

/// What a test waits for at most: machines differ, and the program's own time limits add up.
const LONG: Duration = Duration::from_secs(90);
/// How long to wait before a stream that failed is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(300);

type Shown = dyn Fn(&mut TcpStream, usize) -> io::Result<()> + Send + Sync;

/// A server: `shown` is what the nth that asks gets, after the headers.
fn serve(listener: TcpListener, shown: Arc<Shown>) {
    let asked = Arc::new(AtomicUsize::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (shown, asked) = (Arc::clone(&shown), Arc::clone(&asked));
            std::thread::spawn(move || -> Option<()> {
                let mut stream = stream.ok()?;
                // Whether anybody is here is tried without a word.
                stream.read(&mut [0; 2048]).ok().filter(|n| *n > 0)?;
                let nth = asked.fetch_add(1, Ordering::Relaxed);
                let head =
                    "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n";
                stream.write_all(head.as_bytes()).ok()?;
                shown(&mut stream, nth).ok()
            });
        }
    });
}

fn listen(shown: impl Fn(&mut TcpStream, usize) -> io::Result<()> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/video", listener.local_addr().unwrap());
    serve(listener, Arc::new(shown));
    address
}

/// A picture that is grey all over.
fn jpeg(grey: u8, width: u32, height: u32) -> Vec<u8> {
    let mut bytes = io::Cursor::new(Vec::new());
    let picture = RgbImage::from_pixel(width, height, Rgb([grey; 3]));
    picture.write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
    bytes.into_inner()
}

fn send(stream: &mut TcpStream, picture: &[u8]) -> io::Result<()> {
    let head = format!("--next\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", picture.len());
    stream.write_all(&[head.as_bytes(), picture, b"\r\n"].concat())?;
    std::thread::sleep(Duration::from_millis(50));
    Ok(())
}

/// Sends one picture until nobody listens, or for so many times.
fn send_often(stream: &mut TcpStream, picture: &[u8], times: usize) -> io::Result<()> {
    (0..times).try_for_each(|_| send(stream, picture))
}

fn open(address: &str) -> Box<dyn FrameSource> {
    capture::open(address, SourceOptions::default()).unwrap()
}

/// Watches until a frame is as wanted; what was said meanwhile. Frames' times never go back.
fn until(source: &mut dyn FrameSource, last: &mut f64, wanted: impl Fn(&RgbImage) -> bool) -> Vec<String> {
    let began = Instant::now();
    let mut said = Vec::new();
    while began.elapsed() < LONG {
        match source.next() {
            Ok(Some(frame)) => {
                assert!(frame.t >= *last, "{} after {last}", frame.t);
                *last = frame.t;
                if wanted(&frame.image) {
                    return said;
                }
            }
            Ok(None) => panic!("a stream does not end by itself"),
            Err(error) => {
                said.push(error.to_string());
                std::thread::sleep(ASK_AGAIN);
            }
        }
    }
    panic!("not seen in {LONG:?}: {said:?}");
}

/// Whether all of a picture is of one grey.
fn is_grey(picture: &RgbImage, grey: u8) -> bool {
    picture.pixels().all(|p| p.0.iter().all(|v| v.abs_diff(grey) <= 4))
}

#[test]
fn a_stream_that_stalls_goes_on() {
    let stalled: Arc<Mutex<Option<Instant>>> = Arc::default();
    let began = Arc::clone(&stalled);
    let address = listen(move |stream, nth| {
        if nth == 0 {
            send_often(stream, &jpeg(50, 320, 240), 60)?;
            began.lock().unwrap().get_or_insert_with(Instant::now);
        }
        // The camera is busy with something else, and answers nobody.
        while began.lock().unwrap().is_none_or(|t| t.elapsed() < Duration::from_secs(6)) {
            std::thread::sleep(Duration::from_millis(50));
        }
        send_often(stream, &jpeg(200, 320, 240), usize::MAX)
    });
    let (mut source, mut last) = (open(&address), 0.0);
    assert!(until(&mut *source, &mut last, |p| is_grey(p, 50)).is_empty());
    let said = until(&mut *source, &mut last, |p| is_grey(p, 200));
    assert!(!said.is_empty() && said.iter().all(|s| s.starts_with("no video comes from http")), "{said:?}");
    assert!(stalled.lock().unwrap().unwrap().elapsed() >= Duration::from_secs(6));
}

/// Somebody who counts the pictures that are shown to them, while they look.
#[derive(Default)]
struct Somebody {
    looks: AtomicBool,
    seen: AtomicUsize,
}

impl Viewer for Somebody {
    fn wants(&self) -> bool {
        self.looks.load(Ordering::Relaxed)
    }

    fn show(&self, picture: &RgbImage) {
        assert!(is_grey(picture, 90));
        self.seen.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn who_looks_is_shown_the_pictures_while_no_frame_is_read() {
    let address = listen(|stream, _| send_often(stream, &jpeg(90, 320, 240), usize::MAX));
    let (mut source, mut last) = (open(&address), 0.0);
    let somebody = Arc::new(Somebody::default());
    let seen = || somebody.seen.load(Ordering::Relaxed);
    assert!(source.show_to(&(Arc::clone(&somebody) as Arc<dyn Viewer>)), "a stream shows its pictures");
    until(&mut *source, &mut last, |p| is_grey(p, 90));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(seen(), 0, "nobody looks");
    somebody.looks.store(true, Ordering::Relaxed);
    let began = Instant::now();
    while seen() < 10 {
        assert!(began.elapsed() < LONG, "{} pictures shown", seen());
        std::thread::sleep(Duration::from_millis(20));
    }
    // Opened anew it shows them, too.
    source.open_anew();
    until(&mut *source, &mut last, |p| is_grey(p, 90));
    let before = seen();
    while seen() <= before + 2 {
        assert!(began.elapsed() < LONG, "{} pictures shown", seen());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn garbage_between_pictures_costs_no_more_than_itself() {
    let whole = jpeg(90, 320, 240);
    let torn = whole[..whole.len() / 2].to_vec();
    let part = |kind: &str, body: &[u8]| {
        let head = format!("--next\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body, b"\r\n"].concat()
    };
    let noise: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let garbage = [
        part("image/jpeg", &torn),
        part("image/jpeg", b""),
        part("text/html", b"<html>busy</html>"),
        b"\r\n\r\n\r\n".to_vec(),
        b"HTTP/1.1 503 Service Unavailable\r\n\r\n".to_vec(),
        noise,
    ];
    let kinds = garbage.len();
    // Each garbage comes once; the pictures after it come until one has been seen.
    let (wanted, sent) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let next = Arc::clone(&wanted);
    let address = listen(move |stream, _| {
        loop {
            let i = next.load(Ordering::Relaxed).min(kinds - 1);
            if sent.fetch_max(i + 1, Ordering::Relaxed) == i {
                send_often(stream, &jpeg(20, 320, 240), 10)?;
                stream.write_all(&garbage[i])?;
            }
            send(stream, &jpeg(40 + 30 * i as u8, 320, 240))?;
        }
    });
    let (mut source, mut last) = (open(&address), 0.0);
    for i in 0..kinds {
        wanted.store(i, Ordering::Relaxed);
        let said = until(&mut *source, &mut last, |p| is_grey(p, 40 + 30 * i as u8));
        println!("garbage {i}: {said:?}");
        assert!(said.len() <= 3, "garbage {i}: {said:?}");
    }
}

#[test]
fn pictures_may_change_their_size() {
    let sizes = [(320, 240), (640, 480), (160, 120), (1280, 720)];
    let address = listen(move |stream, _| {
        for (i, (width, height)) in sizes.into_iter().enumerate().cycle() {
            send_often(stream, &jpeg(40 + 40 * i as u8, width, height), 20)?;
        }
        Ok(())
    });
    let (mut source, mut last) = (open(&address), 0.0);
    for (i, size) in sizes.into_iter().enumerate() {
        let said =
            until(&mut *source, &mut last, |p| p.dimensions() == size && is_grey(p, 40 + 40 * i as u8));
        assert!(said.is_empty(), "{size:?}: {said:?}");
    }
}

#[test]
fn a_camera_that_was_gone_is_found_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at: SocketAddr = listener.local_addr().unwrap();
    let gone = Arc::new(AtomicBool::new(false));
    let left = Arc::clone(&gone);
    // One that looks is served, then the camera is off.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            if !stream.read(&mut [0; 2048]).is_ok_and(|n| n > 0) {
                continue;
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n";
            let shown = stream
                .write_all(head.as_bytes())
                .and_then(|()| send_often(&mut stream, &jpeg(50, 320, 240), 60));
            if shown.is_ok() {
                break;
            }
        }
        left.store(true, Ordering::Relaxed);
    });
    let (mut source, mut last) = (open(&format!("http://{at}/video")), 0.0);
    assert!(until(&mut *source, &mut last, |p| is_grey(p, 50)).is_empty());
    std::thread::spawn(move || {
        while !gone.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(Duration::from_secs(3));
        let listener = TcpListener::bind(at).unwrap();
        serve(
            listener,
            Arc::new(|stream: &mut TcpStream, _| send_often(stream, &jpeg(200, 320, 240), usize::MAX)),
        );
    });
    let said = until(&mut *source, &mut last, |p| is_grey(p, 200));
    assert!(said.iter().any(|s| s.contains("refused")), "{said:?}");
}

/// An RTSP server of GStreamer's that serves a test picture as JPEG at `/board`.
const RTSP_SERVER: &str = "
import sys, gi
gi.require_version('Gst', '1.0')
gi.require_version('GstRtspServer', '1.0')
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_service(sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory()
factory.set_shared(True)
factory.set_launch('( videotestsrc is-live=true pattern=blue ! video/x-raw,width=320,height=240,framerate=10/1 '
                   '! jpegenc ! rtpjpegpay name=pay0 pt=26 )')
server.get_mount_points().add_factory('/board', factory)
server.attach(None)
print('ready', flush=True)
GLib.MainLoop().run()
";

struct RtspServer(Child);

impl RtspServer {
    /// `None` where no server is installed.
    fn start(port: u16) -> Option<RtspServer> {
        ["/usr/bin/python3", "python3"].into_iter().find_map(|python| {
            let mut command = Command::new(python);
            command.args(["-c", RTSP_SERVER, &port.to_string()]);
            let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
            let mut server = RtspServer(child);
            let mut line = String::new();
            BufReader::new(server.0.stdout.take()?).read_line(&mut line).ok()?;
            (line.trim() == "ready").then_some(server)
        })
    }
}

impl Drop for RtspServer {
    fn drop(&mut self) {
        // It may be gone by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_rtsp_camera_is_watched_and_found_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let Some(server) = RtspServer::start(port) else {
        eprintln!(
            "skipped: no RTSP server is installed (gir1.2-gst-rtsp-server-1.0 and gstreamer1.0-plugins-good)"
        );
        return;
    };
    let is_blue = |p: &RgbImage| {
        let [r, g, b] = p.get_pixel(160, 120).0;
        p.dimensions() == (320, 240) && b > 200 && r < 60 && g < 60
    };
    let (mut source, mut last) = (open(&format!("rtsp://127.0.0.1:{port}/board")), 0.0);
    assert!(until(&mut *source, &mut last, is_blue).is_empty());
    assert!(until(&mut *source, &mut last, is_blue).is_empty());
    drop(server);
    let began = Instant::now();
    let error = loop {
        match source.next() {
            Err(error) => break error.to_string(),
            Ok(_) => assert!(began.elapsed() < LONG, "the server is gone and pictures come"),
        }
    };
    assert!(error.starts_with("no video comes from rtsp://"), "{error}");
    let _server = RtspServer::start(port).expect("the server that was there before");
    until(&mut *source, &mut last, is_blue);
}
