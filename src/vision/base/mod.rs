//! What all rooms of vision stand on: pictures, planes and cameras.

pub mod camera;
pub mod geometry;
pub(crate) mod nearest;
pub mod photo;
pub(crate) mod product;
pub mod rectify;
