//! A live game: observations over time, the rules and people's corrections
//! become events.

mod game_file;
#[cfg(feature = "vision")]
mod instruments;
#[cfg(feature = "vision")]
mod opening;
mod placing;
#[cfg(feature = "vision")]
mod run;
mod session;
mod show;
pub mod sim;
mod standing;
mod steady;
#[cfg(test)]
mod tests;
mod view;

pub use game_file::{GameFile, GameFileError, WallTileNumber};
#[cfg(feature = "vision")]
pub use instruments::{InstrumentError, Instruments, castle_deck, castle_wall, instruments, surveyed};
#[cfg(feature = "vision")]
pub use opening::{OpenTable, Opening, OpeningError, Prepared};
#[cfg(feature = "vision")]
pub use run::{RunError, Running, Update, run};
pub use session::{OpenDoubt, Session};
pub use show::{colour, known_colour};
pub use steady::Patience;
pub use view::{CellView, FigureView, GameView, PlayerView, ScoreView, SheetView, Status};
