use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use image::RgbImage;
use serde::Serialize;

use super::evaluate_games::{self, Options};
use super::figure_way::FigureWay;
use super::games_judge::shows_same;
use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::calibrate::pieces;
use crate::observation::{CellState, Figure, FigureReading, Observation};
use crate::pieces::PlayerPieces;
use crate::rules::{Deck, FaceMap, Rotation};
use crate::studio::{CellTruth, FigureTruth, MarkerTruth, Truth};
use crate::vision::base::crop::{CELL_PX, CROP_PX, MARGIN_PX};
use crate::vision::base::photo;
use crate::vision::figures::Way;
use crate::vision::tiles::recogniser::{HogMatcher, LocalFeatureMatcher, Matcher, NccMatcher, OnnxMatcher};
use crate::vision::wall::registration::WallFinder;
use crate::vision::{Reader, ReaderSetup, SurveyedWall};
use crate::{files, library, table};

/// Reads labelled photos and compares with the truth, our recogniser and plain
/// methods side by side.
///
/// DIR is a folder as `castellan render --boards` writes it, or a folder of
/// such folders: photo.jpg, truth.json, deck.toml, references/, and for a table
/// with a wall wall.toml, wall.png and wall.json.
///
/// With --games films of whole games are watched, and what the table records is held
/// against what was played: of the recorded-game suite, or of DIR as
/// `castellan render --games` writes it. Right at once is what is in the record 6 seconds
/// of the film after it could be seen.
#[derive(Debug, Args)]
pub struct Evaluate {
    /// The folder.
    #[arg(required_unless_present = "games")]
    dir: Option<PathBuf>,
    /// Watch films of whole games.
    #[arg(long, conflicts_with_all = ["matcher", "confident"])]
    games: bool,
    /// Only these games of the suite, by their numbers: 1 to 30 castle, 31 to 36
    /// classic, 37 to 46 classic with modules.
    #[arg(long, requires = "games", value_delimiter = ',', value_name = "K", conflicts_with = "dir")]
    only: Vec<usize>,
    /// Games of another suite of the same kind, from this seed, in place of the recorded-game
    /// suite, from which no setting may be taken.
    #[arg(long, requires = "games", conflicts_with = "dir", value_name = "S")]
    seed: Option<u64>,
    /// Only the first 12 turns of each game of the suite.
    #[arg(long, requires = "games", conflicts_with = "dir")]
    short: bool,
    /// A frame takes so many seconds to read; those that come meanwhile are left out.
    #[arg(long, requires = "games", default_value_t = 0.0, value_name = "S")]
    lag: f64,
    /// One JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Only these matchers, by the names in the table.
    #[arg(long)]
    matcher: Vec<String>,
    /// From which confidence on a wrong reading counts as a confident error.
    #[arg(long, default_value_t = 0.9)]
    confident: f32,
    /// Find figures in each of these ways: network, colours, or the .onnx file of a
    /// network; without it, as the program does.
    #[arg(long, value_delimiter = ',', value_name = "WAY")]
    figures: Vec<FigureWay>,
    /// Also read each photo by the words of the colours, and by what the pieces in
    /// pieces.jpg, as `castellan render --set-up` takes it, teach: their paints, and then
    /// their sizes too. Where they can't be measured, the words must do.
    #[arg(long, conflicts_with = "games")]
    taught: bool,
    /// Every cell that was read wrong, or every event that was not right at once, on stderr.
    #[arg(long)]
    details: bool,
    /// Someone at the table answers each doubt that offers a choice, ten seconds after it is
    /// said, as it was played; the others stay open.
    #[arg(long, requires = "games")]
    answers: bool,
    /// Write the record of each film here, as it was kept while it was watched.
    #[arg(long, requires = "games", value_name = "OUT")]
    records: Option<PathBuf>,
    /// Write what is read in each frame here, a folder for each film: --games with it as DIR then
    /// tries the tracker alone, in seconds.
    #[arg(long, requires = "games", value_name = "OUT")]
    readings: Option<PathBuf>,
}

/// A cell of which a hand hides more, or of which more lies outside the
/// picture, is counted apart.
const HIDDEN: f32 = 0.02;
/// A figure of which less can be seen is not asked for, pixels.
const MIN_FIGURE_PX: u32 = 12;

/// From which confidence on each row of the calibration counts.
const CONFIDENCES: [f32; 7] = [0.0, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999];

