"""How bytes come from elsewhere: options, bounds, temporary files, and work side by side."""
