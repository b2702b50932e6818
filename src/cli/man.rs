use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::outcome::Outcome;

/// Writes the manual pages, one for the program and one for each command.
#[derive(Debug, Args)]
pub struct Man {
    /// The folder they are written to; it is made where it is missing.
    folder: PathBuf,
}

impl Man {
    /// Writes those of `command`, the whole program.
    ///
    /// # Errors
    /// When the folder or a page cannot be written.
    pub fn run(self, command: clap::Command) -> anyhow::Result<Outcome> {
        let folder = &self.folder;
        let cannot = || format!("cannot write manual pages to {}", folder.display());
        std::fs::create_dir_all(folder).with_context(cannot)?;
        clap_mangen::generate_to(command, folder).with_context(cannot)?;
        Ok(Outcome::Done)
    }
}
