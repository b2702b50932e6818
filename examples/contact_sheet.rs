//! Draws the tiles of a deck on one sheet and a wall beside it.
//!
//! `cargo run --example contact_sheet -- [--random-style N] [--deck NAME]
//! [--random-deck N] [--random-wall N] [--px 128] OUT` writes `OUT-tiles.png`, `OUT-wall.png` and
//! `OUT-wall-tiles.png`; without the options it shows the house set.

use castellan::library;
use castellan::studio::{self, Style};
use image::{RgbImage, RgbaImage, imageops};
use rayon::prelude::*;

/// A flag's value, both taken out of the arguments.
fn option(args: &mut Vec<String>, flag: &str) -> anyhow::Result<Option<String>> {
    let Some(at) = args.iter().position(|a| a == flag) else { return Ok(None) };
    anyhow::ensure!(at + 1 < args.len(), "give a value after {flag}");
    let value = args.remove(at + 1);
    args.remove(at);
    Ok(Some(value))
}

fn number(args: &mut Vec<String>, flag: &str) -> anyhow::Result<Option<u64>> {
    Ok(option(args, flag)?.map(|v| v.parse()).transpose()?)
}

fn main() -> anyhow::Result<()> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let style = number(&mut args, "--random-style")?.map_or_else(Style::house, Style::random);
    let name = option(&mut args, "--deck")?;
    let deck = match number(&mut args, "--random-deck")? {
        Some(seed) => studio::random_deck(seed),
        None => library::deck(&name.unwrap_or_else(|| "house".to_owned()))?.deck,
    };
    let wall = match number(&mut args, "--random-wall")? {
        Some(seed) => studio::random_wall(seed),
        None => library::wall("house")?,
    };
    let px = number(&mut args, "--px")?.unwrap_or(128) as u32;
    anyhow::ensure!(args.len() == 1, "give one name for the pictures");
    let out = &args[0];

    let faces: Vec<_> = deck.tiles.iter().filter_map(|t| t.face.as_ref()).collect();
    let started = std::time::Instant::now();
    let tiles: Vec<RgbImage> =
        faces.par_iter().enumerate().map(|(i, face)| studio::draw_tile(face, i as u64, &style, px)).collect();
    eprintln!("{} tiles of {px} px in {:?}", tiles.len(), started.elapsed());
    let columns = (tiles.len() as f32 * 1.6).sqrt().ceil().max(1.0) as u32;
    let step = px + px / 12;
    let rows = (tiles.len() as u32).div_ceil(columns);
    let mut sheet = RgbImage::from_pixel(columns * step, rows * step, image::Rgb([60, 52, 46]));
    for (i, tile) in tiles.iter().enumerate() {
        let at = |n: u32| i64::from(n * step + px / 24);
        imageops::replace(&mut sheet, tile, at(i as u32 % columns), at(i as u32 / columns));
    }
    sheet.save(format!("{out}-tiles.png"))?;

    let started = std::time::Instant::now();
    let picture = studio::draw_wall(&wall, &style, px);
    eprintln!("the wall in {:?}", started.elapsed());
    let mut table =
        RgbaImage::from_pixel(picture.image.width(), picture.image.height(), image::Rgba([60, 52, 46, 255]));
    imageops::overlay(&mut table, &picture.image, 0, 0);
    table.save(format!("{out}-wall.png"))?;

    let mut sheet = RgbaImage::from_pixel(5 * step, 2 * step, image::Rgba([60, 52, 46, 255]));
    for i in 0..10_u8 {
        let tile = studio::draw_wall_tile((i > 0).then_some(i), &style, px);
        let at = |n: u8| i64::from(u32::from(n) * step + px / 24);
        imageops::overlay(&mut sheet, &tile, at(i % 5), at(i / 5));
    }
    sheet.save(format!("{out}-wall-tiles.png"))?;
    Ok(())
}
