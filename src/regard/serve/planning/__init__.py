"""Sizes of a fleet: service times measured on this machine, and a simulation of the servers."""
