//! What an owner does once: measures the wall, cuts the deck out of photos, and has the
//! tiles' faces proposed. Nothing that reads a frame needs it.

pub mod enrol;
pub mod faces;
pub mod survey;

pub use enrol::Enrolment;
