//! Measures the players' pieces in photos of the empty wall: for each player a follower that
//! stands, one that lies, and the keep.

mod drawing;
mod found;
mod ground;
mod sizes;
mod view;

pub use drawing::draw;
pub use found::{Found, Kind};

use image::RgbImage;
use thiserror::Error;

use crate::pieces::{OwnPieces, PlayerPieces};
use crate::rules::{Sentence, sentence};
use crate::vision::base::colour::linear_of_byte;
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::median;
use crate::vision::figures::separable;
use crate::vision::wall::registration::WallFinder;
use crate::vision::wall::surveyed::SurveyedWall;
use ground::{Paint, Patch};
use sizes::{DIRECTIONS, Follower, Hidden};
use view::{PX, View};

/// How what lies inside the wall becomes pieces.
///
/// Chosen on 30 photos of `examples/measure_pieces.rs`, seeds 1 to 30.
struct Settings {
    /// Mean distance from every player's colour from which on a thing is no piece, of
    /// [`crate::vision::base::colour::distance`]. Lower leaves paints out that are far from
    /// what their word usually means.
    nobody: f32,
    /// The share of the light at which the middle of what is seen of a piece is lit. Lower
    /// makes measured paints brighter.
    lit: f32,
    /// The height that things lean by before it is known, tile sides.
    height: f32,
    /// Largest area of one piece, tiles. Larger ones are hands, or pieces that touch.
    most: f32,
    /// How much better (in squared deviations) one of a player's followers must fit as the
    /// one that stands for no doubt to be said.
    telling: f32,
    /// How many times larger than the next a keep is for no other to be tried as the keep,
    bulky: f32,
    /// and how many times larger it is at least.
    bulkier: f32,
}

const SETTINGS: Settings =
    Settings { nobody: 34.0, lit: 0.5, height: 0.25, most: 0.9, telling: 2.0, bulky: 1.5, bulkier: 1.05 };

/// Why pieces could not be measured.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum PiecesError {
    /// The wall is not in the photo, or something failed.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// Not three pieces of a colour.
    Count {
        /// How many there are.
        seen: usize,
        /// The word of the colour.
        colour: String,
        /// What may be the reason.
        hint: Sentence,
    },
    /// No keep among three pieces.
    NoKeep(String),
    /// The same colour for two players.
    Twice(String),
    /// Paints that are as good as equal.
    Alike(String, String),
}

impl From<&PiecesError> for Sentence {
    fn from(error: &PiecesError) -> Sentence {
        match error {
            PiecesError::Vision(error) => Sentence::from(error),
            PiecesError::Count { seen, colour, hint } => sentence!(
                "pieces of the colour `{}` that are seen inside the wall: {}, not 3; lay a follower that \
                 stands, one that lies and the keep of each player there, a hand's breadth apart and away from \
                 the wall{}",
                colour,
                *seen,
                hint
            ),
            PiecesError::NoKeep(colour) => sentence!(
                "the largest of the three pieces of the colour `{}` is hardly larger than the next, so that \
                 the keep can't be told; lay them a hand's breadth apart and photograph them again",
                colour
            ),
            PiecesError::Twice(colour) => {
                sentence!("the players' pieces need different colours; `{}` stands twice", colour)
            }
            PiecesError::Alike(one, other) => sentence!(
                "the paints `{}` and `{}` look alike in this light, so that pieces can't be told apart; play \
                 with other pieces",
                one,
                other
            ),
        }
    }
}

/// What photos of pieces tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The pieces.
    pub pieces: OwnPieces,
    /// Where they are, photo by photo.
    pub found: Vec<Vec<Found>>,
    /// What is not sure, a sentence each.
    pub doubts: Vec<Sentence>,
}

