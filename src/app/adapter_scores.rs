//! The list of scores, the newest one in large letters, and the pick-ups.

use slint::{ComponentHandle, SharedString};

use super::adapter_players::colour;
use super::board_picture::Lighting;
use super::models::refreshed;
use super::shown::Shown;
use super::terms::Terms;
use super::ui;
use crate::table::{GameView, ScoreView};

/// Shows the scores of a game. A chosen score stays chosen while it is there.
pub fn show(window: &ui::AppWindow, view: &GameView, selected: Option<usize>) {
    let adapter = window.global::<ui::ScoresAdapter>();
    adapter.set_selected(-1);
    let terms = Terms::of(window);
    adapter.set_scores(refreshed(&adapter.get_scores(), items(view, &terms)));
    let pickups: Vec<SharedString> =
        view.pickups.iter().map(|p| terms.sentence(&p.sentence).into()).collect();
    adapter.set_pickups(refreshed(&adapter.get_pickups(), pickups));
    adapter.set_selected(row(view, selected));
    adapter.set_card(card(view, selected, &terms));
}

/// Shows which score is chosen, in the list and in large letters.
pub fn show_selected(window: &ui::AppWindow, shown: &Shown) {
    let adapter = window.global::<ui::ScoresAdapter>();
    adapter.set_selected(row(&shown.view, shown.selected));
    adapter.set_card(card(&shown.view, shown.selected, &Terms::of(window)));
}

/// The row of a score, given its index in [`GameView::scores`]: the newest is
/// on top; -1 for none.
pub fn row(view: &GameView, selected: Option<usize>) -> i32 {
    selected
        .and_then(|i| view.scores.len().checked_sub(i + 1))
        .and_then(|row| i32::try_from(row).ok())
        .unwrap_or(-1)
}

/// The index in [`GameView::scores`] of a row; the inverse of [`row`].
pub fn index(view: &GameView, row: i32) -> Option<usize> {
    usize::try_from(row).ok().and_then(|row| view.scores.len().checked_sub(row + 1))
}

/// What is lit on the board: where tiles are missing, if that is asked for, or the
/// chosen score, each with the rest dimmed; else the scores of the newest turn for
/// as long as nobody has ended the next.
pub fn lighting(view: &GameView, selected: Option<usize>, missing_lit: bool) -> Lighting {
    if missing_lit && !view.missing.is_empty() {
        return Lighting { cells: view.missing.clone(), dim_others: true, ..Lighting::default() };
    }
    if let Some(score) = selected.and_then(|i| view.scores.get(i)) {
        return Lighting { cells: score.cells.clone(), dim_others: true, ..Lighting::default() };
    }
    Lighting::of_newest(view)
}

/// The chosen score for the whole table, else all that the last turn scored, for whom most was
/// scored first: `+9`, `tower 6, path 3`, and why.
pub fn card(view: &GameView, selected: Option<usize>, terms: &Terms<'_>) -> ui::CardItem {
    let turn = view.scores.last().map_or(0, |s| s.turn);
    let mut scores: Vec<&ScoreView> = match selected.and_then(|i| view.scores.get(i)) {
        Some(one) => vec![one],
        // At the end of the game every score of the final sheet is of the last turn.
        None if view.sheet.is_some() => view.scores.last().into_iter().collect(),
        None => view.scores.iter().filter(|s| s.turn == turn).collect(),
    };
    let mut players: Vec<(usize, u32)> = Vec::new();
    for (player, points) in scores.iter().flat_map(|s| s.players.iter().map(|p| (*p, s.points))) {
        match players.iter_mut().find(|p| p.0 == player) {
            Some(known) => known.1 += points,
            None => players.push((player, points)),
        }
    }
    players.sort_by_key(|p| std::cmp::Reverse(p.1));
    let name = |player: usize| view.players.get(player).map_or("", |p| p.name.as_str());
    let points = match players[..] {
        [] => {
            if scores.is_empty() {
                String::new()
            } else {
                "0".to_owned()
            }
        }
        [(_, points)] => format!("+{points}"),
        _ => {
            let each: Vec<String> =
                players.iter().map(|(p, points)| format!("{} +{points}", name(*p))).collect();
            each.join(", ")
        }
    };
    let one = if let [(player, _)] = players[..] { Some(player) } else { None };
    // Where somebody scored, what nobody scored is in the list.
    if !players.is_empty() {
        scores.retain(|s| !s.players.is_empty());
    }
    let parts: Vec<String> =
        scores.iter().map(|s| format!("{} {}", terms.word(&s.category), s.points)).collect();
    let reasons: Vec<String> = scores.iter().map(|s| terms.reason(view, s)).collect();
    let mut rules: Vec<&str> =
        scores.iter().flat_map(|s| s.rule.split(", ")).filter(|r| !r.is_empty()).collect();
    rules.dedup();
    ui::CardItem {
        player: one.and_then(|p| i32::try_from(p).ok()).unwrap_or(-1),
        colour: one
            .and_then(|p| view.players.get(p))
            .map_or_else(slint::Color::default, |p| colour(p.colour_rgb)),
        points: points.into(),
        parts: if parts.len() > 1 { parts.join(", ") } else { String::new() }.into(),
        reason: reasons.join("; ").into(),
        turn: scores.first().map_or(-1, |s| i32::try_from(s.turn).unwrap_or(i32::MAX)),
        rules: rules.join(" · ").into(),
    }
}

