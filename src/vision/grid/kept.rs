//! What was found in cells, kept for later looks at the same places of a film's picture.

use super::found_tile::{FoundTile, PERHAPS};
use crate::vision::base::geometry::Quad;

/// How far the corners of a cell may be from where it was looked at, tile sides, for what was found to hold: about a
/// pixel of a crop, set by hand. Larger keeps what another start might not have found.
const HERE: f64 = 0.02;

/// What was found in cells where the picture looks as it did then.
#[derive(Debug, Default)]
pub struct Kept(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    /// Where it was looked for.
    from: Quad,
    tile: FoundTile,
    /// Whether it was asked for since the last [`Kept::tidy`].
    used: bool,
}

impl Kept {
    /// What was found when a cell was looked at that lay there: surely a tile of a sure name, or nothing
    /// like one.
    pub fn at(&mut self, quad: &Quad) -> Option<FoundTile> {
        let near = |other: &Quad| other.corner_distance(quad) < HERE * quad.side();
        let holds =
            |entry: &&mut Entry| near(&entry.from) || entry.tile.is_surely_named() && near(&entry.tile.quad);
        let entry = self.0.iter_mut().find(holds)?;
        entry.used = true;
        Some(entry.tile.clone())
    }

    /// Keeps what was found in a cell that was looked for there, if it is sure enough.
    pub fn note(&mut self, from: &Quad, tile: &FoundTile) {
        if tile.is_surely_named() || tile.likeness < PERHAPS {
            self.0.push(Entry { from: *from, tile: tile.clone(), used: true });
        }
    }

    /// Forgets what lies where `changed` says so.
    pub fn forget(&mut self, changed: impl Fn(&Quad) -> bool) {
        self.0.retain(|entry| !changed(&entry.from) && !changed(&entry.tile.quad));
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Forgets what nobody asked for since this was called last.
    pub fn tidy(&mut self) {
        self.0.retain_mut(|entry| std::mem::take(&mut entry.used));
    }
}

#[cfg(test)]
mod tests {
    use image::RgbImage;

    use super::*;
    use crate::vision::tiles::recogniser::Comparison;

    fn quad(x: f64) -> Quad {
        Quad([[x, 50.0], [x + 40.0, 50.0], [x + 40.0, 90.0], [x, 90.0]])
    }

    fn tile(x: f64, likeness: f32, scores: [f32; 4]) -> FoundTile {
        let comparison = Comparison { scores: vec![scores], ..Comparison::default() };
        FoundTile {
            quad: quad(x),
            crop: RgbImage::default(),
            comparison,
            likeness,
            stands_out: false,
            as_table: false,
        }
    }

    #[test]
    fn what_is_sure_is_found_again_where_it_was_looked_for_or_lies() {
        let mut kept = Kept::default();
        kept.note(&quad(100.0), &tile(103.0, 0.8, [9.0, 0.0, 0.0, 0.0]));
        kept.note(&quad(200.0), &tile(203.0, 0.8, [9.0, 8.9, 0.0, 0.0]));
        kept.note(&quad(300.0), &tile(303.0, 0.1, [0.0; 4]));
        kept.note(&quad(400.0), &tile(403.0, 0.5, [9.0, 0.0, 0.0, 0.0]));
        let likeness = |kept: &mut Kept, x: f64| kept.at(&quad(x)).map(|tile| tile.likeness);
        assert_eq!(likeness(&mut kept, 100.5), Some(0.8));
        assert_eq!(likeness(&mut kept, 103.5), Some(0.8), "it lies there");
        assert_eq!(likeness(&mut kept, 101.5), None);
        assert_eq!(likeness(&mut kept, 200.0), None, "one of two");
        assert_eq!(likeness(&mut kept, 300.0), Some(0.1), "nothing lies there");
        assert_eq!(likeness(&mut kept, 303.0), None, "where it fitted best tells nothing");
        assert_eq!(likeness(&mut kept, 400.0), None, "perhaps a tile");
    }

    #[test]
    fn what_changed_and_what_nobody_asks_for_is_forgotten() {
        let mut kept = Kept::default();
        for x in [100.0, 200.0, 300.0] {
            kept.note(&quad(x), &tile(x, 0.8, [9.0, 0.0, 0.0, 0.0]));
        }
        kept.tidy();
        kept.forget(|quad| quad.contains([120.0, 70.0]));
        assert!(kept.at(&quad(100.0)).is_none());
        assert!(kept.at(&quad(200.0)).is_some());
        kept.tidy();
        assert!(kept.at(&quad(300.0)).is_none());
        assert!(kept.at(&quad(200.0)).is_some());
        kept.clear();
        assert!(kept.at(&quad(200.0)).is_none());
    }
}
