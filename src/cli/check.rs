use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::input;
use super::out::{self, outln, talk};
use super::outcome::Outcome;
use super::recorded::{self, Record};
use crate::record::{self, Log, RecordFinding};
use crate::rules::castle::validate::{Finding, check_deck, check_wall};
use crate::rules::{Deck, Wall};
use crate::{files, library};

/// Holds a record, a deck or a wall against the rules.
///
/// A record with findings ends with exit status 3, a deck or wall that cannot
/// be played with ends with 1. `castellan rules` says what the ids of rules mean.
#[derive(Debug, Args)]
pub struct Check {
    /// A record, the folder of a game, a deck's or wall's `.toml`, a deck's folder, or the name of a
    /// deck or wall; `-` reads it from stdin.
    what: String,
    /// For a record: the deck to play it with, instead of the one it names.
    #[arg(long)]
    deck: Option<String>,
    /// For a record: the wall to play it with, instead of the one it names.
    #[arg(long)]
    wall: Option<String>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// What was found about a thing.
#[derive(Serialize)]
struct Report {
    what: &'static str,
    findings: Vec<RecordFinding>,
}

impl Report {
    fn of_parts(what: &'static str, findings: Vec<Finding>) -> Report {
        let findings = findings
            .into_iter()
            .map(|f| RecordFinding {
                event: None,
                rule: Some(f.rule.to_owned()),
                waived: false,
                sentence: f.sentence.to_string(),
            })
            .collect();
        Report { what, findings }
    }
}

impl Check {
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        self.what = recorded::file(self.what);
        let reports = self.reports()?;
        let mut outcome = Outcome::Done;
        let mut unplayable = Vec::new();
        for report in &reports {
            if self.json {
                out::json(report)?;
            } else {
                print(report)?;
            }
            if !report.findings.is_empty() {
                outcome = Outcome::Findings;
                if report.what != "record" {
                    unplayable.push(report.what);
                }
            }
        }
        if !unplayable.is_empty() {
            bail!("the {} cannot be played with; correct what was found", unplayable.join(" and the "));
        }
        Ok(outcome)
    }

    fn reports(&self) -> anyhow::Result<Vec<Report>> {
        let path = Path::new(&self.what);
        if self.what == "-" {
            return Ok(vec![self.text(input::bytes("-")?)?]);
        }
        if path.is_file() {
            let bytes = input::bytes(&self.what)?;
            return Ok(vec![self.text(bytes).with_context(|| self.what.clone())?]);
        }
        let deck = library::deck(&self.what).map(|d| Report::of_parts("deck", check_deck(&d.deck)));
        let wall = library::wall(&self.what).map(|w| Report::of_parts("wall", check_wall(&w)));
        match (deck, wall) {
            (Ok(deck), Ok(wall)) => Ok(vec![deck, wall]),
            (Ok(one), _) | (_, Ok(one)) => Ok(vec![one]),
            (Err(library::LibraryError::NoDeck(_)), Err(library::LibraryError::NoWall(_))) => {
                bail!("no record, deck or wall is named so: {}", self.what)
            }
            (Err(library::LibraryError::NoDeck(_)), Err(error)) | (Err(error), _) => Err(error.into()),
        }
    }

    /// Tells by the text what it is.
    fn text(&self, bytes: Vec<u8>) -> anyhow::Result<Report> {
        let start = bytes.trim_ascii_start();
        let lays = |line: &[u8]| line.trim_ascii_start().starts_with(b"lay ");
        if start.starts_with(b"{") || start.split(|b| *b == b'\n').any(lays) {
            return self.record(&bytes);
        }
        // Decks and walls are played with, so what is no text of theirs is none here.
        let text = files::text(bytes)?;
        if text.lines().any(|l| l.trim_start().starts_with("outline")) {
            return Ok(Report::of_parts("wall", check_wall(&Wall::from_toml(&text)?)));
        }
        Ok(Report::of_parts("deck", check_deck(&Deck::from_toml(&text)?)))
    }

    fn record(&self, bytes: &[u8]) -> anyhow::Result<Report> {
        let record = Record::from_bytes(bytes)?;
        let (wall, deck) = recorded::parts(
            (record.header(), Path::new(&self.what)),
            self.wall.as_deref(),
            self.deck.as_deref(),
        )?;
        let (log, faults) = match record {
            Record::Log(log) => (log, Vec::new()),
            text => {
                let (game, faults) = text.play(wall.as_ref(), &deck)?;
                (Log::read(&game.to_log())?, faults)
            }
        };
        let fault = |sentence| RecordFinding { event: None, rule: None, waived: false, sentence };
        let mut findings: Vec<RecordFinding> = faults.into_iter().map(fault).collect();
        findings.extend(record::check(&log, wall.as_ref(), &deck)?);
        Ok(Report { what: "record", findings })
    }
}

fn print(report: &Report) -> anyhow::Result<()> {
    for finding in &report.findings {
        let place = finding.event.map(|seq| format!("event {seq}: ")).unwrap_or_default();
        let rule = finding.rule.as_ref().map(|r| format!(" ({r})")).unwrap_or_default();
        let waived = if finding.waived { "; the table let it stand" } else { "" };
        outln!("{place}{}{rule}{waived}", finding.sentence)?;
    }
    match report.findings.len() {
        0 => talk!("the {} is in order", report.what),
        1 => talk!("1 finding in the {}", report.what),
        n => talk!("{n} findings in the {}", report.what),
    }
    Ok(())
}