/// One labelled photo.
struct Sample {
    name: String,
    photo: RgbImage,
    truth: Truth,
    deck: Deck,
    references: Vec<(String, RgbImage)>,
    wall: Option<SurveyedWall>,
    /// The players' colours, sRGB: as they are, and as their words usually are.
    colours: [Vec<[u8; 3]>; 2],
    /// What the pieces teach, if it was asked for and could be measured.
    taught: Option<Vec<PlayerPieces>>,
}

/// What is known of the pieces when a photo is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knowing {
    /// Their true paints.
    True,
    /// The words of their colours.
    Words,
    /// Measured paints.
    Paints,
    /// Measured paints and sizes.
    Sizes,
}

/// What a matcher got right and wrong over all photos.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Tally {
    matcher: String,
    /// How figures were found.
    figure_way: String,
    /// Photos, photos that could not be read at all, and photos read without an
    /// error in any cell in full view.
    boards: u32,
    unreadable: u32,
    faultless: u32,
    /// Tiles in full view: all, read as what the rules see there (the right
    /// face lying the right way round), of these with the very print and turn,
    /// read as another face, as an empty cell, as unknown or covered.
    tiles: u32,
    right: u32,
    exact: u32,
    wrong: u32,
    missed: u32,
    unknown: u32,
    /// Wrong readings that were given as sure.
    confident_errors: u32,
    /// Empty cells in full view, and tiles seen on them.
    empty: u32,
    false_tiles: u32,
    /// Tiles partly hidden by a hand or the picture's border, those read right,
    /// and those read as another tile.
    hidden: u32,
    hidden_right: u32,
    hidden_wrong: u32,
    /// Figures on cells in full view, those found with kind and player
    /// right, of these those whose foot is seen on the right feature, and figures seen
    /// that are not there.
    figures: u32,
    figures_right: u32,
    figures_placed: u32,
    false_figures: u32,
    /// Markers on track spaces in the picture, those whose space is named as the likeliest,
    /// those of which another is named with a posterior of at least 0.9, and those whose
    /// space is as good as excluded (a posterior below 0.02 while another has 0.9).
    markers: u32,
    markers_right: u32,
    markers_sure_wrong: u32,
    markers_excluded: u32,
    /// Crops cut where the tiles' cells truly are, and those of which the best
    /// score alone names tile and rotation right.
    crops: u32,
    crops_right: u32,
    /// Of tiles in full view that were named: how many in each range of
    /// confidence, and how many of these are right.
    calibration: [Calibration; CONFIDENCES.len()],
    /// Mean time to read a photo, registration included, milliseconds.
    ms: f64,
}

/// Readings of about the same confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Calibration {
    named: u32,
    right: u32,
    /// The sum of their confidences.
    confidence: f64,
}

/// How far the wall was found from where it is, in tile sides, over the corners
/// of all cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct RegistrationTally {
    boards: u32,
    not_found: u32,
    /// Median and 95th percentile over all corners, and the worst corner.
    median: f32,
    p95: f32,
    worst: f32,
}

#[derive(Serialize)]
struct Report {
    registration: Option<RegistrationTally>,
    matchers: Vec<Tally>,
}

