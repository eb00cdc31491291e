"""What grading finds out: for each student a row per exercise."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from whichlayer_grading.submissions import Submission

GRADED, FAILED, TIMED_OUT = "graded", "failed to run", "timed out"
NOT_FOUND, PERSON = "not found", "needs a person"


@dataclass
class Row:
    """The result of one student in one exercise.

    Attributes:
        points: None where there are no points to speak of.
        answer: the student's text, for the feedback.
        manual: points that a person has given.
        fingerprint: changes when the answer does; without one, when the file does.
    """

    student: str
    number: str
    name: str
    max_points: float
    status: str
    points: float | None = None
    message: str = ""
    answer: str = ""
    file: str = ""
    manual: float | None = None
    fingerprint: str = ""


def fingerprint(content: bytes) -> str:
    """A few letters that tell one answer from another."""
    return sha256(content).hexdigest()[:8]


@dataclass
class Graded:
    """All rows of one student."""

    submission: Submission
    rows: list[Row] = field(default_factory=list)
