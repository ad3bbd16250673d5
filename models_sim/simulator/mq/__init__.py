"""Synthetic records of IBM MQ: invented queue managers whose records agree with each other."""