impl Evaluate {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let dir = match (self.games, self.dir.clone()) {
            (false, Some(dir)) => dir,
            (_, dir) => {
                let (only, lag) = (self.only, self.lag.max(0.0));
                let (short, json, details) = (self.short, self.json, self.details);
                anyhow::ensure!(
                    self.figures.len() < 2,
                    "films are watched with one way to find figures; name one"
                );
                let figures = self.figures.first().map(|way| way.open()).transpose()?;
                let (records, answers, readings) = (self.records, self.answers, self.readings);
                return evaluate_games::run(&Options {
                    dir,
                    only,
                    short,
                    lag,
                    figures,
                    json,
                    details,
                    answers,
                    records,
                    readings,
                    seed: self.seed,
                });
            }
        };
        let folders = sample_folders(&dir)?;
        let mut matchers = matchers()?;
        let names: Vec<String> = matchers.iter().map(|m| m.name().to_owned()).collect();
        matchers.retain(|m| self.matcher.is_empty() || self.matcher.iter().any(|name| name == m.name()));
        if matchers.is_empty() {
            anyhow::bail!("no such matcher; there are {}", names.join(", "));
        }
        let mut ways: Vec<(String, Option<Way>, Knowing)> = Vec::new();
        let knowing: &[(&str, Knowing)] = match self.taught {
            false => &[("", Knowing::True)],
            true => &[
                ("", Knowing::True),
                (", words", Knowing::Words),
                (", paints", Knowing::Paints),
                (", sizes", Knowing::Sizes),
            ],
        };
        for (what, knowing) in knowing {
            for way in &self.figures {
                ways.push((format!("{}{what}", way.name()), Some(way.open()?), *knowing));
            }
            if self.figures.is_empty() {
                ways.push((format!("usual{what}"), None, *knowing));
            }
        }
        let rows: Vec<_> = matchers.iter().flat_map(|m| ways.iter().map(move |way| (m, way))).collect();
        let mut tallies: Vec<Tally> = rows
            .iter()
            .map(|(m, way)| Tally {
                matcher: m.name().to_owned(),
                figure_way: way.0.clone(),
                ..Tally::default()
            })
            .collect();
        let mut corners = Corners::default();
        for folder in &folders {
            let mut sample = Sample::read(folder)?;
            talk!("{}", sample.name);
            if self.taught {
                sample.learn(folder)?;
            }
            corners.add(&sample)?;
            for ((matcher, way), tally) in rows.iter().zip(&mut tallies) {
                self.judge(&sample, matcher.as_ref(), (way.1.as_ref(), way.2), tally)?;
            }
        }
        for tally in &mut tallies {
            tally.ms /= f64::from((tally.boards - tally.unreadable).max(1));
        }
        let report = Report { registration: corners.tally(), matchers: tallies };
        if self.json {
            out::json(&report)?;
        } else {
            print_table(&report)?;
        }
        Ok(Outcome::Done)
    }

    fn judge(
        &self,
        sample: &Sample,
        matcher: &dyn Matcher,
        (way, knowing): (Option<&Way>, Knowing),
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        tally.boards += 1;
        sample.judge_crops(matcher, tally)?;
        let [as_they_are, of_words] = &sample.colours;
        let colours = match (knowing, &sample.taught) {
            (Knowing::True, _) => as_they_are.clone(),
            (Knowing::Paints | Knowing::Sizes, Some(taught)) => taught.iter().map(|p| p.rgb).collect(),
            _ => of_words.clone(),
        };
        let mut reader = Reader::new(ReaderSetup {
            deck: sample.deck.clone(),
            references: sample.references.clone(),
            wall: sample.wall.clone(),
            colours,
            matcher,
        })?;
        if let (Knowing::Sizes, Some(taught)) = (knowing, &sample.taught) {
            reader.know_pieces(taught.clone());
        }
        if let Some(way) = way {
            reader.find_figures(way.clone());
        }
        let start = Instant::now();
        let observation = match reader.read(&sample.photo) {
            Ok(observation) => observation,
            Err(error) => {
                tally.unreadable += 1;
                talk!("{}, {}: {error}", sample.name, tally.matcher);
                let tiles = sample.truth.cells.iter().filter(|c| c.tile.is_some() && !is_hidden(c));
                tally.tiles += tiles.clone().count() as u32;
                tally.unknown += tiles.count() as u32;
                return Ok(());
            }
        };
        tally.ms += start.elapsed().as_secs_f64() * 1000.0;
        self.judge_markers(sample, &observation, tally);
        let wrong = self.judge_cells(sample, &observation, tally);
        tally.faultless += u32::from(!wrong);
        Ok(())
    }

    /// Whether a cell in full view was read wrong.
    fn judge_cells(&self, sample: &Sample, observation: &Observation, tally: &mut Tally) -> bool {
        let (dc, dr) = offset(&sample.truth);
        let mut any_wrong = false;
        for cell in &sample.truth.cells {
            let place = (cell.cell.col - dc, cell.cell.row - dr);
            let reading = observation.cells.iter().find(|r| (r.col, r.row) == place);
            let state = reading.map_or(CellState::Empty, |r| r.state);
            let seen = reading
                .filter(|r| r.state == CellState::Tile)
                .and_then(|r| Some((r.tile.as_deref()?, r.rotation, r.confidence)));
            let hidden = is_hidden(cell);
            let Some(tile) = &cell.tile else {
                if !hidden {
                    tally.empty += 1;
                    if let Some((id, ..)) = seen {
                        tally.false_tiles += 1;
                        any_wrong = true;
                        self.tell(sample, tally, place, "nothing", id);
                    }
                }
                continue;
            };
            let lies = (tile.id.as_str(), tile.rotation.quarters());
            let exact = seen.is_some_and(|(id, turn, _)| (id, turn) == lies);
            let right = exact
                || seen.is_some_and(|(id, turn, _)| {
                    shows_same(&sample.deck, (id, Rotation::new(turn)), (&tile.id, tile.rotation))
                });
            if hidden {
                tally.hidden += 1;
                tally.hidden_right += u32::from(right);
                tally.hidden_wrong += u32::from(seen.is_some() && !right);
                continue;
            }
            tally.tiles += 1;
            any_wrong |= !right;
            if let Some((.., confidence)) = seen {
                let row = CONFIDENCES.partition_point(|from| *from <= confidence).saturating_sub(1);
                tally.calibration[row].named += 1;
                tally.calibration[row].right += u32::from(right);
                tally.calibration[row].confidence += f64::from(confidence);
            }
            match (seen, state) {
                _ if right => {
                    tally.right += 1;
                    tally.exact += u32::from(exact);
                }
                (Some((id, turn, confidence)), _) => {
                    tally.wrong += 1;
                    tally.confident_errors += u32::from(confidence >= self.confident);
                    let truth = format!("{} turned {}", tile.id, tile.rotation.quarters());
                    self.tell(sample, tally, place, &truth, &format!("{id} turned {turn} ({confidence:.2})"));
                }
                (None, CellState::Empty) => {
                    tally.missed += 1;
                    self.tell(sample, tally, place, &tile.id, "nothing");
                }
                (None, state) => {
                    tally.unknown += 1;
                    self.tell(sample, tally, place, &tile.id, &format!("{state:?}").to_lowercase());
                }
            }
            self.judge_figures(sample, cell, place, reading.map_or(&[], |r| &r.figures), tally);
        }
        any_wrong
    }

    fn judge_markers(&self, sample: &Sample, observation: &Observation, tally: &mut Tally) {
        let size = sample.truth.size;
        let (width, height) = (size.0 as f32, size.1 as f32);
        let in_picture = |m: &&MarkerTruth| {
            let [x, y] = m.foot;
            (0.0..width).contains(&x) && (0.0..height).contains(&y)
        };
        for marker in sample.truth.markers.iter().filter(in_picture) {
            tally.markers += 1;
            let seen = observation.markers.iter().find(|m| m.player == marker.player);
            let truth = format!("player {}'s marker on {}", marker.player, marker.space);
            match seen {
                Some(seen) => {
                    let (right, sure) = (seen.space == marker.space, seen.confidence >= 0.9);
                    tally.markers_right += u32::from(right);
                    tally.markers_sure_wrong += u32::from(sure && !right);
                    tally.markers_excluded += u32::from(sure && seen.posterior(marker.space) < 0.02);
                    if !right && self.details {
                        talk!("{}: {truth} was read as {seen:?}", sample.name);
                    }
                }
                None if self.details => talk!("{}: {truth} was not seen", sample.name),
                None => {}
            }
        }
    }

    fn judge_figures(
        &self,
        sample: &Sample,
        cell: &CellTruth,
        place: (i8, i8),
        seen: &[FigureReading],
        tally: &mut Tally,
    ) {
        let mut used = vec![false; seen.len()];
        let name = |figure: Figure, player: u8| format!("a {figure:?} of player {player}").to_lowercase();
        for figure in cell.figures.iter().filter(|f| f.pixels >= MIN_FIGURE_PX) {
            tally.figures += 1;
            let far = |s: &FigureReading| (s.x - figure.x).hypot(s.y - figure.y);
            let best = seen
                .iter()
                .enumerate()
                .filter(|(i, s)| !used[*i] && s.figure == figure.figure && s.player == figure.player)
                .min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
            match best {
                Some((i, _)) => {
                    used[i] = true;
                    tally.figures_right += 1;
                    if placed(sample, cell, figure, &seen[i]) {
                        tally.figures_placed += 1;
                    } else {
                        let spot = |x: f32, y: f32| format!("{x:.2}, {y:.2}");
                        let truth =
                            format!("{} at {}", name(figure.figure, figure.player), spot(figure.x, figure.y));
                        self.tell(
                            sample,
                            tally,
                            place,
                            &truth,
                            &format!("one at {}", spot(seen[i].x, seen[i].y)),
                        );
                    }
                }
                None => self.tell(sample, tally, place, &name(figure.figure, figure.player), "nothing"),
            }
        }
        for (s, _) in seen.iter().zip(&used).filter(|(_, used)| !**used) {
            tally.false_figures += 1;
            let seen = format!("{} ({:.2})", name(s.figure, s.player), s.confidence);
            self.tell(sample, tally, place, "no such figure", &seen);
        }
    }

    fn tell(&self, sample: &Sample, tally: &Tally, place: (i8, i8), truth: &str, seen: &str) {
        if self.details {
            let by = if self.taught { format!(" ({})", tally.figure_way) } else { String::new() };
            talk!("{}, {}{by}, cell {place:?}: {truth} was read as {seen}", sample.name, tally.matcher);
        }
    }
}

