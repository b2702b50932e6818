//! Moves typed at the terminal, scored as they come.

use std::io::{BufRead, IsTerminal};
use std::time::Instant;

use anyhow::Context;

use super::input::{Line, Lines};
use super::out::{outln, talk};
use super::{Outcome, score};
use crate::record::{Event, EventKind, Game, TextHeader, moves_in};
use crate::rules::castle::Phase;

/// What the command line says instead of header lines.
pub(super) struct Setup {
    pub deck: Option<String>,
    pub wall: Option<String>,
    pub edition: Option<String>,
}

/// Reads header lines and moves until the input ends. A line that cannot be
/// read, or a move that cannot be made, is answered on stderr and left out.
pub(super) fn run(input: impl BufRead, setup: &Setup) -> anyhow::Result<Outcome> {
    let asks = std::io::stdin().is_terminal();
    let began = Instant::now();
    let mut header = TextHeader::default();
    let mut game: Option<Game> = None;
    let mut outcome = Outcome::Done;
    if asks {
        talk!("write moves such as `lay h07 D5 1; knight; end`; `undo` takes one back, `stop` ends the game");
    }
    for line in Lines::new(input) {
        let Line { number, text: line, fault, .. } = line.context("stdin cannot be read")?;
        if let Some(fault) = fault {
            talk!("{fault}");
            outcome = Outcome::Findings;
        }
        let mut refuse = |why: String| {
            talk!("line {number}: {why}");
            outcome = Outcome::Findings;
        };
        if game.is_none() {
            match header.take(&line) {
                Ok(true) => continue,
                Ok(false) => game = Some(start(&header, setup)?),
                Err(why) => {
                    refuse(why.to_string());
                    continue;
                }
            }
        }
        let Some(game) = game.as_mut() else { continue };
        let mut moves = moves_in(&line);
        while let Some(text) = moves.next() {
            let turn = game.position().turn();
            match game.enter_text(text, began.elapsed().as_secs_f64()) {
                Ok(events) => tell(game, turn, &events)?,
                Err(why) => {
                    let rest = if moves.next().is_some() { "; the rest of the line is left out" } else { "" };
                    refuse(format!("`{text}`: {why}{rest}"));
                    break;
                }
            }
        }
        if asks {
            talk!("{}", due(game));
        }
    }
    let game = match game {
        Some(game) => game,
        None => start(&header, setup)?,
    };
    outln!()?;
    score::print_totals(&game.sheet())?;
    Ok(outcome)
}

fn start(header: &TextHeader, setup: &Setup) -> anyhow::Result<Game> {
    let mut header = header.header()?;
    if let Some(edition) = &setup.edition {
        header.edition = Some(edition.clone());
    }
    let (wall, deck) = score::parts(&header, setup.wall.as_deref(), setup.deck.as_deref())?;
    header.deck = setup.deck.clone().unwrap_or(header.deck);
    header.wall = setup.wall.clone().or(header.wall);
    let game = Game::new(header, &wall, &deck)?;
    score::print_edition(&game.sheet())?;
    Ok(game)
}

/// Prints what came of a move, scores first of all.
fn tell(game: &Game, turn: u32, events: &[Event]) -> anyhow::Result<()> {
    let sheet = game.sheet();
    for event in events {
        for rule in &event.waived {
            talk!("it stands although it is against {rule}");
        }
        match &event.kind {
            EventKind::FeatureScored { score, .. } => {
                score::print_score(&format!("turn {turn:>2}"), score, &sheet)?;
            }
            EventKind::WallTileTaken { .. }
            | EventKind::KeepPlaced { .. }
            | EventKind::MarkerMoved { .. }
            | EventKind::Recomputed { .. }
            | EventKind::GameEnded { .. } => outln!("         {}", game.describe(&event.kind))?,
            EventKind::Doubt { sentence, .. } => talk!("{sentence}"),
            _ => {}
        }
    }
    Ok(())
}

/// Whose move it is, and what is due.
fn due(game: &Game) -> String {
    let position = game.position();
    let name = game.names().of(position.to_move());
    match position.phase() {
        Phase::Tile => format!("{name} lays a tile; {} are left", position.tiles_left()),
        Phase::Follower => {
            let words = position.words();
            let roles: Vec<&str> = position.claims().iter().map(|c| words.role(c.1)).collect();
            let or = if roles.is_empty() { String::new() } else { format!("a {}, or ", roles.join(" or ")) };
            format!("{name}: {or}end")
        }
        Phase::Over => "the game is over".to_owned(),
    }
}
