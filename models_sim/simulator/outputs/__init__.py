"""Outputs of benchmark tools and RMF, as far as campaigns leave them, in the form of the tool."""
