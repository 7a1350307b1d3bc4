"""Figure "DS-577": three clusters, three groups."""

from fairspectral.experiments.plane_figures import plane_spec

SPEC = plane_spec("ds577", "Figure: fair clustering of DS-577 (k=3, h=3)", 3)
