//! Which readings stay: a reading counts when it was seen often enough in a row.

use std::collections::{BTreeMap, VecDeque};

use crate::observation::{Alternative, CellReading, CellState, Figure, Observation};
use crate::rules::{Cell, Rotation};

/// How patient the table is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// Equal readings in a row after which a reading counts.
    pub readings: u32,
    /// Seconds that they must span at least.
    pub seconds: f64,
    /// Seconds of a calm table after a completed feature before it is scored:
    /// the time in which a follower may still be put on it.
    pub settle: f64,
    /// Seconds after which something that does not fit is said to the players.
    pub before_doubt: f64,
}

impl Patience {
    /// For a camera or a video.
    pub fn live() -> Patience {
        Patience { readings: 3, seconds: 0.4, settle: 1.5, before_doubt: 4.0 }
    }

    /// For stills taken one after another, each so many seconds long: every
    /// still counts.
    pub fn stills(seconds_per_still: f64) -> Patience {
        Patience {
            readings: 1,
            seconds: 0.0,
            settle: 0.9 * seconds_per_still,
            before_doubt: 1.9 * seconds_per_still,
        }
    }

    fn is_met(&self, count: u32, span: f64) -> bool {
        // Times are sums of steps: a span may fall short by a rounding.
        let span = span + 1e-6;
        (count >= self.readings && span >= self.seconds) || (count >= 2 && span >= 2.0 * self.seconds)
    }
}

/// How many readings of a cell are remembered.
const WINDOW: usize = 8;

/// How far a figure may seem to move between two readings, in tile sides.
const SAME_PLACE: f32 = 0.2;

/// A tile that may lie in a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    pub tile: String,
    pub rotation: Rotation,
    pub confidence: f32,
}

/// What stays in a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Steady {
    /// Nothing lies there.
    Empty,
    /// A tile lies there; its readings, best first. None when it can't be named
    /// at all.
    Tile(Vec<Candidate>),
}

/// A figure that stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SteadyFigure {
    pub figure: Figure,
    pub player: u8,
    pub x: f32,
    pub y: f32,
    pub confidence: f32,
    /// For how many seconds it has stood there.
    pub age: f64,
    /// In how many readings it was seen.
    pub count: u32,
}

#[derive(Debug, Default)]
struct Track {
    window: VecDeque<CellReading>,
    /// Readings in a row of the same state, tile and rotation.
    same: Run,
    /// Readings in a row in which something lay there.
    occupied: Run,
    /// Readings in a row in which it was covered.
    covered: Run,
    /// Whether what lay there had stayed the same when it was covered.
    was_steady: bool,
    figures: Vec<FigureTrack>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Run {
    count: u32,
    since: f64,
    until: f64,
}

impl Run {
    fn extend(&mut self, t: f64) {
        if self.count == 0 {
            self.since = t;
        }
        self.count += 1;
        self.until = t;
    }

    fn span(&self) -> f64 {
        self.until - self.since
    }
}

#[derive(Debug)]
struct FigureTrack {
    figure: Figure,
    player: u8,
    x: f32,
    y: f32,
    confidence: f32,
    run: Run,
    missed: u32,
}

/// The memory of the last readings of every cell.
#[derive(Debug)]
pub(super) struct Memory {
    patience: Patience,
    tracks: BTreeMap<Cell, Track>,
    t: f64,
}

impl Memory {
    pub(super) fn new(patience: Patience) -> Memory {
        Memory { patience, tracks: BTreeMap::new(), t: 0.0 }
    }

    /// Has cells count as empty from the next observation on that they are not in.
    pub(super) fn expect(&mut self, cells: impl Iterator<Item = Cell>) {
        for cell in cells {
            self.tracks.entry(cell).or_default();
        }
    }

