//! What `render` writes beside its pictures.

use std::path::Path;

use anyhow::Context;
use rand::Rng;
use rand_pcg::Pcg64Mcg;

use crate::rules::{Deck, Wall};
use crate::studio::{PrintedSet, scan, survey_picture};

/// What a photo is read with: deck, scanned references, surveyed wall.
pub(super) fn write_set(
    folder: &Path,
    set: &PrintedSet,
    wall: Option<&Wall>,
    deck: &Deck,
    rng: &mut Pcg64Mcg,
) -> anyhow::Result<()> {
    write_deck(folder, set, deck, rng)?;
    let (Some(wall), Some(standing)) = (wall, &set.wall) else { return Ok(()) };
    write(&folder.join("wall.toml"), &wall.to_toml())?;
    let survey = survey_picture(standing, rng.random());
    survey.picture.save(folder.join("wall.png")).context("the wall's picture cannot be written")?;
    let scale = serde_json::json!({
        "px_per_tile": survey.px_per_tile,
        "origin_px": [survey.origin_px.0, survey.origin_px.1],
    });
    write(&folder.join("wall.json"), &scale.to_string())
}

/// Writes the deck with a scan of each tile.
pub(super) fn write_deck(
    folder: &Path,
    set: &PrintedSet,
    deck: &Deck,
    rng: &mut Pcg64Mcg,
) -> anyhow::Result<()> {
    let references = folder.join("references");
    make_folder(&references)?;
    write(&folder.join("deck.toml"), &deck.to_toml())?;
    for (id, picture) in set.pictures.iter() {
        scan(picture, rng.random())
            .save(references.join(format!("{id}.png")))
            .with_context(|| format!("the reference of tile `{id}` cannot be written"))?;
    }
    Ok(())
}

pub(super) fn make_folder(path: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("the folder cannot be made: {}", path.display()))
}

pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot be written: {}", path.display()))
}
