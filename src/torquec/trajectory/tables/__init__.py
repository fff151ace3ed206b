"""Log readers, one module per format: named columns in blocks of rows."""
