"""`regard join`: the output of a job whose shares were computed with --part."""

from __future__ import annotations

from typing import Annotated

import typer

from regard.cli.job_options import check_job_output, join_job


def join(
    out: Annotated[
        str, typer.Argument(metavar="FILE", help="The --out of the shares, which may be a URL.")
    ],
) -> None:
    """Join the shares that --part has computed to the output file of a job.

    Says which shares are missing, if any are. Needs neither the model nor the corpus.

    Example:

    regard translate model/ --source corpus.en --out corpus.de --part 1/2

    regard translate model/ --source corpus.en --out corpus.de --part 2/2

    regard join corpus.de
    """
    check_job_output(out)
    join_job(out)
