-- Sizes of storage are in bytes.
SELECT max(private_below_bar_bytes) % 1024 AS rest, max(private_above_bar_bytes) > 0 AS above
FROM marts.fct_address_space_interval
