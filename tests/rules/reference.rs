//! A slow scorer that works everything out anew from the tiles that lie, by
//! flood fill. It shares only faces and walls with the engine.

use std::collections::{BTreeMap, BTreeSet};

use castellan::rules::{Attribute, Cell, Face, Kind, Port, Side, Wall};

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
            Kind::TOWER => 2,
            Kind::PATH if self.fountain => 2,
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
            found.fountain |= of.attributes.has(Attribute::FOUNTAIN);
            found.markets += u32::from(of.attributes.count(Attribute::MARKET));
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
    /// The wall tiles still on their towers: lower space to number.
    pub lying: BTreeMap<u8, u8>,
    last: Option<Cell>,
}

/// A wall tile taken: by whom, and the lower space of its tower.
pub type Taken = (u8, u8);

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

/// All orders of a few lines.
fn permutations(lines: &[Line]) -> Vec<Vec<Line>> {
    if lines.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..lines.len() {
        let mut rest = lines.to_vec();
        let first = rest.remove(i);
        all.extend(permutations(&rest).into_iter().map(|then| [vec![first], then].concat()));
    }
    all
}

impl<'a> Ledger<'a> {
    pub fn new(wall: &'a Wall, lying: BTreeMap<u8, u8>) -> Ledger<'a> {
        Ledger {
            board: Board { wall, tiles: BTreeMap::new() },
            followers: Vec::new(),
            keeps: [0; 2],
            totals: [0; 2],
            wall_tiles: [Vec::new(), Vec::new()],
            used: Vec::new(),
            lying,
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

    /// The wall tiles that moving the markers in this order brings.
    fn taken_in(&self, order: &[Line]) -> Vec<Taken> {
        let mut totals = self.totals;
        let mut taken: Vec<Taken> = Vec::new();
        for (_, player, _, points) in order {
            let Some(player) = *player else { continue };
            let total = &mut totals[usize::from(player)];
            *total += points;
            let space = *total % 100;
            for (low, high) in &self.board.wall.towers {
                let here = space == u32::from(*low) || space == u32::from(*high);
                if here && self.lying.contains_key(low) && taken.iter().all(|t| t.1 != *low) {
                    taken.push((player, *low));
                }
            }
        }
        taken
    }

    /// Moves the markers in an order that the rules allow: the mover's own first, and
    /// no other one brings the mover more wall tiles, or as many and the opponent
    /// fewer. Gives what was taken.
    ///
    /// # Panics
    /// When it is no such order.
    fn move_markers(&mut self, mover: u8, order: &[Line]) -> Vec<Taken> {
        let group = |line: &Line| match line.1 {
            Some(player) if player == mover => 0,
            Some(_) => 1,
            None => 2,
        };
        assert!(order.is_sorted_by_key(group), "not the mover's own first: {order:?}");
        let worth = |taken: &[Taken]| {
            let own = taken.iter().filter(|t| t.0 == mover).count() as i32;
            (own, own - taken.len() as i32)
        };
        let taken = self.taken_in(order);
        let own: Vec<Line> = order.iter().filter(|l| group(l) == 0).copied().collect();
        let other: Vec<Line> = order.iter().filter(|l| group(l) == 1).copied().collect();
        for first in permutations(&own) {
            for then in permutations(&other) {
                let all: Vec<Line> = first.iter().chain(&then).copied().collect();
                assert!(worth(&self.taken_in(&all)) <= worth(&taken), "{all:?} is better than {order:?}");
            }
        }
        for (player, low) in &taken {
            let number = self.lying.remove(low).unwrap();
            self.wall_tiles[usize::from(*player)].push(number);
        }
        taken
    }

    /// Scores all that is complete, in this order, and sends its followers home. Gives
    /// what was scored, sorted, and the wall tiles taken.
    ///
    /// # Panics
    /// When the rules do not allow the order.
    pub fn end(&mut self, mover: u8, order: &[Line]) -> (Vec<Line>, Vec<Taken>) {
        let lines = self.complete(mover);
        let mut named = order.to_vec();
        named.sort_unstable();
        assert_eq!(named, lines, "other features are scored");
        let taken = self.move_markers(mover, order);
        for (_, player, _, points) in &lines {
            if let Some(player) = player {
                self.totals[usize::from(*player)] += points;
            }
        }
        self.last = None;
        (lines, taken)
    }

    /// What is complete, sorted; its followers go home and keeps move.
    fn complete(&mut self, mover: u8) -> Vec<Line> {
        let mut complete: Vec<(Found, Option<u8>, u32)> = self
            .claimed()
            .into_iter()
            .filter(|f| f.open == 0 && f.kind != Kind::COURT)
            .map(|f| {
                let player = more(self.counts(&f));
                (f, player, 1)
            })
            .collect();
        for number in std::mem::take(&mut self.used) {
            let kind = if number == 2 { Kind::TOWER } else { Kind::HOUSE };
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
                if found.kind == Kind::HOUSE {
                    self.keeps[player] = self.keeps[player].max(tiles);
                }
            }
            self.followers.retain(|s| !found.segments.contains(&(s.1, s.2)));
            lines.push((found.kind, player, tiles, points));
        }
        lines.sort_unstable();
        lines
    }

    /// What the wall tiles of a number bring their holders at the end; sorted.
    pub fn final_wall_tiles(&self, number: u8) -> Vec<(Option<u8>, u32)> {
        let mut lines = Vec::new();
        for player in [0, 1] {
            let copies = self.wall_tiles[usize::from(player)].iter().filter(|n| **n == number).count() as u32;
            if copies == 0 {
                continue;
            }
            // Each feature of the number's kind on which the player has most followers,
            // with what one wall tile is worth on it.
            let kind = [Kind::PATH, Kind::TOWER, Kind::HOUSE, Kind::COURT].get(usize::from(number) - 4);
            let worth = |found: &Found| match number {
                7 => found.markets,
                5 => 2 * found.places.len() as u32,
                _ => found.places.len() as u32,
            };
            let best = self
                .claimed()
                .iter()
                .filter(|f| Some(&f.kind) == kind && more(self.counts(f)) == Some(player))
                .filter(|f| if number == 7 { f.markets > 0 } else { f.open > 0 })
                .map(worth)
                .max();
            let points = match (number, copies) {
                (9, copies) => Some(5 * copies),
                // A market is worth 3; 4 with one wall tile, 8 with both.
                (7, 2) => best.map(|markets| 5 * markets),
                (_, copies) => best.map(|worth| copies * worth),
            };
            lines.extend(points.map(|points| (Some(player), points)));
        }
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
            .filter(|f| f.kind == Kind::COURT)
            .map(|f| (more(self.counts(&f)), 3 * f.markets))
            .map(|(player, points)| if points == 0 { (None, 0) } else { (player, points) })
            .map(|(player, points)| (player, if player.is_some() { points } else { 0 }))
            .collect();
        courts.sort_unstable();
        courts
    }
}