    /// Takes in an observation. Cells that are not in it but were before count as
    /// empty.
    pub(super) fn take(&mut self, observation: &Observation, t: f64) {
        self.t = t;
        let mut seen: BTreeMap<Cell, &CellReading> =
            observation.cells.iter().map(|c| (Cell::new(c.col, c.row), c)).collect();
        for (cell, track) in &mut self.tracks {
            match seen.remove(cell) {
                Some(reading) => track.take(reading, t, &self.patience),
                None => track.take(&empty(*cell), t, &self.patience),
            }
        }
        for (cell, reading) in seen {
            let mut track = Track::default();
            track.take(reading, t, &self.patience);
            self.tracks.insert(cell, track);
        }
    }

    /// Whether something has come to cover a cell not long ago. What stays over a
    /// cell, such as a keep that hides its tile, is no hand.
    fn is_fresh(&self, track: &Track) -> bool {
        track.covered.count > 0 && track.covered.span() < self.patience.before_doubt.max(2.0)
    }

    /// The cells that something has covered for so many seconds and still does: no hand.
    pub(super) fn covered_for(&self, seconds: f64) -> Vec<Cell> {
        let lies = |t: &(&Cell, &Track)| t.1.covered.count > 0 && t.1.covered.span() >= seconds;
        self.tracks.iter().filter(lies).map(|(cell, _)| *cell).collect()
    }

    /// The cells that something has come to cover not long ago.
    pub(super) fn freshly_covered(&self) -> usize {
        self.tracks.values().filter(|t| self.is_fresh(t)).count()
    }

    /// Whether something has come to cover a cell or one beside it.
    pub(super) fn is_covered_near(&self, cell: Cell) -> bool {
        self.tracks
            .iter()
            .any(|(c, t)| self.is_fresh(t) && c.col.abs_diff(cell.col) <= 1 && c.row.abs_diff(cell.row) <= 1)
    }

    /// What stays in a cell, and since when; `None` while nothing does.
    pub(super) fn cell(&self, cell: Cell) -> Option<(Steady, f64)> {
        self.tracks.get(&cell)?.steady(&self.patience)
    }

    /// Whether this tile, so turned, is what stays in a cell.
    pub(super) fn holds(&self, cell: Cell, tile: &str, rotation: Rotation) -> bool {
        self.tracks.get(&cell).is_some_and(|track| {
            track.covered.count == 0
                && self.patience.is_met(track.same.count, track.same.span())
                && track.window.back().is_some_and(|last| {
                    last.state == CellState::Tile
                        && last.rotation == rotation.quarters()
                        && last.tile.as_deref() == Some(tile)
                })
        })
    }

    /// Whether something lay in a cell in the last reading.
    pub(super) fn is_occupied(&self, cell: Cell) -> bool {
        self.tracks.get(&cell).is_some_and(|track| track.occupied.count > 0)
    }

    /// The cells that are tracked, row by row within columns.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.tracks.keys().copied()
    }

    /// The figures that stay in a cell.
    pub(super) fn figures(&self, cell: Cell) -> Vec<SteadyFigure> {
        let Some(track) = self.tracks.get(&cell) else { return Vec::new() };
        track
            .figures
            .iter()
            .filter(|f| f.missed == 0 && self.patience.is_met(f.run.count, f.run.span()))
            .map(|f| SteadyFigure {
                figure: f.figure,
                player: f.player,
                x: f.x,
                y: f.y,
                confidence: f.confidence,
                age: f.run.span(),
                count: f.run.count,
            })
            .collect()
    }

    /// Whether a cell has been seen without hindrance for long enough that a
    /// figure that is not among [`Memory::figures`] is not there.
    pub(super) fn is_clear_of(&self, cell: Cell, player: u8, figure: Figure) -> bool {
        self.tracks.get(&cell).is_some_and(|track| {
            track.steady(&self.patience).is_some()
                && track.figures.iter().all(|f| f.player != player || f.figure != figure)
        })
    }
}

fn empty(cell: Cell) -> CellReading {
    CellReading {
        col: cell.col,
        row: cell.row,
        state: CellState::Empty,
        confidence: 1.0,
        ..CellReading::default()
    }
}

