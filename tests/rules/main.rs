//! The rules of all games and the record, from outside the crate.

mod classic_properties;
mod classic_record;
mod classic_reference;
mod commands;
mod components;
mod coverage;
mod damage;
mod decks;
mod headers;
mod jcz;
mod module_records;
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
