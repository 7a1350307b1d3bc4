"""From the rows of an embedding to labels: `kmeans`, or `fair` with guaranteed proportions."""
