//! A live game: observations over time, the rules and people's corrections
//! become events.

mod placing;
mod session;
mod show;
pub mod sim;
mod standing;
mod steady;
#[cfg(test)]
mod tests;
mod view;

pub use session::{OpenDoubt, Session};
pub use show::colour;
pub use steady::Patience;
pub use view::{CellView, FigureView, GameView, PlayerView, ScoreView, SheetView, Status};
