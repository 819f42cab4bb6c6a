"""The progress of streaming queries: values, displays and a page."""
