"""The command line: `main` is the entry point, and each other module a group of commands."""
