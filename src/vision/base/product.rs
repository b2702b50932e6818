//! A matrix of small whole numbers that many such matrices are multiplied with, by
//! tract's kernels: they are fast in every build profile, with bytes most of all.

use std::sync::Arc;

use tract_onnx::prelude::*;
use tract_onnx::tract_core::ops::einsum::EinSum;

use super::error::VisionError;

/// Rows that are held, to be multiplied with the rows of another matrix.
pub(crate) struct Product {
    /// `None` where no rows are held.
    plan: Option<Arc<TypedRunnableModel>>,
    width: usize,
    others: usize,
}

impl Product {
    /// Holds rows of `width` numbers, for matrices of `others` rows.
    pub(crate) fn new(rows: &[i8], width: usize, others: usize) -> Result<Product, VisionError> {
        let plan = if rows.is_empty() { None } else { Some(prepare(rows, width, others).map_err(failed)?) };
        Ok(Product { plan, width, others })
    }

    /// The products of each held row with each row of `others`, held row by held
    /// row.
    pub(crate) fn with(&self, others: &[i8]) -> Result<Vec<i32>, VisionError> {
        match &self.plan {
            Some(plan) => self.run(plan, others).map_err(failed),
            None => Ok(Vec::new()),
        }
    }

    fn run(&self, plan: &Arc<TypedRunnableModel>, others: &[i8]) -> TractResult<Vec<i32>> {
        let input = Tensor::from_shape(&[self.others, self.width], others)?;
        let output = plan.run(tvec!(input.into()))?;
        match output.first() {
            Some(products) => Ok(products.try_as_plain_ram()?.as_slice::<i32>()?.to_vec()),
            None => Err(TractError::msg("a product has one output")),
        }
    }
}

fn failed(error: TractError) -> VisionError {
    VisionError::Recogniser(error.to_string())
}

fn prepare(rows: &[i8], width: usize, others: usize) -> TractResult<Arc<TypedRunnableModel>> {
    let mut model = TypedModel::default();
    let held = Tensor::from_shape(&[rows.len() / width, width], rows)?;
    let held = model.add_const("held", held)?;
    let others = model.add_source("others", i8::fact([others, width]))?;
    let product = EinSum::new("mk,nk->mn".parse()?, i32::datum_type());
    let products = model.wire_node("products", product, &[held, others])?;
    model.select_output_outlets(&products)?;
    model.into_optimized()?.into_runnable()
}
