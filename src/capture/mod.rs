//! Where frames come from: webcam, video file, network stream, folder of stills.
//!
//! Every source is a [`FrameSource`]; [`open`] picks one from what a person
//! typed.

mod container;
mod live;
mod stills;
mod video;
#[cfg(feature = "camera")]
mod webcam;

use std::path::{Path, PathBuf};

use image::RgbImage;
use thiserror::Error;

use crate::picture::PictureError;

pub use container::{Ending, ending};
pub use stills::Stills;
pub use video::{NetworkStream, VideoFile};
#[cfg(feature = "camera")]
pub use webcam::{CameraInfo, Webcam, cameras};

/// One picture of the table.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The picture, sRGB.
    pub image: RgbImage,
    /// Seconds since the source began; never less than the frame before.
    pub t: f64,
    /// What people call it: a file's name, or a time such as `1:23.4`.
    pub name: String,
}

/// Something that gives frames, one after another.
pub trait FrameSource: Send {
    /// The next frame, waiting for it if need be; `None` when there are no more.
    /// A live source leaves out frames that came while nobody asked.
    ///
    /// # Errors
    /// [`CaptureError`]; a live source may be asked again after one, and every
    /// source after one that is of a single frame ([`CaptureError::is_of_one_frame`]).
    fn next(&mut self) -> Result<Option<Frame>, CaptureError>;

    /// Whether frames come as they are taken and never end by themselves.
    fn is_live(&self) -> bool;

    /// Nothing that is known is seen in the frames any more: what can be opened
    /// anew is, before the next frame.
    fn open_anew(&mut self) {}
}

/// Why there is no frame.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// Nothing of this name.
    #[error("nothing is there; name a folder of pictures, a video file, an address or camera:0: {0}")]
    Missing(PathBuf),
    /// A folder without pictures.
    #[error("the folder holds no picture; put .jpg or .png files into it: {0}")]
    NoPictures(PathBuf),
    /// A picture that cannot be decoded.
    #[error("the picture cannot be read ({0}); replace or remove it: {1}")]
    Picture(PictureError, PathBuf),
    /// A picture of a folder that cannot be decoded, while the others are played.
    #[error("this picture is left out ({0}); look whether something is missing without it: {1}")]
    LeftOut(PictureError, PathBuf),
    /// A folder of pictures none of which can be decoded.
    #[error("none of the folder's pictures can be read; replace them: {0}")]
    NoneReadable(PathBuf),
    /// Not a video, or none that can be decoded.
    #[error("this is no video that can be read; give an .mp4, .mkv, .webm, .avi or .mov file: {0}")]
    NotVideo(PathBuf),
    /// A video without its end.
    #[error("the video is cut off {0}; copy it again from where it was recorded: {1}")]
    Truncated(String, PathBuf),
    /// Nobody answers at an address, or not with a video.
    #[error("no video comes from {0} ({1}); check the address and that the camera is on")]
    Unreachable(String, String),
    /// A `camera:` that is not a number.
    #[error("`{0}` is not a camera; write camera:0, and see `castellan cameras`")]
    CameraName(String),
    /// A webcam that cannot be opened or went away.
    #[error("camera {index} {what}; {advice}")]
    Camera {
        /// The camera's number.
        index: u32,
        /// What happened.
        what: String,
        /// What to do.
        advice: &'static str,
    },
    /// Built without webcams.
    #[error("this build has no webcam support; build it with the feature `camera`")]
    NoCameraSupport,
    /// The file system's own words.
    #[error("cannot be read ({0}): {1}")]
    Io(std::io::Error, PathBuf),
}

impl CaptureError {
    /// Whether only this frame is not to be had; the next may be asked for.
    pub fn is_of_one_frame(&self) -> bool {
        matches!(self, CaptureError::LeftOut(..))
    }
}

/// How a source is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// How long each still of a folder lasts, in seconds.
    pub seconds_per_still: f64,
    /// The least time between two frames of a video file, in seconds; frames
    /// between are left out.
    pub seconds_per_frame: f64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { seconds_per_still: 1.0, seconds_per_frame: 0.2 }
    }
}

/// Opens a source: `camera:0`, an `http`, `https` or `rtsp` address, a folder of
/// stills, one picture, or a video file.
///
/// # Errors
/// [`CaptureError`] says what to do.
pub fn open(source: &str, pace: Pace) -> Result<Box<dyn FrameSource>, CaptureError> {
    if let Some(name) = source.strip_prefix("camera:") {
        let index = name.parse().map_err(|_| CaptureError::CameraName(source.to_owned()))?;
        return open_camera(index);
    }
    if ["http://", "https://", "rtsp://"].iter().any(|scheme| source.starts_with(scheme)) {
        return Ok(Box::new(NetworkStream::open(source)?));
    }
    let path = Path::new(source);
    if !path.exists() {
        return Err(CaptureError::Missing(path.to_owned()));
    }
    if is_stills(source) {
        return Ok(Box::new(Stills::open(path, pace.seconds_per_still)?));
    }
    Ok(Box::new(VideoFile::open(path, pace.seconds_per_frame)?))
}

/// Whether a source is a folder of stills or one picture.
pub fn is_stills(source: &str) -> bool {
    let path = Path::new(source);
    path.is_dir() || stills::is_picture(path)
}

#[cfg(feature = "camera")]
fn open_camera(index: u32) -> Result<Box<dyn FrameSource>, CaptureError> {
    Ok(Box::new(Webcam::open(index)?))
}

#[cfg(not(feature = "camera"))]
fn open_camera(_index: u32) -> Result<Box<dyn FrameSource>, CaptureError> {
    Err(CaptureError::NoCameraSupport)
}

/// A time as people write it: `0:04.2`.
fn clock(t: f64) -> String {
    let minutes = (t / 60.0).floor();
    format!("{minutes}:{:04.1}", t - 60.0 * minutes)
}
