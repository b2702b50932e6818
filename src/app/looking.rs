//! What a source shows, before it is watched: its newest frame, and a small picture of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use image::RgbImage;

use crate::capture::{self, CaptureError, SourceOptions};
use crate::rules::Sentence;

/// Between two pictures that are shown: more are not seen as more.
const BETWEEN: Duration = Duration::from_millis(66);
/// So long a source is waited for to let its camera go.
const LETS_GO: Duration = Duration::from_secs(1);

/// A source that is looked through in a thread of its own, until this is dropped.
#[derive(Debug)]
pub struct Looking {
    stop: Arc<AtomicBool>,
    newest: Newest,
    exposure: Exposure,
    thread: Option<JoinHandle<()>>,
}

/// By which factor the shutter is to be open longer, for the thread that looks.
pub type Exposure = Arc<Mutex<Option<f64>>>;

/// The newest frame of a source, for other threads.
pub type Newest = Arc<Mutex<Option<Arc<RgbImage>>>>;

impl Looking {
    /// Looks through a source. `show` is given frames as often as they are worth being shown,
    /// `failed` a sentence where there are none, both in the other thread. A film plays as fast
    /// as it was filmed.
    pub fn start(
        source: &str,
        show: impl Fn(&RgbImage) + Send + 'static,
        failed: impl FnOnce(Sentence) + Send + 'static,
    ) -> Looking {
        Looking::every(source, BETWEEN, show, failed)
    }

    /// As [`Looking::start`], with at least so much time between two frames that are shown.
    pub fn every(
        source: &str,
        between: Duration,
        show: impl Fn(&RgbImage) + Send + 'static,
        failed: impl FnOnce(Sentence) + Send + 'static,
    ) -> Looking {
        let (stop, newest, exposure) = (Arc::<AtomicBool>::default(), Newest::default(), Exposure::default());
        let (stopped, put, source) = (Arc::clone(&stop), Arc::clone(&newest), source.to_owned());
        let wished = Arc::clone(&exposure);
        let thread = thread::spawn(move || {
            if let Err(error) = look(&source, &stopped, &put, &wished, between, show) {
                failed(Sentence::from(&error));
            }
        });
        Looking { stop, newest, exposure, thread: Some(thread) }
    }

    /// Has it stop, without waiting for it as dropping does.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Where the newest frame is put.
    pub fn newest(&self) -> Newest {
        Arc::clone(&self.newest)
    }

    /// Where a change of the camera's exposure is wished for; see
    /// [`FrameSource::expose`](crate::capture::FrameSource::expose).
    pub fn exposure(&self) -> Exposure {
        Arc::clone(&self.exposure)
    }

    /// The newest frame.
    pub fn frame(&self) -> Option<Arc<RgbImage>> {
        frame(&self.newest)
    }
}

/// The newest frame.
pub fn frame(newest: &Newest) -> Option<Arc<RgbImage>> {
    newest.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A camera can be opened once at a time, so it is waited for.
impl Drop for Looking {
    fn drop(&mut self) {
        self.stop();
        let since = Instant::now();
        while self.thread.as_ref().is_some_and(|t| !t.is_finished()) && since.elapsed() < LETS_GO {
            thread::sleep(Duration::from_millis(5));
        }
        self.thread = None;
    }
}

fn look(
    source: &str,
    stop: &AtomicBool,
    newest: &Newest,
    exposure: &Exposure,
    between: Duration,
    show: impl Fn(&RgbImage),
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
        if let Some(factor) = exposure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            frames.expose(factor);
        }
        if shown.is_none_or(|last| last.elapsed() >= between) && !stop.load(Ordering::Relaxed) {
            shown = Some(Instant::now());
            show(&frame);
        }
        *newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(frame));
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
