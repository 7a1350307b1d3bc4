"""Figure "DS-577": three clusters, three groups."""

from fairspectral_benchmarks.paper.plane_figures import plane_spec

SPEC = plane_spec("ds577", 3)
