//! A played game with all that plays it back, in one folder.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::picture::Limits;
use crate::record::Log;
use crate::vision::WallScale;
use crate::{files, library, references};

/// The files of a game's folder.
pub(super) struct Parcel {
    /// Where each goes in the folder, and its bytes.
    texts: Vec<(PathBuf, Vec<u8>)>,
    /// Pictures of events: where each goes, and where it is.
    evidence: Vec<(PathBuf, PathBuf)>,
}

impl Parcel {
    /// What plays a record back. The pictures of the deck's tiles and of the wall go along
    /// where `pictures` says so. Pictures of events that are no longer there are left out.
    ///
    /// # Errors
    /// The record, its deck or its wall cannot be read.
    pub fn of(record: &Path, pictures: bool) -> anyhow::Result<Parcel> {
        let log = Log::open(record).with_context(|| record.display().to_string())?;
        let here = Path::new(library::RECORD);
        let bytes = std::fs::read(record).with_context(|| record.display().to_string())?;
        let mut texts = vec![(here.to_owned(), bytes)];
        let deck = library::deck_of(record, &log.header.deck)?;
        if !library::is_built_in(&log.header.deck) {
            let folder = library::deck_beside(here);
            texts.push((folder.join("deck.toml"), deck.deck.to_toml().into_bytes()));
            if pictures {
                for (id, picture) in references::of_deck(&deck)? {
                    let png = crate::picture::to_png(&picture)?;
                    texts.push((folder.join("references").join(format!("{id}.png")), png));
                }
            }
        }
        if let Some(name) = log.header.wall.as_deref().filter(|name| *name != "house") {
            let wall = library::wall_of(record, name)?;
            let file = library::wall_beside(here);
            if pictures {
                let own = library::wall_beside(record);
                let source = if own.is_file() { own } else { library::wall_file(name)? };
                let (png, json) = library::wall_picture(&source);
                let (png_to, json_to) = library::wall_picture(&file);
                let cannot = |path: &Path| format!("the wall's picture cannot be read: {}", path.display());
                let png_bytes = files::read(&png, Limits::WALL.bytes).with_context(|| cannot(&png))?;
                let scale = files::read_text(&json, WallScale::MOST_TEXT).with_context(|| cannot(&json))?;
                texts.extend([(png_to, png_bytes), (json_to, scale.into_bytes())]);
            }
            texts.push((file, wall.to_toml().into_bytes()));
        }
        let (from, to) = (library::evidence_beside(record), library::evidence_beside(here));
        let names = log.events.iter().flat_map(|event| &event.evidence);
        // A name that leads elsewhere is none of a picture of this record.
        let plain = names.filter(|name| Path::new(name).file_name().is_some_and(|own| own == name.as_str()));
        let mut evidence: Vec<(PathBuf, PathBuf)> =
            plain.map(|name| (to.join(name), from.join(name))).filter(|(_, from)| from.is_file()).collect();
        evidence.sort();
        evidence.dedup();
        Ok(Parcel { texts, evidence })
    }

    /// How many pictures of events there are.
    pub fn events(&self) -> usize {
        self.evidence.len()
    }

    /// Writes all into a new folder; gives the bytes that it takes.
    ///
    /// # Errors
    /// The system's own, with the file that it is about.
    pub fn write(&self, folder: &Path) -> anyhow::Result<u64> {
        let mut bytes = 0;
        let place = |inside: &Path| -> anyhow::Result<PathBuf> {
            let path = folder.join(inside);
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent)
                .with_context(|| format!("the folder cannot be made: {}", parent.display()))?;
            Ok(path)
        };
        let cannot = |path: &Path| format!("cannot be written: {}", path.display());
        for (inside, text) in &self.texts {
            let path = place(inside)?;
            files::write_whole(&path, text).with_context(|| cannot(&path))?;
            bytes += text.len() as u64;
        }
        for (inside, from) in &self.evidence {
            let path = place(inside)?;
            bytes += std::fs::copy(from, &path).with_context(|| cannot(&path))?;
        }
        Ok(bytes)
    }
}
