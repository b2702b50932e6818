//! What falls on the sensor: the light of every pixel, and what it comes from.

use rayon::prelude::*;

use super::lighting::{Lighting, NOTHING};
use super::space::V3;
use super::stage::{BLOCK, Stage, blocks};

/// An exposed plate.
#[derive(Clone)]
pub struct Plate {
    width: usize,
    height: usize,
    /// The light of each pixel, row by row.
    pub light: Vec<V3>,
    /// What each pixel shows: a number of the thing and its face.
    pub things: Vec<u32>,
}

impl Plate {
    /// All of what a stage shows.
    pub fn exposed(stage: &Stage<'_>) -> Plate {
        let (width, height) = (stage.scene.camera.size.0 as usize, stage.scene.camera.size.1 as usize);
        let mut plate = Plate {
            width,
            height,
            light: vec![V3::default(); width * height],
            things: vec![NOTHING; width * height],
        };
        let (across, down) = blocks(stage.scene.camera.size);
        let all: Vec<usize> = (0..(across * down) as usize).collect();
        plate.expose(stage, &all);
        plate
    }

    /// Takes some blocks of a stage anew. Where things meet, each pixel is the mean of
    /// four.
    pub fn expose(&mut self, stage: &Stage<'_>, of: &[usize]) {
        let light = Lighting::new(stage.scene);
        let once: Vec<(usize, V3, u32)> = of
            .par_iter()
            .flat_map_iter(|block| {
                self.pixels(*block).map(|(x, y)| {
                    let (colour, thing) = light.sample(stage, x as f32, y as f32, 1.0);
                    (y * self.width + x, colour, thing)
                })
            })
            .collect();
        for (at, colour, thing) in once {
            self.light[at] = colour;
            self.things[at] = thing;
        }
        let edges: Vec<(usize, V3)> = of
            .par_iter()
            .flat_map_iter(|block| self.pixels(*block).filter(|(x, y)| self.is_edge(*x, *y)))
            .map(|(x, y)| {
                let sum = [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)]
                    .into_iter()
                    .fold(V3::default(), |sum, (dx, dy)| {
                        sum + light.sample(stage, x as f32 + dx, y as f32 + dy, 0.5).0
                    });
                (y * self.width + x, sum * 0.25)
            })
            .collect();
        for (at, colour) in edges {
            self.light[at] = colour;
        }
    }

    /// The pixels of a block.
    fn pixels(&self, block: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let side = BLOCK as usize;
        let across = self.width.div_ceil(side);
        let (x, y) = (block % across * side, block / across * side);
        let (right, bottom) = ((x + side).min(self.width), (y + side).min(self.height));
        (y..bottom).flat_map(move |y| (x..right).map(move |x| (x, y)))
    }

    fn is_edge(&self, x: usize, y: usize) -> bool {
        let at = y * self.width + x;
        let other = |there: bool, at: usize, thing: u32| there && self.things[at] != thing;
        let thing = self.things[at];
        other(x > 0, at.wrapping_sub(1), thing)
            || other(x + 1 < self.width, at + 1, thing)
            || other(y > 0, at.wrapping_sub(self.width), thing)
            || other(y + 1 < self.height, at + self.width, thing)
    }
}
