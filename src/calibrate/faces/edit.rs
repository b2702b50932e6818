//! A face put right by pointing: a half of a side is given another kind, two parts are joined
//! or parted, a market or a fountain is set.

use std::fmt;

use crate::rules::{
    Attribute, Attributes, Face, Game, Kind, Port, PortSet, Segment, Sentence, Side, sentence,
};

/// The most of a counted attribute that a segment is given before it has none again.
const MOST_COUNTED: u8 = 3;

/// Why a face cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// Parts of two kinds.
    Kinds(Kind, Kind),
    /// Nothing holds a port.
    Nothing(Port),
    /// The attribute is not printed on parts of that kind.
    Attribute(Kind, &'static str),
    /// More than one part has no port.
    Within,
    /// The game's tiles do not show that kind there.
    Kind(Kind),
}

impl From<&EditError> for Sentence {
    fn from(error: &EditError) -> Sentence {
        let word = |kind: &Kind| Sentence::word(kind.name());
        match error {
            EditError::Kinds(one, other) => sentence!(
                "a {} and a {} are never one part; give one of them the other's kind first",
                word(one),
                word(other)
            ),
            EditError::Nothing(port) => {
                sentence!("nothing is printed at `{}` yet; say what is", port.to_string())
            }
            EditError::Attribute(kind, attribute) => {
                sentence!("no {} is printed on a {}", Sentence::word(attribute), word(kind))
            }
            EditError::Within => {
                sentence!("several things lie within this tile; write its face into the deck's text")
            }
            EditError::Kind(kind) => sentence!("no {} is printed there", word(kind)),
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sentence::from(self).fmt(f)
    }
}

impl std::error::Error for EditError {}

/// A place of a face that can be pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A port.
    Port(Port),
    /// What lies within the tile and reaches no side, such as a cloister.
    Within,
}

impl Spot {
    /// All thirteen: the ports, clockwise, and what lies within.
    pub fn all() -> impl Iterator<Item = Spot> {
        Port::ALL.into_iter().map(Spot::Port).chain([Spot::Within])
    }

    /// Where it is on an upright tile, 0 to 1 to the right and down; ports a little inside
    /// their edge.
    pub fn place(self) -> (f32, f32) {
        const EDGE: f32 = 0.07;
        let Spot::Port(port) = self else { return (0.5, 0.5) };
        let along = 0.2 + 0.3 * (port.index() % 3) as f32;
        match port.side() {
            Side::North => (along, EDGE),
            Side::East => (1.0 - EDGE, along),
            Side::South => (1.0 - along, 1.0 - EDGE),
            Side::West => (EDGE, 1.0 - along),
        }
    }

    /// The segment of a face that is there.
    pub fn segment(self, face: &Face) -> Option<usize> {
        match self {
            Spot::Port(port) => face.at(port),
            Spot::Within => face.segments().iter().position(|s| s.ports.is_empty()),
        }
    }

    /// Which of some spots is nearest to a place of the tile, 0 to 1 to the right and down.
    pub fn nearest(spots: impl IntoIterator<Item = Spot>, x: f32, y: f32) -> Option<Spot> {
        let far = |spot: &Spot| (spot.place().0 - x).hypot(spot.place().1 - y);
        spots.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))
    }
}

/// The kinds that a game's tiles may show at a spot, the likeliest first. At the middle of a
/// side and within the tile there may be nothing as well.
pub fn kinds(game: Game, spot: Spot) -> &'static [Kind] {
    match (game, spot) {
        (Game::Castle, Spot::Port(port)) if port.is_middle() => &[Kind::PATH],
        (Game::Castle, Spot::Port(_)) => &[Kind::COURT, Kind::HOUSE, Kind::TOWER],
        (Game::Castle, Spot::Within) => &[Kind::COURT],
        (Game::Classic, Spot::Port(port)) if port.is_middle() => &[Kind::ROAD, Kind::RIVER],
        (Game::Classic, Spot::Port(_)) => &[Kind::FIELD, Kind::CITY],
        (Game::Classic, Spot::Within) => &[Kind::CLOISTER],
    }
}

