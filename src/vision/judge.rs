//! How the tile in a cell lies: the likeliest ones are fitted, and the cell is
//! compared anew as it then is.

use image::RgbImage;
use rayon::prelude::*;

use super::VisionError;
use super::align::{Fit, Template};
use super::geometry::Quad;
use super::photo::Pyramid;
use super::recogniser::{CELL_PX, CROP_PX, Comparison, Gallery};

/// From this likeness on, something like a tile of the deck lies there.
pub const MAYBE: f32 = 0.5;
/// How many readings of a crop are fitted; of one that is surer, only that.
const TRIED: usize = 4;
const SURE: f32 = 0.9999;
/// A tile lies crooked when its corners are off by more, in tile sides.
const CROOKED: f64 = 0.01;

/// What is needed to tell tiles from the table.
pub struct Judge<'a> {
    /// The deck's references, upright.
    pub references: &'a [RgbImage],
    /// The same, enrolled.
    pub gallery: &'a dyn Gallery,
}

/// A cell looked at as its tile lies.
#[derive(Clone, Debug)]
pub struct Straightened {
    /// The tile's corners in the photo.
    pub quad: Quad,
    /// Of [`CROP_PX`] a side; `None` where the cell was as good.
    pub crop: Option<RgbImage>,
    /// How it compares with the deck's tiles.
    pub comparison: Comparison,
}

impl Judge<'_> {
    /// Fits the likeliest tiles to cells of which the comparison is known, and
    /// compares those anew in which a tile lies crooked; one answer a cell.
    ///
    /// # Errors
    /// [`VisionError`] when crops can't be cut or compared.
    pub fn straightened(
        &self,
        photo: &Pyramid,
        cells: &[(Quad, &Comparison)],
    ) -> Result<Vec<Straightened>, VisionError> {
        let margin = (CROP_PX - CELL_PX) / 2;
        let fits = cells
            .par_iter()
            .map(|(cell, comparison)| self.fit(photo, cell, comparison))
            .collect::<Result<Vec<_>, VisionError>>()?;
        let lies = |(fit, (cell, _)): (&Fit, &(Quad, &Comparison))| {
            let Fit { quad, likeness } = *fit;
            let crooked = likeness >= MAYBE && quad.corner_distance(cell) > CROOKED * cell.side();
            crooked.then_some(quad)
        };
        let quads: Vec<Option<Quad>> = fits.iter().zip(cells).map(lies).collect();
        let crops = quads
            .iter()
            .flatten()
            .map(|quad| photo.crop(quad, CELL_PX, margin))
            .collect::<Result<Vec<RgbImage>, VisionError>>()?;
        let mut again = crops.iter().cloned().zip(self.gallery.compare(&crops)?);
        let straightened = |(quad, (cell, before)): (Option<Quad>, &(Quad, &Comparison))| {
            let lain = quad.and_then(|quad| Some((quad, again.next()?)));
            match lain {
                Some((quad, (crop, comparison))) if is_better(&comparison, before) => {
                    Straightened { quad, crop: Some(crop), comparison }
                }
                _ => Straightened { quad: *cell, crop: None, comparison: (*before).clone() },
            }
        };
        Ok(quads.into_iter().zip(cells).map(straightened).collect())
    }

    /// Where the most alike of the likeliest readings fits best near `quad`, and
    /// how alike it is there: -1 where none fits.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn fit(&self, photo: &Pyramid, quad: &Quad, comparison: &Comparison) -> Result<Fit, VisionError> {
        let mut readings: Vec<(usize, u8, f32)> = comparison
            .scores
            .iter()
            .enumerate()
            .flat_map(|(t, s)| (0..4u8).map(move |r| (t, r, s[r as usize])))
            .collect();
        readings.sort_by(|a, b| b.2.total_cmp(&a.2));
        let tried = if comparison.share() > SURE { 1 } else { TRIED };
        let mut best = Fit { quad: *quad, likeness: -1.0 };
        for (tile, rotation, _) in readings.into_iter().take(tried) {
            let Some(template) = self.references.get(tile).and_then(|r| Template::new(r, rotation)) else {
                continue;
            };
            let fit = template.fit(photo, quad)?;
            if fit.likeness > best.likeness {
                best = fit;
            }
        }
        Ok(best)
    }
}

/// Whether a second comparison tells more than the first: it finds more alike,
/// and what it finds is what the first found or surer.
fn is_better(second: &Comparison, first: &Comparison) -> bool {
    second.highest() >= first.highest() && (second.best() == first.best() || second.share() >= first.share())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::recogniser::{HogMatcher, Matcher};

    fn art(seed: u32) -> RgbImage {
        RgbImage::from_fn(CELL_PX, CELL_PX, |x, y| {
            let noise = (x / 8 * 7919 + y / 8 * 104_729 + seed * 31).wrapping_mul(2_654_435_761) >> 24;
            image::Rgb([noise as u8, (noise / 2 + 40) as u8, (200 - noise / 2) as u8])
        })
    }

    fn square(left: f64, top: f64) -> Quad {
        let px = f64::from(CELL_PX);
        Quad([[left, top], [left + px, top], [left + px, top + px], [left, top + px]])
    }

    #[test]
    fn a_tile_beside_its_cell_is_cut_where_it_lies() {
        let references: Vec<RgbImage> = (0..4).map(art).collect();
        let gallery = HogMatcher.enrol(&references).unwrap();
        let mut table = RgbImage::from_pixel(200, 200, image::Rgb([120, 118, 115]));
        image::imageops::replace(&mut table, &references[2], 70, 60);
        let photo = Pyramid::new(&image::imageops::blur(&table, 0.8)).unwrap();
        let judge = Judge { references: &references, gallery: gallery.as_ref() };
        // Pixels have their middle at whole numbers.
        let truth = square(69.5, 59.5);
        for (off, again) in [([4.0, -3.0], true), ([0.0, 0.0], false)] {
            let cell = truth.shifted(off);
            let margin = (CROP_PX - CELL_PX) / 2;
            let crop = photo.crop(&cell, CELL_PX, margin).unwrap();
            let before = gallery.compare(&[crop]).unwrap().remove(0);
            let found = judge.straightened(&photo, &[(cell, &before)]).unwrap().remove(0);
            assert_eq!(found.crop.is_some(), again, "{:?}", found.quad);
            assert_eq!(found.comparison.best(), Some((2, 0)));
            assert!(found.quad.corner_distance(&truth) < 1.0, "{:?}", found.quad);
            assert!(found.comparison.highest() >= before.highest());
        }
    }

    #[test]
    fn what_fits_nothing_stays_as_it_was() {
        let references: Vec<RgbImage> = (0..4).map(art).collect();
        let gallery = HogMatcher.enrol(&references).unwrap();
        let bare = RgbImage::from_pixel(CROP_PX, CROP_PX, image::Rgb([120, 118, 115]));
        let before = gallery.compare(std::slice::from_ref(&bare)).unwrap().remove(0);
        let judge = Judge { references: &references, gallery: gallery.as_ref() };
        let found =
            judge.straightened(&Pyramid::new(&bare).unwrap(), &[(square(7.5, 7.5), &before)]).unwrap();
        assert!(found[0].crop.is_none());
        assert_eq!((found[0].quad, &found[0].comparison), (square(7.5, 7.5), &before));
    }
}
