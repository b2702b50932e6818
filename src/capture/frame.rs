//! Frames and what gives them.

use std::sync::Arc;

use image::RgbImage;

use super::error::CaptureError;
use super::shot::Viewer;

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
    /// A live source leaves out frames that came while nobody asked, and those beyond some 15 a second.
    ///
    /// # Errors
    /// [`CaptureError`]; a live source may be asked again after one, and every
    /// source after one that is of a single frame ([`CaptureError::is_of_one_frame`]).
    fn next(&mut self) -> Result<Option<Frame>, CaptureError>;

    /// Whether frames come as they are taken and never end by themselves.
    fn is_live(&self) -> bool;

    /// Takes pictures with a shutter that is open so many times as long from now on, where a camera lets
    /// that be set. Whether it may; the next frames show what came of it.
    fn expose(&mut self, _factor: f64) -> bool {
        false
    }

    /// Shows each picture to a viewer as it comes, also while frames are read, where the source takes pictures by
    /// itself. Whether it does.
    fn show_to(&mut self, _viewer: &Arc<dyn Viewer>) -> bool {
        false
    }

    /// What people should know of how it was opened, a sentence each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Nothing that is known is seen in the frames any more: what can be opened
    /// anew is, before the next frame.
    fn open_anew(&mut self) {}
}

/// A time as people write it: `0:04.2`.
pub(super) fn clock(t: f64) -> String {
    let minutes = (t / 60.0).floor();
    format!("{minutes}:{:04.1}", t - 60.0 * minutes)
}
