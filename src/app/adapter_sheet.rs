//! The final sheet.

use slint::{ComponentHandle, ModelRc, SharedString, VecModel};

use super::ui;
use crate::table::{GameView, SheetView};

/// Shows the final sheet when there is one.
pub fn show(window: &ui::AppWindow, view: &GameView) {
    let adapter = window.global::<ui::SheetAdapter>();
    adapter.set_there(view.sheet.is_some());
    if let Some(sheet) = &view.sheet {
        adapter.set_headline(headline(view, sheet).into());
        adapter.set_rows(ModelRc::new(VecModel::from(rows(sheet))));
        adapter.set_totals(strings(&sheet.totals));
    }
}

/// Who won and by what: `Ada wins 101 to 99`; of more than two players, `Ada wins with 101`.
fn headline(view: &GameView, sheet: &SheetView) -> String {
    let name = |i: &usize| view.players.get(*i).map_or("nobody", |p| p.name.as_str());
    let most = sheet.totals.iter().max().copied().unwrap_or(0);
    if sheet.totals.len() > 2 {
        let names: Vec<&str> = sheet.winners.iter().map(name).collect();
        return match names[..] {
            [winner] => format!("{winner} wins with {most}"),
            _ => format!("{} share the win with {most}", names.join(" and ")),
        };
    }
    let mut totals = sheet.totals.clone();
    totals.sort_unstable_by(|a, b| b.cmp(a));
    let totals = totals.iter().map(u32::to_string).collect::<Vec<_>>().join(" to ");
    match sheet.winners[..] {
        [winner] => format!("{} wins {totals}", name(&winner)),
        _ => format!("A draw, {totals}"),
    }
}

fn rows(sheet: &SheetView) -> Vec<ui::SheetRow> {
    let row = |(category, points): &(String, Vec<u32>)| {
        let most = points.iter().max().copied().unwrap_or(0);
        let best: Vec<bool> = points.iter().map(|p| *p == most && most > 0).collect();
        ui::SheetRow {
            category: category.as_str().into(),
            points: strings(points),
            best: ModelRc::new(VecModel::from(best)),
        }
    };
    sheet.rows.iter().map(row).collect()
}

fn strings(numbers: &[u32]) -> ModelRc<SharedString> {
    let strings: Vec<SharedString> = numbers.iter().map(|n| n.to_string().into()).collect();
    ModelRc::new(VecModel::from(strings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::PlayerView;

    fn view(winners: Vec<usize>, totals: Vec<u32>) -> (GameView, SheetView) {
        let player = |name: &str| PlayerView { name: name.into(), ..PlayerView::default() };
        let view = GameView { players: vec![player("Ada"), player("Ben")], ..GameView::default() };
        (view, SheetView { rows: vec![("path".into(), vec![0, 0])], totals, winners })
    }

    #[test]
    fn the_winner_and_the_greater_total_come_first() {
        let (view, sheet) = view(vec![1], vec![99, 101]);
        assert_eq!(headline(&view, &sheet), "Ben wins 101 to 99");
    }

    #[test]
    fn of_many_players_the_winners_are_named_with_their_points() {
        let (view, sheet) = view(vec![1], vec![7, 19, 12]);
        assert_eq!(headline(&view, &sheet), "Ben wins with 19");
        let sheet = SheetView { winners: vec![0, 1], totals: vec![19, 19, 3], ..sheet };
        assert_eq!(headline(&view, &sheet), "Ada and Ben share the win with 19");
    }

    #[test]
    fn a_draw_names_nobody() {
        let (view, sheet) = view(vec![0, 1], vec![80, 80]);
        assert_eq!(headline(&view, &sheet), "A draw, 80 to 80");
    }
}
