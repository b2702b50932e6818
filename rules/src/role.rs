//! What a follower is on a feature.

use super::kind::Kind;
use super::vocabulary::open_words;

/// What is known of a role.
#[derive(Clone, Copy)]
pub(crate) struct RoleFacts {
    /// Its word on the screen and in records.
    pub name: &'static str,
    /// Whether a follower lies down for it.
    pub lies: bool,
}

open_words! {
    /// What a follower is on a feature (CA-39, BA-12). Each game lists the roles that its
    /// followers have.
    Role, RoleFacts, roles, "the name of a role"
}

impl Role {
    /// The role on a feature of this kind; none where followers may not stand.
    pub const fn on(kind: Kind) -> Option<Role> {
        kind.role()
    }

    /// The word on the screen and in records.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Whether a follower lies down for it (CA-40, BA-12).
    pub const fn lies(self) -> bool {
        self.facts().lies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn followers_have_a_role_on_each_kind_that_they_may_stand_on() {
        let on = |name: &str| Kind::named(name).and_then(Role::on).map_or("nobody", Role::name);
        let kinds = ["path", "house", "tower", "court", "road", "city", "field", "river", "cloister"];
        assert_eq!(
            kinds.map(on),
            ["herald", "squire", "knight", "merchant", "highwayman", "knight", "farmer", "nobody", "monk"]
        );
        let lying: Vec<&str> = Role::ALL.into_iter().filter(|role| role.lies()).map(Role::name).collect();
        assert_eq!(lying, ["merchant", "farmer"]);
    }
}
