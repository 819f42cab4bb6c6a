"""The base classes for library authors: publisher, subscription, subscriber and processor."""
