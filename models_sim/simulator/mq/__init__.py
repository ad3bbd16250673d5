"""Synthetic records of IBM MQ: queue managers that do not exist, in balanced books."""
