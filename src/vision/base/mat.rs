//! OpenCV's matrices: pictures seen as such without a copy, squares cut from them,
//! and the peak of a response.

use image::RgbImage;
use ndarray::ArrayView2;
use opencv::core::{DataType, Mat, Point, Point2f, Scalar, Size, ToInputArray, Vec3b, Vector, no_array};
use opencv::imgproc;
use opencv::prelude::*;

use super::error::VisionError;

/// The pixels of a picture, not copied.
///
/// # Errors
/// [`VisionError::OpenCv`] for an empty picture.
pub(crate) fn mat_of(picture: &RgbImage) -> Result<opencv::boxed_ref::BoxedRef<'_, Mat>, VisionError> {
    let (width, height) = (picture.width() as i32, picture.height() as i32);
    Ok(Mat::new_rows_cols_with_bytes::<Vec3b>(height, width, picture.as_raw())?)
}

/// The numbers of a matrix of one channel, row by row, not copied.
///
/// # Errors
/// [`VisionError::OpenCv`] for numbers of another type, or rows that do not lie side by side.
pub(crate) fn array_of<T: DataType>(matrix: &Mat) -> Result<ArrayView2<'_, T>, VisionError> {
    let shape = (matrix.rows().max(0) as usize, matrix.cols().max(0) as usize);
    let numbers = matrix.data_typed::<T>()?;
    Ok(ArrayView2::from_shape(shape, numbers)
        .map_err(|e| opencv::Error::new(opencv::core::StsUnmatchedSizes, e.to_string()))?)
}

/// Warps a quadrilateral of a picture (upper left, upper right, lower right,
/// lower left; pixel centres at whole numbers) to a square.
pub(crate) fn warp_quad(
    picture: &impl ToInputArray,
    corners: [(f32, f32); 4],
    side: i32,
    square: &mut Mat,
) -> Result<(), VisionError> {
    let from: Vector<Point2f> = corners.iter().map(|c| Point2f::new(c.0, c.1)).collect();
    let (low, high) = (-0.5, side as f32 - 0.5);
    let to: Vector<Point2f> =
        [(low, low), (high, low), (high, high), (low, high)].iter().map(|c| Point2f::new(c.0, c.1)).collect();
    let m = imgproc::get_perspective_transform(&from, &to, opencv::core::DECOMP_LU)?;
    imgproc::warp_perspective(
        picture,
        square,
        &m,
        Size::new(side, side),
        imgproc::INTER_LINEAR,
        opencv::core::BORDER_REPLICATE,
        Scalar::default(),
    )?;
    Ok(())
}

/// The highest place of a response, to a fraction of a pixel: its value, x, y.
pub(crate) fn peak(response: &Mat) -> Result<(f32, f32, f32), VisionError> {
    let mut value = 0.0;
    let mut at = opencv::core::Point::default();
    opencv::core::min_max_loc(response, None, Some(&mut value), None, Some(&mut at), &no_array())?;
    let read = |x: i32, y: i32| -> Result<f32, VisionError> { Ok(*response.at_2d::<f32>(y, x)?) };
    let fraction = |a: f32, b: f32, c: f32| {
        let bend = a - 2.0 * b + c;
        if bend < -1e-6 { ((a - c) / (2.0 * bend)).clamp(-0.5, 0.5) } else { 0.0 }
    };
    let middle = value as f32;
    let dx = if at.x > 0 && at.x + 1 < response.cols() {
        fraction(read(at.x - 1, at.y)?, middle, read(at.x + 1, at.y)?)
    } else {
        0.0
    };
    let dy = if at.y > 0 && at.y + 1 < response.rows() {
        fraction(read(at.x, at.y - 1)?, middle, read(at.x, at.y + 1)?)
    } else {
        0.0
    };
    Ok((if middle.is_finite() { middle } else { 0.0 }, at.x as f32 + dx, at.y as f32 + dy))
}

/// The nearest pixel to a place. OpenCV reckons with whole numbers, so what lies far
/// outside of any picture is drawn a little nearer.
pub(crate) fn point([x, y]: [f64; 2]) -> Point {
    let whole = |v: f64| v.round().clamp(-1e6, 1e6) as i32;
    Point::new(whole(x), whole(y))
}
