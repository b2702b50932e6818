use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::Outcome;
use crate::library;
use crate::observation::{Alternative, CellReading, CellState, FigureReading, Observation};
use crate::vision::recogniser::{HogMatcher, Matcher};
use crate::vision::{Reader, ReaderSetup, enrol, photo};

/// Reads one photo: cell, tile, rotation, confidence, followers.
#[derive(Debug, Args)]
pub struct Read {
    /// The photo.
    photo: PathBuf,
    /// The deck that lies on the table: `house`, an enrolled deck's name, or a path.
    #[arg(long, value_name = "D")]
    deck: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    cells: Vec<Row<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    col: i8,
    row: i8,
    state: CellState,
    tile: Option<&'a str>,
    rotation: u8,
    confidence: f32,
    alternatives: &'a [Alternative],
    follower: Option<&'a FigureReading>,
    figures: &'a [FigureReading],
    #[serde(skip_serializing_if = "Option::is_none")]
    corners: Option<[[f64; 2]; 4]>,
}

impl Read {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let place = library::deck(&self.deck)?;
        let frame = photo::open(&self.photo)?;
        let references = enrol::references(&place)?;
        let matcher: Box<dyn Matcher> = Box::new(HogMatcher);
        let setup = ReaderSetup { deck: place.deck, references, wall: None, colours: Vec::new(), matcher };
        let mut reader = Reader::new(setup)?;
        let observation = reader.read(&frame).with_context(|| self.photo.display().to_string())?;
        let corners = |cell: &CellReading| {
            reader.places().iter().find(|(c, _)| (c.col, c.row) == (cell.col, cell.row)).map(|(_, q)| *q)
        };
        let cells = observation
            .cells
            .iter()
            .map(|c| Row {
                col: c.col,
                row: c.row,
                state: c.state,
                tile: c.tile.as_deref(),
                rotation: c.rotation,
                confidence: c.confidence,
                alternatives: &c.alternatives,
                follower: c.figures.first(),
                figures: &c.figures,
                corners: corners(c),
            })
            .collect();
        if self.json {
            println!("{}", serde_json::to_string(&Report { cells, warnings: &observation.warnings })?);
        } else {
            let _: &Observation = &observation;
        }
        Ok(Outcome::Done)
    }
}
