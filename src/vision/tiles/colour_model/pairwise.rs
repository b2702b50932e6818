//! Compares pairwise, by colour, the readings of a crop that look nearly the same, where the
//! frame's light is not known: each gets the light that suits it best.

use super::{
    Colour, Map, PIXELS, Print, Prints, SIDE, Soft, WIDE, around, corner, noise, squared, trust, upright,
    variance,
};
use crate::vision::tiles::recogniser::Comparison;

/// Which readings are twins, and how they are told apart.
struct Settings {
    /// Readings, the likeliest first, that may be twins of the likeliest. More take longer.
    tried: usize,
    /// Most nats by which such a reading is behind the likeliest.
    behind: f32,
    /// Squared difference of colours from which on pixels of two prints differ.
    different: f32,
    /// Largest share of pixels in which twins differ. Larger compares prints whose lights
    /// can't be told from their colours.
    most_different: f32,
    /// Ridge weights that hold each reading's light near the plain one, as those of the
    /// frame's light; larger, since one tile tells less.
    ties: (f64, f64),
    /// Weight of a pixel's nats. What twins have in common cancels out, so it is more than
    /// when any two prints are compared.
    share: f32,
}

const SETTINGS: Settings = Settings {
    tried: 12,
    behind: 8.0,
    different: 0.01,
    most_different: 0.25,
    ties: (2.0, 50.0),
    share: 0.03,
};

/// A print that is laid on a crop.
struct Laid<'a> {
    print: &'a Print,
    turn: u8,
}

impl Laid<'_> {
    fn colour(&self, i: usize) -> Colour {
        self.print.colours[upright(i % SIDE, i / SIDE, self.turn)]
    }

    fn contrast(&self, i: usize) -> f32 {
        self.print.contrast[upright(i % SIDE, i / SIDE, self.turn)]
    }
}

impl Prints {
    /// What a crop's colours add to what the recogniser says of it, among the likeliest
    /// reading and its twins; all others stay as they are.
    pub fn told_apart(&self, crop: &Soft, comparison: &Comparison) -> Comparison {
        let mut told = comparison.clone();
        let order = comparison.likeliest(SETTINGS.tried);
        let Some(&(likeliest, _, highest)) = order.first() else { return told };
        let mut twins: Vec<(usize, u8, Laid<'_>)> = Vec::new();
        for (tile, turn, _) in order.into_iter().take_while(|(.., score)| *score > highest - SETTINGS.behind)
        {
            let Some(print) = self.0.get(tile) else { continue };
            let laid = Laid { print, turn };
            if twins.first().is_none_or(|(.., first)| are_twins(first, &laid)) {
                twins.push((tile, turn, laid));
            }
        }
        if twins.len() < 2 {
            return told;
        }
        let near = corner(comparison.shift.get(likeliest).copied().unwrap_or_default());
        let doubt: Vec<f32> = (0..PIXELS)
            .map(|i| twins.iter().map(|(.., laid)| laid.contrast(i)).fold(0.0, f32::max))
            .collect();
        let lit: Option<Vec<Vec<Colour>>> =
            twins.iter().map(|(.., laid)| in_best_light(laid, &doubt, &crop.0, near)).collect();
        let Some(lit) = lit else { return told };
        let costs = around(near).map(|place| {
            let errors: Vec<Vec<f32>> = lit.iter().map(|print| errors(print, &crop.0, place)).collect();
            let noise = errors.iter().map(|e| noise(&mut e.clone())).fold(f32::INFINITY, f32::min);
            let nats = |(error, doubt): (&f32, &f32)| {
                (error / variance(noise, *doubt) / 2.0).min(super::SETTINGS.hidden)
            };
            let costs: Vec<f32> =
                errors.iter().map(|errors| errors.iter().zip(&doubt).map(nats).sum()).collect();
            // More noise explains more, and what it explains is worth less.
            let worth =
                costs.iter().copied().fold(f32::INFINITY, f32::min) + PIXELS as f32 / 2.0 * noise.ln();
            (worth, costs)
        });
        let Some((_, costs)) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) else { return told };
        for ((tile, turn, _), cost) in twins.iter().zip(&costs) {
            told.scores[*tile][usize::from(*turn)] -= SETTINGS.share * (cost - costs[0]);
        }
        told
    }
}

