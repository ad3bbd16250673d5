"""What the queue managers of a campaign did, as SMF 115, 116 and 180 records."""
