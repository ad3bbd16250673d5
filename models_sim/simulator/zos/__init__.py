"""Synthetic records of z/OS and RMF: an invented sysplex at work for two hours."""
