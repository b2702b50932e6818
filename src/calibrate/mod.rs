//! What an owner does once: measures the wall, cuts the deck out of photos, has the tiles'
//! faces proposed, the players' pieces measured and the wall tiles' fronts kept. Nothing that reads a frame needs it.

pub mod enrol;
pub mod faces;
pub mod own_copy;
pub mod pieces;
pub mod survey;
pub mod wall_tiles;

pub use enrol::Enrolment;
