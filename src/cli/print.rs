use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::out::outln;
use super::outcome::Outcome;
use crate::print::{Paper, printed_set};
use crate::studio::Style;
use crate::{files, library};

/// Writes the house set as a PDF to print: tiles, wall and wall tiles at true
/// size, with marks to cut by and a line to check the printer with.
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
    /// The set.
    #[arg(long, default_value = "house")]
    set: String,
}

impl Print {
    pub fn run(self) -> anyhow::Result<Outcome> {
        if self.set != "house" {
            bail!(
                "only the house set can be printed, it alone is drawn; write --set house, not {}",
                self.set
            );
        }
        let (deck, wall) = (library::deck("house")?.deck, library::wall("house")?);
        let pdf = printed_set(&deck, &wall, &Style::house(), self.paper, self.dpi)?;
        files::write_whole(&self.out, &pdf)
            .with_context(|| format!("cannot be written: {}", self.out.display()))?;
        outln!("{}: {:.1} MB", self.out.display(), pdf.len() as f64 / 1e6)?;
        Ok(Outcome::Done)
    }
}
