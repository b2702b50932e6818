//! Sides, rotations and the twelve ports of a tile.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A side of a tile, clockwise from north.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The upper side (towards smaller rows).
    North,
    /// The right side (towards larger columns).
    East,
    /// The lower side.
    South,
    /// The left side.
    West,
}

impl Side {
    /// All sides, clockwise from north.
    pub const ALL: [Side; 4] = [Side::North, Side::East, Side::South, Side::West];

    /// 0 north, 1 east, 2 south, 3 west.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side with this index modulo four.
    pub const fn from_index(index: usize) -> Side {
        Side::ALL[index % 4]
    }

    /// The side across.
    pub const fn opposite(self) -> Side {
        Side::from_index(self.index() + 2)
    }

    /// The side after so many clockwise quarter turns.
    pub const fn turned(self, rotation: Rotation) -> Side {
        Side::from_index(self.index() + rotation.quarters() as usize)
    }

    /// Column and row step towards the neighbour on this side.
    pub const fn step(self) -> (i8, i8) {
        match self {
            Side::North => (0, -1),
            Side::East => (1, 0),
            Side::South => (0, 1),
            Side::West => (-1, 0),
        }
    }

    /// The middle of this side: right and down from the tile's upper left corner, tile
    /// sides.
    pub const fn midpoint(self) -> (f32, f32) {
        match self {
            Side::North => (0.5, 0.0),
            Side::East => (1.0, 0.5),
            Side::South => (0.5, 1.0),
            Side::West => (0.0, 0.5),
        }
    }
}

/// Clockwise quarter turns from a face's enrolled upright: 0 to 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Rotation(u8);

impl Rotation {
    /// All four, upright first.
    pub const ALL: [Rotation; 4] = [Rotation(0), Rotation(1), Rotation(2), Rotation(3)];

    /// So many clockwise quarter turns, modulo four.
    pub const fn new(quarters: u8) -> Rotation {
        Rotation(quarters % 4)
    }

    /// Quarter turns, 0 to 3.
    pub const fn quarters(self) -> u8 {
        self.0
    }

    /// This turn followed by another.
    pub const fn then(self, other: Rotation) -> Rotation {
        Rotation((self.0 + other.0) % 4)
    }

    /// The turn that undoes this one.
    pub const fn inverse(self) -> Rotation {
        Rotation((4 - self.0) % 4)
    }
}

impl TryFrom<u8> for Rotation {
    type Error = String;
    fn try_from(quarters: u8) -> Result<Rotation, String> {
        if quarters < 4 {
            Ok(Rotation(quarters))
        } else {
            Err(format!("rotation must be 0 to 3 quarter turns, not {quarters}"))
        }
    }
}

impl From<Rotation> for u8 {
    fn from(rotation: Rotation) -> u8 {
        rotation.0
    }
}

/// One of the twelve ports of a tile: side × (left half, middle, right half),
/// clockwise from the left half of the north side. Left and right are seen
/// from the tile's centre looking outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct Port(u8);

impl TryFrom<String> for Port {
    type Error = String;
    fn try_from(name: String) -> Result<Port, String> {
        Port::from_name(&name).ok_or_else(|| {
            format!("`{name}` is not a port; write n, e, s, w for a middle or nl, nr, el … for a half")
        })
    }
}

impl From<Port> for &'static str {
    fn from(port: Port) -> &'static str {
        port.name()
    }
}

impl Port {
    /// All twelve, clockwise.
    pub const ALL: [Port; 12] = {
        let mut all = [Port(0); 12];
        let mut i = 0;
        while i < 12 {
            all[i] = Port(i as u8);
            i += 1;
        }
        all
    };

