use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::out::outln;
use super::outcome::Outcome;
use crate::print::{Contents, Paper, printed_set};
use crate::rules::{Deck, classic};
use crate::studio::Style;
use crate::{files, library};

/// Writes a set that we have drawn as a PDF to print, at true size, with marks to cut by and a
/// line to check the printer with.
///
/// `--set house` is The Castle: tiles, wall and wall tiles. `--set classic` is the classic
/// game, `--set classic+river+inns` has its sets too, with goods and cards, and `--set
/// river+inns` is the sets alone.
#[derive(Debug, Args)]
pub struct Print {
    /// The file to write.
    #[arg(long, value_name = "FILE.pdf")]
    out: PathBuf,
    /// The paper.
    #[arg(long, value_enum, default_value = "a4")]
    paper: Paper,
    /// Dots an inch of the pictures.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u16).range(36..=600))]
    dpi: u16,
    /// The set: house, classic, or classic with river, inns, traders, king, cathars and count
    /// or count15 after a +; without classic these alone.
    #[arg(long, default_value = "house")]
    set: String,
}

impl Print {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let (deck, left_out) = drawn(&self.set)?;
        let wall = (self.set == "house").then(|| library::wall("house")).transpose()?;
        let contents = Contents { deck: &deck, left_out, wall: wall.as_ref() };
        let pdf = printed_set(&contents, &Style::house(), self.paper, self.dpi)?;
        files::write_whole(&self.out, &pdf)
            .with_context(|| format!("cannot be written: {}", self.out.display()))?;
        outln!("{}: {:.1} MB", self.out.display(), pdf.len() as f64 / 1e6)?;
        Ok(Outcome::Done)
    }
}

/// The deck of a set that is drawn, and how many of its kinds of tiles are not wanted.
fn drawn(set: &str) -> anyhow::Result<(Deck, usize)> {
    if library::is_built_in(set) {
        return Ok((library::deck(set)?.deck, 0));
    }
    let known = |name: &str| classic::sets().any(|(known, _)| known == name);
    if !set.split('+').any(known) {
        bail!(
            "only what is drawn by this program can be printed: write --set house, --set classic+SET+SET, or sets of the classic game alone, not {set}"
        );
    }
    let mut deck = library::deck(&format!("classic+{set}"))?.deck;
    set.clone_into(&mut deck.name);
    Ok((deck, classic::base_deck().tiles.len()))
}
