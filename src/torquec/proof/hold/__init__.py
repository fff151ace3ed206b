"""Hold error: what torques differ while their coefficients are held between samples."""
