"""What the LPARs of a campaign did: the frames that records and reports of z/OS are made from."""
