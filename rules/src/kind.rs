//! What a segment is: the kinds that the games' tiles show.

use std::fmt;

use super::role::Role;
use super::vocabulary::open_words;

/// Which ports of a tile segments of a kind hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Middles of sides: it is a line, such as a path or a road.
    Middles,
    /// The same, but an area of the kind with this name ends it, where it runs through the tile
    /// from side to side.
    MiddlesUpTo(&'static str),
    /// Halves of sides, or none where it lies within its tile.
    Halves,
    /// None, ever.
    Nothing,
}

/// What is known of a kind of segment.
#[derive(Clone, Copy)]
pub(crate) struct KindFacts {
    /// Its word in face texts and on the screen.
    pub name: &'static str,
    /// Which ports it holds.
    pub holds: Holds,
    /// The role of a follower on it, by its name; none where followers may not stand.
    pub role: Option<&'static str>,
}

open_words! {
    /// What a segment is. Each game lists the kinds of its tiles.
    Kind, KindFacts, kinds, "the name of a kind of segment"
}

/// The roles on the kinds, in the order of the kinds.
static ROLES: [Option<Role>; FACTS.len()] = {
    let mut roles = [None; FACTS.len()];
    let mut i = 0;
    while i < roles.len() {
        if let Some(name) = FACTS[i].role {
            roles[i] = Some(Role::declared(name));
        }
        i += 1;
    }
    roles
};

/// The kinds that end lines, in the order of the kinds of these.
static ENDS: [Option<Kind>; FACTS.len()] = {
    let mut ends = [None; FACTS.len()];
    let mut i = 0;
    while i < ends.len() {
        if let Holds::MiddlesUpTo(name) = FACTS[i].holds {
            ends[i] = Some(Kind::declared(name));
        }
        i += 1;
    }
    ends
};

impl Kind {
    /// Whether segments of this kind hold middles of sides (such as paths and roads)
    /// and not halves.
    pub const fn is_line(self) -> bool {
        matches!(self.facts().holds, Holds::Middles | Holds::MiddlesUpTo(_))
    }

    /// The kind of area that ends lines of this kind, where it runs through their tile from side
    /// to side.
    pub const fn ended_by(self) -> Option<Kind> {
        ENDS[self.0 as usize]
    }

    /// Whether segments of this kind hold ports: all but what only lies within a tile,
    /// such as a cloister.
    pub const fn holds_ports(self) -> bool {
        !matches!(self.facts().holds, Holds::Nothing)
    }

    /// The role of a follower on it; none where followers may not stand.
    pub const fn role(self) -> Option<Role> {
        ROLES[self.0 as usize]
    }

    /// The word in face texts and on the screen.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_are_those_of_the_games_in_their_order() {
        let names = Kind::ALL.map(Kind::name);
        let all = "path house tower court road city field river cloister carcassonne castle market blacksmith cathedral";
        assert_eq!(names.join(" "), all);
        assert!(Kind::ALL.is_sorted());
        let lines: Vec<&str> = Kind::ALL.into_iter().filter(|k| k.is_line()).map(Kind::name).collect();
        assert_eq!(lines, ["path", "road", "river"]);
        let none: Vec<&str> = Kind::ALL.into_iter().filter(|k| !k.holds_ports()).map(Kind::name).collect();
        assert_eq!(none, ["cloister", "castle", "market", "blacksmith", "cathedral"]);
    }

    #[test]
    fn a_kind_is_written_as_its_name() {
        for kind in Kind::ALL {
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(text, format!("\"{kind}\""));
            assert_eq!(serde_json::from_str::<Kind>(&text).unwrap(), kind);
        }
        let error = serde_json::from_str::<Kind>("\"wall\"").unwrap_err().to_string();
        assert!(
            error.starts_with("unknown variant `wall`, expected one of `path`, `house`, `tower`"),
            "{error}"
        );
    }
}
