//! Which tile a crop shows: the interface of the matchers.

mod hog;
mod local_features;
mod maps;
mod matcher;
mod ncc;
mod onnx;
mod texture;

pub use hog::HogMatcher;
pub use local_features::LocalFeatureMatcher;
pub use matcher::{Comparison, Gallery, Matcher};
pub use ncc::NccMatcher;
pub use onnx::OnnxMatcher;
