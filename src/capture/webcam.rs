//! A webcam, read in its own thread because a driver may never answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use image::RgbImage;
use nokhwa::pixel_format::RgbFormat;
use nokhwa::utils::{
    CameraFormat, CameraIndex, FrameFormat, RequestedFormat, RequestedFormatType, Resolution,
};
use nokhwa::{Buffer, Camera, NokhwaError};

use super::cameras::{CameraInfo, FORMATS, again, any, by_nearness, cameras, cannot_be_opened, meant};
use super::error::CaptureError;
use super::exposure::{self, Before};
use super::frame::{Frame, FrameSource, clock};
use super::live::{Got, Newest, Producer, newest};
use super::shot::{Audience, Coded, Pace, Shot, Viewer};
use crate::picture::{self, Limits};
use crate::rules::{Sentence, Term, sentence};

/// How long a camera may be silent: for its first frame, which starts the
/// sensor, and later.
const FIRST_FRAME: Duration = Duration::from_secs(8);
const LATER_FRAME: Duration = Duration::from_secs(3);

/// How long a camera that is let go may take to set its exposure itself again.
const RESTORED: Duration = Duration::from_secs(2);

/// Broken frames in a row after which a camera is given up; the first few after
/// a start are often torn.
const BROKEN_FRAMES: u32 = 30;

/// The size of pictures that is asked for where nobody wants another, pixels: a tile of a
/// whole board is some 60 of them wide, and more takes longer to read.
const USUAL_SIZE: (u32, u32) = (1280, 720);

/// So many of the formats that come nearest to the wanted size are asked for.
const TRIED: usize = 12;

/// A webcam. After an error it is opened anew when asked again, under another number when
/// it has one by then.
pub struct Webcam {
    camera: CameraInfo,
    size: Option<(u32, u32)>,
    /// The size that it gives.
    given: (u32, u32),
    began: Instant,
    stream: Option<Stream>,
    waiting_for_first: bool,
    /// Whether its exposure cannot be set.
    unexposed: Arc<AtomicBool>,
    audience: Audience,
    pace: Pace,
}

/// A camera that is open.
struct Stream {
    pictures: Newest<Shot<Buffer>, CaptureError>,
    /// By which factors the time that the shutter is open is wished to be changed.
    wishes: Sender<f64>,
    /// Is closed when the camera is let go.
    ended: Receiver<()>,
    /// Whether there were wishes.
    exposed: bool,
}

impl Drop for Webcam {
    fn drop(&mut self) {
        if let Some(Stream { pictures, ended, exposed: true, .. }) = self.stream.take() {
            drop(pictures);
            // The camera sets its exposure itself again before the program may end.
            let _ = ended.recv_timeout(RESTORED);
        }
    }
}

impl Webcam {
    /// Opens a camera, named by its number or a part of its name, at a size in pixels or what
    /// comes nearest to it (1280 by 720 where none is wanted).
    ///
    /// # Errors
    /// [`CaptureError::CameraName`] or [`CaptureError::Camera`].
    pub fn open(wanted: &str, size: Option<(u32, u32)>) -> Result<Webcam, CaptureError> {
        let camera = meant(wanted, &cameras().unwrap_or_default())?;
        let unexposed = Arc::default();
        let (audience, pace) = (Audience::default(), Pace::default());
        let (stream, given) = start(camera.index, size, Arc::clone(&unexposed), audience.clone())?;
        let (began, stream) = (Instant::now(), Some(stream));
        Ok(Webcam { camera, size, given, began, stream, waiting_for_first: true, unexposed, audience, pace })
    }
}