/// What is not sure of a player's pieces, whose colour has this word.
enum Doubt<'a> {
    /// Which of them is the keep.
    Keep(&'a str),
    /// Which of the followers stands.
    Standing(&'a str),
}

impl Doubt<'_> {
    fn sentence(&self) -> Sentence {
        match self {
            Doubt::Keep(word) => sentence!(
                "which piece of the colour `{}` is the keep is hard to see; look at it with --drawn, or photograph them once more",
                Sentence::word(word)
            ),
            Doubt::Standing(word) => sentence!(
                "of the colour `{}`, it is hard to see which follower stands and which lies; photograph them once more, more from the side",
                Sentence::word(word)
            ),
        }
    }
}

/// A piece in a photo, not yet told which of the three it is.
struct Piece {
    patch: Patch,
    hidden: Hidden,
    /// What it hides of the table from straight above, about; tiles.
    bulk: f32,
    /// Its paint, linear, in the light of the wall's picture.
    paint: [f32; 3],
}

/// A player's three pieces in a photo.
struct Three {
    standing: Piece,
    lying: Piece,
    keep: Piece,
}

/// Measures the pieces in photos of the empty wall. `colours` are the words of the players'
/// colours with what they usually mean, sRGB.
///
/// # Errors
/// [`PiecesError`] says what to do.
pub fn measure(
    frames: &[RgbImage],
    survey: &SurveyedWall,
    colours: &[(String, [u8; 3])],
) -> Result<Measured, PiecesError> {
    for (i, (word, _)) in colours.iter().enumerate() {
        if colours[..i].iter().any(|(other, _)| other == word) {
            return Err(PiecesError::Twice(word.clone()));
        }
    }
    let finder = WallFinder::new(survey)?;
    let mut players: Vec<Vec<Three>> = colours.iter().map(|_| Vec::new()).collect();
    let mut views = Vec::new();
    let mut doubts = Vec::new();
    for frame in frames {
        let view = View::new(frame, survey, &finder)?;
        let pieces = pieces(&view, colours)?;
        for ((threes, pieces), (word, _)) in players.iter_mut().zip(pieces).zip(colours) {
            threes.push(told_apart(pieces, word, &mut doubts)?);
        }
        views.push(view);
    }
    let paints: Vec<[u8; 3]> = players.iter().map(|threes| paint(threes)).collect();
    for (i, a) in paints.iter().enumerate() {
        for (j, b) in paints.iter().enumerate().skip(i + 1) {
            if separable(&[*a, *b], &[]).is_err() {
                return Err(PiecesError::Alike(colours[i].0.clone(), colours[j].0.clone()));
            }
        }
    }
    // First all players' pieces as if they were of one make, then each near that.
    let keeps = |threes: &[Three], near| {
        let seen: Vec<&Hidden> = threes.iter().map(|t| &t.keep.hidden).collect();
        sizes::keep(&seen, near).lengths
    };
    let all = || players.iter().flatten();
    let followers = |threes: &mut dyn Iterator<Item = &Three>| -> Vec<(Hidden, Hidden)> {
        threes.map(|t| (t.standing.hidden, t.lying.hidden)).collect()
    };
    let make = Follower::fitted(&followers(&mut all()));
    tracing::debug!(?make, "followers");
    if !make.lies {
        // Which of two that look the same stands is no matter.
        doubts.retain(|doubt| !matches!(doubt, Doubt::Standing(_)));
    }
    let alike = (!make.lies).then(|| {
        sentence!(
            "the followers look the same where they stand and where they lie; if they can lie on their side, photograph them once more, more from the side"
        )
    });
    let doubts = doubts.iter().map(Doubt::sentence).chain(alike).collect();
    let usual_keep = sizes::keep(&all().map(|t| &t.keep.hidden).collect::<Vec<_>>(), None).lengths;
    let pieces = OwnPieces {
        players: colours
            .iter()
            .zip(&players)
            .zip(&paints)
            .map(|(((word, _), threes), rgb)| {
                let (standing, lying) = make.of_player(&followers(&mut threes.iter())).sizes();
                let keep = sizes::of_keep(keeps(threes, Some(usual_keep)));
                PlayerPieces {
                    colour: word.clone(),
                    rgb: *rgb,
                    standing: standing.rounded(),
                    lying: lying.rounded(),
                    keep: keep.rounded(),
                }
            })
            .collect(),
    };
    let found = views
        .iter()
        .enumerate()
        .map(|(photo, view)| {
            let of = |(player, threes): (usize, &Vec<Three>)| {
                let Three { standing, lying, keep } = &threes[photo];
                [(Kind::Standing, standing), (Kind::Lying, lying), (Kind::Keep, keep)]
                    .map(|(kind, piece)| Found { player, kind, outline: outline(&piece.patch, view) })
            };
            players.iter().enumerate().flat_map(of).collect()
        })
        .collect();
    Ok(Measured { pieces, found, doubts })
}

