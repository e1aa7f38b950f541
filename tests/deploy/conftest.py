"""What the tests of the deployment share."""

from tests.deploy.like_firestore import refused_by_firestore
from tests.deploy.shell import deployment

__all__ = ["deployment", "refused_by_firestore"]
