//! A table that plays a record: observations as a camera would give them,
//! perfect or with noise, for rehearsals and tests.

use std::collections::BTreeMap;

use super::standing::as_it_lies;
use crate::observation::{
    Alternative, CellReading, CellState, Figure, FigureReading, MarkerReading, Observation,
};
use crate::record::{EventKind, Game, Source};
use crate::rules::{
    Cell, Deck, Face, FaceMap, FigureKind, NamedPlace, Player, Port, Rotation, SegmentAt, Side,
};

/// How unlike the truth the readings are: each a chance a reading, where nothing else is
/// said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// A tile reads as another, the true one second.
    pub misread: f64,
    /// A tile cannot be named.
    pub unknown: f64,
    /// A cell is covered though no hand is there.
    pub covered: f64,
    /// A follower is not seen.
    pub missing: f64,
    /// How far a follower is read from where it stands, at most, in tile sides.
    pub shift: f32,
    /// Before a turn the camera is taken to any side of the table; only of a table
    /// without a wall.
    pub moved: f64,
    /// A chance a tile: it always reads as another, most often as one that looks alike, the
    /// true one second.
    pub mistaken: f64,
    /// A chance a follower: it is always read nearer to another segment of its tile.
    pub biased: f64,
    /// How far a biased follower is read on the way to the other segment's anchor, 0 to 1.
    pub bias: f32,
    /// A chance a follower: it is always read as the next player's.
    pub miscoloured: f64,
    /// A chance a follower: it is not seen at first.
    pub unseen: f64,
    /// For how many seconds an unseen follower is not seen, at most.
    pub unseen_for: f64,
    /// How far the size of a figure is read from what it is: the most of its logarithm, half of
    /// it the same in all readings of a figure. With 0 no size is read.
    pub size: f32,
    /// Whether the figure that is nobody's is never seen.
    pub neutral_unseen: bool,
    /// A figure is seen on a tile where none is, in this reading only.
    pub flicker: f64,
    /// A chance a turn: a figure is seen from then on, on a tile where none is.
    pub phantom: f64,
}

/// How the table's time goes, and what the players do beside their turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tempo {
    /// Seconds between observations.
    pub step: f64,
    /// Seconds for which a hand covers the cells where it does something.
    pub hand: f64,
    /// Seconds of calm after the hand has gone.
    pub calm: f64,
    /// Seconds of calm after a tile that completes something, in which the
    /// scored followers still stand.
    pub scoring: f64,
    /// A chance a turn: a sleeve lies over several cells down to the board's edge for up to
    /// 4 seconds, in the turn and with every hand of it.
    pub sleeve: f64,
    /// A chance a turn with a follower: it comes in one go with its tile.
    pub at_once: f64,
    /// A chance a follower: it comes up to [`Tempo::late_for`] seconds after its tile.
    pub late: f64,
    /// See [`Tempo::late`].
    pub late_for: f64,
    /// A chance a turn: the tile first lies elsewhere or turned otherwise for up to 3
    /// seconds, and is lifted.
    pub fidget: f64,
    /// A chance a scored follower: it is forgotten on the board.
    pub forgotten: f64,
    /// A chance a scored follower: it is taken home one to four turns late.
    pub late_home: f64,
    /// A chance a turn: it is played in the same look as the next.
    pub two_turns: f64,
    /// For how many turns in the middle of the game nothing is seen.
    pub away: usize,
    /// A chance a turn: up to three loose tiles lie on cells apart from the others while it
    /// goes on.
    pub beside: f64,
    /// Whether the tiles are taken off the table after the end.
    pub packing: bool,
    /// Whether the players move their markers on the score track after each turn, in games
    /// that have one.
    pub markers: bool,
}

impl Tempo {
    /// An unhurried game before a camera that is read five times a second.
    pub fn live() -> Tempo {
        Tempo { step: 0.2, hand: 0.6, calm: 1.0, scoring: 2.4, ..Tempo::stills() }
    }

    /// One still after every turn, taken before scored followers go home.
    pub fn stills() -> Tempo {
        Tempo {
            step: 1.0,
            hand: 0.0,
            calm: 0.0,
            scoring: 1.0,
            sleeve: 0.0,
            at_once: 0.0,
            late: 0.0,
            late_for: 0.0,
            fidget: 0.0,
            forgotten: 0.0,
            late_home: 0.0,
            two_turns: 0.0,
            away: 0,
            beside: 0.0,
            packing: false,
            markers: false,
        }
    }
}

