//! Whether the players' colours will do.

use image::RgbImage;

use crate::rules::sentence;
use crate::vision::base::colour::{distance, lab_of_linear, linear_of_byte, shades};
use crate::vision::base::error::VisionError;

/// Least distance of two players' colours in some light, of [`distance`].
const TELL_APART: f32 = 22.0;
/// Share of the tiles' print that may have a player's colour before owners are warned.
const PRINTED: f32 = 0.5;

/// Refuses colours that can't be told apart; gives a sentence for each that
/// vanishes on the tiles.
///
/// # Errors
/// [`VisionError::Colours`] says which.
pub fn separable(colours: &[[u8; 3]], references: &[RgbImage]) -> Result<Vec<String>, VisionError> {
    let plain = [1.0; 3];
    let all: Vec<Vec<[f32; 3]>> = colours.iter().map(|c| shades(*c, plain)).collect();
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate().skip(i + 1) {
            // Equally lit, they must differ.
            let apart = a.iter().zip(b).map(|(x, y)| distance(*x, *y)).fold(0.0, f32::max);
            if apart < TELL_APART {
                return Err(VisionError::Colours(sentence!(
                    "the figures of players {} and {} can't be told apart by their colours; choose other figures",
                    i + 1,
                    j + 1
                )));
            }
        }
    }
    let mut warnings = Vec::new();
    for (i, shades) in all.iter().enumerate() {
        let (mut like, mut count) = (0_u32, 0_u32);
        for pixel in references.iter().flat_map(|r| r.pixels().step_by(29)) {
            let lab = lab_of_linear(pixel.0.map(linear_of_byte));
            count += 1;
            like += u32::from(shades.iter().any(|s| distance(lab, *s) < 10.0));
        }
        if like as f32 > PRINTED * count.max(1) as f32 {
            warnings.push(format!(
                "the figures of player {} have the colour of the tiles and are hard to see; other figures would be better",
                i + 1
            ));
        }
    }
    Ok(warnings)
}
