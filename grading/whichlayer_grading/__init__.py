"""Grade the notebooks that a class hands in: `whichlayer-grade --help`.

nbgrader is the engine. In front of it, each submission is rebuilt on the notebook that was handed out and
run in a sandbox of its own. Importing this package imports neither nbgrader nor torch.

One module a job: `submissions` (files to students), `course` (exercises and hidden tests), `repair`
(rebuild a submission), `sandbox` and `sandbox_init` (isolation), `execution` and `worker` (one student),
`warm_parent` and `kernel_start` (forks workers and kernels with everything imported), `engine` (all
students), `gradebook` (nbgrader's course and points), `results` (rows), `report` (CSV, feedback), `otter`
(export).
"""


class GradeError(Exception):
    """Grading can't go on; the message says why and what to do."""
