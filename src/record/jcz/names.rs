//! What tiles and places are called in saved games.

use serde_json::Value;

use crate::rules::{self, Cell, Deck, GamePosition, Kind, Port, PortSet, Rotation, SegmentAt, cell_name};

/// What stands before the names of tiles: in a saved game, in one before version 5, and
/// here.
const PREFIXES: [(&str, &str, &str); 8] = [
    ("BA/", "BA.", ""),
    ("RI.1/", "R1.", "RI-"),
    ("RI/", "RI.", "RI-"),
    ("IC/", "IC.", "IC-"),
    ("TB/", "TB.", "TB-"),
    ("KR/", "KR.", "KR-"),
    ("SI.CA/", "CA.", "CA-"),
    ("CO/", "CO.", "CO"),
];

/// The quarters of the City of Carcassonne, as they are called there and here.
const QUARTERS: [(&str, &str); 4] = [
    ("QUARTER_CASTLE", "castle"),
    ("QUARTER_MARKET", "market"),
    ("QUARTER_BLACKSMITH", "blacksmith"),
    ("QUARTER_CATHEDRAL", "cathedral"),
];

pub(super) fn cell(position: &Value) -> Result<Cell, String> {
    let at = |i: usize| position[i].as_i64().and_then(|v| i8::try_from(v).ok());
    at(0)
        .zip(at(1))
        .map(|(x, y)| Cell::new(x, y))
        .ok_or_else(|| format!("`{position}` is no place of a tile"))
}

/// The name of a tile here, by that in a saved game: `BA/CFc+`, or `BA.CFc+` before
/// version 5.
pub(super) fn tile_name(id: &str) -> Option<String> {
    let (rest, ours) = PREFIXES
        .iter()
        .find_map(|(new, old, ours)| Some((id.strip_prefix(new).or_else(|| id.strip_prefix(old))?, *ours)))?;
    // The spring, which lies from the start, has a name of its own there.
    let rest = if (ours, rest) == ("RI-", "s") { "I.s" } else { rest };
    Some(format!("{ours}{}", rest.replace('+', "-p").replace('!', "-x").replace('.', "-")))
}

/// The name of a tile in a saved game.
pub(super) fn saved_name(id: &str) -> String {
    if id == "RI-I-s" {
        return "RI/s".to_owned();
    }
    let of_set = PREFIXES.iter().filter(|(_, _, ours)| !ours.is_empty());
    let found = of_set.filter_map(|(new, _, ours)| Some((*new, id.strip_prefix(ours)?))).next();
    let (prefix, rest) = found.unwrap_or(("BA/", id));
    let mut parts = rest.split('-');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part {
            "p" => name.push('+'),
            "x" => name.push('!'),
            part => {
                name.push('.');
                name += part;
            }
        }
    }
    format!("{prefix}{name}")
}

/// The segment that a pointer means.
pub(super) fn segment_at(
    pointer: &Value,
    position: &dyn GamePosition,
    deck: &Deck,
) -> Result<SegmentAt, String> {
    let cell = cell(&pointer["position"])?;
    let location = pointer["location"].as_str().unwrap_or_default();
    let (tile, rotation) =
        position.tile_at(cell).ok_or_else(|| format!("no tile lies in {}", cell_name(cell)))?;
    let face = deck.tiles.get(tile).and_then(|t| t.face.as_ref());
    let segments = face.map(|f| f.segments()).unwrap_or_default();
    if let Some((_, quarter)) = QUARTERS.iter().find(|(theirs, _)| *theirs == location) {
        let found = (0u8..).zip(segments).find(|(_, s)| s.kind.name() == *quarter);
        let found = found.map(|(segment, _)| SegmentAt { cell, segment });
        return found.ok_or_else(|| format!("the tile in {} has no {quarter}", cell_name(cell)));
    }
    let wanted = sides(location).ok_or_else(|| format!("`{location}` is no part of a tile"))?;
    let feature = pointer["feature"].as_str();
    let fits = |segment: &u8| {
        let kind = segments[*segment as usize].kind;
        let named = feature.is_none_or(|f| saved_kind(kind) == Some(f));
        named && location_of(segments, *segment, rotation) == Some(wanted)
    };
    let found = (0..segments.len() as u8).find(fits).map(|segment| SegmentAt { cell, segment });
    found.ok_or_else(|| format!("the tile in {} has no part `{location}`", cell_name(cell)))
}

/// What a location says: whole sides as bits from north, half-sides as a set of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    Sides(u8),
    Halves(PortSet),
    Middle,
    /// The second field that reaches no side.
    SecondInner,
}

const LETTERS: &str = "NESW";

