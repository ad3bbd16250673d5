"""What the LPARs of a campaign did, as the frames behind z/OS records and reports."""
