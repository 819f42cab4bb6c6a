"""The wording of the rules: id, obligation words, bound party, text, intent; read through `spec.rules`."""

__all__ = ["RULE_TEXTS"]

RULE_TEXTS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "1.1",
        "MUST",
        "publisher",
        "At no moment has a subscriber been sent more elements than it has requested in total.",
        (
            "A subscriber is never flooded. Demand exists only after a request has arrived, so every element follows "
            "its request."
        ),
    ),
    (
        "1.2",
        "MAY",
        "publisher",
        "A publisher can stop short of the demand and end the stream with on_complete or on_error.",
        "Demand permits elements and does not promise them: a source may be short, empty or broken.",
    ),
    (
        "1.3",
        "MUST",
        "publisher",
        (
            "The signals to one subscriber come one at a time: each has returned, and all its effects are visible, "
            "before the next begins."
        ),
        "Different threads may send one after the other, and a subscriber still needs no lock against its publisher.",
    ),
    (
        "1.4",
        "MUST",
        "publisher",
        "A publisher that fails signals on_error to its subscribers.",
        "No failure is silent, so that a subscriber can release its resources.",
    ),
    (
        "1.5",
        "MUST",
        "publisher",
        "A publisher that has sent all its elements without a failure signals on_complete to its subscribers.",
        "A subscriber can react to the end without polling.",
    ),
    (
        "1.6",
        "MUST",
        "publisher",
        "After on_error or on_complete the subscription counts as cancelled.",
        "For later calls of the subscription, completed, failed and cancelled are the same state.",
    ),
    (
        "1.7",
        "REQUIRED",
        "publisher",
        "No signal follows on_error or on_complete of a subscriber.",
        "A terminal signal can be relied on as the last.",
    ),
    (
        "1.8",
        "MUST",
        "publisher",
        "Signals to a subscriber whose subscription was cancelled stop eventually.",
        "Cancelling takes effect, though not immediately: signals on their way may still arrive.",
    ),
    (
        "1.9",
        "MUST",
        "publisher",
        (
            "subscribe signals on_subscribe before anything else and raises nothing, except TypeError for None. A "
            "subscriber that cannot be served gets on_error after on_subscribe."
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
        "The publisher decides how elements are distributed.",
    ),
    (
        "2.1",
        "MUST",
        "subscriber",
        "A subscriber that wants elements calls request; without a request it gets none.",
        (
            "The receiver decides how much and when. It should request as much as it can process, at the end of a "
            "handler: requesting one element at a time waits for each."
        ),
    ),
    (
        "2.2",
        "RECOMMENDED",
        "subscriber",
        "A subscriber whose work could slow down its publisher passes the signals to another thread or task.",
        "A slow receiver does not use processor time of its source.",
    ),
    (
        "2.3",
        "MUST NOT",
        "subscriber",
        "While it handles on_complete or on_error, a subscriber calls neither the subscription nor the publisher.",
        "The end causes no cycles and no races.",
    ),
    (
        "2.4",
        "MUST",
        "subscriber",
        "After on_complete or on_error a subscriber treats its subscription as cancelled.",
        "Both sides know that there are no more signals.",
    ),
    (
        "2.5",
        "MUST",
        "subscriber",
        "A subscriber with an active subscription cancels the new one of another on_subscribe.",
        "Two publishers never send to one subscriber, and the extra subscription does not leak.",
    ),
    (
        "2.6",
        "MUST",
        "subscriber",
        "A subscriber that needs no more elements cancels its subscription.",
        "The publisher can free its resources; it cannot know otherwise that a subscriber has lost interest.",
    ),
    (
        "2.7",
        "MUST",
        "subscriber",
        "A subscriber never has two calls to request or cancel running at the same time.",
        "Several threads may request, but only one after the other.",
    ),
    (
        "2.8",
        "MUST",
        "subscriber",
        "A subscriber accepts elements that arrive after it called cancel, up to the requested number.",
        "There is a delay until a publisher notices; cancel does not have to clean up immediately.",
    ),
    (
        "2.9",
        "MUST",
        "subscriber",
        "A subscriber accepts on_complete whether or not it ever requested anything.",
        "Completion is not subject to demand.",
    ),
    (
        "2.10",
        "MUST",
        "subscriber",
        "A subscriber accepts on_error whether or not it ever requested anything.",
        "A failure is not subject to demand.",
    ),
    (
        "2.11",
        "MUST",
        "subscriber",
        (
            "A subscriber that processes signals elsewhere passes them on safely: the call that delivers a signal "
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
            "The four signal methods raise nothing, except TypeError for None. A subscriber in trouble cancels; if it "
            "raises anyway, its subscriptions count as cancelled and the caller reports the error."
        ),
        "A publisher knows what to do with a faulty subscriber: stop, and report the error elsewhere.",
    ),
    (
        "3.1",
        "MUST",
        "subscriber",
        "Only its own subscriber, and code acting for it, calls request and cancel on a subscription.",
        "A subscription belongs to exactly one publisher and one subscriber.",
    ),
    (
        "3.2",
        "MUST",
        "subscription",
        "request works when it is called from inside on_subscribe or on_next, in the same thread.",
        "A publisher may send in the thread that requests, so request must be safe to re-enter.",
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
        "request returns quickly.",
        "It does no heavy work in its caller's thread.",
    ),
    (
        "3.5",
        "MUST",
        "subscription",
        ("cancel returns quickly, may be repeated without effect, and may be called by any thread at any time."),
        "Cancelling is always harmless, even if several threads do it at the same time.",
    ),
    (
        "3.6",
        "MUST",
        "subscription",
        "On a cancelled subscription request has no effect.",
        "Nothing starts again, and a late request with a bad count is not an error either.",
    ),
    (
        "3.7",
        "MUST",
        "subscription",
        "On a cancelled subscription cancel has no effect.",
        "Cancelling twice has the same effect as once.",
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
        "Such a count is almost always a mistake in the subscriber's arithmetic, which must be reported.",
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
        "Cancellation takes effect eventually.",
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
            "Subscribers can be collected as garbage. Using one again is unwise but not forbidden, because a publisher "
            "cannot remember all of them."
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
        "A late subscriber of such a publisher gets on_subscribe, then a terminal signal.",
    ),
    (
        "3.15",
        "MUST",
        "subscription",
        "cancel never raises.",
        "Failures reach a subscriber only as on_error.",
    ),
    (
        "3.16",
        "MUST",
        "subscription",
        "request never raises.",
        "Failures reach a subscriber only as on_error.",
    ),
    (
        "3.17",
        "MUST / MAY",
        "subscription",
        (
            "A subscription takes any number of requests and counts demand up to 2**63-1; from there on it can treat "
            "demand as without limit."
        ),
        "One element per nanosecond would take 292 years to use that up, so counting further is useless.",
    ),
    (
        "4.1",
        "MUST",
        "processor",
        "A processor is both subscriber and publisher and follows the rules of both.",
        "There are no exceptions for the middle of a stream.",
    ),
    (
        "4.2",
        "MAY / MUST",
        "processor",
        (
            "A processor can recover from on_error, after which its own subscription upstream is over; one that does "
            "not recover passes on_error to its subscribers at once."
        ),
        "Stages may do more than transform elements, and an error is never withheld.",
    ),
)
