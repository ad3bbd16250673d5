"""Synthetic records of z/OS and RMF: a sysplex that does not exist, at work for two hours."""
