//! The network that sees figures (`models/figures`), run by tract.

use std::io::Cursor;
use std::sync::{Arc, LazyLock};

use tract_onnx::prelude::*;

use super::evidence::{CHANNELS, PATCH, Patch};
use crate::vision::base::error::VisionError;

const BUILT_IN: &[u8] = include_bytes!("../../../models/figures/model.onnx");
/// Places a side of the maps that the network gives.
pub(super) const GRID: usize = PATCH / 4;
/// Its maps: feet of followers that stand and that lie, feet of keeps, what figures cover.
const MAPS: usize = 4;

/// What the network makes of a patch; each map is [`GRID`] by [`GRID`], row by row, 0 to 1.
pub(super) struct Seen {
    /// Where a follower that stands has its foot.
    pub standing: Vec<f32>,
    /// Where one that lies has its middle.
    pub lying: Vec<f32>,
    /// Where a keep has the middle of its foot.
    pub keep: Vec<f32>,
    /// What figures cover.
    pub cover: Vec<f32>,
}

type Plan = Result<Arc<TypedRunnableModel>, String>;

static PLAN: LazyLock<Plan> = LazyLock::new(|| prepared(BUILT_IN).map_err(|e| e.to_string()));

fn prepared(bytes: &[u8]) -> TractResult<Arc<TypedRunnableModel>> {
    tract_onnx::onnx()
        .with_ignore_value_info(true)
        .model_for_read(&mut Cursor::new(bytes))?
        .with_input_fact(0, f32::fact([1, CHANNELS, PATCH, PATCH]).into())?
        .with_input_fact(1, f32::fact([1, 2]).into())?
        .into_optimized()?
        .into_runnable()
}

/// Shows the network a patch.
///
/// # Errors
/// [`VisionError::Recogniser`] when the network does not run.
pub(super) fn see(patch: &Patch) -> Result<Seen, VisionError> {
    let plan = PLAN.as_ref().map_err(|e| VisionError::Recogniser(e.clone()))?;
    run(plan, patch).map_err(|e| VisionError::Recogniser(e.to_string()))
}

fn run(plan: &Arc<TypedRunnableModel>, patch: &Patch) -> TractResult<Seen> {
    let planes = Tensor::from_shape(&[1, CHANNELS, PATCH, PATCH], &patch.planes)?;
    let lean = Tensor::from_shape(&[1, 2], &[patch.lean.0, patch.lean.1])?;
    let output = plan.run(tvec!(planes.into(), lean.into()))?;
    let map = output.first().ok_or_else(|| TractError::msg("an output is needed: figures"))?;
    let map = map.to_plain_array_view::<f32>()?;
    if map.shape() != [1, MAPS, GRID, GRID] {
        return Err(TractError::msg(format!("the output has shape {:?}", map.shape())));
    }
    let all: Vec<f32> = map.iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).collect();
    let plane = |i: usize| all[i * GRID * GRID..(i + 1) * GRID * GRID].to_vec();
    Ok(Seen { standing: plane(0), lying: plane(1), keep: plane(2), cover: plane(3) })
}
