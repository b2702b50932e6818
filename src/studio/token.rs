//! Draws what players take beside the board: goods and cards.

use image::RgbImage;
use tiny_skia::{Pixmap, Transform};

use super::brush::{Brush, rectangle};
use super::finish::finish;
use super::signs;
use super::style::{Style, lit, mix};
use crate::rules::{Attribute, Token};

/// Draws a token or card, cut to its edges, `size_px` pixels a side (1 to 4096); `None` for one
/// that no drawing is known of.
pub fn draw_token(token: Token, style: &Style, size_px: u32) -> Option<RgbImage> {
    let goods = Attribute::named(token.name());
    if goods.is_none() && token != Token::KING && token != Token::ROBBER {
        return None;
    }
    let size = size_px.clamp(1, 4096);
    let mut map = Pixmap::new(size, size)?;
    let p = &style.palette;
    let ground = match token {
        Token::KING => mix(p.paper, p.cloth[0], 0.45),
        Token::ROBBER => mix(p.paper, p.field, 0.55),
        _ => lit(p.wood, 1.15),
    };
    let mut brush = Brush::new(&mut map, Transform::from_scale(size as f32, size as f32));
    brush.polygon(&rectangle(0.5, 0.5, 0.51, 0.51, 0.0), ground, 1.0);
    brush.outline(&rectangle(0.5, 0.5, 0.44, 0.44, 0.0), lit(ground, 0.7), 1.0, 0.02);
    let middle = (0.5, 0.5);
    match (token, goods) {
        (Token::KING, _) => {
            wall(&mut brush, style);
            signs::crown(&mut brush, style, (0.5, 0.4), 0.27);
        }
        (Token::ROBBER, _) => {
            brush.line(&[(0.0, 0.8), (0.35, 0.77), (0.65, 0.83), (1.0, 0.8)], p.ink, 0.6, 0.19);
            brush.line(&[(0.0, 0.8), (0.35, 0.77), (0.65, 0.83), (1.0, 0.8)], p.road, 1.0, 0.17);
            signs::robber(&mut brush, style, (0.5, 0.42), 0.29);
        }
        (_, Some(what)) => signs::goods(&mut brush, style, what, middle, 0.33),
        _ => {}
    }
    brush.outline(&rectangle(0.5, 0.5, 0.495, 0.495, 0.0), p.ink, 1.0, 0.012);
    finish(&mut map, style, 0);
    let rgb = map.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    RgbImage::from_raw(size, size, rgb)
}

/// A city wall along the foot of a card.
fn wall(brush: &mut Brush, style: &Style) {
    let p = &style.palette;
    brush.polygon(&rectangle(0.5, 0.86, 0.51, 0.15, 0.0), lit(p.stone, 0.95), 1.0);
    brush.line(&[(0.0, 0.71), (1.0, 0.71)], p.ink, 0.8, 0.012);
    for i in 0..6 {
        let merlon = rectangle(0.0833 + 0.1667 * i as f32, 0.69, 0.045, 0.03, 0.0);
        brush.polygon(&merlon, lit(p.stone, 1.08), 1.0);
        brush.outline(&merlon, p.ink, 0.8, 0.01);
    }
    for (row, y) in [0.78, 0.85, 0.92].into_iter().enumerate() {
        brush.line(&[(0.0, y), (1.0, y)], p.ink, 0.25, 0.006);
        for i in 0..8 {
            let x = 0.125 * i as f32 + if row % 2 == 0 { 0.03 } else { 0.09 };
            brush.line(&[(x, y - 0.07), (x, y)], p.ink, 0.25, 0.006);
        }
    }
    brush.polygon(&rectangle(0.5, 0.88, 0.08, 0.12, 0.0), p.wood, 1.0);
    brush.outline(&rectangle(0.5, 0.88, 0.08, 0.12, 0.0), p.ink, 0.8, 0.012);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_has_a_picture_of_its_own() {
        let drawn: Vec<RgbImage> =
            Token::ALL.into_iter().map(|token| draw_token(token, &Style::house(), 40).unwrap()).collect();
        for (i, a) in drawn.iter().enumerate() {
            assert!(drawn[i + 1..].iter().all(|b| a != b));
        }
    }
}
