"""The stages that end a stream: subscribers, terminal operations, iteration."""
