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
use crate::rules::castle::{Move, Placement, Position, SetupError};
use crate::rules::{
    Cell, Deck, FaceMap, FigureKind, GamePosition, Kind, NamedPlace, Player, Role, Rotation, SegmentAt, Wall,
};

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

    /// Where a player's figure stands on a segment of a tile that lies, in its cell as seen, and as
    /// what; `seed` moves it a little.
    pub fn spot(
        &self,
        position: &dyn GamePosition,
        at: SegmentAt,
        player: Player,
        seed: u64,
    ) -> Option<((f32, f32), Role)> {
        let SegmentAt { cell, segment } = at;
        let (tile, rotation) = position.tile_at(cell)?;
        let face = self.deck.tiles.get(tile)?.face.as_ref()?;
        let stir = seed ^ (cell.col as u64) << 8 ^ (cell.row as u64) << 16 ^ u64::from(player.0) << 24;
        let mut rng = Pcg64Mcg::seed_from_u64(stir);
        let (x, y) = turned(FaceMap::new(face).anchor(segment as usize), rotation);
        let stay = |v: f32, r: f32| (v + r).clamp(0.12, 0.88);
        let role = Role::on(face.segments().get(segment as usize)?.kind)?;
        let place = (stay(x, rng.random_range(-0.04..0.04)), stay(y, rng.random_range(-0.04..0.04)));
        Some((place, role))
    }

    /// The board as it is in a position: tiles, figures, markers and the wall
    /// tiles that nobody has taken. Followers stand where their segment is
    /// widest, lie on courts, or stand beside one another in a place with a name, where the
    /// figure that is nobody's is, too; `seed` moves them a little. `colours` are the players',
    /// then that of the figure that is nobody's.
    pub fn board(&self, position: &dyn GamePosition, colours: &[[u8; 3]], seed: u64) -> Board {
        let players = Player::first(position.players());
        let mut tiles = Vec::new();
        let mut figures = Vec::new();
        for cell in position.cells() {
            let Some((tile, rotation)) = position.tile_at(cell) else { continue };
            let Some(tile) = self.deck.tiles.get(tile) else { continue };
            tiles.push((cell, tile.id.clone(), rotation));
        }
        let places = position.named_places();
        let mut in_places: Vec<(SegmentAt, Player, FigureKind)> = Vec::new();
        for follower in position.followers() {
            let at = SegmentAt { cell: follower.cell, segment: follower.segment };
            if let Some(place) = places.iter().find(|place| place.at == at) {
                let (player, kind) = (follower.player, follower.figure);
                let before = in_places.iter().filter(|there| **there == (at, player, kind)).count();
                in_places.push((at, player, kind));
                let (cell, place) = beside(place, (player, position.players()), kind, before);
                figures.push((PieceKind::of(kind), player.0, cell, None, place, false));
            } else if let Some((place, role)) = self.spot(position, at, follower.player, seed) {
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
            let face =
                position.tile_at(keep.cell).and_then(|(tile, _)| self.deck.tiles.get(tile)?.face.as_ref());
            let segment = face.and_then(|face| face.segments().iter().position(|s| s.kind == Kind::HOUSE));
            if let Some(segment) = segment
                && let at = (SegmentAt { cell: keep.cell, segment: segment as u8 })
                && let Some((place, _)) = self.spot(position, at, player, seed)
            {
                figures.push((PieceKind::Keep, player.0, keep.cell, Some(segment as u8), place, false));
            }
        }
        let neutral = position.neutral().and_then(|(_, at)| places.iter().find(|place| place.at == at));
        if let Some(place) = neutral {
            let (cell, place) = apart(place, &places);
            figures.push((PieceKind::Neutral, position.players() as u8, cell, None, place, false));
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

/// Where a player's figure, of so many players, stands in a place with a name, beside so many others of
/// that player and kind: the tile under it, and where on that. It stays there whoever comes and goes.
fn beside(
    place: &NamedPlace,
    (player, players): (Player, usize),
    kind: FigureKind,
    others: usize,
) -> (Cell, (f32, f32)) {
    const COLUMNS: usize = 4;
    const SPOTS: usize = 2 * COLUMNS;
    /// So many spots are a player's own, as far as there are enough.
    const OWN: usize = 2;
    let common = SPOTS.saturating_sub(OWN * players);
    let others = if kind.is_follower() { others } else { others + OWN };
    let spot = match others.checked_sub(OWN) {
        // Two of one player are seldom on common spots.
        Some(more) if common > 0 => OWN * players + (player.index() + more) % common,
        _ => (OWN * player.index() + others) % SPOTS,
    };
    let (column, row) = (spot % COLUMNS, spot / COLUMNS);
    on_tile(place.x - 0.6 + 0.4 * column as f32, place.y - 0.2 + 0.4 * row as f32)
}

/// Where the figure that is nobody's stands in a place with a name: apart from who is in it, and from
/// the other places.
fn apart(place: &NamedPlace, places: &[NamedPlace]) -> (Cell, (f32, f32)) {
    let middle = places.iter().map(|place| place.y).sum::<f32>() / places.len().max(1) as f32;
    on_tile(place.x, place.y + if place.y < middle { -0.6 } else { 0.6 })
}

/// The tile under a place of the board, and where on it.
fn on_tile(x: f32, y: f32) -> (Cell, (f32, f32)) {
    (Cell::new(x.floor() as i8, y.floor() as i8), (x - x.floor(), y - y.floor()))
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

    #[test]
    fn figures_in_a_quarter_do_not_stand_in_one_another() {
        let place = NamedPlace {
            name: "market",
            at: SegmentAt { cell: Cell::new(0, 0), segment: 2 },
            x: 1.2,
            y: 0.5,
        };
        for players in 2..=3 {
            // Everybody has two there, one of them a third.
            for third in Player::first(players) {
                let two = Player::first(players).flat_map(|player| [(player, 0), (player, 1)]);
                let spots: Vec<(f32, f32)> = two
                    .chain([(third, 2)])
                    .map(|(player, others)| {
                        let (cell, at) = beside(&place, (player, players), FigureKind::FOLLOWER, others);
                        (f32::from(cell.col) + at.0, f32::from(cell.row) + at.1)
                    })
                    .collect();
                for (i, a) in spots.iter().enumerate() {
                    let near = |b: &&(f32, f32)| (a.0 - b.0).hypot(a.1 - b.1) < 0.39;
                    assert_eq!(spots.iter().filter(near).count(), 1, "{i} of {spots:?}");
                }
            }
        }
    }
}
