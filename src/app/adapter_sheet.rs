//! The final sheet, and the scores that make it up, one by one.

use std::sync::{Arc, Mutex};

use slint::{ComponentHandle, ModelRc, SharedString, VecModel};

use super::models::refreshed;
use super::shown::{Shown, lock};
use super::terms::Terms;
use super::{adapter_board, adapter_scores, ui};
use crate::table::{GameView, ScoreView, SheetView};

/// A row of the sheet says its scores in words where it has no more than these.
const MOST_NOTES: usize = 3;

/// Shows the final sheet when there is one.
pub fn show(window: &ui::AppWindow, shown: &Shown) {
    let (adapter, view) = (window.global::<ui::SheetAdapter>(), &shown.view);
    adapter.set_there(view.sheet.is_some());
    if let Some(sheet) = &view.sheet {
        adapter.set_end(end(view, sheet));
        adapter.set_rows(refreshed(&adapter.get_rows(), rows(view, sheet, &Terms::of(window))));
        adapter.set_totals(strings(&sheet.totals));
        let Curve { lines, marks, top, turns } = Curve::of(view, sheet);
        adapter.set_lines(refreshed(&adapter.get_lines(), lines));
        adapter.set_marks(refreshed(&adapter.get_marks(), marks));
        adapter.set_top(top);
        adapter.set_turns(turns);
    }
    show_item(window, shown);
}

/// Shows which row is gone through, and which of its scores is lit.
pub fn show_item(window: &ui::AppWindow, shown: &Shown) {
    let (adapter, view) = (window.global::<ui::SheetAdapter>(), &shown.view);
    let there = shown.sheet_item.zip(view.sheet.as_ref());
    let Some((((row, item), sheet), items)) = there.and_then(|t| Some((t, t.1.items.get(t.0.0)?))) else {
        adapter.set_row(-1);
        return;
    };
    let terms = Terms::of(window);
    let scores =
        items.iter().filter_map(|at| Some(adapter_scores::item(view, view.scores.get(*at)?, &terms)));
    adapter.set_items(refreshed(&adapter.get_items(), scores));
    let category = sheet.rows.get(row).map_or_else(String::new, |(category, _)| terms.word(category));
    adapter.set_category(category.into());
    let as_int = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    adapter.set_item(as_int(item));
    adapter.set_row(as_int(row));
}

/// Lets the scores of the sheet be gone through.
pub fn connect(window: &ui::AppWindow, shown: &Arc<Mutex<Shown>>) {
    let adapter = window.global::<ui::SheetAdapter>();
    let go = |to: fn(&Shown, &SheetView, i32) -> Option<(usize, usize)>| {
        let (weak, of) = (window.as_weak(), Arc::clone(shown));
        move |said: i32| {
            let Some(window) = weak.upgrade() else { return };
            let mut shown = lock(&of);
            let Some(sheet) = &shown.view.sheet else { return };
            let to = to(&shown, sheet, said);
            let score = to.and_then(|(row, item)| sheet.items.get(row)?.get(item).copied());
            shown.sheet_item = to.filter(|_| score.is_some());
            shown.selected = score;
            adapter_scores::show_selected(&window, &shown);
            show_item(&window, &shown);
            adapter_board::show(&window, &shown);
        }
    };
    adapter.on_open(go(|_, _, row| Some((usize::try_from(row).ok()?, 0))));
    adapter.on_go(go(|shown, _, item| Some((shown.sheet_item?.0, usize::try_from(item).ok()?))));
    adapter.on_step(go(|shown, sheet, by| step(sheet, shown.sheet_item, by)));
}

/// The score so many on, row after row; none before the first, and the last stays.
fn step(sheet: &SheetView, from: Option<(usize, usize)>, by: i32) -> Option<(usize, usize)> {
    let rows = sheet.items.iter().enumerate();
    let all: Vec<(usize, usize)> =
        rows.flat_map(|(row, items)| (0..items.len()).map(move |item| (row, item))).collect();
    let at = match from.and_then(|from| all.iter().position(|there| *there == from)) {
        Some(at) => at as i64 + i64::from(by),
        None if by > 0 => 0,
        None => all.len() as i64 - 1,
    };
    let last = all.len().checked_sub(1)?;
    usize::try_from(at).ok().map(|at| all[at.min(last)])
}

/// The players' totals over the turns, as the sheet draws them.
struct Curve {
    lines: Vec<ui::CurveLine>,
    /// Totals at which a line is drawn across.
    marks: Vec<i32>,
    /// The total at the upper edge.
    top: i32,
    turns: i32,
}

