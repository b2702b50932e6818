//! How the tile in a cell lies: the likeliest ones are fitted, and the cell is
//! compared anew as it then is.

use image::RgbImage;
use rayon::prelude::*;

use super::align::{Fit, Templates, Window};
use super::recogniser::{Comparison, Gallery};
use crate::vision::base::crop::{CELL_PX, MARGIN_PX};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::Quad;
use crate::vision::base::photo::Pyramid;

/// From this likeness on, something like a tile of the deck lies there.
pub const MAYBE: f32 = 0.5;
/// From this likeness on, a tile of the deck lies there.
pub const ALIKE: f32 = 0.62;
/// Which readings are fitted, and when a tile is cut again.
///
/// Chosen on 60 rendered boards (`castellan render --boards 60 --unseen --seed 9191`).
struct Settings {
    /// Readings of a crop that are fitted, the likeliest first. More take longer.
    tried: usize,
    /// Posterior from which on only the likeliest is.
    sure: f32,
    /// Most nats by which a reading is behind the likeliest to be judged where it fits best.
    rivals: f32,
    /// Distance of corners, tile sides, from which on a tile lies crooked and is cut again:
    /// under a pixel of a crop. Smaller takes longer.
    crooked: f64,
}

const SETTINGS: Settings = Settings { tried: 4, sure: 0.9999, rivals: 4.0, crooked: 0.01 };

/// Fits the tiles of a deck to cells.
pub struct Refiner<'a> {
    /// The deck's references.
    pub templates: &'a Templates,
    /// The same, enrolled.
    pub gallery: &'a dyn Gallery,
    /// Colours of figures that may hide tiles, sRGB: what has them is left out where a tile
    /// looks like none else. Without any, all of a cell tells.
    pub colours: &'a [[u8; 3]],
}

/// A cell looked at as its tile lies.
#[derive(Clone, Debug)]
pub struct Straightened {
    /// The tile's corners in the photo.
    pub quad: Quad,
    /// Of [`CROP_PX`](crate::vision::base::crop::CROP_PX) a side; `None` where the cell was
    /// as good.
    pub crop: Option<RgbImage>,
    /// How it compares with the deck's tiles.
    pub comparison: Comparison,
}

