//! The record of a game: events, the log, replay by folding.

mod account;
mod alignment;
mod check;
mod clocks;
mod correction;
mod damage;
mod event;
mod fold;
mod game;
mod jcz;
mod log;
mod self_play;
mod sheet;
mod transcript;
mod wording;

pub use account::{SideOfTable, TableMoment, TurnAccount};
#[cfg(test)]
pub(crate) use alignment::is_same_move;
pub use alignment::{Alignment, Match, align, align_scores, are_one_feature, likeness};
pub use check::{RecordFinding, check, unfounded};
pub use clocks::Clocks;
pub use correction::{Change, CorrectionError, Edit, Preview, TurnFacts};
pub use damage::LostLines;
pub use event::{Event, EventKind, Header, Source, Tally, VERSION};
pub(crate) use fold::to_fact;
pub use game::{Game, RecordError, ScoreAt};
pub use jcz::{JczError, SavedGame, to_jcz};
pub use log::{Log, LogError, LogWriter, Recorder};
pub use self_play::{play_eventful, play_random, play_random_with};
pub use sheet::{Sheet, SheetTurn};
pub use transcript::{TextError, TextHeader, Transcript, moves_in};
pub use wording::{ToDo, Wording, turned};
