//! Whether a deck and a wall can be those of the game.

use std::collections::{HashMap, HashSet};

use crate::{
    Attribute, Cell, Deck, Face, Game, Kind, Port, PortSet, Rotation, Sentence, Side, Wall, WallError,
    sentence,
};

/// Something in a deck or a wall that the rules do not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that says so, such as `CA-03`.
    pub rule: &'static str,
    /// What is wrong and what is needed.
    pub sentence: Sentence,
}

/// Castle tiles in a deck (CA-03).
pub const DECK_TILES: usize = 60;
/// Cells inside the wall (CA-15).
pub const WALL_CELLS: usize = 76;
/// Spaces of the score track (CA-02).
pub const TRACK_SPACES: usize = 100;
/// Corner towers, 0/1 among them (CA-08).
pub const CORNER_TOWERS: usize = 14;
/// Start spaces (CA-16).
pub const START_SPACES: usize = 7;
/// Markets that the tiles of a deck show at least (CA-16).
pub const DECK_MARKETS: u32 = 5;

/// Ten wall pieces separate between these spaces, so no tower stands there.
const JOINTS_2003: [(u8, u8); 4] = [(27, 28), (47, 48), (69, 70), (91, 92)];

fn finding(rule: &'static str, sentence: Sentence) -> Finding {
    Finding { rule, sentence }
}

/// Holds a deck against CA-03, CA-16 and CA-32 to CA-37. No finding: it is a
/// whole castle deck.
pub fn check_deck(deck: &Deck) -> Vec<Finding> {
    let mut found = Vec::new();
    if deck.game != Game::Castle {
        found.push(finding("CA-03", sentence!("the deck is of the classic game; a castle deck is needed")));
        return found;
    }
    if deck.len() != DECK_TILES {
        found.push(finding(
            "CA-03",
            sentence!("the deck has {} tiles; {} are needed", deck.len(), DECK_TILES),
        ));
    }
    let mut seen: HashMap<String, &str> = HashMap::new();
    let mut ids = HashSet::new();
    let mut markets = 0;
    for tile in &deck.tiles {
        let id = tile.id.as_str();
        if !ids.insert(id) {
            found.push(finding(
                "CA-03",
                sentence!("tile {} is listed twice; give each tile an id of its own", id),
            ));
        }
        if tile.count != 1 {
            found.push(finding(
                "CA-03",
                sentence!("tile {} is there {} times; list each tile once", id, tile.count),
            ));
        }
        let Some(face) = &tile.face else {
            found.push(finding("CA-32", sentence!("tile {} has no face; say what is printed on it", id)));
            continue;
        };
        for (rule, sentence) in face_findings(face) {
            found.push(finding(rule, sentence!("tile {}: {}", id, sentence)));
        }
        markets +=
            face.segments().iter().map(|s| u32::from(s.attributes.count(Attribute::MARKET))).sum::<u32>();
        let upright = canonical(face);
        if let Some(other) = seen.get(&upright) {
            found.push(finding(
                "CA-03",
                sentence!("tile {} is tile {} turned; all {} must differ", id, *other, DECK_TILES),
            ));
        } else {
            seen.insert(upright, id);
        }
    }
    if markets < DECK_MARKETS {
        found.push(finding(
            "CA-16",
            sentence!("the tiles show {} markets; at least {} are needed", markets, DECK_MARKETS),
        ));
    }
    found
}

/// A text that is the same for faces that are alike when turned, whatever the
/// order of their segments.
pub fn canonical(face: &Face) -> String {
    let text = |rotation| {
        let mut parts: Vec<String> = face
            .turned(rotation)
            .segments()
            .iter()
            .filter_map(|s| Some(Face::new(vec![*s]).ok()?.to_string()))
            .collect();
        parts.sort();
        parts.join("; ")
    };
    Rotation::ALL.into_iter().map(text).min().unwrap_or_default()
}

