"""Base parameters: which combinations of the standard parameters determine every torque."""