/// Whether a figure's foot is seen on the feature that it stands on.
fn placed(sample: &Sample, cell: &CellTruth, figure: &FigureTruth, seen: &FigureReading) -> bool {
    let Some(tile) = &cell.tile else { return false };
    let face = sample.deck.tiles.iter().find(|t| t.id == tile.id).and_then(|t| t.face.as_ref());
    let (Some(face), Some(segment)) = (face, figure.segment) else { return false };
    let (x, y) = (0..tile.rotation.quarters()).fold((seen.x, seen.y), |(x, y), _| (y, 1.0 - x));
    FaceMap::new(face).segment_at(x, y) == Some(usize::from(segment))
}

fn is_hidden(cell: &CellTruth) -> bool {
    cell.covered > HIDDEN || cell.inside < 1.0 - HIDDEN
}

/// Without a wall, cells are counted from the upper left occupied one.
fn offset(truth: &Truth) -> (i8, i8) {
    if truth.wall.is_some() {
        return (0, 0);
    }
    let tiles = || truth.cells.iter().filter(|c| c.tile.is_some()).map(|c| c.cell);
    (tiles().map(|c| c.col).min().unwrap_or(0), tiles().map(|c| c.row).min().unwrap_or(0))
}

/// Our recogniser and the plain methods that it must beat.
fn matchers() -> anyhow::Result<Vec<Box<dyn Matcher>>> {
    Ok(vec![
        Box::new(OnnxMatcher::built_in()?),
        Box::new(HogMatcher),
        Box::new(NccMatcher),
        Box::new(LocalFeatureMatcher),
    ])
}

