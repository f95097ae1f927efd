"""One job on one field, in a process of its own that may hang, swell or die.

`work` is what a worker of a cluster is given: texts in, one text out. The layers below it:

    task      what is called, by the name of a module-level function
    nurse     one child process a thread: asked, waited for, killed, begun anew
    child     the process that does one job after another
    jobs      what a job is

Options of a `Job`, all of which may be left out (`check_options` says what is wrong with them):

    storage_options   how sources elsewhere are reached; no secret may be among them
    limits            texts such as "page-bytes=4194304"
    select, ignore    lists of ids or beginnings of ids (validate; audit takes `ignore` alone)
    profile           "kit" or "draft-0.1" (validate)
    embedder          a name as `choose` of the index takes it, such as "ollama:MODEL" (index)
    model_code        the full code of a model that is not known by its name (index)

A result that is larger than `MOST_RESULT` is cut, and says so in one more key:

    "left_out": {"findings": 98000, "rules": {"MF304": 98000}}   of a report
    "left_out": {"failed": 1200}                                 of an index

so that counts by rule are those of `findings` and of `left_out.rules` together.
"""

from __future__ import annotations

from .answers import Answer, read_answer
from .cutting import MOST_RESULT
from .options import check_options
from .requests import job_text, target_text
from .task import stop, work

__all__ = [
    "MOST_RESULT",
    "Answer",
    "check_options",
    "job_text",
    "read_answer",
    "stop",
    "target_text",
    "work",
]
