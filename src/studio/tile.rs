//! Draws a tile.

use image::RgbImage;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use tiny_skia::{Pixmap, Transform};

use super::brush::Brush;
use super::finish::finish;
use super::layout::{Layout, Wobble};
use super::paint::Surfaces;
use super::props::{Props, is_ground, stands};
use super::style::{Style, lit};
use crate::rules::Face;

/// The most pixels a side that are drawn.
const MOST_PX: u32 = 4096;

/// Draws the upright tile, cut to its edges, `size_px` pixels a side (1 to
/// 4096). Tiles of one face differ in small things by `variant`; the same
/// arguments give the same picture. Paths meet the border at the middles of
/// sides and areas at corners and middles, so that neighbours line up.
pub fn draw_tile(face: &Face, variant: u64, style: &Style, size_px: u32) -> RgbImage {
    let size = size_px.clamp(1, MOST_PX);
    let mut rng = Pcg64Mcg::seed_from_u64(variant ^ u64::from(style.seed) << 20);
    let variant = (variant as u32).wrapping_mul(0x9E37_79B1) ^ (variant >> 32) as u32;
    let wobble = Wobble {
        amount: style.wobble,
        path_half_width: style.path_half_width,
        curved_walls: style.curved_walls,
        seed: style.seed ^ variant,
    };
    let layout = Layout::new(face, wobble);
    let pixel = 1.0 / size as f32;
    let surfaces = Surfaces { face, layout: &layout, style, variant, pixel };
    let Some(mut map) = Pixmap::new(size, size) else { return RgbImage::new(size, size) };
    for (i, p) in map.data_mut().chunks_exact_mut(4).enumerate() {
        let at = |v: usize| (v as f32 + 0.5) * pixel;
        let colour = surfaces.colour(at(i % size as usize), at(i / size as usize));
        for (to, c) in p.iter_mut().zip(colour) {
            *to = (c.clamp(0.0, 1.0) * 255.0).round() as u8;
        }
        p[3] = 255;
    }
    let scale = Transform::from_scale(size as f32, size as f32);
    let mut brush = Brush::new(&mut map, scale);
    for border in &layout.borders {
        let visible = border.points.split(|(x, y)| layout.square_depth(*x, *y, style.square_corners) > 0.0);
        for points in visible.filter(|p| p.len() > 1) {
            draw_border(&mut brush, face, style, border.between, points);
        }
    }
    Props { face, layout: &layout, style, rng: &mut rng, brush, taken: Vec::new() }.draw();
    finish(&mut map, style, variant);
    let rgb = map.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    RgbImage::from_raw(size, size, rgb).unwrap_or_else(|| RgbImage::new(size, size))
}

/// A line of ink where something stands up, a fainter one along paths, a hedge
/// between two parts of open ground.
fn draw_border(brush: &mut Brush, face: &Face, style: &Style, (a, b): (u8, u8), points: &[(f32, f32)]) {
    let (ink, width) = (style.palette.ink, style.ink_width);
    if stands(face, a) || stands(face, b) {
        brush.line(points, ink, 0.9, width);
    } else if is_ground(face, a) && is_ground(face, b) {
        brush.line(points, ink, 0.75, 0.034 + 1.2 * width);
        brush.line(points, style.palette.leaf, 1.0, 0.034);
        brush.line(points, lit(style.palette.leaf, 1.25), 0.8, 0.012);
    } else {
        brush.line(points, ink, 0.45, 0.6 * width);
    }
}

#[cfg(test)]
mod tests {
    use image::imageops::{FilterType, resize};

    use super::*;
    use crate::rules::{Attributes, Deck, Segment, classic};

    /// The side of a tile on which a mark must be seen, px.
    const SMALL: u32 = 40;

    fn deck() -> Deck {
        let sets: Vec<&str> = classic::sets().map(|s| s.0).filter(|s| *s != "count15").collect();
        classic::deck_with(&sets).unwrap()
    }

    fn small(face: &Face, style: &Style) -> RgbImage {
        resize(&draw_tile(face, 7, style, 4 * SMALL), SMALL, SMALL, FilterType::Triangle)
    }

