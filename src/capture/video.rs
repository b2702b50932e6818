//! Video files and network streams, decoded by OpenCV's FFmpeg.

use std::io::{Read, Seek, SeekFrom};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use image::RgbImage;
use opencv::core::{Mat, MatTraitConst, MatTraitConstManual, Vector};
use opencv::videoio::{self, VideoCapture, VideoCaptureTrait, VideoCaptureTraitConst};

use super::live::{Got, Newest, newest};
use super::{CaptureError, Frame, FrameSource, clock};

const OPEN_TIMEOUT_MS: i32 = 2000;
const READ_TIMEOUT_MS: i32 = 2000;

/// A video file, from its beginning to its end.
pub struct VideoFile {
    capture: VideoCapture,
    path: PathBuf,
    seconds_per_frame: f64,
    fps: f64,
    expected: f64,
    taken: u64,
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
        container(path)?;
        let not_video = || CaptureError::NotVideo(path.to_owned());
        let capture = open_ffmpeg(path.to_str().ok_or_else(not_video)?).ok_or_else(not_video)?;
        let property = |id| capture.get(id).unwrap_or(0.0);
        let fps = property(videoio::CAP_PROP_FPS);
        let expected = property(videoio::CAP_PROP_FRAME_COUNT);
        Ok(VideoFile {
            capture,
            path: path.to_owned(),
            seconds_per_frame,
            fps: if fps.is_finite() && (1.0..=240.0).contains(&fps) { fps } else { 30.0 },
            expected,
            taken: 0,
            last: None,
        })
    }

    fn end(&self) -> Result<Option<Frame>, CaptureError> {
        if self.taken == 0 {
            return Err(CaptureError::NotVideo(self.path.clone()));
        }
        // Containers round the number of frames; a tenth missing is a cut.
        if (self.taken as f64) < 0.9 * self.expected {
            let (at, of) = (clock(self.taken as f64 / self.fps), clock(self.expected / self.fps));
            return Err(CaptureError::Truncated(format!("at {at} of {of}"), self.path.clone()));
        }
        Ok(None)
    }
}

impl FrameSource for VideoFile {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        loop {
            if !self.capture.grab().unwrap_or(false) {
                return self.end();
            }
            let t = self.taken as f64 / self.fps;
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

/// A camera on the network: an MJPEG or RTSP address. Read in its own thread, so
/// that its buffer never fills; opened again by itself after a break.
pub struct NetworkStream {
    address: String,
    began: Instant,
    newest: Option<Newest<RgbImage, String>>,
}

impl NetworkStream {
    /// Opens an address, waiting at most two seconds each for an answer and for
    /// the first frame.
    ///
    /// # Errors
    /// [`CaptureError::Unreachable`].
    pub fn open(address: &str) -> Result<NetworkStream, CaptureError> {
        let newest = connect(address)?;
        Ok(NetworkStream { address: address.to_owned(), began: Instant::now(), newest: Some(newest) })
    }

    fn unreachable(&self, why: &str) -> CaptureError {
        CaptureError::Unreachable(self.address.clone(), why.to_owned())
    }
}

impl FrameSource for NetworkStream {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        let newest = match self.newest.take() {
            Some(newest) => newest,
            None => connect(&self.address)?,
        };
        match newest.wait(Duration::from_millis(2 * READ_TIMEOUT_MS as u64)) {
            Got::Item(image) => {
                self.newest = Some(newest);
                let t = self.began.elapsed().as_secs_f64();
                Ok(Some(Frame { image, t, name: clock(t) }))
            }
            Got::Failed(why) => Err(self.unreachable(&why)),
            Got::Silent | Got::Closed => Err(self.unreachable("nothing comes any more")),
        }
    }

