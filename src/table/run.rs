//! Drives a game: source to reader to session to whoever shows it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use image::RgbImage;
use thiserror::Error;

use super::evidence::Evidence;
use super::exposing::Exposing;
use super::session::Session;
use super::unread::Unread;
use super::view::GameView;
use crate::capture::{CaptureError, FrameSource};
use crate::observation::Observation;
use crate::rules::{Cell, Sentence, sentence};
use crate::vision::{Reader, VisionError};

/// How long a live source may fail before it is given up: a camera is unplugged for a while,
/// a network goes, players eat.
const GIVE_UP: Duration = Duration::from_secs(15 * 60);
/// How long to wait before a failed live source is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// How long the wall may be out of sight, after it was found, before the source is
/// opened anew, in seconds; then twice as long, and so on.
const OPEN_ANEW: f64 = 5.0;

/// Where cells are in a frame: each with its upper left, upper right, lower right, lower left
/// corner, pixels.
pub type Places = Vec<(Cell, [[f64; 2]; 4])>;

/// What came of a frame.
#[derive(Debug)]
pub struct Update {
    /// The game now.
    pub view: GameView,
    /// The frame; `None` where there was none.
    pub picture: Option<RgbImage>,
    /// Where the board's cells are in the frame, as they are numbered in it; none where the board
    /// is not found.
    pub places: Places,
    /// What was read in it; `None` where the board is not found.
    pub seen: Option<Observation>,
    /// Why there was none, in a sentence; it or the next is asked for again. While a source
    /// fails this stays what it was at first.
    pub trouble: Option<Sentence>,
}

/// Why a source was watched no longer.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum RunError {
    /// The source failed, and was not back in time.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The reader failed.
    #[error(transparent)]
    Vision(VisionError),
    /// The source ended and the wall was in no frame.
    NoWall(Sentence, usize),
    /// The source ended and in no frame was a tile, on a table without a wall.
    NoTiles(String, usize),
}

impl From<&RunError> for Sentence {
    fn from(error: &RunError) -> Sentence {
        match error {
            RunError::Capture(error) => Sentence::from(error),
            RunError::Vision(error) => Sentence::from(error),
            RunError::NoWall(why, frames) => {
                sentence!("the wall was found in none of the {} frames; {}", *frames, why)
            }
            RunError::NoTiles(deck, frames) => sentence!(
                "no tile of deck `{}` was found in any of the {} frames; show the board from above, or name \
                 the deck that lies there",
                deck,
                *frames
            ),
        }
    }
}

