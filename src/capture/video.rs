//! Video files and network streams, decoded by OpenCV's FFmpeg.

use std::fs::File;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbImage;
use opencv::core::{Mat, MatTraitConst, MatTraitConstManual, Vector};
use opencv::videoio::{self, VideoCapture, VideoCaptureTrait, VideoCaptureTraitConst};

use super::container::{self, Ending};
use super::error::CaptureError;
use super::frame::{Frame, FrameSource, clock};
use super::live::{Got, Newest, newest};
use super::shot::{Audience, Coded, Pace, Shot, Viewer};
use crate::picture::{self, Limits};
use crate::rules::{Sentence, sentence};

/// How long a host may take to answer.
const ANSWER: Duration = Duration::from_secs(2);
/// How long a stream that answers may take to begin: FFmpeg looks at an RTSP stream
/// for three seconds before it gives the first frame.
const OPEN_TIMEOUT_MS: i32 = 10_000;
const READ_TIMEOUT_MS: i32 = 2000;
/// How long a stream may give what is no picture: that is passed over, and after a break
/// nothing else comes.
const WITHOUT_PICTURE: Duration = Duration::from_millis(READ_TIMEOUT_MS as u64);
/// How long to wait after what is no picture.
const PASS_OVER: Duration = Duration::from_millis(10);

/// Pixels of a frame at most: "8K" is as large. FFmpeg keeps a dozen and more.
const MOST_PIXELS: f64 = 8192.0 * 4320.0;

/// A file may show nothing in the last part of the time that it announces: its
/// sound is longer, or its last frame stays. More than so much is a cut: a share
/// where the file's structure is whole, seconds where it doesn't tell.
const SHORTER_WHOLE: f64 = 0.1;
const SHORTER_UNTOLD: f64 = 2.0;

/// A video file, from its beginning to its end.
pub struct VideoFile {
    capture: VideoCapture,
    path: PathBuf,
    seconds_per_frame: f64,
    fps: f64,
    /// The number of frames that the file announces; 0 where it does not.
    expected: f64,
    ending: Ending,
    taken: u64,
    times: Times,
    last: Option<f64>,
}

impl VideoFile {
    /// Opens a video file; of frames nearer together than `seconds_per_frame`
    /// all but the first are left out.
    ///
    /// # Errors
    /// [`CaptureError::NotVideo`], [`CaptureError::Truncated`] or
    /// [`CaptureError::Io`].
    pub fn open(path: &Path, seconds_per_frame: f64) -> Result<VideoFile, CaptureError> {
        let io = |e| CaptureError::Io(e, path.to_owned());
        let not_video = || CaptureError::NotVideo(path.to_owned());
        // A pipe would be waited for.
        if !path.metadata().map_err(io)?.is_file() {
            return Err(not_video());
        }
        let file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let ending = container::ending(file, length).map_err(io)?.ok_or_else(not_video)?;
        if ending == Ending::NoIndex {
            return Err(CaptureError::Truncated(sentence!("before its index"), path.to_owned()));
        }
        let capture = open_ffmpeg(path.to_str().ok_or_else(not_video)?).ok_or_else(not_video)?;
        let property = |id| capture.get(id).unwrap_or(0.0);
        if property(videoio::CAP_PROP_FRAME_WIDTH) * property(videoio::CAP_PROP_FRAME_HEIGHT) > MOST_PIXELS {
            return Err(not_video());
        }
        let fps = property(videoio::CAP_PROP_FPS);
        let fps = if fps.is_finite() && (0.01..=240.0).contains(&fps) { fps } else { 30.0 };
        let expected = property(videoio::CAP_PROP_FRAME_COUNT).max(0.0);
        Ok(VideoFile {
            capture,
            path: path.to_owned(),
            seconds_per_frame,
            fps,
            expected,
            ending,
            taken: 0,
            times: Times::new(1.0 / fps),
            last: None,
        })
    }

