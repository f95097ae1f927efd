"""What the Markdown of a page says: where its links lead, and which pages it names."""
