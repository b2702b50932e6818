//! What is printed on a tile: segments on twelve ports, and their text form.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::attributes::{Attribute, Attributes};
use super::bounds::quoted;
use super::kind::Kind;
use super::port::{Port, PortSet, Rotation, Side};
use super::words::{either, listed};

/// A part of a face: a kind, the ports it reaches, and what is printed on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment {
    /// What it is.
    pub kind: Kind,
    /// The ports it reaches; none for what lies within its tile, such as a cloister.
    pub ports: PortSet,
    /// What is printed on it.
    pub attributes: Attributes,
}

/// What is printed on a tile, upright: its segments. No two hold the same port.
///
/// The text form is one segment after another, separated by `; `, each a kind,
/// its ports joined by `-`, and its attributes after `+`:
/// `city n-e +pennant; road s-w; field er-sl; field sr-wl`.
/// For kinds that hold halves, such as fields, the name of a side stands for both of its
/// halves; for lines, such as roads, it is the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Face {
    segments: Vec<Segment>,
}

/// Why a text or a list of segments is not a face.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FaceError {
    /// A segment begins with a word that is no kind.
    #[error("`{0}` is not a kind of segment; write {kinds}", kinds = either(&Kind::ALL.map(Kind::name)))]
    Kind(String),
    /// A port name is unknown.
    #[error("`{0}` is not a port; write n, e, s, w for a whole side or nl, nr, el … for a half")]
    Port(String),
    /// An attribute is unknown.
    #[error("`{0}` is not an attribute; write {words}", words = either(&Attribute::ALL.map(Attribute::name)))]
    Attribute(String),
    /// A half where a line, such as a road, needs a middle, or the other way round.
    #[error("a {0} cannot hold port `{1}`; {lines} hold the middles of sides, all else the halves", lines = lines())]
    Place(Kind, Port),
    /// Two segments hold one port.
    #[error("port `{0}` is held twice; give each port to one segment")]
    Twice(Port),
    /// No segment at all.
    #[error("a face needs at least one segment")]
    Empty,
    /// More segments than a tile has room for.
    #[error("a face has at most {max} segments, not {0}", max = Face::MOST_SEGMENTS)]
    Segments(usize),
}

/// The kinds that hold middles of sides, in the plural: `paths, roads and rivers`.
fn lines() -> String {
    let lines = Kind::ALL.into_iter().filter(|kind| kind.is_line());
    listed(&lines.map(|kind| format!("{kind}s")).collect::<Vec<_>>())
}

impl Face {
    /// The most segments that a face may have: one a port, and some that hold none.
    pub const MOST_SEGMENTS: usize = 32;

    /// A face of these segments.
    ///
    /// # Errors
    /// [`FaceError::Place`], [`FaceError::Twice`], [`FaceError::Empty`] or
    /// [`FaceError::Segments`].
    pub fn new(segments: Vec<Segment>) -> Result<Face, FaceError> {
        if segments.is_empty() {
            return Err(FaceError::Empty);
        }
        if segments.len() > Face::MOST_SEGMENTS {
            return Err(FaceError::Segments(segments.len()));
        }
        let mut held = PortSet::EMPTY;
        for segment in &segments {
            for port in segment.ports.iter() {
                if port.is_middle() != segment.kind.is_line() || !segment.kind.holds_ports() {
                    return Err(FaceError::Place(segment.kind, port));
                }
                if held.contains(port) {
                    return Err(FaceError::Twice(port));
                }
                held = held.with(port);
            }
        }
        Ok(Face { segments })
    }

    /// The segments, in the order of the text.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The index of the segment that holds a port.
    pub fn at(&self, port: Port) -> Option<usize> {
        self.segments.iter().position(|s| s.ports.contains(port))
    }

    /// The face as it lies after so many quarter turns; segments keep their index.
    #[must_use]
    pub fn turned(&self, rotation: Rotation) -> Face {
        let mut turned = self.clone();
        for segment in &mut turned.segments {
            segment.ports = segment.ports.turned(rotation);
        }
        turned
    }

