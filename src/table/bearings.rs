//! Which cell is which on a table without a wall: by the tiles that the record has.
//!
//! What reads such a table numbers the cells as they lie in the picture: which is the
//! first, and which way is up, may be other from frame to frame. The record's tiles tell:
//! the quarter turn and the offset with which most of what is seen agrees with them name
//! the cells, so that each keeps its name while the board grows to any side and when the
//! camera is moved.

use std::collections::{BTreeMap, BTreeSet};

use super::standing::as_it_lies;
use crate::observation::{Alternative, CellReading, CellState, Observation, turned};
use crate::rules::{Cell, GamePosition, Rotation};

/// How sure the readings together must be that agree with the record.
const LEAST: f32 = 0.3;
/// Where the record has no tile, what cannot be named is only taken for a tile when one
/// reading is this sure: bare table that looks a little like tiles is unlike any one of
/// them.
const IS_TILE: f32 = 0.6;
/// The place of the frame before is given up only for one with so many times the
/// agreement.
const BETTER: f32 = 1.5;

/// How the cells of a picture lie on the board: turned clockwise by quarters about cell
/// (0, 0), then moved by columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lie {
    pub quarters: u8,
    pub offset: (i32, i32),
}

/// Finds the board of the record in what is seen, frame by frame.
#[derive(Debug, Default)]
pub(super) struct Bearings {
    lie: Option<Lie>,
    /// The tiles that are not seen, and since when.
    unseen: BTreeMap<Cell, f64>,
}

/// How what is seen agrees with the record in one place.
#[derive(Clone, Copy, Debug, Default)]
struct Agreement {
    /// How many tiles are read as the record has them.
    tiles: usize,
    /// How sure those readings are together.
    for_it: f32,
    /// How sure the readings are together that say otherwise.
    against: f32,
}

impl Agreement {
    /// Whether the board lies so: half of the tiles that are both known and seen agree, at
    /// least.
    fn holds(self, known: usize, seen: usize) -> bool {
        self.for_it >= LEAST && self.for_it > self.against && 2 * self.tiles >= known.min(seen)
    }
}

impl Bearings {
    /// Names the cells of what is seen at `t`, in seconds; `None` when what is seen is not
    /// the board of the record. A tile that is not seen counts as covered for `patience`
    /// seconds, then as gone.
    pub(super) fn named(
        &mut self,
        seen: &Observation,
        position: &dyn GamePosition,
        t: f64,
        patience: f64,
    ) -> Option<Observation> {
        let known = known(position);
        let lie = self.find(&seen.cells, &known)?;
        self.lie = Some(lie);
        let is_tile = |c: &CellReading| {
            c.state != CellState::Unknown
                || known.contains_key(&Cell::new(c.col, c.row))
                || candidates(c).any(|c| c.confidence >= IS_TILE)
        };
        let mut cells: Vec<CellReading> =
            seen.cells.iter().filter_map(|c| lie.reading(c)).filter(is_tile).collect();
        let is_there = |cell: Cell| cells.iter().any(|c| (c.col, c.row) == (cell.col, cell.row));
        let unseen: Vec<Cell> = known.keys().copied().filter(|cell| !is_there(*cell)).collect();
        self.unseen.retain(|cell, _| unseen.contains(cell));
        for cell in unseen {
            let since = *self.unseen.entry(cell).or_insert(t);
            if t - since < patience {
                cells.push(CellReading::covered(cell.col, cell.row));
            }
        }
        cells.sort_by_key(|c| (c.row, c.col));
        Some(Observation {
            cells,
            markers: seen.markers.clone(),
            wall_tiles: Vec::new(),
            cut_off: seen
                .cut_off
                .iter()
                .filter_map(|(col, row)| lie.cell(*col, *row))
                .map(|c| (c.col, c.row))
                .collect(),
            warnings: seen.warnings.clone(),
        })
    }

    /// The cells of tiles of the record of which nothing was found in what was named last.
    pub(super) fn unseen(&self) -> BTreeSet<Cell> {
        self.unseen.keys().copied().collect()
    }

    /// Where a cell of the board was in the last picture in which the board was found.
    pub(super) fn in_picture(&self, cell: Cell) -> Option<Cell> {
        let Lie { quarters, offset } = self.lie?;
        let moved = (i32::from(cell.col) - offset.0, i32::from(cell.row) - offset.1);
        let (col, row) = turned(moved, (4 - quarters % 4) % 4);
        Some(Cell::new(i8::try_from(col).ok()?, i8::try_from(row).ok()?))
    }