/// What may be printed on a segment of a kind.
pub const fn attributes(kind: Kind) -> &'static [Attribute] {
    match kind {
        Kind::COURT => &[Attribute::MARKET],
        Kind::PATH => &[Attribute::FOUNTAIN, Attribute::SQUARE],
        Kind::CITY => &[
            Attribute::PENNANT,
            Attribute::CATHEDRAL,
            Attribute::CLOTH,
            Attribute::GRAIN,
            Attribute::WINE,
            Attribute::BESIEGED,
        ],
        Kind::ROAD => &[Attribute::INN],
        Kind::RIVER => &[Attribute::SPRING],
        _ => &[],
    }
}

/// The face that stands where nobody has said any: open ground to all sides.
pub fn bare(game: Game) -> Face {
    let kind = kinds(game, Spot::Port(Port::left(Side::North)))[0];
    let ports = Port::ALL.into_iter().filter(|p| !p.is_middle()).collect();
    face(vec![Segment { kind, ports, attributes: Attributes::NONE }])
}

/// Gives a spot another kind; `None` takes a line, or what lies within, away. A half that is set
/// is of one part with what it touches of its kind. In the classic game both halves of a side
/// are set, since no tile there has two kinds on a side.
///
/// # Errors
/// [`EditError::Kind`], or [`EditError::Within`].
pub fn set(game: Game, old: &Face, spot: Spot, kind: Option<Kind>) -> Result<Face, EditError> {
    if let Some(kind) = kind.filter(|kind| !kinds(game, spot).contains(kind)) {
        return Err(EditError::Kind(kind));
    }
    let mut segments = old.segments().to_vec();
    match (spot, kind) {
        (Spot::Within, kind) => {
            if segments.iter().filter(|s| s.ports.is_empty()).count() > 1 {
                return Err(EditError::Within);
            }
            segments.retain(|s| !s.ports.is_empty());
            segments.extend(kind.map(|kind| alone(kind, PortSet::EMPTY)));
        }
        (Spot::Port(port), kind) if port.is_middle() => {
            take_out(&mut segments, port);
            match kind {
                Some(kind) => segments.push(alone(kind, PortSet::EMPTY.with(port))),
                // What the line parted lies side by side now.
                None => join_alike(&mut segments, Port::left(port.side()), Port::right(port.side())),
            }
        }
        (Spot::Port(port), Some(kind)) => {
            let both = PortSet::halves(port.side());
            let ports = if game == Game::Classic { both } else { PortSet::EMPTY.with(port) };
            for port in ports.iter() {
                take_out(&mut segments, port);
                segments.push(alone(kind, PortSet::EMPTY.with(port)));
                join_touching(&mut segments, port);
            }
        }
        (Spot::Port(_), None) => {}
    }
    Ok(face(segments))
}

/// Makes one part of those at two ports.
///
/// # Errors
/// [`EditError::Nothing`], or [`EditError::Kinds`].
pub fn join(old: &Face, a: Port, b: Port) -> Result<Face, EditError> {
    let at = |port| old.at(port).ok_or(EditError::Nothing(port));
    let (i, j) = (at(a)?, at(b)?);
    let mut segments = old.segments().to_vec();
    let (one, other) = (segments[i].kind, segments[j].kind);
    if one != other {
        return Err(EditError::Kinds(one, other));
    }
    merge(&mut segments, i, j);
    Ok(face(segments))
}

/// Parts what is at a port from the rest of its segment, with what it touches along the rim;
/// where all of the segment hangs together along the rim, the port alone. What is printed on
/// the segment stays with the rest.
///
/// # Errors
/// [`EditError::Nothing`].
pub fn part(old: &Face, port: Port) -> Result<Face, EditError> {
    let i = old.at(port).ok_or(EditError::Nothing(port))?;
    let mut segments = old.segments().to_vec();
    let whole = segments[i].ports;
    let mut run = PortSet::EMPTY.with(port);
    loop {
        let more = run.iter().flat_map(|p| touching(&segments, p)).filter(|p| whole.contains(*p));
        let grown = more.fold(run, PortSet::with);
        if grown == run {
            break;
        }
        run = grown;
    }
    if run == whole {
        run = PortSet::EMPTY.with(port);
    }
    if run != whole {
        segments[i].ports = without(whole, run);
        segments.push(alone(segments[i].kind, run));
    }
    Ok(face(segments))
}

