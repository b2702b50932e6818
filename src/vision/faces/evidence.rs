//! What the network says of a tile.

use crate::rules::Rotation;

/// What the network says of a tile: logits by port, see `models/faces`.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// Open ground, house, tower, city.
    pub kinds: [[f32; KINDS]; 12],
    pub lines: [f32; 4],
    pub joins: [[f32; 12]; 12],
    /// Market, fountain, square, pennant; cloister.
    pub marks: [[f32; 12]; MARKS],
}

pub(crate) const KINDS: usize = 4;
pub(crate) const MARKS: usize = 5;

impl Evidence {
    pub const NONE: Evidence = Evidence {
        kinds: [[0.0; KINDS]; 12],
        lines: [0.0; 4],
        joins: [[0.0; 12]; 12],
        marks: [[0.0; 12]; MARKS],
    };

    /// Adds a share of what was read off the tile turned by a rotation, after
    /// mirroring left and right.
    pub fn add(&mut self, seen: &Evidence, rotation: Rotation, mirrored: bool, share: f32) {
        let at = |port: usize| {
            let port = if mirrored { (14 - port) % 12 } else { port };
            (port + 3 * usize::from(rotation.quarters())) % 12
        };
        for p in 0..12 {
            for k in 0..KINDS {
                self.kinds[p][k] += share * seen.kinds[at(p)][k];
            }
            for q in 0..12 {
                self.joins[p][q] += share * seen.joins[at(p)][at(q)];
            }
            for m in 0..MARKS {
                self.marks[m][p] += share * seen.marks[m][at(p)];
            }
        }
        for side in 0..4 {
            self.lines[side] += share * seen.lines[at(3 * side + 1) / 3];
        }
    }
}
