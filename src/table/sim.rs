//! A table that plays a record: observations as a camera would give them,
//! perfect or with noise, for rehearsals and tests.

use std::collections::BTreeMap;

use super::standing::as_it_lies;
use crate::observation::{Alternative, CellReading, CellState, Figure, FigureReading, Observation};
use crate::record::{EventKind, Game, Source};
use crate::rules::{Cell, Deck, FaceMap, Player, Rotation, Side};

/// How unlike the truth the readings are: each a chance a reading.
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
}

/// How the table's time goes.
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
}

impl Tempo {
    /// An unhurried game before a camera that is read five times a second.
    pub fn live() -> Tempo {
        Tempo { step: 0.2, hand: 0.6, calm: 1.0, scoring: 2.4 }
    }

    /// One still after every turn, taken before scored followers go home.
    pub fn stills() -> Tempo {
        Tempo { step: 1.0, hand: 0.0, calm: 0.0, scoring: 1.0 }
    }
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
    ids: Vec<String>,
    tiles: BTreeMap<Cell, (String, Rotation)>,
    followers: Vec<(Player, Cell, f32, f32)>,
    t: f64,
    /// What was seen so far.
    pub observations: Vec<(f64, Observation)>,
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
            ids: deck.tiles.iter().map(|t| t.id.clone()).collect(),
            tiles: BTreeMap::new(),
            followers: Vec::new(),
            t: 0.0,
            observations: Vec::new(),
        };
        let mut game = start;
        for cell in game.position().cells() {
            if let Some((tile, rotation)) = game.position().tile_at(cell) {
                let id = game.position().tile_id(tile).unwrap_or_default().to_owned();
                rehearsal.tiles.insert(cell, (id, rotation));
            }
        }
        rehearsal.wait(if rehearsal.inside.is_some() { tempo.calm } else { tempo.calm.max(tempo.step) });
        for (_, kind) in recorded.facts() {
            let ended = matches!(kind, EventKind::TurnEnded { .. });
            if game.apply_anyway(kind.clone(), Source::Hand, 1.0, 0.0).is_err() {
                continue;
            }
            match kind {
                EventKind::TilePlaced { tile, cell, rotation, .. } => {
                    rehearsal.hand(cell);
                    rehearsal.tiles.insert(cell, (tile, rotation));
                    rehearsal.wait(tempo.calm);
                }
                EventKind::FollowerPlaced { player, cell, segment, .. } => {
                    rehearsal.hand(cell);
                    let rotation = rehearsal.tiles.get(&cell).map(|t| t.1).unwrap_or_default();
                    let tile = game.position().tile_at(cell).map(|t| t.0);
                    let face = tile.and_then(|t| deck.tiles.get(t)).and_then(|t| t.face.as_ref());
                    if let Some(face) = face.filter(|f| (segment as usize) < f.segments().len()) {
                        let (x, y) = FaceMap::new(face).anchor(segment as usize);
                        let (x, y) = as_it_lies(x, y, rotation);
                        rehearsal.followers.push((player, cell, x, y));
                    }
                    rehearsal.wait(tempo.calm);
                }
                _ => {}
            }
            if ended {
                rehearsal.end_turn(&game);
            }
        }
        rehearsal.wait(tempo.calm);
        rehearsal
    }

    /// Scored followers go home.
    fn end_turn(&mut self, game: &Game) {
        if self.dice.chance(self.noise.moved) {
            self.quarters = self.dice.below(4) as u8;
        }
        let standing = game.position().followers();
        let stays = |f: &(Player, Cell, f32, f32)| standing.iter().any(|s| s.player == f.0 && s.cell == f.1);
        let home: Vec<Cell> = self.followers.iter().filter(|f| !stays(f)).map(|f| f.1).collect();
        if home.is_empty() {
            self.wait(if self.tempo.calm > 0.0 { 0.0 } else { self.tempo.step });
            return;
        }
        self.wait(self.tempo.scoring);
        for cell in &home {
            self.hand(*cell);
        }
        self.followers.retain(stays);
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
        let seen = if self.inside.is_some() { seen } else { self.without_wall(seen) };
        self.observations.push((self.t, seen));
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
        Observation { cells, warnings: Vec::new() }
    }

    fn look_at(&mut self, cell: Cell) -> CellReading {
        let noise = self.noise;
        let mut reading = CellReading { col: cell.col, row: cell.row, ..CellReading::default() };
        if self.dice.chance(noise.covered) {
            return covered(cell.col, cell.row);
        }
        let Some((tile, rotation)) = self.tiles.get(&cell).cloned() else {
            reading.state = CellState::Empty;
            reading.confidence = 0.95;
            return reading;
        };
        let other = self.dice.below(self.ids.len());
        let other = Alternative {
            tile: self.ids.get(other).cloned().unwrap_or_default(),
            rotation: self.dice.below(4) as u8,
            confidence: 0.1,
        };
        reading.state = CellState::Tile;
        reading.confidence = 0.9;
        reading.rotation = rotation.quarters();
        reading.tile = Some(tile.clone());
        if self.dice.chance(noise.misread) {
            reading.tile = Some(other.tile);
            reading.rotation = other.rotation;
            reading.confidence = 0.5;
            reading.alternatives = vec![Alternative { tile, rotation: rotation.quarters(), confidence: 0.4 }];
        } else if self.dice.chance(noise.unknown) {
            reading.state = CellState::Unknown;
            reading.tile = None;
            reading.rotation = 0;
            reading.confidence = 0.3;
            reading.alternatives =
                vec![Alternative { tile, rotation: rotation.quarters(), confidence: 0.4 }, other];
        } else {
            reading.alternatives = vec![other];
        }
        for (player, at, x, y) in self.followers.clone() {
            if at == cell && !self.dice.chance(noise.missing) {
                let mut off = || noise.shift * (2.0 * self.dice.unit() as f32 - 1.0);
                reading.figures.push(FigureReading {
                    figure: Figure::Follower,
                    player: player.0,
                    x: x + off(),
                    y: y + off(),
                    confidence: 0.9,
                });
            }
        }
        reading
    }
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
