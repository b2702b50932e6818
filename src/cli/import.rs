use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use image::{DynamicImage, RgbImage};

use super::out::{outln, talk};
use super::outcome::Outcome;
use crate::calibrate::Enrolment;
use crate::calibrate::enrol::deck_folder;
use crate::picture::{self, Limits};
use crate::rules::{Deck, Wall};
use crate::share::{self, Maps, Shared, WallPhoto};
use crate::vision::SurveyedWall;
use crate::vision::tiles::recogniser::OnnxMatcher;
use crate::{files, library};

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
        let bytes = files::read(&self.file, share::MOST_BYTES)
            .map_err(|e| anyhow::anyhow!("cannot be read, {e}: {file}"))?;
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
        let references = references(&deck, pictures)?;
        let faces = deck.tiles.iter().filter(|t| t.face.is_some()).count();
        let (name, tiles) = (deck.name.clone(), deck.len());
        let whole = !references.is_empty();
        let enrolment = Enrolment {
            deck,
            references,
            left_out: Vec::new(),
            twice: Vec::new(),
            warnings: Vec::new(),
            former: None,
        };
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
        let place = deck_folder::store(&enrolment, self.replace, (!whole).then_some(bytes))?;
        outln!("deck `{name}`: {tiles} tiles, {faces} with a face, {}", place.display())?;
        if !whole {
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
        if let Some(there) = library::wall_there(&file).filter(|_| !self.replace) {
            bail!(
                "a wall named `{name}` is there already; choose another with --name, or write --replace: {}",
                there.display()
            );
        }
        if let Some(WallPhoto { png, scale }) = &picture {
            SurveyedWall::from_files(&wall, png, scale).map_err(|e| {
                anyhow::anyhow!("the wall's picture cannot be taken in, {e}; ask for the file once more")
            })?;
        }
        std::fs::create_dir_all(&walls)
            .with_context(|| format!("the folder cannot be made: {}", walls.display()))?;
        let beside = picture.as_ref().map(|p| (p.png.as_slice(), p.scale.as_str()));
        library::write_wall(&file, &wall.to_toml(), beside)
            .with_context(|| format!("cannot be written: {}", file.display()))?;
        outln!("wall `{name}`: {}", file.display())?;
        if picture.is_none() {
            talk!(
                "castellan: the file holds no picture, so this wall can't be found in a photo yet; survey yours with `castellan survey`"
            );
        }
        Ok(Outcome::Done)
    }
}

/// The tiles' pictures out of their PNG files; all sizes are judged before any is
/// decoded.
fn references(deck: &Deck, pngs: &[Vec<u8>]) -> anyhow::Result<Vec<(String, RgbImage)>> {
    let named = || deck.tiles.iter().map(|t| &t.id).zip(pngs);
    let odd = |id: &str, e| {
        anyhow::anyhow!("the picture of tile `{id}` cannot be taken in, {e}; ask for the file once more")
    };
    let mut pixels = 0;
    for (id, png) in named() {
        let (width, height) = picture::size(png, &Limits::TILE).map_err(|e| odd(id, e))?;
        pixels += u64::from(width) * u64::from(height);
    }
    if pixels > Limits::MOST_OF_DECK {
        bail!(
            "the tiles' pictures have {} megapixels together, at most {} are possible; ask for a file with smaller ones",
            pixels >> 20,
            Limits::MOST_OF_DECK >> 20
        );
    }
    let decoded = |png: &[u8]| picture::decode(png, &Limits::TILE).map(DynamicImage::into_rgb8);
    named().map(|(id, png)| Ok((id.clone(), decoded(png).map_err(|e| odd(id, e))?))).collect()
}
