"""The JSON documents that commands print. Their field names are a contract."""

from __future__ import annotations

import json

from kbuild.records import to_json


def render_document(schema: str, body: object, **front: object) -> str:
    """Return a JSON document.

    The text is ASCII, because names from files can contain characters that UTF-8 cannot encode.

    Args:
        schema: The name and version of the document's schema, its first field.
        body: A frozen value or a dict, whose fields become those of the document.
        front: Additional fields before those of ``body``, such as the verdict.
    """
    document = {"schema": schema, **to_json(front), **to_json(body)}
    return json.dumps(document, indent=2) + "\n"