/// The three pieces of each player in a photo.
fn pieces(view: &View, colours: &[(String, [u8; 3])]) -> Result<Vec<Vec<Piece>>, PiecesError> {
    let of_words: Vec<Paint> = colours.iter().map(|(_, rgb)| Paint::new(*rgb, view.light)).collect();
    let patches = ground::patches(view, &of_words)?;
    for patch in &patches {
        tracing::debug!(area = patch.area(), at = ?patch.middle(view), from = ?patch.from, "patch");
    }
    let is_piece =
        |patch: &Patch| patch.area() < SETTINGS.most && patch.from.iter().any(|far| *far < SETTINGS.nobody);
    let candidates: Vec<Piece> =
        patches.into_iter().filter(is_piece).map(|patch| Piece::of(patch, view)).collect();
    let owners = owners(&candidates, colours.len());
    let mut of_player: Vec<Vec<Piece>> = colours.iter().map(|_| Vec::new()).collect();
    for (piece, owner) in candidates.into_iter().zip(owners) {
        of_player[owner].push(piece);
    }
    for (pieces, (word, _)) in of_player.iter().zip(colours) {
        if pieces.len() != 3 {
            let hint = match pieces.len() {
                0..3 => sentence!(", on a table or a sheet of paper of another colour"),
                _ => sentence!(", and nothing else"),
            };
            return Err(PiecesError::Count { seen: pieces.len(), colour: word.clone(), hint });
        }
    }
    Ok(of_player)
}

/// Whose each piece is: the player's whose colour is nearest, then whose other pieces have
/// the nearest paint.
fn owners(pieces: &[Piece], players: usize) -> Vec<usize> {
    let nearest = |far: &[f32]| {
        far.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(player, _)| player)
    };
    let mut owners: Vec<usize> = pieces.iter().map(|piece| nearest(&piece.patch.from)).collect();
    for _ in 0..4 {
        let paints: Vec<Option<Paint>> = (0..players)
            .map(|player| {
                let own: Vec<&Piece> = pieces
                    .iter()
                    .zip(&owners)
                    .filter(|(_, owner)| **owner == player)
                    .map(|(p, _)| p)
                    .collect();
                (!own.is_empty()).then(|| Paint::new(srgb(middle_paint(&own)), [1.0; 3]))
            })
            .collect();
        if paints.iter().any(Option::is_none) {
            break;
        }
        let next: Vec<usize> = pieces
            .iter()
            .map(|piece| {
                // Its paint is as if usually lit.
                let lab = crate::vision::base::colour::lab_of_linear(piece.paint.map(|v| v * SETTINGS.lit));
                let far: Vec<f32> =
                    paints.iter().map(|p| p.as_ref().map_or(f32::INFINITY, |p| p.distance(lab))).collect();
                nearest(&far)
            })
            .collect();
        if next == owners {
            break;
        }
        owners = next;
    }
    owners
}