/// What a castle tile's face may not show.
fn face_findings(face: &Face) -> Vec<(&'static str, Sentence)> {
    let mut found = Vec::new();
    let mut held = PortSet::EMPTY;
    let squares = face.segments().iter().filter(|s| s.attributes.has(Attribute::SQUARE)).count();
    for segment in face.segments() {
        let kind = segment.kind;
        let word = || Sentence::word(kind.name());
        held = held.union(segment.ports);
        if !matches!(kind, Kind::PATH | Kind::HOUSE | Kind::TOWER | Kind::COURT) {
            found.push(("CA-32", sentence!("a {} is no part of a castle tile", word())));
            continue;
        }
        if segment.ports.is_empty() && kind != Kind::COURT {
            found.push(("CA-32", sentence!("the {} reaches no side; give it ports", word())));
        }
        let attributes = segment.attributes;
        let square = attributes.has(Attribute::SQUARE);
        if attributes.has(Attribute::MARKET) && kind != Kind::COURT {
            found.push(("CA-32", sentence!("a market stands on a {}; markets are on courts", word())));
        }
        if attributes.has(Attribute::FOUNTAIN) && kind != Kind::PATH {
            found.push(("CA-34", sentence!("a fountain stands on a {}; fountains are on paths", word())));
        }
        if square && kind != Kind::PATH {
            found.push((
                "CA-33",
                sentence!("a square lies on a {}; squares are at the ends of paths", word()),
            ));
        }
        if square && segment.ports.len() > 1 {
            found.push(("CA-33", sentence!("a path runs through a square; a square splits it into arms")));
        }
        let ours = [Attribute::MARKET, Attribute::FOUNTAIN, Attribute::SQUARE];
        if let Some((other, _)) = attributes.iter().find(|(attribute, _)| !ours.contains(attribute)) {
            found
                .push(("CA-32", sentence!("a {} is no part of a castle tile", Sentence::word(other.name()))));
        }
    }
    if squares == 1 {
        found.push(("CA-33", sentence!("a square has one arm only; it joins two or more")));
    }
    let free: Vec<Port> = Port::ALL.into_iter().filter(|p| !p.is_middle() && !held.contains(*p)).collect();
    if let Some(port) = free.first() {
        found.push((
            "CA-32",
            sentence!("half-side {} shows nothing; give it to a house, tower or court", port.to_string()),
        ));
    }
    found
}

/// Holds a wall against CA-02, CA-08, CA-15, CA-16 and CA-18. No finding: it is
/// a whole castle wall.
pub fn check_wall(wall: &Wall) -> Vec<Finding> {
    let mut found = Vec::new();
    check_interior(wall, &mut found);
    check_track(wall, &mut found);
    check_starts(wall, &mut found);
    found
}

fn check_interior(wall: &Wall, found: &mut Vec<Finding>) {
    let cells = wall.cells();
    if let Some(c) = wall.outline.iter().flat_map(|l| l.chars()).find(|c| !matches!(c, '#' | '.')) {
        found.push(finding(
            "CA-15",
            sentence!("the outline has a `{}`; write # for a cell and . for none", c.to_string()),
        ));
    }
    if cells.len() != WALL_CELLS {
        found.push(finding(
            "CA-15",
            sentence!("the wall has {} spaces inside; {} are needed", cells.len(), WALL_CELLS),
        ));
    }
    let reached = flood(cells.first().copied(), |c| wall.contains(c));
    if reached.len() != cells.len() {
        found.push(finding(
            "CA-15",
            sentence!("the spaces inside do not hang together; join them by whole sides"),
        ));
    }
    let (cols, rows) = wall.size();
    let around = |c: Cell| {
        (-1..=cols as i8).contains(&c.col) && (-1..=rows as i8).contains(&c.row) && !wall.contains(c)
    };
    let outside = flood(Some(Cell::new(-1, -1)), around);
    if outside.len() + cells.len() != (cols + 2) * (rows + 2) {
        found.push(finding("CA-15", sentence!("the wall has a hole inside; fill it with spaces")));
    }
    let (convex, reflex) = bends(wall);
    if (convex, reflex) != (9, 5) {
        found.push(finding(
            "CA-08",
            sentence!(
                "the wall bends {} times outwards and {} times inwards; 9 and 5 are needed",
                convex,
                reflex
            ),
        ));
    }
}

/// The cells that hang together with the first by sides.
fn flood(first: Option<Cell>, inside: impl Fn(Cell) -> bool) -> HashSet<Cell> {
    let mut reached = HashSet::new();
    let mut next: Vec<Cell> = first.into_iter().collect();
    while let Some(cell) = next.pop() {
        if inside(cell) && reached.insert(cell) {
            next.extend(Side::ALL.map(|s| cell.neighbour(s)));
        }
    }
    reached
}

