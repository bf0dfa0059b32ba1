// Small conveniences of the admin; every page works without them.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  // The newest line of a conversation is the one that matters.
  for (const talk of document.querySelectorAll("[data-at-end]")) {
    talk.scrollTop = talk.scrollHeight;
  }

  // A reload of the page that shows a new key must not issue another one.
  const shown = document.querySelector("[data-leave-for]");
  if (shown) {
    history.replaceState(null, "", shown.dataset.leaveFor);
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) {
      continue;
    }
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }
});