impl Refiner<'_> {
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
        let lies = |(fit, (cell, _)): (&Fit, &(Quad, &Comparison))| {
            let Fit { quad, likeness } = *fit;
            let crooked = likeness >= MAYBE && quad.corner_distance(cell) > SETTINGS.crooked * cell.side();
            crooked.then_some(quad)
        };
        let quads: Vec<Option<Quad>> = self.fits(photo, cells)?.iter().zip(cells).map(lies).collect();
        let crooked: Vec<Quad> = quads.iter().flatten().copied().collect();
        let mut again = self.compared(photo, &crooked)?.into_iter();
        let straightened = |(quad, (cell, before)): (Option<Quad>, &(Quad, &Comparison))| {
            let lain = quad.and_then(|quad| Some((quad, again.next()?)));
            match lain {
                Some((quad, (crop, comparison))) if is_better(&comparison, before) => {
                    Straightened { quad, crop: Some(crop), comparison }
                }
                _ => Straightened { quad: *cell, crop: None, comparison: (*before).clone() },
            }
        };
        let found: Vec<Straightened> = quads.into_iter().zip(cells).map(straightened).collect();
        found
            .into_par_iter()
            .zip(cells)
            .map(|(found, (_, before))| self.with_rivals(photo, found, before))
            .collect()
    }

    /// Readings that were nearly as likely before are fitted too, from where the tile
    /// now lies: references are cut a little differently, and each reading is judged
    /// where it fits best.
    fn with_rivals(
        &self,
        photo: &Pyramid,
        mut found: Straightened,
        before: &Comparison,
    ) -> Result<Straightened, VisionError> {
        if found.crop.is_none() {
            return Ok(found);
        }
        let (least, best) = (before.highest() - SETTINGS.rivals, found.comparison.best());
        let rivals: Vec<(usize, u8)> = before
            .likeliest(SETTINGS.tried)
            .into_iter()
            .filter(|(tile, turn, score)| *score > least && best != Some((*tile, *turn)))
            .map(|(tile, turn, _)| (tile, turn))
            .collect();
        if rivals.is_empty() {
            return Ok(found);
        }
        let window = Window::new(photo, &found.quad)?;
        let fit = |(tile, turn): &(usize, u8)| {
            let Fit { quad, likeness } = self.templates.get(*tile)?.fit(&window, *turn);
            (likeness >= MAYBE && quad != found.quad).then_some(quad)
        };
        let quads: Vec<Quad> = rivals.iter().filter_map(fit).collect();
        for (quad, (crop, mut comparison)) in quads.iter().zip(self.compared(photo, &quads)?) {
            let surer = comparison.highest() > found.comparison.highest();
            let (kept, other) = if surer {
                (&mut comparison, &found.comparison)
            } else {
                (&mut found.comparison, &comparison)
            };
            for (score, other) in kept.scores.iter_mut().flatten().zip(other.scores.iter().flatten()) {
                *score = score.max(*other);
            }
            if surer {
                found = Straightened { quad: *quad, crop: Some(crop), comparison };
            }
        }
        Ok(found)
    }

    /// Cuts cells and compares them.
    ///
    /// # Errors
    /// [`VisionError`] when crops can't be cut or compared.
    pub fn compared(
        &self,
        photo: &Pyramid,
        cells: &[Quad],
    ) -> Result<Vec<(RgbImage, Comparison)>, VisionError> {
        let cut = |cell: &Quad| photo.crop(cell, CELL_PX, MARGIN_PX);
        let crops = cells.iter().map(cut).collect::<Result<Vec<RgbImage>, VisionError>>()?;
        let comparisons = self.gallery.compare(&crops)?;
        Ok(crops.into_iter().zip(comparisons).collect())
    }

    /// Where in each cell the most alike of the likeliest readings fits best, and
    /// how alike it is there: -1 where none fits.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn fits(&self, photo: &Pyramid, cells: &[(Quad, &Comparison)]) -> Result<Vec<Fit>, VisionError> {
        cells.par_iter().map(|(cell, comparison)| self.fit(photo, cell, comparison)).collect()
    }

    fn fit(&self, photo: &Pyramid, cell: &Quad, comparison: &Comparison) -> Result<Fit, VisionError> {
        let window = Window::new(photo, cell)?;
        let tried =
            comparison.likeliest(if comparison.posterior() > SETTINGS.sure { 1 } else { SETTINGS.tried });
        let best = |window: &Window| {
            let fit = |(tile, rotation, _): &(usize, u8, f32)| {
                Some(self.templates.get(*tile)?.fit(window, *rotation))
            };
            let best = tried.iter().filter_map(fit).max_by(|a, b| a.likeness.total_cmp(&b.likeness));
            best.unwrap_or(Fit { quad: *cell, likeness: -1.0 })
        };
        let plain = best(&window);
        if plain.likeness >= ALIKE || self.colours.is_empty() {
            return Ok(plain);
        }
        let without = best(&window.without(self.colours));
        Ok(if without.likeness > plain.likeness { without } else { plain })
    }
}

/// Whether a second comparison tells more than the first: it finds more alike,
/// and what it finds is what the first found or surer.
fn is_better(second: &Comparison, first: &Comparison) -> bool {
    second.highest() >= first.highest()
        && (second.best() == first.best() || second.posterior() >= first.posterior())
}

#[cfg(test)]
mod tests {
    use image::imageops;

    use super::*;
    use crate::vision::base::crop::CROP_PX;
    use crate::vision::tiles::recogniser::{HogMatcher, Matcher};

