"""The simulator: plausible inputs that no system wrote, always of origin "simulated"."""
