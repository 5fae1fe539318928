from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

from kbuild.model import Resources
from kbuild.report.inspect.json import render_artifacts
from kbuild.report.verify.json import render
from kbuild.verify import verify
from kbuild.verify.policy.model import Waiver
from kbuild.verify.report import Finding, Instance, Report, RuleNote, WaivedFinding
from support.facts.build_facts import KERNELS, SCALE, change_handle, sound_facts

FACTS = sound_facts()
FINDING = Finding(
    rule="KB101",
    slug="missing-architecture",
    severity="error",
    path="libdemo.so",
    symbol=None,
    arch="sm_90",
    message="no image",
    fix="add one",
    instances=(Instance(None, "sm_90", "a.cu"),),
)


def test_verify_report_is_the_contract() -> None:
    report = Report(
        findings=(FINDING,),
        rules_run=("KB101",),
        rules_skipped=(RuleNote(rule="KB103", reason="no device image"),),
        rules_errored=(),
    )
    assert json.loads(render(report)) == {
        "schema": "kbuild.verify/1",
        "ok": False,
        "findings": [
            {
                "rule": "KB101",
                "slug": "missing-architecture",
                "severity": "error",
                "path": "libdemo.so",
                "symbol": None,
                "arch": "sm_90",
                "message": "no image",
                "fix": "add one",
                "count": 1,
                "instances": [{"symbol": None, "arch": "sm_90", "where": "a.cu"}],
            }
        ],
        "rules_run": ["KB101"],
        "rules_skipped": [{"rule": "KB103", "reason": "no device image"}],
        "rules_errored": [],
        "rules_unjudged": [],
        "waived": [],
    }


def test_all_instances_are_listed_on_request() -> None:
    kernels = tuple(Instance(symbol=f"k{n}", arch=None, where=None) for n in range(9))
    finding = replace(FINDING, count=9, instances=kernels)
    waiver = Waiver(rule="KB101", reason="old", expires=dt.date(2030, 1, 2))
    waived = WaivedFinding(finding=finding, waiver=waiver)
    report = Report(
        findings=(finding,), rules_run=(), rules_skipped=(), rules_errored=(), waived=(waived,)
    )
    for is_complete, listed in ((False, 5), (True, 9)):
        document = json.loads(render(report, is_complete=is_complete))
        for shown in (document["findings"][0], document["waived"][0]["finding"]):
            assert shown["count"] == 9
            assert [one["symbol"] for one in shown["instances"]] == [f"k{n}" for n in range(listed)]


def test_sound_report_is_ok() -> None:
    assert json.loads(render(verify((FACTS,))))["ok"] is True


def test_artifacts_are_the_contract() -> None:
    kernel = replace(KERNELS[0], params=KERNELS[0].params[:1], resources=Resources(registers=10))
    facts = replace(
        FACTS, images=(replace(FACTS.images[0], kernels=(kernel,)),), handles=FACTS.handles[:1]
    )
    assert json.loads(render_artifacts((facts,))) == {
        "schema": "kbuild.inspect/1",
        "artifacts": [
            {
                "path": "libdemo.so",
                "kind": "shared-object",
                "machine": "x86_64",
                "sha256": "f" * 64,
                "kbuild": {
                    "version": "0.1.0",
                    "target": "demo",
                    "compile": [
                        {
                            "target": "demo",
                            "compiler": "gcc",
                            "version": "12.2.0",
                            "options": ["-std=c++17", "-O2"],
                            "architectures": ["sm_80", "sm_90"],
                        }
                    ],
                },
                "images": [
                    {
                        "backend": "cpu",
                        "arch": "sm_80",
                        "kind": "elf",
                        "compression": "none",
                        "size": 1000,
                        "stored_size": 1000,
                        "container": 0,
                        "ptx_version": None,
                        "object_version": None,
                        "kernels": [
                            {
                                "name": SCALE,
                                "display": "ns::scale(float*, float, int)",
                                "execution": None,
                                "params": [{"index": 0, "offset": 0, "size": 8, "type": "float*"}],
                                "registers": 10,
                                "shared_bytes": None,
                                "local_bytes": None,
                                "spill_bytes": None,
                                "max_threads": None,
                                **dict.fromkeys(
                                    ("constant_bytes", "code_bytes", "scalar_registers")
                                ),
                                **dict.fromkeys(("accumulation_registers", "spilled_registers")),
                                **dict.fromkeys(("spilled_scalar_registers", "wavefront_size")),
                                "required_block": None,
                            }
                        ],
                    }
                ],
                "handles": [
                    {
                        "kernel": SCALE,
                        "kind": "variable",
                        "binding": "global",
                        "visibility": "hidden",
                        "section": ".data.rel.ro",
                        "size": 8,
                        "stub": None,
                        "registered": True,
                    }
                ],
                "wrappers": [],
                "runtimes": [],
                "variables": [],
            }
        ],
        "errors": [],
    }


def test_kernels_are_null_in_a_summary() -> None:
    facts = replace(FACTS, is_summary=True, sha256=None, handles=(), modules=())
    (artifact,) = json.loads(render_artifacts((facts,)))["artifacts"]
    assert artifact["sha256"] is None
    assert [image["kernels"] for image in artifact["images"]] == [None] * len(FACTS.images)


def test_every_kernel_is_one_line_with_its_own_parameters() -> None:
    text = render_artifacts((FACTS, FACTS), (("x", "x: bad"),))
    document = json.loads(text)
    assert document["errors"] == [{"path": "x", "message": "x: bad"}]
    count = 0
    for artifact in document["artifacts"]:
        for image, shown in zip(FACTS.images, artifact["images"], strict=True):
            for kernel, row in zip(image.kernels, shown["kernels"], strict=True):
                assert row["params"] == [
                    {"index": p.index, "offset": p.offset, "size": p.size, "type": p.type}
                    for p in kernel.params
                ]
                count += 1
    assert sum('"params"' in line for line in text.splitlines()) == count > 0


def test_unknown_is_null() -> None:
    facts = change_handle(replace(FACTS, modules=()), lambda h: replace(h, symbol=None))
    (artifact,) = json.loads(render_artifacts((facts,)))["artifacts"]
    assert artifact["kbuild"] is None
    assert artifact["handles"][0] == {
        "kernel": SCALE,
        "kind": None,
        "binding": None,
        "visibility": None,
        "section": ".data.rel.ro",
        "size": None,
        "stub": None,
        "registered": None,
    }


def test_missing_handle_is_not_listed() -> None:
    facts = change_handle(FACTS, lambda h: replace(h, symbol=None, place=None))
    (artifact,) = json.loads(render_artifacts((facts,)))["artifacts"]
    assert len(artifact["handles"]) == len(FACTS.handles) - 1


def test_errors_and_unusual_names_are_kept() -> None:
    text = render_artifacts((), (("b\udc80d.so", "unreadable"),))
    assert text.isascii()
    assert json.loads(text)["errors"] == [{"path": "b\udc80d.so", "message": "unreadable"}]
