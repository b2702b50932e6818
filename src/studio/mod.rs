//! Draws tiles, walls and whole tables, with the truth beside them.

mod arrangement;
mod body;
mod brush;
mod camera;
mod darkroom;
mod digits;
mod enrolment;
mod film;
mod finish;
mod hazard;
mod heeded;
mod layout;
mod lighting;
mod loose;
mod moments;
mod noise;
mod paint;
mod photograph;
mod pieces;
mod plate;
mod props;
mod random_scene;
mod scene;
mod screenplay;
mod script;
mod sensor;
mod set_up;
mod sets;
mod shadow;
mod shapes;
mod signs;
mod space;
mod stage;
mod style;
mod suite;
mod surface;
mod taken;
mod texture;
mod tile;
mod token;
mod truth;
mod wall_art;
mod wall_tile;

pub use arrangement::{PrintedSet, random_position};
pub use camera::Camera;
pub use enrolment::{scan, survey_picture};
pub use film::{Film, FilmFrame, House, Projector};
pub use hazard::Hazard;
pub use loose::loose_scene;
pub use moments::{Moment, moments};
pub use photograph::photograph;
pub use pieces::{FollowerMake, KeepMake, PieceKind, Pieces};
pub use random_scene::{Board, Mood, random_hand};
pub use scene::{
    Hand, HeldThing, LaidTile, Light, LooseTile, Marker, Prop, Scene, Sensor, StandingFigure, StandingWall,
    Surface, Table, TakenTile,
};
pub use script::{
    Act, Change, HandPass, Held, Hold, Placed, Said, Script, Spell, Trouble, TurnTimes, Waypoint,
};
pub use set_up::{random_set_up, set_up};
pub use sets::{random_deck, random_wall};
pub use style::Style;
pub use suite::{Conditions, Entry, Games, SUITE_SEEDS, castle_entry, classic_entry, module_entry, suite};
pub use taken::{coin, lay_beside};
pub use tile::draw_tile;
pub use token::draw_token;
pub use truth::{CellTruth, FigureTruth, MarkerTruth, Pixel, TileTruth, Truth, TruthError, WallTruth};
pub use wall_art::{WallJoints, WallPicture, draw_wall, wall_joints};
pub use wall_tile::draw_wall_tile;
