"""Parameter estimators with one interface, their QR factors, cross-validation and statistics of estimates."""
