//! A frame to an observation: registration, rectification, recogniser, followers.

pub mod base;
pub mod figures;
pub mod grid;
pub mod read;
pub mod tiles;
pub mod wall;

pub use base::error::VisionError;
pub use read::reader::{Reader, ReaderSetup};
pub use tiles::assignment::{Constraints, Settled, Site, settle};
pub use wall::scale::{WallPictureError, WallScale};
pub use wall::surveyed::SurveyedWall;