/// Seconds that a turn takes while the camera is away.
const TURN_AWAY: f64 = 20.0;

/// A figure on the table, as it is read.
#[derive(Clone, Copy, Debug)]
struct Piece {
    player: Player,
    /// As whose it is read.
    read_as: Player,
    /// Where the record has it.
    at: SegmentAt,
    /// On which tile it stands.
    cell: Cell,
    x: f32,
    y: f32,
    /// How large it is read on the whole, beside a follower.
    size: f32,
    /// From when on it is seen.
    seen_from: f64,
    /// How many turns it still stays after it was scored; `None` while it has not been.
    home_in: Option<u32>,
    /// Whether there is nothing, though it is seen.
    phantom: bool,
}

/// The observations of a whole game, each with its time in seconds.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    tempo: Tempo,
    noise: Noise,
    dice: Dice,
    /// The cells inside the wall; without one those with tiles are seen.
    inside: Option<Vec<Cell>>,
    /// By how many quarters the board is turned clockwise for the camera.
    quarters: u8,
    faces: Vec<(String, Option<Face>)>,
    players: u8,
    tiles: BTreeMap<Cell, (String, Rotation)>,
    /// What a tile is always read as, by cell.
    mistaken: BTreeMap<Cell, (String, Rotation)>,
    loose: BTreeMap<Cell, (String, Rotation)>,
    pieces: Vec<Piece>,
    /// The places with names, where the figure that is nobody's stands, and whether it is seen.
    places: Vec<NamedPlace>,
    neutral: Option<SegmentAt>,
    /// The track space of each player's marker.
    markers: Vec<u8>,
    /// The cells under a sleeve while a turn goes on.
    sleeve: Vec<Cell>,
    /// Whether nothing is seen now.
    away: bool,
    t: f64,
    /// What was seen so far.
    pub observations: Vec<(f64, Observation)>,
    /// For each fact of the game, by its place in the list of facts: when it was done.
    pub done: Vec<f64>,
    /// In how many observations a figure was read in each cell that ever had a follower, by
    /// the names that the cells have in the record.
    pub shown: BTreeMap<Cell, u32>,
}

