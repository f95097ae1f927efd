"""What the content review looks for in the text of a page (8xx): text in, places out.

The rules of `rules/content.py` turn what is found here into findings. Lists of patterns are data,
in the TOML files beside this one; each pattern has examples of what it finds and of what it passes
over, and those are tests. No list of patterns stops an author who means to get round it: what is
found is a reason to look, what is not found proves nothing, and the defence is a person who reviews
a field and a pin that keeps it as it was reviewed.
"""