/// Watches a source until it ends, fails, or `stop` is set; `on` is called after
/// every frame. The session may be used by others meanwhile: it is locked only
/// while it takes an observation in. Pictures of what was decided go to `evidence`. The game
/// is not finished: the caller
/// decides whether the source's end is the game's. The result is the number of
/// pictures that were left out, since they cannot be read.
///
/// # Errors
/// [`RunError`].
pub fn run(
    source: &mut dyn FrameSource,
    reader: &mut Reader,
    session: &Mutex<Session>,
    mut evidence: Option<&mut Evidence>,
    stop: &AtomicBool,
    mut on: impl FnMut(Update),
) -> Result<usize, RunError> {
    reader.expect_markers(lock(session).marker_spaces());
    let mut failing: Option<(Instant, Sentence)> = None;
    let mut left_out = 0;
    let mut sight = Sight::default();
    let mut frames = 0;
    let mut missed: Option<VisionError> = None;
    let mut found = false;
    let mut unread = Unread::default();
    let mut exposing = Exposing::default();
    if !source.is_live() {
        exposing.give_up();
    }
    while !stop.load(Ordering::Relaxed) {
        let frame = match source.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(error) => {
                let of_one_frame = error.is_of_one_frame();
                let trouble = if of_one_frame {
                    left_out += 1;
                    Sentence::from(&error)
                } else {
                    let (since, first) = failing.get_or_insert((Instant::now(), Sentence::from(&error)));
                    if !source.is_live() || since.elapsed() >= GIVE_UP {
                        return Err(error.into());
                    }
                    tracing::debug!("{error}");
                    first.clone()
                };
                let view = lock(session).view();
                on(Update { view, picture: None, places: Vec::new(), seen: None, trouble: Some(trouble) });
                if !of_one_frame {
                    std::thread::sleep(ASK_AGAIN);
                }
                continue;
            }
        };
        failing = None;
        frames += 1;
        reader.expect_laid(lock(session).laid());
        let read = reader.read(&frame.image);
        let mut session = lock(session);
        let (mut places, mut seen) = (Places::new(), None);
        let mut factor = None;
        match read {
            Ok(observation) => {
                found = true;
                places = reader.places();
                sight.found();
                tracing::debug!(frame = frame.name, warnings = ?observation.warnings, "read");
                let events = session.observe(&observation, frame.t);
                let why = unread.read(&frame.image, &places, &observation, &session.unread(), frame.t);
                session.unread_because(why);
                factor = exposing.read(&frame.image, &places, &observation, frame.t);
                if let Some(evidence) = &mut evidence {
                    let decided = session.pictured(&events);
                    let named = evidence.take(&frame.image, &places, &observation, &decided);
                    session.attach_evidence(named);
                }
                seen = Some(observation);
            }
            Err(VisionError::NoWall(sentence)) => {
                if found && sight.lost(frame.t) {
                    source.open_anew();
                }
                session.lost_sight(sentence.clone());
                if !found {
                    factor = exposing.nothing_found(&frame.image, frame.t);
                }
                missed = Some(VisionError::NoWall(sentence));
            }
            // A table without a wall is empty before the first tile is laid.
            Err(error @ VisionError::NoTiles(_)) => {
                if found && sight.lost(frame.t) {
                    source.open_anew();
                }
                let bare = seen.insert(Observation::default());
                session.observe(bare, frame.t);
                if !found {
                    session.unread_because(unread.nothing_found(&frame.image, frame.t));
                    if unread.is_burnt_out() {
                        factor = exposing.nothing_found(&frame.image, frame.t);
                    }
                }
                missed = Some(error);
            }
            Err(error) => return Err(RunError::Vision(error)),
        }
        let view = session.view();
        drop(session);
        if let Some(factor) = factor
            && !source.expose(factor)
        {
            exposing.give_up();
        }
        on(Update { view, picture: Some(frame.image), places, seen, trouble: None });
    }
    match missed {
        Some(VisionError::NoWall(sentence)) if !found => Err(RunError::NoWall(sentence, frames)),
        Some(VisionError::NoTiles(deck)) if !found => Err(RunError::NoTiles(deck, frames)),
        _ => Ok(left_out),
    }
}

/// How long the wall has been out of sight.
#[derive(Debug, Default)]
struct Sight {
    lost: Option<Lost>,
}

#[derive(Debug)]
struct Lost {
    since: f64,
    patience: f64,
}

impl Sight {
    fn found(&mut self) {
        self.lost = None;
    }

    /// The wall is not in the frame at `t`, in seconds; whether the source should
    /// be opened anew for it.
    fn lost(&mut self, t: f64) -> bool {
        let lost = self.lost.get_or_insert(Lost { since: t, patience: OPEN_ANEW });
        let long = t - lost.since >= lost.patience;
        if long {
            *lost = Lost { since: t, patience: 2.0 * lost.patience };
        }
        long
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
        mut evidence: Option<Evidence>,
        on: impl FnMut(Update) + Send + 'static,
        ended: impl FnOnce(Result<(), RunError>) + Send + 'static,
    ) -> Running {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        std::thread::spawn(move || {
            let result = run(&mut *source, &mut reader, &session, evidence.as_mut(), &told, on);
            if let Some(told) = evidence.and_then(|e| e.told()) {
                tracing::info!("{told}");
            }
            if !told.load(Ordering::Relaxed) {
                ended(result.map(drop));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_opened_anew_ever_more_rarely_while_the_wall_is_lost() {
        let mut sight = Sight::default();
        let times = |sight: &mut Sight, from: u32| -> Vec<u32> {
            (from..from + 40).filter(|t| sight.lost(f64::from(*t))).collect()
        };
        assert_eq!(times(&mut sight, 0), [5, 15, 35]);
        sight.found();
        assert_eq!(times(&mut sight, 100), [105, 115, 135]);
    }
}
