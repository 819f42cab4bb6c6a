"""The operators' stages."""
