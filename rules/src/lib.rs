#![doc = include_str!("../README.md")]

mod attributes;
pub mod book;
mod bounds;
pub mod castle;
mod cell;
pub mod classic;
mod deck;
mod deck_text;
mod face;
mod face_map;
mod feature_view;
pub mod features;
mod figure;
mod game_position;
mod games;
mod holding;
mod kind;
mod moves;
mod names;
pub mod plain;
mod port;
mod role;
mod score;
mod sentence;
mod table_rules;
mod token;
mod vocabulary;
pub mod words;

pub use attributes::{Attribute, Attributes};
pub use bounds::{MOST_TEXT, is_name, quoted};
pub use castle::{Corner, StartSpace, TrackPoint, Wall, WallError};
pub use cell::Cell;
pub use deck::{Deck, DeckError, Tile};
pub use face::{Face, FaceError, Segment};
pub use face_map::FaceMap;
pub use feature_view::{Boundary, FeatureView};
pub use figure::FigureKind;
pub use game_position::{
    Consequence, EditionNotes, GamePosition, Happened, Largest, Setup, SetupFault, Unreadable,
};
pub use games::{Game, begin, table_rules, with_table_rule};
pub use holding::{Holding, NamedPlace};
pub use kind::Kind;
pub use moves::{Illegality, Move, Phase, Placement, Refusal, SegmentAt};
pub use names::{Names, cell_from_name, cell_name, column_name, row_name};
pub use port::{Port, PortSet, Rotation, Side};
pub use role::Role;
pub use score::{Item, Player, Reason, Score, StandingFollower, winners};
pub use sentence::{Sentence, Term};
pub use table_rules::TableRule;
pub use token::Token;