fn sample_folders(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if dir.join("truth.json").is_file() {
        return Ok(vec![dir.to_owned()]);
    }
    let entries =
        std::fs::read_dir(dir).with_context(|| format!("the folder cannot be read: {}", dir.display()))?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.join("truth.json").is_file()).collect();
    folders.sort();
    if folders.is_empty() {
        anyhow::bail!(
            "no labelled photo is here; `castellan render --boards 10 --out DIR` makes some: {}",
            dir.display()
        );
    }
    Ok(folders)
}

/// The truth beside a photo.
pub(super) fn truth_of(folder: &Path) -> anyhow::Result<Truth> {
    let path = folder.join("truth.json");
    let text = files::read_text(&path, Truth::MOST_TEXT)
        .with_context(|| format!("cannot be read: {}", path.display()))?;
    Truth::from_json(&text).with_context(|| path.display().to_string())
}

impl Sample {
    fn read(folder: &Path) -> anyhow::Result<Sample> {
        let truth = truth_of(folder)?;
        let deck = library::deck(&folder.join("deck.toml").to_string_lossy())?.deck;
        let references = deck
            .tiles
            .iter()
            .map(|t| Ok((t.id.clone(), photo::open_tile(&folder.join(format!("references/{}.png", t.id)))?)))
            .collect::<anyhow::Result<_>>()?;
        let file = folder.join("wall.toml");
        let wall = if file.is_file() {
            let name = file.to_string_lossy();
            Some(table::surveyed(&name, &library::wall(&name)?)?)
        } else {
            None
        };
        let of_words: Vec<[u8; 3]> = truth.words.iter().map(|word| table::colour(word)).collect();
        let of_words = if of_words.is_empty() { truth.colours.clone() } else { of_words };
        Ok(Sample {
            colours: [truth.colours.clone(), of_words],
            taught: None,
            name: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
            photo: photo::open(&folder.join("photo.jpg"))?,
            truth,
            deck,
            references,
            wall,
        })
    }

