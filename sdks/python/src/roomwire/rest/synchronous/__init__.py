# Made by `scripts/make_sync.py` from the module of the same name in `asynchronous`: do not edit.
