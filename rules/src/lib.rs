//! The rules: tiles, walls, boards, features and scoring. Pure: no files,
//! images, clocks or windows.

pub mod book;
mod bounds;
pub mod castle;
mod deck;
mod deck_text;
mod face;
mod face_map;
pub mod features;
pub mod plain;
mod port;
mod ring;
mod score;
mod wall;

pub use bounds::{MOST_TEXT, is_name, quoted};
pub use deck::{Deck, DeckError, Game, Tile};
pub use face::{Attributes, Face, FaceError, Kind, Segment};
pub use face_map::FaceMap;
pub use port::{Port, PortSet, Rotation, Side};
pub use ring::Corner;
pub use score::{Item, Player, Role, Score, StandingFollower};
pub use wall::{Cell, StartSpace, TrackPoint, Wall, WallError};
