use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use super::Outcome;
use super::out::{outln, talk};
use crate::library;
use crate::rules::{Deck, Wall};
use crate::share::{self, Maps, Shared, WallPhoto};
use crate::vision::enrol::deck_folder;
use crate::vision::recogniser::OnnxMatcher;
use crate::vision::{Enrolment, photo};

/// Takes in a deck or a wall that another owner exported.
///
/// With pictures it can be read with at once. A deck without pictures is made
/// complete by photos of your own tiles (`castellan enrol --complete`), a wall
/// without one by a survey of yours.
#[derive(Debug, Args)]
pub struct Import {
    /// The file.
    file: PathBuf,
    /// Another name for it.
    #[arg(long)]
    name: Option<String>,
    /// Replace what has this name.
    #[arg(long)]
    replace: bool,
}

impl Import {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let file = self.file.display().to_string();
        let size = std::fs::metadata(&self.file).with_context(|| format!("cannot be read: {file}"))?.len();
        if size > share::MOST_BYTES {
            bail!("the file is larger than a deck or a wall can be: {file}");
        }
        let bytes = std::fs::read(&self.file).with_context(|| format!("cannot be read: {file}"))?;
        let failed = |e: share::ShareError| anyhow::anyhow!("the file cannot be taken in, {e}: {file}");
        match share::unpack(&bytes).map_err(failed)? {
            Shared::Deck { deck, pictures, maps } => self.deck(deck, &pictures, maps, &bytes),
            Shared::Wall { wall, picture } => self.wall(wall, picture),
        }
    }

    fn deck(
        &self,
        mut deck: Deck,
        pictures: &[Vec<u8>],
        maps: Option<Maps>,
        bytes: &[u8],
    ) -> anyhow::Result<Outcome> {
        if let Some(name) = &self.name {
            deck.name.clone_from(name);
        }
        deck_folder::check_free(&deck.name, self.replace)?;
        let mut references = Vec::new();
        for (tile, png) in deck.tiles.iter().zip(pictures) {
            let picture = photo::from_png(png, deck_folder::MOST_PX).with_context(|| {
                format!("the picture of tile `{}` is damaged; ask for the file once more", tile.id)
            })?;
            references.push((tile.id.clone(), picture));
        }
        let faces = deck.tiles.iter().filter(|t| t.face.is_some()).count();
        let (name, tiles) = (deck.name.clone(), deck.len());
        let whole = !references.is_empty();
        let enrolment =
            Enrolment { deck, references, left_out: Vec::new(), warnings: Vec::new(), former: None };
        if !whole {
            let Some(maps) = maps else {
                bail!("the file holds neither pictures nor what tiles are known by")
            };
            if maps.model != OnnxMatcher::built_in()?.fingerprint() {
                bail!(
                    "the file was made with another recogniser than this one's; use the same version of Castellan, or ask for a file with --pictures"
                );
            }
        }
        let place = deck_folder::store(&enrolment, self.replace)?;
        outln!("deck `{name}`: {tiles} tiles, {faces} with a face, {}", place.display())?;
        if !whole {
            deck_folder::keep_shared(&place, bytes)?;
            talk!(
                "castellan: the file holds no pictures, so no table can be read with this deck yet; photograph your own tiles and write `castellan enrol --complete {name} PHOTO...`"
            );
        }
        Ok(Outcome::Done)
    }

    fn wall(&self, mut wall: Wall, picture: Option<WallPhoto>) -> anyhow::Result<Outcome> {
        if let Some(name) = &self.name {
            wall.name.clone_from(name);
        }
        let name = wall.name.clone();
        deck_folder::check_wall_name(&name)?;
        let walls = library::data_dir()?.join("walls");
        let file = walls.join(format!("{name}.toml"));
        if file.exists() && !self.replace {
            bail!("a wall named `{name}` is there already; choose another with --name, or write --replace");
        }
        let write = |path: &Path, bytes: &[u8]| {
            std::fs::write(path, bytes).with_context(|| format!("cannot be written: {}", path.display()))
        };
        std::fs::create_dir_all(&walls)
            .with_context(|| format!("the folder cannot be made: {}", walls.display()))?;
        if let Some(picture) = &picture {
            photo::from_png_rgba(&picture.png, deck_folder::MOST_WALL_PX)
                .context("the wall's picture is damaged; ask for the file once more")?;
            serde_json::from_str::<serde_json::Value>(&picture.scale)
                .context("the scale of the wall's picture is damaged; ask for the file once more")?;
            write(&file.with_extension("png"), &picture.png)?;
            write(&file.with_extension("json"), picture.scale.as_bytes())?;
        }
        write(&file, wall.to_toml().as_bytes())?;
        outln!("wall `{name}`: {}", file.display())?;
        if picture.is_none() {
            talk!(
                "castellan: the file holds no picture, so this wall can't be found in a photo yet; survey yours with `castellan survey`"
            );
        }
        Ok(Outcome::Done)
    }
}
