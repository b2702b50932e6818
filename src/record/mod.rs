//! The record of a game: events, the log, replay by folding.

mod event;

pub use event::{Event, EventKind, Header, Source, Tally};
