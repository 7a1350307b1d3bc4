"""People who come after a fit: which cluster they belong to, alone or within the bounds.

`training` compares them with the people of the fit, `placing` finds the most similar cluster,
`batch` places many of them within the bounds, `saving` keeps a model in a file.
"""
