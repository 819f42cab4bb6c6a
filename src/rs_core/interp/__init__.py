"""How the core calls the interpreter: calls, arguments and their errors, frames, slots of types."""
