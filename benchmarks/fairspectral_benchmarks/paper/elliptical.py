"""Figure "Elliptical": two long clusters, two groups."""

from fairspectral_benchmarks.paper.plane_figures import plane_spec

SPEC = plane_spec("elliptical", 2)
