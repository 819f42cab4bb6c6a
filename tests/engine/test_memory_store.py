"""The store in memory keeps the contract of stores."""

from pathlib import Path
from typing import Any

from reactivestreams.engine import MemoryStore, Store
from tests.engine.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    def make(self, folder: Path) -> Store:
        return MemoryStore()

    def reopened(self, store: Any) -> Store:
        return store.after_crash()

    def break_lock(self, store: Any) -> Store:
        newer = store.after_crash()
        newer.open()
        return newer