    fn end(&self) -> Result<Option<Frame>, CaptureError> {
        let cut = |at: Sentence| Err(CaptureError::Truncated(at, self.path.clone()));
        let (shown, announced) = (self.times.now() + 1.0 / self.fps, self.expected / self.fps);
        match self.ending {
            Ending::Cut if self.taken == 0 => return cut(sentence!("before its first picture")),
            _ if self.taken == 0 => return Err(CaptureError::NotVideo(self.path.clone())),
            Ending::Cut if shown >= announced => return cut(sentence!("at {}", clock(shown))),
            Ending::Cut => {}
            // Either may be counted otherwise than FFmpeg plays it.
            Ending::Whole | Ending::NoIndex => {
                let enough = 1.0 - SHORTER_WHOLE;
                if self.taken as f64 >= enough * self.expected || shown >= enough * announced {
                    return Ok(None);
                }
            }
            Ending::Untold if shown >= announced - SHORTER_UNTOLD => return Ok(None),
            Ending::Untold => {}
        }
        cut(sentence!("at {} of {}", clock(shown), clock(announced)))
    }
}

impl FrameSource for VideoFile {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        loop {
            if !self.capture.grab().unwrap_or(false) {
                return self.end();
            }
            let place = self.capture.get(videoio::CAP_PROP_POS_MSEC).unwrap_or(0.0) / 1000.0;
            let t = self.times.at(place);
            self.taken += 1;
            if self.last.is_some_and(|last| t < last + self.seconds_per_frame - 1e-6) {
                continue;
            }
            let Some(image) = retrieve(&mut self.capture) else { continue };
            self.last = Some(t);
            return Ok(Some(Frame { image, t, name: clock(t) }));
        }
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// The times of a video's frames, made to go on: some files don't tell them, and
/// in others the camera's clock was set.
#[derive(Debug)]
struct Times {
    /// What a frame lasts, seconds.
    frame: f64,
    /// What is added to the file's times.
    base: f64,
    newest: Option<f64>,
    /// Frames in a row without a newer time.
    still: u32,
}

/// Frames come out of order by less than so many, and so many seconds.
const MOST_REORDERED: u32 = 32;
const MOST_BACK: f64 = 2.0;
/// A longer gap is no gap in what was recorded.
const LONGEST_GAP: f64 = 60.0;

impl Times {
    fn new(frame: f64) -> Times {
        Times { frame, base: 0.0, newest: None, still: 0 }
    }

    fn now(&self) -> f64 {
        self.base + self.newest.unwrap_or(0.0)
    }

    /// The time of the next frame, for which the file says `place`, in seconds
    /// since the first; never less than the time before.
    fn at(&mut self, place: f64) -> f64 {
        let newest = match self.newest {
            None => {
                let place = if place.is_finite() { place } else { 0.0 };
                self.base = -place;
                place
            }
            Some(newest) if (newest - MOST_BACK..=newest + LONGEST_GAP).contains(&place) => {
                self.still = if place > newest { 0 } else { self.still + 1 };
                if self.still >= MOST_REORDERED {
                    self.base += self.frame;
                }
                newest.max(place)
            }
            Some(newest) => {
                let place = if place.is_finite() { place } else { newest };
                self.base += newest + self.frame - place;
                place
            }
        };
        self.newest = Some(newest);
        self.now()
    }
}

/// A camera on the network: an MJPEG or RTSP address. Read in its own thread, so
/// that its buffer never fills; opened again by itself after a break. The pictures
/// of an MJPEG stream may change their size; where another stream's do, what comes
/// is wrong until it is opened anew.
pub struct NetworkStream {
    address: String,
    began: Instant,
    newest: Option<Pictures>,
    audience: Audience,
    pace: Pace,
}

type Pictures = Newest<Shot<Retrieved>, Sentence>;

impl NetworkStream {
    /// Opens an address, waiting at most two seconds for an answer and ten for the
    /// stream to begin.
    ///
    /// # Errors
    /// [`CaptureError::Unreachable`].
    pub fn open(address: &str) -> Result<NetworkStream, CaptureError> {
        let (audience, pace) = (Audience::default(), Pace::default());
        let newest = Some(connect(address, audience.clone())?);
        Ok(NetworkStream { address: address.to_owned(), began: Instant::now(), newest, audience, pace })
    }

