use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use image::RgbImage;
use serde::Serialize;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::calibrate::pieces::{self, Measured};
use crate::pieces::{PlayerPieces, Size};
use crate::rules::{self, Sentence};
use crate::vision::base::photo;
use crate::{library, picture, table};

/// Measures the players' own pieces in a photo of the empty wall.
///
/// Put the wall together, empty, and lay inside it, for each player, a follower that stands,
/// one that lies and the keep, a hand's breadth apart. Their paints and sizes are written to
/// the owner's data folder, pieces/NAME.toml; `watch`, `open` and `read` take them with
/// --pieces NAME.
#[derive(Debug, Args)]
pub struct Pieces {
    /// Photos of the wall with the pieces in it, from above.
    #[arg(required = true)]
    photos: Vec<PathBuf>,
    /// The wall: `house`, a surveyed wall's name, or a path.
    #[arg(long, value_name = "W")]
    wall: Option<String>,
    /// The colours of the players' pieces, as words.
    #[arg(long, value_delimiter = ',', value_name = "C,D", required = true)]
    colours: Vec<String>,
    /// What to call the pieces.
    #[arg(long, value_name = "MINE")]
    name: String,
    /// Write over pieces of this name.
    #[arg(long)]
    replace: bool,
    /// Write the first photo with the pieces drawn over it (PNG or JPEG).
    #[arg(long, value_name = "OUT")]
    drawn: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    file: &'a std::path::Path,
    players: &'a [PlayerPieces],
    doubts: &'a [Sentence],
}

impl Pieces {
    pub fn run(self) -> anyhow::Result<Outcome> {
        if !rules::is_name(&self.name) {
            bail!(
                "the name of pieces is of letters, digits, - and _, at most 64: {}",
                rules::quoted(&self.name)
            );
        }
        let Some(wall) = &self.wall else {
            bail!(
                "pieces are measured inside a surveyed castle wall; name it with --wall, or survey one with `castellan survey`"
            );
        };
        let file = library::pieces_file(&self.name)?;
        if std::fs::symlink_metadata(&file).is_ok() && !self.replace {
            bail!("pieces of this name are there; give --replace to write over them: {}", file.display());
        }
        let survey = table::surveyed(wall, &library::wall(wall)?)?;
        let colours = self
            .colours
            .iter()
            .map(|word| {
                let rgb = table::known_colour(word).with_context(|| {
                    format!("`{word}` is no colour that is known; write blue or yellow, say")
                })?;
                Ok((word.trim().to_lowercase(), rgb))
            })
            .collect::<anyhow::Result<Vec<(String, [u8; 3])>>>()?;
        let frames =
            self.photos.iter().map(|path| photo::open(path)).collect::<Result<Vec<RgbImage>, _>>()?;
        let measured = pieces::measure(&frames, &survey, &colours)?;
        library::write_pieces(&file, &measured.pieces)
            .with_context(|| format!("the pieces cannot be written: {}", file.display()))?;
        if let (Some(out), Some(frame), Some(found)) = (&self.drawn, frames.first(), measured.found.first()) {
            let drawn = pieces::draw(frame, found, &measured.pieces.words())?;
            picture::save(out, &drawn).with_context(|| {
                format!("the drawing cannot be written; name a .png or .jpg file: {}", out.display())
            })?;
        }
        self.report(&measured, &file)?;
        Ok(if measured.doubts.is_empty() { Outcome::Done } else { Outcome::Findings })
    }

    fn report(
        &self,
        Measured { pieces, doubts, .. }: &Measured,
        file: &std::path::Path,
    ) -> anyhow::Result<()> {
        if self.json {
            out::json(&Report { name: &self.name, file, players: &pieces.players, doubts })?;
            return Ok(());
        }
        for player in &pieces.players {
            let [r, g, b] = player.rgb;
            outln!("{}: paint {r}, {g}, {b}", player.colour)?;
            let all = [("stands", player.standing), ("lies", player.lying), ("keep", player.keep)];
            for (what, Size { length, width, height }) in all {
                outln!("  {what:<7} {length:.2} by {width:.2}, {height:.2} high")?;
            }
        }
        outln!("{}", file.display())?;
        for doubt in doubts {
            talk!("look at this: {doubt}");
        }
        talk!("sizes are in tile sides; play with `--pieces {}`", self.name);
        Ok(())
    }
}
