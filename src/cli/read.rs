use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use image::RgbImage;
use serde::Serialize;

use super::figure_way::FigureWay;
use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::observation::{
    Alternative, CellReading, CellState, Figure, FigureReading, MarkerReading, Observation, WallTileReading,
};
use crate::rules::castle::validate;
use crate::vision::base::photo;
use crate::vision::read::drawing;
use crate::vision::tiles::recogniser::OnnxMatcher;
use crate::vision::{Reader, ReaderSetup};
use crate::{library, picture, references, table};

/// Reads one photo: cell, tile, rotation, confidence, followers.
///
/// With a wall, the cells are the wall's; without, columns and rows count from
/// the upper left tile. Rotations are clockwise quarter turns from how the tile
/// was enrolled. Followers are read in the colours that are named, keeps with a wall.
#[derive(Debug, Args)]
pub struct Read {
    /// The photo.
    photo: PathBuf,
    /// The deck that lies on the table: `house`, an enrolled deck's name, or a path.
    #[arg(long, value_name = "D")]
    deck: String,
    /// The wall round it: `house`, a surveyed wall's name, or a path.
    #[arg(long, value_name = "W")]
    wall: Option<String>,
    /// The colours of the players' figures, as words.
    #[arg(long, value_delimiter = ',', value_name = "C,D")]
    colours: Vec<String>,
    /// The colour of the figure that is nobody's, the count, where it is to be found, too.
    #[arg(long, value_name = "E")]
    neutral: Option<String>,
    /// The players' pieces as `castellan pieces` measured them: a name or a path. Without
    /// --colours their colours are those that are read.
    #[arg(long, value_name = "MINE")]
    pieces: Option<String>,
    /// Read with this model, not the built-in one.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Find figures in this way: network, colours, or the .onnx file of a network; without
    /// it, as the program does.
    #[arg(long, value_name = "WAY")]
    figures: Option<FigureWay>,
    /// Write the photo with the reading drawn over it (PNG or JPEG).
    #[arg(long, value_name = "OUT")]
    drawn: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    cells: Vec<Row<'a>>,
    #[serde(skip_serializing_if = "<[MarkerReading]>::is_empty")]
    markers: &'a [MarkerReading],
    #[serde(skip_serializing_if = "<[WallTileReading]>::is_empty")]
    wall_tiles: &'a [WallTileReading],
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
    figures: &'a [FigureReading],
    #[serde(skip_serializing_if = "Option::is_none")]
    corners: Option<[[f64; 2]; 4]>,
}

impl Read {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let place = library::deck(&self.deck)?;
        let wall = match &self.wall {
            Some(name) => {
                let wall = library::wall(name)?;
                if let Some(finding) = validate::check_wall(&wall).first() {
                    talk!(
                        "to play with this wall, correct it first, see `castellan check {name}`: {}",
                        finding.sentence
                    );
                }
                Some(table::surveyed(name, &wall)?)
            }
            None => None,
        };
        let measured = self.pieces.as_deref().map(library::pieces).transpose()?;
        let pieces = match &measured {
            Some(own) if self.colours.is_empty() => own.players.clone(),
            Some(own) => own.of(&self.colours)?,
            None => Vec::new(),
        };
        let words = self.colours.iter().filter(|_| measured.is_none());
        let mut colours = words.map(|word| known(word)).collect::<anyhow::Result<Vec<[u8; 3]>>>()?;
        colours.extend(pieces.iter().map(|p| p.rgb));
        let frame = photo::open(&self.photo)?;
        let matcher = OnnxMatcher::open(self.model.as_deref())?;
        let references = references::of_deck(&place)?;
        let mut reader =
            Reader::new(ReaderSetup { deck: place.deck, references, wall, colours, matcher: &matcher })?;
        reader.know_pieces(pieces);
        if let Some(word) = &self.neutral {
            reader.know_neutral(known(word)?)?;
        }
        if let Some(fronts) = self.wall.as_deref().map(references::of_wall_tiles).transpose()?.flatten() {
            reader.know_wall_tiles(&fronts);
        }
        if let Some(way) = &self.figures {
            reader.find_figures(way.open()?);
        }
        let observation = reader.read(&frame)?;
        let places = reader.places();
        if let Some(out) = &self.drawn {
            write_drawing(&frame, &observation, &places, out)?;
        }
        if self.json {
            let cells = observation.cells.iter().map(|c| row(c, corners(&places, c))).collect();
            let Observation { markers, wall_tiles, warnings, .. } = &observation;
            out::json(&Report { cells, markers, wall_tiles, warnings })?;
        } else {
            print_cells(&observation)?;
        }
        let doubtful = observation.cells.iter().any(|c| c.state == CellState::Unknown);
        Ok(if doubtful { Outcome::Findings } else { Outcome::Done })
    }
}

