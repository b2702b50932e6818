//! From a game's position to what lies on the table.

use std::collections::BTreeMap;
use std::sync::Arc;

use image::{RgbImage, RgbaImage};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::pieces::PieceKind;
use super::pieces::Pieces;
use super::random_scene::Board;
use super::scene::StandingWall;
use super::style::Style;
use super::tile::draw_tile;
use super::wall_art::draw_wall;
use super::wall_tile::draw_wall_tile;
use crate::rules::castle::{Move, Placement, Position, SegmentAt, SetupError};
use crate::rules::{Cell, Deck, Face, FaceMap, GamePosition, Kind, Player, Role, Rotation, Wall};

/// The side of tile pictures on a photographed table, px.
const TILE_PX: u32 = 160;
/// Wall pictures: px a tile side.
const WALL_PX: u32 = 96;

/// The pictures of a set, as they are printed: what [`Board`]s are made with.
#[derive(Clone, Debug)]
pub struct PrintedSet {
    /// The wall, in games that have one.
    pub wall: Option<Arc<StandingWall>>,
    /// The deck.
    pub deck: Deck,
    /// The picture of each tile by its id; only tiles with a known face.
    pub pictures: Arc<BTreeMap<String, RgbImage>>,
    style: Style,
}

impl PrintedSet {
    /// Draws a deck and, for games that have one, a wall in a style. `height` is the
    /// wall's above the table, in tile sides.
    pub fn draw<'a>(
        wall: impl Into<Option<&'a Wall>>,
        deck: &Deck,
        style: &Style,
        height: f32,
    ) -> PrintedSet {
        let standing = |wall: &Wall| {
            let picture = draw_wall(wall, style, WALL_PX);
            Arc::new(StandingWall {
                wall: wall.clone(),
                picture: picture.image,
                px_per_tile: WALL_PX as f32,
                origin_px: picture.origin_px,
                height,
            })
        };
        let pictures: BTreeMap<String, RgbImage> = deck
            .tiles
            .iter()
            .enumerate()
            .filter_map(|(i, t)| Some((t.id.clone(), draw_tile(t.face.as_ref()?, i as u64, style, TILE_PX))))
            .collect();
        PrintedSet {
            wall: wall.into().map(standing),
            deck: deck.clone(),
            pictures: Arc::new(pictures),
            style: style.clone(),
        }
    }

    /// The same set with other pictures of its tiles.
    #[must_use]
    pub fn with_pictures(mut self, pictures: BTreeMap<String, RgbImage>) -> PrintedSet {
        self.pictures = Arc::new(pictures);
        self
    }

    /// Wall tiles face down on towers, by the lower track space of each.
    pub fn on_towers(&self, towers: &[u8]) -> Vec<(u8, RgbaImage)> {
        let back = draw_wall_tile(None, &self.style, 64);
        towers.iter().map(|t| (*t, back.clone())).collect()
    }

    /// The board as it is in a position: tiles, figures, markers and the wall
    /// tiles that nobody has taken. Followers stand where their segment is
    /// widest, or lie on courts; `seed` moves them a little.
    pub fn board(&self, position: &dyn GamePosition, colours: &[[u8; 3]], seed: u64) -> Board {
        let players = Player::first(position.players());
        let mut tiles = Vec::new();
        let mut figures = Vec::new();
        let mut faces: BTreeMap<Cell, (&Face, Rotation)> = BTreeMap::new();
        for cell in position.cells() {
            let Some((tile, rotation)) = position.tile_at(cell) else { continue };
            let Some(tile) = self.deck.tiles.get(tile) else { continue };
            tiles.push((cell, tile.id.clone(), rotation));
            if let Some(face) = &tile.face {
                faces.insert(cell, (face, rotation));
            }
        }
        let near = |cell: Cell, segment: u8, player: Player| {
            let (face, rotation) = faces.get(&cell)?;
            let stir = seed ^ (cell.col as u64) << 8 ^ (cell.row as u64) << 16 ^ u64::from(player.0) << 24;
            let mut rng = Pcg64Mcg::seed_from_u64(stir);
            let (x, y) = FaceMap::new(face).anchor(segment as usize);
            let (x, y) = turned((x, y), *rotation);
            let stay = |v: f32, r: f32| (v + r).clamp(0.12, 0.88);
            let role = Role::on(face.segments().get(segment as usize)?.kind)?;
            let place = (stay(x, rng.random_range(-0.04..0.04)), stay(y, rng.random_range(-0.04..0.04)));
            Some((place, role))
        };
        for follower in position.followers() {
            if let Some((place, role)) = near(follower.cell, follower.segment, follower.player) {
                let lying = role.lies();
                let segment = Some(follower.segment);
                let kind = PieceKind::of(follower.figure);
                // What claims no feature stands on it.
                let lying = lying && follower.figure.weight() > 0;
                figures.push((kind, follower.player.0, follower.cell, segment, place, lying));
            }
        }
        for player in players.clone() {
            let Some(keep) = position.largest(player) else { continue };
            let segment = faces
                .get(&keep.cell)
                .and_then(|(face, _)| face.segments().iter().position(|s| s.kind == Kind::HOUSE));
            if let Some(segment) = segment
                && let Some((place, _)) = near(keep.cell, segment as u8, player)
            {
                figures.push((PieceKind::Keep, player.0, keep.cell, Some(segment as u8), place, false));
            }
        }
        Board {
            wall: self.wall.clone(),
            pictures: self.pictures.clone(),
            tiles,
            colours: colours.to_vec(),
            pieces: Pieces::default(),
            figures,
            totals: players.map(|p| (p.0, position.total(p))).collect(),
            room: Vec::new(),
            wall_tiles: self.on_towers(&position.prizes_on_track().iter().map(|p| p.0).collect::<Vec<_>>()),
        }
    }
}

