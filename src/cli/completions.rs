use clap::{Args, CommandFactory};

use super::{Cli, Outcome};

/// Prints completions for a shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn run(self) -> anyhow::Result<Outcome> {
        clap_complete::generate(self.shell, &mut Cli::command(), "castellan", &mut std::io::stdout());
        Ok(Outcome::Done)
    }
}
