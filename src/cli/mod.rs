//! The commands.
//!
//! Data goes to stdout, talk to stderr. Exit 0 done, 1 failed, 2 usage, 3 done
//! with findings (an illegal move, a doubt left open).

use std::ffi::OsStr;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use clap::{CommandFactory, Parser, Subcommand};

#[cfg(feature = "camera")]
mod cameras;
mod check;
mod completions;
mod correct;
#[cfg(feature = "vision")]
mod enrol;
#[cfg(all(feature = "studio", feature = "vision"))]
mod evaluate;
#[cfg(all(feature = "studio", feature = "vision"))]
mod evaluate_games;
#[cfg(all(feature = "studio", feature = "vision"))]
mod evaluate_survey;
#[cfg(feature = "vision")]
mod export;
#[cfg(feature = "vision")]
mod figure_way;
#[cfg(feature = "studio")]
mod filmed;
#[cfg(feature = "vision")]
mod game_folder;
#[cfg(all(feature = "studio", feature = "vision"))]
mod games_judge;
#[cfg(all(feature = "studio", feature = "vision"))]
mod games_players;
#[cfg(all(feature = "studio", feature = "vision"))]
mod games_report;
#[cfg(all(feature = "studio", feature = "vision"))]
mod games_showing;
#[cfg(feature = "vision")]
mod import;
mod input;
#[cfg(feature = "vision")]
mod listen;
#[cfg(feature = "vision")]
mod look;
mod man;
#[cfg(feature = "gui")]
mod open;
mod out;
mod outcome;
#[cfg(feature = "vision")]
mod pieces;
#[cfg(feature = "studio")]
mod print;
#[cfg(feature = "vision")]
mod read;
mod recorded;
#[cfg(feature = "studio")]
mod render;
mod rules;
mod score;
mod sheet;
#[cfg(feature = "vision")]
mod survey;
#[cfg(feature = "vision")]
mod table_options;
mod typed;
#[cfg(feature = "vision")]
mod wall_tiles;
#[cfg(feature = "vision")]
mod watch;
#[cfg(feature = "studio")]
mod written;

use out::talk;

pub use outcome::Outcome;

/// The exit status for arguments that cannot be understood.
const USAGE: u8 = 2;

/// Keeps the score of a physical tile game with a camera.
#[derive(Debug, Parser)]
#[command(name = "castellan", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the webcams.
    #[cfg(feature = "camera")]
    Cameras(cameras::Cameras),
    /// Holds a record, a deck or a wall against the rules.
    Check(check::Check),
    /// Prints completions for a shell.
    Completions(completions::Completions),
    /// Keeps pictures of the tiles of a deck, to know them by.
    #[cfg(feature = "vision")]
    Enrol(enrol::Enrol),
    /// Accuracy tables against labelled photos, with plain methods beside.
    #[cfg(all(feature = "studio", feature = "vision"))]
    Evaluate(evaluate::Evaluate),
    /// Writes an enrolled deck or a surveyed wall to one file.
    #[cfg(feature = "vision")]
    Export(export::Export),
    /// Takes in a deck or a wall that another owner exported.
    #[cfg(feature = "vision")]
    Import(import::Import),
    /// Says how well a camera sees the table: distance, light, sharpness, tiles, pieces.
    #[cfg(feature = "vision")]
    Look(Box<look::Look>),
    /// Writes the manual pages.
    #[command(hide = true)]
    Man(man::Man),
    /// Opens the table window; so does no command at all.
    #[cfg(feature = "gui")]
    Open(Box<open::Open>),
    /// Measures the players' own pieces in a photo of the empty wall.
    #[cfg(feature = "vision")]
    Pieces(pieces::Pieces),
    /// Writes the house set as a PDF to print at true size.
    #[cfg(feature = "studio")]
    Print(print::Print),
    /// Reads the board in one photo.
    #[cfg(feature = "vision")]
    Read(read::Read),
    /// Photographs games in the studio, with the truth beside each picture.
    #[cfg(feature = "studio")]
    Render(Box<render::Render>),
    /// Corrects a turn of a record; without a correction lists the turns.
    Correct(correct::Correct),
    /// Says what a rule is, by the id that stands beside a score.
    Rules(rules::Rules),
    /// Prints the sheet of a record, every score explained.
    Score(score::Score),
    /// Measures an assembled castle wall from photos of it.
    #[cfg(feature = "vision")]
    Survey(survey::Survey),
    /// Keeps pictures of the fronts of the wall tiles, to read their numbers by.
    #[cfg(feature = "vision")]
    WallTiles(wall_tiles::WallTiles),
    /// Keeps score without a window.
    #[cfg(feature = "vision")]
    Watch(Box<watch::Watch>),
}

