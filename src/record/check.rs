//! Holds a record against the rules.

use serde::{Deserialize, Serialize};

use super::event::{Event, EventKind, same};
use super::game::{Game, RecordError};
use super::log::Log;
use crate::rules::{Deck, Wall};

/// Something in a record that people should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordFinding {
    /// The event it is about, by its `seq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// The rule that was broken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Whether the table let it stand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waived: bool,
    /// What is wrong, in a sentence.
    pub sentence: String,
}

fn finding(event: Option<u64>, sentence: impl Into<String>) -> RecordFinding {
    RecordFinding { event, rule: None, waived: false, sentence: sentence.into() }
}

/// Everything in a record that is against the rules, does not follow from its
/// facts, or is torn.
///
/// # Errors
/// [`RecordError`] when the record cannot be played at all with this wall and
/// deck.
pub fn check<'a>(
    log: &Log,
    wall: impl Into<Option<&'a Wall>>,
    deck: &Deck,
) -> Result<Vec<RecordFinding>, RecordError> {
    let mut found: Vec<RecordFinding> = log.torn.iter().map(|t| finding(None, t.to_string())).collect();
    for (event, expected) in log.events.iter().zip(1..) {
        if event.seq != expected {
            let sentence = format!("event {} stands where number {expected} is due", event.seq);
            found.push(finding(Some(event.seq), sentence));
            break;
        }
    }
    let wall = wall.into();
    let game = log.clone().replay(wall, deck)?;
    found.extend(game.lost().iter().map(|sentence| finding(None, sentence.to_string())));
    for (seq, why) in game.conflicts() {
        found.push(finding(Some(*seq), why.to_string()));
    }
    for (seq, illegality) in game.broken() {
        let of_it = |e: &&Event| match e.kind {
            EventKind::Correction { replaces, .. } => replaces == *seq,
            _ => e.seq == *seq,
        };
        let waives = |e: &Event| e.waived.iter().any(|r| r == illegality.rule);
        found.push(RecordFinding {
            event: Some(*seq),
            rule: Some(illegality.rule.to_owned()),
            waived: log.events.iter().filter(of_it).any(waives),
            sentence: illegality.sentence.to_string(),
        });
    }
    if log.lost.is_empty() {
        found.extend(unfounded(log, wall, deck)?);
    }
    Ok(found)
}

/// The first derived event of a record without lost lines that does not follow from
/// the facts before it.
///
/// # Errors
/// As [`check`].
pub fn unfounded<'a>(
    log: &Log,
    wall: impl Into<Option<&'a Wall>>,
    deck: &Deck,
) -> Result<Option<RecordFinding>, RecordError> {
    let mut game = Game::new(log.header.clone(), wall, deck)?;
    let mut due: std::collections::VecDeque<EventKind> = std::collections::VecDeque::new();
    let alike = game.names().all() == &log.header.players[..];
    let of_the_table = |event: &Event| matches!(event.kind, EventKind::Doubt { .. });
    for event in &log.events {
        if event.kind.is_fact() {
            if let Some(kind) = due.pop_front() {
                let sentence = format!("{} is missing before event {}", name(&kind), event.seq);
                return Ok(Some(finding(Some(event.seq), sentence)));
            }
            let Ok(derived) = game.carry_on(event.clone()) else { return Ok(None) };
            due = derived.into_iter().filter(|e| !of_the_table(e)).map(|e| e.kind).collect();
        } else if !of_the_table(event) && !due.pop_front().is_some_and(|kind| same(&kind, &event.kind, alike))
        {
            let sentence =
                format!("event {}, {}, does not follow from the facts", event.seq, name(&event.kind));
            return Ok(Some(finding(Some(event.seq), sentence)));
        }
    }
    Ok(None)
}

/// The type of an event as it stands in the record.
fn name(kind: &EventKind) -> String {
    serde_json::to_value(kind)
        .ok()
        .and_then(|v| v.get("type").and_then(|t| t.as_str().map(str::to_owned)))
        .unwrap_or_default()
}