/// Convex and reflex corners, counted at every grid point; where two cells touch
/// by a corner only, there are two convex ones.
fn bends(wall: &Wall) -> (usize, usize) {
    let (cols, rows) = wall.size();
    let (mut convex, mut reflex) = (0, 0);
    for y in 0..=rows as i8 {
        for x in 0..=cols as i8 {
            let inside = |dx: i8, dy: i8| wall.contains(Cell::new(x + dx, y + dy));
            let corners = [inside(-1, -1), inside(0, -1), inside(0, 0), inside(-1, 0)];
            match corners.iter().filter(|c| **c).count() {
                1 => convex += 1,
                2 if corners[0] == corners[2] => convex += 2,
                3 => reflex += 1,
                _ => {}
            }
        }
    }
    (convex, reflex)
}

fn check_track(wall: &Wall, found: &mut Vec<Finding>) {
    if !(wall.thickness.is_finite() && wall.thickness > 0.0) {
        found.push(finding("CA-02", sentence!("the wall has no thickness; measure it in tile sides")));
    } else if wall.thickness > Wall::MOST_THICKNESS {
        found.push(finding("CA-02", WallError::Thickness(wall.thickness.to_string()).to_string().into()));
    }
    if wall.track.len() != TRACK_SPACES {
        found.push(finding(
            "CA-02",
            sentence!("the score track has {} spaces; {} are needed", wall.track.len(), TRACK_SPACES),
        ));
    }
    let (cols, rows) = wall.size();
    let reach = 2.0 * wall.thickness.clamp(0.5, Wall::MOST_THICKNESS);
    let near = |v: f32, side: usize| v >= -reach && v <= side as f32 + reach;
    for (space, p) in wall.track.iter().enumerate() {
        let inside = wall.contains(Cell::new(p.x.floor() as i8, p.y.floor() as i8));
        if !near(p.x, cols) || !near(p.y, rows) || inside {
            found.push(finding(
                "CA-02",
                sentence!("track space {} does not lie on the wall; measure it again", space),
            ));
        }
    }
    if wall.towers.len() != CORNER_TOWERS {
        found.push(finding(
            "CA-08",
            sentence!("the wall has {} corner towers; {} are needed", wall.towers.len(), CORNER_TOWERS),
        ));
    }
    if wall.towers.first() != Some(&(0, 1)) {
        found.push(finding(
            "CA-07",
            sentence!("the first corner tower is not 0/1; list the tower of the start first"),
        ));
    }
    for pair in wall.towers.windows(2) {
        if let [a, b] = pair
            && b.0 <= a.1
        {
            let [this, before] = [b, a].map(|tower| format!("{}/{}", tower.0, tower.1));
            found.push(finding(
                "CA-09",
                sentence!("tower {} does not follow tower {}; list them in order", this, before),
            ));
        }
    }
    let corners = wall.ring();
    for &(a, b) in &wall.towers {
        let name = || format!("{a}/{b}");
        if u16::from(b) != u16::from(a) + 1 || usize::from(b) >= TRACK_SPACES {
            found.push(finding(
                "CA-09",
                sentence!("tower {} is not a pair of spaces that follow each other", name()),
            ));
            continue;
        }
        let (Some(p), Some(q)) = (wall.track.get(usize::from(a)), wall.track.get(usize::from(b))) else {
            continue;
        };
        let (x, y) = ((p.x + q.x) / 2.0, (p.y + q.y) / 2.0);
        let at_corner = corners
            .iter()
            .any(|c| (x - f32::from(c.x)).abs().max((y - f32::from(c.y)).abs()) <= wall.thickness);
        if !at_corner {
            found
                .push(finding("CA-09", sentence!("tower {} does not stand at a corner of the wall", name())));
        }
    }
}