    fn unreachable(&self, why: Sentence) -> CaptureError {
        CaptureError::Unreachable(self.address.clone(), why)
    }
}

impl FrameSource for NetworkStream {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        let newest = match self.newest.take() {
            Some(newest) => newest,
            None => connect(&self.address, self.audience.clone())?,
        };
        self.pace.keep();
        let since = Instant::now();
        loop {
            match newest.wait(Duration::from_millis(2 * READ_TIMEOUT_MS as u64)) {
                Got::Item(shot) => {
                    if let Ok(image) = shot.into_image() {
                        self.newest = Some(newest);
                        let t = self.began.elapsed().as_secs_f64();
                        return Ok(Some(Frame { image, t, name: clock(t) }));
                    }
                    if since.elapsed() >= WITHOUT_PICTURE {
                        return Err(self.unreachable(broke_off()));
                    }
                }
                Got::Failed(why) => return Err(self.unreachable(why)),
                Got::Silent | Got::Closed => {
                    return Err(self.unreachable(sentence!("nothing comes any more")));
                }
            }
        }
    }

    fn show_to(&mut self, viewer: &Arc<dyn Viewer>) -> bool {
        self.audience.seat(viewer);
        true
    }

    fn is_live(&self) -> bool {
        true
    }

    fn open_anew(&mut self) {
        self.newest = None;
    }
}

fn broke_off() -> Sentence {
    sentence!("the stream broke off")
}

fn connect(address: &str, audience: Audience) -> Result<Pictures, CaptureError> {
    let unreachable = |why: Sentence| CaptureError::Unreachable(address.to_owned(), why);
    answers(address).map_err(unreachable)?;
    let mut capture =
        open_ffmpeg(address).ok_or_else(|| unreachable(sentence!("it is not a video stream")))?;
    let still = as_stills(&mut capture);
    let (producer, consumer) = newest();
    std::thread::spawn(move || {
        let mut last = Instant::now();
        loop {
            let retrieved = match capture.grab().unwrap_or(false) {
                true => Retrieved::of(&mut capture, still),
                false => None,
            };
            match retrieved {
                Some(retrieved) => {
                    last = Instant::now();
                    let mut shot = Shot::new(retrieved);
                    audience.show(&mut shot);
                    if !producer.put(shot) {
                        return;
                    }
                }
                None if last.elapsed() >= WITHOUT_PICTURE => return producer.fail(broke_off()),
                None => std::thread::sleep(PASS_OVER),
            }
        }
    });
    Ok(consumer)
}

/// Whether somebody listens at the address.
fn answers(address: &str) -> Result<(), Sentence> {
    let (scheme, rest) = address.split_once("://").ok_or_else(|| sentence!("it is not an address"))?;
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let port = match scheme {
        "https" => 443,
        "rtsp" => 554,
        _ => 80,
    };
    let bare = host.rsplit(']').next().unwrap_or_default();
    let with_port = if bare.contains(':') { host.to_owned() } else { format!("{host}:{port}") };
    let addresses = with_port.to_socket_addrs().map_err(|_| sentence!("there is no such host"))?;
    let mut why = sentence!("there is no such host");
    for a in addresses {
        match TcpStream::connect_timeout(&a, ANSWER) {
            Ok(_) => return Ok(()),
            Err(e) => why = Sentence::from(e.to_string().to_lowercase()),
        }
    }
    Err(why)
}

fn open_ffmpeg(url: &str) -> Option<VideoCapture> {
    let parameters = Vector::from_slice(&[
        videoio::CAP_PROP_OPEN_TIMEOUT_MSEC,
        OPEN_TIMEOUT_MS,
        videoio::CAP_PROP_READ_TIMEOUT_MSEC,
        READ_TIMEOUT_MS,
    ]);
    let capture = VideoCapture::from_file_with_params(url, videoio::CAP_FFMPEG, &parameters).ok()?;
    capture.is_opened().unwrap_or(false).then_some(capture)
}

