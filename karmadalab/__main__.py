"""`python -m karmadalab`: the same as `karmadalab`."""

from karmadalab.cli import main

if __name__ == "__main__":
    main()
