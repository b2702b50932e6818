//! The rules of The Castle and the record, from outside the crate.

mod decks;
mod properties;
mod reference;
