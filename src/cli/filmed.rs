//! Films of whole games: made from seeds, and written to folders.

use std::path::Path;

use anyhow::Context;
use image::codecs::jpeg::JpegEncoder;
use serde::{Deserialize, Serialize};

use super::written::{make_folder, write, write_set};
use crate::rules::classic;
use crate::studio::{Entry, Film, Games, House, SUITE_SEEDS, suite};
use crate::table::colour;
use crate::{colours, library};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The seed of how a game's deck was scanned and its wall surveyed, beside the game's own.
pub(super) const SCANNED: u64 = 0x5ca2;

/// So many seconds at the beginning of a film nothing happens.
const BEGINNING: f64 = 2.0;

/// A line of a film's `frames.jsonl`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FrameLine {
    /// The file's name.
    pub frame: String,
    /// Seconds since the film began.
    pub t: f64,
    /// Whether it shows more than noise that the frame before did not.
    pub changed: bool,
    /// Whether a hand is over the table.
    pub hand: bool,
}

/// The games of the suite, or others of its kind.
pub(super) fn entries(games: Games, seeds: Option<u64>, unseen: bool) -> Vec<Entry> {
    let all = suite(games, seeds.unwrap_or(SUITE_SEEDS));
    all.into_iter().map(|entry| Entry { unseen, ..entry }).collect()
}

/// Makes up a game and writes its script; with `turns` only so many are played.
pub(super) fn film(entry: &Entry, size: (u32, u32), turns: Option<usize>) -> anyhow::Result<Film> {
    let deck = classic::deck_name(entry.sets.iter().map(String::as_str));
    let house = House {
        wall: library::wall("house")?,
        deck: library::deck("house")?.deck,
        classic: library::deck(&deck)?.deck,
    };
    let colours = figure_colours(entry);
    Film::new(entry, &house, &colours, size, turns)
        .with_context(|| format!("no game can be made: {}", entry.name))
}

/// The colours of all figures of a film, sRGB: the players', then that of the figure that is nobody's.
pub(super) fn figure_colours(entry: &Entry) -> Vec<[u8; 3]> {
    let words = entry.colours.iter().map(String::as_str);
    words.chain([colours::neutral(&entry.colours)]).map(colour).collect()
}

/// Writes a film: its frames, `frames.jsonl`, its script, what was truly played, and what
/// it is read with. A `game.toml` beside lets `castellan watch` play it too.
///
/// With `between` only the frames of these seconds, and those of the first two, in which a reader
/// sees how the table looks before anything happens.
pub(super) fn write_film(
    film: &Film,
    folder: &Path,
    quality: u8,
    between: Option<(f64, f64)>,
) -> anyhow::Result<()> {
    write_script(film, folder)?;
    let script = &film.script;
    let mut lines = String::new();
    let mut projector = film.projector();
    let wanted = |number: &usize| {
        let t = *number as f64 / script.rate;
        between.is_none_or(|(from, to)| t < BEGINNING || (from..to).contains(&t))
    };
    for number in (0..script.frames()).filter(wanted) {
        let frame = projector.frame(number);
        let name = format!("{:05}.jpg", number + 1);
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(&frame.picture)?;
        let path = folder.join(&name);
        std::fs::write(&path, bytes).with_context(|| format!("cannot be written: {}", path.display()))?;
        let line = FrameLine { frame: name, t: frame.t, changed: frame.changed, hand: frame.hand };
        lines.push_str(&serde_json::to_string(&line)?);
        lines.push('\n');
    }
    write(&folder.join("frames.jsonl"), &lines)
}

/// Writes all of a film but its frames.
pub(super) fn write_script(film: &Film, folder: &Path) -> anyhow::Result<()> {
    make_folder(folder)?;
    let script = &film.script;
    let mut rng = Pcg64Mcg::seed_from_u64(script.entry.seed ^ SCANNED);
    write_set(folder, &film.set, film.wall.as_ref(), &film.deck, &mut rng)?;
    write(&folder.join("script.json"), &serde_json::to_string(script)?)?;
    write(&folder.join("game.jsonl"), &film.truth.to_log())?;
    write(&folder.join("game.toml"), &game_file(film)?)
}

/// Copies all of a film that was written to a folder but its frames.
#[cfg(feature = "vision")]
pub(super) fn copy_script(from: &Path, to: &Path) -> anyhow::Result<()> {
    make_folder(&to.join("references"))?;
    let copied = |folder: &str| -> anyhow::Result<()> {
        let from = from.join(folder);
        let entries =
            std::fs::read_dir(&from).with_context(|| format!("cannot be read: {}", from.display()))?;
        for path in entries.flatten().map(|e| e.path()).filter(|p| p.is_file()) {
            let frame = path.extension().is_some_and(|e| e == "jpg");
            if let Some(name) = path.file_name().filter(|_| !frame) {
                std::fs::copy(&path, to.join(folder).join(name))
                    .with_context(|| format!("cannot be copied: {}", path.display()))?;
            }
        }
        Ok(())
    };
    copied("")?;
    copied("references")
}

/// What the players tell the table before the game.
fn game_file(film: &Film) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct File<'a> {
        game: crate::rules::Game,
        players: &'a [String],
        colours: &'a [String],
        rgb: &'a [[u8; 3]],
        starts: Option<&'a String>,
        deck: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        wall: Option<&'a str>,
    }
    let header = film.truth.header();
    let file = File {
        game: film.game(),
        players: &header.players,
        colours: &header.colours,
        rgb: film.colours.get(..header.players.len()).unwrap_or(&film.colours),
        starts: header.players.get(header.starts.index()),
        deck: "deck.toml",
        wall: film.wall.as_ref().map(|_| "wall.toml"),
    };
    toml::to_string(&file).context("the game file cannot be written")
}
