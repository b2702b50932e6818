use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use serde::Serialize;

use super::evaluate::truth_of;
use super::out::{self, outln};
use super::outcome::Outcome;
use crate::calibrate::survey::tile_edges::TileEdges;
use crate::calibrate::survey::{self, Hints, Proposal, merge};
use crate::library;
use crate::rules::{TrackPoint, Wall};
use crate::studio::Truth;
use crate::vision::base::photo;

/// How one survey compares with the truth.
#[derive(Debug, Default, Serialize)]
struct Row {
    folder: String,
    /// Why nothing was measured.
    refused: Option<String>,
    outline: bool,
    /// The largest and the mean error of the corners, in tile sides.
    corner: Option<f32>,
    corner_mean: Option<f32>,
    thickness: f32,
    /// How far off the width is, tile sides.
    thickness_off: f32,
    numbered: bool,
    /// Whether towers and track are the true ones.
    numbers: bool,
    /// The mean and the largest error of the borders between plain spaces along
    /// their run, tile sides.
    border_mean: Option<f32>,
    border: Option<f32>,
    /// The mean error of the middles of plain and of tower spaces, tile sides.
    track_off: Option<f32>,
    tower_off: Option<f32>,
    /// Start spaces at a true place, and with the true kinds of segments.
    starts: usize,
    kinds: usize,
    starts_sure: bool,
    seconds: f32,
    doubts: Vec<String>,
}

/// Surveys the photo of each folder (or of the folders in it) and prints how
/// far off the truth it is.
pub(super) fn run(places: &[PathBuf], json: bool) -> anyhow::Result<Outcome> {
    let mut folders = Vec::new();
    for place in places {
        if place.join("truth.json").is_file() {
            folders.push(place.clone());
            continue;
        }
        let list =
            std::fs::read_dir(place).with_context(|| format!("cannot be read: {}", place.display()))?;
        let mut inside: Vec<PathBuf> = list
            .filter_map(Result::ok)
            .map(|e| e.path())
            .filter(|p| p.join("truth.json").is_file())
            .collect();
        inside.sort();
        folders.extend(inside);
    }
    anyhow::ensure!(!folders.is_empty(), "no folders with photo.jpg and truth.json were given");
    let mut rows = Vec::new();
    for folder in folders {
        let row = evaluated(&folder)?;
        if json {
            out::json(&row)?;
        } else {
            print(&row)?;
        }
        rows.push(row);
    }
    if !json {
        summary(&rows)?;
    }
    Ok(Outcome::Done)
}

fn evaluated(folder: &Path) -> anyhow::Result<Row> {
    let truth = truth_of(folder)?;
    let wall = library::wall(&folder.join("wall.toml").to_string_lossy())?;
    let frame = photo::open(&folder.join("photo.jpg"))?;
    let deck = folder.join("deck.toml");
    let edges = deck.is_file().then(|| TileEdges::of_deck(&deck.to_string_lossy())).transpose()?;
    let begun = Instant::now();
    let surveyed = survey::survey(&frame, "survey", Hints { edges: edges.as_ref(), ..Hints::default() });
    let mut row = Row { folder: folder.display().to_string(), ..Row::default() };
    row.seconds = begun.elapsed().as_secs_f32();
    match surveyed {
        Ok(proposal) => compare(&mut row, &proposal, &wall, &truth),
        Err(error) => row.refused = Some(error.to_string()),
    }
    Ok(row)
}

fn compare(row: &mut Row, found: &Proposal, wall: &Wall, truth: &Truth) {
    row.doubts = found.doubts.iter().map(ToString::to_string).collect();
    row.numbered = found.numbered;
    row.starts_sure = !row.doubts.iter().any(|d| d.contains("seven start spaces"));
    row.thickness = found.wall.thickness;
    row.thickness_off = found.wall.thickness - wall.thickness;
    let Some(standing) = &truth.wall else { return };
    let Some(turned) = (0..4).map(|q| merge::turned(wall, q)).find(|w| w.outline == found.wall.outline)
    else {
        return;
    };
    row.outline = true;
    let errors: Vec<f32> = standing
        .corners
        .iter()
        .map(|c| {
            let off = |k: &crate::rules::Corner| {
                let (x, y) = (f32::from(k.x), f32::from(k.y));
                let (u, v) = found.pose.project(x, y, 0.0);
                (u - c[0]).hypot(v - c[1]) / found.pose.tile_px(x, y).max(1.0)
            };
            found.wall.ring().iter().map(off).fold(f32::MAX, f32::min)
        })
        .collect();
    row.corner = errors.iter().copied().reduce(f32::max);
    row.corner_mean = Some(errors.iter().sum::<f32>() / errors.len().max(1) as f32);
    let off: Vec<f32> =
        found.wall.track.iter().zip(&turned.track).map(|(p, q)| (p.x - q.x).hypot(p.y - q.y)).collect();
    let tower = |i: &usize| u8::try_from(*i).is_ok_and(|n| wall.tower_at(n).is_some());
    let mean = |of_towers: bool| {
        let chosen: Vec<f32> = (0..off.len()).filter(|i| tower(i) == of_towers).map(|i| off[i]).collect();
        chosen.iter().sum::<f32>() / chosen.len().max(1) as f32
    };
    let worst = off.iter().copied().fold(0.0, f32::max);
    row.numbers = found.wall.towers == turned.towers && worst < 0.3;
    if row.numbers {
        (row.track_off, row.tower_off) = (Some(mean(false)), Some(mean(true)));
        let borders: Vec<f32> =
            found.borders.iter().filter_map(|(n, p)| border_off(&turned, *n, *p)).collect();
        row.border = borders.iter().copied().reduce(f32::max);
        row.border_mean = Some(borders.iter().sum::<f32>() / borders.len().max(1) as f32);
    }
    for start in &found.wall.starts {
        let Some(true_one) = turned.starts.iter().find(|s| (s.cell, s.side) == (start.cell, start.side))
        else {
            continue;
        };
        row.starts += 1;
        let kinds = |f: &crate::rules::Face| {
            let mut all: Vec<String> =
                f.segments().iter().map(|s| format!("{} {:?}", s.kind, s.ports)).collect();
            all.sort();
            all
        };
        row.kinds += usize::from(kinds(&start.face) == kinds(&true_one.face));
    }
}

