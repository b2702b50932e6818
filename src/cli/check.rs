use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::{Outcome, score};
use crate::record::{self, Log, Transcript};
use crate::rules::castle::validate::{Finding, check_deck, check_wall};
use crate::rules::{Deck, Wall};
use crate::{files, library};

/// The largest file that is looked at, bytes; a record may be long.
const MOST_BYTES: u64 = 100 << 20;

/// Holds a record, a deck or a wall against the rules.
///
/// A record with findings ends with exit status 3, a deck or wall that cannot
/// be played with ends with 1.
#[derive(Debug, Args)]
pub struct Check {
    /// A record, a deck's or wall's `.toml`, a deck's folder, or the name of a
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
    findings: Vec<record::RecordFinding>,
}

impl Report {
    fn of_parts(what: &'static str, findings: Vec<Finding>) -> Report {
        let findings = findings
            .into_iter()
            .map(|f| record::RecordFinding {
                event: None,
                rule: Some(f.rule.to_owned()),
                waived: false,
                sentence: f.sentence,
            })
            .collect();
        Report { what, findings }
    }
}

impl Check {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let reports = self.reports()?;
        let mut outcome = Outcome::Done;
        let mut unplayable = Vec::new();
        for report in &reports {
            if self.json {
                println!("{}", serde_json::to_string(report)?);
            } else {
                print(report);
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
            let bytes = files::read_stream(std::io::stdin(), MOST_BYTES).context("stdin cannot be read")?;
            return Ok(vec![self.text(&bytes)?]);
        }
        if path.is_file() {
            let bytes = files::read(path, MOST_BYTES).with_context(|| self.what.clone())?;
            return Ok(vec![self.text(&bytes).with_context(|| self.what.clone())?]);
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
    fn text(&self, bytes: &[u8]) -> anyhow::Result<Report> {
        let text = String::from_utf8_lossy(bytes);
        if text.trim_start().starts_with('{') {
            let log = Log::from_bytes(bytes)?;
            let (wall, deck) = score::parts(&log.header, self.wall.as_deref(), self.deck.as_deref())?;
            return Ok(Report { what: "record", findings: record::check(&log, &wall, &deck)? });
        }
        if text.lines().any(|l| l.trim_start().starts_with("lay ")) {
            let record = Transcript::read(&text)?;
            let (wall, deck) = score::parts(&record.header, self.wall.as_deref(), self.deck.as_deref())?;
            let log = Log::read(&record.play(&wall, &deck)?.to_log())?;
            return Ok(Report { what: "record", findings: record::check(&log, &wall, &deck)? });
        }
        // Decks and walls are played with, so what is no text of theirs is none here.
        let text = files::text(bytes.to_vec())?;
        if text.lines().any(|l| l.trim_start().starts_with("outline")) {
            return Ok(Report::of_parts("wall", check_wall(&Wall::from_toml(&text)?)));
        }
        Ok(Report::of_parts("deck", check_deck(&Deck::from_toml(&text)?)))
    }
}

fn print(report: &Report) {
    for finding in &report.findings {
        let place = finding.event.map(|seq| format!("event {seq}: ")).unwrap_or_default();
        let rule = finding.rule.as_ref().map(|r| format!(" ({r})")).unwrap_or_default();
        let waived = if finding.waived { "; the table let it stand" } else { "" };
        println!("{place}{}{rule}{waived}", finding.sentence);
    }
    match report.findings.len() {
        0 => eprintln!("the {} is in order", report.what),
        1 => eprintln!("1 finding in the {}", report.what),
        n => eprintln!("{n} findings in the {}", report.what),
    }
}
