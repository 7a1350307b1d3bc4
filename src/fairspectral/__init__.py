"""Spectral clustering in which every group gets its proportional share of every cluster."""

__version__ = "0.1.0"
