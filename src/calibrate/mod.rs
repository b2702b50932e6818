//! What an owner does once: measures the wall, cuts the deck out of photos, has the tiles'
//! faces proposed, and the players' pieces measured. Nothing that reads a frame needs it.

pub mod enrol;
pub mod faces;
pub mod pieces;
pub mod survey;

pub use enrol::Enrolment;
