use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::Map;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::calibrate::Enrolment;
use crate::calibrate::enrol;
use crate::calibrate::enrol::deck_folder::{self, Correction};
use crate::calibrate::faces::{self, FaceProposal};
use crate::rules::{Game, classic};
use crate::vision::tiles::recogniser::OnnxMatcher;

/// Enrols a deck from photos of its tiles, or corrects one.
///
/// Lay the tiles apart on a table of another colour, 6 to 12 to a photo, turned
/// as you like. The deck is stored in the data folder ($CASTELLAN_DATA), under
/// decks/NAME: deck.toml, references/ID.png, and contact-sheet.png, on which
/// every tile stands with its id. Faces may be written into deck.toml by hand,
/// or with --face; a tile that is dropped is kept in left-out/.
#[derive(Debug, Args)]
pub struct Enrol {
    /// The photos; with --correct, photos of further tiles.
    #[arg(required_unless_present = "correct", value_name = "PHOTO")]
    photos: Vec<PathBuf>,
    /// The game that the tiles belong to.
    #[arg(long, value_enum, required_unless_present_any = ["correct", "complete"])]
    game: Option<GameName>,
    /// The new deck's name.
    #[arg(long, value_name = "D", required_unless_present_any = ["correct", "complete"])]
    name: Option<String>,
    /// The sets of the classic game that are among the tiles: river, inns, traders, king, cathars, count.
    /// Their rules come with the deck.
    #[arg(long, value_delimiter = ',', value_name = "SETS", value_parser = set)]
    sets: Vec<String>,
    /// Each picture is one upright tile, as a scan; its id is the file's stem.
    #[arg(long)]
    one_per_photo: bool,
    /// Keep tiles that look like one tile photographed twice.
    #[arg(long)]
    keep_duplicates: bool,
    /// Replace a deck that has this name; the former is kept as .NAME.former.
    #[arg(long)]
    replace: bool,
    /// Correct this deck and draw its contact sheet anew.
    #[arg(long, value_name = "D", conflicts_with_all = ["game", "name", "one_per_photo", "replace"])]
    correct: Option<String>,
    /// Give this deck, which came without pictures, those of your own tiles.
    #[arg(long, value_name = "D", conflicts_with_all = ["game", "name", "one_per_photo", "replace", "correct"])]
    complete: Option<String>,
    /// What is printed on a tile, as t07="path n-s; court el-er".
    #[arg(long, value_name = "ID=FACE", requires = "correct", value_parser = named_face)]
    face: Vec<(String, String)>,
    /// A tile that does not count.
    #[arg(long, value_name = "ID", requires = "correct")]
    drop: Vec<String>,
    /// A tile that was left out and counts after all.
    #[arg(long, value_name = "ID", requires = "correct")]
    restore: Vec<String>,
    /// Leave the faces to be said by hand: propose none.
    #[arg(long)]
    no_faces: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GameName {
    Castle,
    Classic,
}

/// Faces proposed for tiles, by id.
type Proposals = Vec<(String, FaceProposal)>;

/// What people should know, with what to write about it.
fn warnings(enrolment: &Enrolment) -> Vec<String> {
    let name = &enrolment.deck.name;
    let twice = enrolment.twice.iter().map(|twice| {
        let second = &twice.tiles[1];
        if twice.left_out {
            format!("{twice}: `{second}` was left out; `castellan enrol --correct {name} --restore {second}` takes it back")
        } else {
            format!("{twice}; if they are, `castellan enrol --correct {name} --drop {second}`")
        }
    });
    twice.chain(enrolment.warnings.iter().map(ToString::to_string)).collect()
}

fn proposal(proposal: &FaceProposal) -> serde_json::Value {
    serde_json::json!({
        "face": proposal.face,
        "confidence": proposal.confidence,
        "doubts": proposal.doubts.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn set(text: &str) -> Result<String, String> {
    let names = || classic::sets().map(|(name, _)| name);
    match names().find(|name| *name == text.trim()) {
        Some(name) => Ok(name.to_owned()),
        None => Err(format!("the sets are {}", names().collect::<Vec<_>>().join(", "))),
    }
}

fn named_face(text: &str) -> Result<(String, String), String> {
    let (id, face) = text.split_once('=').ok_or("write it as t07=\"path n-s\"")?;
    Ok((id.trim().to_owned(), face.trim().to_owned()))
}

impl Enrol {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut proposals = Vec::new();
        let (enrolment, place) = match (&self.correct, &self.complete) {
            (Some(deck), _) => self.correct(deck, &mut proposals)?,
            (_, Some(deck)) => deck_folder::complete(deck, &self.photos, &OnnxMatcher::built_in()?)?,
            _ => self.enrol(&mut proposals)?,
        };
        let warnings = warnings(&enrolment);
        for warning in &warnings {
            talk!("castellan: {warning}");
        }
        self.report(&enrolment, &warnings, &place, &proposals)?;
        Ok(if warnings.is_empty() { Outcome::Done } else { Outcome::Findings })
    }

    fn enrol(&self, proposals: &mut Proposals) -> anyhow::Result<(Enrolment, PathBuf)> {
        let game = match self.game {
            Some(GameName::Classic) => Game::Classic,
            _ => Game::Castle,
        };
        let name = self.name.as_deref().unwrap_or_default();
        deck_folder::check_free(name, self.replace)?;
        let mut enrolment = if self.one_per_photo {
            enrol::one_per_photo(&self.photos, game, name)?
        } else {
            enrol::from_photos(&self.photos, game, name, &OnnxMatcher::built_in()?, self.keep_duplicates)?
        };
        if game == Game::Castle && !self.sets.is_empty() {
            anyhow::bail!("The Castle is played without sets; leave them out, or say --game classic");
        }
        let names: Vec<&str> = self.sets.iter().map(String::as_str).collect();
        let known = classic::deck_with(&names);
        enrolment.deck.sets =
            known.map_err(|set| anyhow::anyhow!("`{set}` stands twice; say each set once"))?.sets;
        self.propose(&mut enrolment, proposals)?;
        enrolment.warnings.extend(enrol::set_findings(&enrolment.deck));
        let place = deck_folder::store(&enrolment, self.replace, None)?;
        Ok((enrolment, place))
    }

    fn correct(&self, deck: &str, proposals: &mut Proposals) -> anyhow::Result<(Enrolment, PathBuf)> {
        let correction =
            Correction { faces: self.face.clone(), drop: self.drop.clone(), restore: self.restore.clone() };
        let mut enrolment = deck_folder::corrected(deck, &correction)?;
        if self.photos.is_empty() {
            enrolment.warnings.extend(enrol::count(&enrolment.deck));
        } else {
            let matcher = OnnxMatcher::built_in()?;
            enrolment = enrol::with_photos(enrolment, &self.photos, &matcher, self.keep_duplicates)?;
        }
        self.propose(&mut enrolment, proposals)?;
        enrolment.warnings.extend(enrol::set_findings(&enrolment.deck));
        let place = deck_folder::store(&enrolment, true, None)?;
        Ok((enrolment, place))
    }

    fn propose(&self, enrolment: &mut Enrolment, proposals: &mut Proposals) -> anyhow::Result<()> {
        if !self.no_faces {
            *proposals = faces::fill(&mut enrolment.deck, &enrolment.references)?;
        }
        Ok(())
    }

    fn report(
        &self,
        enrolment: &Enrolment,
        warnings: &[String],
        place: &Path,
        proposals: &Proposals,
    ) -> anyhow::Result<()> {
        let deck = &enrolment.deck;
        let sheet = deck_folder::sheet_path(place);
        let counts = if deck.game == Game::Classic { classic::set_counts(deck) } else { Vec::new() };
        if self.json {
            let ids: Vec<&str> = deck.tiles.iter().map(|t| t.id.as_str()).collect();
            let aside: Vec<&str> = enrolment.left_out.iter().map(|(t, _)| t.id.as_str()).collect();
            let sets: Map<_, _> =
                counts.iter().map(|count| (count.name.to_owned(), count.found.into())).collect();
            let report = serde_json::json!({
                "deck": deck.name,
                "folder": place,
                "contact_sheet": sheet,
                "tiles": ids,
                "sets": sets,
                "left_out": aside,
                "proposals": proposals.iter().map(|(id, p)| (id.clone(), proposal(p))).collect::<Map<_, _>>(),
                "warnings": warnings,
            });
            out::json(&report)?;
        } else {
            outln!("deck `{}`: {} tiles, {}", deck.name, deck.len(), place.display())?;
            for count in counts.iter().filter(|_| !deck.sets.is_empty()) {
                outln!("{}: {} of {} tiles", count.title, count.found, count.all)?;
            }
            outln!("contact sheet: {}", sheet.display())?;
        }
        if !proposals.is_empty() {
            let doubtful = proposals.iter().filter(|(_, p)| !p.doubts.is_empty()).count();
            talk!(
                "castellan: faces of {} tiles are proposed, {doubtful} with doubts (ringed on the contact sheet); compare each with its picture, and correct with: castellan enrol --correct {} --face ID=FACE",
                proposals.len(),
                deck.name
            );
        }
        Ok(())
    }
}