/// The rows, newest on top.
fn items(view: &GameView, terms: &Terms<'_>) -> Vec<ui::ScoreItem> {
    view.scores.iter().rev().map(|score| item(view, score, terms)).collect()
}

/// The row of a score.
pub fn item(view: &GameView, score: &ScoreView, terms: &Terms<'_>) -> ui::ScoreItem {
    // Several who are tied share the row; it has the colour of the first.
    let player = score.players.first().and_then(|i| Some((*i, view.players.get(*i)?)));
    let points = if player.is_some() { format!("+{}", score.points) } else { "0".to_owned() };
    let names: Vec<&str> =
        score.players.iter().filter_map(|i| Some(view.players.get(*i)?.name.as_str())).collect();
    let name = names.join(", ");
    ui::ScoreItem {
        player: player.and_then(|(i, _)| i32::try_from(i).ok()).unwrap_or(-1),
        name: name.as_str().into(),
        colour: player.map_or_else(slint::Color::default, |(_, p)| colour(p.colour_rgb)),
        points: points.into(),
        sentence: terms.reason(view, score).into(),
        rule: score.rule.as_str().into(),
        turn: i32::try_from(score.turn).unwrap_or(i32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Cell;

    fn score(turn: u32, col: i8) -> ScoreView {
        ScoreView {
            turn,
            players: vec![0],
            category: "path".into(),
            points: 3,
            sentence: "3 castle tiles, 3 points".into(),
            rule: "CA-42".into(),
            cells: vec![Cell::new(col, 0)],
            items: Vec::new(),
        }
    }

    fn view() -> GameView {
        GameView { scores: vec![score(1, 1), score(4, 2), score(4, 3)], turn: 5, ..GameView::default() }
    }

    #[test]
    fn rows_are_newest_first_and_go_back_to_the_same_score() {
        let view = view();
        for i in 0..3 {
            assert_eq!(index(&view, row(&view, Some(i))), Some(i));
        }
        assert_eq!(row(&view, Some(2)), 0);
        assert_eq!(row(&view, Some(3)), -1);
        assert_eq!(index(&view, 3), None);
        assert_eq!(index(&view, -1), None);
    }

    #[test]
    fn the_newest_turn_is_lit_until_the_next_is_over() {
        let mut view = view();
        assert_eq!(lighting(&view, None, false).cells, [Cell::new(3, 0), Cell::new(2, 0)]);
        view.turn = 6;
        assert!(lighting(&view, None, false).cells.is_empty());
    }

    #[test]
    fn a_chosen_score_dims_the_rest() {
        assert_eq!(
            lighting(&view(), Some(0), false),
            Lighting { cells: vec![Cell::new(1, 0)], dim_others: true, ..Lighting::default() }
        );
    }

    #[test]
    fn points_for_nobody_have_no_sign() {
        let mut view = view();
        view.scores[2].players.clear();
        let top = &items(&view, &Terms::english())[0];
        assert_eq!((top.player, top.points.as_str()), (-1, "0"));
    }
}
