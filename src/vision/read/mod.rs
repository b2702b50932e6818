//! The readers: a frame in, an observation out.

pub mod castle_reader;
pub mod classic_reader;
pub mod drawing;
pub mod reader;
