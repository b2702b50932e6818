//! The live game between the thread that watches the table and the window: both
//! change it here, and its record is written here.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use image::RgbImage;

use crate::record::{EventKind, LogWriter, RecordError};
use crate::rules::castle::Phase;
use crate::table::{GameView, RunError, Session, Status, Update};

/// How the pictures come and the record goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Feed {
    /// All is well.
    #[default]
    Running,
    /// A person has paused it.
    Paused,
    /// No picture comes; the sentence says why. It may come again.
    NoPicture(String),
    /// The source has ended; so many tiles are left.
    Ended(usize),
    /// The record cannot be written; the sentence says why.
    NotRecorded(String),
}

/// What the window has to show now.
#[derive(Debug)]
pub struct News {
    /// The game.
    pub view: GameView,
    /// How the pictures come.
    pub feed: Feed,
    /// Whether a tile is laid whose turn could be ended by hand.
    pub turn_open: bool,
    /// The newest frame, if it has not been fetched before; no side longer than
    /// 640 pixels.
    pub picture: Option<RgbImage>,
}

/// No side of a frame for the window is longer, in pixels.
pub const LONGEST_SIDE: u32 = 640;

/// A live game. Locks are taken in the order of the fields.
pub struct Desk {
    session: Arc<Mutex<Session>>,
    board: Mutex<Board>,
    resumed: Condvar,
    whole_game: bool,
    bell: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

/// What both sides leave for each other.
struct Board {
    record: Option<LogWriter>,
    not_recorded: Option<String>,
    view: GameView,
    turn_open: bool,
    picture: Option<RgbImage>,
    paused: bool,
    left: bool,
    no_picture: Option<String>,
    ended: bool,
    rung: bool,
}

impl Desk {
    /// A game and its record. `bell` is rung when there
    /// is something to fetch, from whichever thread brings it, and not again
    /// before it is fetched.
    pub fn new(
        session: Session,
        record: Option<LogWriter>,
        whole_game: bool,
        bell: impl Fn() + Send + Sync + 'static,
    ) -> Desk {
        let board = Board {
            record,
            not_recorded: None,
            view: session.view(),
            turn_open: turn_open(&session),
            picture: None,
            paused: false,
            left: false,
            no_picture: None,
            ended: false,
            rung: false,
        };
        Desk {
            session: Arc::new(Mutex::new(session)),
            board: Mutex::new(board),
            resumed: Condvar::new(),
            whole_game,
            bell: Box::new(bell),
        }
    }

    /// The game, for the thread that watches the table.
    pub fn session(&self) -> Arc<Mutex<Session>> {
        Arc::clone(&self.session)
    }

    /// Takes in what came of a frame; while the game is paused it waits.
    pub fn take(&self, update: Update) {
        let picture = update.picture.map(small);
        {
            let mut board = self.board();
            board.no_picture = update.trouble;
            if picture.is_some() {
                board.picture = picture;
            }
        }
        self.brought(&self.session_now());
        let board = self.board();
        let waited = self.resumed.wait_while(board, |b| b.paused && !b.left);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// The source is at its end, or has failed.
    pub fn ended(&self, result: Result<(), RunError>) {
        let mut session = self.session_now();
        match result {
            Ok(()) => {
                session.finish();
                if self.whole_game
                    && session.status() != Status::Finished
                    && let Err(error) = session.apply_by_hand(EventKind::PlayStopped)
                {
                    tracing::warn!("the game is not scored: {error}");
                }
                self.board().ended = true;
            }
            // A source that broke off is not the end of a game.
            Err(error) => self.board().no_picture = Some(error.to_string()),
        }
        self.brought(&session);
    }

    /// What there is to show now.
    pub fn fetch(&self) -> News {
        let mut board = self.board();
        board.rung = false;
        let feed = if let Some(sentence) = &board.not_recorded {
            Feed::NotRecorded(sentence.clone())
        } else if let Some(sentence) = &board.no_picture {
            Feed::NoPicture(sentence.clone())
        } else if board.ended {
            Feed::Ended(board.view.tiles_left)
        } else if board.paused {
            Feed::Paused
        } else {
            Feed::Running
        };
        let (view, turn_open) = (board.view.clone(), board.turn_open);
        News { view, feed, turn_open, picture: board.picture.take() }
    }

    /// Stops looking at the table, or goes on.
    pub fn pause(&self) {
        let mut board = self.board();
        board.paused = !board.paused && !board.ended;
        self.resumed.notify_all();
        self.ring(board);
    }

    /// Lets the watching thread go: nobody will resume it.
    pub fn leave(&self) {
        self.board().left = true;
        self.resumed.notify_all();
    }

    /// Ends the turn whose tile lies, without waiting for a follower.
    ///
    /// # Errors
    /// [`RecordError`] when no tile of this turn lies.
    pub fn end_turn(&self) -> Result<(), RecordError> {
        let mut session = self.session_now();
        if !turn_open(&session) {
            return Ok(());
        }
        let position = session.game().position();
        let kind = EventKind::TurnEnded { player: position.to_move(), turn: position.turn() };
        let done = session.apply_by_hand(kind);
        self.brought(&session);
        done.map(drop)
    }

    /// The players have looked: the record stands.
    pub fn accept_doubts(&self) {
        let mut session = self.session_now();
        session.accept_doubts();
        self.brought(&session);
    }

    /// Play goes on although tiles are gone from the table.
    pub fn go_on(&self) {
        let mut session = self.session_now();
        session.go_on();
        self.brought(&session);
    }

    /// The players end the game here: it is scored with tiles left.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot end.
    pub fn score_now(&self) -> Result<(), RecordError> {
        let mut session = self.session_now();
        session.finish();
        let done = match session.status() {
            Status::Finished => Ok(Vec::new()),
            _ => session.apply_by_hand(EventKind::PlayStopped),
        };
        self.brought(&session);
        done.map(drop)
    }

    /// Writes the record up to the session's last event, makes the view anew and
    /// rings. The order of the events is that of the session, whoever brought
    /// them. What could not be written, as on a full disk, is tried again each
    /// time.
    fn brought(&self, session: &Session) {
        let mut board = self.board();
        if let Some(record) = &mut board.record {
            let failed = record.write(session.game()).err();
            board.not_recorded = failed.map(|error| error.to_string());
        }
        board.view = session.view();
        board.turn_open = turn_open(session);
        self.ring(board);
    }

    fn ring(&self, mut board: MutexGuard<'_, Board>) {
        let first = !std::mem::replace(&mut board.rung, true);
        drop(board);
        if first {
            (self.bell)();
        }
    }

    fn session_now(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn turn_open(session: &Session) -> bool {
    session.game().position().phase() == Phase::Follower
}

/// A frame for the window.
fn small(frame: RgbImage) -> RgbImage {
    let (width, height) = frame.dimensions();
    let longest = width.max(height);
    if longest <= LONGEST_SIDE {
        return frame;
    }
    let scaled = |side: u32| (u64::from(side) * u64::from(LONGEST_SIDE) / u64::from(longest)).max(1) as u32;
    image::imageops::thumbnail(&frame, scaled(width), scaled(height))
}
