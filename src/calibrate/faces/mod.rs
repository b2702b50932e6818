//! Proposes what is printed on the tiles of a deck from their pictures.

mod decode;
mod network;

use std::fmt;

use image::RgbImage;

use crate::rules::{Deck, Face, Game, Kind, Port, PortSet, Rotation, Side};
use crate::vision::VisionError;
use network::Network;

/// Below this a part of a proposal is worth a look.
const SURE: f32 = 0.9;

/// Reads faces off pictures with the network of `models/faces`.
pub struct FaceReader {
    network: Network,
}

/// What is proposed for a tile. A person should look at what is in doubt before
/// a game is scored by it.
#[derive(Clone, Debug)]
pub struct FaceProposal {
    /// The likeliest face.
    pub face: Face,
    /// The parts of it that are unsure, the most unsure first.
    pub doubts: Vec<Doubt>,
    /// How likely the whole face is right, 0 to 1.
    pub confidence: f32,
}

/// A part of a proposed face that is unsure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// What is unsure.
    pub matter: Matter,
    /// How likely the proposal is right there, 0 to 1.
    pub sure: f32,
}

/// What a doubt is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// The kind at a half of a side: what is proposed, and the next likely.
    Kind(Port, Kind, Kind),
    /// Whether a path or road leaves by a side; what is proposed.
    Line(Side, bool),
    /// Whether two ports are of one segment; what is proposed.
    Joined(Port, Port, bool),
    /// Whether something is printed on the segment of a port (`market`,
    /// `fountain`, `square`, `pennant`); what is proposed.
    Mark(Port, &'static str, bool),
    /// Whether there is a cloister; what is proposed.
    Cloister(bool),
}

impl Doubt {
    /// The ports to look at; none for a cloister.
    pub fn ports(&self) -> PortSet {
        match self.matter {
            Matter::Kind(port, ..) | Matter::Mark(port, ..) => PortSet::EMPTY.with(port),
            Matter::Line(side, _) => PortSet::EMPTY.with(Port::middle(side)),
            Matter::Joined(a, b, _) => PortSet::EMPTY.with(a).with(b),
            Matter::Cloister(_) => PortSet::EMPTY,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.matter {
            Matter::Kind(port, kind, other) => write!(f, "{port} is {kind} or {other}")?,
            Matter::Line(side, is) => {
                write!(
                    f,
                    "{} {} path or road",
                    Port::middle(side),
                    if is { "may have no" } else { "may have a" }
                )?;
            }
            Matter::Joined(a, b, is) => {
                write!(f, "{a} and {b} {}", if is { "may be apart" } else { "may be one" })?;
            }
            Matter::Mark(port, name, is) => {
                write!(f, "{port} {} {name}", if is { "may have no" } else { "may have a" })?;
            }
            Matter::Cloister(is) => write!(f, "there may be {} cloister", if is { "no" } else { "a" })?,
        }
        write!(f, " ({:.0} % sure)", 100.0 * self.sure)
    }
}

impl FaceReader {
    /// The reader that ships with the program.
    ///
    /// # Errors
    /// When tract can't load the network.
    pub fn built_in() -> Result<FaceReader, VisionError> {
        Ok(FaceReader { network: Network::built_in()? })
    }

    /// Proposes a face for each tile. Give the pictures of a whole deck at once:
    /// upright, square, cut to the tile's edges, of any size. Within a deck
    /// colours and surfaces are of one make, and what is clear on one tile helps
    /// with the next.
    ///
    /// # Errors
    /// When the network can't be run.
    pub fn propose(&self, tiles: &[RgbImage], game: Game) -> Result<Vec<FaceProposal>, VisionError> {
        if tiles.is_empty() {
            return Ok(Vec::new());
        }
        let evidence = self.network.read(tiles, game)?;
        Ok(evidence.iter().map(|e| decode::decode(e, game)).collect())
    }
}

/// Writes proposals into a deck for the tiles whose face nobody has said yet, with
/// the ports that are in doubt; all pictures are looked at together. Gives the
/// ids of these tiles with what is proposed.
///
/// # Errors
/// When the network can't be loaded or run.
pub fn fill(
    deck: &mut Deck,
    references: &[(String, RgbImage)],
) -> Result<Vec<(String, FaceProposal)>, VisionError> {
    if deck.tiles.iter().all(|t| t.face.is_some()) {
        return Ok(Vec::new());
    }
    let pictures: Vec<RgbImage> = references.iter().map(|(_, picture)| picture.clone()).collect();
    let proposals = FaceReader::built_in()?.propose(&pictures, deck.game)?;
    let mut filled = Vec::new();
    for ((id, _), proposal) in references.iter().zip(proposals) {
        let Some(tile) = deck.tiles.iter_mut().find(|t| t.id == *id && t.face.is_none()) else { continue };
        let ports = proposal.doubts.iter().fold(PortSet::EMPTY, |all, d| all.union(d.ports()));
        tile.face = Some(proposal.face.clone());
        tile.doubts = ports.iter().collect();
        filled.push((id.clone(), proposal));
    }
    Ok(filled)
}

/// What the network says of a tile: logits by port, see `models/faces`.
#[derive(Clone, Debug)]
struct Evidence {
    /// Open ground, house, tower, city.
    kinds: [[f32; KINDS]; 12],
    lines: [f32; 4],
    joins: [[f32; 12]; 12],
    /// Market, fountain, square, pennant; cloister.
    marks: [[f32; 12]; MARKS],
}

const KINDS: usize = 4;
const MARKS: usize = 5;

impl Evidence {
    const NONE: Evidence = Evidence {
        kinds: [[0.0; KINDS]; 12],
        lines: [0.0; 4],
        joins: [[0.0; 12]; 12],
        marks: [[0.0; 12]; MARKS],
    };

    /// Adds a share of what was read off the tile turned by a rotation, after
    /// mirroring left and right.
    fn add(&mut self, seen: &Evidence, rotation: Rotation, mirrored: bool, share: f32) {
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
