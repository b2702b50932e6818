//! `castellan open`: the table window.

use clap::Args;

use super::outcome::Outcome;
use super::table_options::TableOptions;
use crate::app;
use crate::table::Opening;

/// Options of `open`.
#[derive(Args, Debug)]
pub struct Open {
    /// `camera:0` or `camera:` and a part of its name, a video file, a folder of stills, an
    /// http or rtsp address, or a recorded game (`game.jsonl`); without one the window asks.
    #[arg(default_value = "", hide_default_value = true)]
    source: String,
    /// The game is entered by hand on the drawn board, without a camera; a recorded game that is
    /// named is gone on with.
    #[arg(long)]
    by_hand: bool,
    #[command(flatten)]
    table: TableOptions,
}

impl Open {
    /// Opens the window and waits until it is closed.
    pub fn run(self) -> anyhow::Result<Outcome> {
        let opening = self.table.opening(&self.source);
        if self.by_hand {
            app::run_by_hand(opening)?;
            return Ok(Outcome::Done);
        }
        window(opening)
    }
}

/// Opens the window and waits until it is closed.
pub fn window(opening: Opening) -> anyhow::Result<Outcome> {
    app::run(opening)?;
    Ok(Outcome::Done)
}
