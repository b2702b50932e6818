//! The network that sees figures (`models/figures`), run by tract.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use tract_onnx::prelude::*;

use super::evidence::{CHANNELS, PATCH, Patch};
use crate::files;
use crate::vision::base::error::VisionError;

const BUILT_IN: &[u8] = include_bytes!("../../../models/figures/model.onnx");
/// The largest file of a network.
const MOST_BYTES: u64 = 64 << 20;
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

/// A network that sees figures, ready to run.
pub struct FigureNetwork {
    plan: Arc<TypedRunnableModel>,
}

static BUILT_IN_NETWORK: LazyLock<Result<Arc<FigureNetwork>, String>> =
    LazyLock::new(|| FigureNetwork::from_bytes(BUILT_IN).map(Arc::new).map_err(|e| e.to_string()));

impl FigureNetwork {
    /// The network that ships with the program.
    ///
    /// # Errors
    /// [`VisionError::Recogniser`] when tract can't prepare it.
    pub fn built_in() -> Result<Arc<FigureNetwork>, VisionError> {
        BUILT_IN_NETWORK.clone().map_err(|e| {
            VisionError::Recogniser(format!("the built-in network for figures does not load, {e}"))
        })
    }

    /// A network from a file, with the inputs and the output that the model card names.
    ///
    /// # Errors
    /// [`VisionError::Model`] when the file is missing, is no ONNX model, or its inputs or
    /// output differ.
    pub fn from_path(path: &Path) -> Result<FigureNetwork, VisionError> {
        let fail = |reason: String| VisionError::Model(reason, path.to_owned());
        let bytes = files::read(path, MOST_BYTES)
            .map_err(|e| fail(format!("it cannot be opened ({e}), name an ONNX file that is there")))?;
        FigureNetwork::from_bytes(&bytes).map_err(|_| {
            fail("it is not an ONNX file of a network for figures, export it with export.py".into())
        })
    }

    fn from_bytes(bytes: &[u8]) -> TractResult<FigureNetwork> {
        let model =
            tract_onnx::onnx().with_ignore_value_info(true).model_for_read(&mut Cursor::new(bytes))?;
        if model.inputs.len() != 2 || model.outputs.len() != 1 {
            return Err(TractError::msg("two inputs are needed, patch and lean, and one output"));
        }
        let plan = model
            .with_input_fact(0, f32::fact([1, CHANNELS, PATCH, PATCH]).into())?
            .with_input_fact(1, f32::fact([1, 2]).into())?
            .into_optimized()?
            .into_runnable()?;
        let network = FigureNetwork { plan };
        network.run(&Patch { planes: vec![0.0; CHANNELS * PATCH * PATCH], lean: (0.0, 0.0) })?;
        Ok(network)
    }

    /// Shows it a patch.
    ///
    /// # Errors
    /// [`VisionError::Recogniser`] when the network does not run.
    pub(super) fn see(&self, patch: &Patch) -> Result<Seen, VisionError> {
        self.run(patch).map_err(|e| VisionError::Recogniser(e.to_string()))
    }

    fn run(&self, patch: &Patch) -> TractResult<Seen> {
        let planes = Tensor::from_shape(&[1, CHANNELS, PATCH, PATCH], &patch.planes)?;
        let lean = Tensor::from_shape(&[1, 2], &[patch.lean.0, patch.lean.1])?;
        let output = self.plan.run(tvec!(planes.into(), lean.into()))?;
        let map = output.first().ok_or_else(|| TractError::msg("an output is needed: figures"))?;
        let map = map.to_plain_array_view::<f32>()?;
        if map.shape() != [1, MAPS, GRID, GRID] {
            return Err(TractError::msg(format!("the output has shape {:?}", map.shape())));
        }
        let all: Vec<f32> = map.iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).collect();
        let plane = |i: usize| all[i * GRID * GRID..(i + 1) * GRID * GRID].to_vec();
        Ok(Seen { standing: plane(0), lying: plane(1), keep: plane(2), cover: plane(3) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_network_for_figures_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("other.onnx");
        std::fs::write(&path, include_bytes!("../../../models/recogniser/model.onnx")).unwrap();
        let sentence = FigureNetwork::from_path(&path).err().unwrap().to_string();
        assert!(sentence.contains("other.onnx") && sentence.contains("export.py"), "{sentence}");
        assert!(FigureNetwork::from_path(&dir.path().join("none.onnx")).is_err());
    }

    #[test]
    fn a_patch_of_nothing_holds_no_figure() {
        let patch = Patch { planes: vec![0.0; CHANNELS * PATCH * PATCH], lean: (0.3, 0.1) };
        let seen = FigureNetwork::built_in().unwrap().see(&patch).unwrap();
        for map in [seen.standing, seen.lying, seen.keep, seen.cover] {
            assert_eq!(map.len(), GRID * GRID);
            assert!(map.iter().all(|v| *v < 0.35));
        }
    }
}