impl Track {
    fn take(&mut self, reading: &CellReading, t: f64, patience: &Patience) {
        if reading.state == CellState::Covered {
            self.was_steady |= patience.is_met(self.same.count, self.same.span());
            self.covered.extend(t);
            self.same = Run::default();
            return;
        }
        self.covered = Run::default();
        let same = |last: &CellReading| {
            last.state == reading.state && last.tile == reading.tile && last.rotation == reading.rotation
        };
        if self.window.back().is_some_and(|last| !same(last)) {
            self.same = Run::default();
            // A hand has taken away what stayed there.
            if std::mem::take(&mut self.was_steady) {
                self.occupied = Run::default();
            }
        }
        self.same.extend(t);
        self.was_steady &= !patience.is_met(self.same.count, self.same.span());
        if reading.state == CellState::Empty {
            self.occupied = Run::default();
        } else {
            self.occupied.extend(t);
        }
        if self.window.len() == WINDOW {
            self.window.pop_front();
        }
        self.window.push_back(reading.clone());
        self.take_figures(reading, t, patience);
    }

    fn take_figures(&mut self, reading: &CellReading, t: f64, patience: &Patience) {
        let mut left: Vec<_> = reading.figures.iter().collect();
        for track in &mut self.figures {
            let near = left.iter().position(|f| {
                f.figure == track.figure
                    && f.player == track.player
                    && (f.x - track.x).hypot(f.y - track.y) < SAME_PLACE
            });
            match near {
                Some(i) => {
                    let seen = left.swap_remove(i);
                    let weight = 1.0 / (track.run.count.min(4) + 1) as f32;
                    track.x += weight * (seen.x - track.x);
                    track.y += weight * (seen.y - track.y);
                    track.confidence += weight * (seen.confidence - track.confidence);
                    track.run.extend(t);
                    track.missed = 0;
                }
                None => track.missed += 1,
            }
        }
        self.figures.retain(|f| f.missed <= patience.readings);
        self.figures.extend(left.into_iter().map(|seen| {
            let mut run = Run::default();
            run.extend(t);
            FigureTrack {
                figure: seen.figure,
                player: seen.player,
                x: seen.x,
                y: seen.y,
                confidence: seen.confidence,
                run,
                missed: 0,
            }
        }));
    }

    fn steady(&self, patience: &Patience) -> Option<(Steady, f64)> {
        if self.covered.count > 0 {
            return None;
        }
        let last = self.window.back()?;
        if patience.is_met(self.same.count, self.same.span()) {
            let steady = match last.state {
                CellState::Empty => Steady::Empty,
                _ => Steady::Tile(self.votes(self.same.count)),
            };
            return Some((steady, self.same.since));
        }
        // Readings that keep swapping: what they say together.
        let long = patience.readings.saturating_mul(3);
        if self.occupied.count >= long.max(4) && patience.is_met(self.occupied.count, self.occupied.span()) {
            return Some((Steady::Tile(self.votes(self.occupied.count)), self.occupied.since));
        }
        None
    }