/// Where a place of an upright tile comes to lie when it is turned.
fn turned((x, y): (f32, f32), rotation: Rotation) -> (f32, f32) {
    (0..rotation.quarters()).fold((x, y), |(x, y), _| (1.0 - y, x))
}

/// A position that legal random play reaches after so many turns (or at the end
/// of the game).
///
/// # Errors
/// [`SetupError`] when the wall and the deck make no game.
pub fn random_position(wall: &Wall, deck: &Deck, turns: u32, seed: u64) -> Result<Position, SetupError> {
    let mut position = Position::new(wall, deck)?;
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut stack: Vec<usize> =
        deck.tiles.iter().enumerate().flat_map(|(i, t)| std::iter::repeat_n(i, t.count as usize)).collect();
    stack.shuffle(&mut rng);
    for tile in stack.into_iter().take(turns as usize) {
        let player = position.to_move();
        let placements: Vec<Placement> = position.placements(tile);
        let Some(&placement) = placements.choose(&mut rng) else {
            if position.play(&Move::Discard { player, tile }).is_err() {
                break;
            }
            continue;
        };
        if position.play(&Move::Lay { player, placement }).is_err() {
            break;
        }
        if let Some(&(segment, _)) = position.claims().choose(&mut rng)
            && rng.random_bool(0.6)
        {
            let at = SegmentAt { cell: placement.cell, segment };
            if position.play(&Move::follower(player, at)).is_err() {
                break;
            }
        }
        if position.play(&Move::End { player }).is_err() {
            break;
        }
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studio::{random_deck, random_wall};

    #[test]
    fn a_board_holds_what_the_position_holds() {
        let (wall, deck) = (random_wall(3), random_deck(3));
        let position = random_position(&wall, &deck, 30, 5).unwrap();
        let set = PrintedSet::draw(&wall, &deck, &Style::random(3), 0.05);
        let board = set.board(&position, &[[200, 30, 30], [30, 60, 200]], 1);
        assert!(board.tiles.len() > 20, "only {} tiles", board.tiles.len());
        for (cell, id, rotation) in &board.tiles {
            let (tile, turn) = position.tile_at(*cell).unwrap();
            assert_eq!((deck.tiles[tile].id.as_str(), turn), (id.as_str(), *rotation));
        }
        let followers = board.figures.iter().filter(|f| f.0 == PieceKind::Follower);
        assert_eq!(followers.count(), position.followers().len());
        for (_, _, cell, segment, place, lying) in &board.figures {
            let (tile, rotation) = position.tile_at(*cell).unwrap();
            let face = deck.tiles[tile].face.as_ref().unwrap();
            let upright = turned(*place, rotation.inverse());
            let found = FaceMap::new(face).segment_at(upright.0, upright.1).unwrap();
            let kind = |s: usize| face.segments()[s].kind;
            if *lying {
                assert_eq!(kind(segment.unwrap() as usize), Kind::COURT);
            }
            assert!(found < face.segments().len());
        }
    }
}
