"""The last stages of a stream: subscribers, terminal operations, iteration."""
