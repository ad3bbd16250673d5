"""Calibration: fit the families to the published figures, and report their errors."""
