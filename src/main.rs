//! The `castellan` binary.

#[expect(unsafe_code, reason = "no other thread runs yet that could read the environment")]
fn main() -> std::process::ExitCode {
    // FFmpeg tells hundreds of lines of every stream that breaks; OpenCV asks this
    // once how many to let through (-8: none).
    if std::env::var_os(FFMPEG_LOG).is_none() {
        unsafe { std::env::set_var(FFMPEG_LOG, "-8") };
    }
    castellan::cli::main()
}

const FFMPEG_LOG: &str = "OPENCV_FFMPEG_LOGLEVEL";
