use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use image::RgbImage;
use serde::Serialize;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::calibrate::survey::tile_edges::TileEdges;
use crate::calibrate::survey::{self, Hints, Proposal, drawing, merge, text};
use crate::rules::castle::validate::{CORNER_TOWERS, check_wall};
use crate::rules::{self, Sentence, Wall};
use crate::vision::WallScale;
use crate::vision::base::camera::Pose;
use crate::vision::base::photo;
use crate::{library, picture};

/// Measures an assembled castle wall from photos of it, empty.
///
/// Writes a wall to the owner's data folder: walls/NAME.toml to read and
/// correct, NAME.png and NAME.json the wall from straight above, and
/// NAME.proposal.png the survey drawn over the photo. What the photos leave
/// open is said, and ends with exit status 3.
#[derive(Debug, Args)]
pub struct Survey {
    /// Photos of the whole empty wall, from above.
    #[arg(required = true)]
    photos: Vec<PathBuf>,
    /// What to call the wall.
    #[cfg_attr(feature = "studio", arg(long, value_name = "W", required_unless_present = "evaluate"))]
    #[cfg_attr(not(feature = "studio"), arg(long, value_name = "W", required = true))]
    name: Option<String>,
    /// The letter, on the drawing, of the tower with 0 and 1.
    #[arg(long, value_name = "LETTER", value_parser = corner)]
    start_tower: Option<usize>,
    /// Which way the numbers grow.
    #[arg(long, value_enum)]
    direction: Option<Direction>,
    /// The enrolled deck that goes with the wall: what the start spaces show is told
    /// by the edges of its tiles.
    #[arg(long, value_name = "D", conflicts_with = "redraw")]
    deck: Option<String>,
    /// Write over a wall of this name.
    #[arg(long, conflicts_with = "redraw")]
    replace: bool,
    /// Only draw the wall of this name, as its text is now, over the photo.
    #[arg(long)]
    redraw: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Survey the walls of folders that `castellan render --walls` wrote, and
    /// say how far off the truth they are; nothing is kept.
    #[cfg(feature = "studio")]
    #[arg(long, conflicts_with_all = ["name", "redraw", "replace", "start_tower", "direction", "deck"])]
    evaluate: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Direction {
    Clockwise,
    Anticlockwise,
}

fn corner(text: &str) -> Result<usize, String> {
    let mut letters = text.chars().map(|c| c.to_ascii_uppercase());
    match (letters.next(), letters.next()) {
        (Some(c), None) => (0..CORNER_TOWERS).find(|i| drawing::letter(*i) == c),
        _ => None,
    }
    .ok_or_else(|| format!("write a letter from A to {}", drawing::letter(CORNER_TOWERS - 1)))
}

#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    wall: &'a Path,
    spaces: usize,
    thickness: f32,
    error: f32,
    numbered: bool,
    towers: &'a [(u8, u8)],
    doubts: &'a [Sentence],
    notes: &'a [String],
}

