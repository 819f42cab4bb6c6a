"""The wording of the rules: id, obligation words, bound party, text, intent; read through `spec.rules`."""

__all__ = ["RULE_TEXTS"]

RULE_TEXTS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "1.1",
        "MUST",
        "publisher",
        "At no moment has a subscriber been sent more elements than it has requested in total.",
        (
            "A subscriber is never flooded. Demand exists once a request has arrived, so every delivery follows the "
            "request that pays for it."
        ),
    ),
    (
        "1.2",
        "MAY",
        "publisher",
        "A publisher can stop short of the demand and end the stream with on_complete or on_error.",
        "Demand permits, it does not promise: a source may be short, empty or broken.",
    ),
    (
        "1.3",
        "MUST",
        "publisher",
        (
            "The signals to one subscriber come one at a time: each has returned, and all its effects are visible, "
            "before the next begins."
        ),
        "Threads may take turns in sending, and a subscriber still needs no lock against its publisher.",
    ),
    (
        "1.4",
        "MUST",
        "publisher",
        "A publisher that fails tells its subscribers by on_error.",
        "No failure is silent, so that a subscriber can release what it holds.",
    ),
    (
        "1.5",
        "MUST",
        "publisher",
        "A publisher that has sent everything and ends well tells its subscribers by on_complete.",
        "A subscriber can act on the end without polling for it.",
    ),
    (
        "1.6",
        "MUST",
        "publisher",
        "With on_error or on_complete the subscription is over, exactly as if it had been cancelled.",
        "Completed, failed and cancelled are one state to whoever calls the subscription later.",
    ),
    (
        "1.7",
        "REQUIRED",
        "publisher",
        "Nothing whatsoever is signalled to a subscriber after its on_error or on_complete.",
        "A terminal signal can be relied on as the last.",
    ),
    (
        "1.8",
        "MUST",
        "publisher",
        "Signals to a subscriber whose subscription was cancelled die away after a while.",
        "Cancelling takes effect, though not at once: what is on its way may still arrive.",
    ),
    (
        "1.9",
        "MUST",
        "publisher",
        (
            "subscribe signals on_subscribe before anything else and raises nothing, save TypeError for None. A "
            "subscriber that cannot be served learns it from on_error, once it has had on_subscribe."
        ),
        (
            "A subscriber can prepare itself in on_subscribe, knowing that it comes first, and needs one path for "
            "failures alone."
        ),
    ),
    (
        "1.10",
        "MAY / MUST",
        "caller",
        "subscribe can be called again and again, but never twice with the same subscriber.",
        (
            "Each call begins a subscription of its own; generic code relies on neither side accepting a second "
            "attachment."
        ),
    ),
    (
        "1.11",
        "MAY",
        "publisher",
        "A publisher can serve several subscribers, and is free to give all the same elements or each its own.",
        "How elements are distributed is the publisher's business.",
    ),
    (
        "2.1",
        "MUST",
        "subscriber",
        "A subscriber that wants elements calls request; without it none come.",
        (
            "The receiver decides how much and when. It does best to ask for as much as it can take, as the last act "
            "of a handler: asking for one at a time stops and waits for each."
        ),
    ),
    (
        "2.2",
        "RECOMMENDED",
        "subscriber",
        "A subscriber whose work could slow its publisher down hands the signals to another thread or task.",
        "A slow receiver does not take processor time away from its source.",
    ),
    (
        "2.3",
        "MUST NOT",
        "subscriber",
        "While it handles on_complete or on_error, a subscriber calls neither the subscription nor the publisher.",
        "Ending cannot run in circles or race with itself.",
    ),
    (
        "2.4",
        "MUST",
        "subscriber",
        "From on_complete or on_error on, a subscriber regards its subscription as cancelled.",
        "Both sides agree that nothing more happens.",
    ),
    (
        "2.5",
        "MUST",
        "subscriber",
        "A subscriber that has a live subscription answers another on_subscribe by cancelling the newcomer.",
        "Two publishers never feed one subscriber, and the surplus subscription does not leak.",
    ),
    (
        "2.6",
        "MUST",
        "subscriber",
        "A subscriber that wants nothing more cancels its subscription.",
        "The publisher can free what it holds; it cannot see that a subscriber has lost interest.",
    ),
    (
        "2.7",
        "MUST",
        "subscriber",
        "A subscriber never has two calls to request or cancel running at the same time.",
        "Several threads may ask, provided that they take turns.",
    ),
    (
        "2.8",
        "MUST",
        "subscriber",
        "A subscriber copes with elements that arrive after it called cancel, up to what it had requested.",
        "There is a delay until a publisher notices; cancel does not have to clean up on the spot.",
    ),
    (
        "2.9",
        "MUST",
        "subscriber",
        "A subscriber copes with on_complete whether or not it ever requested anything.",
        "The end is not subject to demand.",
    ),
    (
        "2.10",
        "MUST",
        "subscriber",
        "A subscriber copes with on_error whether or not it ever requested anything.",
        "A failure is not subject to demand.",
    ),
    (
        "2.11",
        "MUST",
        "subscriber",
        (
            "A subscriber that processes signals elsewhere hands them over safely: the call that delivers a signal "
            "happens before its processing."
        ),
        "Publishing a signal to its own threads or tasks is a subscriber's duty, not its publisher's.",
    ),
    (
        "2.12",
        "MUST",
        "publisher",
        "One subscriber, compared with ==, gets on_subscribe no more than once.",
        "A subscriber may be built for a single use.",
    ),
    (
        "2.13",
        "MUST",
        "subscriber",
        (
            "The four signal methods raise nothing, save TypeError for None. A subscriber in trouble cancels; if it "
            "raises anyway, its subscriptions count as cancelled and whoever called makes the error known."
        ),
        "A publisher knows what to do with a faulty subscriber: stop, and tell someone other than that subscriber.",
    ),
    (
        "3.1",
        "MUST",
        "subscriber",
        "Only its own subscriber, and code acting for it, calls request and cancel on a subscription.",
        "A subscription belongs to one publisher and one subscriber, and to nobody else.",
    ),
    (
        "3.2",
        "MUST",
        "subscription",
        "request works when it is called from inside on_subscribe or on_next, in the same thread.",
        "A publisher may send on the thread that requests, so request must be safe to re-enter.",
    ),
    (
        "3.3",
        "MUST",
        "subscription",
        "request bounds how deeply on_next and request can nest in one another.",
        "Without a bound the stack overflows. A depth of one is recommended.",
    ),
    (
        "3.4",
        "SHOULD",
        "subscription",
        "request gives control back quickly.",
        "It does no heavy work at the expense of its caller.",
    ),
    (
        "3.5",
        "MUST",
        "subscription",
        (
            "cancel gives control back quickly, may be repeated without effect, and may be called by any thread at any "
            "time."
        ),
        "Cancelling is always harmless, even when several parties do it at once.",
    ),
    (
        "3.6",
        "MUST",
        "subscription",
        "On a cancelled subscription request has no effect.",
        "Nothing comes to life again, and a late request with a bad count is no error either.",
    ),
    (
        "3.7",
        "MUST",
        "subscription",
        "On a cancelled subscription cancel has no effect.",
        "Cancelling twice is the same as once.",
    ),
    (
        "3.8",
        "MUST",
        "subscription",
        "As long as it is not cancelled, request(n) adds n to what may be sent to its subscriber.",
        "Requests accumulate; a new one does not replace those before.",
    ),
    (
        "3.9",
        "MUST / SHOULD",
        "subscription",
        (
            "As long as it is not cancelled, request(n) with n of zero or less leads to on_error with a ValueError, "
            "whose message explains that such requests are illegal."
        ),
        "Such a count is almost always a mistake in the subscriber's arithmetic, which has to come to light.",
    ),
    (
        "3.10",
        "MAY",
        "subscription",
        "As long as it is not cancelled, request can call on_next, of this or another subscriber, before it returns.",
        "Publishers that work in the thread of the caller are legal.",
    ),
    (
        "3.11",
        "MAY",
        "subscription",
        (
            "As long as it is not cancelled, request can call on_complete or on_error, of this or another subscriber, "
            "before it returns."
        ),
        "Publishers that work in the thread of the caller may end there too.",
    ),
    (
        "3.12",
        "MUST",
        "subscription",
        (
            "As long as it is not cancelled, cancel makes the publisher stop its signals to the subscriber sooner or "
            "later; not necessarily at once."
        ),
        "The wish to stop is honoured in the end.",
    ),
    (
        "3.13",
        "MUST",
        "subscription",
        (
            "As long as it is not cancelled, cancel makes the publisher give up, sooner or later, each reference that "
            "it has to the subscriber."
        ),
        (
            "Subscribers can be collected as garbage. Using one again is unwise, yet not forbidden: nobody could "
            "remember all of them."
        ),
    ),
    (
        "3.14",
        "MAY",
        "subscription",
        (
            "As long as it is not cancelled, cancel can shut a stateful publisher down when it takes away the last "
            "subscription."
        ),
        "A late subscriber to such a publisher learns it: on_subscribe, then a terminal signal.",
    ),
    (
        "3.15",
        "MUST",
        "subscription",
        "cancel never raises.",
        "Failures reach a subscriber in one way only, as on_error.",
    ),
    (
        "3.16",
        "MUST",
        "subscription",
        "request never raises.",
        "Failures reach a subscriber in one way only, as on_error.",
    ),
    (
        "3.17",
        "MUST / MAY",
        "subscription",
        (
            "A subscription takes any number of requests and counts demand up to 2**63-1; from there on it can treat "
            "demand as without limit."
        ),
        "One element a nanosecond would take 292 years to use that up, so counting further has no use.",
    ),
    (
        "4.1",
        "MUST",
        "processor",
        "A processor is subscriber and publisher at once and keeps the rules of either.",
        "What stands in the middle of a stream gets no exemption.",
    ),
    (
        "4.2",
        "MAY / MUST",
        "processor",
        (
            "A processor can recover from on_error, after which its own subscription upstream is over; one that does "
            "not recover passes on_error to its subscribers at once."
        ),
        "Stages may do more than transform elements, and an error is never kept back.",
    ),
)
