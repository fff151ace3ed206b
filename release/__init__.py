"""What makes a release, run as modules: `python -m release.lock`, `.sbom`, `.build`, `.installed_wheel`."""
