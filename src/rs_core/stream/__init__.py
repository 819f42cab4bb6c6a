"""A running subscription: description, stages, the drain, the links between owners of demand, the tree's life cycle."""
