use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::Outcome;
use crate::rules::Game;
use crate::vision::enrol;

/// Enrols a deck from photos of its tiles.
///
/// The deck is stored in the data folder ($CASTELLAN_DATA), under decks/NAME.
#[derive(Debug, Args)]
pub struct Enrol {
    /// The photos.
    #[arg(required = true, value_name = "PHOTO")]
    photos: Vec<PathBuf>,
    /// The game that the tiles belong to.
    #[arg(long, value_enum)]
    game: GameName,
    /// The new deck's name.
    #[arg(long, value_name = "D")]
    name: String,
    /// Each picture is one upright tile, as a scan; its id is the file's stem.
    #[arg(long)]
    one_per_photo: bool,
    /// Replace a deck that has this name.
    #[arg(long)]
    replace: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GameName {
    Castle,
    Classic,
}

impl Enrol {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let game = match self.game {
            GameName::Castle => Game::Castle,
            GameName::Classic => Game::Classic,
        };
        if !self.one_per_photo {
            bail!(
                "several tiles to a photo can't be enrolled yet; give each tile a picture of its own and write --one-per-photo"
            );
        }
        let enrolment = enrol::one_per_photo(&self.photos, game, &self.name)?;
        for warning in &enrolment.warnings {
            eprintln!("castellan: {warning}");
        }
        let place = enrol::store(&enrolment, self.replace)?;
        if self.json {
            let ids: Vec<&str> = enrolment.deck.tiles.iter().map(|t| t.id.as_str()).collect();
            println!(
                "{}",
                serde_json::json!({ "deck": self.name, "folder": place, "tiles": ids, "warnings": enrolment.warnings })
            );
        } else {
            println!("deck `{}`: {} tiles, {}", self.name, enrolment.deck.len(), place.display());
        }
        Ok(if enrolment.warnings.is_empty() { Outcome::Done } else { Outcome::Findings })
    }
}
