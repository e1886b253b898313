"""The pure core: values in, decisions out. Standard library only; `now` is always passed in."""
