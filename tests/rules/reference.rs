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

/// A completed feature as the ledger scores it: kind, who scores, castle tiles
/// and start spaces, points.
pub type Line = (Kind, Option<u8>, u32, u32);

/// A follower: whose, and the segment that it stands on.
type Standing = (u8, Place, usize);

/// A game kept by hand: who has which follower where, points and keeps.
pub struct Ledger<'a> {
    pub board: Board<'a>,
    pub followers: Vec<Standing>,
    /// The house under each player's keep, in tiles.
    pub keeps: [u32; 2],
    pub totals: [u32; 2],
    /// The numbers of the wall tiles in front of each player.
    pub wall_tiles: [Vec<u8>; 2],
    /// The numbers of the wall tiles used in this turn.
    pub used: Vec<u8>,
    last: Option<Cell>,
}

/// The one who has more, if anyone.
fn more<T: PartialOrd>(of: [T; 2]) -> Option<u8> {
    if of[0] > of[1] {
        Some(0)
    } else if of[1] > of[0] {
        Some(1)
    } else {
        None
    }
}

impl<'a> Ledger<'a> {
    pub fn new(wall: &'a Wall) -> Ledger<'a> {
        Ledger {
            board: Board { wall, tiles: BTreeMap::new() },
            followers: Vec::new(),
            keeps: [0; 2],
            totals: [0; 2],
            wall_tiles: [Vec::new(), Vec::new()],
            used: Vec::new(),
            last: None,
        }
    }

    pub fn lay(&mut self, cell: Cell, face: Face) {
        self.board.tiles.insert(cell, face);
        self.last = Some(cell);
    }

    fn counts(&self, found: &Found) -> [usize; 2] {
        [0, 1].map(|player| {
            let on = |s: &&Standing| s.0 == player && found.segments.contains(&(s.1, s.2));
            self.followers.iter().filter(on).count()
        })
    }

    /// The segments of the tile just laid on whose features nobody stands.
    pub fn free_segments(&self, player: u8) -> Vec<u8> {
        let Some(cell) = self.last else { return Vec::new() };
        if self.followers.iter().filter(|s| s.0 == player).count() >= 6 {
            return Vec::new();
        }
        (0..self.board.tiles[&cell].segments().len())
            .filter(|s| self.counts(&self.board.feature(Place::Tile(cell), *s)) == [0, 0])
            .map(|s| s as u8)
            .collect()
    }

    /// All features with followers on them, each once.
    fn claimed(&self) -> Vec<Found> {
        let mut all: Vec<Found> = Vec::new();
        for (_, place, segment) in &self.followers {
            if all.iter().all(|f| !f.segments.contains(&(*place, *segment))) {
                all.push(self.board.feature(*place, *segment));
            }
        }
        all
    }

    /// Scores all that is complete and sends its followers home; sorted.
    pub fn end(&mut self, mover: u8) -> Vec<Line> {
        let mut complete: Vec<(Found, Option<u8>, u32)> = self
            .claimed()
            .into_iter()
            .filter(|f| f.open == 0 && f.kind != Kind::Court)
            .map(|f| {
                let player = more(self.counts(&f));
                (f, player, 1)
            })
            .collect();
        for number in std::mem::take(&mut self.used) {
            let kind = if number == 2 { Kind::Tower } else { Kind::House };
            let best = complete.iter_mut().filter(|c| c.0.kind == kind && c.1 == Some(mover)).fold(
                None,
                |best, c| match best {
                    None => Some(c),
                    Some(b) if c.0.places.len() > b.0.places.len() => Some(c),
                    best => best,
                },
            );
            if let Some(best) = best {
                best.2 += 1;
            }
        }
        let mut lines = Vec::new();
        for (found, player, times) in complete {
            let points = times * found.points();
            let tiles = found.places.len() as u32;
            if let Some(player) = player {
                let player = usize::from(player);
                self.totals[player] += points;
                if found.kind == Kind::House {
                    self.keeps[player] = self.keeps[player].max(tiles);
                }
            }
            self.followers.retain(|s| !found.segments.contains(&(s.1, s.2)));
            lines.push((found.kind, player, tiles, points));
        }
        lines.sort_unstable();
        self.last = None;
        lines
    }

    /// Who scores the largest empty area, and for how much; `None` without keeps.
    pub fn final_keep(&self) -> Option<(Option<u8>, u32)> {
        let sizes = [0, 1].map(|p: usize| {
            let eights = self.wall_tiles[p].iter().filter(|n| **n == 8).count() as u32;
            if self.keeps[p] == 0 { 0 } else { self.keeps[p] + 2 * eights }
        });
        if sizes == [0, 0] {
            return None;
        }
        let player = more(sizes);
        Some((player, if player.is_some() { self.largest_empty_area() } else { 0 }))
    }

    /// Cells of the largest empty area; of those equally large, the one with most
    /// start spaces, which count too.
    fn largest_empty_area(&self) -> u32 {
        let mut left: BTreeSet<Cell> =
            self.board.wall.cells().into_iter().filter(|c| !self.board.tiles.contains_key(c)).collect();
        let mut best = (0, 0);
        while let Some(first) = left.pop_first() {
            let mut todo = vec![first];
            let (mut cells, mut starts) = (0, 0);
            while let Some(cell) = todo.pop() {
                cells += 1;
                starts += self.board.wall.starts.iter().filter(|s| s.cell == cell).count() as u32;
                for side in Side::ALL {
                    if left.remove(&cell.neighbour(side)) {
                        todo.push(cell.neighbour(side));
                    }
                }
            }
            best = best.max((cells, starts));
        }
        best.0 + best.1
    }

    /// The courts with merchants: who scores, and how much; sorted.
    pub fn final_courts(&self) -> Vec<(Option<u8>, u32)> {
        let mut courts: Vec<(Option<u8>, u32)> = self
            .claimed()
            .into_iter()
            .filter(|f| f.kind == Kind::Court)
            .map(|f| (more(self.counts(&f)), 3 * f.markets))
            .map(|(player, points)| if points == 0 { (None, 0) } else { (player, points) })
            .map(|(player, points)| (player, if player.is_some() { points } else { 0 }))
            .collect();
        courts.sort_unstable();
        courts
    }
}
