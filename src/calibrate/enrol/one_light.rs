//! Brings the tiles of several photos into one light: a camera exposes and balances each
//! photo by itself, and a lamp may be lit between two.

use image::RgbImage;

use crate::vision::base::colour::linear;

/// So many tiles of a photo tell its light; what fewer show is their print.
const ENOUGH: usize = 4;
/// With so many tiles, half of what their mean is off is taken for the light's doing: how
/// much the prints of single tiles vary beside how much light does, squared.
const DOUBT: f32 = 0.4;

/// Gives the tiles of each photo the mean brightness and colour of the deck. `photos`
/// says of each picture which photo shows it, `None` for one that was in the deck before:
/// these stay as they are, and the others become like them.
pub fn bring(pictures: &mut [RgbImage], photos: &[Option<usize>]) {
    let means: Vec<[f32; 3]> = pictures.iter().map(mean).collect();
    let of = |wanted: &dyn Fn(Option<usize>) -> bool| {
        let these: Vec<&[f32; 3]> =
            means.iter().zip(photos).filter(|(_, photo)| wanted(**photo)).map(|(mean, _)| mean).collect();
        let sum = |c: usize| these.iter().map(|mean| mean[c]).sum::<f32>();
        (these.len(), [0, 1, 2].map(|c| sum(c) / these.len().max(1) as f32))
    };
    let (known, deck) = of(&|photo| photo.is_none());
    let deck = if known >= ENOUGH { deck } else { of(&|_| true).1 };
    let mut all: Vec<usize> = photos.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    for photo in all {
        let (count, here) = of(&|p| p == Some(photo));
        if count < ENOUGH {
            continue;
        }
        let share = count as f32 / (count as f32 + DOUBT);
        let levels: [[u8; 256]; 3] = std::array::from_fn(|c| levels((share * (deck[c] - here[c])).exp()));
        for (picture, _) in pictures.iter_mut().zip(photos).filter(|(_, p)| **p == Some(photo)) {
            for pixel in picture.pixels_mut() {
                for (value, levels) in pixel.0.iter_mut().zip(&levels) {
                    *value = levels[usize::from(*value)];
                }
            }
        }
    }
}

/// The light of each level.
fn lights() -> [f32; 256] {
    std::array::from_fn(|v| linear(v as f32 / 255.0))
}

/// The logarithm of a picture's mean light, by channel.
fn mean(picture: &RgbImage) -> [f32; 3] {
    let light = lights();
    let pixels = picture.pixels().len().max(1) as f32;
    std::array::from_fn(|c| {
        let sum: f32 = picture.pixels().map(|p| light[usize::from(p.0[c])]).sum();
        (sum / pixels).max(1e-4).ln()
    })
}

/// Each level in so many times the light.
fn levels(gain: f32) -> [u8; 256] {
    let bright = lights();
    std::array::from_fn(|v| {
        let wanted = (bright[v] * gain).min(1.0);
        let above = bright.partition_point(|b| *b < wanted).clamp(1, 255);
        let nearer = wanted - bright[above - 1] < bright[above] - wanted;
        if nearer { (above - 1) as u8 } else { above as u8 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(k: u32, light: f32) -> RgbImage {
        let gain = levels(light);
        RgbImage::from_fn(32, 32, |x, y| {
            let v = 60 + (x * (k + 2) + y * 3) % 90;
            image::Rgb([v, v * 4 / 5, v / 2].map(|v| gain[v as usize]))
        })
    }

    /// How far two pictures' mean lights are apart, as a logarithm, at the worst.
    fn apart(a: &RgbImage, b: &RgbImage) -> f32 {
        mean(a).iter().zip(mean(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn a_dark_photo_becomes_as_bright_as_the_deck() {
        let lights = [1.0, 1.0, 0.4];
        let photos: Vec<Option<usize>> = (0..24).map(|k| Some(k / 8)).collect();
        let mut pictures: Vec<RgbImage> = (0..24).map(|k| tile(k % 8, lights[k as usize / 8])).collect();
        assert!(apart(&pictures[0], &pictures[16]) > 0.8);
        bring(&mut pictures, &photos);
        assert!(apart(&pictures[0], &pictures[16]) < 0.12, "{}", apart(&pictures[0], &pictures[16]));
    }

    #[test]
    fn what_was_there_and_single_tiles_stay_as_they_are() {
        let before: Vec<RgbImage> = (0..13).map(|k| tile(k, if k < 6 { 1.0 } else { 0.5 })).collect();
        let photos: Vec<Option<usize>> = (0..13)
            .map(|k| [None, Some(0), Some(1)][if k == 12 { 2 } else { usize::from(k >= 6) }])
            .collect();
        let mut pictures = before.clone();
        bring(&mut pictures, &photos);
        assert_eq!(pictures[..6], before[..6]);
        assert_eq!(pictures[12], before[12]);
        assert!(apart(&pictures[6], &before[6]) > 0.4);
    }

    #[test]
    fn levels_are_exact_where_nothing_changes() {
        assert!(levels(1.0).iter().enumerate().all(|(i, v)| i == usize::from(*v)));
        assert_eq!(levels(4.0)[255], 255);
        assert_eq!(levels(0.0)[255], 0);
    }
}
