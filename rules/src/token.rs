//! What players take beside the board: cards and tokens.

use super::vocabulary::open_words;

/// What is known of a kind of token.
#[derive(Clone, Copy)]
pub(crate) struct TokenFacts {
    /// Its name in records.
    pub name: &'static str,
    /// The word for it in a sentence.
    pub word: &'static str,
    /// Whether there is one only, which goes from player to player.
    pub single: bool,
}

open_words! {
    /// A kind of token or card that players hold. Each game lists those that it has.
    Token, TokenFacts, tokens, "the name of a kind of token"
}

impl Token {
    /// Its name in records.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The word for it in a sentence.
    pub const fn word(self) -> &'static str {
        self.facts().word
    }

    /// Whether there is one only, which goes from player to player.
    pub const fn is_single(self) -> bool {
        self.facts().single
    }
}