    /// The face with its segments in an order that does not depend on how they
    /// were written: faces that show the same are then equal.
    #[must_use]
    pub fn ordered(mut self) -> Face {
        self.segments.sort_unstable();
        self
    }
}

impl FromStr for Face {
    type Err = FaceError;

    fn from_str(text: &str) -> Result<Face, FaceError> {
        let mut segments = Vec::new();
        for part in text.split([';', '\n']).map(str::trim).filter(|p| !p.is_empty()) {
            let mut pieces = part.split('+').map(str::trim);
            let mut words = pieces.next().unwrap_or_default().split_whitespace();
            let word = words.next().unwrap_or_default();
            let kind = Kind::named(word).ok_or_else(|| FaceError::Kind(quoted(word)))?;
            let mut ports = PortSet::EMPTY;
            for name in words.flat_map(|w| w.split('-')) {
                let port = Port::from_name(name).ok_or_else(|| FaceError::Port(quoted(name)))?;
                let add = if port.is_middle() && !kind.is_line() {
                    PortSet::halves(port.side())
                } else {
                    PortSet::EMPTY.with(port)
                };
                if let Some(twice) = add.intersection(ports).iter().next() {
                    return Err(FaceError::Twice(twice));
                }
                ports = ports.union(add);
            }
            let mut attributes = Attributes::NONE;
            for name in pieces {
                let attribute = Attribute::named(name).ok_or_else(|| FaceError::Attribute(quoted(name)))?;
                let count = attributes.count(attribute).saturating_add(1);
                attributes = attributes.with(attribute, count);
            }
            segments.push(Segment { kind, ports, attributes });
        }
        Face::new(segments)
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.segments.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            f.write_str(segment.kind.name())?;
            let mut separator = ' ';
            for side in Side::ALL {
                let halves = PortSet::halves(side);
                let whole = segment.ports.intersection(halves) == halves;
                for port in [Port::left(side), Port::middle(side), Port::right(side)] {
                    let named = if whole { port.is_middle() } else { segment.ports.contains(port) };
                    if named {
                        write!(f, "{separator}{port}")?;
                        separator = '-';
                    }
                }
            }
            for (attribute, count) in segment.attributes.iter() {
                for _ in 0..count {
                    write!(f, " +{}", attribute.name())?;
                }
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Face {
    type Error = FaceError;
    fn try_from(text: String) -> Result<Face, FaceError> {
        text.parse()
    }
}

impl From<Face> for String {
    fn from(face: Face) -> String {
        face.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in [
            "tower n-el-wr; path e-s +fountain; court er-sl +market; court sr-wl",
            "path n +square; path e +square; path s +square; house nr-el; court nl-sr-w; court er-sl +market +market",
            "city n-e +pennant; field s-w",
            "cloister; field n-e-s-w",
        ] {
            let face: Face = text.parse().unwrap();
            assert_eq!(face.to_string(), text);
            assert_eq!(face.turned(Rotation::new(1)).turned(Rotation::new(3)), face);
        }
    }

    #[test]
    fn errors_say_what_to_write() {
        let error = |t: &str| t.parse::<Face>().unwrap_err().to_string();
        assert_eq!(
            error("wall n"),
            "`wall` is not a kind of segment; write path, house, tower, court, road, city, field, river, cloister, carcassonne, castle, market, blacksmith or cathedral"
        );
        assert_eq!(
            error("city n +flag"),
            "`flag` is not an attribute; write market, fountain, square, pennant, city, spring, inn, cathedral, cloth, grain, wine or besieged"
        );
        assert!(error("path q").starts_with("`q` is not a port"));
        assert_eq!(
            error("path nl"),
            "a path cannot hold port `nl`; paths, roads and rivers hold the middles of sides, all else the halves"
        );
        assert!(error("house n; tower nl").starts_with("port `nl` is held twice"));
        assert!(error("").starts_with("a face needs"));
    }
}
