use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use super::game_folder;
use super::out::outln;
use super::outcome::Outcome;
use crate::picture::{self, Limits};
use crate::share::{self, Maps, Shared, WallPhoto};
use crate::vision::tiles::recogniser::OnnxMatcher;
use crate::vision::{SurveyedWall, WallScale};
use crate::{files, library, references};

/// Writes an enrolled deck or a surveyed wall to one file, for another owner of
/// the same copy, or a played game with all that plays it back to one folder.
///
/// Without pictures a deck's file holds its tiles, their faces and what the
/// recogniser knows them by: the other photographs tiles of theirs, and each is
/// named by itself (`castellan enrol --complete`). A wall's file then holds its
/// geometry only.
///
/// A game's folder holds its record, the pictures of what was seen, and its deck and wall
/// unless they are built in. It can be zipped, moved to another machine, and named there to
/// `castellan open`, `score` and `check`.
#[derive(Debug, Args)]
pub struct Export {
    /// `deck:NAME`, `wall:NAME` or `game:RECORD.jsonl`.
    what: String,
    /// The file to write; for a game a folder that is not there yet.
    #[arg(long, value_name = "FILE|FOLDER")]
    to: PathBuf,
    /// Put the pictures of tiles and wall in, so that a table can be read at once. Art of a
    /// published game is its publisher's: pass it on only if you may.
    #[arg(long)]
    pictures: bool,
}

impl Export {
    pub fn run(self) -> anyhow::Result<Outcome> {
        if let Some(("game", record)) = self.what.split_once(':') {
            return self.game(Path::new(record));
        }
        let shared = match self.what.split_once(':') {
            Some((_, "house")) => bail!("the house set is built in everywhere; there is nothing to export"),
            Some(("deck", name)) => self.deck(name)?,
            Some(("wall", name)) => self.wall(name)?,
            _ => bail!("write deck:NAME, wall:NAME or game:RECORD.jsonl, not `{}`", self.what),
        };
        let bytes = share::pack(&shared)?;
        files::write_whole(&self.to, &bytes)
            .with_context(|| format!("cannot be written: {}", self.to.display()))?;
        let pictures = if self.pictures { "with pictures" } else { "without pictures" };
        outln!("{}: {:.2} MB, {pictures}", self.to.display(), bytes.len() as f64 / 1e6)?;
        Ok(Outcome::Done)
    }

    fn deck(&self, name: &str) -> anyhow::Result<Shared> {
        let place = library::deck(name)?;
        let references = references::of_deck(&place)?;
        if references.len() != place.deck.tiles.len() {
            bail!(
                "the deck `{name}` has pictures of {} of its {} tiles only; enrol the others first",
                references.len(),
                place.deck.tiles.len()
            );
        }
        let pictures: Vec<image::RgbImage> = references.into_iter().map(|(_, p)| p).collect();
        if !self.pictures {
            let matcher = OnnxMatcher::built_in()?;
            let maps = Maps { model: matcher.fingerprint(), tiles: matcher.maps(&pictures)? };
            return Ok(Shared::Deck { deck: place.deck, pictures: Vec::new(), maps: Some(maps) });
        }
        let pictures = pictures.iter().map(picture::to_png).collect::<Result<_, _>>()?;
        Ok(Shared::Deck { deck: place.deck, pictures, maps: None })
    }

    fn game(&self, record: &Path) -> anyhow::Result<Outcome> {
        let record = &library::record_file(record);
        let parcel = game_folder::Parcel::of(record, self.pictures)?;
        if self.to.exists() {
            bail!("there is something already; name a folder that is not there yet: {}", self.to.display());
        }
        let bytes = parcel.write(&self.to)?;
        outln!(
            "{}: {:.2} MB, {} pictures of events",
            self.to.display(),
            bytes as f64 / 1e6,
            parcel.events()
        )?;
        Ok(Outcome::Done)
    }

    fn wall(&self, name: &str) -> anyhow::Result<Shared> {
        let wall = library::wall(name)?;
        if !self.pictures {
            return Ok(Shared::Wall { wall, picture: None });
        }
        let (png, json) = library::wall_picture(&library::wall_file(name)?);
        let cannot = |path: &Path| format!("the wall's picture cannot be read: {}", path.display());
        let (png, scale) = (
            files::read(&png, Limits::WALL.bytes).with_context(|| cannot(&png))?,
            files::read_text(&json, WallScale::MOST_TEXT).with_context(|| cannot(&json))?,
        );
        SurveyedWall::from_files(&wall, &png, &scale)
            .map_err(|e| anyhow::anyhow!("the wall's picture cannot be passed on, {e}; survey it again"))?;
        Ok(Shared::Wall { wall, picture: Some(WallPhoto { png, scale }) })
    }
}
