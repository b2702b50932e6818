use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::calibrate::wall_tiles;
use crate::library;
use crate::vision::base::photo;

/// Keeps pictures of the fronts of the wall tiles, to read their numbers by.
///
/// Lay nine wall tiles face up, one of each number, in three rows of three (or in one row) in
/// the order of the numbers printed on them, 1 to 9, a finger's breadth apart, and photograph
/// them from above. Their pictures are written beside the surveyed wall, NAME.wall-tiles/1.png
/// to 9.png, with contact-sheet.png to look at. From then on the number of a wall tile that a
/// player takes is read where it lies face up in view.
#[derive(Debug, Args)]
pub struct WallTiles {
    /// A photo of the nine wall tiles.
    photo: PathBuf,
    /// The surveyed wall that they belong to: its name, or a path.
    #[arg(long, value_name = "MINE")]
    wall: String,
    /// Write over pictures that are there.
    #[arg(long)]
    replace: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    wall: &'a str,
    folder: &'a Path,
    fronts: &'a [PathBuf],
    sheet: &'a Path,
}

impl WallTiles {
    pub fn run(self) -> anyhow::Result<Outcome> {
        if self.wall == "house" {
            bail!("the wall tiles of `house` are built in; name a wall of your own with --wall");
        }
        let wall = library::wall(&self.wall)?;
        let folder = library::wall_tiles_folder(&library::wall_file(&self.wall)?);
        if std::fs::symlink_metadata(&folder).is_ok() && !self.replace {
            bail!(
                "pictures of its wall tiles are there; give --replace to write over them: {}",
                folder.display()
            );
        }
        let fronts = wall_tiles::cut(&photo::open(&self.photo)?, wall.thickness)
            .with_context(|| self.photo.display().to_string())?;
        let kept = wall_tiles::keep(&fronts, &folder)?;
        if self.json {
            out::json(&Report {
                wall: &self.wall,
                folder: &folder,
                fronts: &kept.fronts,
                sheet: &kept.sheet,
            })?;
        } else {
            outln!("{}", folder.display())?;
            talk!(
                "look at {}: each front stands above its number; give --replace to do it again",
                kept.sheet.display()
            );
        }
        Ok(Outcome::Done)
    }
}
