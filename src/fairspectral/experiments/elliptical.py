"""Figure "Elliptical": two long clusters, two groups."""

from fairspectral.experiments.plane_figures import plane_spec

SPEC = plane_spec("elliptical", "Figure: fair clustering of Elliptical (k=2, h=2)", 2)
