"""A page on which a program is watched and explained, under a transformation of one's choice.

The site has it for the programs of `programs.py`, made when the site is built (`walks.py`).
`python -m minijax.explore` serves it on this machine alone, with an editor for a function of one's
own (`server.py`), which another process runs, within bounds (`worker.py`, `confined.py`).
"""
