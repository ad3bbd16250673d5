"""Models of the published systems, their calibration, and the simulator that stands on them."""