impl FrameSource for Webcam {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        let stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                self.waiting_for_first = true;
                if !self.camera.name.is_empty() {
                    self.camera.index = again(&self.camera, &cameras().unwrap_or_default());
                }
                let (unexposed, audience) = (Arc::clone(&self.unexposed), self.audience.clone());
                let (stream, given) = start(self.camera.index, self.size, unexposed, audience)?;
                self.given = given;
                stream
            }
        };
        self.pace.keep();
        let (index, mut broken) = (self.camera.index, String::new());
        for _ in 0..BROKEN_FRAMES {
            match stream.pictures.wait(if self.waiting_for_first { FIRST_FRAME } else { LATER_FRAME }) {
                Got::Item(shot) => match shot.into_image() {
                    Ok(image) => {
                        self.stream = Some(stream);
                        self.waiting_for_first = false;
                        let t = self.began.elapsed().as_secs_f64();
                        return Ok(Some(Frame { image, t, name: clock(t) }));
                    }
                    Err(why) => broken = why,
                },
                Got::Failed(error) => return Err(error),
                Got::Silent => {
                    // The thread still holds the camera: opened anew it would be in use.
                    self.stream = Some(stream);
                    return Err(gone(index, sentence!("gives no more pictures")));
                }
                Got::Closed => return Err(gone(index, sentence!("gives no more pictures"))),
            }
        }
        Err(gone(index, sentence!("gives broken pictures ({})", broken)))
    }

    fn show_to(&mut self, viewer: &Arc<dyn Viewer>) -> bool {
        self.audience.seat(viewer);
        true
    }

    fn is_live(&self) -> bool {
        true
    }

    fn expose(&mut self, factor: f64) -> bool {
        let Some(stream) = &mut self.stream else { return false };
        if self.unexposed.load(Ordering::Relaxed) {
            return false;
        }
        stream.exposed = true;
        stream.wishes.send(factor).is_ok()
    }

    fn notes(&self) -> Vec<String> {
        let (index, (width, height)) = (self.camera.index, self.given);
        let other = self.size.filter(|size| *size != self.given);
        let note = |(w, h)| {
            format!(
                "camera {index} gives {width}x{height}, not {w}x{h}; `castellan cameras` lists what it can give"
            )
        };
        other.map(note).into_iter().collect()
    }
}

fn gone(index: u32, what: Sentence) -> CaptureError {
    let advice = sentence!("check its cable and that no other program uses it");
    CaptureError::Camera { index, what, advice }
}

/// Starts the thread; the camera is opened in it, since opening may hang too. Gives the size
/// of the pictures too.
fn start(
    index: u32,
    size: Option<(u32, u32)>,
    unexposed: Arc<AtomicBool>,
    audience: Audience,
) -> Result<(Stream, (u32, u32)), CaptureError> {
    let (producer, pictures) = newest();
    let (opened, result) = channel();
    let (wishes, wished) = channel();
    let (ending, ended) = channel();
    std::thread::spawn(move || {
        let _ending: Sender<()> = ending;
        let mut camera = match open_camera(index, size.unwrap_or(USUAL_SIZE)) {
            Ok(camera) => camera,
            Err(e) => return drop(opened.send(Err(e))),
        };
        let format = camera.camera_format();
        if opened.send(Ok((format.width(), format.height()))).is_err() {
            return;
        }
        let mut before = None;
        let failed = give(&mut camera, index, (&producer, &audience), |camera| {
            for factor in wished.try_iter() {
                expose(camera, factor, &mut before, &unexposed);
            }
        });
        if let Some(before) = before {
            Before::restore(before, &mut camera);
        }
        if let Some(error) = failed {
            producer.fail(error);
        }
    });
    match result.recv_timeout(FIRST_FRAME) {
        Ok(Ok(given)) => Ok((Stream { pictures, wishes, ended, exposed: false }, given)),
        Ok(Err(e)) => Err(e),
        Err(_) => Err(gone(index, sentence!("does not answer"))),
    }
}

