"""How fast the engine is: `python -m bench` by itself, `adapter.py` beside other engines."""
