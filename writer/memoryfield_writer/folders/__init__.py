"""A batch in a folder: staged, recorded, carried out; or none of it."""