    /// The lie with which most agrees; that of the frame before where another is hardly
    /// better.
    fn find(&self, seen: &[CellReading], known: &BTreeMap<Cell, (&str, Rotation)>) -> Option<Lie> {
        // Where even all that is seen could not outweigh it, no other is sought.
        let most: f32 = seen.iter().map(|r| candidates(r).map(|c| c.confidence).fold(0.0, f32::max)).sum();
        if let Some(lie) = self.lie {
            let before = agreement(lie, seen, known);
            if before.holds(known.len(), seen.len()) && most < BETTER * before.for_it {
                return Some(lie);
            }
        }
        let mut lies: Vec<Lie> = Vec::new();
        for reading in seen {
            for candidate in candidates(reading) {
                let same = known.iter().filter(|(_, (tile, _))| *tile == candidate.tile);
                lies.extend(
                    same.map(|(cell, (_, turned))| Lie::between(reading, &candidate, *cell, *turned)),
                );
            }
        }
        lies.sort_unstable();
        lies.dedup();
        let judged = lies.into_iter().map(|lie| (lie, agreement(lie, seen, known)));
        let mut good: Vec<(Lie, Agreement)> =
            judged.filter(|(_, a)| a.holds(known.len(), seen.len())).collect();
        good.sort_by(|a, b| b.1.for_it.total_cmp(&a.1.for_it).then(a.1.against.total_cmp(&b.1.against)));
        let (best, agreement) = *good.first()?;
        let before = self.lie.and_then(|lie| good.iter().find(|(other, _)| *other == lie));
        match before {
            Some((lie, before)) if agreement.for_it < BETTER * before.for_it => Some(*lie),
            _ => Some(best),
        }
    }
}

impl Lie {
    /// The lie that brings a reading to a cell in which the same tile is turned so.
    fn between(reading: &CellReading, candidate: &Alternative, cell: Cell, rotation: Rotation) -> Lie {
        let quarters = (rotation.quarters() + 4 - candidate.rotation % 4) % 4;
        let (col, row) = turned((i32::from(reading.col), i32::from(reading.row)), quarters);
        Lie { quarters, offset: (i32::from(cell.col) - col, i32::from(cell.row) - row) }
    }

    /// The cell of the board; `None` beyond what has a name.
    fn cell(self, col: i8, row: i8) -> Option<Cell> {
        let (col, row) = turned((i32::from(col), i32::from(row)), self.quarters);
        let (col, row) = (i8::try_from(col + self.offset.0).ok()?, i8::try_from(row + self.offset.1).ok()?);
        Some(Cell::new(col, row))
    }

    /// A reading as it lies on the board.
    fn reading(self, seen: &CellReading) -> Option<CellReading> {
        let cell = self.cell(seen.col, seen.row)?;
        let mut reading = seen.clone();
        (reading.col, reading.row) = (cell.col, cell.row);
        if reading.tile.is_some() {
            reading.rotation = (reading.rotation + self.quarters) % 4;
        }
        for alternative in &mut reading.alternatives {
            alternative.rotation = (alternative.rotation + self.quarters) % 4;
        }
        for figure in &mut reading.figures {
            (figure.x, figure.y) = as_it_lies(figure.x, figure.y, Rotation::new(self.quarters));
        }
        Some(reading)
    }
}

/// The tiles of the record by their cells.
fn known(position: &dyn GamePosition) -> BTreeMap<Cell, (&str, Rotation)> {
    let tile = |cell: Cell| {
        let (tile, rotation) = position.tile_at(cell)?;
        Some((cell, (position.tile_id(tile)?, rotation)))
    };
    position.cells().into_iter().filter_map(tile).collect()
}

/// What a cell may hold, best first.
fn candidates(reading: &CellReading) -> impl Iterator<Item = Alternative> + '_ {
    let own = reading.tile.iter().filter(|_| reading.state == CellState::Tile).map(|tile| Alternative {
        tile: tile.clone(),
        rotation: reading.rotation,
        confidence: reading.confidence,
    });
    own.chain(reading.alternatives.iter().cloned())
}

