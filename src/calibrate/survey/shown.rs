//! What is printed on an edge of a tile or of the wall, and how deep the edge is looked at.

use crate::rules::{Face, Kind, Side};

/// How deep the inner edge is looked at, tile sides.
pub(super) const DEPTHS: [f32; 4] = [0.05, 0.075, 0.1, 0.125];

/// What a start space shows, as seen from the tile that it is the edge of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// On the right half, beside a path that leads in.
    pub right: Option<Kind>,
    /// Whether a path leads in between the halves.
    pub path: bool,
    /// On the left half.
    pub left: Option<Kind>,
}

impl Shown {
    /// The face of a tile that shows this at a side.
    pub(super) fn face(&self, side: Side) -> Face {
        let name = format!("{side:?}").to_lowercase();
        let side = &name[..1];
        let mut parts = Vec::new();
        if self.path {
            parts.push(format!("path {side}"));
        }
        if let (Some(kind), false) = (self.right.filter(|_| self.right == self.left), self.path) {
            parts.push(format!("{kind} {side}"));
        } else {
            parts.extend(self.right.map(|kind| format!("{kind} {side}r")));
            parts.extend(self.left.map(|kind| format!("{kind} {side}l")));
        }
        parts.join("; ").parse().unwrap_or_default()
    }
}

/// What a colour would be on the published wall: houses red, towers grey, paths
/// tan, courts green.
pub(super) fn kind([_, a, b]: [f32; 3]) -> Kind {
    let chroma = a.hypot(b);
    let hue = b.atan2(a).to_degrees();
    match hue {
        _ if chroma < 11.0 => Kind::TOWER,
        h if (-30.0..62.0).contains(&h) => Kind::HOUSE,
        h if (62.0..98.0).contains(&h) => Kind::PATH,
        h if (98.0..200.0).contains(&h) => Kind::COURT,
        _ => Kind::TOWER,
    }
}
