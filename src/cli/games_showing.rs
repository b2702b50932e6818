//! Films of games as a live table takes them: their frames, or what was read in them before.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::Context;
use image::RgbImage;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::filmed::{self, FrameLine, SCANNED};
use crate::capture::{CaptureError, Frame, FrameSource};
use crate::observation::Observation;
use crate::picture::Limits;
use crate::record::{Game, Log};
use crate::rules::{Deck, FaceMap, Wall};
use crate::studio::{Film, PrintedSet, Projector, Script, scan, survey_picture};
use crate::vision::faces;
use crate::vision::tiles::recogniser::OnnxMatcher;
use crate::vision::{Reader, ReaderSetup, SurveyedWall};
use crate::{files, library, picture, table};

/// A film that can be watched.
pub(super) struct Showing {
    pub name: String,
    pub script: Script,
    pub truth: Game,
    pub wall: Option<Wall>,
    pub deck: Deck,
    pub layouts: Vec<Option<FaceMap>>,
    /// The players' colours, then that of the figure that is nobody's, sRGB.
    pub colours: Vec<[u8; 3]>,
    references: Vec<(String, RgbImage)>,
    surveyed: Option<SurveyedWall>,
}

/// A film's folder, or those in a folder.
///
/// # Errors
/// Where there is none.
pub(super) fn film_folders(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let is_film = |p: &Path| p.join("script.json").is_file();
    if is_film(dir) {
        return Ok(vec![dir.to_owned()]);
    }
    let entries =
        std::fs::read_dir(dir).with_context(|| format!("the folder cannot be read: {}", dir.display()))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| is_film(p)).collect();
    folders.sort();
    anyhow::ensure!(
        !folders.is_empty(),
        "no film is here; `castellan render --games 1 --unseen --out DIR` makes one: {}",
        dir.display()
    );
    Ok(folders)
}

/// The longest script, and the longest list of frames, bytes.
const MOST_TEXT: u64 = 16 << 20;
/// The most that was read in a film, bytes.
const MOST_READINGS: u64 = 1 << 30;

/// What is known of the frames of a film that was written to a folder.
pub(super) fn frame_lines(folder: &Path) -> anyhow::Result<Vec<FrameLine>> {
    let path = folder.join("frames.jsonl");
    let text =
        files::read_text(&path, MOST_TEXT).with_context(|| format!("cannot be read: {}", path.display()))?;
    text.lines()
        .map(|line| {
            let line: FrameLine = serde_json::from_str(line)
                .with_context(|| format!("not as `castellan render` writes it: {}", path.display()))?;
            let plain = Path::new(&line.frame).components().count() == 1 && !line.frame.starts_with('.');
            anyhow::ensure!(plain, "a frame must lie in the folder itself: {}", path.display());
            Ok(line)
        })
        .collect()
}

impl Showing {
    /// A film that is made while it is watched: its deck scanned and its wall surveyed as an
    /// owner would.
    pub(super) fn of(film: &Film) -> anyhow::Result<Showing> {
        let mut rng = Pcg64Mcg::seed_from_u64(film.script.entry.seed ^ SCANNED);
        let (references, surveyed) = instruments(&film.set, &mut rng);
        Ok(Showing {
            name: film.script.entry.name.clone(),
            script: film.script.clone(),
            truth: film.truth.clone(),
            wall: film.wall.clone(),
            deck: film.deck.clone(),
            layouts: faces::layouts(&film.deck, &references)?,
            colours: film.colours.clone(),
            references,
            surveyed,
        })
    }

    /// A film that was written to a folder.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Showing> {
        let path = folder.join("script.json");
        let text = files::read_text(&path, MOST_TEXT)
            .with_context(|| format!("cannot be read: {}", path.display()))?;
        let script: Script = serde_json::from_str(&text)
            .with_context(|| format!("not as `castellan render` writes it: {}", path.display()))?;
        let deck = library::deck(&folder.join("deck.toml").to_string_lossy())?.deck;
        let open = |id: &str| {
            let path = folder.join(format!("references/{id}.png"));
            picture::open(&path, &Limits::TILE).map_err(|e| anyhow::anyhow!("{e}: {}", path.display()))
        };
        let references: Vec<(String, RgbImage)> =
            deck.tiles.iter().map(|t| Ok((t.id.clone(), open(&t.id)?))).collect::<anyhow::Result<_>>()?;
        let file = folder.join("wall.toml");
        let wall = file.is_file().then(|| library::wall(&file.to_string_lossy())).transpose()?;
        let surveyed =
            wall.as_ref().map(|wall| table::surveyed(&file.to_string_lossy(), wall)).transpose()?;
        let truth = Log::open(&folder.join("game.jsonl"))?.replay(wall.as_ref(), &deck)?;
        Ok(Showing {
            name: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
            layouts: faces::layouts(&deck, &references)?,
            colours: filmed::figure_colours(&script.entry),
            script,
            truth,
            wall,
            deck,
            references,
            surveyed,
        })
    }

    /// The players' colours, sRGB.
    pub(super) fn players_colours(&self) -> &[[u8; 3]] {
        self.colours.get(..self.script.entry.colours.len()).unwrap_or(&self.colours)
    }

    /// What reads the film's frames.
    pub(super) fn reader(&mut self) -> anyhow::Result<Reader> {
        let matcher = OnnxMatcher::built_in()?;
        let players = self.script.entry.colours.len();
        let setup = ReaderSetup {
            deck: self.deck.clone(),
            references: std::mem::take(&mut self.references),
            wall: self.surveyed.take(),
            colours: self.players_colours().to_vec(),
            matcher: &matcher,
        };
        let mut reader = Reader::new(setup)?;
        if let (Some(neutral), true) = (self.colours.get(players), self.truth.position().neutral().is_some())
        {
            reader.know_neutral(*neutral)?;
        }
        reader.expect_film();
        Ok(reader)
    }
}