pub(super) fn sides(location: &str) -> Option<Location> {
    if ["I", "CLOISTER", "MONASTERY", "INNER_FARM", "INNER_FIELD"].contains(&location) {
        return Some(Location::Middle);
    }
    if ["II", "INNER_FARM_B", "INNER_FIELD_2"].contains(&location) {
        return Some(Location::SecondInner);
    }
    if location.ends_with(['L', 'R']) {
        let halves = location.split('.').map(|half| Port::from_name(&half.to_lowercase()));
        return Some(Location::Halves(halves.collect::<Option<PortSet>>()?));
    }
    let bits = |letters: &str| {
        letters.chars().try_fold(0u8, |bits, c| Some(bits | 1 << LETTERS.find(c)?)).filter(|b| *b > 0)
    };
    match location.strip_prefix('_') {
        Some(but) => Some(Location::Sides(0b1111 & !bits(but)?)),
        None => Some(Location::Sides(bits(location)?)),
    }
}

/// A segment's location on a tile as it lies on the table.
pub(super) fn location_of(segments: &[rules::Segment], segment: u8, rotation: Rotation) -> Option<Location> {
    let own = segments.get(segment as usize)?;
    let ports = own.ports.turned(rotation);
    let inner = |s: &&rules::Segment| s.kind == Kind::FIELD && s.ports == PortSet::EMPTY;
    Some(match own.kind {
        Kind::CLOISTER => Location::Middle,
        Kind::FIELD if ports == PortSet::EMPTY => {
            let first = segments[..segment as usize].iter().filter(inner).count() == 0;
            if first { Location::Middle } else { Location::SecondInner }
        }
        Kind::FIELD => Location::Halves(ports),
        _ => Location::Sides(ports.iter().fold(0, |bits, port| bits | 1 << port.side().index())),
    })
}

pub(super) fn saved_kind(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::ROAD => Some("Road"),
        Kind::CITY => Some("City"),
        Kind::FIELD => Some("Field"),
        Kind::CLOISTER => Some("Monastery"),
        kind if QUARTERS.iter().any(|(_, ours)| *ours == kind.name()) => Some("Quarter"),
        _ => None,
    }
}

/// A location as the other program writes it.
pub(super) fn location_name(location: Location) -> String {
    match location {
        Location::Middle => "I".to_owned(),
        Location::SecondInner => "II".to_owned(),
        Location::Halves(ports) => {
            let names: Vec<String> = ports.iter().map(|port| port.name().to_uppercase()).collect();
            names.join(".")
        }
        Location::Sides(bits) => {
            let missing = 0b1111 & !bits;
            if bits.count_ones() == 3
                && let Some(side) = LETTERS.chars().nth(missing.trailing_zeros() as usize)
            {
                return format!("_{side}");
            }
            // Pairs are written as the other program names them.
            let order = if bits == 0b1111 { "NWSE" } else { "NSWE" };
            order.chars().filter(|c| LETTERS.find(*c).is_some_and(|i| bits >> i & 1 == 1)).collect()
        }
    }
}

/// The location of a quarter, by our name.
pub(super) fn quarter_name(kind: Kind) -> Option<&'static str> {
    QUARTERS.iter().find(|(_, ours)| *ours == kind.name()).map(|(theirs, _)| *theirs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Side;

    #[test]
    fn names_of_tiles_and_places_go_both_ways() {
        let sets = ["river", "inns", "traders", "king", "cathars", "count"];
        let all = rules::classic::deck_with(&sets).unwrap().tiles;
        assert!(all.len() > 80);
        for tile in all {
            assert_eq!(tile_name(&saved_name(&tile.id)).as_deref(), Some(tile.id.as_str()));
        }
        assert_eq!(saved_name("TB-CcRR-x-c"), "TB/CcRR!.c");
        assert_eq!(saved_name("IC-CcRr-p-i"), "IC/CcRr+.i");
        assert_eq!(saved_name("RI-CcII"), "RI.1/CcII");
        assert_eq!(saved_name("CFc-p"), "BA/CFc+");
        assert_eq!(tile_name("BA.CC.2").as_deref(), Some("CC-2"));
        assert_eq!(tile_name("IC.RFr.i").as_deref(), Some("IC-RFr-i"));
        assert_eq!(tile_name("AM/CCCC"), None);
        for bits in 1..16 {
            let location = Location::Sides(bits);
            assert_eq!(sides(&location_name(location)), Some(location), "{bits:04b}");
        }
        let ports: PortSet = [Port::left(Side::North), Port::right(Side::West)].into_iter().collect();
        assert_eq!(location_name(Location::Halves(ports)), "NL.WR");
        assert_eq!(sides("NL.WR"), Some(Location::Halves(ports)));
        assert_eq!(sides("QUARTER_CASTLE"), None);
    }
}
