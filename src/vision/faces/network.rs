//! Runs the network of `models/faces` with tract.

use std::io::Cursor;

use image::RgbImage;
use image::imageops::{self, FilterType};
use rayon::prelude::*;
use tract_onnx::prelude::*;

use super::evidence::{Evidence, KINDS, MARKS};
use crate::rules::{Game, Rotation};
use crate::vision::base::error::VisionError;

const BUILT_IN: &[u8] = include_bytes!("../../../models/faces/model.onnx");
/// The side of the pictures that the network takes, px.
const SIDE: usize = 96;
pub(super) const CLASSES: usize = 10;
/// The places of a tile a side of which the network says what they show.
pub(super) const PLACES: usize = 24;
/// The classes of places that each game has: open, house, tower, city, line,
/// market, fountain, square, pennant, cloister.
const CASTLE: [f32; CLASSES] = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
const CLASSIC: [f32; CLASSES] = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0];

/// The network, loaded.
pub(crate) struct Network {
    model: InferenceModel,
}

impl Network {
    pub(crate) fn built_in() -> Result<Network, VisionError> {
        tract_onnx::onnx()
            .with_ignore_value_info(true)
            .model_for_read(&mut Cursor::new(BUILT_IN))
            .map(|model| Network { model })
            .map_err(|e| VisionError::Recogniser(format!("the built-in model of faces does not load, {e}")))
    }

    /// Reads all tiles of a deck together, in four rotations and mirrored, and
    /// takes the mean of what is said.
    pub(crate) fn read(&self, tiles: &[RgbImage], game: Game) -> Result<Vec<Evidence>, VisionError> {
        let fail = |e: TractError| VisionError::Recogniser(e.to_string());
        let plan = self.plan(tiles.len()).map_err(fail)?;
        let side = SIDE as u32;
        let tiles: Vec<RgbImage> =
            tiles.iter().map(|t| imageops::resize(t, side, side, FilterType::Triangle)).collect();
        let views: Vec<(Rotation, bool)> =
            Rotation::ALL.into_iter().flat_map(|r| [(r, false), (r, true)]).collect();
        let seen = views
            .par_iter()
            .map(|(rotation, mirrored)| {
                let turned: Vec<RgbImage> = tiles.iter().map(|t| view(t, *rotation, *mirrored)).collect();
                run(&plan, &turned, game)
            })
            .collect::<TractResult<Vec<_>>>()
            .map_err(fail)?;
        let mut mean = vec![Evidence::NONE; tiles.len()];
        for ((rotation, mirrored), said) in views.iter().zip(&seen) {
            for (mean, said) in mean.iter_mut().zip(said) {
                mean.add(said, *rotation, *mirrored, 1.0 / views.len() as f32);
            }
        }
        Ok(mean)
    }

    /// How likely each place of each tile, row by row, [`PLACES`] a row, shows each class.
    pub(super) fn places(
        &self,
        tiles: &[RgbImage],
        game: Game,
    ) -> Result<Vec<Vec<[f32; CLASSES]>>, VisionError> {
        let fail = |e: TractError| VisionError::Recogniser(e.to_string());
        let side = SIDE as u32;
        let tiles: Vec<RgbImage> =
            tiles.iter().map(|t| imageops::resize(t, side, side, FilterType::Triangle)).collect();
        let output = output(&self.plan(tiles.len()).map_err(fail)?, &tiles, game).map_err(fail)?;
        let wrong = || VisionError::Recogniser("the network for faces gives no map of places".to_owned());
        let places = output.get(1).ok_or_else(wrong)?.to_plain_array_view::<f32>().map_err(fail)?;
        if places.shape() != [tiles.len(), CLASSES, PLACES, PLACES] {
            return Err(wrong());
        }
        let place = |tile: usize, at: usize| {
            let logits: [f32; CLASSES] =
                std::array::from_fn(|class| places[[tile, class, at / PLACES, at % PLACES]]);
            let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let weights = logits.map(|logit| (logit - most).exp());
            let all: f32 = weights.iter().sum();
            weights.map(|w| w / all)
        };
        Ok((0..tiles.len()).map(|t| (0..PLACES * PLACES).map(|at| place(t, at)).collect()).collect())
    }

    fn plan(&self, tiles: usize) -> TractResult<Arc<TypedRunnableModel>> {
        self.model
            .clone()
            .with_input_fact(0, f32::fact([tiles, 3, SIDE, SIDE]).into())?
            .with_input_fact(1, f32::fact([1, CLASSES]).into())?
            .into_optimized()?
            .into_runnable()
    }
}

/// The picture mirrored left and right, if so asked, and then turned clockwise.
fn view(tile: &RgbImage, rotation: Rotation, mirrored: bool) -> RgbImage {
    let tile = if mirrored { imageops::flip_horizontal(tile) } else { tile.clone() };
    match rotation.quarters() {
        1 => imageops::rotate90(&tile),
        2 => imageops::rotate180(&tile),
        3 => imageops::rotate270(&tile),
        _ => tile,
    }
}

fn output(plan: &Arc<TypedRunnableModel>, tiles: &[RgbImage], game: Game) -> TractResult<TVec<TValue>> {
    let mut planes = vec![0.0_f32; tiles.len() * 3 * SIDE * SIDE];
    for (tile, planes) in tiles.iter().zip(planes.chunks_exact_mut(3 * SIDE * SIDE)) {
        for (i, pixel) in tile.pixels().enumerate() {
            for c in 0..3 {
                planes[c * SIDE * SIDE + i] = f32::from(pixel.0[c]) / 255.0;
            }
        }
    }
    let input = Tensor::from_shape(&[tiles.len(), 3, SIDE, SIDE], &planes)?;
    let allowed = Tensor::from_shape(&[1, CLASSES], if game == Game::Castle { &CASTLE } else { &CLASSIC })?;
    plan.run(tvec!(input.into(), allowed.into()))
}

fn run(plan: &Arc<TypedRunnableModel>, tiles: &[RgbImage], game: Game) -> TractResult<Vec<Evidence>> {
    let output = output(plan, tiles, game)?;
    let [_, _, _, kinds, lines, joins, marks] = &output[..] else {
        return Err(TractError::msg(
            "seven outputs are needed: first, places, edges, kinds, lines, joins, marks",
        ));
    };
    let (kinds, lines) = (kinds.to_plain_array_view::<f32>()?, lines.to_plain_array_view::<f32>()?);
    let (joins, marks) = (joins.to_plain_array_view::<f32>()?, marks.to_plain_array_view::<f32>()?);
    let n = tiles.len();
    if kinds.shape() != [n, 12, KINDS]
        || lines.shape() != [n, 4]
        || joins.shape() != [n, 12, 12]
        || marks.shape() != [n, MARKS, 12]
    {
        return Err(TractError::msg("the outputs have other shapes than the model card names"));
    }
    let evidence = |i: usize| Evidence {
        kinds: std::array::from_fn(|p| std::array::from_fn(|k| kinds[[i, p, k]])),
        lines: std::array::from_fn(|s| lines[[i, s]]),
        joins: std::array::from_fn(|p| std::array::from_fn(|q| joins[[i, p, q]])),
        marks: std::array::from_fn(|m| std::array::from_fn(|p| marks[[i, m, p]])),
    };
    Ok((0..n).map(evidence).collect())
}
