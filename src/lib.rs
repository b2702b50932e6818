//! Castellan keeps the score of a physical tile game with a camera.
//!
//! The camera proposes ([`observation::Observation`]), the rules judge
//! ([`rules`]), the table decides ([`record`]). ARCHITECTURE.md in the
//! repository says how the parts hang together; dependencies point downwards
//! only.

// What is printed goes through `cli::out`, which cannot panic.
#![warn(clippy::print_stdout, clippy::print_stderr)]

#[cfg(feature = "gui")]
pub mod app;
pub mod archive;
pub mod bg_stats;
#[cfg(feature = "vision")]
pub mod calibrate;
#[cfg(feature = "vision")]
pub mod capture;
pub mod cli;
pub mod colours;
pub mod files;
pub mod library;
pub mod observation;
#[cfg(feature = "gui")]
pub mod page;
#[cfg(any(feature = "studio", feature = "vision"))]
pub mod picture;
pub mod pieces;
#[cfg(feature = "studio")]
pub mod print;
pub mod record;
#[cfg(feature = "vision")]
pub mod references;
pub mod share;
#[cfg(feature = "studio")]
pub mod studio;
pub mod table;
#[cfg(feature = "vision")]
pub mod vision;

/// The rules, a crate of their own.
#[doc(inline)]
pub use castellan_rules as rules;
