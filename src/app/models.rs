//! Lists on the screen, changed where they differ: what stays keeps its focus, and nothing that
//! is the same is drawn anew.

use slint::{Model, ModelRc, VecModel};

/// A list that is shown, with these rows from now on.
pub(super) fn refreshed<T: Clone + PartialEq + 'static>(
    shown: &ModelRc<T>,
    rows: impl IntoIterator<Item = T>,
) -> ModelRc<T> {
    let rows: Vec<T> = rows.into_iter().collect();
    let Some(list) = shown.as_any().downcast_ref::<VecModel<T>>() else {
        return ModelRc::new(VecModel::from(rows));
    };
    while list.row_count() > rows.len() {
        list.remove(list.row_count() - 1);
    }
    let count = list.row_count();
    for (i, row) in rows.into_iter().enumerate() {
        if i >= count {
            list.push(row);
        } else if list.row_data(i).as_ref() != Some(&row) {
            list.set_row_data(i, row);
        }
    }
    shown.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_changed_in_place() {
        let none: ModelRc<i32> = ModelRc::default();
        let first = refreshed(&none, [1, 2, 3]);
        for rows in [vec![1, 5, 3], vec![1], vec![], vec![4, 4, 4, 4]] {
            let next = refreshed(&first, rows.clone());
            assert!(next == first, "it is the same list");
            assert_eq!(next.iter().collect::<Vec<_>>(), rows);
        }
    }
}
