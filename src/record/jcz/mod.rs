//! Saved games of JCloisterZone (`.jcz`): read as records of the classic game, and
//! written from them.
//!
//! Version 5.7 and newer, and the older form of version 4, whose tile names have a dot
//! and whose pointers name no feature. Only what is played here is read; sets, figures
//! and rules that are not are refused by name.

mod names;
mod read;
mod tables;
mod write;

pub use read::SavedGame;
pub use tables::JczError;
pub use write::to_jcz;
