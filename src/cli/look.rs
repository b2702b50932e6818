use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use super::table_options::TableOptions;
use crate::capture::{self, SourceOptions};
use crate::picture;
use crate::table::{Judged, LookOver, Looked};
use crate::vision::read::drawing;

/// Says how well a camera sees the table, before a game: whether the board is found, how far
/// away it is, how light and sharp the picture is, how many tiles are read, and whose pieces
/// are seen.
///
/// Each line begins with ok, -- (cannot be told yet), poor or bad. Ends with exit status 3
/// where something is poor or bad.
#[derive(Debug, Args)]
pub struct Look {
    /// `camera:0` or `camera:` and a part of its name, a photo, a video file, a folder of
    /// stills, or an http or rtsp address; its first picture is looked at.
    source: String,
    #[command(flatten)]
    table: TableOptions,
    /// Draw what is read over the picture.
    #[arg(long, value_name = "OUT.png")]
    drawn: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    judged: &'static str,
    tile_px: Option<f32>,
    light: f32,
    burnt_out: f32,
    softness_px: Option<f32>,
    remarks: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    matter: String,
    judged: &'static str,
    sentence: String,
}

impl Look {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let opening = self.table.opening(&self.source);
        let mut look_over = LookOver::open(&opening)?;
        let options = SourceOptions { resolution: opening.resolution, ..SourceOptions::default() };
        let mut source = capture::open(&self.source, options)?;
        let Some(frame) = source.next()? else { bail!("the source has no picture: {}", self.source) };
        let looked = look_over.look(&frame.image)?;
        if let (Some(file), Some(seen)) = (&self.drawn, &looked.seen) {
            let drawn = drawing::draw(&frame.image, seen, &looked.places)?;
            picture::save(file, &drawn)
                .with_context(|| format!("the drawing cannot be written: {}", file.display()))?;
        } else if self.drawn.is_some() {
            talk!("nothing is drawn, since no board is found");
        }
        self.report(&looked)?;
        Ok(if looked.judged() > Judged::Open { Outcome::Findings } else { Outcome::Done })
    }

    fn report(&self, looked: &Looked) -> anyhow::Result<()> {
        if !self.json {
            for remark in &looked.remarks {
                outln!("{:4} {}", word(remark.judged), remark.sentence())?;
            }
            return Ok(());
        }
        let conditions = &looked.conditions;
        let remarks = looked.remarks.iter().map(|remark| Line {
            matter: format!("{:?}", remark.matter).to_lowercase(),
            judged: word(remark.judged),
            sentence: remark.sentence().to_string(),
        });
        out::json(&Report {
            judged: word(looked.judged()),
            tile_px: conditions.tile_px,
            light: conditions.light,
            burnt_out: conditions.burnt_out,
            softness_px: conditions.softness,
            remarks: remarks.collect(),
        })
    }
}

const fn word(judged: Judged) -> &'static str {
    match judged {
        Judged::Good => "ok",
        Judged::Open => "--",
        Judged::Poor => "poor",
        Judged::Bad => "bad",
    }
}
