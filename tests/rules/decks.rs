//! Random faces and decks: any arrangement of segments on ports, wilder than a
//! printed deck.

use castellan::rules::{Attribute, Attributes, Deck, Face, Game, Kind, Port, PortSet, Segment, Tile, Wall};
use rand::Rng;
use rand::seq::IndexedRandom;

/// A random face. Paths hold middles; halves are held by houses, towers and
/// courts in random groups, some by nothing.
pub fn random_face(rng: &mut impl Rng) -> Face {
    loop {
        let mut segments: Vec<Segment> = Vec::new();
        for port in Port::ALL {
            let kind = if port.is_middle() {
                (rng.random_range(0..100) < 35).then_some(Kind::PATH)
            } else {
                [Some(Kind::HOUSE), Some(Kind::TOWER), Some(Kind::COURT), Some(Kind::COURT), None]
                    .choose(rng)
                    .copied()
                    .flatten()
            };
            let Some(kind) = kind else { continue };
            let same: Vec<usize> = (0..segments.len()).filter(|i| segments[*i].kind == kind).collect();
            match same.choose(rng).filter(|_| rng.random_range(0..100) < 70) {
                Some(i) => segments[*i].ports = segments[*i].ports.with(port),
                None => segments.push(Segment {
                    kind,
                    ports: PortSet::EMPTY.with(port),
                    attributes: Attributes::default(),
                }),
            }
        }
        if rng.random_range(0..100) < 5 {
            let kind = *[Kind::HOUSE, Kind::COURT, Kind::TOWER].choose(rng).unwrap();
            segments.push(Segment { kind, ports: PortSet::EMPTY, attributes: Attributes::default() });
        }
        for segment in &mut segments {
            let fountain = segment.kind == Kind::PATH && rng.random_range(0..100) < 15;
            segment.attributes = Attributes::NONE.with(Attribute::FOUNTAIN, u8::from(fountain));
            if segment.kind == Kind::COURT {
                let markets = [0, 0, 0, 1, 2][rng.random_range(0..5)];
                segment.attributes = segment.attributes.with(Attribute::MARKET, markets);
            }
        }
        if let Ok(face) = Face::new(segments) {
            return face;
        }
    }
}

/// A deck of so many random tiles.
pub fn random_deck(tiles: usize, rng: &mut impl Rng) -> Deck {
    let tiles = (0..tiles)
        .map(|i| Tile { id: format!("t{i:02}"), face: Some(random_face(rng)), doubts: Vec::new(), count: 1 })
        .collect();
    Deck::new("random", Game::Castle, tiles)
}

/// The wall that is built in.
pub fn house_wall() -> Wall {
    castellan::library::wall("house").unwrap()
}
