"""What the tests of the deployment share."""

from tests.deploy.like_firestore import refused_by_firestore

__all__ = ["refused_by_firestore"]
