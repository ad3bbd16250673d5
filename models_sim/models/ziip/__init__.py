"""The share of a transfer's cost that zIIPs can take (document 000, section 6)."""
