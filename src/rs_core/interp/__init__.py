"""The calls of the core into the interpreter: calls, arguments and their errors, frames, slots of types."""
