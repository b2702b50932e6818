//! A frame to an observation.
//!
//! Each room imports only rooms that stand above it here:
//! - [`base`]: pictures, planes, cameras and colours;
//! - [`wall`]: finds a surveyed wall in a frame, and knows the table;
//! - [`faces`]: what is printed where on the tiles of a deck;
//! - [`tiles`]: names what lies in a cell, alone and then with all other cells;
//! - [`grid`]: finds the cells where there is no wall;
//! - [`figures`]: finds followers and keeps on tiles that are named;
//! - [`read`]: the readers, which put the others together.

pub mod base;
pub mod faces;
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
