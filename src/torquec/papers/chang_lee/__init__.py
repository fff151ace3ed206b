"""Chang and Lee: simplified dynamic coefficients of the Stanford arm, by minimax fits."""