impl Rehearsal {
    /// Plays the facts of a game that has been recorded; `start` is the same
    /// game before its first fact.
    pub fn of(recorded: &Game, start: Game, deck: &Deck, tempo: Tempo, noise: Noise, seed: u64) -> Rehearsal {
        let mut rehearsal = Rehearsal {
            tempo,
            noise,
            dice: Dice(seed),
            inside: start.header().wall.is_some().then(|| start.position().cells()),
            quarters: 0,
            faces: deck.tiles.iter().map(|t| (t.id.clone(), t.face.clone())).collect(),
            players: start.header().players.len() as u8,
            tiles: BTreeMap::new(),
            mistaken: BTreeMap::new(),
            loose: BTreeMap::new(),
            pieces: Vec::new(),
            places: start.position().named_places(),
            neutral: start.position().neutral().map(|neutral| neutral.1),
            markers: vec![0; start.header().players.len()],
            sleeve: Vec::new(),
            away: false,
            t: 0.0,
            observations: Vec::new(),
            done: Vec::new(),
            shown: BTreeMap::new(),
        };
        let mut game = start;
        for cell in game.position().cells() {
            if let Some((tile, rotation)) = game.position().tile_at(cell) {
                let id = game.position().tile_id(tile).unwrap_or_default().to_owned();
                rehearsal.tiles.insert(cell, (id, rotation));
            }
        }
        rehearsal.wait(if rehearsal.inside.is_some() { tempo.calm } else { tempo.calm.max(tempo.step) });
        let facts: Vec<EventKind> = recorded.facts().into_iter().map(|f| f.1).collect();
        let turns = facts.iter().filter(|k| matches!(k, EventKind::TurnEnded { .. })).count();
        let away_from = turns.saturating_sub(tempo.away) / 2;
        let mut turn = 0;
        let mut hurried = false;
        for (i, kind) in facts.iter().enumerate() {
            rehearsal.done.push(rehearsal.t);
            if game.apply_anyway(kind.clone(), Source::Hand, 1.0, 0.0).is_err() {
                continue;
            }
            match kind {
                EventKind::TilePlaced { tile, cell, rotation, .. } => {
                    rehearsal.away = tempo.away > 0 && (away_from..away_from + tempo.away).contains(&turn);
                    if !hurried {
                        rehearsal.before_tile(*cell, tile, *rotation);
                    }
                    hurried = rehearsal.dice.chance(tempo.two_turns) && i + 4 < facts.len();
                    let claims = matches!(facts.get(i + 1), Some(EventKind::FollowerPlaced { .. }));
                    rehearsal.lay(*cell, tile, *rotation);
                    let at_once = hurried || (claims && rehearsal.dice.chance(tempo.at_once));
                    if !at_once {
                        rehearsal.wait(tempo.calm);
                    }
                }
                EventKind::FollowerPlaced { player, cell, segment, figure, .. } => {
                    if !hurried && rehearsal.dice.chance(tempo.late) {
                        let late = tempo.late_for * rehearsal.dice.unit();
                        rehearsal.wait(late);
                    }
                    if !hurried {
                        let at = SegmentAt { cell: *cell, segment: *segment };
                        rehearsal.hand(rehearsal.free_in(at).map_or(*cell, |(x, y)| tile_under(x, y)));
                    }
                    rehearsal.put(*player, *cell, usize::from(*segment), *figure);
                    if !hurried {
                        rehearsal.wait(tempo.calm);
                    }
                }
                EventKind::FigureReturned { player, at, .. } => {
                    rehearsal.hand(at.cell);
                    rehearsal.pieces.retain(|p| (p.player, p.cell) != (*player, at.cell) || p.phantom);
                    rehearsal.wait(tempo.calm);
                }
                EventKind::FigureMoved { player, from, to, figure, .. } => {
                    let leaves = |p: &Piece| (p.player, p.at) == (*player, *from) && !p.phantom;
                    if let Some(place) = rehearsal.pieces.iter().rposition(leaves) {
                        let from = rehearsal.pieces.remove(place).cell;
                        rehearsal.hand(from);
                    }
                    rehearsal.hand(to.cell);
                    rehearsal.put(*player, to.cell, usize::from(to.segment), *figure);
                    rehearsal.wait(tempo.calm);
                    // It may have been scored with this.
                    rehearsal.go_home(&game, hurried);
                }
                EventKind::NeutralMoved { to, .. } => {
                    rehearsal.hand(to.cell);
                    rehearsal.neutral = Some(*to);
                    rehearsal.wait(tempo.calm);
                }
                EventKind::Passed { .. } => rehearsal.go_home(&game, hurried),
                EventKind::TurnEnded { .. } => {
                    if rehearsal.away {
                        rehearsal.t += TURN_AWAY;
                    }
                    rehearsal.end_turn(&game, hurried);
                    turn += 1;
                }
                _ => {}
            }
            if let Some(done) = rehearsal.done.last_mut() {
                *done = rehearsal.t;
            }
        }
        rehearsal.away = false;
        rehearsal.wait(tempo.calm);
        if tempo.packing {
            rehearsal.pack_up();
        }
        rehearsal
    }

    /// What is done before a tile lies where it stays.
    fn before_tile(&mut self, cell: Cell, tile: &str, rotation: Rotation) {
        if self.dice.chance(self.tempo.beside) {
            self.lay_beside();
        }
        if self.dice.chance(self.tempo.sleeve) {
            let width = 1 + self.dice.below(2) as i8;
            let near = |c: &Cell| (c.col - cell.col).abs() <= width && c.row >= cell.row;
            let cells = self.inside.clone().unwrap_or_else(|| self.tiles.keys().copied().collect());
            self.sleeve = cells.into_iter().filter(near).collect();
            let seconds = 4.0 * self.dice.unit();
            self.wait(seconds);
        }
        if self.dice.chance(self.tempo.fidget) {
            let other = Side::ALL.into_iter().map(|s| cell.neighbour(s)).find(|c| {
                !self.tiles.contains_key(c) && self.inside.as_ref().is_none_or(|inside| inside.contains(c))
            });
            let (first, turned) = match other {
                Some(other) if self.dice.chance(0.5) => (other, rotation),
                _ => (cell, Rotation::new(rotation.quarters() + 1 + self.dice.below(3) as u8)),
            };
            self.hand(first);
            self.tiles.insert(first, (tile.to_owned(), turned));
            let seconds = 3.0 * self.dice.unit();
            self.wait(seconds);
            self.hand(first);
            self.tiles.remove(&first);
            let seconds = 2.0 * self.dice.unit();
            self.wait(seconds);
        }
        self.hand(cell);
    }