fn corners(places: &[drawing::Placed], cell: &CellReading) -> Option<[[f64; 2]; 4]> {
    places.iter().find(|(c, _)| (c.col, c.row) == (cell.col, cell.row)).map(|(_, corners)| *corners)
}

fn row(cell: &CellReading, corners: Option<[[f64; 2]; 4]>) -> Row<'_> {
    Row {
        col: cell.col,
        row: cell.row,
        state: cell.state,
        tile: cell.tile.as_deref(),
        rotation: cell.rotation,
        confidence: cell.confidence,
        alternatives: &cell.alternatives,
        figures: &cell.figures,
        corners,
    }
}

fn write_drawing(
    frame: &RgbImage,
    observation: &Observation,
    places: &[drawing::Placed],
    out: &Path,
) -> anyhow::Result<()> {
    picture::save(out, &drawing::draw(frame, observation, places)?).with_context(|| {
        format!("the drawing cannot be written; name a .png or .jpg file: {}", out.display())
    })
}

/// A line a cell that holds something.
fn print_cells(observation: &Observation) -> anyhow::Result<()> {
    outln!("column  row  tile          turn  sure   on it")?;
    let mut counts = [0_usize; 3];
    for cell in &observation.cells {
        let sure = format!("{:.0} %", 100.0 * cell.confidence);
        let at = format!("{:>6}  {:>3}", cell.col, cell.row);
        match cell.state {
            CellState::Tile => {
                counts[0] += 1;
                let tile = cell.tile.as_deref().unwrap_or_default();
                let on_it: Vec<String> = cell.figures.iter().map(figure).collect();
                let line = format!("{at}  {tile:<12}  {:>4}  {sure:>5}  {}", cell.rotation, on_it.join(", "));
                outln!("{}", line.trim_end())?;
            }
            CellState::Unknown => {
                counts[1] += 1;
                let other = |a: &Alternative| format!("{} turned {}", a.tile, a.rotation);
                let maybe: Vec<String> = cell.alternatives.iter().take(2).map(other).collect();
                let maybe =
                    if maybe.is_empty() { String::new() } else { format!("perhaps {}", maybe.join(" or ")) };
                outln!("{at}  unknown  {maybe}")?;
            }
            CellState::Covered => {
                counts[2] += 1;
                outln!("{at}  hidden")?;
            }
            CellState::Empty => {}
        }
    }
    for marker in &observation.markers {
        let (player, sure) = (marker.player + 1, 100.0 * marker.confidence);
        outln!("marker of player {player} on space {}, {sure:.0} %", marker.space)?;
    }
    for WallTileReading { number, x, y, confidence } in &observation.wall_tiles {
        outln!("wall tile {number} face up at {x:.1}, {y:.1}, {:.0} %", 100.0 * confidence)?;
    }
    let mut summary = format!("{} tiles", counts[0]);
    for (count, what) in [(counts[1], "unknown"), (counts[2], "hidden")] {
        if count > 0 {
            summary.push_str(&format!(", {count} {what}"));
        }
    }
    talk!("{summary}");
    for warning in &observation.warnings {
        talk!("{warning}");
    }
    Ok(())
}

/// The colour that a word means, sRGB.
fn known(word: &str) -> anyhow::Result<[u8; 3]> {
    table::known_colour(word)
        .with_context(|| format!("`{word}` is no colour that is known; write blue or yellow, say"))
}

fn figure(figure: &FigureReading) -> String {
    let what = match figure.figure {
        Figure::Follower => "follower",
        Figure::Keep => "keep",
        Figure::Neutral => return "figure of nobody".to_owned(),
    };
    format!("{what} of player {}", figure.player + 1)
}
