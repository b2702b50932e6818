//! What tables are made of.

use super::noise::hash;
use super::scene::{Surface, Table};
use super::space::{V3, clouds, linear, noise, smooth, v3};

/// The colour, and how glossy (0 to 1) and how sharp its reflections are.
pub struct Finish {
    pub colour: V3,
    pub gloss: f32,
    pub sharp: f32,
}

/// The table, or the floor beyond it, at a place.
pub fn finish(table: &Table, x: f32, y: f32) -> Finish {
    let base = linear(table.colour);
    if (x - 4.5).abs() > table.half.0 || (y - 5.0).abs() > table.half.1 {
        let k = 0.12 + 0.1 * noise(x * 0.4, y * 0.4, table.seed);
        return Finish { colour: base * 0.3 * k + v3(0.02, 0.018, 0.016), gloss: 0.0, sharp: 10.0 };
    }
    let (s, c) = table.turn.to_radians().sin_cos();
    let (u, v) = (c * x + s * y, c * y - s * x);
    match table.surface {
        Surface::Wood => {
            let board = (v / 2.6).floor();
            let which = board as i32;
            let shade = 0.82 + 0.36 * hash(which, 3, table.seed);
            let slide = 40.0 * hash(which, 7, table.seed);
            let wave = clouds(u * 0.22 + slide, v * 0.8, 3, table.seed);
            let rings = ((v * 1.6 + wave * 5.5 + slide) * std::f32::consts::TAU * 0.9).sin() * 0.5 + 0.5;
            let fibre = noise(u * 1.3 + slide, v * 38.0, table.seed ^ 9) - 0.5;
            let pores = noise(u * 2.2, v * 70.0, table.seed ^ 5);
            let seam = smooth(0.0, 0.025, (v - board * 2.6).min(board * 2.6 + 2.6 - v));
            let k = shade * (0.78 + 0.26 * rings + 0.22 * fibre - 0.14 * smooth(0.78, 0.95, pores));
            let warm = v3(1.0, 0.96 - 0.05 * rings, 0.9 - 0.1 * rings);
            Finish { colour: base.times(warm) * (k * (0.35 + 0.65 * seam)), gloss: 0.35 * seam, sharp: 26.0 }
        }
        Surface::Cloth => {
            let over = (u * 34.0).sin() * (v * 34.0).sin();
            let k = 0.92 + 0.1 * over + 0.18 * (clouds(u * 1.1, v * 1.1, 3, table.seed) - 0.5);
            Finish { colour: base * k, gloss: 0.0, sharp: 4.0 }
        }
        Surface::Plain => {
            let k = 0.95 + 0.1 * (clouds(u * 0.5, v * 0.5, 3, table.seed) - 0.5);
            Finish { colour: base * k, gloss: 0.15, sharp: 12.0 }
        }
        Surface::Glossy => {
            let scratch = smooth(0.93, 0.99, noise(u * 1.0, v * 24.0, table.seed)) * 0.03;
            Finish {
                colour: base * (0.985 + 0.03 * clouds(u * 0.3, v * 0.3, 2, table.seed) - scratch),
                gloss: 1.0,
                sharp: 500.0,
            }
        }
    }
}