    fn lay(&mut self, cell: Cell, tile: &str, rotation: Rotation) {
        self.tiles.insert(cell, (tile.to_owned(), rotation));
        self.loose.remove(&cell);
        if self.dice.chance(self.noise.mistaken) {
            let other = self.look_alike(tile, rotation);
            self.mistaken.insert(cell, other);
        }
        if self.dice.chance(self.noise.phantom) {
            let at = self.dice.below(self.tiles.len());
            let other = self.tiles.keys().nth(at).copied().unwrap_or(cell);
            let player = Player(self.dice.below(usize::from(self.players)) as u8);
            let (x, y) = (0.15 + 0.7 * self.dice.unit() as f32, 0.15 + 0.7 * self.dice.unit() as f32);
            self.pieces.push(Piece {
                player,
                read_as: player,
                at: SegmentAt { cell: other, segment: u8::MAX },
                cell: other,
                x,
                y,
                size: 1.0,
                seen_from: self.t,
                home_in: None,
                phantom: true,
            });
        }
    }

    /// Another tile with as many of the same kinds on its sides as there is, or one time in
    /// four any tile.
    fn look_alike(&mut self, tile: &str, rotation: Rotation) -> (String, Rotation) {
        let any = self.dice.chance(0.25);
        let sides = |face: &Face, turned: Rotation| {
            let face = face.turned(turned);
            let kind = |port: Port| face.at(port).and_then(|i| Some(face.segments().get(i)?.kind));
            Side::ALL.map(|side| [Port::left(side), Port::middle(side), Port::right(side)].map(kind))
        };
        let own = self.faces.iter().find(|f| f.0 == tile).and_then(|f| f.1.clone());
        let own = own.map(|face| sides(&face, rotation));
        let mut best: Vec<(usize, String, Rotation)> = Vec::new();
        for (id, face) in &self.faces {
            for turned in Rotation::ALL {
                let Some(face) = face.as_ref().filter(|_| id != tile) else { continue };
                let other = sides(face, turned);
                let alike = own.map_or(0, |own| own.iter().zip(&other).filter(|(a, b)| a == b).count());
                best.push((if any { 0 } else { alike }, id.clone(), turned));
            }
        }
        let most = best.iter().map(|b| b.0).max().unwrap_or(0);
        best.retain(|b| b.0 == most);
        let at = self.dice.below(best.len());
        best.get(at).map_or_else(|| (tile.to_owned(), rotation), |b| (b.1.clone(), b.2))
    }

    /// A figure comes to stand on a segment.
    fn put(&mut self, player: Player, cell: Cell, segment: usize, figure: FigureKind) {
        let Some((tile, rotation)) = self.tiles.get(&cell).cloned() else { return };
        let face = self.faces.iter().find(|f| f.0 == tile).and_then(|f| f.1.clone());
        let Some(face) = face.filter(|f| segment < f.segments().len()) else { return };
        let at = SegmentAt { cell, segment: segment as u8 };
        if let Some((x, y)) = self.free_in(at) {
            self.put_in(at, (x, y), player, figure);
            return;
        }
        let map = FaceMap::new(&face);
        let (mut x, mut y) = map.anchor(segment);
        if self.dice.chance(self.noise.biased) && face.segments().len() > 1 {
            let mut other = self.dice.below(face.segments().len() - 1);
            other += usize::from(other >= segment);
            let (ox, oy) = map.anchor(other);
            (x, y) = (x + self.noise.bias * (ox - x), y + self.noise.bias * (oy - y));
        }
        let (x, y) = as_it_lies(x, y, rotation);
        let other = Player((player.0 + 1) % self.players.max(1));
        let read_as = if self.dice.chance(self.noise.miscoloured) { other } else { player };
        let unseen =
            if self.dice.chance(self.noise.unseen) { self.noise.unseen_for * self.dice.unit() } else { 0.0 };
        let seen_from = self.t + unseen;
        let home_in = None;
        self.shown.entry(cell).or_default();
        let size = figure.size() * self.off_size();
        self.pieces.push(Piece { player, read_as, at, cell, x, y, size, seen_from, home_in, phantom: false });
    }

