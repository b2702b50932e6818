//! Where a wall lies in its picture.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::picture::PictureError;
use crate::rules::{Sentence, Term, Wall, quoted, sentence};

/// Where a wall lies in its picture, as the JSON file beside the picture says it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallScale {
    /// Pixels of the picture a tile side.
    pub px_per_tile: f32,
    /// Where the upper left corner of cell (0, 0) lies in the picture, pixels.
    pub origin_px: (f32, f32),
}

/// Why a picture and its scale are not those of a wall, as the middle of a sentence.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum WallPictureError {
    /// The picture cannot be taken.
    Picture(PictureError),
    /// The scale is no text of the form.
    Form(String),
    /// The scale, the picture and the wall do not belong together.
    Unfit(f32, f32, f32, u32, u32, usize, usize),
}

impl From<&WallPictureError> for Sentence {
    fn from(error: &WallPictureError) -> Sentence {
        match error {
            WallPictureError::Picture(why) => Sentence::from(why),
            WallPictureError::Form(why) => sentence!("its scale is not of the form ({})", why),
            WallPictureError::Unfit(px, x, y, width, height, cols, rows) => sentence!(
                "a scale of {} pixels a tile side with its origin at {}, {} does not fit a picture of {}x{} \
                 pixels and a wall of {}x{} spaces",
                Term::same(px),
                Term::same(x),
                Term::same(y),
                *width,
                *height,
                *cols,
                *rows
            ),
        }
    }
}

impl WallScale {
    /// The longest text, bytes.
    pub const MOST_TEXT: u64 = 4096;
    /// Pixels a tile side: fewer show nothing, more nobody needs.
    const PX: std::ops::RangeInclusive<f32> = 8.0..=1024.0;
    /// The picture reaches at most so many tile sides beyond the spaces, both sides
    /// together.
    const BEYOND: f32 = 16.0;

    /// Reads the JSON beside a picture.
    ///
    /// # Errors
    /// [`WallPictureError::Form`].
    pub fn from_json(text: &str) -> Result<WallScale, WallPictureError> {
        if text.len() as u64 > WallScale::MOST_TEXT {
            return Err(WallPictureError::Form("it is too long".to_owned()));
        }
        serde_json::from_str(text).map_err(|e| WallPictureError::Form(quoted(&e.to_string())))
    }

    /// The scale as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether a picture of so many pixels can show a wall at this scale.
    ///
    /// # Errors
    /// [`WallPictureError::Unfit`].
    pub fn check(&self, wall: &Wall, picture: (u32, u32)) -> Result<(), WallPictureError> {
        let (px, (x, y)) = (self.px_per_tile, self.origin_px);
        let (cols, rows) = wall.size();
        let along = |origin: f32, spaces: usize, side: u32| {
            let (origin, spaces, side) = (origin / px, spaces as f32, side as f32 / px);
            (-1.0..=WallScale::BEYOND).contains(&origin)
                && origin + spaces <= side + 1.0
                && side <= spaces + WallScale::BEYOND
        };
        if WallScale::PX.contains(&px) && along(x, cols, picture.0) && along(y, rows, picture.1) {
            Ok(())
        } else {
            Err(WallPictureError::Unfit(px, x, y, picture.0, picture.1, cols, rows))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_that_does_not_fit_is_refused() {
        let wall = Wall::from_toml(crate::rules::castle::HOUSE_WALL).unwrap();
        let (cols, rows) = wall.size();
        let side = |n: usize| (n as u32 + 2) * 64;
        let picture = (side(cols), side(rows));
        let fits = |px_per_tile: f32, x: f32, y: f32| {
            WallScale { px_per_tile, origin_px: (x, y) }.check(&wall, picture).is_ok()
        };
        assert!(fits(64.0, 64.0, 64.0) && fits(62.0, 70.0, 60.0));
        for px in [0.0, -64.0, 1.0, 7.9, 24.0, 90.0, 1e9, 1e-30, f32::NAN, f32::INFINITY] {
            assert!(!fits(px, 64.0, 64.0), "{px}");
        }
        for origin in [-65.0, 260.0, 1e9, -1e9, f32::NAN, f32::INFINITY] {
            assert!(!fits(64.0, origin, 64.0) && !fits(64.0, 64.0, origin), "{origin}");
        }
        // A scale of one pixel with the largest picture would be drawn 64 times as large.
        assert!(WallScale { px_per_tile: 1.0, origin_px: (1.0, 1.0) }.check(&wall, (8192, 4096)).is_err());
    }

    #[test]
    fn a_scale_is_a_short_text() {
        let scale = WallScale { px_per_tile: 64.0, origin_px: (32.0, 31.5) };
        assert_eq!(WallScale::from_json(&scale.to_json()).unwrap(), scale);
        let long = format!("{}{}", scale.to_json(), " ".repeat(5000));
        for text in ["", "{}", "[[[[", r#"{"px_per_tile":"a","origin_px":[1,2]}"#, &long, &"[".repeat(4000)] {
            let sentence = WallScale::from_json(text).unwrap_err().to_string();
            assert!(
                sentence.starts_with("its scale is not of the form") && sentence.len() < 200,
                "{sentence}"
            );
        }
    }
}
