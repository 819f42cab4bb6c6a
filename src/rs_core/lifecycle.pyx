"""The life cycle of a whole tree, run by the one who subscribes; a host may run its phases by visitors instead."""

from rs_core.stage cimport Stage


cdef int initialize(Stage root, object context) except -1:
    """Run the phases on a tree: subscribe, set_context, start; then serve the demand that was added meanwhile.

    Each phase goes from downstream to upstream, so that a node is ready before its input begins. The owners are opened
    last: nothing flows while a part of the tree is not started.
    """
    cdef Stage stage = root
    while stage is not None:
        if not stage.has_subscribed:
            stage.has_subscribed = True
            stage.attach()
        if context is not None:
            stage.take_context(context)
        stage = stage.up
    stage = root
    while stage is not None:
        stage.begin_once()
        stage = stage.up
    stage = root
    while stage is not None:
        stage.open()
        stage = stage.up
    return 0
