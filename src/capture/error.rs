//! Why there is no frame.

use std::path::PathBuf;

use thiserror::Error;

use crate::picture::PictureError;
use crate::rules::{Sentence, Term, sentence};

/// Why there is no frame.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum CaptureError {
    /// Nothing of this name.
    Missing(PathBuf),
    /// A folder without pictures.
    NoPictures(PathBuf),
    /// A picture that cannot be decoded.
    Picture(PictureError, PathBuf),
    /// A picture of a folder that cannot be decoded, while the others are played.
    LeftOut(PictureError, PathBuf),
    /// A folder of pictures none of which can be decoded.
    NoneReadable(PathBuf),
    /// Not a video, or none that can be decoded.
    NotVideo(PathBuf),
    /// A video without its end.
    Truncated(Sentence, PathBuf),
    /// Nobody answers at an address, or not with a video.
    Unreachable(String, Sentence),
    /// A `camera:` that no camera, or more than one, is called; then what to write.
    CameraName(String, Sentence),
    /// A size is wanted of what has one.
    Resolution(String),
    /// A webcam that cannot be opened or went away.
    Camera {
        /// The camera's number.
        index: u32,
        /// What happened.
        what: Sentence,
        /// What to do.
        advice: Sentence,
    },
    /// Built without webcams.
    NoCameraSupport,
    /// The file system's own words.
    Io(std::io::Error, PathBuf),
}

impl From<&CaptureError> for Sentence {
    fn from(error: &CaptureError) -> Sentence {
        let shown = |path: &PathBuf| Term::same(path.display());
        match error {
            CaptureError::Missing(path) => sentence!(
                "nothing is there; name a folder of pictures, a video file, an address or camera:0: {}",
                shown(path)
            ),
            CaptureError::NoPictures(path) => {
                sentence!("the folder holds no picture; put .jpg or .png files into it: {}", shown(path))
            }
            CaptureError::Picture(why, path) => sentence!(
                "the picture cannot be read ({}); replace or remove it: {}",
                Sentence::from(why),
                shown(path)
            ),
            CaptureError::LeftOut(why, path) => sentence!(
                "this picture is left out ({}); look whether something is missing without it: {}",
                Sentence::from(why),
                shown(path)
            ),
            CaptureError::NoneReadable(path) => {
                sentence!("none of the folder's pictures can be read; replace them: {}", shown(path))
            }
            CaptureError::NotVideo(path) => sentence!(
                "this is no video that can be read; give an .mp4, .mkv, .webm, .avi or .mov file: {}",
                shown(path)
            ),
            CaptureError::Truncated(at, path) => sentence!(
                "the video is cut off {}; copy it again from where it was recorded: {}",
                at,
                shown(path)
            ),
            CaptureError::Unreachable(address, why) => sentence!(
                "no video comes from {} ({}); check the address and that the camera is on",
                address,
                why
            ),
            CaptureError::CameraName(name, advice) => {
                sentence!("`{}` is not a camera; {}", name, advice)
            }
            CaptureError::Resolution(source) => {
                sentence!("only webcams are asked for a resolution; leave it out for {}", source)
            }
            CaptureError::Camera { index, what, advice } => {
                sentence!("camera {} {}; {}", *index, what, advice)
            }
            CaptureError::NoCameraSupport => {
                sentence!("this build has no webcam support; build it with the feature `camera`")
            }
            CaptureError::Io(error, path) => {
                sentence!("cannot be read ({}): {}", Term::same(error), shown(path))
            }
        }
    }
}

impl CaptureError {
    /// Whether only this frame is not to be had; the next may be asked for.
    pub fn is_of_one_frame(&self) -> bool {
        matches!(self, CaptureError::LeftOut(..))
    }
}