impl Piece {
    fn of(patch: Patch, view: &View) -> Piece {
        let lean = view.lean(patch.middle(view), SETTINGS.height);
        let widths: [f32; DIRECTIONS] = std::array::from_fn(|i| {
            let (dx, dy) = sizes::direction(i);
            let along = patch.pixels.iter().map(|(x, y)| {
                let (u, v) = view.place(*x, *y);
                u * dx + v * dy
            });
            let (low, high) =
                along.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
            (high - low + 1.0 / PX as f32).max(0.0)
        });
        let hidden = Hidden { widths, lean };
        let across = (widths.iter().sum::<f32>() / DIRECTIONS as f32).max(1e-3);
        // What leans out of the way makes it larger.
        let leaning = across * lean.0.hypot(lean.1) * across * 0.6;
        let bulk = (patch.area() - leaning).max(0.25 * patch.area());
        let paint = std::array::from_fn(|c| patch.seen[c] / view.light[c].max(0.02) / SETTINGS.lit);
        Piece { patch, hidden, bulk, paint }
    }
}

/// Which of a player's three pieces is which.
fn told_apart<'a>(
    mut pieces: Vec<Piece>,
    word: &'a str,
    doubts: &mut Vec<Doubt<'a>>,
) -> Result<Three, PiecesError> {
    pieces.sort_by(|a, b| b.bulk.total_cmp(&a.bulk));
    let Ok([keep, a, b]) = <[Piece; 3]>::try_from(pieces) else {
        return Err(PiecesError::NoKeep(word.to_owned()));
    };
    if keep.bulk < SETTINGS.bulky * a.bulk {
        let as_keep = |keep: &Piece, a: &Piece, b: &Piece| {
            let one = Follower::fitted(&[(a.hidden, b.hidden)]).cost;
            let other = Follower::fitted(&[(b.hidden, a.hidden)]).cost;
            sizes::keep(&[&keep.hidden], None).cost + one.min(other)
        };
        let (largest, next) = (as_keep(&keep, &a, &b), as_keep(&a, &keep, &b));
        tracing::debug!(word, largest, next, keep = keep.bulk, second = a.bulk, "which is the keep");
        if keep.bulk < SETTINGS.bulkier * a.bulk || next < largest {
            return Err(PiecesError::NoKeep(word.to_owned()));
        }
        if next < largest + SETTINGS.telling {
            doubts.push(Doubt::Keep(word));
        }
    }
    let one = Follower::fitted(&[(a.hidden, b.hidden)]);
    let other = Follower::fitted(&[(b.hidden, a.hidden)]);
    tracing::debug!(word, ?one, ?other, keep = keep.bulk, next = a.bulk, "which stands");
    let (standing, lying, best, next) =
        if one.cost <= other.cost { (a, b, one, other) } else { (b, a, other, one) };
    if next.cost - best.cost < SETTINGS.telling {
        doubts.push(Doubt::Standing(word));
    }
    Ok(Three { standing, lying, keep })
}

/// The paint of a player, sRGB.
fn paint(threes: &[Three]) -> [u8; 3] {
    let own: Vec<&Piece> = threes.iter().flat_map(|t| [&t.standing, &t.lying, &t.keep]).collect();
    srgb(middle_paint(&own))
}

/// The middle of the paints of some pieces, linear.
fn middle_paint(pieces: &[&Piece]) -> [f32; 3] {
    std::array::from_fn(|c| {
        let mut values: Vec<f32> = pieces.iter().map(|p| p.paint[c]).collect();
        median(&mut values)
    })
}

/// The sRGB of linear light.
fn srgb(linear: [f32; 3]) -> [u8; 3] {
    // The inverse of what vision goes by, so that a paint is as bright as it was measured.
    let level = |v: f32| (0..=255_u8).find(|level| linear_of_byte(*level) >= v).unwrap_or(255);
    linear.map(level)
}

/// The hull of what a piece hides, in the photo.
fn outline(patch: &Patch, view: &View) -> Vec<(f32, f32)> {
    const CORNERS: usize = 24;
    let of = |i: usize| {
        let (s, c) = (std::f32::consts::TAU * i as f32 / CORNERS as f32).sin_cos();
        let along = |(x, y): (f32, f32)| x * c + y * s;
        let places = patch.pixels.iter().map(|(x, y)| view.place(*x, *y));
        places.max_by(|a, b| along(*a).total_cmp(&along(*b))).map(|place| view.in_photo(place))
    };
    (0..CORNERS).filter_map(of).collect()
}
