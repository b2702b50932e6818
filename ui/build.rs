//! Compiles the window.

fn main() {
    // Element ids are kept, so that tests can find elements by them.
    let config = slint_build::CompilerConfiguration::new()
        .with_style("fluent".into())
        .with_debug_info(true)
        .with_default_translation_context(slint_build::DefaultTranslationContext::None)
        .with_bundled_translations("lang");
    if let Err(error) = slint_build::compile_with_config("app-window.slint", config) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
