use clap::Args;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::capture;

/// Lists the webcams.
#[derive(Debug, Args)]
pub struct Cameras {
    /// Prints one JSON array.
    #[arg(long)]
    json: bool,
}

impl Cameras {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let cameras = capture::cameras()?;
        if self.json {
            out::json(&cameras)?;
        } else if cameras.is_empty() {
            talk!(
                "no camera is plugged in; a phone or another camera on the network is watched by its address"
            );
        }
        if !self.json {
            for camera in cameras {
                outln!("camera:{}  {}", camera.index, camera.name)?;
            }
        }
        Ok(Outcome::Done)
    }
}
