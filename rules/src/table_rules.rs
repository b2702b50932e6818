//! What a table may decide of a game's rules before it plays. It is said with the edition: its
//! name, then `+switch` for what is on and `-switch` for what is off.

use super::sentence::Sentence;

/// A reading of a rule that a table may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRule {
    /// The switch, as it is named in records.
    pub name: &'static str,
    /// The id of the rule that leaves it open.
    pub rule: &'static str,
    /// Whether it is on.
    pub on: bool,
    /// Whether it is on where the table says nothing.
    pub usual: bool,
    /// What holds, in a sentence without a full stop.
    pub says: Sentence,
    /// What holds with the switch the other way.
    pub otherwise: Sentence,
}

impl TableRule {
    /// A reading that is on or off, here and as is usual; `means` says what holds either way.
    pub(super) fn new(
        name: &'static str,
        rule: &'static str,
        (on, usual): (bool, bool),
        means: impl Fn(bool) -> Sentence,
    ) -> TableRule {
        TableRule { name, rule, on, usual, says: means(on), otherwise: means(!on) }
    }

    /// Whether the table plays otherwise than the edition.
    pub fn is_departure(&self) -> bool {
        self.on != self.usual
    }

    /// The edition as it is said with this rule the other way; `None` where that is the usual
    /// edition and nothing else.
    pub(super) fn turned(&self, edition: Option<&str>, usual: &str) -> Option<String> {
        let mut words = edition.unwrap_or_default().split_whitespace();
        let own = words.next().unwrap_or(usual);
        let others = words.filter(|word| word.strip_prefix(['+', '-']) != Some(self.name)).map(str::to_owned);
        // Where it stood as is usual, the other way has to be said.
        let said =
            (self.on == self.usual).then(|| format!("{}{}", if self.on { '-' } else { '+' }, self.name));
        let text = std::iter::once(own.to_owned()).chain(others).chain(said).collect::<Vec<_>>().join(" ");
        Some(text).filter(|text| text != usual)
    }
}
