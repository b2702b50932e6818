//! A surveyed wall: its geometry with its picture.

use image::{DynamicImage, RgbaImage};

use super::scale::{WallPictureError, WallScale};
use crate::picture::{self, Limits};
use crate::rules::Wall;

/// A wall with its rectified picture.
#[derive(Clone, Debug)]
pub struct SurveyedWall {
    /// The wall.
    pub wall: Wall,
    /// What it looks like from straight above; alpha 0 inside and outside.
    pub picture: RgbaImage,
    /// Pixels of the picture a tile side.
    pub px_per_tile: f32,
    /// Where the upper left corner of cell (0, 0) lies in the picture, pixels.
    pub origin_px: (f32, f32),
}

impl SurveyedWall {
    /// A wall with its picture, a PNG file's bytes, and the JSON of its scale.
    ///
    /// # Errors
    /// [`WallPictureError`].
    pub fn from_files(wall: &Wall, png: &[u8], scale: &str) -> Result<SurveyedWall, WallPictureError> {
        let scale = WallScale::from_json(scale)?;
        let size = picture::size(png, &Limits::WALL).map_err(WallPictureError::Picture)?;
        scale.check(wall, size)?;
        let picture = picture::decode(png, &Limits::WALL)
            .map(DynamicImage::into_rgba8)
            .map_err(WallPictureError::Picture)?;
        let WallScale { px_per_tile, origin_px } = scale;
        Ok(SurveyedWall { wall: wall.clone(), picture, px_per_tile, origin_px })
    }

    /// Where the wall lies in its picture.
    pub fn scale(&self) -> WallScale {
        WallScale { px_per_tile: self.px_per_tile, origin_px: self.origin_px }
    }
}
