//! Where frames come from: webcam, video file, network stream, folder of stills.
//!
//! Every source is a [`FrameSource`]; [`open`] picks one from what a person
//! typed.

#[cfg(feature = "camera")]
mod cameras;
mod container;
mod error;
#[cfg(feature = "camera")]
mod exposure;
mod frame;
mod live;
mod real_time;
mod shot;
mod stills;
mod video;
#[cfg(feature = "camera")]
mod webcam;

use std::path::Path;

#[cfg(feature = "camera")]
pub use cameras::{CameraInfo, CameraMode, camera_modes, cameras};
pub use container::{Ending, ending};
pub use error::CaptureError;
pub use frame::{Frame, FrameSource};
pub use real_time::RealTime;
pub use shot::Viewer;
pub use stills::Stills;
pub use video::{NetworkStream, VideoFile};
#[cfg(feature = "camera")]
pub use webcam::Webcam;

/// What is wanted of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceOptions {
    /// How long each still of a folder lasts, in seconds.
    pub seconds_per_still: f64,
    /// The least time between two frames of a video file, in seconds; frames
    /// between are left out.
    pub seconds_per_frame: f64,
    /// Recordings are played as a camera would have seen them; see [`RealTime`].
    pub real_time: bool,
    /// The width and height in pixels that a webcam is asked for.
    pub resolution: Option<(u32, u32)>,
}

impl Default for SourceOptions {
    fn default() -> SourceOptions {
        SourceOptions { seconds_per_still: 1.0, seconds_per_frame: 0.2, real_time: false, resolution: None }
    }
}

/// Opens a source: `camera:0`, `camera:` with a part of the camera's name, an `http`, `https`
/// or `rtsp` address, a folder of stills, one picture, or a video file.
///
/// # Errors
/// [`CaptureError`] says what to do.
pub fn open(source: &str, options: SourceOptions) -> Result<Box<dyn FrameSource>, CaptureError> {
    if let Some(name) = source.strip_prefix("camera:") {
        return open_camera(name, options.resolution);
    }
    if options.resolution.is_some() {
        return Err(CaptureError::Resolution(source.to_owned()));
    }
    if ["http://", "https://", "rtsp://"].iter().any(|scheme| source.starts_with(scheme)) {
        return Ok(Box::new(NetworkStream::open(source)?));
    }
    let path = Path::new(source);
    if !path.exists() {
        return Err(CaptureError::Missing(path.to_owned()));
    }
    let recording: (Box<dyn FrameSource>, f64) = if is_stills(source) {
        (Box::new(Stills::open(path, options.seconds_per_still)?), options.seconds_per_still)
    } else {
        (Box::new(VideoFile::open(path, options.seconds_per_frame)?), options.seconds_per_frame)
    };
    Ok(match (recording, options.real_time) {
        ((source, lasts), true) => Box::new(RealTime::new(source, options.seconds_per_frame, lasts)),
        ((source, _), false) => source,
    })
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
fn open_camera(name: &str, size: Option<(u32, u32)>) -> Result<Box<dyn FrameSource>, CaptureError> {
    Ok(Box::new(Webcam::open(name, size)?))
}

#[cfg(not(feature = "camera"))]
fn open_camera(_name: &str, _size: Option<(u32, u32)>) -> Result<Box<dyn FrameSource>, CaptureError> {
    Err(CaptureError::NoCameraSupport)
}
