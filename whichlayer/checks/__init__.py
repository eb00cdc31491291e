"""Self-checks of the exercises: `checks.check_<exercise>(your_answer)`.

Each tests properties that every right answer has, whatever way it is written, and prints what was
checked. One that doesn't hold raises CheckFailed, which says what was seen, what should hold and what
to look at. They need no file and no setting beside them, so they work in Colab.
"""

# ruff: noqa: F403 - each module's public names are its checks, and all belong here.
from whichlayer.checks.carry_over import *
from whichlayer.checks.combining_layers import *
from whichlayer.checks.extracting_hidden_states import *
from whichlayer.checks.inter_layer_similarity import *
from whichlayer.checks.layer_hierarchy import *
from whichlayer.checks.many_properties import *
from whichlayer.checks.probe_or_encoder import *
from whichlayer.checks.probing_code import *
from whichlayer.checks.read_is_not_used import *
from whichlayer.checks.report import CheckFailed as CheckFailed
