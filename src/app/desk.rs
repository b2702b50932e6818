//! The live game between the thread that watches the table and the window: both
//! change it here, and its record is written here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use image::RgbImage;

use super::command::{Command, Done, tell, turn_open};
use crate::capture::Viewer;
use crate::library::evidence_beside;
use crate::picture::{self, Limits};
use crate::record::{Change, Game, LogWriter};
use crate::rules::{Cell, Sentence, sentence};
use crate::table::{
    CellView, Choices, DisputeView, GameView, Places, QuestionView, RunError, Session, Status, Update, cut,
    turn_of,
};
use crate::vision::base::photo;

/// How the pictures come and the record goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Feed {
    /// All is well.
    #[default]
    Running,
    /// A person has paused it.
    Paused,
    /// The game is entered by hand.
    ByHand {
        /// Whether there is a camera to go back to.
        has_source: bool,
    },
    /// No picture comes; the sentence says why. It may come again.
    NoPicture(Sentence),
    /// The source has ended.
    Ended,
    /// The record cannot be written; the sentence says why.
    NotRecorded(Sentence),
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
    /// What there is to see of each question of the view, in their order.
    pub asked: Vec<Arc<Asked>>,
    /// Whether something was told that can be taken back.
    pub undoable: bool,
    /// When the table was read last; `None` where it is not watched.
    pub read: Option<Instant>,
}

/// What there is to see of a question.
#[derive(Debug, Default)]
pub struct Asked {
    question: QuestionView,
    /// The frame round its cell as it was when the question came up.
    pub seen: Option<RgbImage>,
    /// How the cell would lie with each answer.
    pub answers: Vec<Option<CellView>>,
}

/// No side of a frame for the window is longer, in pixels.
pub const LONGEST_SIDE: u32 = 640;

