//! A live game: observations over time, the rules and people's corrections
//! become events.

mod view;

pub use view::{CellView, FigureView, GameView, PlayerView, ScoreView, SheetView, Status};