/// Has a stream of JPEG pictures (MJPEG) give them as they come. OpenCV takes all
/// frames for as large as the first one, and reads beyond smaller ones.
fn as_stills(capture: &mut VideoCapture) -> bool {
    let fourcc = capture.get(videoio::CAP_PROP_FOURCC).unwrap_or(0.0) as u32;
    // The second is the first letters of the codec's name, where there is no code.
    [*b"MJPG", *b"mjpe"].map(u32::from_le_bytes).contains(&fourcc)
        && capture.set(videoio::CAP_PROP_FORMAT, -1.0).unwrap_or(false)
}

/// A picture as OpenCV gives it.
enum Retrieved {
    /// The bytes of a still.
    Still(Vec<u8>),
    /// Pixels, BGR.
    Pixels(Mat),
}

impl Retrieved {
    fn of(capture: &mut VideoCapture, still: bool) -> Option<Retrieved> {
        let mut given = Mat::default();
        if !capture.retrieve(&mut given, 0).ok()? || given.empty() {
            return None;
        }
        Some(match still {
            true => Retrieved::Still(given.data_bytes().ok()?.to_vec()),
            false => Retrieved::Pixels(given),
        })
    }
}

impl Coded for Retrieved {
    fn decode(&self) -> Result<RgbImage, String> {
        match self {
            Retrieved::Still(bytes) => {
                let decoded = picture::decode(bytes, &Limits::PHOTO).map_err(|error| error.to_string())?;
                Ok(decoded.into_rgb8())
            }
            Retrieved::Pixels(bgr) => rgb_of(bgr).ok_or_else(|| "a picture without pixels".to_owned()),
        }
    }
}

fn retrieve(capture: &mut VideoCapture) -> Option<RgbImage> {
    Retrieved::of(capture, false)?.decode().ok()
}

