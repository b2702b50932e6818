//! The rules of The Castle and the record, from outside the crate.

mod commands;
mod components;
mod coverage;
mod damage;
mod decks;
mod names;
mod parsers;
mod properties;
mod record;
mod reference;
mod rule_book;
mod scenarios;
mod schema;
mod second_scorer;
mod torn;
mod transcript;
mod versions;
