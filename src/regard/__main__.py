"""`python -m regard`: the command line."""

from regard.cli.main import main

if __name__ == "__main__":  # a process that is spawned imports this file again
    main()
