//! An owner's own copy on its way into the library, step by step: photos of the empty wall and
//! of the loose tiles become a wall and a deck of one name, whose faces are put right; then the
//! players' pieces and the fronts of the wall tiles.
//!
//! Photos stay in `photos/NAME` of the data folder, with what the owner has said in
//! `progress.toml`, so that it can be gone on with after any break.

mod at_hand;
mod copy;
mod corrected;
mod printed;
mod steps;

pub use crate::calibrate::survey::drawing::letter;
pub use at_hand::{MeasuredPieces, sizes};
pub use copy::{OwnCopy, OwnCopyError, Photo};
pub use corrected::Handle;
pub use printed::{Place, Printed};
pub use steps::{Cut, Enrolled, Surveyed, cut};