/// A live game. Locks are taken in the order of the fields.
pub struct Desk {
    session: Arc<Mutex<Session>>,
    board: Mutex<Board>,
    resumed: Condvar,
    whole_game: bool,
    /// Whether the pictures are in sight in the window.
    in_sight: AtomicBool,
    /// Whether the source shows its pictures by itself.
    shown_by_source: AtomicBool,
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
    not_recorded: Option<Sentence>,
    view: GameView,
    turn_open: bool,
    undoable: bool,
    read: Option<Instant>,
    picture: Option<RgbImage>,
    /// The newest frame, and where the cells are in it.
    frame: Option<(RgbImage, Places)>,
    asked: Vec<Arc<Asked>>,
    paused: bool,
    by_hand: bool,
    /// A turn is disputed.
    frozen: bool,
    /// Since when it is not known yet that time has passed in a game that is entered by hand.
    passing: Option<Instant>,
    /// There is no source, or none any more.
    without_source: bool,
    left: bool,
    no_picture: Option<Sentence>,
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
            view: GameView::default(),
            turn_open: false,
            undoable: false,
            read: None,
            picture: None,
            frame: None,
            asked: Vec::new(),
            paused: false,
            by_hand: false,
            frozen: false,
            passing: None,
            without_source: false,
            left: false,
            no_picture: None,
            ended: false,
            rung: false,
        };
        let desk = Desk {
            session: Arc::new(Mutex::new(session)),
            board: Mutex::new(board),
            resumed: Condvar::new(),
            whole_game,
            in_sight: AtomicBool::new(true),
            shown_by_source: AtomicBool::new(false),
            bell: Box::new(bell),
        };
        let session = desk.session_now();
        desk.board().show(&session);
        drop(session);
        desk
    }

    /// The game, for the thread that watches the table.
    pub fn session(&self) -> Arc<Mutex<Session>> {
        Arc::clone(&self.session)
    }

    /// Takes in what came of a frame; while the game is paused it waits.
    pub fn take(&self, update: Update) {
        let shows = !self.shown_by_source.load(Ordering::Relaxed) && self.in_sight.load(Ordering::Relaxed);
        let picture = update.picture.as_ref().filter(|_| shows).map(small);
        {
            let mut board = self.board();
            board.no_picture = update.trouble;
            if update.picture.is_some() {
                board.read = Some(Instant::now());
            }
            board.picture = picture.or(board.picture.take());
            if let Some(frame) = update.picture.filter(|_| !update.places.is_empty()) {
                board.frame = Some((frame, update.places));
            }
        }
        self.brought(&self.session_now());
        let waits = |b: &mut Board| (b.paused || b.by_hand || b.frozen) && !b.left;
        let mut board = self.board();
        let held = waits(&mut board);
        drop(self.resumed.wait_while(board, waits).unwrap_or_else(PoisonError::into_inner));
        if held {
            self.session_now().hold();
        }
    }

    /// The source shows its pictures by itself from now on; see [`Viewer`].
    pub fn shown_by_source(&self) {
        self.shown_by_source.store(true, Ordering::Relaxed);
    }

    /// Whether the pictures are in sight in the window: else none is made ready for it.
    pub fn keep_in_sight(&self, in_sight: bool) {
        self.in_sight.store(in_sight, Ordering::Relaxed);
    }

    /// The source is at its end, or has failed.
    pub fn ended(&self, result: Result<(), RunError>) {
        let mut session = self.session_now();
        self.board().without_source = true;
        match result {
            Ok(()) => {
                session.finish();
                if self.whole_game
                    && session.status() != Status::Finished
                    && let Err(error) = session.stop()
                {
                    tracing::warn!("the game is not scored: {error}");
                }
                self.board().ended = true;
            }
            // A source that broke off is not the end of a game.
            Err(error) => self.board().no_picture = Some(Sentence::from(&error)),
        }
        self.brought(&session);
    }

    /// What there is to show now.
    pub fn fetch(&self) -> News {
        let mut board = self.board();
        board.rung = false;
        let feed = if let Some(sentence) = &board.not_recorded {
            Feed::NotRecorded(sentence.clone())
        } else if board.by_hand {
            Feed::ByHand { has_source: !board.without_source }
        } else if let Some(sentence) = &board.no_picture {
            Feed::NoPicture(sentence.clone())
        } else if board.ended {
            Feed::Ended
        } else if board.paused {
            Feed::Paused
        } else {
            Feed::Running
        };
        let (view, turn_open, asked) = (board.view.clone(), board.turn_open, board.asked.clone());
        let read = board.read.filter(|_| matches!(feed, Feed::Running | Feed::NoPicture(_)));
        let (undoable, picture) = (board.undoable, board.picture.take());
        News { view, feed, turn_open, asked, undoable, read, picture }
    }

    /// Does what people say.
    pub fn carry_out(&self, command: &Command) -> Done {
        match command {
            Command::Pause => return self.pause(),
            Command::ByHand => return self.go_by_hand(),
            _ => {}
        }
        let mut session = self.session_now();
        self.pass(&mut session);
        let done = tell(&mut session, command);
        self.brought(&session);
        match (done, command) {
            (Err(sentence), _) => Done::Refused(sentence),
            (Ok(()), Command::Undo) => Done::Undone,
            (Ok(()), _) => Done::Done,
        }
    }

    /// What a correction would change, a line each, and how its cell would lie.
    ///
    /// # Errors
    /// A sentence that says why it cannot be made.
    pub fn preview(&self, change: &Change) -> Result<(Vec<Sentence>, Option<CellView>), Sentence> {
        let session = self.session_now();
        let (preview, cell) = session.preview(change).map_err(|error| Sentence::from(&error))?;
        Ok((preview.to_lines(session.game().names().all()), cell))
    }

    /// What the camera may not have seen and can be told now.
    pub fn unseen(&self) -> QuestionView {
        self.session_now().unseen().view()
    }

    /// The game as it stands.
    pub fn game(&self) -> Game {
        self.session_now().game().clone()
    }

    /// The newest frame round a cell of the board.
    pub fn look_at(&self, cell: Cell) -> Option<RgbImage> {
        let cell = self.session_now().in_picture(cell)?;
        self.board().around(cell)
    }

    /// Nothing is watched: the game is entered by hand.
    pub fn without_source(&self) {
        let mut session = self.session_now();
        {
            let mut board = self.board();
            (board.by_hand, board.without_source) = (true, true);
        }
        self.pass(&mut session);
        self.brought(&session);
    }

    /// Whether the game is entered by hand now.
    pub fn is_by_hand(&self) -> bool {
        self.board().by_hand
    }

    /// What the one who may act can do after a tile is laid.
    pub fn choices(&self) -> Choices {
        self.session_now().choices()
    }

    /// How many events the game has: with others it stands otherwise.
    pub fn events(&self) -> usize {
        self.session_now().game().events().len()
    }

    /// Nothing is read while players look at a turn that they disagree about.
    pub fn freeze(&self, frozen: bool) {
        let mut session = self.session_now();
        self.pass(&mut session);
        self.board().frozen = frozen;
        self.pass(&mut session);
        self.resumed.notify_all();
    }

    /// Seconds that each player's turns have taken until now.
    pub fn clocks(&self) -> Vec<f64> {
        let mut session = self.session_now();
        self.pass(&mut session);
        session.clocks()
    }

    /// Has the time pass since this was called last, where the game is entered by hand.
    fn pass(&self, session: &mut Session) {
        let mut board = self.board();
        if let Some(since) = board.passing.take() {
            session.pass(since.elapsed().as_secs_f64());
        }
        board.passing = (board.by_hand && !board.frozen).then(Instant::now);
    }

    /// What there is to look at about a turn.
    pub fn dispute(&self, turn: u32) -> Option<DisputeView> {
        self.session_now().dispute(turn)
    }

    /// The turn that laid the tile in a cell.
    pub fn turn_of(&self, cell: Cell) -> Option<u32> {
        turn_of(self.session_now().game(), cell).map(|turn| turn.0)
    }

    /// The first picture before and the last after among some of the record's evidence.
    pub fn pictures(&self, names: &[String]) -> [Option<RgbImage>; 2] {
        let board = self.board();
        let Some(folder) = board.record.as_ref().map(|record| evidence_beside(record.path())) else {
            return [None, None];
        };
        drop(board);
        let load = |name: &String| picture::open(&folder.join(name), &Limits::TILE).ok();
        let before = names.iter().find(|n| n.ends_with("before.jpg")).and_then(load);
        [before, names.iter().rfind(|n| n.ends_with("after.jpg")).and_then(load)]
    }

    /// Stops looking at the table, or goes on.
    fn pause(&self) -> Done {
        let mut board = self.board();
        if board.by_hand {
            return Done::Refused(sentence!(
                "the game is entered by hand; nothing is watched that could pause"
            ));
        }
        board.paused = !board.paused && !board.ended;
        self.resumed.notify_all();
        self.ring(board);
        Done::Done
    }

    /// Has the game entered by hand, or the camera go on. The watching thread waits meanwhile.
    fn go_by_hand(&self) -> Done {
        let mut session = self.session_now();
        if session.status() == Status::Finished {
            return Done::Refused(sentence!("the game is over; K corrects a turn of it"));
        }
        self.pass(&mut session);
        {
            let mut board = self.board();
            if board.by_hand && board.without_source {
                return Done::Refused(sentence!(
                    "there is no camera to go back to; open the game with a source for that"
                ));
            }
            board.by_hand = !board.by_hand;
            board.paused = false;
            if board.by_hand {
                session.without_camera();
            }
            self.resumed.notify_all();
        }
        self.pass(&mut session);
        self.brought(&session);
        Done::Done
    }

    /// Lets the watching thread go: nobody will resume it.
    pub fn leave(&self) {
        self.board().left = true;
        self.resumed.notify_all();
    }

    /// Writes the record up to the session's last event, makes the view anew and
    /// rings. The order of the events is that of the session, whoever brought
    /// them. What could not be written, as on a full disk, is tried again each
    /// time.
    fn brought(&self, session: &Session) {
        let mut board = self.board();
        if let Some(record) = &mut board.record {
            let failed = record.write(session.game()).err();
            board.not_recorded = failed.as_ref().map(Sentence::from);
        }
        board.show(session);
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

/// The window is shown the pictures of a camera as they come: reading one takes longer than the next takes to
/// come.
impl Viewer for Desk {
    fn wants(&self) -> bool {
        let waits = |board: &Board| board.paused || board.by_hand || board.frozen || board.left;
        self.in_sight.load(Ordering::Relaxed) && {
            let board = self.board();
            board.picture.is_none() && !waits(&board)
        }
    }

    fn show(&self, picture: &RgbImage) {
        let picture = small(picture);
        let mut board = self.board();
        board.picture = Some(picture);
        self.ring(board);
    }
}

impl Board {
    /// Takes over how the game stands.
    fn show(&mut self, session: &Session) {
        self.view = session.view();
        self.turn_open = turn_open(session);
        self.undoable = session.can_undo();
        let mut known = std::mem::take(&mut self.asked);
        for (question, view) in session.questions().iter().zip(self.view.questions.clone()) {
            if let Some(at) = known.iter().position(|k| k.question == view) {
                self.asked.push(known.swap_remove(at));
                continue;
            }
            let seen = view.cell.and_then(|cell| self.around(session.in_picture(cell)?));
            let answers = question.answers.iter().map(|a| session.as_answered(question, a)).collect();
            self.asked.push(Arc::new(Asked { question: view, seen, answers }));
        }
    }

    /// The newest frame round a cell.
    fn around(&self, cell: Cell) -> Option<RgbImage> {
        let (frame, places) = self.frame.as_ref()?;
        let (_, quad) = places.iter().find(|place| place.0 == cell)?;
        cut(frame, quad)
    }
}

/// A frame for the window.
pub(super) fn small(frame: &RgbImage) -> RgbImage {
    at_most(frame, LONGEST_SIDE)
}

/// A frame of which no side is longer than so many pixels; as it is where it cannot be made smaller.
pub(super) fn at_most(frame: &RgbImage, most: u32) -> RgbImage {
    photo::at_most(frame, most).unwrap_or_else(|error| {
        tracing::debug!("{error}");
        frame.clone()
    })
}
