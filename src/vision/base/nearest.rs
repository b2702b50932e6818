//! The two nearest of many local features to others, by products of whole numbers: all
//! with all are compared faster so than pair by pair.

use opencv::core::Mat;
use opencv::prelude::*;
use rayon::prelude::*;

use super::error::VisionError;
use super::product::Product;

/// Descriptors that are compared in one product: as many as stay in a core's nearest memory.
const TOGETHER: usize = 32;

/// Descriptors as whole numbers from -127 to 127, row by row.
pub(crate) struct Descriptors {
    width: usize,
    numbers: Vec<i8>,
}

/// What is nearest to a descriptor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// The nearest one's place.
    pub index: usize,
    /// The squared distances of the nearest and of the next.
    pub squared: (i32, i32),
}

impl Descriptors {
    /// Binary ones: a bit is -1 or 1. The squared distance of two is four times
    /// Hamming's.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when the matrix is not one of bytes.
    pub(crate) fn of_bits(descriptors: &Mat) -> Result<Descriptors, VisionError> {
        let numbers = rows::<u8>(descriptors)?;
        let sign = |byte: u8, bit: u8| if byte >> bit & 1 == 1 { 1 } else { -1 };
        let numbers = numbers.into_iter().flat_map(|byte| (0..8).map(move |bit| sign(byte, bit)));
        Ok(Descriptors { width: 8 * descriptors.cols().max(0) as usize, numbers: numbers.collect() })
    }

    /// SIFT's, whose numbers are 0 to 255: halves of them.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when the matrix is not one of floats.
    pub(crate) fn of_sift(descriptors: &Mat) -> Result<Descriptors, VisionError> {
        let numbers = rows::<f32>(descriptors)?.into_iter().map(|v| (v / 2.0) as i8).collect();
        Ok(Descriptors { width: descriptors.cols().max(0) as usize, numbers })
    }

    fn squares(&self) -> Vec<i32> {
        let square = |v: &i8| i32::from(*v).pow(2);
        self.numbers.chunks_exact(self.width.max(1)).map(|row| row.iter().map(square).sum()).collect()
    }
}

fn rows<T: opencv::core::DataType + Copy>(matrix: &Mat) -> Result<Vec<T>, VisionError> {
    Ok(if matrix.empty() { Vec::new() } else { matrix.data_typed::<T>()?.to_vec() })
}

/// Descriptors among which others look for their nearest.
pub(crate) struct Neighbourhood {
    product: Product,
    squares: Vec<i32>,
    width: usize,
}

impl Neighbourhood {
    pub(crate) fn new(descriptors: &Descriptors) -> Neighbourhood {
        let product = Product::new(&descriptors.numbers, descriptors.width);
        Neighbourhood { product, squares: descriptors.squares(), width: descriptors.width }
    }

    /// The two nearest of each of `others`, in their order; none where there are fewer
    /// than two or the widths differ.
    pub(crate) fn of(&self, others: &Descriptors) -> Vec<Nearest> {
        if self.squares.len() < 2 || others.width != self.width {
            return Vec::new();
        }
        let squares = others.squares();
        others
            .numbers
            .par_chunks(TOGETHER * self.width)
            .zip(squares.par_chunks(TOGETHER))
            .flat_map_iter(|(numbers, squares)| self.of_few(numbers, squares))
            .collect()
    }

    fn of_few(&self, numbers: &[i8], squares: &[i32]) -> Vec<Nearest> {
        let products = self.product.with(numbers);
        let mut found = vec![Nearest { index: 0, squared: (i32::MAX, i32::MAX) }; squares.len()];
        for ((index, products), square) in products.chunks_exact(squares.len()).enumerate().zip(&self.squares)
        {
            for (nearest, product) in found.iter_mut().zip(products) {
                // The other's own square is the same for all and added at the end.
                let far = square - 2 * product;
                if far < nearest.squared.1 {
                    if far < nearest.squared.0 {
                        *nearest = Nearest { index, squared: (far, nearest.squared.0) };
                    } else {
                        nearest.squared.1 = far;
                    }
                }
            }
        }
        for (nearest, square) in found.iter_mut().zip(squares) {
            nearest.squared = (nearest.squared.0 + square, nearest.squared.1 + square);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptors(count: u32, width: usize, seed: u32) -> Descriptors {
        let roll = |i: u32| ((i ^ seed).wrapping_mul(2_654_435_761) >> 24) as i32 - 128;
        let numbers = (0..count * width as u32).map(|i| roll(i).clamp(-127, 127) as i8).collect();
        Descriptors { width, numbers }
    }

    #[test]
    fn the_nearest_are_the_nearest() {
        let (held, others) = (descriptors(300, 32, 5), descriptors(2 * TOGETHER as u32 + 7, 32, 77));
        let found = Neighbourhood::new(&held).of(&others);
        assert_eq!(found.len(), 2 * TOGETHER + 7);
        for (nearest, other) in found.iter().zip(others.numbers.chunks_exact(32)) {
            let far = |row: &[i8]| -> i32 {
                row.iter().zip(other).map(|(a, b)| (i32::from(*a) - i32::from(*b)).pow(2)).sum()
            };
            let mut all: Vec<(i32, usize)> =
                held.numbers.chunks_exact(32).map(far).enumerate().map(|(i, d)| (d, i)).collect();
            all.sort_unstable();
            assert_eq!((nearest.squared, nearest.index), ((all[0].0, all[1].0), all[0].1));
        }
    }

    #[test]
    fn bits_are_as_far_apart_as_hamming_says() {
        let matrix = Mat::from_slice_2d(&[[0b0000_1111_u8, 0], [0b0000_0001, 0xff]]).unwrap();
        let bits = Descriptors::of_bits(&matrix).unwrap();
        let found = Neighbourhood::new(&bits).of(&bits);
        assert_eq!(found[1], Nearest { index: 1, squared: (0, 4 * 11) });
    }

    #[test]
    fn where_there_is_nothing_nothing_is_near() {
        let none = Descriptors::of_bits(&Mat::default()).unwrap();
        let some = descriptors(3, 8, 1);
        assert!(Neighbourhood::new(&none).of(&some).is_empty());
        assert!(Neighbourhood::new(&some).of(&none).is_empty());
    }
}
