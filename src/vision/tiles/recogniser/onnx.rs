//! The network: crops to maps of local descriptors, run by tract.

mod shared_maps;

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use image::RgbImage;
use ndarray::Array3;
use rayon::prelude::*;
use tract_onnx::prelude::*;

use super::maps::{DEPTH, Describe, Described, MAP, MapGallery, Search};
use super::matcher::{Gallery, Matcher};
use crate::files::{self, fnv};
use crate::vision::base::crop::CROP_PX;
use crate::vision::base::error::VisionError;

const BUILT_IN: &[u8] = include_bytes!("../../../../models/recogniser/model.onnx");
const SEARCH: Search = Search { candidates: 24, kept: 54 };
/// The largest file of a model.
const MOST_BYTES: u64 = 64 << 20;
const STATES: usize = 3;
/// A byte as a share of 255.
const LEVELS: [f32; 256] = {
    let mut levels = [0.0; 256];
    let mut byte = 0;
    while byte < levels.len() {
        levels[byte] = byte as f32 / 255.0;
        byte += 1;
    }
    levels
};

/// Compares maps of local descriptors that a network makes
/// (`models/recogniser`).
pub struct OnnxMatcher {
    network: Arc<Network>,
    /// Tells models apart; see [`OnnxMatcher::fingerprint`].
    fingerprint: u64,
}

struct Network {
    plan: Arc<TypedRunnableModel>,
}

impl OnnxMatcher {
    /// The network that ships with the program.
    ///
    /// # Errors
    /// When tract can't prepare it.
    pub fn built_in() -> Result<OnnxMatcher, VisionError> {
        OnnxMatcher::from_bytes(BUILT_IN)
            .map_err(|e| VisionError::Recogniser(format!("the built-in model does not load, {e}")))
    }

    /// The network of a file, or without one that which ships with the program.
    ///
    /// # Errors
    /// As [`OnnxMatcher::from_path`] and [`OnnxMatcher::built_in`].
    pub fn open(path: Option<&Path>) -> Result<OnnxMatcher, VisionError> {
        path.map_or_else(OnnxMatcher::built_in, OnnxMatcher::from_path)
    }

    /// A network from a file, with the inputs and outputs that the model card
    /// names.
    ///
    /// # Errors
    /// [`VisionError::Model`] when the file is missing, is no ONNX model, or its
    /// inputs or outputs differ.
    pub fn from_path(path: impl AsRef<Path>) -> Result<OnnxMatcher, VisionError> {
        let fail = |reason: String| VisionError::Model(reason, PathBuf::from(path.as_ref()));
        let bytes = files::read(path.as_ref(), MOST_BYTES)
            .map_err(|e| fail(format!("it cannot be opened ({e}), name an ONNX file that is there")))?;
        OnnxMatcher::from_bytes(&bytes)
            .map_err(|_| fail("it is not an ONNX file of a recogniser, export it with export.py".into()))
    }

    fn from_bytes(bytes: &[u8]) -> TractResult<OnnxMatcher> {
        let side = CROP_PX as usize;
        let plan = tract_onnx::onnx()
            .with_ignore_value_info(true)
            .model_for_read(&mut Cursor::new(bytes))?
            .with_input_fact(0, f32::fact([1, 3, side, side]).into())?
            .into_optimized()?
            .into_runnable()?;
        let network = Network { plan };
        network.describe_one(&RgbImage::new(CROP_PX, CROP_PX))?;
        Ok(OnnxMatcher { network: Arc::new(network), fingerprint: fnv(bytes) })
    }
}

impl Network {
    fn describe_one(&self, crop: &RgbImage) -> TractResult<Described> {
        const SIDE: usize = CROP_PX as usize;
        let mut planes = vec![0.0f32; 3 * SIDE * SIDE];
        for (channel, plane) in planes.chunks_exact_mut(SIDE * SIDE).enumerate() {
            for (value, pixel) in plane.iter_mut().zip(crop.as_raw().as_chunks::<3>().0) {
                *value = LEVELS[usize::from(pixel[channel])];
            }
        }
        let input = Tensor::from_shape(&[1, 3, SIDE, SIDE], &planes)?;
        let output = self.plan.run(tvec!(input.into()))?;
        let (Some(map), Some(state)) = (output.first(), output.get(1)) else {
            return Err(TractError::msg("two outputs are needed: descriptors and state"));
        };
        let map = map.to_plain_array_view::<f32>()?;
        let state = state.to_plain_array_view::<f32>()?;
        if map.shape() != [1, DEPTH, MAP, MAP] || state.shape() != [1, STATES] {
            let shapes = format!("outputs have shapes {:?} and {:?}", map.shape(), state.shape());
            return Err(TractError::msg(shapes));
        }
        let planes = map.into_shape_with_order((DEPTH, MAP, MAP))?;
        let mut map = Array3::zeros((MAP, MAP, DEPTH));
        map.assign(&planes.permuted_axes([1, 2, 0]));
        let likely = softmax([state[[0, 0]], state[[0, 1]], state[[0, 2]]]);
        Ok(Described { map, occupied: likely[1] + likely[2], covered: likely[2] })
    }
}

impl Describe for Network {
    fn describe(&self, crops: &[RgbImage]) -> Result<Vec<Described>, VisionError> {
        crops
            .par_iter()
            .map(|crop| self.describe_one(crop).map_err(|e| VisionError::Recogniser(e.to_string())))
            .collect()
    }
}

impl Matcher for OnnxMatcher {
    fn name(&self) -> &str {
        "network"
    }

    fn enrol(&self, references: &[RgbImage]) -> Result<Box<dyn Gallery>, VisionError> {
        Ok(Box::new(MapGallery::enrol(self.network.clone(), SEARCH, references)?))
    }
}

fn softmax(logits: [f32; STATES]) -> [f32; STATES] {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers = logits.map(|l| (l - top).exp());
    let sum: f32 = powers.iter().sum();
    powers.map(|p| p / sum)
}
