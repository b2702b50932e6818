//! Draws tiles, walls and whole tables, with the truth beside them.
