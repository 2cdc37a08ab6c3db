"""`python -m regard`: the command line."""

from regard.cli.main import main

if __name__ == "__main__":  # spawned processes import this file again
    main()
