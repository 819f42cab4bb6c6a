# Nothing is visible from Python: other modules cimport what is here.
