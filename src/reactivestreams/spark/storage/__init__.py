"""Files that outlive a process: folders of checkpoints, locks, the write-ahead log."""
