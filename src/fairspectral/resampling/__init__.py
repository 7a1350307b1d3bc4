"""Which clusters are real: those that come back on resamples of the people."""