    fn art(seed: u32) -> RgbImage {
        noise(CELL_PX, seed)
    }

    fn noise(side: u32, seed: u32) -> RgbImage {
        RgbImage::from_fn(side, side, |x, y| {
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
        imageops::replace(&mut table, &references[2], 70, 60);
        let photo = Pyramid::new(&imageops::blur(&table, 0.8)).unwrap();
        let templates = Templates::new(references.clone());
        let refiner = Refiner { templates: &templates, gallery: gallery.as_ref(), colours: &[] };
        // Pixels have their middle at whole numbers.
        let truth = square(69.5, 59.5);
        for (off, again) in [([4.0, -3.0], true), ([0.0, 0.0], false)] {
            let cell = truth.shifted(off);
            let (_, before) = refiner.compared(&photo, &[cell]).unwrap().remove(0);
            let found = refiner.straightened(&photo, &[(cell, &before)]).unwrap().remove(0);
            assert_eq!(found.crop.is_some(), again, "{:?}", found.quad);
            assert_eq!(found.comparison.best(), Some((2, 0)));
            assert!(found.quad.corner_distance(&truth) < 1.0, "{:?}", found.quad);
            assert!(found.comparison.highest() >= before.highest());
        }
    }

    #[test]
    fn each_of_two_likely_readings_is_judged_where_it_fits_best() {
        // Two prints alike, of which one was cut three pixels beside and has a mark.
        let wide = noise(96, 2);
        let cut = |x, y| imageops::crop_imm(&wide, x, y, CELL_PX, CELL_PX).to_image();
        let (plain, mut marked) = (cut(16, 16), cut(19, 16));
        imageops::replace(&mut marked, &RgbImage::from_pixel(9, 9, image::Rgb([250, 250, 250])), 12, 40);
        let references = vec![plain, marked];
        let gallery = HogMatcher.enrol(&references).unwrap();
        let mut table = RgbImage::from_pixel(200, 200, image::Rgb([120, 118, 115]));
        imageops::replace(&mut table, &wide, 54, 44);
        let photo = Pyramid::new(&imageops::blur(&table, 0.8)).unwrap();
        let templates = Templates::new(references);
        let refiner = Refiner { templates: &templates, gallery: gallery.as_ref(), colours: &[] };
        let lie = [square(69.5, 59.5), square(72.5, 59.5)];
        let cell = lie[0].shifted([4.0, -3.0]);
        let (_, before) = refiner.compared(&photo, &[cell]).unwrap().remove(0);
        let found = refiner.straightened(&photo, &[(cell, &before)]).unwrap().remove(0);
        for (tile, own) in lie.iter().enumerate() {
            let score = |quad: &Quad| refiner.compared(&photo, &[*quad]).unwrap()[0].1.scores[tile][0];
            let (there, beside) = (score(own), score(&lie[1 - tile]));
            assert!(there > beside + 2.0, "{tile}: {there}, {beside}");
            assert!(found.comparison.scores[tile][0] > there - 0.3, "{tile}: {:?}", found.comparison.scores);
        }
    }

    #[test]
    fn what_fits_nothing_stays_as_it_was() {
        let references: Vec<RgbImage> = (0..4).map(art).collect();
        let gallery = HogMatcher.enrol(&references).unwrap();
        let bare = RgbImage::from_pixel(CROP_PX, CROP_PX, image::Rgb([120, 118, 115]));
        let before = gallery.compare(std::slice::from_ref(&bare)).unwrap().remove(0);
        let templates = Templates::new(references.clone());
        let refiner = Refiner { templates: &templates, gallery: gallery.as_ref(), colours: &[] };
        let found =
            refiner.straightened(&Pyramid::new(&bare).unwrap(), &[(square(7.5, 7.5), &before)]).unwrap();
        assert!(found[0].crop.is_none());
        assert_eq!((found[0].quad, &found[0].comparison), (square(7.5, 7.5), &before));
    }
}
