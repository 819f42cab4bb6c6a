"""What a subject is made of: the queue of its signals, the multicaster, the source of each subscription."""
