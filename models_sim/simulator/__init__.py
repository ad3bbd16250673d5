"""The simulator writes the files that the modelled systems would have left, as "simulated"."""
