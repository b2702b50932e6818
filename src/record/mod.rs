//! The record of a game: events, the log, replay by folding.

mod account;
mod check;
mod damage;
mod describe;
mod event;
mod fold;
mod game;
mod jcz;
mod log;
mod self_play;
mod sheet;
mod transcript;

pub use account::{SideOfTable, TableMoment, TurnAccount};
pub use check::{RecordFinding, check, unfounded};
pub use event::{Event, EventKind, Header, Source, Tally, VERSION};
pub use game::{Game, RecordError, ScoreAt};
pub use jcz::{JczError, SavedGame, to_jcz};
pub use log::{Log, LogError, LogWriter, LostLines, Recorder};
pub use self_play::{play_random, play_random_with};
pub use sheet::{Sheet, SheetTurn};
pub use transcript::{TextError, TextHeader, Transcript, moves_in};