/// How much of what is seen agrees with the record when it lies so, and how much does not.
fn agreement(lie: Lie, seen: &[CellReading], known: &BTreeMap<Cell, (&str, Rotation)>) -> Agreement {
    let mut all = Agreement::default();
    for reading in seen {
        let Some((tile, rotation)) = lie.cell(reading.col, reading.row).and_then(|cell| known.get(&cell))
        else {
            continue;
        };
        let is_it =
            |c: &Alternative| c.tile == *tile && (c.rotation + lie.quarters) % 4 == rotation.quarters();
        match candidates(reading).find(is_it) {
            Some(candidate) => {
                all.tiles += 1;
                all.for_it += candidate.confidence;
            }
            None => all.against += candidates(reading).next().map_or(0.0, |c| c.confidence),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::{Figure, FigureReading};
    use crate::record::{Game, Header};
    use crate::rules::classic::base_deck;
    use crate::rules::{Move, Placement, Player};

    fn start() -> Box<dyn GamePosition> {
        let names = ["Ada", "Ben", "Cleo"].map(str::to_owned).to_vec();
        let header = Header {
            format: "castellan".to_owned(),
            version: crate::record::VERSION,
            game: crate::rules::Game::Classic,
            deck: "classic".to_owned(),
            wall: None,
            edition: None,
            colours: ["red", "blue", "green"].map(str::to_owned).to_vec(),
            players: names,
            neutral: None,
            starts: Player(0),
            wall_tiles: BTreeMap::new(),
        };
        Game::new(header, None, &base_deck()).unwrap().position().boxed()
    }

    /// Lays the first legal tile that comes to lie in a cell.
    fn lay(position: &mut Box<dyn GamePosition>, cell: Cell) {
        let player = position.to_move();
        let is_free = |tile: &usize| position.remaining(*tile) > 0;
        let placement: Placement = (0..position.tiles())
            .filter(is_free)
            .flat_map(|tile| position.placements(tile))
            .find(|p| p.cell == cell)
            .unwrap();
        position.play(&Move::Lay { player, placement }).unwrap();
        position.play(&Move::End { player }).unwrap();
    }

    /// The board as a camera sees it that numbers the cells from the upper left one, and
    /// to which the board is turned clockwise by quarters.
    fn seen(position: &dyn GamePosition, quarters: u8) -> Observation {
        let all: Vec<((i32, i32), &str, u8)> = known(position)
            .into_iter()
            .map(|(cell, (tile, rotation))| {
                let at = turned((i32::from(cell.col), i32::from(cell.row)), quarters);
                (at, tile, (rotation.quarters() + quarters) % 4)
            })
            .collect();
        let left = all.iter().map(|t| t.0.0).min().unwrap_or(0);
        let top = all.iter().map(|t| t.0.1).min().unwrap_or(0);
        let reading = |((col, row), tile, rotation): &((i32, i32), &str, u8)| CellReading {
            col: (col - left) as i8,
            row: (row - top) as i8,
            state: CellState::Tile,
            tile: Some((*tile).to_owned()),
            rotation: *rotation,
            confidence: 0.9,
            ..CellReading::default()
        };
        Observation { cells: all.iter().map(reading).collect(), ..Observation::default() }
    }

    /// Whether a reading names each tile of the position and nothing else.
    fn is_board(named: &Observation, position: &dyn GamePosition) -> bool {
        let known = known(position);
        named.cells.len() == known.len()
            && named.cells.iter().all(|c| {
                known.get(&Cell::new(c.col, c.row)).is_some_and(|(tile, rotation)| {
                    c.tile.as_deref() == Some(*tile) && c.rotation == rotation.quarters()
                })
            })
    }

    #[test]
    fn cells_keep_their_names_while_the_board_grows_to_the_left_and_above() {
        let mut position = start();
        let mut bearings = Bearings::default();
        for cell in [(-1, 0), (0, -1), (-1, -1), (-2, -1), (1, -1), (-2, 0), (-1, -2)] {
            let before = position.boxed();
            lay(&mut position, Cell::new(cell.0, cell.1));
            // The record knows the board before; the new tile gets its name from it.
            let named = bearings.named(&seen(&*position, 0), &*before, 0.0, 4.0).unwrap();
            assert!(is_board(&named, &*position), "{cell:?}: {named:?}");
        }
    }

    #[test]
    fn a_camera_that_is_turned_finds_the_board_again() {
        let mut position = start();
        for cell in [(1, 0), (0, -1), (1, -1), (-1, 0)] {
            lay(&mut position, Cell::new(cell.0, cell.1));
        }
        let mut bearings = Bearings::default();
        for quarters in [0, 1, 2, 3, 0, 2] {
            let mut turned_board = seen(&*position, quarters);
            let at = turned_board.cells.iter().position(|c| c.tile.as_deref() == Some("RCr")).unwrap();
            let (x, y) = as_it_lies(0.2, 0.7, Rotation::new(quarters));
            let figure = FigureReading {
                figure: Figure::Follower,
                player: 1,
                x,
                y,
                confidence: 0.9,
                lying: None,
                size: None,
                there: None,
            };
            turned_board.cells[at].figures.push(figure);
            let named = bearings.named(&turned_board, &*position, 0.0, 4.0).unwrap();
            assert!(is_board(&named, &*position), "turned by {quarters}");
            let figure = named.cells.iter().find_map(|c| c.figures.first()).unwrap();
            assert!((figure.x - 0.2).abs() < 1e-6 && (figure.y - 0.7).abs() < 1e-6);
        }
    }

    #[test]
    fn a_table_without_tiles_and_another_table_are_not_the_board() {
        let mut position = start();
        let mut bearings = Bearings::default();
        assert_eq!(bearings.named(&Observation::default(), &*position, 0.0, 4.0), None);
        lay(&mut position, Cell::new(1, 0));
        lay(&mut position, Cell::new(0, 1));
        let mut other = seen(&*position, 0);
        for reading in &mut other.cells {
            reading.tile = Some("L".to_owned());
        }
        assert_eq!(bearings.named(&other, &*position, 0.0, 4.0), None);
        assert!(
            bearings.named(&seen(&*position, 1), &*position, 0.0, 4.0).is_some(),
            "and it is found again"
        );
    }

    #[test]
    fn a_board_of_which_some_is_misread_or_not_named_is_found_by_the_rest() {
        let mut position = start();
        for cell in [(1, 0), (0, -1), (1, -1), (-1, 0), (-1, -1)] {
            lay(&mut position, Cell::new(cell.0, cell.1));
        }
        let mut board = seen(&*position, 3);
        board.cells[0].tile = Some("L".to_owned());
        board.cells[0].confidence = 0.5;
        board.cells[1].state = CellState::Unknown;
        let named = Bearings::default().named(&board, &*position, 0.0, 4.0).unwrap();
        let right = named.cells.iter().filter(|c| {
            let (tile, rotation) = known(&*position)[&Cell::new(c.col, c.row)];
            c.tile.as_deref() == Some(tile) && c.rotation == rotation.quarters()
        });
        assert_eq!(right.count(), 5, "all but the one that is misread");
    }

    #[test]
    fn bare_table_that_looks_a_little_like_tiles_is_no_tile() {
        let position = start();
        let mut board = seen(&*position, 0);
        let phantom = |col, confidence| CellReading {
            col,
            row: 0,
            state: CellState::Unknown,
            alternatives: vec![Alternative { tile: "L".to_owned(), rotation: 0, confidence }],
            ..CellReading::default()
        };
        board.cells.extend([phantom(1, 0.3), phantom(-1, 0.8)]);
        let named = Bearings::default().named(&board, &*position, 0.0, 4.0).unwrap();
        let cols: Vec<i8> = named.cells.iter().map(|c| c.col).collect();
        assert_eq!(cols, [-1, 0], "what is surely a tile stays");
    }

    #[test]
    fn a_tile_that_is_not_seen_is_covered_first_and_gone_later() {
        let mut position = start();
        for cell in [(1, 0), (0, -1)] {
            lay(&mut position, Cell::new(cell.0, cell.1));
        }
        let mut board = seen(&*position, 0);
        board.cells.pop();
        let mut bearings = Bearings::default();
        let states = |bearings: &mut Bearings, t: f64| {
            let named = bearings.named(&board, &*position, t, 4.0).unwrap();
            named.cells.iter().filter(|c| c.state == CellState::Covered).count()
        };
        assert_eq!([0.0, 3.0, 4.5].map(|t| states(&mut bearings, t)), [1, 1, 0]);
        bearings.named(&seen(&*position, 0), &*position, 5.0, 4.0);
        assert_eq!(states(&mut bearings, 6.0), 1, "it counts anew once it was seen");
    }
}
