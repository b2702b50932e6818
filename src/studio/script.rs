//! What happens in a film: everything that lies, moves and disturbs, each with its time.

use serde::{Deserialize, Serialize};

use super::hazard::Hazard;
use super::pieces::PieceKind;
use super::suite::Entry;
use crate::record::EventKind;
use crate::rules::{Cell, Rotation};

/// A game as it is filmed. Times are seconds since the film began, lengths tile sides,
/// angles degrees clockwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// What it was written from: the seeds of all that is seen in it.
    pub entry: Entry,
    /// Frames a second.
    pub rate: f64,
    /// How long the film is.
    pub seconds: f64,
    /// The cells that the camera shows where there is no wall.
    pub room: Vec<Cell>,
    /// What changes on the table, in order of time.
    pub acts: Vec<Act>,
    /// Hands over the table, in order of time; never two at once.
    pub hands: Vec<HandPass>,
    /// What happens to camera and light.
    pub spells: Vec<Spell>,
    /// What no camera can see and the players say.
    pub said: Vec<Said>,
    /// The turns, the first at 0.
    pub turns: Vec<TurnTimes>,
    /// When the table begins to be cleared; the end of the film where it is not.
    pub packed_up: f64,
}

/// A change on the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Act {
    /// When the hand lets go.
    pub t: f64,
    /// What is different from then on.
    pub change: Change,
}

/// What changes on the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A tile comes to lie in a cell, or lies otherwise there.
    Tile {
        /// Where.
        cell: Cell,
        /// Which.
        tile: String,
        /// How it is turned.
        rotation: Rotation,
        /// How far off the middle of the cell it lies.
        shift: (f32, f32),
        /// How crooked it lies.
        turn: f32,
    },
    /// The tile of a cell is gone.
    NoTile(Cell),
    /// A figure comes to stand.
    Figure(Placed),
    /// A player's figure of a cell is gone.
    NoFigure {
        /// Whose.
        player: u8,
        /// From where.
        cell: Cell,
        /// What it is.
        figure: PieceKind,
        /// Where in the cell it stood: one player's figures may stand beside one another.
        #[serde(default)]
        place: (f32, f32),
    },
    /// A score marker stands on a total, a little off the middle of its space.
    Marker {
        /// Whose.
        player: u8,
        /// The total.
        total: u32,
        /// Off the middle.
        shift: (f32, f32),
        /// Which way it faces.
        turn: f32,
    },
    /// What lay on a tower is taken: its lower track space.
    NoWallTile(u8),
    /// A tile lies face up beside the board.
    Beside {
        /// Which.
        tile: String,
        /// Its middle.
        place: (f32, f32),
        /// How it is turned.
        turn: f32,
    },
    /// A tile lies beside the board no more.
    NotBeside(String),
}

/// A figure on a tile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// What it is.
    pub figure: PieceKind,
    /// Whose; of the figure that is nobody's the number of players.
    pub player: u8,
    /// On which cell.
    pub cell: Cell,
    /// On which segment of the tile's face.
    pub segment: Option<u8>,
    /// Its foot in the cell as seen, 0 to 1.
    pub place: (f32, f32),
    /// Whether it lies.
    pub lying: bool,
    /// Which way it faces.
    pub turn: f32,
}

/// A hand that comes, does something and goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandPass {
    /// Whose hand.
    pub player: u8,
    /// The direction that it comes from: 0 south, 90 east.
    pub from: f32,
    /// Where the finger tips are and when; before the first and after the last the hand is
    /// out of sight.
    pub path: Vec<Waypoint>,
    /// What it holds, and when.
    pub holds: Vec<Hold>,
}

/// A time in which a hand holds something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hold {
    /// From when.
    pub from: f64,
    /// Until when.
    pub to: f64,
    /// What.
    pub what: Held,
}

/// Where a hand's finger tips are at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waypoint {
    /// When.
    pub t: f64,
    /// Over which place.
    pub tip: (f32, f32),
    /// How high above the table.
    pub height: f32,
}

/// What a hand holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// A tile, turned by so many degrees.
    Tile(String, f32),
    /// A follower of a player.
    Follower(u8),
}

/// A time in which camera or light are otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spell {
    /// From when.
    pub from: f64,
    /// Until when; what lasts ends after the film.
    pub to: f64,
    /// What is otherwise.
    pub what: Trouble,
}

