"""The command line: `main.main` is the entry point; most other modules are a group of commands."""
