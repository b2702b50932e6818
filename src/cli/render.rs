use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use image::codecs::jpeg::JpegEncoder;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::Outcome;
use crate::studio::{
    Mood, PrintedSet, Scene, Style, photograph, random_deck, random_position, random_wall, scan,
    survey_picture,
};

/// Photographs games in the studio, with the truth beside each picture.
#[derive(Debug, Args)]
pub struct Render {
    /// How many single photos of random boards to take, each in a folder of its own.
    #[arg(long)]
    boards: usize,
    /// The folder to write to.
    #[arg(long)]
    out: PathBuf,
    /// Everything random follows from this number.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How hard the conditions are.
    #[arg(long, value_enum, default_value = "usual")]
    mood: Mood,
    /// Picture size.
    #[arg(long, default_value = "1280x720", value_parser = size)]
    size: (u32, u32),
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (w, h) = text.split_once('x').ok_or("write the size as 1280x720")?;
    let side = |t: &str| t.parse::<u32>().ok().filter(|n| (160..=8000).contains(n));
    match (side(w), side(h)) {
        (Some(w), Some(h)) => Ok((w, h)),
        _ => Err("each side must be 160 to 8000 pixels".to_owned()),
    }
}

/// Colours of players' figures that can be told apart.
const COLOURS: [[[u8; 3]; 2]; 6] = [
    [[188, 32, 34], [34, 72, 170]],
    [[28, 28, 30], [222, 202, 168]],
    [[226, 190, 40], [30, 110, 60]],
    [[34, 72, 170], [226, 190, 40]],
    [[120, 50, 130], [230, 228, 222]],
    [[214, 96, 30], [28, 28, 30]],
];

impl Render {
    pub fn run(self) -> anyhow::Result<Outcome> {
        for i in 0..self.boards {
            let folder = self.out.join(format!("{:03}", i + 1));
            let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(i as u64);
            self.board(&folder, seed)?;
            eprintln!("{}", folder.display());
        }
        Ok(Outcome::Done)
    }

    fn board(&self, folder: &Path, seed: u64) -> anyhow::Result<()> {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (wall, deck, style) =
            (random_wall(rng.random()), random_deck(rng.random()), Style::random(rng.random()));
        let height =
            if rng.random_bool(0.6) { rng.random_range(0.04..0.08) } else { rng.random_range(0.08..0.2) };
        let set = PrintedSet::draw(&wall, &deck, &style, height);
        let position = random_position(&wall, &deck, rng.random_range(20..=60), rng.random())?;
        let colours = COLOURS[rng.random_range(0..COLOURS.len())];
        let board = set.board(&position, &colours, rng.random());
        let scene = Scene::random(&board, self.mood, self.size, rng.random());
        let (picture, truth) = photograph(&scene, rng.random());
        let references = folder.join("references");
        std::fs::create_dir_all(&references)
            .with_context(|| format!("the folder cannot be made: {}", references.display()))?;
        save_jpeg(&picture, &folder.join("photo.jpg"))?;
        write(&folder.join("truth.json"), &serde_json::to_string(&truth)?)?;
        write(&folder.join("deck.toml"), &deck.to_toml())?;
        write(&folder.join("wall.toml"), &wall.to_toml())?;
        for (id, picture) in &set.pictures {
            scan(picture, rng.random())
                .save(references.join(format!("{id}.png")))
                .with_context(|| format!("the reference of tile `{id}` cannot be written"))?;
        }
        let survey = survey_picture(&set.wall, rng.random());
        survey.picture.save(folder.join("wall.png")).context("the wall's picture cannot be written")?;
        let scale = serde_json::json!({
            "px_per_tile": survey.px_per_tile,
            "origin_px": [survey.origin_px.0, survey.origin_px.1],
        });
        write(&folder.join("wall.json"), &scale.to_string())
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot be written: {}", path.display()))
}

fn save_jpeg(picture: &image::RgbImage, path: &Path) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 95).encode_image(picture)?;
    std::fs::write(path, bytes).with_context(|| format!("cannot be written: {}", path.display()))
}