fn are_twins(a: &Laid<'_>, b: &Laid<'_>) -> bool {
    let different = (0..PIXELS).filter(|i| squared(a.colour(*i), b.colour(*i)) > SETTINGS.different).count();
    (different as f32) < SETTINGS.most_different * PIXELS as f32
}

/// A print's colours in the light in which it suits a crop best; `None` where there is
/// none.
fn in_best_light(
    laid: &Laid<'_>,
    doubt: &[f32],
    crop: &[Colour],
    place: (usize, usize),
) -> Option<Vec<Colour>> {
    let pairs: Vec<(Colour, Colour, f32)> =
        (0..PIXELS).map(|i| (laid.colour(i), crop[pixel(i, place)], trust(doubt[i]))).collect();
    let map = Map::fitted(&pairs, SETTINGS.ties)?;
    Some(pairs.iter().map(|(print, ..)| map.of(*print)).collect())
}

/// The squared deviations of a crop from a lit print that lies in a place.
fn errors(print: &[Colour], crop: &[Colour], place: (usize, usize)) -> Vec<f32> {
    print.iter().enumerate().map(|(i, colour)| squared(*colour, crop[pixel(i, place)])).collect()
}

/// Where in a crop a cell's pixel is when the cell's corner is in a place.
fn pixel(i: usize, (left, top): (usize, usize)) -> usize {
    (i / SIDE + top) * WIDE + i % SIDE + left
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::super::tests::{print, seen, undecided};
    use super::*;
    use crate::vision::base::crop::CELL_PX;

    /// The print with a shield in its middle.
    fn with_shield(mut print: RgbImage, colour: [u8; 3]) -> RgbImage {
        for y in 24..38 {
            for x in 40..50 {
                print.put_pixel(x, y, Rgb(colour));
            }
        }
        print
    }

    #[test]
    fn a_single_tile_is_told_from_its_twin_by_a_shield() {
        let plain = print(1);
        let shield = with_shield(plain.clone(), [40, 60, 200]);
        let prints = Prints::new(&[plain.clone(), shield.clone(), print(2)]);
        for (tile, picture) in [&plain, &shield].into_iter().enumerate() {
            for turn in 0..4 {
                let mut said = undecided(3);
                said.scores[0][usize::from(turn)] = 5.0;
                said.scores[1][usize::from(turn)] = 5.0;
                said.scores[2] = [2.0; 4];
                // The recogniser holds it for the other.
                said.scores[1 - tile][usize::from(turn)] += 0.5;
                let told = prints.told_apart(&Soft::of(&seen(picture, turn)), &said);
                assert_eq!(told.best(), Some((tile, turn)));
                assert_eq!(told.scores[2], said.scores[2], "what is no twin stays");
            }
        }
    }

    #[test]
    fn what_hides_the_difference_tells_nothing() {
        let plain = print(1);
        let shield = with_shield(plain.clone(), [40, 60, 200]);
        let prints = Prints::new(&[plain.clone(), shield]);
        let mut crop = seen(&plain, 0);
        for (x, y, pixel) in crop.enumerate_pixels_mut() {
            if x > 44 && y > 28 {
                *pixel = Rgb([20, 150, 30]);
            }
        }
        let told = prints.told_apart(&Soft::of(&crop), &undecided(2));
        let gap = told.scores[0][0] - told.scores[1][0];
        assert!(gap.abs() < 0.5, "{gap}");
    }

    #[test]
    fn odd_comparisons_are_survived() {
        let prints = Prints::new(&[print(0), print(0), RgbImage::new(CELL_PX, CELL_PX)]);
        let crop = Soft::of(&seen(&print(0), 0));
        for scores in [Vec::new(), vec![[f32::NAN; 4]; 9], vec![[f32::NEG_INFINITY; 4]; 3], vec![[0.0; 4]; 9]]
        {
            let odd =
                Comparison { scores: scores.clone(), shift: vec![(9.0, -9.0); 9], ..Comparison::default() };
            assert_eq!(prints.told_apart(&crop, &odd).scores.len(), scores.len());
        }
    }
}
