"""The local page of ``fairspectral app`` (extra ``app``): choose, cluster, slide the tolerance.

`server` starts it, `routes` answers, `guard` decides who may ask, `session` holds the one table and
the one run, `job` computes in the background, `result` has what a run found at every tolerance.
"""