    /// The mean confidence of every tile and rotation over the last readings.
    fn votes(&self, readings: u32) -> Vec<Candidate> {
        let mut sums: BTreeMap<(&str, u8), f32> = BTreeMap::new();
        let mut count = 0.0;
        for reading in self.window.iter().rev().take(readings as usize) {
            count += 1.0;
            let own = reading.tile.as_ref().map(|tile| Alternative {
                tile: tile.clone(),
                rotation: reading.rotation,
                confidence: reading.confidence,
            });
            let own = own.filter(|_| reading.state == CellState::Tile);
            if let (Some(_), Some(tile)) = (&own, &reading.tile) {
                *sums.entry((tile, reading.rotation)).or_default() += reading.confidence;
            }
            for a in &reading.alternatives {
                if own.as_ref().is_none_or(|o| (&o.tile, o.rotation) != (&a.tile, a.rotation)) {
                    *sums.entry((&a.tile, a.rotation)).or_default() += a.confidence;
                }
            }
        }
        let mut all: Vec<Candidate> = sums
            .into_iter()
            .map(|((tile, rotation), sum)| Candidate {
                tile: tile.to_owned(),
                rotation: Rotation::new(rotation),
                confidence: (sum / count).clamp(0.0, 1.0),
            })
            .collect();
        all.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.tile.cmp(&b.tile)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::FigureReading;

    fn tile(id: &str, confidence: f32) -> Observation {
        let cell = CellReading {
            state: CellState::Tile,
            tile: Some(id.to_owned()),
            confidence,
            ..CellReading::default()
        };
        Observation { cells: vec![cell], ..Observation::default() }
    }

    fn top(memory: &Memory) -> Option<String> {
        match memory.cell(Cell::new(0, 0))?.0 {
            Steady::Tile(candidates) => candidates.first().map(|c| c.tile.clone()),
            Steady::Empty => Some("empty".to_owned()),
        }
    }

    #[test]
    fn a_reading_counts_after_three_in_a_row_and_not_while_covered() {
        let mut memory = Memory::new(Patience::live());
        let times: Vec<f64> = (0..12).map(|i| f64::from(i) * 0.2).collect();
        memory.take(&tile("a", 0.9), times[0]);
        memory.take(&tile("b", 0.9), times[1]);
        memory.take(&tile("a", 0.9), times[2]);
        memory.take(&tile("a", 0.9), times[3]);
        assert_eq!(top(&memory), None);
        memory.take(&tile("a", 0.9), times[4]);
        assert_eq!(top(&memory).as_deref(), Some("a"));
        let mut covered = tile("a", 0.9);
        covered.cells[0].state = CellState::Covered;
        memory.take(&covered, times[5]);
        assert_eq!((top(&memory), memory.freshly_covered()), (None, 1));
        for t in &times[6..9] {
            memory.take(&Observation::default(), *t);
        }
        assert_eq!(top(&memory).as_deref(), Some("empty"));
    }

    #[test]
    fn readings_that_swap_are_weighed_together() {
        let mut memory = Memory::new(Patience::live());
        for i in 0..12 {
            let reading = if i % 3 == 0 { tile("b", 0.5) } else { tile("a", 0.6) };
            memory.take(&reading, f64::from(i) * 0.2);
        }
        assert_eq!(top(&memory).as_deref(), Some("a"));
    }

    #[test]
    fn what_a_hand_leaves_is_not_weighed_with_what_it_took() {
        let mut memory = Memory::new(Patience::live());
        let mut covered = tile("a", 0.9);
        covered.cells[0].state = CellState::Covered;
        let between = [covered.clone(), tile("a", 1.0), covered];
        let readings = (0..9).map(|_| tile("a", 1.0)).chain(between).chain((0..2).map(|_| tile("b", 0.9)));
        for (i, reading) in readings.enumerate() {
            memory.take(&reading, i as f64 * 0.2);
        }
        assert_eq!(top(&memory), None, "it was seen twice");
        memory.take(&tile("b", 0.9), 2.8);
        assert_eq!(top(&memory).as_deref(), Some("b"));
    }

    #[test]
    fn a_figure_that_flickers_once_stays() {
        let mut memory = Memory::new(Patience::live());
        let cell = Cell::new(0, 0);
        for i in 0..10_u8 {
            let mut seen = tile("a", 0.9);
            let figure = FigureReading {
                figure: Figure::Follower,
                player: 1,
                x: 0.5 + 0.01 * f32::from(i % 2),
                y: 0.4,
                confidence: 0.8,
                lying: None,
                size: None,
                there: None,
            };
            seen.cells[0].figures = if i == 5 { vec![] } else { vec![figure] };
            memory.take(&seen, f64::from(i) * 0.2);
        }
        let figures = memory.figures(cell);
        assert_eq!(figures.len(), 1);
        assert!((figures[0].x - 0.505).abs() < 0.01 && figures[0].count == 9);
        assert!(memory.is_clear_of(cell, 0, Figure::Follower));
        assert!(!memory.is_clear_of(cell, 1, Figure::Follower));
    }
}
