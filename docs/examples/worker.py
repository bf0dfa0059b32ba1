"""An outside worker: takes rows of a board, one after the other, and finishes them. Standard library only."""

import http.client, json, os, threading, time, urllib.error, urllib.request, uuid  # noqa: E401, I001

BOARD = "{WORKFORCE_URL}/api/boards/{WORKFORCE_BOARD}".format(**os.environ)
HEADERS = {"Authorization": "Bearer " + os.environ["WORKFORCE_KEY"], "Content-Type": "application/json"}


def call(path, body):
    """POST until there is an answer; its key makes a repeated call the same call. None: nothing, or too late."""
    headers = {**HEADERS, "Idempotency-Key": str(uuid.uuid4())}
    while True:
        try:
            request = urllib.request.Request(BOARD + path, json.dumps(body).encode(), headers)  # noqa: S310
            with urllib.request.urlopen(request, timeout=90) as answer:  # noqa: S310 -- the service's address
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as refusal:
            if refusal.code == 409:
                return None  # the row was taken back or settled by somebody else
            if refusal.code not in (429, 503):
                raise
        except (OSError, http.client.HTTPException):
            pass  # nobody there, or the answer was lost on the way
        time.sleep(1)


def work(task):
    """Your own work: the row's goal, context and input go in, any JSON comes out."""
    return {"words": len(task["goal"].split()), "input": task.get("input")}


def renew(row, ticket, ended):
    while not ended.wait(10):
        call(row + "/renew", {"ticket": ticket})


while True:
    if (claim := call("/claim?wait=30", {"worker": "counter", "leaseSeconds": 30})) is None:
        continue
    row, ticket, ended = "/tasks/" + claim["task"]["id"], claim["ticket"], threading.Event()
    threading.Thread(target=renew, args=(row, ticket, ended), daemon=True).start()
    try:
        verb, result = "/complete", {"output": work(claim["task"])}
    except Exception as error:
        verb, result = "/fail", {"error": repr(error)}
    ended.set()
    call(row + verb, {"ticket": ticket, **result})