/// How far along its run a border is off that between two true spaces.
fn border_off(wall: &Wall, number: u8, found: TrackPoint) -> Option<f32> {
    let (a, b) = (wall.track.get(usize::from(number))?, wall.track.get(usize::from(number) + 1)?);
    let level = (a.x - b.x).abs() > (a.y - b.y).abs();
    Some(if level { found.x - (a.x + b.x) / 2.0 } else { found.y - (a.y + b.y) / 2.0 }.abs())
}

fn print(row: &Row) -> anyhow::Result<()> {
    let show = |v: Option<f32>| v.map_or("-".to_owned(), |v| format!("{v:.4}"));
    match &row.refused {
        Some(why) => outln!("{}  refused: {why}", row.folder),
        None => outln!(
            "{}  outline {}  corner {} mean {}  width {:+.3}  numbered {} right {}  borders {} mean {}  track {} towers {}  \
             starts {}/7{} kinds {}  {:.1} s  {} doubts",
            row.folder,
            if row.outline { "right" } else { "WRONG" },
            show(row.corner),
            show(row.corner_mean),
            row.thickness_off,
            row.numbered,
            row.numbers,
            show(row.border),
            show(row.border_mean),
            show(row.track_off),
            show(row.tower_off),
            row.starts,
            if row.starts_sure { " sure" } else { "" },
            row.kinds,
            row.seconds,
            row.doubts.len(),
        ),
    }
}

fn summary(rows: &[Row]) -> anyhow::Result<()> {
    let measured: Vec<&Row> = rows.iter().filter(|r| r.refused.is_none()).collect();
    let count = |f: &dyn Fn(&Row) -> bool| measured.iter().filter(|r| f(r)).count();
    let mut corners: Vec<f32> = measured.iter().filter_map(|r| r.corner).collect();
    corners.sort_by(f32::total_cmp);
    let at = |share: f32| corners.get(((corners.len() as f32 - 1.0) * share).round() as usize).copied();
    let mean = |f: &dyn Fn(&Row) -> Option<f32>| {
        let values: Vec<f32> = measured.iter().filter_map(|r| f(r)).collect();
        values.iter().sum::<f32>() / values.len().max(1) as f32
    };
    outln!(
        "{} walls: {} outlines right, {} wrong, {} refused",
        rows.len(),
        count(&|r| r.outline),
        count(&|r| !r.outline),
        rows.len() - measured.len()
    )?;
    outln!(
        "worst corner of a wall, tile sides: median {:.4}, worst {:.4}, over 0.02 in {}",
        at(0.5).unwrap_or(f32::NAN),
        at(1.0).unwrap_or(f32::NAN),
        corners.iter().filter(|c| **c > 0.02).count()
    )?;
    outln!(
        "numbering decided {} (right {}, wrong {}), left open {}",
        count(&|r| r.numbered),
        count(&|r| r.numbered && r.numbers),
        count(&|r| r.numbered && !r.numbers),
        count(&|r| !r.numbered)
    )?;
    let mut borders: Vec<f32> = measured.iter().filter_map(|r| r.border).collect();
    borders.sort_by(f32::total_cmp);
    outln!(
        "borders of spaces off by {:.4} (mean); the worst of a wall: median {:.4}, worst {:.4}, over 0.02 in {}",
        mean(&|r| r.border_mean),
        borders.get(borders.len() / 2).copied().unwrap_or(f32::NAN),
        borders.last().copied().unwrap_or(f32::NAN),
        borders.iter().filter(|b| **b > 0.02).count()
    )?;
    outln!(
        "middles of plain spaces off by {:.4}, of tower spaces by {:.4} tile sides (means)",
        mean(&|r| r.track_off),
        mean(&|r| r.tower_off)
    )?;
    outln!(
        "start spaces: all seven right {} (said to be clear {}), clear but wrong {}; kinds as guessed {} of {}",
        count(&|r| r.starts == 7),
        count(&|r| r.starts_sure),
        count(&|r| r.starts_sure && r.starts < 7),
        measured.iter().map(|r| r.kinds).sum::<usize>(),
        7 * measured.len()
    )?;
    outln!("{:.1} s a photo", mean(&|r| Some(r.seconds)))
}
