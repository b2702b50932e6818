use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use crate::vision::VisionError;
use crate::vision::figures::{FigureNetwork, Way};

/// How figures are found, as it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FigureWay {
    /// With the network that ships with the program.
    Network,
    /// By the players' colours and areas.
    Colours,
    /// With the network of a file.
    File(String),
}

impl FromStr for FigureWay {
    type Err = String;

    fn from_str(text: &str) -> Result<FigureWay, String> {
        match text {
            "network" => Ok(FigureWay::Network),
            "colours" => Ok(FigureWay::Colours),
            file if file.ends_with(".onnx") => Ok(FigureWay::File(file.to_owned())),
            _ => Err("write network, colours, or the .onnx file of a network".to_owned()),
        }
    }
}

impl FigureWay {
    /// As it was typed.
    pub(super) fn name(&self) -> &str {
        match self {
            FigureWay::Network => "network",
            FigureWay::Colours => "colours",
            FigureWay::File(file) => file,
        }
    }

    /// The way itself.
    pub(super) fn open(&self) -> Result<Way, VisionError> {
        Ok(match self {
            FigureWay::Network => Way::Network(FigureNetwork::built_in()?),
            FigureWay::Colours => Way::Colours,
            FigureWay::File(file) => Way::Network(Arc::new(FigureNetwork::from_path(Path::new(file))?)),
        })
    }
}