/// So many marks stand beside a curve at most.
const MOST_MARKS: u32 = 4;
/// Steps between two marks, points.
const MARK_STEPS: [u32; 6] = [5, 10, 20, 50, 100, 200];
/// How wide and high a curve is drawn, before it is fitted into the window.
const CURVE: (f32, f32) = (1000.0, 200.0);

impl Curve {
    fn of(view: &GameView, sheet: &SheetView) -> Curve {
        let totals = totals_by_turn(view, sheet);
        let (turns, most) = (totals.len() - 1, sheet.totals.iter().max().copied().unwrap_or(0).max(1));
        let step = MARK_STEPS.into_iter().find(|step| most / step <= MOST_MARKS).unwrap_or(most);
        let at = |turn: usize, total: u32| {
            let (x, y) = (turn as f32 / turns.max(1) as f32, 1.0 - total as f32 / most as f32);
            (x * CURVE.0, y * CURVE.1)
        };
        let line = |(player, end): (usize, &u32)| {
            // Corners of the whole picture, so that every line is fitted alike.
            let mut commands = format!("M 0 0 M {} {} M 0 {}", CURVE.0, CURVE.1, CURVE.1);
            for (turn, totals) in totals.iter().enumerate() {
                let (x, y) = at(turn, totals.get(player).copied().unwrap_or(0));
                commands.push_str(&format!(" L {x:.1} {y:.1}"));
            }
            let player = i32::try_from(player).unwrap_or(i32::MAX);
            ui::CurveLine { player, commands: commands.into(), end: *end as f32 / most as f32 }
        };
        let as_int = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        Curve {
            lines: sheet.totals.iter().enumerate().map(line).collect(),
            marks: (1..=most / step).map(|n| as_int(n * step)).collect(),
            top: as_int(most),
            turns: i32::try_from(turns).unwrap_or(i32::MAX),
        }
    }
}

/// Each player's total before the first turn and after each; after the last, those of the sheet.
fn totals_by_turn(view: &GameView, sheet: &SheetView) -> Vec<Vec<u32>> {
    let last = view.scores.iter().map(|score| score.turn).max().unwrap_or(0).max(1) as usize;
    let mut by_turn = vec![vec![0; sheet.totals.len()]; last + 1];
    for score in &view.scores {
        for total in &mut by_turn[score.turn as usize..] {
            for player in &score.players {
                if let Some(total) = total.get_mut(*player) {
                    *total += score.points;
                }
            }
        }
    }
    by_turn[last].clone_from(&sheet.totals);
    by_turn
}

/// Who won and by what: alone or together, of two players or of more.
fn end(view: &GameView, sheet: &SheetView) -> ui::SheetEnd {
    let name = |i: &usize| view.players.get(*i).map_or("", |p| p.name.as_str());
    let points = |n: Option<&u32>| n.copied().unwrap_or(0).to_string().into();
    let kind = match (sheet.totals.len(), sheet.winners.len()) {
        (..=2, 1) => ui::SheetEndKind::Wins,
        (..=2, _) => ui::SheetEndKind::Draw,
        (_, 1) => ui::SheetEndKind::WinsOfMany,
        _ => ui::SheetEndKind::Shared,
    };
    ui::SheetEnd {
        kind,
        winners: sheet.winners.iter().map(name).collect::<Vec<_>>().join(" & ").into(),
        most: points(sheet.totals.iter().max()),
        least: points(sheet.totals.iter().min()),
    }
}

fn rows(view: &GameView, sheet: &SheetView, terms: &Terms<'_>) -> Vec<ui::SheetRow> {
    let row = |(i, (category, points)): (usize, &(String, Vec<u32>))| {
        let items = sheet.items.get(i).map_or(&[][..], Vec::as_slice);
        let scores: Vec<&ScoreView> = items.iter().filter_map(|at| view.scores.get(*at)).collect();
        let most = points.iter().max().copied().unwrap_or(0);
        let best: Vec<bool> = points.iter().map(|p| *p == most && most > 0).collect();
        ui::SheetRow {
            category: terms.word(category).into(),
            points: strings(points),
            best: ModelRc::new(VecModel::from(best)),
            note: note(view, &scores, terms).into(),
            items: i32::try_from(scores.len()).unwrap_or(i32::MAX),
        }
    };
    sheet.rows.iter().enumerate().map(row).collect()
}

/// Who got it and why, for what lies nowhere on the board.
fn note(view: &GameView, scores: &[&ScoreView], terms: &Terms<'_>) -> String {
    let nowhere = scores.iter().all(|score| score.cells.is_empty()) && scores.len() <= MOST_NOTES;
    if !nowhere {
        return String::new();
    }
    scores.iter().map(|score| terms.reason(view, score)).collect::<Vec<_>>().join("; ")
}

