use std::path::Path;

use anyhow::Context;
use clap::Args;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use super::recorded::{self, Record, parts};
use super::sheet::{print_edition, print_scores, print_totals, unfinished};
use super::{input, typed};
use crate::library;
use crate::record::{self, Game};
use crate::rules::Player;
use crate::rules::castle::{Edition, FinishedTable, Names};

/// Prints the sheet of a record, every score explained.
///
/// A record is the log of a game or its text: header lines and moves in their
/// notation. `-` reads it from stdin; moves typed there are scored as they come. Saved
/// games of JCloisterZone (.jcz) of the base game and its sets are read too.
#[derive(Debug, Args)]
pub struct Score {
    /// The record, or the folder of a game; `-` reads it from stdin.
    record: String,
    /// Accounts for one turn: the table before and after it, who had how many
    /// followers on what, and why it scored so and not otherwise.
    #[arg(long)]
    turn: Option<u32>,
    /// Prints the record as text, every score beside its turn; it can be read
    /// back and printed.
    #[arg(long, conflicts_with_all = ["turn", "json"])]
    text: bool,
    /// Prints a record of the classic game as a saved game of JCloisterZone (.jcz).
    #[arg(long, conflicts_with_all = ["turn", "json", "text"])]
    jcz: bool,
    /// Scores a finished table without its history: lines such as `lay h07 D5`,
    /// `1: knight D5 2`, `1: keep D5 2`, `1: holds 4 ?`, `1: points 87`.
    #[arg(long, conflicts_with_all = ["turn", "text", "jcz"])]
    table: bool,
    /// The deck to play it with, instead of the one that the record names.
    #[arg(long)]
    deck: Option<String>,
    /// The wall to play it with, instead of the one that the record names.
    #[arg(long)]
    wall: Option<String>,
    /// The edition to score it by, instead of the record's: hig-2003, rgg-2003 or
    /// zamek-2020, then what is different here, such as +pickup_after_all_moves.
    #[arg(long)]
    edition: Option<String>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Score {
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        if self.table {
            return self.score_table();
        }
        self.record = recorded::file(self.record);
        if self.record == "-" && self.turn.is_none() && !self.text && !self.json && !self.jcz {
            let mut stdin = std::io::stdin().lock();
            if !input::starts_as_log(&mut stdin)? {
                let setup = typed::Setup { deck: self.deck, wall: self.wall, edition: self.edition };
                return typed::run(stdin, &setup);
            }
        }
        let record = Record::from_bytes(&input::bytes(&self.record)?);
        self.print_record(if self.record == "-" {
            record?
        } else {
            record.with_context(|| self.record.clone())?
        })
    }

    fn print_record(&self, mut record: Record) -> anyhow::Result<Outcome> {
        if let Some(edition) = &self.edition {
            record.header_mut().edition = Some(edition.clone());
        }
        let (wall, deck) =
            parts((record.header(), Path::new(&self.record)), self.wall.as_deref(), self.deck.as_deref())?;
        let torn = record.torn();
        let unfounded = match &record {
            Record::Log(log) if self.is_as_recorded() && log.lost.is_empty() => {
                record::unfounded(log, wall.as_ref(), &deck)?
            }
            _ => None,
        };
        let (game, faults) = record.play(wall.as_ref(), &deck)?;
        if self.jcz {
            let (text, faults) = record::to_jcz(&game, &deck)?;
            out::lines(&text)?;
            for fault in &faults {
                talk!("JCloisterZone will not take this move, it is against the rules: {fault}");
            }
        } else if self.text {
            out::lines(&game.to_text())?;
        } else if let Some(turn) = self.turn {
            self.print_turn(&game, turn)?;
        } else if self.json {
            out::json(&game.sheet())?;
        } else {
            let sheet = game.sheet();
            print_edition(&sheet)?;
            print_scores(&sheet)?;
            outln!()?;
            print_totals(&sheet)?;
        }
        if let Some(hint) = unfinished(&game).filter(|_| game.position().tiles_left() == 0) {
            talk!("{hint}");
        }
        let mut outcome = Outcome::Done;
        for lost in faults.into_iter().chain(game.lost().iter().map(ToString::to_string)) {
            talk!("{lost}");
            outcome = Outcome::Findings;
        }
        if let Some(finding) = unfounded {
            talk!("{}; see what is wrong with `castellan check`", finding.sentence);
            outcome = Outcome::Findings;
        }
        for (seq, why) in game.conflicts() {
            talk!("event {seq} is left out: {why}");
            outcome = Outcome::Findings;
        }
        if let Some(torn) = torn {
            talk!("{torn}");
            outcome = Outcome::Findings;
        }
        Ok(outcome)
    }

    /// Whether the record is scored with what its header names.
    fn is_as_recorded(&self) -> bool {
        self.deck.is_none() && self.wall.is_none() && self.edition.is_none()
    }

    fn print_turn(&self, game: &Game, turn: u32) -> anyhow::Result<()> {
        let last = game.position().turn();
        let account = game
            .account(turn)
            .with_context(|| format!("turn {turn} was not played; the record has {last}"))?;
        if self.json {
            out::json(&account)?;
        } else {
            for line in account.to_lines() {
                outln!("{line}")?;
            }
        }
        Ok(())
    }

    fn score_table(self) -> anyhow::Result<Outcome> {
        let input::Text { text, faults, .. } = input::text(&input::bytes(&self.record)?);
        let wall = library::wall(self.wall.as_deref().unwrap_or("house"))?;
        let deck = library::deck(self.deck.as_deref().unwrap_or("house"))?.deck;
        let edition = Edition::named(self.edition.as_deref().unwrap_or(Edition::default_name()))?;
        let mut table = FinishedTable::new(&wall, &deck, &edition)?;
        for (line, number) in text.lines().zip(1..) {
            table.take(line).with_context(|| format!("line {number}"))?;
        }
        let names = Names::default();
        let reading = table.finish(&names)?;
        let scores = reading.position.final_scores(&names);
        let totals = reading.position.final_totals();
        if self.json {
            let value = serde_json::json!({
                "edition": edition.title,
                "edition_notes": edition.notes(),
                "scores": scores,
                "totals": totals,
                "doubts": reading.doubts,
                "unknowable": reading.unknowable,
            });
            out::json(&value)?;
        } else {
            outln!("{}", edition.title)?;
            edition.notes().iter().try_for_each(|note| outln!("{note}"))?;
            for player in [Player(0), Player(1)] {
                outln!("{} +{}: on the track", names.of(player), reading.position.total(player))?;
            }
            for score in &scores {
                let name = score.players.first().map_or("", |p| names.of(*p));
                outln!("{name} +{}: {}", score.points(), score.sentence)?;
            }
            outln!("total {} to {}", totals[0], totals[1])?;
            reading.doubts.iter().try_for_each(|doubt| outln!("doubt: {doubt}"))?;
            reading.unknowable.iter().try_for_each(|what| outln!("cannot be told from a table: {what}"))?;
        }
        faults.iter().for_each(|fault| talk!("{fault}"));
        let whole = reading.doubts.is_empty() && faults.is_empty();
        Ok(if whole { Outcome::Done } else { Outcome::Findings })
    }
}
