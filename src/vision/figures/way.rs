//! The ways in which figures are found.

use std::sync::Arc;

use super::network::FigureNetwork;
use crate::vision::base::error::VisionError;

/// How figures are found.
#[derive(Clone)]
pub enum Way {
    /// By patches of the players' colours and their areas.
    Colours,
    /// By shape, with a network (`models/figures`).
    Network(Arc<FigureNetwork>),
}

impl Way {
    /// What readers take unless they are told otherwise: the network that ships.
    ///
    /// # Errors
    /// [`VisionError::Recogniser`] when tract can't prepare it.
    pub fn usual() -> Result<Way, VisionError> {
        Ok(Way::Network(FigureNetwork::built_in()?))
    }
}
