//! What the window shows, shared between its adapters and the live table's
//! thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::board_picture::BoardPainter;
use super::replay::Replay;
use crate::table::GameView;

/// What the window shows.
#[derive(Debug, Default)]
pub struct Shown {
    /// The game as it stands, or as it stood at a step of a record.
    pub view: GameView,
    /// The index in [`GameView::scores`] of the score that is lit.
    pub selected: Option<usize>,
    /// Draws the board; `None` while no game is open.
    pub painter: Option<BoardPainter>,
    /// The record that is replayed and the step that is shown.
    pub replay: Option<(Replay, usize)>,
}

/// Locks what is shown. A thread that panicked leaves nothing half written
/// here, since each field is set whole.
pub fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}
