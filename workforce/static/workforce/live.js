// Following a conversation: new lines as they come, who is working, and speaking without leaving the page.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const talk = document.querySelector("[data-live]");
  if (talk) {
    follow(talk);
  }
  const form = document.querySelector("[data-say]");
  if (form) {
    speak(form);
  }
});

// The server's own markup, in which every text is escaped.
function parsed(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content;
}

// A route stands below the line that it placed, also when others came between.
function settle(talk) {
  for (const route of talk.querySelectorAll("[data-post]")) {
    const line = talk.querySelector(`[data-id="${CSS.escape(route.dataset.post)}"]`);
    if (line && line.nextElementSibling !== route) {
      line.after(route);
    }
  }
}

const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

function age(talk) {
  for (const time of talk.querySelectorAll("time")) {
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time.dateTime)) / 1000));
    const [size, unit] = UNITS.find(([size]) => seconds >= size) || [1, "s"];
    time.textContent = `${time.textContent.split(" · ")[0]} · ${Math.floor(seconds / size)}\u00a0${unit}\u00a0ago`;
  }
}

function follow(talk) {
  settle(talk);
  setInterval(() => age(talk), 15000);
  const words = document.querySelector("[data-live-words]");
  const working = document.querySelector("[data-working]");
  let after = Number(talk.dataset.after);
  const source = new EventSource(`${talk.dataset.live}?after=${after}`);
  source.addEventListener("open", () => {
    words.textContent = "Live.";
  });
  source.addEventListener("error", () => {
    words.textContent =
      source.readyState === EventSource.CLOSED ? "Not live: reload to see what is new." : "Connecting…";
  });
  source.addEventListener("runs", (event) => {
    working.replaceChildren(parsed(JSON.parse(event.data).items));
  });
  source.addEventListener("item", (event) => {
    const item = JSON.parse(event.data);
    if (item.seq <= after) {
      return;
    }
    after = item.seq;
    // Who reads further up is not pulled down.
    const atEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 80;
    talk.querySelector("[data-nothing]")?.remove();
    talk.append(parsed(item.html));
    settle(talk);
    if (atEnd) {
      talk.scrollTop = talk.scrollHeight;
    }
  });
}

function speak(form) {
  const said = form.querySelector("[data-said]");
  const button = form.querySelector("[type=submit]");
  const text = form.querySelector("textarea");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    said.textContent = "";
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        body: new FormData(form),
        headers: { "X-Requested-With": "fetch" },
        credentials: "same-origin",
      });
      const told = await answer.json();
      said.textContent = told.refused;
      if (answer.ok) {
        text.value = "";
        form.elements.once.value = crypto.randomUUID();
      }
    } catch {
      // The same key goes with the next try, so that a line that was stored is not stored twice.
      said.textContent = "The answer did not come; send it again, it is stored once.";
    }
    button.disabled = false;
    text.focus();
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      form.requestSubmit();
    }
  });
}
