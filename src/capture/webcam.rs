//! A webcam, read in its own thread because a driver may never answer.

use std::time::{Duration, Instant};

use image::RgbImage;
use nokhwa::Camera;
use nokhwa::pixel_format::RgbFormat;
use nokhwa::utils::{
    ApiBackend, CameraFormat, CameraIndex, FrameFormat, RequestedFormat, RequestedFormatType, Resolution,
};

use super::error::CaptureError;
use super::frame::{Frame, FrameSource, clock};
use super::live::{Got, Newest, newest};
use crate::picture::{self, Limits};

/// How long a camera may be silent: for its first frame, which starts the
/// sensor, and later.
const FIRST_FRAME: Duration = Duration::from_secs(8);
const LATER_FRAME: Duration = Duration::from_secs(3);

/// Broken frames in a row after which a camera is given up; the first few after
/// a start are often torn.
const BROKEN_FRAMES: u32 = 30;

/// A camera that the system lists.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CameraInfo {
    /// Its number: `camera:0`.
    pub index: u32,
    /// Its name.
    pub name: String,
}

/// The cameras that the system lists, by number. Some may be no cameras: a
/// webcam often has a second node for its metadata.
///
/// # Errors
/// [`CaptureError::Camera`] when the system cannot be asked.
pub fn cameras() -> Result<Vec<CameraInfo>, CaptureError> {
    let found = nokhwa::query(ApiBackend::Auto).map_err(|e| CaptureError::Camera {
        index: 0,
        what: format!("and others cannot be listed ({e})"),
        advice: "check that a camera is plugged in",
    })?;
    let mut list: Vec<CameraInfo> = found
        .into_iter()
        .filter_map(|c| Some(CameraInfo { index: c.index().as_index().ok()?, name: c.human_name() }))
        .collect();
    list.sort_by_key(|c| c.index);
    list.dedup();
    Ok(list)
}

/// A webcam. After an error it is opened anew when asked again.
pub struct Webcam {
    index: u32,
    began: Instant,
    newest: Option<Newest<RgbImage, CaptureError>>,
    waiting_for_first: bool,
}

impl Webcam {
    /// Opens a camera at 1280 by 720 or what comes nearest, and waits for its
    /// first frame.
    ///
    /// # Errors
    /// [`CaptureError::Camera`].
    pub fn open(index: u32) -> Result<Webcam, CaptureError> {
        let newest = start(index)?;
        Ok(Webcam { index, began: Instant::now(), newest: Some(newest), waiting_for_first: true })
    }
}

impl FrameSource for Webcam {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        let newest = match self.newest.take() {
            Some(newest) => newest,
            None => {
                self.waiting_for_first = true;
                start(self.index)?
            }
        };
        match newest.wait(if self.waiting_for_first { FIRST_FRAME } else { LATER_FRAME }) {
            Got::Item(image) => {
                self.newest = Some(newest);
                self.waiting_for_first = false;
                let t = self.began.elapsed().as_secs_f64();
                Ok(Some(Frame { image, t, name: clock(t) }))
            }
            Got::Failed(error) => Err(error),
            Got::Silent | Got::Closed => Err(gone(self.index, "gives no more pictures".to_owned())),
        }
    }

    fn is_live(&self) -> bool {
        true
    }
}

fn gone(index: u32, what: String) -> CaptureError {
    CaptureError::Camera { index, what, advice: "check its cable and that no other program uses it" }
}

/// Starts the thread; the camera is opened in it, since opening may hang too.
fn start(index: u32) -> Result<Newest<RgbImage, CaptureError>, CaptureError> {
    let (producer, consumer) = newest();
    let (opened, result) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut camera = match open_camera(index) {
            Ok(camera) => camera,
            Err(e) => return drop(opened.send(Err(e))),
        };
        if opened.send(Ok(())).is_err() {
            return;
        }
        let mut broken = 0;
        loop {
            let buffer = match camera.frame() {
                Ok(buffer) => buffer,
                Err(e) => return producer.fail(gone(index, format!("went away ({e})"))),
            };
            match decode(&buffer) {
                Ok(image) => {
                    broken = 0;
                    if !producer.put(image) {
                        return;
                    }
                }
                Err(why) => {
                    broken += 1;
                    if broken >= BROKEN_FRAMES {
                        return producer.fail(gone(index, format!("gives broken pictures ({why})")));
                    }
                }
            }
        }
    });
    match result.recv_timeout(FIRST_FRAME) {
        Ok(Ok(())) => Ok(consumer),
        Ok(Err(e)) => Err(e),
        Err(_) => Err(gone(index, "does not answer".to_owned())),
    }
}

fn open_camera(index: u32) -> Result<Camera, CaptureError> {
    let wanted = CameraFormat::new(Resolution::new(1280, 720), FrameFormat::MJPEG, 30);
    let formats = [
        FrameFormat::MJPEG,
        FrameFormat::YUYV,
        FrameFormat::NV12,
        FrameFormat::RAWRGB,
        FrameFormat::RAWBGR,
        FrameFormat::GRAY,
    ];
    let mut why = String::new();
    for request in [
        RequestedFormatType::Closest(wanted),
        RequestedFormatType::AbsoluteHighestResolution,
        RequestedFormatType::None,
    ] {
        let opened = Camera::new(CameraIndex::Index(index), RequestedFormat::with_formats(request, &formats))
            .and_then(|mut camera| camera.open_stream().map(|()| camera));
        match opened {
            Ok(camera) => {
                tracing::info!("camera {index}: {}", camera.camera_format());
                return Ok(camera);
            }
            Err(e) => why = e.to_string(),
        }
    }
    Err(CaptureError::Camera {
        index,
        what: format!("cannot be opened ({why})"),
        advice: "see `castellan cameras`, and close other programs that use it",
    })
}

fn decode(buffer: &nokhwa::Buffer) -> Result<RgbImage, String> {
    if buffer.source_frame_format() == FrameFormat::MJPEG {
        // Half a picture is taken: some cameras never write the end.
        picture::size(buffer.buffer(), &Limits::PHOTO).map_err(|e| e.to_string())?;
        return image::load_from_memory_with_format(buffer.buffer(), image::ImageFormat::Jpeg)
            .map(image::DynamicImage::into_rgb8)
            .map_err(|e| e.to_string());
    }
    let size = buffer.resolution();
    let decoded = buffer.decode_image::<RgbFormat>().map_err(|e| e.to_string())?;
    RgbImage::from_raw(size.width(), size.height(), decoded.into_raw())
        .ok_or_else(|| "a picture of the wrong size".to_owned())
}