/// The scans and the survey in the order in which `render` draws their seeds.
fn instruments(set: &PrintedSet, rng: &mut Pcg64Mcg) -> (Vec<(String, RgbImage)>, Option<SurveyedWall>) {
    let references = set.pictures.iter().map(|(id, p)| (id.clone(), scan(p, rng.random()))).collect();
    let wall = set.wall.as_ref().map(|standing| {
        let survey = survey_picture(standing, rng.random());
        SurveyedWall {
            wall: survey.wall,
            picture: survey.picture,
            px_per_tile: survey.px_per_tile,
            origin_px: survey.origin_px,
        }
    });
    (references, wall)
}

/// What was read in a frame.
#[derive(Serialize, Deserialize)]
pub(super) struct ReadingLine {
    /// Seconds since the film began.
    pub t: f64,
    /// What it shows; without it the board was not found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Observation>,
}

/// The file of what was read in a film's frames.
pub(super) const READINGS: &str = "readings.jsonl";

/// What was read in the frames of a film before, where its folder has that.
pub(super) fn readings(folder: &Path) -> anyhow::Result<Option<Vec<ReadingLine>>> {
    let path = folder.join(READINGS);
    if !path.is_file() {
        return Ok(None);
    }
    let text = files::read_text(&path, MOST_READINGS)
        .with_context(|| format!("cannot be read: {}", path.display()))?;
    let lines = text.lines().map(|line| {
        serde_json::from_str(line)
            .with_context(|| format!("not as `castellan evaluate` writes it: {}", path.display()))
    });
    lines.collect::<anyhow::Result<_>>().map(Some)
}

/// Where the frames of a film come from.
pub(super) enum Shots<'a> {
    Projected(Box<Projector<'a>>),
    Folder(PathBuf, Vec<FrameLine>),
}

/// When a frame was handed out.
#[derive(Clone, Copy)]
pub(super) struct Handed {
    pub changed: bool,
    pub at: Instant,
    pub cpu: Option<u64>,
}

/// The frames of a film as a source: time is the film's.
pub(super) struct Playing<'a> {
    pub shots: Shots<'a>,
    /// Frames a second.
    pub rate: f64,
    pub frames: usize,
    pub next: usize,
    /// Seconds that a frame takes to read.
    pub lag: f64,
    pub handed: Arc<Mutex<Option<Handed>>>,
    /// Seconds that it took to make the frames.
    pub made: Arc<Mutex<f64>>,
}

impl FrameSource for Playing<'_> {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        if self.next >= self.frames {
            return Ok(None);
        }
        let begun = Instant::now();
        let (image, t, changed) = match &mut self.shots {
            Shots::Projected(projector) => {
                let frame = projector.frame(self.next);
                (frame.picture, frame.t, frame.changed)
            }
            Shots::Folder(folder, lines) => {
                let line = &lines[self.next];
                let path = folder.join(&line.frame);
                let image = picture::open(&path, &Limits::PHOTO)
                    .map_err(|e| CaptureError::Picture(e, path.clone()))?;
                (image, line.t, line.changed)
            }
        };
        *held(&self.made) += begun.elapsed().as_secs_f64();
        let skipped = (self.lag * self.rate).floor() as usize;
        self.next += skipped.max(1);
        *held(&self.handed) = Some(Handed { changed, at: Instant::now(), cpu: cpu_ns() });
        Ok(Some(Frame { image, t, name: String::new() }))
    }

    fn is_live(&self) -> bool {
        false
    }
}

pub(super) fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Processor time that all threads of this process have had, nanoseconds, where the system
/// tells it.
pub(super) fn cpu_ns() -> Option<u64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let of = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some(threads.flatten().filter_map(of).sum())
}
