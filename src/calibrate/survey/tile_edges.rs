//! What a wall's start spaces show, told by the edges of a deck's tiles: both are
//! printed alike.

use image::RgbImage;
use thiserror::Error;

use super::shown::{DEPTHS, Shown};
use crate::library::{self, LibraryError};
use crate::references::{self, ReferenceError};
use crate::rules::{Deck, Face, Kind, Port, Sentence, Side};
use crate::vision::base::colour::linear;
use crate::vision::base::geometry::median;
use crate::vision::base::photo::quarter_turned;

/// Parts of an edge that are compared.
pub const BINS: usize = 16;
/// How profiles of edges are compared, and which edges vote.
struct Comparing {
    /// How far from its corners an edge begins and ends, tile sides.
    from_corner: f32,
    /// The most by which a part differs: a tuft or a market is no more unlike.
    most: f32,
    /// Added to linear light, of 1, before its logarithm is taken: what darkness hides.
    dark: f32,
    /// Weight of a difference of lightness beside one of hue.
    lightness: f32,
    /// How often the light of the wall's photo against the tiles' is estimated.
    rounds: usize,
    /// The nearest edges that vote.
    voters: usize,
    /// Share of the nearest's distance by which an edge is farther for its vote's weight to
    /// fall to 37 %. Larger lets more edges have a say.
    fall: f32,
}

const COMPARING: Comparing =
    Comparing { from_corner: 0.05, most: 0.6, dark: 0.02, lightness: 0.25, rounds: 6, voters: 5, fall: 0.25 };

/// The colours along an edge from its right end to its left as seen from the middle
/// of its tile: the logarithms of lightness, of red over green, and of blue over green,
/// to which another light adds the same everywhere.
pub type Profile = [[f32; 3]; BINS];

/// The profile of an edge of which the colours are known by place: along it from its
/// right end, and away from it, tile sides.
pub fn profile(colour: impl Fn(f32, f32) -> [f32; 3]) -> Profile {
    let width = (1.0 - 2.0 * COMPARING.from_corner) / BINS as f32;
    std::array::from_fn(|bin| {
        let mut sum = [0.0; 3];
        for step in 0..3 {
            let along = COMPARING.from_corner + width * (bin as f32 + (step as f32 + 0.5) / 3.0);
            for depth in DEPTHS {
                let seen = colour(along, depth).map(|v| linear(v / 255.0));
                sum.iter_mut().zip(seen).for_each(|(s, c)| *s += c);
            }
        }
        let [r, g, b] = sum.map(|s| (s / (3 * DEPTHS.len()) as f32 + COMPARING.dark).ln());
        [(r + g + b) / 3.0, r - g, b - g]
    })
}

/// Why the edges of a deck's tiles are not known.
#[derive(Debug, Error)]
pub enum EdgesError {
    /// The deck was not found.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// Its pictures could not be had.
    #[error(transparent)]
    References(#[from] ReferenceError),
}

impl From<&EdgesError> for Sentence {
    fn from(error: &EdgesError) -> Sentence {
        match error {
            EdgesError::Library(error) => Sentence::from(error),
            EdgesError::References(error) => Sentence::from(error),
        }
    }
}

/// The edges of a deck's tiles.
#[derive(Clone, Debug, Default)]
pub struct TileEdges(Vec<(Profile, Shown)>);

impl TileEdges {
    /// Of the tiles whose faces are known; `references` are their upright pictures,
    /// in the deck's order.
    pub fn new(deck: &Deck, references: &[RgbImage]) -> TileEdges {
        let known = deck.tiles.iter().zip(references).filter_map(|(t, r)| Some((t.face.as_ref()?, r)));
        TileEdges(known.flat_map(|(face, r)| Side::ALL.map(|side| edge(face, r, side))).flatten().collect())
    }

    /// Of a deck that is found by its name, as [`library::deck`] finds it.
    ///
    /// # Errors
    /// [`EdgesError`] when the deck or its pictures cannot be had.
    pub fn of_deck(name: &str) -> Result<TileEdges, EdgesError> {
        let place = library::deck(name)?;
        let pictures: Vec<RgbImage> =
            references::of_deck(&place)?.into_iter().map(|(_, picture)| picture).collect();
        Ok(TileEdges::new(&place.deck, &pictures))
    }

    /// What edges of these profiles, seen in one light, show most likely; `None`
    /// where there are no tiles to tell by.
    pub fn likeliest(&self, profiles: &[Profile]) -> Option<Vec<Shown>> {
        let mut light = [0.0; 3];
        for _ in 0..COMPARING.rounds {
            let mut off: [Vec<f32>; 3] = Default::default();
            for profile in profiles {
                let (near, _) = self.0.iter().min_by(|a, b| {
                    distance(profile, &a.0, light).total_cmp(&distance(profile, &b.0, light))
                })?;
                for (seen, known) in profile.iter().zip(near) {
                    off.iter_mut().enumerate().for_each(|(c, o)| o.push(seen[c] - known[c]));
                }
            }
            light = off.map(|mut o| median(&mut o));
        }
        profiles.iter().map(|profile| self.voted(profile, light)).collect()
    }