impl Survey {
    pub fn run(self) -> anyhow::Result<Outcome> {
        #[cfg(feature = "studio")]
        if self.evaluate {
            return super::evaluate_survey::run(&self.photos, self.json);
        }
        let name = self.name.as_deref().unwrap_or_default();
        if !rules::is_name(name) {
            bail!("a wall's name is of letters, digits, - and _, at most 64: {}", rules::quoted(name));
        }
        if name == "house" {
            bail!("`house` is built in; give the wall another name");
        }
        let folder = library::data_dir()?.join("walls");
        let file = folder.join(format!("{name}.toml"));
        if self.redraw {
            return self.redraw(&library::wall(name)?, &file);
        }
        if let Some(there) = library::wall_there(&file).filter(|_| !self.replace) {
            bail!("a wall of this name is there; give --replace to write over it: {}", there.display());
        }
        let (proposal, frame) = self.measured(name)?;
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("the folder cannot be made: {}", folder.display()))?;
        let scale = WallScale { px_per_tile: proposal.px_per_tile, origin_px: proposal.origin_px };
        let png = picture::to_png(&proposal.picture).with_context(|| cannot_write(&file))?;
        library::write_wall(&file, &text::text(&proposal.wall), Some((&png, &scale.to_json())))
            .with_context(|| cannot_write(&file))?;
        let drawn = save_drawing(&frame, &proposal.wall, &proposal.pose, &file)?;
        self.report(&proposal, &file, &drawn)?;
        Ok(if proposal.doubts.is_empty() { Outcome::Done } else { Outcome::Findings })
    }

    /// The survey of all photos, and the photo that it was measured in.
    fn measured(&self, name: &str) -> anyhow::Result<(Proposal, RgbImage)> {
        let edges = self.deck.as_deref().map(TileEdges::of_deck).transpose()?;
        let hints = Hints {
            start_tower: self.start_tower,
            clockwise: self.direction.map(|d| d == Direction::Clockwise),
            edges: edges.as_ref(),
            ..Hints::default()
        };
        if hints.start_tower.is_some() && self.photos.len() > 1 {
            bail!(
                "the letters are those of one drawing; with --start-tower give the photo that it was made of"
            );
        }
        let mut surveys: Vec<Proposal> = Vec::new();
        let mut frames = Vec::new();
        let mut names = Vec::new();
        let mut failed = Vec::new();
        for path in &self.photos {
            let frame = photo::open(path)?;
            match survey::survey(&frame, name, hints) {
                Ok(proposal) => {
                    surveys.push(proposal);
                    frames.push(frame);
                    names.push(path.display().to_string());
                }
                Err(error) if self.photos.len() > 1 => failed.push(format!("{}: {error}", path.display())),
                Err(error) => return Err(error).with_context(|| path.display().to_string()),
            }
        }
        let poses: Vec<Pose> = surveys.iter().map(|s| s.pose.clone()).collect();
        let Some(mut merged) = merge::merged(surveys, &names) else {
            bail!("{}", failed.join("; "));
        };
        merged.notes.extend(failed);
        let index = poses.iter().position(|p| *p == merged.pose).unwrap_or(0);
        let frame = frames.swap_remove(index);
        Ok((merged, frame))
    }

    fn redraw(&self, wall: &Wall, file: &Path) -> anyhow::Result<Outcome> {
        let [path] = &self.photos[..] else { bail!("give the one photo to draw the wall over") };
        let frame = photo::open(path)?;
        let seen = survey::outline::find(&frame)?;
        if seen.fit.outline != wall.outline {
            bail!(
                "the outline in this photo is another one than in the wall's text; give the photo that the wall \
                 was surveyed from: {}",
                path.display()
            );
        }
        let drawn = save_drawing(&frame, wall, &seen.fit.pose, file)?;
        talk!("{}", drawn.display());
        let findings = check_wall(wall);
        for finding in &findings {
            outln!("{} ({})", finding.sentence, finding.rule)?;
        }
        Ok(if findings.is_empty() { Outcome::Done } else { Outcome::Findings })
    }

    fn report(&self, proposal: &Proposal, file: &Path, drawn: &Path) -> anyhow::Result<()> {
        let Proposal { wall, doubts, notes, .. } = proposal;
        if self.json {
            let report = Report {
                name: &wall.name,
                wall: file,
                spaces: wall.cells().len(),
                thickness: wall.thickness,
                error: proposal.error,
                numbered: proposal.numbered,
                towers: &wall.towers,
                doubts,
                notes,
            };
            out::json(&report)?;
            return Ok(());
        }
        for row in &wall.outline {
            outln!("{row}")?;
        }
        let towers: Vec<String> = wall.towers.iter().map(|(a, b)| format!("{a}/{b}")).collect();
        outln!("{} spaces, towers {}", wall.cells().len(), towers.join(" "))?;
        outln!("{}", file.display())?;
        for note in notes {
            talk!("{note}");
        }
        for doubt in doubts {
            talk!("look at this: {doubt}");
        }
        if !proposal.read {
            talk!(
                "say where 0 and 1 are with --start-tower and the letter of the drawing, and which way the \
                 numbers grow with --direction clockwise or anticlockwise"
            );
        }
        talk!(
            "the survey is drawn in {}; correct the text, then run `castellan check {}`",
            drawn.display(),
            wall.name
        );
        Ok(())
    }
}

fn save_drawing(frame: &RgbImage, wall: &Wall, pose: &Pose, file: &Path) -> anyhow::Result<PathBuf> {
    let path = file.with_extension("proposal.png");
    picture::save(&path, &drawing::draw(frame, wall, pose)?).with_context(|| cannot_write(&path))?;
    Ok(path)
}

fn cannot_write(path: &Path) -> String {
    format!("cannot be written: {}", path.display())
}
