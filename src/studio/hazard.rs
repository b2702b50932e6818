//! What makes a filmed turn hard to follow.

use serde::{Deserialize, Serialize};

/// What makes a turn hard to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hazard {
    /// The tile and its follower come in one go.
    Together,
    /// The follower comes 12 to 20 seconds after the tile.
    FollowerLater,
    /// Scored followers go home in the next turn.
    HomeLate,
    /// Scored followers stay for three to five turns.
    Forgotten,
    /// A tile of an earlier turn is pushed by up to 4 mm.
    Nudged,
    /// The tile is turned after it was laid.
    Turned,
    /// The tile is lifted and put elsewhere.
    Elsewhere,
    /// Score markers are set straight.
    Straightened,
    /// Tiles are laid out face up beside the board, and taken away again.
    Sorted,
    /// A hand stays over the board before it lays the tile.
    Lingering,
    /// The camera looks away for two turns.
    TwoAtOnce,
    /// Somebody knocks against the camera: up to 5 degrees.
    Bumped,
    /// The camera is set up anew.
    Reaimed,
    /// Black pictures for a turn.
    Gone,
    /// Something lies over the lens for a while.
    CoveredLens,
    /// Another lamp is switched on.
    LightSwitched,
    /// The light is dimmed, and made bright again.
    Dimmed,
    /// The exposure wanders through all of the game.
    Drift,
}

impl Hazard {
    /// All of them.
    pub const ALL: [Hazard; 18] = [
        Hazard::Together,
        Hazard::FollowerLater,
        Hazard::HomeLate,
        Hazard::Forgotten,
        Hazard::Nudged,
        Hazard::Turned,
        Hazard::Elsewhere,
        Hazard::Straightened,
        Hazard::Sorted,
        Hazard::Lingering,
        Hazard::TwoAtOnce,
        Hazard::Bumped,
        Hazard::Reaimed,
        Hazard::Gone,
        Hazard::CoveredLens,
        Hazard::LightSwitched,
        Hazard::Dimmed,
        Hazard::Drift,
    ];

    /// What it is called in tables.
    pub fn words(self) -> &'static str {
        match self {
            Hazard::Together => "tile and follower in one go",
            Hazard::FollowerLater => "follower 12 to 20 s later",
            Hazard::HomeLate => "taken home a turn late",
            Hazard::Forgotten => "forgotten for 3 to 5 turns",
            Hazard::Nudged => "a tile nudged",
            Hazard::Turned => "tile turned after it was laid",
            Hazard::Elsewhere => "tile put elsewhere",
            Hazard::Straightened => "markers straightened",
            Hazard::Sorted => "tiles sorted beside the board",
            Hazard::Lingering => "a hand lingers",
            Hazard::TwoAtOnce => "two turns in one look",
            Hazard::Bumped => "camera bumped",
            Hazard::Reaimed => "camera re-aimed",
            Hazard::Gone => "camera gone",
            Hazard::CoveredLens => "lens covered",
            Hazard::LightSwitched => "light switched",
            Hazard::Dimmed => "light dimmed",
            Hazard::Drift => "exposure drifts",
        }
    }
}
