//! A slow scorer that works everything out anew from the tiles that lie, by
//! flood fill. It shares only faces and walls with the engine.

use std::collections::{BTreeMap, BTreeSet};

use castellan::rules::{Cell, Face, Kind, Port, Side, Wall};

/// A place on the board: a cell, or the start space on a side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Tile(Cell),
    Start(Cell, u8),
}

/// Tiles as they lie: faces already turned.
pub struct Board<'a> {
    pub wall: &'a Wall,
    pub tiles: BTreeMap<Cell, Face>,
}

/// A feature found by flood fill.
pub struct Found {
    pub kind: Kind,
    pub open: usize,
    pub places: BTreeSet<Place>,
    pub segments: BTreeSet<(Place, usize)>,
    pub fountain: bool,
    pub markets: u32,
}

impl Found {
    pub fn points(&self) -> u32 {
        let each = match self.kind {
            Kind::Tower => 2,
            Kind::Path if self.fountain => 2,
            _ => 1,
        };
        self.places.len() as u32 * each
    }
}

impl Board<'_> {
    fn face(&self, place: Place) -> Option<&Face> {
        match place {
            Place::Tile(cell) => self.tiles.get(&cell),
            Place::Start(cell, side) => {
                let start =
                    self.wall.starts.iter().find(|s| s.cell == cell && s.side.index() == side as usize)?;
                Some(&start.face)
            }
        }
    }

    /// What lies beyond a port: a place, an empty cell (`Err(true)`) or wall
    /// (`Err(false)`).
    fn beyond(&self, place: Place, port: Port) -> Result<Place, bool> {
        match place {
            Place::Start(cell, side) => {
                if port.side().opposite().index() != side as usize {
                    return Err(false);
                }
                if self.tiles.contains_key(&cell) { Ok(Place::Tile(cell)) } else { Err(true) }
            }
            Place::Tile(cell) => {
                let side = port.side();
                let next = cell.neighbour(side);
                if self.wall.contains(next) {
                    return if self.tiles.contains_key(&next) { Ok(Place::Tile(next)) } else { Err(true) };
                }
                let start = Place::Start(cell, side.index() as u8);
                if self.face(start).is_some() { Ok(start) } else { Err(false) }
            }
        }
    }

    /// The feature of a segment.
    pub fn feature(&self, place: Place, segment: usize) -> Found {
        let kind = self.face(place).unwrap().segments()[segment].kind;
        let mut found = Found {
            kind,
            open: 0,
            places: BTreeSet::new(),
            segments: BTreeSet::new(),
            fountain: false,
            markets: 0,
        };
        let mut todo = vec![(place, segment)];
        while let Some((place, segment)) = todo.pop() {
            if !found.segments.insert((place, segment)) {
                continue;
            }
            found.places.insert(place);
            let of = &self.face(place).unwrap().segments()[segment];
            found.fountain |= of.attributes.fountain;
            found.markets += u32::from(of.attributes.markets);
            for port in of.ports.iter() {
                match self.beyond(place, port) {
                    Err(true) => found.open += 1,
                    Err(false) => {}
                    Ok(next) => {
                        let face = self.face(next).unwrap();
                        if let Some(other) =
                            face.at(port.facing()).filter(|s| face.segments()[*s].kind == kind)
                        {
                            todo.push((next, other));
                        }
                    }
                }
            }
        }
        found
    }

    /// Whether a turned face may be laid in a cell.
    pub fn may_lie(&self, cell: Cell, face: &Face) -> bool {
        if !self.wall.contains(cell) || self.tiles.contains_key(&cell) {
            return false;
        }
        let mut touches = false;
        for side in Side::ALL {
            let next = cell.neighbour(side);
            let other = if self.wall.contains(next) {
                self.tiles.get(&next)
            } else {
                self.face(Place::Start(cell, side.index() as u8))
            };
            let Some(other) = other else { continue };
            touches = true;
            let port = Port::middle(side);
            if face.at(port).is_some() != other.at(port.facing()).is_some() {
                return false;
            }
        }
        touches
    }
}