    /// How many pixels differ clearly.
    fn apart(a: &RgbImage, b: &RgbImage) -> usize {
        let far = |(a, b): (&image::Rgb<u8>, &image::Rgb<u8>)| {
            a.0.iter().zip(b.0).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>() > 90
        };
        a.pixels().zip(b.pixels()).filter(|pair| far(*pair)).count()
    }

    #[test]
    fn whatever_is_printed_on_a_tile_of_a_module_is_seen_on_a_small_picture() {
        for style in [Style::house(), Style::random(3), Style::random(8)] {
            for tile in deck().tiles {
                let face = tile.face.unwrap();
                for (i, segment) in face.segments().iter().enumerate() {
                    for (attribute, _) in segment.attributes.iter().filter(|a| a.0.name() != "city") {
                        let mut plain: Vec<Segment> = face.segments().to_vec();
                        plain[i].attributes = Attributes::NONE;
                        let plain = Face::new(plain).unwrap();
                        let seen = apart(&small(&face, &style), &small(&plain, &style));
                        assert!(seen >= 20, "{}: {} in {seen} pixels", tile.id, attribute.name());
                    }
                }
            }
        }
    }

    #[test]
    fn goods_are_told_apart_and_so_are_the_ends_of_a_river() {
        let style = Style::house();
        let drawn = |text: &str| small(&text.parse().unwrap(), &style);
        let goods = ["wine", "grain", "cloth"].map(|g| drawn(&format!("city n-w +{g}; field e-s")));
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            assert!(apart(&goods[a], &goods[b]) >= 30, "{a} and {b}");
        }
        let ends = ["river e +spring", "river e"].map(|r| drawn(&format!("field n-e-s-w; {r}")));
        assert!(apart(&ends[0], &ends[1]) >= 100);
    }

    #[test]
    fn the_tiles_of_carcassonne_fit_together() {
        const PX: u32 = 96;
        let deck = classic::deck_with(&["count"]).unwrap();
        let drawn = |number: u32| {
            let id = format!("CO{number}");
            let tile = deck.tiles.iter().position(|t| t.id == id).unwrap();
            draw_tile(deck.tiles[tile].face.as_ref().unwrap(), u64::from(number), &Style::house(), PX)
        };
        let tiles: Vec<RgbImage> = (1..=12).map(drawn).collect();
        let mean = |pairs: Vec<(image::Rgb<u8>, image::Rgb<u8>)>| {
            let sum: u32 = pairs
                .iter()
                .map(|(a, b)| a.0.iter().zip(b.0).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>())
                .sum();
            sum as f32 / (3 * pairs.len()) as f32
        };
        for (i, tile) in tiles.iter().enumerate() {
            if i % 4 < 3 {
                let side = (0..PX).map(|y| (*tile.get_pixel(PX - 1, y), *tiles[i + 1].get_pixel(0, y)));
                let off = mean(side.collect());
                assert!(off < 22.0, "CO{} and the next are {off} apart", i + 1);
            }
            if i < 8 {
                let side = (0..PX).map(|x| (*tile.get_pixel(x, PX - 1), *tiles[i + 4].get_pixel(x, 0)));
                let off = mean(side.collect());
                assert!(off < 22.0, "CO{} and the one below are {off} apart", i + 1);
            }
        }
    }

    #[test]
    fn every_face_of_every_style_is_drawn() {
        for (i, tile) in deck().tiles.iter().enumerate() {
            let style = Style::random(i as u64);
            assert_eq!(draw_tile(tile.face.as_ref().unwrap(), 1, &style, 24).width(), 24);
        }
    }

    #[test]
    fn faces_that_no_deck_has_are_drawn() {
        for text in [
            "castle",
            "river +spring",
            "carcassonne; market; market; castle",
            "river n-e-s-w +spring +inn; road +inn; cloister +inn",
            "road n +inn +cathedral; road e-w +besieged; road s; river +wine; cloister; cloister",
            "city n-s +besieged +cathedral +wine +grain; city e-w +cloth; field; field; field; cathedral",
            "carcassonne n; city s; road e; road w; river +inn; field el-er-wl-wr +wine",
            "path n; house e-w; road s; tower sl +pennant; tower sr +inn",
        ] {
            let face: Face = text.parse().unwrap();
            for style in [Style::house(), Style::random(2)] {
                assert_eq!(draw_tile(&face, 1, &style, 24).width(), 24, "{text}");
            }
        }
    }
}
