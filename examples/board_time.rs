//! Times the reading of a whole board, 76 crops on one core, a round for each line
//! of stdin: `models/recogniser/compare_runtimes.py` asks for rounds in turn with
//! onnxruntime's.
//!
//! `board_time MODEL CROPS`; CROPS holds crops of 80 x 80 pixels one after
//! another, RGB, a byte each. Prints, for each round, milliseconds: of the network
//! alone (with no tile to compare with), of network and matching against 60
//! tiles, and of settling.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use castellan::library;
use castellan::rules::Cell;
use castellan::vision::base::crop::{CELL_PX, CROP_PX, MARGIN_PX};
use castellan::vision::tiles::recogniser::{Matcher, OnnxMatcher};
use castellan::vision::{Constraints, Site, settle};
use image::{RgbImage, imageops};

/// Columns of the board that the crops are laid out as.
const COLS: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(model), Some(crops)) = (arguments.next(), arguments.next()) else {
        return Err("say which model and which crops: board_time MODEL CROPS".into());
    };
    let bytes = std::fs::read(crops)?;
    let crops: Vec<RgbImage> = bytes
        .chunks_exact((CROP_PX * CROP_PX * 3) as usize)
        .filter_map(|crop| RgbImage::from_raw(CROP_PX, CROP_PX, crop.to_vec()))
        .collect();
    let deck = library::deck("house")?.deck;
    let references: Vec<RgbImage> = crops
        .iter()
        .cycle()
        .take(deck.tiles.len())
        .map(|crop| imageops::crop_imm(crop, MARGIN_PX, MARGIN_PX, CELL_PX, CELL_PX).to_image())
        .collect();
    let matcher = OnnxMatcher::from_path(model)?;
    let none = matcher.enrol(&[])?;
    let all = matcher.enrol(&references)?;
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let milliseconds = |start: Instant| start.elapsed().as_secs_f64() * 1000.0;
    for line in std::io::stdin().lock().lines() {
        line?;
        let start = Instant::now();
        one_core.install(|| none.compare(&crops))?;
        let network = milliseconds(start);
        let start = Instant::now();
        let comparisons = one_core.install(|| all.compare(&crops))?;
        let matched = milliseconds(start);
        let start = Instant::now();
        let sites: Vec<Site<'_>> = comparisons
            .iter()
            .enumerate()
            .map(|(i, comparison)| {
                let cell = Cell::new((i % COLS) as i8, (i / COLS) as i8);
                Site { cell, comparison, trust: 1.0, before: None }
            })
            .collect();
        let named = settle(&sites, &deck, &Constraints::default());
        println!("{network:.3} {matched:.3} {:.3} {}", milliseconds(start), named.len());
        std::io::stdout().flush()?;
    }
    Ok(())
}
