"""The simulator: files that the modelled systems would have written, of origin "simulated"."""
