"""Pipedream Connect: ready-made actions of the apps that owners have connected.

Spoken over the shared session and not by Pipedream's SDK: that one takes 0.2 s to import, keeps a second HTTP client
with its own connections, reads the environment when it is imported, and by default sends an action again after a
failure of which nobody knows whether the action ran. In tests it is what the stand-in is held against.
"""
