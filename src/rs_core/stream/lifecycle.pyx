"""The life cycle of a whole tree, run by the one who subscribes; a host may run its phases by visitors instead."""

from rs_core.stream.subscription cimport DemandOwner, Stage

from rs_core.stream.tree_walk import nodes_of


cdef int initialize(Stage root, object context) except -1:
    """Run the phases on a tree: subscribe, set_context, start; then serve the demand that was added meanwhile.

    Each phase goes from downstream to upstream, so that a node is ready before its input begins. The owners are opened
    last: nothing flows while a part of the tree is not started. If a node upstream of a handle raises, the stream ends,
    and its head disposes that handle.
    """
    make_nodes(root)
    if context is not None:
        hand_context(root, context)
    start_nodes(root, context)
    return open_owners(root)


cdef int make_nodes(Stage root) except -1:
    cdef Stage stage = root
    while stage is not None:
        stage.attach_once()
        stage = stage.up
    return 0


cdef int hand_context(Stage root, object context) except -1:
    cdef Stage stage = root
    while stage is not None:
        if stage.context_of_host is None:
            stage.take_context(context)
        stage = stage.up
    return 0


cdef int start_nodes(Stage root, object context) except -1:
    cdef Stage stage = root
    cdef Stage head = root
    while stage is not None:
        head = stage
        stage = stage.up
    branch = head.branch  # of a source, which is an owner of demand
    if branch is not None:
        try:
            _prepare(branch, context)
        except Exception as error:  # §1.9: the subscriber gets it, after on_subscribe
            (<DemandOwner>head).fail_at(head, error)  # nobody drains yet: the note is read when the tree is opened
            branch = None
    stage = root
    while stage is not None:
        stage.begin_once()
        stage = stage.up
    if branch is not None:
        try:
            for node in nodes_of(branch):
                node.start()
        except Exception as error:
            (<DemandOwner>head).fail_at(head, error)  # as above
    return 0


cdef int open_owners(Stage root) except -1:
    cdef Stage stage = root
    while stage is not None:
        if stage.is_owner:
            (<DemandOwner>stage).open()
        stage = stage.up
    return 0


cdef int _prepare(object branch, object context) except -1:
    """Make the nodes upstream of the handle of an input that is no stage, and hand them the context."""
    for node in nodes_of(branch):
        node.subscribe()
    if context is not None:
        for node in nodes_of(branch):
            node.set_context(context)
    return 0
