"""The baseline of benchmarks/finishing.py: what a worker of procrastinate does for a job that does nothing."""

from __future__ import annotations

import asyncio
import os
import time

from procrastinate import App, PsycopgConnector
from procrastinate.jobs import Status


def count_jobs(seconds: float) -> int:
    """How many jobs are fetched and finished in so many seconds; connecting is not part of them."""
    return asyncio.run(_work(seconds))


async def _work(seconds: float) -> int:
    url = os.environ["DATABASE_URL"].replace("postgres://", "postgresql://")
    app = App(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=1))
    async with app.open_async():
        manager = app.job_manager
        worker_id = await manager.register_worker()
        ends, finished = time.perf_counter() + seconds, 0
        while time.perf_counter() < ends:
            job = await manager.fetch_job(queues=None, worker_id=worker_id)
            if job is None:
                raise SystemExit("no job was left to fetch; seed more")
            await manager.finish_job(job, Status.SUCCEEDED, delete_job=False)
            finished += 1
    return finished
