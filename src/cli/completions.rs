use clap::{Args, CommandFactory};

use super::{Cli, Outcome, out};

/// Prints completions for a shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "castellan", &mut script);
        out::raw(&script)?;
        Ok(Outcome::Done)
    }
}