/// One more of what may be printed on the segment at a spot, or none after the most. A square
/// parts the paths of its tile into arms; without it they are one again (CA-33).
///
/// # Errors
/// [`EditError::Nothing`], [`EditError::Within`] or [`EditError::Attribute`].
pub fn step(old: &Face, spot: Spot, attribute: Attribute) -> Result<Face, EditError> {
    let i = spot.segment(old).ok_or(match spot {
        Spot::Port(port) => EditError::Nothing(port),
        Spot::Within => EditError::Within,
    })?;
    let mut segments = old.segments().to_vec();
    let kind = segments[i].kind;
    if !attributes(kind).contains(&attribute) {
        return Err(EditError::Attribute(kind, attribute.name()));
    }
    let count = segments[i].attributes.count(attribute);
    let most = if attribute.is_counted() { MOST_COUNTED } else { 1 };
    let next = if count >= most { 0 } else { count + 1 };
    if attribute == Attribute::SQUARE {
        square(&mut segments, next > 0);
    } else {
        segments[i].attributes = segments[i].attributes.with(attribute, next);
    }
    Ok(face(segments))
}

/// Segments of two kinds become those of the other: on some decks all houses are proposed as
/// towers and all towers as houses. What may not be printed on the other kind is gone.
pub fn exchange(old: &Face, a: Kind, b: Kind) -> Face {
    let other = |kind: Kind| {
        if kind == a {
            b
        } else if kind == b {
            a
        } else {
            kind
        }
    };
    let turned = old.segments().iter().map(|segment| {
        let kind = other(segment.kind);
        let gone = attributes(segment.kind).iter().filter(|attribute| !attributes(kind).contains(attribute));
        let attributes = gone.fold(segment.attributes, |all, attribute| all.with(*attribute, 0));
        Segment { kind, attributes, ..*segment }
    });
    face(turned.collect())
}

/// All paths end at a square, or run on as one.
fn square(segments: &mut Vec<Segment>, is: bool) {
    let paths: Vec<Segment> = segments.iter().filter(|s| s.kind == Kind::PATH).copied().collect();
    let printed = paths.iter().fold(Attributes::NONE, |all, s| all.joined(s.attributes));
    let printed = printed.with(Attribute::SQUARE, u8::from(is));
    let ports = paths.iter().fold(PortSet::EMPTY, |all, s| all.union(s.ports));
    segments.retain(|s| s.kind != Kind::PATH);
    let arms: Vec<PortSet> =
        if is { ports.iter().map(|p| PortSet::EMPTY.with(p)).collect() } else { vec![ports] };
    segments.extend(arms.into_iter().map(|ports| Segment { kind: Kind::PATH, ports, attributes: printed }));
}

const fn alone(kind: Kind, ports: PortSet) -> Segment {
    Segment { kind, ports, attributes: Attributes::NONE }
}

const fn without(ports: PortSet, gone: PortSet) -> PortSet {
    PortSet::from_bits(ports.bits() & !gone.bits())
}

/// Takes a port from the segment that holds it; a segment that held no other is gone.
fn take_out(segments: &mut Vec<Segment>, port: Port) {
    if let Some(i) = segments.iter().position(|s| s.ports.contains(port)) {
        segments[i].ports = without(segments[i].ports, PortSet::EMPTY.with(port));
        if segments[i].ports.is_empty() {
            segments.remove(i);
        }
    }
}

