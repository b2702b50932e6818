use clap::Args;
use serde::Serialize;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use crate::capture::{self, CameraInfo, CameraMode};

/// Lists the webcams and the pictures that each can give.
#[derive(Debug, Args)]
pub struct Cameras {
    /// Prints one JSON array.
    #[arg(long)]
    json: bool,
}

/// A camera and what it can give.
#[derive(Debug, Serialize)]
struct Listed {
    #[serde(flatten)]
    camera: CameraInfo,
    modes: Vec<CameraMode>,
    /// Why it does not say what it can give.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

impl Cameras {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let cameras: Vec<Listed> = capture::cameras()?.into_iter().map(listed).collect();
        if self.json {
            out::json(&cameras)?;
        } else if cameras.is_empty() {
            talk!(
                "no camera is plugged in; a phone or another camera on the network is watched by its address"
            );
        }
        if !self.json {
            for Listed { camera, modes, trouble } in cameras {
                outln!("camera:{}  {}", camera.index, camera.name)?;
                for line in lines(&modes) {
                    outln!("  {line}")?;
                }
                if let Some(trouble) = trouble {
                    outln!("  {trouble}")?;
                }
            }
        }
        Ok(Outcome::Done)
    }
}

fn listed(camera: CameraInfo) -> Listed {
    match capture::camera_modes(camera.index) {
        Ok(modes) => Listed { camera, modes, trouble: None },
        Err(error) => Listed { camera, modes: Vec::new(), trouble: Some(error.to_string()) },
    }
}

/// A line for each size and format, with the pictures a second that are possible.
fn lines(modes: &[CameraMode]) -> Vec<String> {
    let alike =
        |a: &CameraMode, b: &CameraMode| (a.width, a.height, &a.format) == (b.width, b.height, &b.format);
    let line = |modes: &[CameraMode]| {
        let CameraMode { width, height, format, .. } = modes.first()?;
        let rates: Vec<String> = modes.iter().map(|m| m.frame_rate.to_string()).collect();
        Some(format!("{width}x{height}  {format}  {} a second", rates.join(", ")))
    };
    modes.chunk_by(alike).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_in_a_format_is_one_line() {
        let mode = |width, height, format: &str, frame_rate| CameraMode {
            format: format.to_owned(),
            width,
            height,
            frame_rate,
        };
        let modes = [
            mode(1920, 1080, "YUYV", 5),
            mode(1280, 720, "MJPEG", 60),
            mode(1280, 720, "MJPEG", 30),
            mode(1280, 720, "YUYV", 10),
        ];
        assert_eq!(
            lines(&modes),
            [
                "1920x1080  YUYV  5 a second",
                "1280x720  MJPEG  60, 30 a second",
                "1280x720  YUYV  10 a second"
            ]
        );
        assert!(lines(&[]).is_empty());
    }
}
