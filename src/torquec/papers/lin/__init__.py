"""Lin: minimal linear combinations of inertial parameters, by way of Renaud's formulation."""
