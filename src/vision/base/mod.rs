//! What all rooms of vision stand on: pictures, planes, cameras and colours.

pub mod camera;
pub(crate) mod colour;
pub mod conditions;
pub mod crop;
pub mod error;
pub mod geometry;
pub(crate) mod least_squares;
pub(crate) mod mat;
pub(crate) mod nearest;
pub mod photo;
pub(crate) mod product;
pub mod quads;
pub mod rectify;
