//! Linear systems, as the normal equations of least squares give them.

/// Solves a linear system by elimination with row exchange.
pub(crate) fn solve<const N: usize>(a: [[f64; N]; N], b: [f64; N]) -> Option<[f64; N]> {
    solve_with_determinant(a, b).map(|(solution, _)| solution)
}

/// As [`solve`], with the logarithm of the determinant's magnitude.
pub(crate) fn solve_with_determinant<const N: usize>(
    mut a: [[f64; N]; N],
    mut b: [f64; N],
) -> Option<([f64; N], f64)> {
    let mut determinant = 0.0;
    for i in 0..N {
        let pivot = (i..N).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs()))?;
        if a[pivot][i].abs() < 1e-12 {
            return None;
        }
        a.swap(i, pivot);
        b.swap(i, pivot);
        let above = a[i];
        determinant += above[i].abs().ln();
        for row in i + 1..N {
            let factor = a[row][i] / above[i];
            for (value, above) in a[row].iter_mut().zip(above).skip(i) {
                *value -= factor * above;
            }
            b[row] -= factor * b[i];
        }
    }
    for i in (0..N).rev() {
        let known: f64 = (i + 1..N).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    b.iter().all(|v| v.is_finite()).then_some((b, determinant))
}
