//! Products of rows of small whole numbers with many others: what a search by descriptors
//! spends its time on.

/// Rows of other matrices that are multiplied with a held row at a time.
const ABREAST: usize = 4;

/// Rows that are held, to be multiplied with the rows of other matrices.
///
/// Numbers are held as 16 bits: processors multiply and add pairs of those in one
/// instruction.
pub(crate) struct Product {
    rows: Vec<i16>,
    width: usize,
}

impl Product {
    /// Holds rows of `width` numbers.
    pub(crate) fn new(rows: &[i8], width: usize) -> Product {
        Product { rows: wide(rows), width }
    }

    /// The products of each held row with each row of `others`, held row by held row.
    pub(crate) fn with(&self, others: &[i8]) -> Vec<i32> {
        if self.width == 0 {
            return Vec::new();
        }
        let (width, others) = (self.width, wide(others));
        let mut products = Vec::with_capacity(self.rows.len() / width * (others.len() / width));
        for row in self.rows.chunks_exact(width) {
            let abreast = others.chunks_exact(ABREAST * width);
            let last = abreast.remainder();
            for others in abreast {
                let (ab, cd) = others.split_at(2 * width);
                let ((a, b), (c, d)) = (ab.split_at(width), cd.split_at(width));
                products.extend(dots(row, [a, b, c, d]));
            }
            products.extend(last.chunks_exact(width).flat_map(|other| dots(row, [other])));
        }
        products
    }
}

fn wide(numbers: &[i8]) -> Vec<i16> {
    numbers.iter().map(|v| i16::from(*v)).collect()
}

/// The products of a row with others of its length.
///
/// They can't overflow: rows are far shorter than 2^17. `wrapping` and indices are what the
/// compiler makes vector instructions of in builds with checks too.
#[allow(clippy::needless_range_loop, reason = "iterators are not made vector instructions of")]
#[inline(always)]
fn dots<const N: usize>(row: &[i16], others: [&[i16]; N]) -> [i32; N] {
    let others = others.map(|other| &other[..row.len()]);
    let mut sums = [0_i32; N];
    for i in 0..row.len() {
        for k in 0..N {
            sums[k] = sums[k].wrapping_add(i32::from(row[i]).wrapping_mul(i32::from(others[k][i])));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_multiplied_with_each_other() {
        let numbers = |count: u32, seed: u32| -> Vec<i8> {
            (0..count).map(|i| (i * 7919 + seed) as u8 as i8).collect()
        };
        for (width, held, others) in [(37, 5, 11), (1024, 2, 4), (16, 3, 1)] {
            let (ours, theirs) = (numbers(width * held, 3), numbers(width * others, 90));
            let found = Product::new(&ours, width as usize).with(&theirs);
            let wanted: Vec<i32> = ours
                .chunks_exact(width as usize)
                .flat_map(|a| theirs.chunks_exact(width as usize).map(move |b| (a, b)))
                .map(|(a, b)| a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum())
                .collect();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn the_largest_numbers_fit() {
        let most = [i8::MIN; 1024];
        assert_eq!(Product::new(&most, 1024).with(&most), [1024 * 128 * 128]);
    }

    #[test]
    fn nothing_times_nothing_is_nothing() {
        assert!(Product::new(&[], 8).with(&[1; 8]).is_empty());
        assert!(Product::new(&[1; 8], 8).with(&[]).is_empty());
        assert!(Product::new(&[], 0).with(&[]).is_empty());
    }
}
