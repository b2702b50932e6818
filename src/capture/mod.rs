//! Where frames come from: webcam, video file, network stream, folder of stills.
//!
//! Every source is a [`FrameSource`]; [`open`] picks one from what a person
//! typed.

mod container;
mod error;
mod frame;
mod live;
mod stills;
mod video;
#[cfg(feature = "camera")]
mod webcam;

use std::path::Path;

pub use container::{Ending, ending};
pub use error::CaptureError;
pub use frame::{Frame, FrameSource};
pub use stills::Stills;
pub use video::{NetworkStream, VideoFile};
#[cfg(feature = "camera")]
pub use webcam::{CameraInfo, Webcam, cameras};

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

/// Whether a picture lies in a folder.
pub fn has_stills(folder: &Path) -> bool {
    Stills::open(folder, 1.0).is_ok()
}

#[cfg(feature = "camera")]
fn open_camera(index: u32) -> Result<Box<dyn FrameSource>, CaptureError> {
    Ok(Box::new(Webcam::open(index)?))
}

#[cfg(not(feature = "camera"))]
fn open_camera(_index: u32) -> Result<Box<dyn FrameSource>, CaptureError> {
    Err(CaptureError::NoCameraSupport)
}