/// The halves that a half touches along the rim: round the corner, and beside it where no line
/// leaves between them. Nothing touches a middle.
fn touching(segments: &[Segment], port: Port) -> Vec<Port> {
    if port.is_middle() {
        return Vec::new();
    }
    let by = |steps: usize| Port::new(((port.index() + steps) % Port::ALL.len()) as u8);
    let is_left = port == Port::left(port.side());
    let (corner, beside) = if is_left { (by(11), by(2)) } else { (by(1), by(10)) };
    let middle = Port::middle(port.side());
    let line = segments.iter().any(|s| s.ports.contains(middle));
    if line { vec![corner] } else { vec![corner, beside] }
}

/// What a half touches of its own kind is of its part.
fn join_touching(segments: &mut Vec<Segment>, port: Port) {
    for other in touching(segments, port) {
        join_alike(segments, port, other);
    }
}

/// Makes one part of those at two ports where they are of one kind.
fn join_alike(segments: &mut Vec<Segment>, a: Port, b: Port) {
    let at = |p: Port| segments.iter().position(|s| s.ports.contains(p));
    if let (Some(i), Some(j)) = (at(a), at(b))
        && segments[i].kind == segments[j].kind
    {
        merge(segments, i, j);
    }
}

/// Makes one of two segments. A path that runs through ends at no square.
fn merge(segments: &mut Vec<Segment>, i: usize, j: usize) {
    if i == j {
        return;
    }
    let (keep, gone) = (i.min(j), i.max(j));
    let other = segments.remove(gone);
    let joined = segments[keep].attributes.joined(other.attributes);
    segments[keep].ports = segments[keep].ports.union(other.ports);
    segments[keep].attributes = joined.with(Attribute::SQUARE, 0);
}