fn check_starts(wall: &Wall, found: &mut Vec<Finding>) {
    if wall.starts.len() != START_SPACES {
        found.push(finding(
            "CA-18",
            sentence!("the wall has {} start spaces; {} are needed", wall.starts.len(), START_SPACES),
        ));
    }
    let mut places = HashSet::new();
    for start in &wall.starts {
        let side = |side: Side| Sentence::word(&format!("{side:?}").to_lowercase());
        let at = || {
            sentence!(
                "the start space {} of cell {}, {}",
                side(start.side),
                start.cell.col.to_string(),
                start.cell.row.to_string()
            )
        };
        if !places.insert((start.cell, start.side)) {
            found.push(finding("CA-18", sentence!("{} is listed twice", at())));
        }
        if !wall.contains(start.cell) || wall.contains(start.cell.neighbour(start.side)) {
            found.push(finding("CA-18", sentence!("{} is not on the inner edge of the wall", at())));
        }
        let ports = start.face.segments().iter().fold(PortSet::EMPTY, |all, s| all.union(s.ports));
        if ports.iter().any(|p| p.side() != start.side.opposite()) || ports.is_empty() {
            let side = side(start.side.opposite());
            found.push(finding("CA-16", sentence!("{} must show its parts on its {} side only", at(), side)));
        }
    }
    let shows = |kind: Kind| wall.starts.iter().flat_map(|s| s.face.segments()).any(move |s| s.kind == kind);
    for kind in [Kind::PATH, Kind::TOWER, Kind::HOUSE, Kind::COURT] {
        if !shows(kind) {
            found.push(finding(
                "CA-16",
                sentence!("no start space shows a {}; at least one must", Sentence::word(kind.name())),
            ));
        }
    }
    let market = |s: &crate::Segment| s.kind == Kind::COURT && s.attributes.has(Attribute::MARKET);
    if !wall.starts.iter().flat_map(|s| s.face.segments()).any(market) {
        found.push(finding(
            "CA-16",
            sentence!("no start space shows a court with a market; at least one must"),
        ));
    }
}

