//! `castellan open`: the table window.

use clap::Args;

use super::Outcome;
use crate::app::{self, Setup};

/// Options of `open`.
#[derive(Args, Debug, Default)]
pub struct Open {
    /// A recorded game (`game.jsonl`); without one the window says how to begin.
    source: Option<String>,
}

impl Open {
    /// Opens the window and waits until it is closed.
    pub fn run(self) -> anyhow::Result<Outcome> {
        app::run(&Setup { source: self.source.unwrap_or_default(), ..Setup::default() })?;
        Ok(Outcome::Done)
    }
}
