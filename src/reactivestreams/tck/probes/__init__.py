"""The peers that checks put beside a subject: subscribers, publishers and subscriptions that watch and misbehave."""
