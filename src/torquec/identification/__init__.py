"""Parameter identification from logs of a real robot: checks, preparation, estimators, statistics, excitation."""