/// Runs the program with the process's arguments. An error is printed once, on
/// stderr, with its causes.
pub fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env()
                .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn")),
        )
        .with_writer(std::io::stderr)
        // It would panic when stderr is full.
        .log_internal_errors(false)
        .init();
    let ended = match Cli::try_parse() {
        Ok(cli) => run(cli).map(|outcome| match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::Findings => ExitCode::from(3),
            Outcome::Interrupted => ExitCode::from(130),
        }),
        Err(said) => say(&said),
    };
    ended.unwrap_or_else(|error| {
        if out::is_closed_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        talk!("castellan: {error:#}");
        ExitCode::FAILURE
    })
}

/// Prints what clap has to say: help on stdout, or what is wrong with the
/// arguments.
fn say(said: &clap::Error) -> anyhow::Result<ExitCode> {
    if !said.use_stderr() {
        said.print().and_then(|()| std::io::stdout().flush()).context("the output cannot be written")?;
        return Ok(ExitCode::SUCCESS);
    }
    // Arguments may be names of files of others.
    if std::env::args_os().all(|argument| is_plain(&argument)) {
        let _ = said.print();
    } else {
        said.render().to_string().lines().for_each(|line| talk!("{line}"));
    }
    Ok(ExitCode::from(USAGE))
}

fn is_plain(argument: &OsStr) -> bool {
    let text = argument.to_string_lossy();
    out::clean(&text) == text
}

fn run(cli: Cli) -> anyhow::Result<Outcome> {
    match cli.command {
        #[cfg(feature = "camera")]
        Some(Command::Cameras(c)) => c.run(),
        Some(Command::Check(c)) => c.run(),
        Some(Command::Completions(c)) => c.run(Cli::command()),
        Some(Command::Man(c)) => c.run(Cli::command()),
        #[cfg(feature = "vision")]
        Some(Command::Enrol(c)) => c.run(),
        #[cfg(all(feature = "studio", feature = "vision"))]
        Some(Command::Evaluate(c)) => c.run(),
        #[cfg(feature = "vision")]
        Some(Command::Export(c)) => c.run(),
        #[cfg(feature = "vision")]
        Some(Command::Import(c)) => c.run(),
        #[cfg(feature = "vision")]
        Some(Command::Look(c)) => c.run(),
        #[cfg(feature = "gui")]
        Some(Command::Open(c)) => c.run(),
        #[cfg(feature = "vision")]
        Some(Command::Pieces(c)) => c.run(),
        #[cfg(feature = "studio")]
        Some(Command::Print(c)) => c.run(),
        #[cfg(feature = "vision")]
        Some(Command::Read(c)) => c.run(),
        #[cfg(feature = "studio")]
        Some(Command::Render(c)) => c.run(),
        Some(Command::Correct(c)) => c.run(),
        Some(Command::Rules(c)) => c.run(),
        Some(Command::Score(c)) => c.run(),
        #[cfg(feature = "vision")]
        Some(Command::Survey(c)) => c.run(),
        #[cfg(feature = "vision")]
        Some(Command::WallTiles(c)) => c.run(),
        #[cfg(feature = "vision")]
        Some(Command::Watch(c)) => c.run(),
        #[cfg(feature = "gui")]
        None => open::window(crate::table::Opening::default()),
        #[cfg(not(feature = "gui"))]
        None => anyhow::bail!("name a command; `castellan --help` lists them"),
    }
}
