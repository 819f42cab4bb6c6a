"""How far streaming queries are: values, displays and a page."""
