//! The live game between the thread that watches the table and the window: both
//! change it here, and its record is written here.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use image::RgbImage;

use crate::record::{Change, EventKind, Game, LogWriter, TurnFacts};
use crate::rules::Cell;
use crate::rules::castle::Phase;
use crate::table::{CellView, GameView, Places, QuestionView, RunError, Session, Status, Update, cut};

/// What people at the table tell the program.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Stop looking at the table, or go on.
    Pause,
    /// The turn whose tile lies is over: nobody waits for a follower.
    EndTurn,
    /// The answer to a question, by its key.
    Answer(QuestionView, u8),
    /// A question is left as it is.
    Leave(QuestionView),
    /// Play goes on although tiles are gone from the table.
    GoOn,
    /// The game ends here: it is scored with tiles left.
    ScoreNow,
    /// Something that the camera did not see, as [`Desk::unseen`] offered it, by its key.
    Unseen(QuestionView, u8),
    /// The same as moves in their notation.
    Enter(String),
    /// A turn was otherwise; it was one with these facts.
    Correct(Change, TurnFacts),
    /// What was told last is taken back.
    Undo,
}

/// What became of a [`Command`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// It is done.
    Done,
    /// What was done before is undone.
    Undone,
    /// It cannot be done; the sentence says why.
    Refused(String),
}

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
    /// What there is to see of each question of the view, in their order.
    pub asked: Vec<Arc<Asked>>,
    /// Whether something was told that can be taken back.
    pub undoable: bool,
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
    undoable: bool,
    picture: Option<RgbImage>,
    /// The newest frame, and where the cells are in it.
    frame: Option<(RgbImage, Places)>,
    asked: Vec<Arc<Asked>>,
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
            view: GameView::default(),
            turn_open: false,
            undoable: false,
            picture: None,
            frame: None,
            asked: Vec::new(),
            paused: false,
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
        let small = update.picture.as_ref().map(small);
        {
            let mut board = self.board();
            board.no_picture = update.trouble;
            if small.is_some() {
                board.picture = small;
            }
            if let Some(frame) = update.picture.filter(|_| !update.places.is_empty()) {
                board.frame = Some((frame, update.places));
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
                    && let Err(error) = session.stop()
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
        let (view, turn_open, asked) = (board.view.clone(), board.turn_open, board.asked.clone());
        News { view, feed, turn_open, asked, undoable: board.undoable, picture: board.picture.take() }
    }

    /// Does what people say.
    pub fn carry_out(&self, command: &Command) -> Done {
        if *command == Command::Pause {
            self.pause();
            return Done::Done;
        }
        let mut session = self.session_now();
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
    pub fn preview(&self, change: &Change) -> Result<(Vec<String>, Option<CellView>), String> {
        let session = self.session_now();
        let (preview, cell) = session.preview(change).map_err(|error| error.to_string())?;
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

    /// Stops looking at the table, or goes on.
    fn pause(&self) {
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

/// Has the game take what people say.
fn tell(session: &mut Session, command: &Command) -> Result<(), String> {
    let asked = |session: &Session, view: &QuestionView| {
        let open = session.questions().into_iter().find(|q| q.view() == *view);
        open.ok_or_else(|| "the question is open no more; look at those that are".to_owned())
    };
    match command {
        Command::Pause => {}
        Command::EndTurn => {
            if !turn_open(session) {
                return Err("no tile of this turn lies; lay one first".to_owned());
            }
            let position = session.game().position();
            let kind = EventKind::TurnEnded { player: position.to_move(), turn: position.turn() };
            session.apply_by_hand(kind).map_err(|e| e.to_string())?;
        }
        Command::Answer(question, key) => {
            let open = asked(session, question)?;
            session.answer(&open, *key).map_err(|e| e.to_string())?;
        }
        Command::Leave(question) => {
            let open = asked(session, question)?;
            session.leave(&open).map_err(|e| e.to_string())?;
        }
        Command::GoOn => session.go_on(),
        Command::ScoreNow => {
            session.finish();
            if session.status() != Status::Finished {
                session.apply_by_hand(EventKind::PlayStopped).map_err(|e| e.to_string())?;
            }
        }
        Command::Unseen(offered, key) => {
            let unseen = session.unseen();
            if unseen.view() != *offered {
                return Err("the game has gone on meanwhile; look again at what can be told".to_owned());
            }
            session.answer(&unseen, *key).map_err(|e| e.to_string())?;
        }
        Command::Enter(moves) => drop(session.enter_text(moves).map_err(|e| e.to_string())?),
        Command::Correct(change, turn) => {
            if !session.game().turns().contains(turn) {
                return Err("the turn has changed meanwhile; look at it again".to_owned());
            }
            session.correct(change).map_err(|e| e.to_string())?;
        }
        Command::Undo => drop(session.undo().map_err(|e| e.to_string())?),
    }
    Ok(())
}

fn turn_open(session: &Session) -> bool {
    session.game().position().phase() == Phase::Follower
}

/// A frame for the window.
fn small(frame: &RgbImage) -> RgbImage {
    let (width, height) = frame.dimensions();
    let longest = width.max(height);
    if longest <= LONGEST_SIDE {
        return frame.clone();
    }
    let scaled = |side: u32| (u64::from(side) * u64::from(LONGEST_SIDE) / u64::from(longest)).max(1) as u32;
    image::imageops::thumbnail(frame, scaled(width), scaled(height))
}