    /// Where in a place with a name there is room beside those that stand there, in tile sides.
    fn free_in(&self, at: SegmentAt) -> Option<(f32, f32)> {
        let place = self.places.iter().find(|place| place.at == at)?;
        let taken = |x: f32, y: f32| {
            let near = |p: &Piece| {
                let (px, py) = (f32::from(p.cell.col) + p.x, f32::from(p.cell.row) + p.y);
                (px - x).hypot(py - y) < 0.2
            };
            self.pieces.iter().any(near)
        };
        let spots = (0..).map(|i: i32| {
            let (across, down) = ((i % 3) as f32, (i / 3) as f32);
            (place.x - 0.45 + 0.4 * across, place.y - 0.2 + 0.4 * down)
        });
        spots.take(9).find(|(x, y)| !taken(*x, *y))
    }

    /// A figure comes to stand in a place with a name.
    fn put_in(&mut self, at: SegmentAt, (x, y): (f32, f32), player: Player, figure: FigureKind) {
        let cell = tile_under(x, y);
        let size = figure.size() * self.off_size();
        self.pieces.push(Piece {
            player,
            read_as: player,
            at,
            cell,
            x: x - x.floor(),
            y: y - y.floor(),
            size,
            seen_from: self.t,
            home_in: None,
            phantom: false,
        });
    }

    /// The figure that is nobody's, where it stands on a tile.
    fn neutral_on(&self, cell: Cell) -> Option<FigureReading> {
        let place = self.places.iter().find(|place| Some(place.at) == self.neutral)?;
        // Away from the other places, and from who is in it.
        let middle = self.places.iter().map(|place| place.y).sum::<f32>() / self.places.len() as f32;
        let (x, y) = (place.x, place.y + if place.y < middle { -0.45 } else { 0.45 });
        (tile_under(x, y) == cell).then(|| FigureReading {
            figure: Figure::Neutral,
            player: self.players,
            x: x - x.floor(),
            y: y - y.floor(),
            confidence: 0.9,
            lying: None,
            size: None,
            there: None,
        })
    }

    /// By how many times a size is read too large, by half of what is possible.
    fn off_size(&mut self) -> f32 {
        if self.noise.size > 0.0 { (self.noise.size * (self.dice.unit() as f32 - 0.5)).exp() } else { 1.0 }
    }

    /// What ends with a turn.
    fn end_turn(&mut self, game: &Game, hurried: bool) {
        if self.dice.chance(self.noise.moved) {
            self.quarters = self.dice.below(4) as u8;
        }
        self.sleeve.clear();
        self.loose.clear();
        let space = |player: Player| (game.position().total(player) % game.position().track()) as u8;
        self.markers = game.players().map(space).collect();
        self.go_home(game, hurried);
    }

    /// Scored followers go home.
    fn go_home(&mut self, game: &Game, hurried: bool) {
        let standing = game.position().followers();
        let mut home: Vec<Cell> = Vec::new();
        for piece in &mut self.pieces {
            let stays =
                piece.phantom || standing.iter().any(|s| s.player == piece.player && s.cell == piece.at.cell);
            match &mut piece.home_in {
                _ if stays => {}
                Some(0) => home.push(piece.cell),
                Some(turns) => *turns -= 1,
                None if self.dice.chance(self.tempo.forgotten) => piece.home_in = Some(u32::MAX),
                None if self.dice.chance(self.tempo.late_home) => {
                    piece.home_in = Some(self.dice.below(4) as u32);
                }
                None => {
                    piece.home_in = Some(0);
                    home.push(piece.cell);
                }
            }
        }
        if home.is_empty() {
            let still = if self.tempo.calm > 0.0 { 0.0 } else { self.tempo.step };
            self.wait(if hurried { 0.0 } else { still });
            return;
        }
        if !hurried {
            self.wait(self.tempo.scoring);
            for cell in &home {
                self.hand(*cell);
            }
        }
        self.pieces.retain(|p| p.home_in != Some(0) || !home.contains(&p.cell));
    }