    /// Measures the pieces in pieces.jpg beside the photo.
    fn learn(&mut self, folder: &Path) -> anyhow::Result<()> {
        let Some(survey) = &self.wall else { return Ok(()) };
        let frame = photo::open(&folder.join("pieces.jpg"))?;
        let words = (0..self.colours[1].len()).map(|player| format!("player {player}"));
        let colours: Vec<(String, [u8; 3])> = words.zip(self.colours[1].iter().copied()).collect();
        match pieces::measure(&[frame], survey, &colours) {
            Ok(measured) => self.taught = Some(measured.pieces.players),
            Err(error) => talk!("{}: {error}", self.name),
        }
        Ok(())
    }

    /// The matcher by itself: crops cut where the cells truly are, each named by
    /// its best score.
    fn judge_crops(&self, matcher: &dyn Matcher, tally: &mut Tally) -> anyhow::Result<()> {
        let references: Vec<RgbImage> = self
            .references
            .iter()
            .map(|r| image::imageops::resize(&r.1, CELL_PX, CELL_PX, image::imageops::FilterType::Triangle))
            .collect();
        let gallery = matcher.enrol(&references)?;
        let cells: Vec<&CellTruth> =
            self.truth.cells.iter().filter(|c| c.tile.is_some() && !is_hidden(c)).collect();
        let crops: Vec<RgbImage> = cells.iter().map(|c| self.crop(c)).collect();
        for (cell, comparison) in cells.iter().zip(gallery.compare(&crops)?) {
            tally.crops += 1;
            if let (Some((i, turn)), Some(tile)) = (comparison.best(), &cell.tile) {
                let right = self.references.get(i).is_some_and(|r| r.0 == tile.id)
                    && turn == tile.rotation.quarters();
                tally.crops_right += u32::from(right);
            }
        }
        Ok(())
    }

    fn crop(&self, cell: &CellTruth) -> RgbImage {
        let margin = MARGIN_PX as f32;
        RgbImage::from_fn(CROP_PX, CROP_PX, |x, y| {
            let mut sum = [0.0; 3];
            for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                let u = f32::from(cell.cell.col) + (x as f32 + dx - margin) / CELL_PX as f32;
                let v = f32::from(cell.cell.row) + (y as f32 + dy - margin) / CELL_PX as f32;
                let at = self.truth.camera.project((u, v, self.truth.tile_thickness));
                let (px, py) = at.unwrap_or((0.0, 0.0));
                for (s, c) in sum.iter_mut().zip(between(&self.photo, px, py)) {
                    *s += c / 4.0;
                }
            }
            image::Rgb(sum.map(|s| s.round() as u8))
        })
    }
}

/// The colour between pixels.
fn between(picture: &RgbImage, x: f32, y: f32) -> [f32; 3] {
    let (w, h) = (picture.width() as f32, picture.height() as f32);
    let (x, y) = (x.clamp(0.0, w - 1.001), y.clamp(0.0, h - 1.001));
    let (i, j) = (x as u32, y as u32);
    let (tx, ty) = (x - i as f32, y - j as f32);
    let at = |dx: u32, dy: u32| {
        picture.get_pixel((i + dx).min(picture.width() - 1), (j + dy).min(picture.height() - 1)).0
    };
    let (a, b, c, d) = (at(0, 0), at(1, 0), at(0, 1), at(1, 1));
    std::array::from_fn(|k| {
        let top = f32::from(a[k]) * (1.0 - tx) + f32::from(b[k]) * tx;
        let low = f32::from(c[k]) * (1.0 - tx) + f32::from(d[k]) * tx;
        top * (1.0 - ty) + low * ty
    })
}

/// Errors of the corners of all cells, in tile sides.
#[derive(Default)]
struct Corners {
    errors: Vec<f32>,
    boards: u32,
    not_found: u32,
}

impl Corners {
    fn add(&mut self, sample: &Sample) -> anyhow::Result<()> {
        let (Some(survey), Some(wall)) = (&sample.wall, &sample.truth.wall) else { return Ok(()) };
        self.boards += 1;
        let Ok(found) = WallFinder::new(survey)?.find(&sample.photo, true) else {
            self.not_found += 1;
            return Ok(());
        };
        let depth = wall.height - sample.truth.tile_thickness;
        for cell in &sample.truth.cells {
            let side =
                (cell.corners[0][0] - cell.corners[1][0]).hypot(cell.corners[0][1] - cell.corners[1][1]);
            for ((u, v), [x, y]) in
                [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].into_iter().zip(cell.corners)
            {
                let (px, py) =
                    found.pose.project(f32::from(cell.cell.col) + u, f32::from(cell.cell.row) + v, depth);
                self.errors.push((px - x).hypot(py - y) / side.max(1.0));
            }
        }
        Ok(())
    }

