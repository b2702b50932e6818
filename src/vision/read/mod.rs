//! The readers: a frame in, an observation out.

mod backdrop;
mod beside;
pub mod castle_reader;
mod classic_figures;
pub mod classic_reader;
pub mod drawing;
mod glance;
mod moved;
pub mod reader;
mod steady;
