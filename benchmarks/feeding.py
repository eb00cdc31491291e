"""How a decoder is fed decides what is measured: SmolLM2 on the treebank's test part.

python -m benchmarks.feeding [--sentences N] [--threads N] [--json FILE]

For each way to feed it: how well it foretells a sentence (perplexity a subword, and bits a word; the
sentence's first subword, which not every way lets it foretell, is left out of all), and at the middle
layer how many sentences' first words have a state ten times as long as the median word's (a *massive
activation*).
"""

from __future__ import annotations

import math
import sys

import torch

from benchmarks import measure
from whichlayer.bundled import BUNDLED
from whichlayer.corpora import Sentence, load_treebank
from whichlayer.models import Encoder, load_encoder
from whichlayer.tokenization import tokenize

START = BUNDLED["smollm2"].reading["first_token"]
WAYS = {
    "words, a blank between": {"feed": "words"},
    "as written": {"feed": "text"},
    "as written, a start token": {"feed": "text", "first_token": START},
    "as written, start token, document": {
        "feed": "text",
        "first_token": START,
        "context": "document",
    },
}


@torch.inference_mode()
def figures(encoder: Encoder, sentences: list[Sentence], way: dict) -> dict[str, float]:
    surprise, foretold, lengths, first = 0.0, 0, [], []
    for subwords in tokenize(encoder, sentences, **way):
        ids = torch.tensor([[*subwords.before, *subwords.ids, *subwords.after]])
        at = len(subwords.before)
        states = encoder.model(ids, output_hidden_states=True).hidden_states
        begin = at + subwords.own_from + 1
        scores = encoder.lm_head(states[-1][0, begin - 1 : -1]).log_softmax(-1)
        surprise -= scores.gather(1, ids[0, begin:, None]).sum().item()
        foretold += len(scores)
        norms = states[encoder.num_layers // 2][0].norm(dim=-1)
        norms = [norms[at + beginning].item() for beginning, _ in subwords.spans]
        lengths += norms
        first.append(norms[0])
    usual = torch.tensor(lengths).median()
    return {
        "perplexity": math.exp(surprise / foretold),
        "bits a word": surprise / math.log(2) / len(lengths),
        "massive first words": int((torch.tensor(first) > 10 * usual).sum()),
        "sentences": len(first),
    }


def main() -> int:
    arguments = measure.parse_arguments(__doc__)
    torch.set_num_threads(arguments.threads)
    encoder = load_encoder("smollm2")
    sentences = load_treebank("test")[: arguments.sentences]
    rows = [{"fed": name, **figures(encoder, sentences, way)} for name, way in WAYS.items()]
    measure.report("SmolLM2, fed in four ways", rows, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
