use std::io::Read;
use std::path::Path;

use anyhow::Context;
use clap::Args;

use super::Outcome;
use crate::library;
use crate::record::{Event, Log, Sheet};
use crate::rules::{self, Deck, Wall};

/// Prints the sheet of a record, every score explained.
#[derive(Debug, Args)]
pub struct Score {
    /// The record; `-` reads it from stdin.
    record: String,
    /// Prints only this turn: what happened in it and what it scored.
    #[arg(long)]
    turn: Option<u32>,
    /// The deck to play it with, instead of the one that the record names.
    #[arg(long)]
    deck: Option<String>,
    /// The wall to play it with, instead of the one that the record names.
    #[arg(long)]
    wall: Option<String>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Score {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let log = read(&self.record)?;
        let (wall, deck) = parts(&log, self.wall.as_deref(), self.deck.as_deref())?;
        let torn = log.torn.clone();
        let game = log.replay(&wall, &deck)?;
        let mut sheet = game.sheet();
        let mut events: Vec<Event> = Vec::new();
        if let Some(turn) = self.turn {
            sheet.turns.retain(|t| t.turn == turn);
            sheet.finals.clear();
            events = game.events_of_turn(turn);
        }
        if self.json {
            let mut value = serde_json::to_value(&sheet)?;
            if let (Some(_), Some(object)) = (self.turn, value.as_object_mut()) {
                object.insert("events".to_owned(), serde_json::to_value(&events)?);
            }
            println!("{value}");
        } else {
            for event in &events {
                println!("{}", game.describe(&event.kind));
            }
            print(&sheet, self.turn.is_none());
        }
        let mut outcome = Outcome::Done;
        for (seq, why) in game.conflicts() {
            eprintln!("event {seq} is left out: {why}");
            outcome = Outcome::Findings;
        }
        if let Some(torn) = torn {
            eprintln!("{torn}");
            outcome = Outcome::Findings;
        }
        Ok(outcome)
    }
}

/// Reads a record from a file, or from stdin for `-`.
pub(super) fn read(record: &str) -> anyhow::Result<Log> {
    if record == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("stdin cannot be read")?;
        return Ok(Log::from_bytes(&bytes)?);
    }
    Log::open(Path::new(record)).with_context(|| record.to_owned())
}

/// The wall and the deck that a record names, or others.
pub(super) fn parts(log: &Log, wall: Option<&str>, deck: Option<&str>) -> anyhow::Result<(Wall, Deck)> {
    let wall =
        wall.or(log.header.wall.as_deref()).context("the record names no wall; name one with --wall")?;
    let deck = deck.unwrap_or(&log.header.deck);
    Ok((library::wall(wall)?, library::deck(deck)?.deck))
}

fn signed(score: &rules::Score, sheet: &Sheet) -> String {
    match score.player {
        Some(player) => {
            let name = sheet.players.get(player.index()).map_or("", String::as_str);
            format!("{name} +{}", score.points())
        }
        None => String::new(),
    }
}

fn print(sheet: &Sheet, whole: bool) {
    let width = sheet.players.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(5);
    for turn in &sheet.turns {
        for score in &turn.scores {
            println!(
                "turn {:>2}  {:<w$}  {}",
                turn.turn,
                signed(score, sheet),
                score.sentence,
                w = width + 4
            );
        }
    }
    for score in &sheet.finals {
        println!("at end   {:<w$}  {}", signed(score, sheet), score.sentence, w = width + 4);
    }
    if !whole {
        return;
    }
    println!();
    let head: Vec<String> = sheet.players.iter().map(|n| format!("{n:>width$}")).collect();
    println!("{:<10}  {}", "", head.join("  "));
    for category in ["path", "tower", "house", "keep", "court", "wall tiles"] {
        let row: Vec<String> = sheet
            .tallies
            .iter()
            .map(|t| format!("{:>width$}", t.by_category.get(category).copied().unwrap_or(0)))
            .collect();
        println!("{category:<10}  {}", row.join("  "));
    }
    let totals: Vec<String> = sheet.tallies.iter().map(|t| format!("{:>width$}", t.total)).collect();
    println!("{:<10}  {}", "total", totals.join("  "));
    match sheet.winners.as_slice() {
        [] => println!("the game goes on"),
        [winner] => println!("{} wins", sheet.players.get(winner.index()).map_or("", String::as_str)),
        _ => println!("a draw"),
    }
}
