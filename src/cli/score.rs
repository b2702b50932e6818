use anyhow::Context;
use clap::Args;

use super::out::{self, outln, talk};
use super::{Outcome, input, typed};
use crate::library;
use crate::record::{self, Game, Header, Log, SavedGame, Sheet, Transcript};
use crate::rules::castle::{Edition, FinishedTable, Names, Phase};
use crate::rules::{self, Deck, Player, Wall};

/// Prints the sheet of a record, every score explained.
///
/// A record is the log of a game or its text: header lines and moves in their
/// notation. `-` reads it from stdin; moves typed there are scored as they come. Saved
/// games of JCloisterZone (.jcz) of the base game are read too.
#[derive(Debug, Args)]
pub struct Score {
    /// The record; `-` reads it from stdin.
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

/// A record in either form.
pub(super) enum Record {
    Log(Log),
    /// With what is wrong with its lines, and whether some are lost.
    Text(Transcript, Vec<String>, bool),
    Saved(SavedGame),
}

impl Score {
    pub fn run(self) -> anyhow::Result<Outcome> {
        if self.table {
            return self.score_table();
        }
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
        let (wall, deck) = parts(record.header(), self.wall.as_deref(), self.deck.as_deref())?;
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
        for lost in faults.iter().chain(game.lost()) {
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

impl Record {
    /// Tells by the first letter what it is.
    pub fn from_bytes(bytes: &[u8]) -> anyhow::Result<Record> {
        let start = bytes.trim_ascii_start();
        let text = std::str::from_utf8(start).ok().filter(|text| SavedGame::is_one(text));
        if let Some(text) = text {
            return Ok(Record::Saved(SavedGame::read(text)?));
        }
        if start.is_empty() || start.starts_with(b"{") {
            return Ok(Record::Log(Log::from_bytes(bytes)?));
        }
        let input::Text { text, faults, lost } = input::text(bytes);
        Ok(Record::Text(Transcript::read(&text)?, faults, lost))
    }

    pub fn header(&self) -> &Header {
        match self {
            Record::Log(log) => &log.header,
            Record::Text(text, ..) => &text.header,
            Record::Saved(saved) => &saved.header,
        }
    }

    fn header_mut(&mut self) -> &mut Header {
        match self {
            Record::Log(log) => &mut log.header,
            Record::Text(text, ..) => &mut text.header,
            Record::Saved(saved) => &mut saved.header,
        }
    }

    fn torn(&self) -> Option<String> {
        match self {
            Record::Log(log) => log.torn.clone(),
            Record::Text(..) | Record::Saved(_) => None,
        }
    }

    /// The game, and what its text has lost, a sentence each.
    pub fn play(self, wall: Option<&Wall>, deck: &Deck) -> anyhow::Result<(Game, Vec<String>)> {
        Ok(match self {
            Record::Log(log) => (log.replay(wall, deck)?, Vec::new()),
            Record::Saved(saved) => (saved.play(deck)?, Vec::new()),
            Record::Text(text, faults, false) => (text.play(wall, deck)?, faults),
            Record::Text(text, mut faults, true) => {
                let (game, left_out) = text.play_what_fits(wall, deck)?;
                faults.extend(left_out.iter().map(|error| format!("left out: {error}")));
                faults.push("the scores after a line that is left out may be wrong".to_owned());
                (game, faults)
            }
        })
    }
}

/// What to write when the last turn has not ended and is not scored for that.
pub(super) fn unfinished(game: &Game) -> Option<String> {
    let position = game.position();
    let name = game.names().of(position.to_move());
    (position.phase() == Phase::Follower).then(|| match position.tiles_left() {
        0 => {
            format!("the last tile lies, and {name}'s turn has not ended; `end` scores it and ends the game")
        }
        _ => format!("{name}'s turn has not ended; `end` scores it"),
    })
}

/// The wall and the deck that a record names, or others.
///
/// Only games that are played inside a wall have one.
pub(super) fn parts(
    header: &Header,
    wall: Option<&str>,
    deck: Option<&str>,
) -> anyhow::Result<(Option<Wall>, Deck)> {
    let deck = library::deck(deck.unwrap_or(&header.deck))?.deck;
    let wall = match header.game {
        rules::Game::Castle => {
            let wall = wall.or(header.wall.as_deref());
            Some(library::wall(wall.context("the record names no wall; name one with --wall")?)?)
        }
        rules::Game::Classic => None,
    };
    Ok((wall, deck))
}

fn signed(score: &rules::Score, sheet: &Sheet) -> String {
    let name = |p: &Player| sheet.players.get(p.index()).map_or("", String::as_str);
    match score.players.as_slice() {
        [] => String::new(),
        players => {
            let names: Vec<&str> = players.iter().map(name).collect();
            format!("{} +{}", names.join(", "), score.points())
        }
    }
}

/// The edition, and what the table must know of it.
pub(super) fn print_edition(sheet: &Sheet) -> anyhow::Result<()> {
    outln!("{}", sheet.edition)?;
    sheet.edition_notes.iter().try_for_each(|note| outln!("{note}"))?;
    outln!()
}

fn print_scores(sheet: &Sheet) -> anyhow::Result<()> {
    for turn in &sheet.turns {
        for score in &turn.scores {
            print_score(&format!("turn {:>2}", turn.turn), score, sheet)?;
        }
    }
    for score in &sheet.finals {
        print_score("at end ", score, sheet)?;
    }
    Ok(())
}

/// One score as a line of the sheet.
pub(super) fn print_score(when: &str, score: &rules::Score, sheet: &Sheet) -> anyhow::Result<()> {
    outln!("{when}  {:<w$}  {}", signed(score, sheet), score.sentence, w = width(sheet) + 4)
}

fn width(sheet: &Sheet) -> usize {
    sheet.players.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(5)
}

/// Points by category, totals and who won.
pub(super) fn print_totals(sheet: &Sheet) -> anyhow::Result<()> {
    let width = width(sheet);
    let head: Vec<String> = sheet.players.iter().map(|n| format!("{n:>width$}")).collect();
    outln!("{:<10}  {}", "", head.join("  "))?;
    for category in &sheet.categories {
        let row: Vec<String> = sheet
            .tallies
            .iter()
            .map(|t| format!("{:>width$}", t.by_category.get(category).copied().unwrap_or(0)))
            .collect();
        outln!("{category:<10}  {}", row.join("  "))?;
    }
    let totals: Vec<String> = sheet.tallies.iter().map(|t| format!("{:>width$}", t.total)).collect();
    outln!("{:<10}  {}", "total", totals.join("  "))?;
    match sheet.winners.as_slice() {
        [] => outln!("the game goes on"),
        [winner] => outln!("{} wins", sheet.players.get(winner.index()).map_or("", String::as_str)),
        all if all.len() == sheet.players.len() => outln!("a draw"),
        all => {
            outln!("{} share the win", rules::Names::new(&sheet.players).listed(all))
        }
    }
}
