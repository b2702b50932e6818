//! How what stays on the table differs from the record.

use std::collections::{BTreeMap, BTreeSet};

use super::placing::NewTile;
use super::steady::{Candidate, Memory, Steady};
use crate::rules::{Cell, GamePosition, Rotation};

/// How the table differs from the record.
#[derive(Debug, Default)]
pub(super) struct Difference {
    /// Tiles where the record has none.
    pub new: Vec<NewTile>,
    /// Cells of the record that are empty on the table.
    pub gone: Vec<Cell>,
    /// Cells whose tile reads differently, with its readings, and since when.
    pub changed: Vec<(Cell, Vec<Candidate>, f64)>,
}

impl Difference {
    /// Compares what stays with the record. Excused tiles may be gone; what reads as one of `none` is none.
    pub(super) fn between(
        position: &dyn GamePosition,
        memory: &Memory,
        excused: &BTreeSet<Cell>,
        none: &BTreeMap<Cell, (String, Rotation)>,
    ) -> Difference {
        let mut difference = Difference::default();
        let mut cells: Vec<Cell> = position.cells();
        cells.extend(memory.cells().filter(|c| !cells.contains(c)).collect::<Vec<_>>());
        for cell in cells {
            let recorded = position.tile_at(cell);
            let known = recorded.and_then(|(tile, rotation)| Some((position.tile_id(tile)?, rotation)));
            if known.is_some_and(|(id, rotation)| memory.holds(cell, id, rotation)) {
                continue;
            }
            let Some((steady, since)) = memory.cell(cell) else { continue };
            match (recorded, steady) {
                (None, Steady::Empty) => {}
                (None, Steady::Tile(candidates)) => {
                    let is_none = candidates.first().is_some_and(|top| {
                        none.get(&cell)
                            .is_some_and(|(tile, turned)| (&top.tile, &top.rotation) == (tile, turned))
                    });
                    if !is_none && !memory.is_covered_near(cell) {
                        let figures = memory.figures(cell);
                        difference.new.push(NewTile { cell, candidates, figures, since });
                    }
                }
                (Some(_), Steady::Empty) => {
                    if !excused.contains(&cell) {
                        difference.gone.push(cell);
                    }
                }
                (Some((tile, rotation)), Steady::Tile(candidates)) => {
                    let id = position.tile_id(tile).unwrap_or_default();
                    let recorded = candidates.iter().find(|c| c.tile == id && c.rotation == rotation);
                    let agrees = match (candidates.first(), recorded) {
                        (None, _) => true,
                        (Some(top), Some(recorded)) => recorded.confidence >= 0.5 * top.confidence,
                        (Some(top), None) => top.confidence < 0.2,
                    };
                    if !agrees {
                        difference.changed.push((cell, candidates, since));
                    }
                }
            }
        }
        difference
    }
}
