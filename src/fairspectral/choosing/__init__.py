"""How many clusters: the criteria over several numbers of them, and a suggestion."""
