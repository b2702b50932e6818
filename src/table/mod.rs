//! A live game: observations over time, the rules and people's corrections
//! become events.

mod aids;
mod asked;
mod bearings;
#[cfg(test)]
mod classic_tests;
mod colour_check;
mod compare;
mod dispute;
mod doubts;
mod entered;
#[cfg(feature = "vision")]
mod evidence;
#[cfg(feature = "vision")]
mod exposing;
mod face_up;
#[cfg(test)]
mod figure_tests;
mod game_file;
#[cfg(feature = "vision")]
mod hand_game;
mod histories;
#[cfg(feature = "vision")]
mod instruments;
mod lag;
#[cfg(feature = "vision")]
mod look_over;
mod markers;
#[cfg(feature = "vision")]
mod opening;
mod places;
mod placing;
mod questions;
mod revise;
#[cfg(feature = "vision")]
mod run;
mod saying;
mod scribe;
mod session;
mod show;
pub mod sim;
mod standing;
mod steady;
mod steps;
#[cfg(test)]
mod tests;
mod turn;
#[cfg(feature = "vision")]
mod unread;
mod view;

pub use crate::colours::{colour, known_colour};
pub use aids::Aids;
pub use asked::{Answer, Question};
pub use dispute::{CountView, DisputeView, RuleView};
pub use doubts::{DoubtChoice, OpenDoubt};
pub use entered::{Choices, PlaceView};
#[cfg(feature = "vision")]
pub(crate) use evidence::cut;
#[cfg(feature = "vision")]
pub use evidence::{Evidence, USUAL_BYTES};
#[cfg(feature = "vision")]
pub use exposing::Exposing;
pub use game_file::{GameFile, GameFileError, WallTileNumber, titled};
#[cfg(feature = "vision")]
pub use hand_game::HandGame;
#[cfg(feature = "vision")]
pub use instruments::{InstrumentError, Instruments, castle_wall, game_deck, instruments, surveyed};
#[cfg(feature = "vision")]
pub use look_over::{Judged, LookOver, Looked, Matter, Remark, Saw};
#[cfg(feature = "vision")]
pub use opening::{OpenTable, Opening, OpeningError, Prepared};
#[cfg(feature = "gui")]
pub(crate) use questions::turn_of;
#[cfg(feature = "vision")]
pub use run::{Places, RunError, Running, Update, run};
pub use saying::{Asks, Saying, SegmentView, TakenView};
pub use session::{Session, Tracker};
pub use steady::Patience;
pub use view::{
    AnswerView, CellView, CountedView, FigureView, GameView, HoldingView, LagView, NamedPlaceView,
    NeutralView, PlayerView, QuestionView, ScoreView, SheetView, Status, ToDoView,
};
