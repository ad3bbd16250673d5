"""Figures that the documents state and no model explains."""
