//! The `castellan` binary.

fn main() -> std::process::ExitCode {
    castellan::cli::main()
}