    fn voted(&self, profile: &Profile, light: [f32; 3]) -> Option<Shown> {
        let mut near: Vec<(f32, Shown)> =
            self.0.iter().map(|(edge, shown)| (distance(profile, edge, light), *shown)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least = near.first().map_or(1.0, |n| n.0).max(1e-3);
        let mut votes: Vec<(Shown, f32)> = Vec::new();
        for (distance, shown) in near.into_iter().take(COMPARING.voters) {
            let weight = (-(distance / least - 1.0) / COMPARING.fall).exp();
            match votes.iter_mut().find(|v| v.0 == shown) {
                Some(vote) => vote.1 += weight,
                None => votes.push((shown, weight)),
            }
        }
        votes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|v| v.0)
    }
}

/// `None` where the face does not say what is there.
fn edge(face: &Face, reference: &RgbImage, side: Side) -> Option<(Profile, Shown)> {
    let kind = |port: Port| face.at(port).and_then(|i| face.segments().get(i)).map(|s| s.kind);
    // What takes a whole side has its middle.
    let (middle, path) = (kind(Port::middle(side)), kind(Port::middle(side)) == Some(Kind::PATH));
    let half = |port: Port| kind(port).or(middle.filter(|_| !path));
    let shown = Shown { right: half(Port::right(side)), path, left: half(Port::left(side)) };
    if !path && shown.right.is_none() && shown.left.is_none() {
        return None;
    }
    let up = quarter_turned(reference, (4 - side.index() as u8) % 4);
    let (w, h) = (up.width().max(1), up.height().max(1));
    let colours = profile(|along, depth| {
        let x = ((1.0 - along) * w as f32) as u32;
        let y = (depth * h as f32) as u32;
        up.get_pixel(x.min(w - 1), y.min(h - 1)).0.map(f32::from)
    });
    Some((colours, shown))
}

fn distance(seen: &Profile, known: &Profile, light: [f32; 3]) -> f32 {
    let off = |(s, k): (&[f32; 3], &[f32; 3])| {
        let d: [f32; 3] = std::array::from_fn(|c| s[c] - light[c] - k[c]);
        (COMPARING.lightness * d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).min(COMPARING.most * COMPARING.most)
    };
    seen.iter().zip(known).map(off).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    fn colour(kind: Kind) -> [u8; 3] {
        match kind {
            Kind::PATH => [200, 180, 130],
            Kind::HOUSE => [170, 60, 50],
            Kind::TOWER => [120, 120, 125],
            _ => [90, 140, 60],
        }
    }

    /// A tile of which each edge looks as its face says.
    fn print(face: &Face) -> RgbImage {
        let kind = |port| face.at(port).and_then(|i| face.segments().get(i)).map(|s| s.kind);
        let middle = kind(Port::middle(Side::North));
        let path = middle == Some(Kind::PATH);
        let half = |port| kind(port).or(middle).unwrap_or(Kind::COURT);
        let north = |x: f32| match x {
            _ if path && (x - 0.5).abs() < 0.08 => Kind::PATH,
            _ if x < 0.5 => half(Port::left(Side::North)),
            _ => half(Port::right(Side::North)),
        };
        RgbImage::from_fn(64, 64, |x, _| image::Rgb(colour(north((x as f32 + 0.5) / 64.0))))
    }

    #[test]
    fn start_spaces_show_what_tiles_that_look_alike_show() {
        let faces = ["tower nr; court nl", "path n; court nr; house nl", "house n", "court n", "tower n"];
        let tiles: String = faces
            .iter()
            .enumerate()
            .map(|(i, f)| format!("[[tile]]\nid = \"t{i}\"\ncount = 1\nface = \"{f}\"\n"))
            .collect();
        let deck = Deck::from_toml(&format!("name = \"d\"\ngame = \"castle\"\n{tiles}")).unwrap();
        assert_eq!(deck.game, Game::Castle);
        let prints: Vec<RgbImage> = deck.tiles.iter().map(|t| print(t.face.as_ref().unwrap())).collect();
        let edges = TileEdges::new(&deck, &prints);
        // The wall in warmer light, each edge as it is walked: from its right end.
        let seen: Vec<Profile> = prints
            .iter()
            .map(|print| {
                profile(|along, depth| {
                    let x = ((1.0 - along) * 64.0) as u32;
                    let [r, g, b] = print.get_pixel(x, (depth * 64.0) as u32).0.map(f32::from);
                    [r * 1.05 + 6.0, g, b * 0.8]
                })
            })
            .collect();
        let shown = edges.likeliest(&seen).unwrap();
        let some = |right, path, left| Shown { right: Some(right), path, left: Some(left) };
        assert_eq!(shown[0], some(Kind::TOWER, false, Kind::COURT));
        assert_eq!(shown[1], some(Kind::COURT, true, Kind::HOUSE));
        assert_eq!(shown[2], some(Kind::HOUSE, false, Kind::HOUSE));
        assert_eq!(shown[3], some(Kind::COURT, false, Kind::COURT));
        assert_eq!(shown[4], some(Kind::TOWER, false, Kind::TOWER));
        assert_eq!(TileEdges::default().likeliest(&seen), None);
    }
}
