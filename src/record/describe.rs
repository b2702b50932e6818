//! Events as sentences for people.

use super::event::EventKind;
use crate::rules::{GamePosition, Kind, Names, cell_name};

/// What happened, in a sentence without a full stop.
pub(super) fn describe(kind: &EventKind, names: &Names, position: &dyn GamePosition) -> String {
    let turns = |n: u8| match n {
        0 => "upright".to_owned(),
        1 => "turned once".to_owned(),
        2 => "turned twice".to_owned(),
        _ => "turned three times".to_owned(),
    };
    match kind {
        EventKind::TilePlaced { player, tile, cell, rotation } => format!(
            "{} lays {tile} in {}, {}",
            names.of(*player),
            cell_name(*cell),
            turns(rotation.quarters())
        ),
        EventKind::FollowerPlaced { player, cell, segment, role, .. } => format!(
            "{} puts a {} on segment {segment} in {}",
            names.of(*player),
            position.role_word(*role),
            cell_name(*cell)
        ),
        EventKind::TileDiscarded { player, tile } => {
            format!("{} puts {tile} out of the game", names.of(*player))
        }
        EventKind::WallTileUsed { player, number, .. } => {
            format!("{} uses wall tile {}", names.of(*player), position.prize_word(*number))
        }
        EventKind::OrderChosen { player, .. } => {
            format!("{} chooses the order of scoring", names.of(*player))
        }
        EventKind::WallTileShown { tower, number } => {
            let number = position.prize_word(*number);
            format!("the wall tile of tower {tower}/{} is a {number}", tower.saturating_add(1))
        }
        EventKind::TurnEnded { player, turn } => format!("turn {turn} of {} ends", names.of(*player)),
        EventKind::Correction { replaces, instead: None } => format!("event {replaces} did not happen"),
        EventKind::Correction { replaces, instead: Some(instead) } => {
            format!("instead of event {replaces}: {}", describe(instead, names, position))
        }
        EventKind::Inserted { before, fact } => {
            format!("before event {before}: {}", describe(fact, names, position))
        }
        EventKind::PlayStopped => "the players end the game here".to_owned(),
        EventKind::Recomputed { changes, .. } if changes.is_empty() => {
            "the correction changes no score".to_owned()
        }
        EventKind::Recomputed { changes, .. } => changes.join("; "),
        EventKind::FeatureScored { score, .. } => score.sentence.clone(),
        EventKind::MarkerMoved { player, from, to, total } => {
            format!("{} moves from {from} to {to}, {total} in all", names.of(*player))
        }
        EventKind::WallTileTaken { player, tower, number } => format!(
            "{} takes {} from tower {tower}/{}",
            names.of(*player),
            number.map_or_else(
                || "the wall tile".to_owned(),
                |n| format!("wall tile {}", position.prize_word(n))
            ),
            tower.saturating_add(1)
        ),
        EventKind::KeepPlaced { player, size, cell } => {
            format!(
                "{}'s {} stands on a {} of {size} in {}",
                names.of(*player),
                position.largest_word(),
                position.kind_word(Kind::House),
                cell_name(*cell)
            )
        }
        EventKind::FollowersReturned { counts } => {
            let list: Vec<String> = counts
                .iter()
                .zip(names.all())
                .filter(|(n, _)| **n > 0)
                .map(|(n, name)| format!("{n} to {name}"))
                .collect();
            format!("followers go home: {}", list.join(", "))
        }
        EventKind::Doubt { sentence, .. } => sentence.clone(),
        EventKind::GameEnded { winners, .. } => match winners.as_slice() {
            [winner] => format!("{} wins", names.of(*winner)),
            all if all.len() == names.all().len() => "the game is a draw".to_owned(),
            all => format!(
                "{} share the win",
                all.iter().map(|p| names.of(*p)).collect::<Vec<_>>().join(" and ")
            ),
        },
    }
}