fn strings(numbers: &[u32]) -> ModelRc<SharedString> {
    let strings: Vec<SharedString> = numbers.iter().map(|n| n.to_string().into()).collect();
    ModelRc::new(VecModel::from(strings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Cell;
    use crate::table::PlayerView;

    fn view(winners: Vec<usize>, totals: Vec<u32>) -> (GameView, SheetView) {
        let player = |name: &str| PlayerView { name: name.into(), ..PlayerView::default() };
        let view = GameView { players: vec![player("Ada"), player("Ben")], ..GameView::default() };
        let items = vec![vec![0, 2]];
        (view, SheetView { rows: vec![("path".into(), vec![0, 0])], items, totals, winners })
    }

    #[test]
    fn the_winner_and_the_greater_total_come_first() {
        let (view, sheet) = view(vec![1], vec![99, 101]);
        let end = end(&view, &sheet);
        assert_eq!((end.kind, end.winners.as_str()), (ui::SheetEndKind::Wins, "Ben"));
        assert_eq!((end.most.as_str(), end.least.as_str()), ("101", "99"));
    }

    #[test]
    fn of_many_players_the_winners_are_named_with_their_points() {
        let (view, sheet) = view(vec![1], vec![7, 19, 12]);
        let one = end(&view, &sheet);
        assert_eq!(
            (one.kind, one.winners.as_str(), one.most.as_str()),
            (ui::SheetEndKind::WinsOfMany, "Ben", "19")
        );
        let sheet = SheetView { winners: vec![0, 1], totals: vec![19, 19, 3], ..sheet };
        let two = end(&view, &sheet);
        assert_eq!((two.kind, two.winners.as_str()), (ui::SheetEndKind::Shared, "Ada & Ben"));
    }

    #[test]
    fn a_draw_names_nobody() {
        let (view, sheet) = view(vec![0, 1], vec![80, 80]);
        let end = end(&view, &sheet);
        assert_eq!((end.kind, end.most.as_str(), end.least.as_str()), (ui::SheetEndKind::Draw, "80", "80"));
    }

    #[test]
    fn the_scores_of_all_rows_are_gone_through_and_before_the_first_is_the_sheet() {
        let (_, sheet) = view(vec![1], vec![1, 2]);
        let sheet = SheetView { items: vec![vec![], vec![4, 5], vec![], vec![1]], ..sheet };
        let [first, second, third] = [(1, 0), (1, 1), (3, 0)];
        assert_eq!(step(&sheet, None, 1), Some(first));
        assert_eq!(step(&sheet, Some(first), 1), Some(second));
        assert_eq!(step(&sheet, Some(second), 1), Some(third));
        assert_eq!(step(&sheet, Some(third), 1), Some(third));
        assert_eq!(step(&sheet, Some(first), -1), None);
        assert_eq!(step(&sheet, None, -1), Some(third));
        assert_eq!(step(&SheetView::default(), None, 1), None);
    }

    #[test]
    fn totals_add_up_turn_by_turn_and_end_with_the_sheet() {
        let (mut view, sheet) = view(vec![1], vec![5, 12]);
        let score = |turn, players: &[usize], points| ScoreView {
            turn,
            players: players.to_vec(),
            category: "path".to_owned(),
            points,
            ..ScoreView::default()
        };
        view.scores = vec![score(1, &[0], 3), score(3, &[0, 1], 2), score(3, &[], 7)];
        assert_eq!(totals_by_turn(&view, &sheet), [[0, 0], [3, 0], [3, 0], [5, 12]]);
        let Curve { lines, marks, top, turns } = Curve::of(&view, &sheet);
        assert_eq!((marks, top, turns), (vec![5, 10], 12, 3));
        assert!(lines[1].commands.ends_with("L 666.7 200.0 L 1000.0 0.0"), "{}", lines[1].commands);
        view.scores.clear();
        assert_eq!(totals_by_turn(&view, &sheet), [[0, 0], [5, 12]]);
    }

    #[test]
    fn what_lies_nowhere_is_said_in_its_row() {
        let score = |sentence: &str, cells: &[Cell]| ScoreView {
            turn: 1,
            players: vec![0],
            category: "goods".to_owned(),
            points: 10,
            sentence: sentence.to_owned(),
            cells: cells.to_vec(),
            ..ScoreView::default()
        };
        let (view, english) = (GameView::default(), Terms::english());
        let [wine, grain] = [score("most wine", &[]), score("most grain", &[])];
        assert_eq!(note(&view, &[&wine, &grain], &english), "most wine; most grain");
        assert_eq!(note(&view, &[&score("a field", &[Cell::new(0, 0)])], &english), "");
    }
}
