//! A live game: observations over time, rules and corrections, to events.