    fn is_live(&self) -> bool {
        true
    }
}

fn connect(address: &str) -> Result<Newest<RgbImage, String>, CaptureError> {
    let unreachable = |why: String| CaptureError::Unreachable(address.to_owned(), why);
    answers(address).map_err(unreachable)?;
    let mut capture =
        open_ffmpeg(address).ok_or_else(|| unreachable("it is not a video stream".to_owned()))?;
    let (producer, consumer) = newest();
    std::thread::spawn(move || {
        loop {
            if !capture.grab().unwrap_or(false) {
                return producer.fail("the stream broke off".to_owned());
            }
            if let Some(image) = retrieve(&mut capture)
                && !producer.put(image)
            {
                return;
            }
        }
    });
    Ok(consumer)
}

/// Whether somebody listens at the address.
fn answers(address: &str) -> Result<(), String> {
    let (scheme, rest) = address.split_once("://").ok_or("it is not an address")?;
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let port = match scheme {
        "https" => 443,
        "rtsp" => 554,
        _ => 80,
    };
    let bare = host.rsplit(']').next().unwrap_or_default();
    let with_port = if bare.contains(':') { host.to_owned() } else { format!("{host}:{port}") };
    let addresses = with_port.to_socket_addrs().map_err(|_| "there is no such host".to_owned())?;
    let mut why = "there is no such host".to_owned();
    for a in addresses {
        match TcpStream::connect_timeout(&a, Duration::from_millis(OPEN_TIMEOUT_MS as u64)) {
            Ok(_) => return Ok(()),
            Err(e) => why = e.to_string().to_lowercase(),
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

fn retrieve(capture: &mut VideoCapture) -> Option<RgbImage> {
    let mut bgr = Mat::default();
    if !capture.retrieve(&mut bgr, 0).ok()? || bgr.empty() {
        return None;
    }
    let mut rgb = Mat::default();
    opencv::imgproc::cvt_color_def(&bgr, &mut rgb, opencv::imgproc::COLOR_BGR2RGB).ok()?;
    let (width, height) = (u32::try_from(rgb.cols()).ok()?, u32::try_from(rgb.rows()).ok()?);
    RgbImage::from_raw(width, height, rgb.data_bytes().ok()?.to_vec())
}

/// Looks at a file's first bytes, and through the boxes of an MP4, so that what
/// is wrong can be said before FFmpeg is asked.
fn container(path: &Path) -> Result<(), CaptureError> {
    let io = |e| CaptureError::Io(e, path.to_owned());
    let mut file = std::fs::File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut head = Vec::new();
    file.by_ref().take(64).read_to_end(&mut head).map_err(io)?;
    let at = |i: usize, magic: &[u8]| head.get(i..i + magic.len()) == Some(magic);
    let mp4 = at(4, b"ftyp") || at(4, b"moov") || at(4, b"mdat");
    let known = mp4
        || (at(0, b"RIFF") && at(8, b"AVI "))
        || at(0, b"\x1a\x45\xdf\xa3")
        || at(0, b"OggS")
        || at(0, b"FLV")
        || at(0, b"\x00\x00\x01\xba")
        || at(0, b"\x00\x00\x01\xb3")
        || at(0, b"\x30\x26\xb2\x75")
        || (at(0, b"\x47") && length > 188);
    if !known {
        return Err(CaptureError::NotVideo(path.to_owned()));
    }
    if mp4 && !has_index(&mut file, length).map_err(io)? {
        return Err(CaptureError::Truncated("before its index".to_owned(), path.to_owned()));
    }
    Ok(())
}

/// Whether an MP4 has a whole `moov` box.
fn has_index(file: &mut std::fs::File, length: u64) -> std::io::Result<bool> {
    let mut at = 0_u64;
    while at + 8 <= length {
        file.seek(SeekFrom::Start(at))?;
        let mut header = [0_u8; 16];
        let got = if at + 16 <= length { 16 } else { 8 };
        file.read_exact(&mut header[..got])?;
        let small = u32::from_be_bytes([header[0], header[1], header[2], header[3]]);
        let large = header[8..].iter().fold(0_u64, |n, b| n << 8 | u64::from(*b));
        let size = match small {
            0 => length - at,
            1 if got == 16 => large,
            n => u64::from(n),
        };
        if &header[4..8] == b"moov" {
            return Ok(at.saturating_add(size) <= length);
        }
        if size < 8 {
            return Ok(false);
        }
        at = at.saturating_add(size);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencv::core::{Scalar, Size};
    use opencv::videoio::{VideoWriter, VideoWriterTrait};

    fn video(path: &Path, frames: u8) {
        let size = Size::new(64, 48);
        let fourcc = VideoWriter::fourcc('m', 'p', '4', 'v').unwrap();
        let mut writer = VideoWriter::new_with_backend(
            path.to_str().unwrap(),
            videoio::CAP_FFMPEG,
            fourcc,
            10.0,
            size,
            true,
        )
        .unwrap();
        for i in 0..frames {
            let grey = Scalar::all(f64::from(i) * 8.0);
            let frame = Mat::new_rows_cols_with_default(48, 64, opencv::core::CV_8UC3, grey).unwrap();
            writer.write(&frame).unwrap();
        }
        writer.release().unwrap();
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
