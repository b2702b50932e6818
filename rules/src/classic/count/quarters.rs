//! The City of Carcassonne as it lies, and who is in its quarters.

use super::super::board::Place;
use super::super::position::Position;
use crate::features::Node;
use crate::{Cell, Kind, Player, SegmentAt};

/// The tiles of the city round the one at the origin, which holds the quarters (CO-01).
pub(super) const BLOCK: [(&str, Cell); 11] = [
    ("CO1", Cell::new(-2, -1)),
    ("CO2", Cell::new(-1, -1)),
    ("CO3", Cell::new(0, -1)),
    ("CO4", Cell::new(1, -1)),
    ("CO5", Cell::new(-2, 0)),
    ("CO6", Cell::new(-1, 0)),
    ("CO8", Cell::new(1, 0)),
    ("CO9", Cell::new(-2, 1)),
    ("CO10", Cell::new(-1, 1)),
    ("CO11", Cell::new(0, 1)),
    ("CO12", Cell::new(1, 1)),
];

/// A quarter of the city, and the features to which its followers may go (CO-13).
pub(super) struct Quarter {
    pub kind: Kind,
    pub for_kind: Kind,
    /// Its middle, in tile sides from the upper left corner of the tile at the origin.
    pub middle: (f32, f32),
}

/// The quarters, clockwise from the castle, where the count begins (CO-03).
pub(super) const QUARTERS: [Quarter; 4] = [
    Quarter { kind: Kind::CASTLE, for_kind: Kind::CITY, middle: (-0.8, 0.0) },
    Quarter { kind: Kind::MARKET, for_kind: Kind::FIELD, middle: (0.8, 0.0) },
    Quarter { kind: Kind::BLACKSMITH, for_kind: Kind::ROAD, middle: (0.8, 1.0) },
    Quarter { kind: Kind::CATHEDRAL, for_kind: Kind::CLOISTER, middle: (-0.8, 1.0) },
];

impl Position {
    /// Where a quarter is, by its number.
    pub(super) fn quarter_at(&self, quarter: usize) -> Option<SegmentAt> {
        let kind = QUARTERS.get(quarter)?.kind;
        let start = self.laid.first()?;
        let segments = &self.board.faces[start.tile as usize].segments;
        let segment = segments.iter().position(|s| s.kind == kind)? as u8;
        Some(SegmentAt { cell: self.cell_of(0), segment })
    }

    /// The number of the quarter that a segment is.
    pub(super) fn quarter_of(&self, at: SegmentAt) -> Option<usize> {
        let kind = self.kind_at(at)?;
        QUARTERS.iter().position(|q| q.kind == kind)
    }

    /// How many of a player's followers are in the city.
    pub(super) fn citizens_of(&self, player: Player) -> u32 {
        let theirs = self.standing().iter().filter(|s| s.player == player);
        theirs.filter(|s| self.quarter_of(self.at(s)).is_some()).count() as u32
    }

    /// Whether a field lies against the city: a part of it is on one of the city's tiles.
    pub(super) fn touches_carcassonne(&self, field: Node) -> bool {
        self.features.of(field).places.iter().take_while(|p| *p <= BLOCK.len()).any(|place| {
            let face = &self.board.faces[self.laid[place].tile as usize];
            face.segments.iter().any(|s| s.kind == Kind::CARCASSONNE)
                && self.nodes(place as Place).any(|node| self.features.root(node) == field)
        })
    }
}
