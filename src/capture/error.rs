//! Why there is no frame.

use std::path::PathBuf;

use thiserror::Error;

use crate::picture::PictureError;

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
    /// A `camera:` that no camera, or more than one, is called; then what to write.
    #[error("`{0}` is not a camera; {1}")]
    CameraName(String, String),
    /// A size is wanted of what has one.
    #[error("only webcams are asked for a resolution; leave it out for {0}")]
    Resolution(String),
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
