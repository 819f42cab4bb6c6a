"""What library authors subclass: publisher, subscription, subscriber and processor."""
