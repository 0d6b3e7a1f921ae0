"""The Pi extension as package data, its installer, and what the resident child does for it."""
