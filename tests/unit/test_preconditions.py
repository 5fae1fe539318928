"""The mutations of ``support.preconditions``, whose results are in the documentation."""

from __future__ import annotations

import pytest

from kbuild import resources
from support.preconditions.__main__ import apply_change
from support.preconditions.mutations import MUTATIONS, Mutation


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_mutation_applies(mutation: Mutation) -> None:
    for change in mutation.changes:
        text = (resources.native_directory().parent / change.file).read_text()
        assert apply_change(change, text) != text
