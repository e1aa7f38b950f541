"""What a receptionist knows how to do, over ports: hours, availability, bookings, knowledge and policies."""

from switchboard.desk.services import Desk

__all__ = ["Desk"]