/// What happens to camera and light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// The camera is turned about the board, moved and rolled; it takes the first `during`
    /// seconds.
    Moved {
        /// About the board.
        azimuth: f32,
        /// Where it looks.
        target: (f32, f32),
        /// About its axis.
        roll: f32,
        /// How much farther away it is, 1 as far.
        distance: f32,
        /// Seconds.
        during: f64,
    },
    /// The camera looks past the board, in a direction.
    Away(f32),
    /// The camera gives black pictures.
    Black,
    /// Something lies over the lens.
    Covered,
    /// Another lamp: where it hangs, its colour (kelvin), the room's share of the light.
    Lamp {
        /// Where.
        place: (f32, f32, f32),
        /// Kelvin.
        kelvin: f32,
        /// 0 to 1.
        ambient: f32,
    },
    /// Less light: stops darker, and the noise that many times as strong.
    Dim {
        /// Stops.
        stops: f32,
        /// Times.
        noise: f32,
    },
    /// The exposure wanders by so many stops to either side, once in `period` seconds.
    Drift {
        /// Stops.
        stops: f32,
        /// Seconds.
        period: f64,
    },
}

impl Trouble {
    /// Whether the board can't be seen meanwhile.
    pub fn blinds(&self) -> bool {
        matches!(self, Trouble::Away(_) | Trouble::Black | Trouble::Covered)
    }
}

/// A fact that the players enter, since no camera can see it: a wall tile used, an order
/// of scoring, a tile that fits nowhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// When.
    pub t: f64,
    /// What.
    pub fact: EventKind,
}

/// When what happens in a turn can be seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnTimes {
    /// What is unusual about it.
    pub hazards: Vec<Hazard>,
    /// When its tile lies as it stays, in full view.
    pub tile: Option<f64>,
    /// When its follower stands, in full view.
    pub follower: Option<f64>,
    /// When what it scored can be known: scored followers are gone or the next tile lies.
    pub over: f64,
}

impl HandPass {
    /// When the hand first and last is in sight.
    pub fn span(&self) -> (f64, f64) {
        let t = |w: Option<&Waypoint>| w.map_or(0.0, |w| w.t);
        (t(self.path.first()), t(self.path.last()))
    }

    /// Where the finger tips are at a time and how fast they move, tile sides a second.
    pub fn at(&self, t: f64) -> Option<(Waypoint, (f32, f32))> {
        let place = |t: f64| {
            let next = self.path.iter().position(|w| w.t > t)?;
            let (a, b) = (self.path.get(next.checked_sub(1)?)?, &self.path[next]);
            let s = ((t - a.t) / (b.t - a.t)) as f32;
            let s = s * s * (3.0 - 2.0 * s);
            let mix = |a: f32, b: f32| a + (b - a) * s;
            Some(Waypoint {
                t,
                tip: (mix(a.tip.0, b.tip.0), mix(a.tip.1, b.tip.1)),
                height: mix(a.height, b.height),
            })
        };
        const BIT: f64 = 0.01;
        let here = place(t)?;
        let other = place(t + BIT).map(|w| (w, 1.0)).or_else(|| place(t - BIT).map(|w| (w, -1.0)));
        let (other, sign) = other.unwrap_or((here, 1.0));
        let speed = |a: f32, b: f32| sign * (b - a) / BIT as f32;
        Some((here, (speed(here.tip.0, other.tip.0), speed(here.tip.1, other.tip.1))))
    }
}

impl Script {
    /// How many frames the film has.
    pub fn frames(&self) -> usize {
        (self.seconds * self.rate).ceil() as usize
    }

    /// The hand over the table at a time.
    pub fn hand(&self, t: f64) -> Option<&HandPass> {
        self.hands.iter().find(|h| {
            let (from, to) = h.span();
            from <= t && t < to
        })
    }

    /// What happens to camera and light at a time.
    pub fn troubles(&self, t: f64) -> impl Iterator<Item = &Spell> + '_ {
        self.spells.iter().filter(move |s| s.from <= t && t < s.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_starts_and_stops_softly_and_is_out_of_sight_before_and_after() {
        let way = |t, x| Waypoint { t, tip: (x, 0.0), height: 1.0 };
        let path = vec![way(1.0, 0.0), way(2.0, 10.0), way(3.0, 10.0)];
        let pass = HandPass { player: 0, from: 0.0, path, holds: Vec::new() };
        assert!(pass.at(0.9).is_none() && pass.at(3.0).is_none());
        let (middle, speed) = pass.at(1.5).unwrap();
        assert!((middle.tip.0 - 5.0).abs() < 1e-3 && (speed.0 - 15.0).abs() < 0.2, "{middle:?} {speed:?}");
        let (rest, speed) = pass.at(2.5).unwrap();
        assert_eq!((rest.tip.0, speed.0), (10.0, 0.0));
    }
}