/// The segments as a face, in the order that does not depend on how it came about.
fn face(segments: Vec<Segment>) -> Face {
    // Each change keeps a port with one segment, and lines with the middles.
    Face::new(segments).unwrap_or_default().ordered()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Face {
        text.parse().unwrap()
    }

    fn same(face: Face, text: &str) {
        assert_eq!(face.ordered().to_string(), of(text).ordered().to_string());
    }

    fn port(name: &str) -> Port {
        Port::from_name(name).unwrap()
    }

    #[test]
    fn a_half_that_is_set_is_one_with_what_it_touches() {
        let face = of("path n-s; court nl; court nr-el-er-sl; court sr-wl-wr");
        let set =
            |face: &Face, name: &str, kind| set(Game::Castle, face, Spot::Port(port(name)), kind).unwrap();
        let tower = set(&face, "el", Some(Kind::TOWER));
        same(tower.clone(), "path n-s; court nl; court nr-er-sl; tower el; court sr-wl-wr");
        // Round the corner it touches.
        let more = set(&tower, "nr", Some(Kind::TOWER));
        same(more, "path n-s; court nl; court er-sl; tower nr-el; court sr-wl-wr");
        // Without the path what it parted is one.
        let without = set(&face, "n", None);
        same(without, "path s; court nl-nr-e-sl; court sr-wl-wr");
        same(set(&of("court n-e-s-w"), "w", Some(Kind::PATH)), "court n-e-s-wl-wr; path w");
    }

    #[test]
    fn two_kinds_are_exchanged() {
        let face = of("path n +fountain; house nl-wr; tower nr; court e-s-wl +market");
        let turned = exchange(&face, Kind::HOUSE, Kind::TOWER);
        same(turned.clone(), "path n +fountain; tower nl-wr; house nr; court e-s-wl +market");
        assert_eq!(exchange(&turned, Kind::TOWER, Kind::HOUSE), face);
        // A market is on a court alone.
        let turned = exchange(&face, Kind::COURT, Kind::HOUSE);
        same(turned, "path n +fountain; court nl-wr; tower nr; house e-s-wl");
    }

    #[test]
    fn a_side_of_the_classic_game_is_of_one_kind() {
        let city =
            set(Game::Classic, &bare(Game::Classic), Spot::Port(port("nl")), Some(Kind::CITY)).unwrap();
        same(city.clone(), "city n; field e-s-w");
        let more = set(Game::Classic, &city, Spot::Port(port("er")), Some(Kind::CITY)).unwrap();
        same(more, "city n-e; field s-w");
        assert_eq!(
            set(Game::Classic, &city, Spot::Within, Some(Kind::COURT)),
            Err(EditError::Kind(Kind::COURT))
        );
        let cloister = set(Game::Classic, &city, Spot::Within, Some(Kind::CLOISTER)).unwrap();
        same(set(Game::Classic, &cloister, Spot::Within, None).unwrap(), "city n; field e-s-w");
        same(cloister, "cloister; city n; field e-s-w");
    }

    #[test]
    fn parts_are_joined_and_parted() {
        let face = of("tower e; tower w; court n-s");
        let parted = part(&face, port("nl")).unwrap();
        same(parted.clone(), "tower e; tower w; court n; court s");
        same(join(&parted, port("nr"), port("sl")).unwrap(), "tower e; tower w; court n-s");
        let one = join(&parted, port("el"), port("wl")).unwrap();
        same(one.clone(), "tower e-w; court n; court s");
        same(part(&of("court n-e-s-w"), port("nl")).unwrap(), "court nl; court nr-e-s-w");
        assert_eq!(
            join(&one, port("nl"), port("el")).unwrap_err().to_string(),
            "a court and a tower are never one part; give one of them the other's kind first"
        );
        assert_eq!(part(&one, port("n")), Err(EditError::Nothing(port("n"))));
    }

    #[test]
    fn a_square_parts_paths_and_markets_are_counted() {
        let face = of("path n-e-s; court nl-wr-wl-sr; court nr-el; court er-sl");
        let square = step(&face, Spot::Port(port("e")), Attribute::SQUARE).unwrap();
        same(
            square.clone(),
            "path n +square; path e +square; path s +square; court nl-wr-wl-sr; court nr-el; court er-sl",
        );
        assert_eq!(step(&square, Spot::Port(port("n")), Attribute::SQUARE).unwrap(), face.clone().ordered());
        let mut market = face;
        for count in [1, 2, 3, 0] {
            market = step(&market, Spot::Port(port("el")), Attribute::MARKET).unwrap();
            let at = market.at(port("nr")).unwrap();
            assert_eq!(market.segments()[at].attributes.count(Attribute::MARKET), count);
        }
        assert_eq!(
            step(&market, Spot::Port(port("el")), Attribute::PENNANT).unwrap_err().to_string(),
            "no pennant is printed on a court"
        );
    }

    #[test]
    fn the_nearest_spot_is_the_one_that_is_pointed_at() {
        for spot in Spot::all() {
            let (x, y) = spot.place();
            assert_eq!(Spot::nearest(Spot::all(), x + 0.03, y - 0.03), Some(spot));
        }
    }

    proptest! {
        #[test]
        fn whatever_is_changed_a_face_stays_that_can_be_written(
            castle: bool,
            changes in prop::collection::vec((0usize..4, 0usize..13, 0usize..12, 0usize..7), 0..60),
        ) {
            let game = if castle { Game::Castle } else { Game::Classic };
            let mut face = bare(game);
            let halves = |face: &Face| {
                Port::ALL.iter().filter(|p| !p.is_middle() && face.at(**p).is_some()).count()
            };
            for (what, spot, other, which) in changes {
                let spot = Spot::all().nth(spot).unwrap();
                let changed = match (what, spot) {
                    (0, _) => {
                        let kinds = kinds(game, spot);
                        set(game, &face, spot, kinds.get(which % (kinds.len() + 1)).copied())
                    }
                    (1, Spot::Port(port)) => join(&face, port, Port::ALL[other]),
                    (2, Spot::Port(port)) => part(&face, port),
                    _ => {
                        let kind = spot.segment(&face).map(|i| face.segments()[i].kind);
                        let printed = kind.map_or(&[][..], attributes);
                        match printed.get(which % printed.len().max(1)) {
                            Some(attribute) => step(&face, spot, *attribute),
                            None => continue,
                        }
                    }
                };
                if let Ok(changed) = changed {
                    face = changed;
                }
                prop_assert_eq!(halves(&face), 8, "{}", face);
                prop_assert_eq!(face.to_string().parse::<Face>(), Ok(face.clone()));
            }
        }
    }
}