    /// Up to three tiles that have not been laid lie apart from the others.
    fn lay_beside(&mut self) {
        let Some(inside) = self.inside.clone() else { return };
        let apart = |cell: &Cell| {
            !self.tiles.contains_key(cell)
                && Side::ALL.into_iter().all(|s| {
                    let beside = cell.neighbour(s);
                    !self.tiles.contains_key(&beside) && inside.contains(&beside)
                })
        };
        let places: Vec<Cell> = inside.iter().copied().filter(apart).collect();
        for _ in 0..=self.dice.below(3) {
            let cell = places.get(self.dice.below(places.len())).copied();
            let lies = |id: &String| self.tiles.values().chain(self.loose.values()).any(|t| t.0 == *id);
            let rest: Vec<&String> = self.faces.iter().map(|f| &f.0).filter(|id| !lies(id)).collect();
            let tile = rest.get(self.dice.below(rest.len())).map(|id| (*id).clone());
            let turned = Rotation::new(self.dice.below(4) as u8);
            if let (Some(cell), Some(tile)) = (cell, tile) {
                self.loose.insert(cell, (tile, turned));
            }
        }
        self.wait(3.0 * self.tempo.calm);
    }

    /// All tiles go, one after another.
    fn pack_up(&mut self) {
        while let Some(cell) = {
            let at = self.dice.below(self.tiles.len());
            self.tiles.keys().nth(at).copied()
        } {
            self.tiles.remove(&cell);
            self.pieces.retain(|p| p.cell != cell);
            self.wait(self.tempo.step.max(0.4));
        }
    }

    /// A hand covers a cell and those beside it.
    fn hand(&mut self, cell: Cell) {
        let until = self.t + self.tempo.hand;
        let near: Vec<Cell> = Side::ALL.into_iter().map(|s| cell.neighbour(s)).chain([cell]).collect();
        while self.t < until - 1e-9 {
            let mut seen = self.look();
            for reading in &mut seen.cells {
                if near.contains(&Cell::new(reading.col, reading.row)) {
                    *reading = covered(reading.col, reading.row);
                }
            }
            self.show(seen);
        }
    }

    fn wait(&mut self, seconds: f64) {
        let until = self.t + seconds;
        while self.t < until - 1e-9 {
            let seen = self.look();
            self.show(seen);
        }
    }

    fn show(&mut self, seen: Observation) {
        if !self.away {
            for reading in seen.cells.iter().filter(|c| !c.figures.is_empty()) {
                if let Some(count) = self.shown.get_mut(&Cell::new(reading.col, reading.row)) {
                    *count += 1;
                }
            }
            let seen = if self.inside.is_some() { seen } else { self.without_wall(seen) };
            self.observations.push((self.t, seen));
        }
        self.t += self.tempo.step;
    }

    /// What is seen of a table without a wall: the tiles that nothing covers, in cells
    /// that are counted from the upper left one as the camera has it.
    fn without_wall(&self, mut seen: Observation) -> Observation {
        seen.cells.retain(|c| c.state != CellState::Covered);
        let quarters = Rotation::new(self.quarters);
        for reading in &mut seen.cells {
            for _ in 0..self.quarters {
                (reading.col, reading.row) = (-reading.row, reading.col);
            }
            reading.rotation = (reading.rotation + self.quarters) % 4;
            for alternative in &mut reading.alternatives {
                alternative.rotation = (alternative.rotation + self.quarters) % 4;
            }
            for figure in &mut reading.figures {
                (figure.x, figure.y) = as_it_lies(figure.x, figure.y, quarters);
            }
        }
        let left = seen.cells.iter().map(|c| c.col).min().unwrap_or(0);
        let top = seen.cells.iter().map(|c| c.row).min().unwrap_or(0);
        for reading in &mut seen.cells {
            (reading.col, reading.row) = (reading.col - left, reading.row - top);
        }
        seen.cells.sort_by_key(|c| (c.row, c.col));
        seen
    }

