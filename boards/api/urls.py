"""The paths below ``api/boards``."""

from __future__ import annotations

from django.urls import path

from boards.api import acting, boards, claiming, paths, tasks
from boards.api.verbs import VERBS

assert paths  # its import registers the converters

ROW = "/<board:board>/tasks/<task:task>"

urlpatterns = [
    path("", boards.BoardsView.as_view(), name="boards"),
    path("/<board:board>", boards.OneBoardView.as_view(), name="board"),
    path("/<board:board>/claim", claiming.ClaimView.as_view(), name="board-claim"),
    path("/<board:board>/tasks", tasks.TasksView.as_view(), name="board-tasks"),
    path(ROW, tasks.TaskView.as_view(), name="board-task"),
    path(f"{ROW}/retry", acting.RetryTaskView.as_view(), name="board-task-retry"),
    *(
        path(
            f"{ROW}/{verb.name}",
            acting.VerbView.as_view(verb=verb, describes=acting.described(verb)),
            name=f"board-task-{verb.name}",
        )
        for verb in VERBS
    ),
]
