//! Carcassonne: The Castle.
