"""Rows that fail: the policy, the operators that go on behind them, and what becomes of them."""
