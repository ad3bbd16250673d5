"""The examples in the docstrings of app.results.labels."""

import doctest

from app.results import labels


def test_examples_of_labels_hold():
    assert doctest.testmod(labels) == doctest.TestResults(failed=0, attempted=14)
