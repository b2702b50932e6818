//! Drives a game: source to reader to session to whoever shows it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use image::RgbImage;
use thiserror::Error;

use super::{GameView, Session};
use crate::capture::{CaptureError, FrameSource};
use crate::record::Event;
use crate::vision::{Reader, VisionError};

/// How long a live source may fail before it is given up.
const GIVE_UP: Duration = Duration::from_secs(30);
/// How long to wait before a failed live source is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// What came of a frame.
#[derive(Debug)]
pub struct Update {
    /// The game now.
    pub view: GameView,
    /// What was decided since the update before.
    pub events: Vec<Event>,
    /// The frame; `None` where there was none.
    pub picture: Option<RgbImage>,
    /// Why there was none, in a sentence; it is asked for again.
    pub trouble: Option<String>,
}

/// Why a source was watched no longer.
#[derive(Debug, Error)]
pub enum RunError {
    /// The source failed, and was not back in time.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The reader failed.
    #[error(transparent)]
    Vision(VisionError),
    /// The source ended and the wall was in no frame.
    #[error("the wall was found in none of the {1} frames; {0}")]
    NoWall(String, usize),
}

/// Watches a source until it ends, fails, or `stop` is set; `on` is called after
/// every frame. The session may be used by others meanwhile: it is locked only
/// while it takes an observation in. The game is not finished: the caller
/// decides whether the source's end is the game's.
///
/// # Errors
/// [`RunError`].
pub fn run(
    source: &mut dyn FrameSource,
    reader: &mut Reader,
    session: &Mutex<Session>,
    stop: &AtomicBool,
    mut on: impl FnMut(Update),
) -> Result<(), RunError> {
    let mut failing_since: Option<Instant> = None;
    let mut frames = 0;
    let mut no_wall: Option<String> = None;
    let mut found = false;
    while !stop.load(Ordering::Relaxed) {
        let frame = match source.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(error) => {
                let since = *failing_since.get_or_insert_with(Instant::now);
                if !source.is_live() || since.elapsed() >= GIVE_UP {
                    return Err(error.into());
                }
                let view = lock(session).view();
                on(Update { view, events: Vec::new(), picture: None, trouble: Some(error.to_string()) });
                std::thread::sleep(ASK_AGAIN);
                continue;
            }
        };
        failing_since = None;
        frames += 1;
        let read = reader.read(&frame.image);
        let mut session = lock(session);
        let events = match read {
            Ok(observation) => {
                found = true;
                tracing::debug!(frame = frame.name, warnings = ?observation.warnings, "read");
                session.observe(&observation, frame.t)
            }
            Err(VisionError::NoWall(sentence)) => {
                no_wall = Some(sentence.clone());
                session.lost_sight(sentence);
                Vec::new()
            }
            Err(error) => return Err(RunError::Vision(error)),
        };
        let view = session.view();
        drop(session);
        on(Update { view, events, picture: Some(frame.image), trouble: None });
    }
    match no_wall {
        Some(sentence) if !found => Err(RunError::NoWall(sentence, frames)),
        _ => Ok(()),
    }
}

fn lock(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A source that is watched in a thread of its own; dropping it stops it after
/// the frame that is being read.
#[derive(Debug)]
pub struct Running {
    stop: Arc<AtomicBool>,
}

impl Running {
    /// Starts to watch; see [`run`]. `ended` is called at the end, in the same
    /// thread, unless this has been dropped by then.
    pub fn start(
        mut source: Box<dyn FrameSource>,
        mut reader: Reader,
        session: Arc<Mutex<Session>>,
        on: impl FnMut(Update) + Send + 'static,
        ended: impl FnOnce(Result<(), RunError>) + Send + 'static,
    ) -> Running {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        std::thread::spawn(move || {
            let result = run(&mut *source, &mut reader, &session, &told, on);
            if !told.load(Ordering::Relaxed) {
                ended(result);
            }
        });
        Running { stop }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
