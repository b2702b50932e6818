use clap::Args;

use super::out;
use super::outcome::Outcome;

/// Prints completions for a shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    shell: clap_complete::Shell,
}

impl Completions {
    /// Prints those of `command`, the whole program.
    pub fn run(self, mut command: clap::Command) -> anyhow::Result<Outcome> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "castellan", &mut script);
        out::raw(&script)?;
        Ok(Outcome::Done)
    }
}