    fn tally(mut self) -> Option<RegistrationTally> {
        if self.boards == 0 {
            return None;
        }
        self.errors.sort_by(f32::total_cmp);
        let at = |share: f32| {
            let last = self.errors.len().saturating_sub(1);
            self.errors.get((last as f32 * share) as usize).copied().unwrap_or(f32::NAN)
        };
        Some(RegistrationTally {
            boards: self.boards,
            not_found: self.not_found,
            median: at(0.5),
            p95: at(0.95),
            worst: at(1.0),
        })
    }
}

fn print_table(report: &Report) -> anyhow::Result<()> {
    if let Some(r) = &report.registration {
        outln!(
            "registration: {} of {} walls found; corners off by {:.2} % of a tile side (median), {:.2} % (95 %), {:.1} % (worst)",
            r.boards - r.not_found,
            r.boards,
            100.0 * r.median,
            100.0 * r.p95,
            100.0 * r.worst
        )?;
        outln!()?;
    }
    let share = |part: u32, of: u32| {
        if of == 0 { "-".to_owned() } else { format!("{:.2} %", 100.0 * f64::from(part) / f64::from(of)) }
    };
    let mut rows = vec![
        [
            "matcher",
            "tiles right",
            "same print",
            "of",
            "wrong",
            "missed",
            "unknown",
            "sure & wrong",
            "false tiles",
            "faultless",
            "hidden right",
            "figures by",
            "figures right",
            "on their feature",
            "false figures",
            "markers right",
            "markers surely wrong",
            "crop alone",
            "ms",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for t in &report.matchers {
        rows.push(vec![
            t.matcher.clone(),
            share(t.right, t.tiles),
            share(t.exact, t.tiles),
            t.tiles.to_string(),
            t.wrong.to_string(),
            t.missed.to_string(),
            share(t.unknown, t.tiles),
            t.confident_errors.to_string(),
            format!("{}/{}", t.false_tiles, t.empty),
            format!("{}/{}", t.faultless, t.boards),
            format!("{}/{}", t.hidden_right, t.hidden),
            t.figure_way.clone(),
            format!("{}/{}", t.figures_right, t.figures),
            format!("{}/{}", t.figures_placed, t.figures),
            t.false_figures.to_string(),
            format!("{}/{}", t.markers_right, t.markers),
            format!("{} ({} excluded)", t.markers_sure_wrong, t.markers_excluded),
            share(t.crops_right, t.crops),
            format!("{:.0}", t.ms),
        ]);
    }
    print_rows(&rows)?;
    outln!()?;
    print_calibration(report)
}

/// What confidences are worth: a curve as a table, a row a range.
fn print_calibration(report: &Report) -> anyhow::Result<()> {
    let mut rows = vec![["matcher", "confidence", "tiles", "mean", "right"].map(str::to_owned).to_vec()];
    for t in &report.matchers {
        for (i, c) in t.calibration.iter().enumerate().filter(|(_, c)| c.named > 0) {
            let to = CONFIDENCES.get(i + 1).map_or("1".to_owned(), f32::to_string);
            let percent = |v: f64| format!("{:.2} %", 100.0 * v / f64::from(c.named));
            rows.push(vec![
                t.matcher.clone(),
                format!("{} to {to}", CONFIDENCES[i]),
                c.named.to_string(),
                percent(c.confidence),
                percent(f64::from(c.right)),
            ]);
        }
    }
    print_rows(&rows)
}

/// Columns, the first to the left and the others to the right.
fn print_rows(rows: &[Vec<String>]) -> anyhow::Result<()> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |i: usize| rows.iter().filter_map(|r| Some(r.get(i)?.chars().count())).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let line: Vec<String> = cells
            .map(|(i, (c, width))| if i == 0 { format!("{c:<width$}") } else { format!("{c:>width$}") })
            .collect();
        outln!("{}", line.join("  "))?;
    }
    Ok(())
}
