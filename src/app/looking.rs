//! What a source shows, before it is watched: its newest frame, and a small picture of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use image::RgbImage;

use super::desk::small;
use crate::capture::{self, CaptureError, SourceOptions};

/// Between two pictures that are shown: more are not seen as more.
const BETWEEN: Duration = Duration::from_millis(66);

/// A source that is looked through in a thread of its own, until this is dropped.
#[derive(Debug)]
pub struct Looking {
    stop: Arc<AtomicBool>,
    newest: Arc<Mutex<Option<RgbImage>>>,
}

impl Looking {
    /// Looks through a source. `show` is given small pictures, `failed` a sentence where there
    /// are none, both in the other thread. A film plays as fast as it was filmed.
    pub fn start(
        source: &str,
        show: impl Fn(RgbImage) + Send + 'static,
        failed: impl FnOnce(String) + Send + 'static,
    ) -> Looking {
        let looking = Looking { stop: Arc::default(), newest: Arc::default() };
        let (stop, newest, source) =
            (Arc::clone(&looking.stop), Arc::clone(&looking.newest), source.to_owned());
        thread::spawn(move || {
            if let Err(error) = look(&source, &stop, &newest, show) {
                failed(error.to_string());
            }
        });
        looking
    }

    /// The newest frame.
    pub fn newest(&self) -> Option<RgbImage> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn look(
    source: &str,
    stop: &AtomicBool,
    newest: &Mutex<Option<RgbImage>>,
    show: impl Fn(RgbImage),
) -> Result<(), CaptureError> {
    let options = SourceOptions { real_time: true, ..SourceOptions::default() };
    let mut frames = capture::open(source, options)?;
    let mut shown: Option<Instant> = None;
    while !stop.load(Ordering::Relaxed) {
        let frame = match frames.next() {
            Ok(Some(frame)) => frame.image,
            Ok(None) => break,
            Err(error) if error.is_of_one_frame() => continue,
            Err(error) => return Err(error),
        };
        if shown.is_none_or(|last| last.elapsed() >= BETWEEN) && !stop.load(Ordering::Relaxed) {
            shown = Some(Instant::now());
            show(small(&frame));
        }
        *newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(frame);
    }
    Ok(())
}

/// The photos that a source is, where it is a folder of them or one picture, in their order.
///
/// # Errors
/// [`CaptureError`] where there are none.
pub fn photos(source: &str) -> Result<Vec<PathBuf>, CaptureError> {
    if !capture::is_stills(source) {
        return Ok(Vec::new());
    }
    Ok(capture::Stills::open(Path::new(source), 1.0)?.files().to_vec())
}
