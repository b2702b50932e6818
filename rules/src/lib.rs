#![doc = include_str!("../README.md")]

pub mod book;
mod bounds;
pub mod castle;
pub mod classic;
mod deck;
mod deck_text;
mod face;
mod face_map;
mod feature_view;
pub mod features;
mod game_position;
mod moves;
mod names;
pub mod plain;
mod port;
mod ring;
mod score;
mod wall;
pub mod words;

pub use bounds::{MOST_TEXT, is_name, quoted};
pub use deck::{Deck, DeckError, Game, Tile};
pub use face::{Attributes, Face, FaceError, Kind, Segment};
pub use face_map::FaceMap;
pub use feature_view::{Boundary, FeatureView};
pub use game_position::{
    Consequence, EditionNotes, GamePosition, Happened, Largest, Setup, SetupFault, Unreadable, begin,
};
pub use moves::{Illegality, Move, Phase, Placement, Refusal, SegmentAt};
pub use names::{Names, cell_from_name, cell_name};
pub use port::{Port, PortSet, Rotation, Side};
pub use ring::Corner;
pub use score::{FigureKind, Item, Player, Reason, Role, Score, StandingFollower, winners};
pub use wall::{Cell, StartSpace, TrackPoint, Wall, WallError};
