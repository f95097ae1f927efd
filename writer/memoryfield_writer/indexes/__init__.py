"""The vector indexes of a field that is edited: no row in them is of a page as it was."""
