"""The parts of the page Published figures: tables, charts, claims and slips."""
