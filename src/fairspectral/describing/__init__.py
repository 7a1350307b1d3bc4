"""Clusters in words: what distinguishes each of them, and who is typical of it."""