    const NAMES: [&'static str; 12] = ["nl", "n", "nr", "el", "e", "er", "sl", "s", "sr", "wl", "w", "wr"];

    /// The port with this index modulo twelve.
    pub const fn new(index: u8) -> Port {
        Port(index % 12)
    }

    /// 0 to 11, clockwise from the left half of the north side.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The side that the port is on.
    pub const fn side(self) -> Side {
        Side::from_index(self.0 as usize / 3)
    }

    /// The left half of a side.
    pub const fn left(side: Side) -> Port {
        Port(side as u8 * 3)
    }

    /// The middle of a side.
    pub const fn middle(side: Side) -> Port {
        Port(side as u8 * 3 + 1)
    }

    /// The right half of a side.
    pub const fn right(side: Side) -> Port {
        Port(side as u8 * 3 + 2)
    }

    /// Whether this is the middle of a side, where lines such as roads are.
    pub const fn is_middle(self) -> bool {
        self.0 % 3 == 1
    }

    /// The port of the neighbouring tile that touches this one.
    pub const fn facing(self) -> Port {
        let side = self.0 / 3;
        Port((side + 2) % 4 * 3 + (2 - self.0 % 3))
    }

    /// Where the port comes to lie when its tile is turned.
    pub const fn turned(self, rotation: Rotation) -> Port {
        Port((self.0 + 3 * rotation.quarters()) % 12)
    }

    /// The name in face texts: `nl`, `n`, `nr`, `el` … `wr`.
    pub const fn name(self) -> &'static str {
        Port::NAMES[self.0 as usize]
    }

    /// The port with this name.
    pub fn from_name(name: &str) -> Option<Port> {
        Port::NAMES.iter().position(|n| *n == name).map(|i| Port(i as u8))
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of ports, one bit each (bit i is the port with index i).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortSet(u16);

impl PortSet {
    /// No port.
    pub const EMPTY: PortSet = PortSet(0);

    /// The low twelve bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set with these bits; bits above the twelfth are dropped.
    pub const fn from_bits(bits: u16) -> PortSet {
        PortSet(bits & 0xfff)
    }

    /// Both halves of a side.
    pub const fn halves(side: Side) -> PortSet {
        PortSet(0b101 << (side as u16 * 3))
    }

    /// Whether the port is in the set.
    pub const fn contains(self, port: Port) -> bool {
        self.0 >> port.0 & 1 == 1
    }

    /// The set with the port in it.
    #[must_use]
    pub const fn with(self, port: Port) -> PortSet {
        PortSet(self.0 | 1 << port.0)
    }

    /// All that is in either.
    #[must_use]
    pub const fn union(self, other: PortSet) -> PortSet {
        PortSet(self.0 | other.0)
    }

    /// All that is in both.
    #[must_use]
    pub const fn intersection(self, other: PortSet) -> PortSet {
        PortSet(self.0 & other.0)
    }

    /// Whether nothing is in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many ports.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Where the ports come to lie when the tile is turned.
    #[must_use]
    pub const fn turned(self, rotation: Rotation) -> PortSet {
        let by = 3 * rotation.quarters() as u16;
        PortSet((self.0 << by | self.0 >> (12 - by)) & 0xfff)
    }

    /// The ports, clockwise.
    pub fn iter(self) -> impl Iterator<Item = Port> {
        Port::ALL.into_iter().filter(move |p| self.contains(*p))
    }
}

impl FromIterator<Port> for PortSet {
    fn from_iter<T: IntoIterator<Item = Port>>(ports: T) -> PortSet {
        ports.into_iter().fold(PortSet::EMPTY, PortSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facing_is_an_involution_that_keeps_middles() {
        for port in Port::ALL {
            assert_eq!(port.facing().facing(), port);
            assert_eq!(port.facing().side(), port.side().opposite());
            assert_eq!(port.facing().is_middle(), port.is_middle());
        }
        assert_eq!(Port::from_name("nl").unwrap().facing().name(), "sr");
    }

    #[test]
    fn turning_a_set_turns_each_port() {
        for bits in 0..4096 {
            for rotation in Rotation::ALL {
                let set = PortSet::from_bits(bits);
                let each: PortSet = set.iter().map(|p| p.turned(rotation)).collect();
                assert_eq!(set.turned(rotation), each);
            }
        }
    }
}