/// Gives picture after picture while anybody fetches them; `between` is called between two. Why the camera gives
/// no more, where it is the camera that ends it.
fn give(
    camera: &mut Camera,
    index: u32,
    (producer, audience): (&Producer<Shot<Buffer>, CaptureError>, &Audience),
    mut between: impl FnMut(&mut Camera),
) -> Option<CaptureError> {
    loop {
        between(camera);
        let mut shot = match camera.frame() {
            Ok(buffer) => Shot::new(buffer),
            Err(e) => return Some(gone(index, sentence!("went away ({})", Term::same(e)))),
        };
        audience.show(&mut shot);
        if !producer.put(shot) {
            return None;
        }
    }
}

/// Changes how long the shutter is open. A camera with which that failed once is not asked again.
fn expose(camera: &mut Camera, factor: f64, before: &mut Option<Before>, unexposed: &AtomicBool) {
    let asked = !unexposed.swap(true, Ordering::Relaxed);
    if !asked {
        return;
    }
    *before = before.or_else(|| Before::of(camera));
    match exposure::expose(camera, factor) {
        Ok(true) => unexposed.store(false, Ordering::Relaxed),
        // It is as dark or as light already as it can be made.
        Ok(false) if before.is_some() => unexposed.store(false, Ordering::Relaxed),
        Ok(false) => tracing::debug!("the camera's exposure cannot be set"),
        Err(error) => tracing::debug!("the camera's exposure cannot be set: {error}"),
    }
}

/// Opens a camera at the size nearest to the wanted one. Drivers differ in what they let
/// themselves be asked for: what the camera lists is tried first.
fn open_camera(index: u32, (width, height): (u32, u32)) -> Result<Camera, CaptureError> {
    let closest = CameraFormat::new(Resolution::new(width, height), FrameFormat::MJPEG, 30);
    let mut opened = listed(index, (width, height));
    for request in [
        RequestedFormatType::Closest(closest),
        RequestedFormatType::AbsoluteHighestResolution,
        RequestedFormatType::None,
    ] {
        if opened.is_err() {
            let request = RequestedFormat::with_formats(request, &FORMATS);
            opened = Camera::new(CameraIndex::Index(index), request)
                .and_then(|mut camera| camera.open_stream().map(|()| camera));
        }
    }
    let camera = opened.map_err(|e| cannot_be_opened(index, &e))?;
    tracing::info!("camera {index}: {}", camera.camera_format());
    Ok(camera)
}

fn listed(index: u32, size: (u32, u32)) -> Result<Camera, NokhwaError> {
    let mut camera = Camera::new(CameraIndex::Index(index), any())?;
    let formats = camera.compatible_camera_formats()?;
    // A rate that is listed may be none that the driver keeps: one picture in 2/25 s is listed
    // as 25 a second, and then refused.
    let mut set = Ok(());
    for format in by_nearness(&formats, size).into_iter().take(TRIED) {
        if format == camera.camera_format() {
            set = Ok(());
        } else {
            let exact = RequestedFormatType::Exact(format);
            let request = RequestedFormat::with_formats(exact, &FORMATS);
            set = camera.set_camera_requset(request).map(drop);
        }
        if set.is_ok() {
            break;
        }
    }
    set?;
    camera.open_stream()?;
    Ok(camera)
}

impl Coded for Buffer {
    fn decode(&self) -> Result<RgbImage, String> {
        if self.source_frame_format() == FrameFormat::MJPEG {
            // Half a picture is taken: some cameras never write the end.
            picture::size(self.buffer(), &Limits::PHOTO).map_err(|e| e.to_string())?;
            return image::load_from_memory_with_format(self.buffer(), image::ImageFormat::Jpeg)
                .map(image::DynamicImage::into_rgb8)
                .map_err(|e| e.to_string());
        }
        let size = self.resolution();
        let decoded = self.decode_image::<RgbFormat>().map_err(|e| e.to_string())?;
        RgbImage::from_raw(size.width(), size.height(), decoded.into_raw())
            .ok_or_else(|| "a picture of the wrong size".to_owned())
    }
}
