"""`python -m torquec`: the command line."""

from torquec.cli import main

if __name__ == "__main__":
    main()
