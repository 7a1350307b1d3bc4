"""What a program prints, compared with what a page says that it prints."""

import re

import numpy as np

TIME = re.compile(r"\b\d+\.\d+ s\b|SHA-256 [0-9a-f]+")  # a digest depends on the last digit
# A number is a word of its own: not the 32 of float32, nor the dots of a sentence.
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")


def same_output(expected, actual):
    """The same words in every line, and about the same numbers in all.

    Another machine rounds otherwise, which may swap two clusters or move a few persons; so the
    numbers are compared sorted and loosely, and times and digests not at all.
    """

    def words(text):
        masked = NUMBER.sub("#", TIME.sub("TIME", text))
        return [re.sub(r"[\s─-]+", " ", line).strip() for line in masked.strip().splitlines()]

    def numbers(text):
        return np.sort([float(number) for number in NUMBER.findall(TIME.sub("", text))])

    assert words(actual) == words(expected)
    np.testing.assert_allclose(numbers(actual), numbers(expected), rtol=0.25, atol=0.15)
