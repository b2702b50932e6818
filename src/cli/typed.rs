//! Moves typed at the terminal, scored as they come.

use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;

use super::input::{Line, Lines};
use super::out::{outln, talk};
use super::outcome::Outcome;
use super::recorded;
use super::sheet;
use crate::record::{Event, EventKind, Game, Sheet, TextHeader, moves_in};
use crate::rules::Phase;
use crate::rules::Score;

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
    if let Some(edition) = &setup.edition {
        header.set_edition(edition);
    }
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
            let before = Before::of(game, text);
            match game.enter_text(text, began.elapsed().as_secs_f64()) {
                Ok(events) => tell(game, &before, &events)?,
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
    sheet::print_totals(&game.sheet())?;
    if let Some(hint) = sheet::unfinished(&game) {
        talk!("{hint}");
    }
    Ok(outcome)
}

/// What stood before a move, to tell what it changes.
struct Before {
    turn: u32,
    /// The final scoring; empty while the game went on.
    finals: Vec<Score>,
    /// What `undo` takes back.
    undone: Option<String>,
}

impl Before {
    fn of(game: &Game, text: &str) -> Before {
        let undone =
            (text == "undo").then(|| game.facts().last().map(|(_, kind)| game.describe(kind).to_string()));
        Before { turn: game.position().turn(), finals: game.final_scores(), undone: undone.flatten() }
    }
}

fn start(header: &TextHeader, setup: &Setup) -> anyhow::Result<Game> {
    let mut header = header.header()?;
    let (wall, deck) =
        recorded::parts((&header, Path::new("")), setup.wall.as_deref(), setup.deck.as_deref())?;
    header.deck = setup.deck.clone().unwrap_or(header.deck);
    header.wall = setup.wall.clone().or(header.wall);
    let game = Game::new(header, wall.as_ref(), &deck)?;
    sheet::print_edition(&game.sheet())?;
    Ok(game)
}

/// Prints what came of a move, scores first of all.
fn tell(game: &Game, before: &Before, events: &[Event]) -> anyhow::Result<()> {
    let sheet = game.sheet();
    if let Some(undone) = &before.undone {
        outln!("         taken back: {undone}")?;
    }
    for event in events {
        for rule in &event.waived {
            talk!("it stands although it is against {rule}");
        }
        match &event.kind {
            EventKind::FeatureScored { score, .. } => {
                let when = match sheet.finals.contains(score) {
                    true => "at end ".to_owned(),
                    false => format!("turn {:>2}", before.turn),
                };
                sheet::print_score(&when, score, &sheet)?;
            }
            EventKind::WallTileTaken { .. }
            | EventKind::KeepPlaced { .. }
            | EventKind::MarkerMoved { .. }
            | EventKind::TokensTaken { .. }
            | EventKind::Noted { .. }
            | EventKind::Recomputed { .. }
            | EventKind::GameEnded { .. } => outln!("         {}", game.describe(&event.kind))?,
            EventKind::Doubt { sentence, .. } => talk!("{sentence}"),
            _ => {}
        }
    }
    if !before.finals.is_empty() || events.iter().any(|e| is_about_end(&e.kind)) {
        tell_finals(&before.finals, &sheet)?;
    }
    Ok(())
}

/// Whether a fact only bears on a final scoring that was told already.
fn is_about_end(kind: &EventKind) -> bool {
    matches!(kind, EventKind::WallTileUsed { number: 4.., .. } | EventKind::WallTileShown { .. })
}

/// Prints the final scoring again where it has changed, with what is new and gone.
fn tell_finals(before: &[Score], sheet: &Sheet) -> anyhow::Result<()> {
    if !sheet.over || before == sheet.finals {
        return if sheet.over { outln!("         the final scoring stays as it was") } else { Ok(()) };
    }
    for score in &sheet.finals {
        let when = if before.contains(score) { "at end " } else { "new    " };
        sheet::print_score(when, score, sheet)?;
    }
    for score in before.iter().filter(|score| !sheet.finals.contains(score)) {
        sheet::print_score("no more", score, sheet)?;
    }
    Ok(())
}

/// The most moves of a step that are named when one is due.
const MOST_OFFERED: usize = 4;

/// Whose move it is, and what is due.
fn due(game: &Game) -> String {
    let position = game.position();
    let name = game.names().of(position.to_move());
    match position.phase() {
        Phase::Tile => match position.tiles_left() {
            1 => format!("{name} lays the last tile"),
            left => format!("{name} lays a tile; {left} are left"),
        },
        Phase::Follower => {
            let roles: Vec<String> = position.claims().iter().map(|c| position.role_word(c.1)).collect();
            let or = if roles.is_empty() { String::new() } else { format!("a {}, or ", roles.join(" or ")) };
            let last = if position.tiles_left() == 0 { "; it was the last tile" } else { "" };
            format!("{name}: {or}end{last}")
        }
        Phase::Step => {
            let words: Vec<String> =
                position.legal_moves(&[]).iter().take(MOST_OFFERED).map(|m| position.write_move(m)).collect();
            format!("{}: {}, or pass", game.names().of(position.actor()), words.join(", "))
        }
        Phase::Over => "the game is over".to_owned(),
    }
}