    fn look(&mut self) -> Observation {
        let cells = self.inside.clone().unwrap_or_else(|| self.tiles.keys().copied().collect());
        let cells = cells.into_iter().map(|cell| self.look_at(cell)).collect();
        let marker = |(player, space): (u8, &u8)| MarkerReading {
            player,
            space: *space,
            confidence: 0.95,
            others: vec![((space + 1) % 100, 0.01)],
        };
        let shown = self.tempo.markers && self.inside.is_some();
        let markers = if shown { (0..).zip(&self.markers).map(marker).collect() } else { Vec::new() };
        Observation { cells, markers, ..Observation::default() }
    }

    fn look_at(&mut self, cell: Cell) -> CellReading {
        let noise = self.noise;
        let mut reading = CellReading { col: cell.col, row: cell.row, ..CellReading::default() };
        if self.dice.chance(noise.covered) {
            return covered(cell.col, cell.row);
        }
        if self.sleeve.contains(&cell) {
            return covered(cell.col, cell.row);
        }
        let lies = self.tiles.get(&cell).or_else(|| self.loose.get(&cell)).cloned();
        let Some((tile, rotation)) = lies else {
            reading.state = CellState::Empty;
            reading.confidence = 0.95;
            return reading;
        };
        let other = self.dice.below(self.faces.len());
        let other = Alternative {
            tile: self.faces.get(other).map(|f| f.0.clone()).unwrap_or_default(),
            rotation: self.dice.below(4) as u8,
            confidence: 0.1,
        };
        reading.state = CellState::Tile;
        reading.confidence = 0.9;
        reading.rotation = rotation.quarters();
        reading.tile = Some(tile.clone());
        let truth =
            |confidence| Alternative { tile: tile.clone(), rotation: rotation.quarters(), confidence };
        if let Some((wrong, turned)) = self.mistaken.get(&cell) {
            reading.tile = Some(wrong.clone());
            reading.rotation = turned.quarters();
            reading.confidence = 0.5;
            reading.alternatives = vec![truth(0.4)];
        } else if self.dice.chance(noise.misread) {
            reading.tile = Some(other.tile);
            reading.rotation = other.rotation;
            reading.confidence = 0.5;
            reading.alternatives = vec![truth(0.4)];
        } else if self.dice.chance(noise.unknown) {
            reading.state = CellState::Unknown;
            reading.tile = None;
            reading.rotation = 0;
            reading.confidence = 0.3;
            reading.alternatives = vec![truth(0.4), other];
        } else {
            reading.alternatives = vec![other];
        }
        for piece in self.pieces.clone() {
            if piece.cell == cell && piece.seen_from <= self.t && !self.dice.chance(noise.missing) {
                let mut off = || noise.shift * (2.0 * self.dice.unit() as f32 - 1.0);
                let (x, y) = (piece.x + off(), piece.y + off());
                let size = (noise.size > 0.0).then(|| piece.size * self.off_size());
                reading.figures.push(FigureReading {
                    figure: Figure::Follower,
                    player: piece.read_as.0,
                    x,
                    y,
                    confidence: 0.9,
                    lying: None,
                    size,
                    there: None,
                });
            }
        }
        reading.figures.extend(self.neutral_on(cell).filter(|_| !noise.neutral_unseen));
        if self.dice.chance(noise.flicker) {
            let (x, y) = (self.dice.unit() as f32, self.dice.unit() as f32);
            let player = self.dice.below(usize::from(self.players)) as u8;
            reading.figures.push(FigureReading {
                figure: Figure::Follower,
                player,
                x,
                y,
                confidence: 0.6,
                lying: None,
                size: None,
                there: None,
            });
        }
        reading
    }
}

/// The cell over which a place is, in tile sides from the upper left corner of cell (0, 0).
fn tile_under(x: f32, y: f32) -> Cell {
    Cell::new(x.floor() as i8, y.floor() as i8)
}

fn covered(col: i8, row: i8) -> CellReading {
    CellReading { col, row, state: CellState::Covered, confidence: 0.9, ..CellReading::default() }
}

/// SplitMix64: the same seed gives the same game everywhere.
#[derive(Clone, Debug)]
pub(super) struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn chance(&mut self, p: f64) -> bool {
        p > 0.0 && self.unit() < p
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n.saturating_sub(1))
    }
}
