//! What goes with a surveyed wall: the players' pieces, measured inside it, and the fronts of the
//! wall tiles.

use image::RgbImage;

use super::copy::{OwnCopy, OwnCopyError};
use crate::calibrate::{pieces, wall_tiles};
use crate::colours::known_colour;
use crate::picture::Limits;
use crate::pieces::{OwnPieces, Size};
use crate::rules::{Sentence, sentence};
use crate::vision::wall::scale::WallScale;
use crate::vision::wall::surveyed::SurveyedWall;
use crate::{files, library};

/// What a photo of the players' pieces gave; they are in the library.
#[derive(Clone, Debug)]
pub struct MeasuredPieces {
    /// The pieces.
    pub pieces: OwnPieces,
    /// The photo with each piece's outline and name.
    pub drawing: RgbImage,
    /// What the owner should look at, a sentence each.
    pub doubts: Vec<Sentence>,
}

impl OwnCopy {
    /// The surveyed wall with its picture, as it is in the library.
    ///
    /// # Errors
    /// [`OwnCopyError::NoWall`], or what is wrong with its files.
    pub fn surveyed_wall(&self) -> Result<SurveyedWall, OwnCopyError> {
        if !self.has_wall() {
            return Err(OwnCopyError::NoWall);
        }
        let wall = library::wall(&self.name)?;
        let (png, json) = library::wall_picture(&library::wall_file(&self.name)?);
        let failed = |error, path: &std::path::Path| OwnCopyError::Io(error, path.to_owned());
        let picture = files::read(&png, Limits::WALL.bytes).map_err(|error| failed(error, &png))?;
        let scale = files::read_text(&json, WallScale::MOST_TEXT).map_err(|error| failed(error, &json))?;
        SurveyedWall::from_files(&wall, &picture, &scale)
            .map_err(|error| failed(std::io::Error::other(error.to_string()), &png))
    }

    /// The players' pieces, where they were measured.
    pub fn pieces(&self) -> Option<OwnPieces> {
        library::pieces(&self.name).ok()
    }

    /// Measures the players' pieces in a photo of the wall that is empty but for them, and keeps
    /// them in the library, in place of what is there. `colours` are the words of the players'
    /// colours.
    ///
    /// # Errors
    /// [`OwnCopyError::NoWall`], [`OwnCopyError::Colour`], or what makes the photo no measure of
    /// pieces.
    pub fn measure_pieces(
        &self,
        photo: &RgbImage,
        colours: &[String],
    ) -> Result<MeasuredPieces, OwnCopyError> {
        let survey = self.surveyed_wall()?;
        let known = |word: &String| {
            let rgb = known_colour(word).ok_or_else(|| OwnCopyError::Colour(word.clone()))?;
            Ok((word.trim().to_lowercase(), rgb))
        };
        let colours = colours.iter().map(known).collect::<Result<Vec<_>, OwnCopyError>>()?;
        let measured = pieces::measure(std::slice::from_ref(photo), &survey, &colours)?;
        let found = measured.found.first().map_or(&[][..], |found| &found[..]);
        let drawing = pieces::draw(photo, found, &measured.pieces.words())?;
        let file = library::pieces_file(&self.name)?;
        library::write_pieces(&file, &measured.pieces).map_err(|error| OwnCopyError::Io(error, file))?;
        Ok(MeasuredPieces { pieces: measured.pieces, drawing, doubts: measured.doubts })
    }

    /// Whether the fronts of the wall tiles are in the library.
    pub fn has_wall_tiles(&self) -> bool {
        library::wall_file(&self.name).is_ok_and(|file| library::wall_tiles_folder(&file).is_dir())
    }

    /// Cuts the fronts of the wall tiles out of a photo of the nine kinds and keeps them beside the
    /// wall, in place of what is there. What is given is all of them, each with its number.
    ///
    /// # Errors
    /// [`OwnCopyError::NoWall`], or what is wrong with the photo.
    pub fn keep_wall_tiles(&self, photo: &RgbImage) -> Result<RgbImage, OwnCopyError> {
        if !self.has_wall() {
            return Err(OwnCopyError::NoWall);
        }
        let thickness = library::wall(&self.name)?.thickness;
        let fronts = wall_tiles::cut(photo, thickness)?;
        wall_tiles::keep(&fronts, &library::wall_tiles_folder(&library::wall_file(&self.name)?))?;
        Ok(wall_tiles::sheet(&fronts)?)
    }
}

/// What was measured of each player's pieces, a sentence each; lengths are tile sides.
pub fn sizes(pieces: &OwnPieces) -> Vec<Sentence> {
    let of = |Size { length, width, height }: Size| {
        let [length, width, height] = [length, width, height].map(|side| format!("{side:.2}"));
        sentence!("{} by {}, {} high", length, width, height)
    };
    let one = |player: &crate::pieces::PlayerPieces| {
        sentence!(
            "{}: a follower stands {}; it lies {}; the keep is {} (in tile sides)",
            Sentence::word(&player.colour),
            of(player.standing),
            of(player.lying),
            of(player.keep)
        )
    };
    pieces.players.iter().map(one).collect()
}