/// Holds the tower numbers of a wall against what is known of the wall that was
/// published in 2003: 12/13 is the first tower after 0/1, 33 is on a tower, and
/// the pieces separate at 27|28, 47|48, 69|70 and 91|92. Only for walls that
/// claim to be that wall, or to be exchangeable with it.
pub fn check_wall_2003(wall: &Wall) -> Vec<Finding> {
    let mut found = Vec::new();
    if wall.towers.get(1) != Some(&(12, 13)) {
        found.push(finding("CA-16", sentence!("the first tower after 0/1 is not 12/13")));
    }
    if wall.tower_at(33).is_none() {
        found.push(finding("CA-16", sentence!("no tower has space 33")));
    }
    for (a, b) in JOINTS_2003 {
        if wall.towers.contains(&(a, b)) {
            found.push(finding(
                "CA-16",
                sentence!("tower {} stands where two wall pieces are joined", format!("{a}/{b}")),
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, Segment, Tile, TrackPoint};

    /// 60 different faces: all ways to share four courts and houses over the
    /// eight halves, as far as they differ when turned.
    fn deck() -> Deck {
        let mut seen = HashSet::new();
        let mut tiles = Vec::new();
        for pattern in 0..6561_u32 {
            let mut ports = [PortSet::EMPTY; 3];
            let halves = Port::ALL.into_iter().filter(|p| !p.is_middle());
            for (i, port) in halves.enumerate() {
                let group = (pattern / 3_u32.pow(i as u32) % 3) as usize;
                ports[group] = ports[group].with(port);
            }
            let segments =
                [Kind::HOUSE, Kind::TOWER, Kind::COURT].into_iter().zip(ports).filter(|(_, p)| !p.is_empty());
            let segments = segments.map(|(kind, ports)| {
                let markets = u8::from(kind == Kind::COURT && tiles.len() < 6);
                Segment { kind, ports, attributes: Attributes::NONE.with(Attribute::MARKET, markets) }
            });
            let face = Face::new(segments.collect()).unwrap();
            if tiles.len() < DECK_TILES && face.segments().len() == 3 && seen.insert(canonical(&face)) {
                tiles.push(Tile {
                    id: format!("t{}", tiles.len()),
                    face: Some(face),
                    doubts: Vec::new(),
                    count: 1,
                });
            }
        }
        Deck::new("test", Game::Castle, tiles)
    }

    fn wall() -> Wall {
        crate::castle::house_set().0
    }

    fn deck_says(change: impl FnOnce(&mut Deck)) -> Vec<String> {
        let mut deck = deck();
        assert_eq!(check_deck(&deck), []);
        change(&mut deck);
        check_deck(&deck).into_iter().map(|f| f.sentence.to_string()).collect()
    }

    fn wall_says(change: impl FnOnce(&mut Wall)) -> Vec<String> {
        let mut wall = wall();
        assert_eq!(check_wall(&wall), []);
        change(&mut wall);
        check_wall(&wall).into_iter().map(|f| f.sentence.to_string()).collect()
    }

    fn face(text: &str) -> Option<Face> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn the_house_set_is_whole() {
        assert_eq!(check_deck(&crate::castle::house_set().1), []);
        assert_eq!(check_wall(&wall()), []);
        assert_eq!(check_wall_2003(&wall()), []);
    }

    #[test]
    fn each_fault_of_a_deck_is_found() {
        assert_eq!(
            deck_says(|d| d.game = Game::Classic),
            ["the deck is of the classic game; a castle deck is needed"]
        );
        assert_eq!(deck_says(|d| d.tiles.truncate(59)), ["the deck has 59 tiles; 60 are needed"]);
        assert_eq!(
            deck_says(|d| d.tiles[7].count = 2),
            ["the deck has 61 tiles; 60 are needed", "tile t7 is there 2 times; list each tile once"]
        );
        assert_eq!(
            deck_says(|d| d.tiles[8].id = "t7".into()),
            ["tile t7 is listed twice; give each tile an id of its own"]
        );
        assert_eq!(
            deck_says(|d| d.tiles[9].face = d.tiles[8].face.as_ref().map(|f| f.turned(Rotation::new(1)))),
            ["tile t9 is tile t8 turned; all 60 must differ"]
        );
        assert_eq!(deck_says(|d| d.tiles[9].face = None), ["tile t9 has no face; say what is printed on it"]);
        for (text, sentence) in [
            ("city n; court e-s-w", "a city is no part of a castle tile"),
            ("house n +market; court e-s-w", "a market stands on a house; markets are on courts"),
            ("house n +fountain; court e-s-w", "a fountain stands on a house; fountains are on paths"),
            ("court n-e-s-w +square; path n-e", "a square lies on a court; squares are at the ends of paths"),
            (
                "court n-e-s-w; path n-e +square; path s +square",
                "a path runs through a square; a square splits it into arms",
            ),
            ("court n-e-s-w; path n +square", "a square has one arm only; it joins two or more"),
            ("court n-e-s-w +pennant", "a pennant is no part of a castle tile"),
            ("court n-e-s", "half-side wl shows nothing; give it to a house, tower or court"),
            ("court n-e-s-w; house", "the house reaches no side; give it ports"),
        ] {
            let said = deck_says(|d| d.tiles[9].face = face(text));
            assert!(said.contains(&format!("tile t9: {sentence}")), "{text}: {said:?}");
        }
        let none = deck_says(|d| {
            for tile in &mut d.tiles {
                let mut segments = tile.face.as_ref().unwrap().segments().to_vec();
                segments.iter_mut().for_each(|s| s.attributes = Attributes::NONE);
                tile.face = Face::new(segments).ok();
            }
        });
        assert!(none.contains(&"the tiles show 0 markets; at least 5 are needed".to_owned()));
    }

    #[test]
    fn each_fault_of_the_interior_is_found() {
        let outline = |lines: &'static [&'static str]| {
            move |w: &mut Wall| w.outline = lines.iter().map(|l| (*l).to_owned()).collect()
        };
        let said = wall_says(|w| {
            let line = w.outline.iter_mut().find(|l| l.contains('#')).unwrap();
            *line = line.replacen('#', ".", 1);
        });
        assert!(said.contains(&"the wall has 75 spaces inside; 76 are needed".to_owned()));
        let said = wall_says(outline(&["##.##", "##.##"]));
        assert!(
            said.contains(&"the spaces inside do not hang together; join them by whole sides".to_owned())
        );
        let said = wall_says(outline(&["###", "#.#", "###"]));
        assert!(said.contains(&"the wall has a hole inside; fill it with spaces".to_owned()));
        assert!(
            said.contains(
                &"the wall bends 4 times outwards and 4 times inwards; 9 and 5 are needed".to_owned()
            )
        );
        let said = wall_says(outline(&["#o#"]));
        assert!(said.contains(&"the outline has a `o`; write # for a cell and . for none".to_owned()));
        let said = wall_says(outline(&[]));
        assert!(said.contains(&"the wall has 0 spaces inside; 76 are needed".to_owned()));
    }

    #[test]
    fn each_fault_of_the_track_is_found() {
        assert_eq!(wall_says(|w| w.track.truncate(99)), ["the score track has 99 spaces; 100 are needed"]);
        assert_eq!(
            wall_says(|w| w.thickness = 0.0)[0],
            "the wall has no thickness; measure it in tile sides"
        );
        let cell = wall().cells()[0];
        let inside = TrackPoint { x: f32::from(cell.col) + 0.5, y: f32::from(cell.row) + 0.5 };
        assert_eq!(
            wall_says(|w| w.track[5] = inside),
            ["track space 5 does not lie on the wall; measure it again"]
        );
        let far = |p: f32| wall_says(|w| w.track[5] = TrackPoint { x: p, y: 1.0 });
        for p in [1e9, -1e9, 40.0, f32::NAN, f32::INFINITY] {
            assert_eq!(far(p), ["track space 5 does not lie on the wall; measure it again"], "{p}");
        }
        assert!(wall_says(|w| w.thickness = 1e9)[0].starts_with("the wall is 1000000000 tile sides thick"));
        assert_eq!(wall_says(|w| w.towers.truncate(13)), ["the wall has 13 corner towers; 14 are needed"]);
        let (a, b) = wall().towers[3];
        let (c, d) = wall().towers[4];
        assert_eq!(
            wall_says(|w| w.towers.swap(3, 4)),
            [format!("tower {a}/{b} does not follow tower {c}/{d}; list them in order")]
        );
        assert!(
            wall_says(|w| w.towers[0] = (2, 3))
                .contains(&"the first corner tower is not 0/1; list the tower of the start first".to_owned())
        );
        assert!(
            wall_says(|w| w.towers[0] = (2, 4))
                .contains(&"tower 2/4 is not a pair of spaces that follow each other".to_owned())
        );
        assert!(
            wall_says(|w| w.towers[1] = (6, 7))
                .contains(&"tower 6/7 does not stand at a corner of the wall".to_owned())
        );
    }

    #[test]
    fn each_fault_of_the_start_spaces_is_found() {
        assert!(
            wall_says(|w| w.starts.truncate(6))
                .contains(&"the wall has 6 start spaces; 7 are needed".to_owned())
        );
        let said = wall_says(|w| w.starts[1] = w.starts[0].clone());
        assert!(said.iter().any(|s| s.ends_with("is listed twice")), "{said:?}");
        let said = wall_says(|w| w.starts[1].cell = Cell::new(-5, -5));
        assert!(said.iter().any(|s| s.ends_with("is not on the inner edge of the wall")), "{said:?}");
        let said = wall_says(|w| w.starts[1].face = "court n-e-s-w".parse().unwrap());
        assert!(said.iter().any(|s| s.contains("must show its parts on its")), "{said:?}");
        let said = wall_says(|w| {
            for start in &mut w.starts {
                let port = Port::left(start.side.opposite());
                start.face = format!("court {port}").parse().unwrap();
            }
        });
        for sentence in [
            "no start space shows a path; at least one must",
            "no start space shows a tower; at least one must",
            "no start space shows a house; at least one must",
            "no start space shows a court with a market; at least one must",
        ] {
            assert!(said.contains(&sentence.to_owned()), "{said:?}");
        }
    }

    #[test]
    fn each_fault_of_the_published_numbers_is_found() {
        let says = |change: fn(&mut Wall)| -> Vec<String> {
            let mut wall = wall();
            change(&mut wall);
            check_wall_2003(&wall).into_iter().map(|f| f.sentence.to_string()).collect()
        };
        assert!(says(|_| {}).is_empty());
        assert_eq!(says(|w| w.towers[1] = (10, 11)), ["the first tower after 0/1 is not 12/13"]);
        assert_eq!(says(|w| w.towers.retain(|t| t.0 != 33 && t.1 != 33)), ["no tower has space 33"]);
        assert_eq!(
            says(|w| w.towers.push((47, 48))),
            ["tower 47/48 stands where two wall pieces are joined"]
        );
    }
}
