//! What is printed on tiles, seen by the network of `models/faces`.

mod evidence;
mod layout;
mod network;

pub(crate) use evidence::{Evidence, MARKS};
pub use layout::layouts;
pub(crate) use network::Network;