fn rgb_of(bgr: &Mat) -> Option<RgbImage> {
    let mut rgb = Mat::default();
    opencv::imgproc::cvt_color_def(bgr, &mut rgb, opencv::imgproc::COLOR_BGR2RGB).ok()?;
    let (width, height) = (u32::try_from(rgb.cols()).ok()?, u32::try_from(rgb.rows()).ok()?);
    RgbImage::from_raw(width, height, rgb.data_bytes().ok()?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencv::core::{Scalar, Size};
    use opencv::videoio::{VideoWriter, VideoWriterTrait, VideoWriterTraitConst};

    fn video(path: &Path, frames: u8) {
        let grey = |i: u8| {
            let grey = Scalar::all(f64::from(i) * 8.0);
            Mat::new_rows_cols_with_default(48, 64, opencv::core::CV_8UC3, grey).unwrap()
        };
        write(path, b"mp4v", (0..frames).map(grey));
    }

    fn write(path: &Path, code: &[u8; 4], frames: impl Iterator<Item = Mat>) {
        let [a, b, c, d] = code.map(char::from);
        let fourcc = VideoWriter::fourcc(a, b, c, d).unwrap();
        let (name, size) = (path.to_str().unwrap(), Size::new(64, 48));
        let mut writer =
            VideoWriter::new_with_backend(name, videoio::CAP_FFMPEG, fourcc, 10.0, size, true).unwrap();
        assert!(writer.is_opened().unwrap(), "{name}");
        for frame in frames {
            writer.write(&frame).unwrap();
        }
        writer.release().unwrap();
    }

    /// A picture that takes some bytes.
    fn noise(seed: u8) -> Mat {
        let mut random = 1 + u32::from(seed);
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8
        })
        .take(64 * 48 * 3)
        .collect();
        Mat::from_slice(&bytes).unwrap().reshape(3, 48).unwrap().try_clone().unwrap()
    }

    /// The number of frames, and how it ended.
    fn played(path: &Path) -> (usize, Result<(), CaptureError>) {
        let mut frames = 0;
        let mut file = match VideoFile::open(path, 0.0) {
            Ok(file) => file,
            Err(e) => return (frames, Err(e)),
        };
        loop {
            match file.next() {
                Ok(Some(_)) => frames += 1,
                Ok(None) => return (frames, Ok(())),
                Err(e) => return (frames, Err(e)),
            }
        }
    }

    #[test]
    fn a_cut_video_is_played_and_said_to_be_cut() {
        let dir = tempfile::tempdir().unwrap();
        for (name, code) in [("v.mkv", b"mp4v"), ("v.webm", b"VP80"), ("v.avi", b"MJPG"), ("v.mp4", b"mp4v")]
        {
            let path = dir.path().join(name);
            write(&path, code, (0..60).map(noise));
            let (all, end) = played(&path);
            assert!(all >= 59 && end.is_ok(), "{name}: {all} {end:?}");
            let bytes = std::fs::read(&path).unwrap();
            for percent in [50, 75, 90, 93, 95, 97, 99] {
                std::fs::write(&path, &bytes[..bytes.len() * percent / 100]).unwrap();
                let (some, end) = played(&path);
                let cut = matches!(end, Err(CaptureError::Truncated(..)));
                // The last hundredth may hold no picture.
                let fewer = some < all || (percent == 99 && some == all);
                assert!(cut && fewer, "{name} at {percent} %: {some} {end:?}");
                // The index of an MP4 comes last.
                let enough = if percent < 90 { 1 } else { all * 3 / 4 };
                assert!(name == "v.mp4" || some >= enough, "{name} at {percent} %: {some}");
            }
        }
    }

    #[test]
    fn times_go_on_whatever_the_file_says() {
        let all = |places: &[f64]| -> Vec<f64> {
            let mut times = Times::new(0.1);
            places.iter().map(|p| (times.at(*p) * 1e6).round() / 1e6).collect()
        };
        assert_eq!(all(&[5.0, 5.1, 5.25, 9.0]), [0.0, 0.1, 0.25, 4.0]);
        // Frames are told in the order in which they are decoded.
        assert_eq!(all(&[0.0, 0.4, 0.2, 0.1, 0.3, 0.5]), [0.0, 0.4, 0.4, 0.4, 0.4, 0.5]);
        // The clock was set back, and forward.
        assert_eq!(all(&[100.0, 100.1, 3.0, 3.1, 7000.0, 7000.1]), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(all(&[0.0, f64::NAN, f64::INFINITY, 0.1]), [0.0, 0.1, 0.2, 0.3]);
        let still = all(&[0.0; 132]);
        assert_eq!((still[31], still[131]), (0.0, 10.0));
    }

    #[test]
    fn frames_come_at_the_asked_pace() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.mp4");
        video(&path, 20);
        let mut file = VideoFile::open(&path, 0.5).unwrap();
        let mut seen = Vec::new();
        while let Some(frame) = file.next().unwrap() {
            seen.push((frame.t, f64::from(frame.image.get_pixel(32, 24)[0])));
        }
        assert_eq!(seen.len(), 4);
        for (i, (t, grey)) in seen.into_iter().enumerate() {
            assert!((t - 0.5 * i as f64).abs() < 1e-6);
            assert!((grey - 40.0 * i as f64).abs() < 6.0, "{grey} at {t}");
        }
    }

    #[test]
    fn a_cut_video_and_a_text_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.mp4");
        video(&path, 20);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(matches!(VideoFile::open(&path, 0.2), Err(CaptureError::Truncated(..))));
        std::fs::write(&path, "not a video").unwrap();
        assert!(matches!(VideoFile::open(&path, 0.2), Err(CaptureError::NotVideo(_))));
        std::fs::write(&path, b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x01\x00\x00\x00\x08moov").unwrap();
        assert!(matches!(VideoFile::open(&path, 0.2), Err(CaptureError::NotVideo(_))));
    }

    #[test]
    fn an_address_where_nobody_listens_is_answered_at_once() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let error = NetworkStream::open(&format!("http://127.0.0.1:{port}/video")).err().unwrap().to_string();
        assert!(error.contains("refused"), "{error}");
        let error = NetworkStream::open("rtsp://").err().unwrap().to_string();
        assert!(error.contains("no such host"), "{error}");
    }
}
