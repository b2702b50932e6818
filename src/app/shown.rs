//! What the window shows, shared between its adapters.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::aided::ShownAids;
use super::board_picture::BoardPainter;
use super::chime::Chime;
use super::correcting::Correcting;
use super::desk::{Asked, Desk, Feed, News};
use super::pad::{Left, Pad};
use super::remembered::AgreedAids;
use super::replay::Replay;
use super::shown_page::ShownPage;
use crate::rules::Sentence;
use crate::table::{DisputeView, GameView, QuestionView, Running};

/// What the window shows.
#[derive(Debug, Default)]
pub struct Shown {
    /// The game as it stands, or as it stood at a step of a record.
    pub view: GameView,
    /// The index in [`GameView::scores`] of the score that is lit.
    pub selected: Option<usize>,
    /// The row of the final sheet that is gone through, and which of its scores is lit.
    pub sheet_item: Option<(usize, usize)>,
    /// Draws the board; `None` while no game is open.
    pub painter: Option<BoardPainter>,
    /// The file of the record that is replayed, where it is known.
    pub replayed: Option<PathBuf>,
    /// The record that is replayed and the step that is shown.
    pub replay: Option<(Replay, usize)>,
    /// The live table.
    pub live: Option<Live>,
    /// How its pictures come.
    pub feed: Feed,
    /// What the first screen says went wrong.
    pub problem: Option<Sentence>,
    /// Whether tiles that are gone from the table are lit.
    pub missing_lit: bool,
    /// Whether a tile lies whose turn could be ended by hand.
    pub turn_open: bool,
    /// What there is to see of the view's questions, in their order.
    pub asked: Vec<Arc<Asked>>,
    /// Which of the questions is shown.
    pub question: usize,
    /// Whether something was told that can be taken back.
    pub undoable: bool,
    /// What was offered that the camera may not have seen.
    pub unseen: Option<QuestionView>,
    /// When the table was read last.
    pub read: Option<Instant>,
    /// The turn that is entered by hand.
    pub pad: Option<Pad>,
    /// The tiles that are listed for it.
    pub listed: Option<Vec<Left>>,
    /// The aids of a live game, as far as they are agreed on.
    pub aids: Option<ShownAids>,
    /// Which aids are agreed on.
    pub agreed: AgreedAids,
    /// The turn that is disputed.
    pub disputing: Option<Disputing>,
    /// The correction that is put together.
    pub correcting: Option<Correcting>,
    /// When a sound says that something needs a look.
    pub chime: Chime,
    /// The page for other screens, where one is shown.
    pub page: Option<ShownPage>,
}

impl Shown {
    /// Another game, or none, is shown from now on: of the one before only the page for other screens is left.
    pub fn begin(&mut self, painter: Option<BoardPainter>) {
        let page = self.page.take();
        *self = Shown { painter, page, ..Shown::default() };
    }

    /// Takes over how a live game stands; the question that is shown stays so while it is
    /// open. Whether something has changed.
    pub fn take(&mut self, news: News) -> bool {
        let changed = self.view != news.view
            || self.feed != news.feed
            || self.turn_open != news.turn_open
            || self.undoable != news.undoable;
        self.read = news.read;
        let question = self.view.questions.get(self.question);
        let at = question.and_then(|q| news.view.questions.iter().position(|n| n == q));
        self.question = at.unwrap_or(0);
        (self.view, self.feed, self.turn_open) = (news.view, news.feed, news.turn_open);
        (self.asked, self.undoable) = (news.asked, news.undoable);
        changed
    }
}

/// A turn that is disputed.
#[derive(Clone, Debug)]
pub struct Disputing {
    /// What there is to look at.
    pub view: DisputeView,
    /// Which of its counts is lit.
    pub lit: usize,
}

/// A live table; dropping it lets its source go.
#[derive(Debug)]
pub struct Live {
    /// The game.
    pub desk: Arc<Desk>,
    /// The thread that watches the table, once it is started.
    pub running: Option<Running>,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.running = None;
        self.desk.leave();
    }
}

/// The desk of the live game, if one is shown.
pub fn desk(shown: &Mutex<Shown>) -> Option<Arc<Desk>> {
    lock(shown).live.as_ref().map(|l| Arc::clone(&l.desk))
}

/// Locks what is shown. A thread that panicked leaves nothing half written
/// here, since each field is set whole.
pub fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}
