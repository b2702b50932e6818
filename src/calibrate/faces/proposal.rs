//! What is proposed for a tile, and what is in doubt of it.

use std::fmt;

use crate::rules::{Face, Kind, Port, PortSet, Side};

/// Below this a part of a proposal is worth a look.
pub(super) const SURE: f32 = 0.95;

/// What is proposed for a tile. A person should look at what is in doubt before
/// a game is scored by it.
#[derive(Clone, Debug)]
pub struct FaceProposal {
    /// The likeliest face.
    pub face: Face,
    /// The parts of it that are unsure, the most unsure first.
    pub doubts: Vec<Doubt>,
    /// How likely the whole face is right, 0 to 1.
    pub confidence: f32,
}

/// A part of a proposed face that is unsure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// What is unsure.
    pub matter: Matter,
    /// How likely the proposal is right there, 0 to 1.
    pub sure: f32,
}

/// What a doubt is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// The kind at a half of a side: what is proposed, and the next likely.
    Kind(Port, Kind, Kind),
    /// Whether a path or road leaves by a side; what is proposed.
    Line(Side, bool),
    /// Whether two ports are of one segment; what is proposed.
    Joined(Port, Port, bool),
    /// Whether something is printed on the segment of a port (`market`,
    /// `fountain`, `square`, `pennant`); what is proposed.
    Mark(Port, &'static str, bool),
    /// Whether there is a cloister; what is proposed.
    Cloister(bool),
}

impl Doubt {
    /// The ports to look at; none for a cloister.
    pub fn ports(&self) -> PortSet {
        match self.matter {
            Matter::Kind(port, ..) | Matter::Mark(port, ..) => PortSet::EMPTY.with(port),
            Matter::Line(side, _) => PortSet::EMPTY.with(Port::middle(side)),
            Matter::Joined(a, b, _) => PortSet::EMPTY.with(a).with(b),
            Matter::Cloister(_) => PortSet::EMPTY,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.matter {
            Matter::Kind(port, kind, other) => write!(f, "{port} is {kind} or {other}")?,
            Matter::Line(side, is) => {
                write!(
                    f,
                    "{} {} path or road",
                    Port::middle(side),
                    if is { "may have no" } else { "may have a" }
                )?;
            }
            Matter::Joined(a, b, is) => {
                write!(f, "{a} and {b} {}", if is { "may be apart" } else { "may be one" })?;
            }
            Matter::Mark(port, name, is) => {
                let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                write!(f, "{port} may have {} {name}", if is { "no" } else { article })?;
            }
            Matter::Cloister(is) => write!(f, "there may be {} cloister", if is { "no" } else { "a" })?,
        }
        write!(f, " ({:.0} % sure)", 100.0 * self.sure)
    }
}
